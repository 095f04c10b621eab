// Do two names mean one file?
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Also by links; of names that are not there yet only if they are the same.
bool are_one_file(const std::string& a, const std::string& b);

// Refuses an output that is one of the inputs: "--output: a.toml is an input".
void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs);

}  // namespace tilewright

// Tells whether two paths name the same file, and rejects an output that would replace an input.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Compares files by device and inode, so that links are followed. Paths of files that do not exist
// yet are compared after their folders are resolved.
bool are_one_file(const std::string& a, const std::string& b);

// The rule for every command that writes a file: an output must not be one of its inputs, which are
// all files that the command reads. Throws UsageError: "--output: a.toml is an input".
void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs);

}  // namespace tilewright

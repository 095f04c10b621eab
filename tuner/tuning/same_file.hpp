// Determines whether two paths name the same file, and rejects an output file that would replace an
// input.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Compares files by device and inode, so links are followed. Paths of files that do not exist yet
// are compared after resolving their folders.
bool is_same_file(const std::string& a, const std::string& b);

// Rejects an output file that is one of the inputs. Every command that writes a file calls this
// with all files that it reads. Throws UsageError: "--output: a.toml is an input".
void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs);

}  // namespace tilewright

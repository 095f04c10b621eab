// Reads which calls a test and the programs that it started made to a driver of OpenCL 1.1.
//
// A program that contains written_calls.cpp runs with the layer of old_driver.cpp, and so do its
// children. It skips its cases if the loader does not support layers.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Deletes all recorded calls.
void forget_calls();
// The recorded calls in order: "newer clEnqueueFillBuffer", "copy clEnqueueReadBuffer". Of one
// kind, or all if `kind` is empty.
std::vector<std::string> written_calls(const std::string& kind = "");

}  // namespace tilewright

// What did a test, and the programs that it started, ask of a driver of OpenCL 1.1?
//
// A program with written_calls.cpp runs under the layer of old_driver.cpp, and so do its children;
// it skips where the loader knows no layers.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// From now on nothing has been written down.
void forget_calls();
// What was, in order: "newer clEnqueueFillBuffer", "copy clEnqueueReadBuffer". Of one kind, or all.
std::vector<std::string> written_calls(const std::string& kind = "");

}  // namespace tilewright

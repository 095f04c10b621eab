// How is a worker process born?
#pragma once

#include <string>
#include <vector>

namespace tilewright {

struct LaunchedWorker {
  int pid = -1;
  int channel = -1;  // a socket, both ways; reading it does not block
  int errors = -1;   // what it writes to standard error and standard output; likewise
};

// Starts `program arguments... --channel <its descriptor>`; "" is this program. It has a process
// group of its own, no standard input, no other descriptor of ours, leaves no core file and dies
// with the thread that starts it. Throws std::system_error if the program cannot be started.
LaunchedWorker launch_worker(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace tilewright

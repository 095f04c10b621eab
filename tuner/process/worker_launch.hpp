// Starts worker processes.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// A running worker process. The caller owns the descriptors.
struct LaunchedWorker {
  int pid = -1;
  int channel = -1;  // a bidirectional socket, non-blocking for reading
  int errors = -1;   // the worker's standard error and standard output; non-blocking, too
};

// Runs `program arguments... --channel <descriptor>`; "" stands for this program. The process has
// its own process group, no standard input and none of our other descriptors. It writes no core
// file, and it is killed when the thread that started it ends. Throws std::system_error if the
// program cannot be started.
LaunchedWorker launch_worker(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace tilewright

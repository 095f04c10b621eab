#include "open_libraries.hpp"

#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace clblast {
namespace {

using tilewright::Library;
using tilewright::LibraryHandle;

struct Table {
  std::atomic<pid_t> process{0};  // that opened the first library; 0: there is none
  std::mutex mutex;
  std::map<std::pair<cl_context, cl_device_id>, LibraryHandle> libraries;
};

// Throws Error TW_FORKED in a process that fork() made after the first library was opened.
Table& table() {
  static Table* const never_destroyed = new Table;
  const pid_t process = never_destroyed->process;
  if (process != 0 && process != ::getpid()) {
    throw tilewright::Error(TW_FORKED,
                            "fork() made this process after the first call, and OpenCL drivers do "
                            "not work in such a process");
  }
  return *never_destroyed;
}

}  // namespace

LibraryHandle library_for_queue(const cl::CommandQueue& queue) {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  const bool is_queue = queue() != nullptr &&
                        clGetCommandQueueInfo(queue(), CL_QUEUE_CONTEXT, sizeof(context), &context,
                                              nullptr) == CL_SUCCESS &&
                        clGetCommandQueueInfo(queue(), CL_QUEUE_DEVICE, sizeof(device), &device,
                                              nullptr) == CL_SUCCESS;
  if (!is_queue) throw tilewright::Error(TW_INVALID_QUEUE, "the command queue is invalid");
  Table& open = table();
  const std::lock_guard lock(open.mutex);
  const auto known = open.libraries.find({context, device});
  if (known != open.libraries.end()) return known->second;
  const LibraryHandle library = Library::open(cl::Context(context, true), cl::Device(device, true));
  open.libraries.emplace(std::pair{context, device}, library);
  open.process = ::getpid();
  return library;
}

void close_libraries() {
  decltype(Table::libraries) libraries;
  Table& open = table();
  const std::lock_guard lock(open.mutex);
  libraries.swap(open.libraries);
}

}  // namespace clblast

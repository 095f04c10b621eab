// Compiles candidates ahead of the worker that measures, in worker processes of their own.
//
// Their binaries go to the binary cache, where the measuring worker finds them. Each process has a
// thread, which starts it, waits for it and ends with it. If the device is the CPU itself, nothing
// may be compiled while it is measured, so compiling and measuring alternate.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tuner/process/device_worker.hpp"

namespace tilewright {

// Returns the default number of compilers: for a GPU all cores but one, which drives it; for a CPU
// all cores, or 0 if there is only one. At most 16.
int compilers_for(DeviceKind kind, int cores);

// Workers that compile. All functions must be called by one thread.
class Compilers {
 public:
  // Opens `count` compilers; -1: the default number for this machine. There are fewer if some of
  // them cannot open the device, for example for lack of memory, and none without a binary cache.
  // Throws StoppedBeforeWork.
  Compilers(const WorkerSetup& setup, const DeviceInfo& device, int count);
  // Like cancel(), and ends the processes.
  ~Compilers();
  Compilers(const Compilers&) = delete;
  Compilers& operator=(const Compilers&) = delete;

  // Called as DeviceWorker::on_activity, and when a build has ended, whatever its outcome. The threads of the compilers
  // call them, at the same time. They may be set while no kernel is pending.
  std::function<void(const WorkerActivity&)> on_activity;
  std::function<void(const KernelId&)> on_built;

  std::size_t size() const { return size_; }
  // Returns true if nothing may be compiled while a kernel is measured.
  bool takes_turns() const { return takes_turns_; }
  // Has a kernel built as soon as a compiler is idle. Does not wait.
  void build(MeasureRequest request);
  // Returns the number of kernels that were passed to build() and not yet returned by next().
  std::size_t num_pending() const;
  // Returns the outcome of a kernel, first those of kernels that failed. If takes_turns(), a kernel
  // that works is returned only when no build is left. Returns nullopt if there is none after
  // `max_s` seconds, or if a stop is requested and there is none. Throws what a thread has thrown:
  // DeviceLost, std::system_error (no process could be started), or an exception of on_activity or
  // on_built.
  std::optional<Outcome> next(double max_s);
  // Ends all builds at once and forgets all kernels.
  void cancel();

 private:
  explicit Compilers(DeviceKind kind);
  void work(WorkerSetup setup);
  std::size_t num_unbuilt() const { return requests_.size() + num_building_; }

  const bool takes_turns_;
  const int cancel_;  // WorkerSetup::cancel of all threads
  std::size_t size_ = 0;
  mutable std::mutex mutex_;  // guards what follows, except threads_
  std::condition_variable changed_;
  std::size_t num_opening_ = 0;
  std::size_t num_building_ = 0;
  std::deque<MeasureRequest> requests_;  // that no thread has taken
  std::deque<Outcome> built_;
  std::exception_ptr failure_;  // the first exception of a thread
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tilewright

// Counts allocations and OpenCL calls in tests.
//
// A program that contains counted_calls.cpp counts calls of operator new, and calls of OpenCL
// functions that create an object or wait for a device. Only calls of the counting thread are
// counted.
#pragma once

#include <cstddef>

#include "test_device.hpp"

namespace tilewright {

struct CountedCalls {
  std::size_t allocations = 0;  // calls of operator new
  std::size_t made = 0;         // buffers, images, programs from source, kernels
  std::size_t waits = 0;        // the host waits for commands, or copies data to or from a device
  std::size_t built = 0;        // programs, from source or from binaries
  std::size_t queues = 0;       // command queues
  std::size_t in_place = 0;     // buffers in memory of the application (CL_MEM_USE_HOST_PTR)
  bool operator==(const CountedCalls&) const = default;
};

void start_counting();
CountedCalls stop_counting();

// During its lifetime, new buffers use a memory of limited size, as on a device whose memory is
// full; existing buffers do not count. Only one test at a time may use it, with any number of
// threads.
class LimitedMemory {
 public:
  // At creation, or at first use: some drivers allocate memory only when a kernel is launched.
  enum class Refuses { kCreation, kLaunch };
  explicit LimitedMemory(std::size_t bytes, Refuses refuses = Refuses::kCreation);
  ~LimitedMemory();
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;

  std::size_t refused() const;
};

// During its lifetime, devices report a maximum buffer size and reject larger buffers.
class LimitedBuffers {
 public:
  explicit LimitedBuffers(std::size_t bytes);
  ~LimitedBuffers();
  LimitedBuffers(const LimitedBuffers&) = delete;
  LimitedBuffers& operator=(const LimitedBuffers&) = delete;
};

// During its lifetime, devices report this native vector width for floats.
class NativeVectors {
 public:
  explicit NativeVectors(unsigned floats);
  ~NativeVectors();
  NativeVectors(const NativeVectors&) = delete;
  NativeVectors& operator=(const NativeVectors&) = delete;
};

// Counts the requests of this thread in the third run of `body`, which is warm.
template <class Body>
CountedCalls warm_calls(const TestDevice& d, const Body& body) {
  for (int i = 0; i < 2; ++i) {
    body();
    d.queue.finish();
  }
  start_counting();
  body();
  const CountedCalls counted = stop_counting();
  d.queue.finish();
  return counted;
}

template <class Body>
std::size_t warm_allocations(const TestDevice& d, const Body& body) {
  return warm_calls(d, body).allocations;
}

}  // namespace tilewright

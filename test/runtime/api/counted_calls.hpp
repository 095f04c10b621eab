// What does a call ask of the heap and of OpenCL?
//
// A program with counted_calls.cpp counts what its threads ask of operator new, and which functions
// of OpenCL they call that make something or wait for a device. Only on the thread that counts.
#pragma once

#include <cstddef>

#include "test_device.hpp"

namespace tilewright {

struct CountedCalls {
  std::size_t allocations = 0;  // operator new
  std::size_t made = 0;         // buffers, images, programs from source, kernels
  std::size_t waits = 0;        // the host waits for commands, or moves data from or to a device
  std::size_t built = 0;        // programs, from source or binaries
  std::size_t queues = 0;       // that are created
  bool operator==(const CountedCalls&) const = default;
};

void start_counting();
CountedCalls stop_counting();

// While it lives, buffers that are made take from so many bytes, as on a device whose memory is
// full; buffers that were made before do not count. For one test at a time, on any thread.
class LimitedMemory {
 public:
  // At first use: memory is only looked for when a kernel is launched, as some drivers do.
  enum class Refuses { kCreation, kLaunch };
  explicit LimitedMemory(std::size_t bytes, Refuses refuses = Refuses::kCreation);
  ~LimitedMemory();
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;

  std::size_t refused() const;
};

// While it lives, devices say that no buffer may be larger, and make none.
class LimitedBuffers {
 public:
  explicit LimitedBuffers(std::size_t bytes);
  ~LimitedBuffers();
  LimitedBuffers(const LimitedBuffers&) = delete;
  LimitedBuffers& operator=(const LimitedBuffers&) = delete;
};

// While it lives, devices report native vectors of so many floats.
class NativeVectors {
 public:
  explicit NativeVectors(unsigned floats);
  ~NativeVectors();
  NativeVectors(const NativeVectors&) = delete;
  NativeVectors& operator=(const NativeVectors&) = delete;
};

// What this thread asks for in `body`, the third time that it runs: warm.
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

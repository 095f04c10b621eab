// Whether commands of an out-of-order queue really overtake each other.
#pragma once

#include <chrono>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "test_device.hpp"

namespace tilewright {

// Can a command of the queue complete while an earlier one waits for an event? OpenCL allows that
// an out-of-order queue runs its commands in order, as Rusticl's do. This takes 10 s there.
inline bool can_overtake(const TestDevice& d, const cl::CommandQueue& queue) {
  cl::UserEvent gate(d.context);
  const std::vector<cl::Event> closed{gate};
  const cl::Buffer held[] = {{d.context, CL_MEM_READ_WRITE, 4}, {d.context, CL_MEM_READ_WRITE, 4}};
  const cl::Buffer free[] = {{d.context, CL_MEM_READ_WRITE, 4}, {d.context, CL_MEM_READ_WRITE, 4}};
  cl::Event done;
  queue.enqueueCopyBuffer(held[0], held[1], 0, 0, 4, &closed);
  queue.enqueueCopyBuffer(free[0], free[1], 0, 0, 4, nullptr, &done);
  queue.flush();
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(10.0 * patience());
  bool complete = false;
  while (!complete && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    complete = done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE;
  }
  gate.setStatus(CL_COMPLETE);
  queue.finish();
  return complete;
}

}  // namespace tilewright

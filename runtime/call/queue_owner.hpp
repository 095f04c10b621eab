// Finds the context and the device of a command queue.
#pragma once

#include <CL/cl.h>

namespace tilewright {

struct QueueOwner {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
};

// Throws Error TW_INVALID_QUEUE if the queue is null or invalid.
QueueOwner queue_owner(cl_command_queue queue);

}  // namespace tilewright

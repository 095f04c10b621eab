#include "runtime/call/queue_owner.hpp"

#include "runtime/call/error.hpp"
#include "runtime/call/opencl_error.hpp"

namespace tilewright {

QueueOwner queue_owner(cl_command_queue queue) {
  if (queue == nullptr) throw Error(TW_INVALID_QUEUE, "the command queue is null");
  QueueOwner owner;
  cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(owner.context),
                                      &owner.context, nullptr);
  if (code == CL_SUCCESS) {
    code =
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(owner.device), &owner.device, nullptr);
  }
  if (code == CL_SUCCESS) return owner;
  throw Error(TW_INVALID_QUEUE, "the command queue is invalid: " + opencl_code_text(code), code);
}

}  // namespace tilewright

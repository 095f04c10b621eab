#include "runtime/device/temporary_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/own_buffer.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kPage = 4096;
// Kept where memory is plenty: so much, or a small part of it. Making half a gigabyte for the parts
// of a split k costs a large GPU as long as a fifth of the product.
constexpr cl_ulong kUsualBytes = cl_ulong{256} << 20;
constexpr cl_ulong kSmallPart = 64;
constexpr cl_ulong kLargestPart = 4;
// Looking for a temporary looks at each that is kept.
constexpr std::size_t kMostKept = 64;
constexpr std::size_t kPixel = 4 * sizeof(float);

// A large buffer for a small matrix would soon be missed by a large one.
bool serves(const TemporaryExtents& kept, const TemporaryExtents& wanted) {
  if (kept.image_width != wanted.image_width || kept.image_height != wanted.image_height) {
    return false;
  }
  return kept.bytes >= wanted.bytes && kept.bytes / 2 <= temporary_size_class(wanted.bytes);
}

// Forgets an event that is complete or has failed; is there none left?
bool is_free(cl::Event& last, cl::CommandQueue& queue) {
  if (last() == nullptr) return true;
  cl_int code = CL_SUCCESS;
  const cl_int status = last.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&code);
  if (code != CL_SUCCESS || status > CL_COMPLETE) return false;
  last = cl::Event();
  queue = cl::CommandQueue();
  return true;
}

}  // namespace

TemporaryExtents extents_of(const Storage& storage) {
  if (!storage.image) return {storage.bytes(), 0, 0};
  const std::size_t width = storage.image_width();
  const std::size_t height = storage.image_height();
  return {width * height * kPixel, width, height};
}

std::size_t temporary_size_class(std::size_t bytes) {
  if (bytes <= 8 * kPage) return round_up(std::max<std::size_t>(bytes, 1), kPage);
  return round_up(bytes, std::bit_floor(bytes - 1) / 8);
}

AllocateTemporary allocate_in(const cl::Context& context) {
  return [context](const TemporaryExtents& extents) -> cl::Memory {
    if (extents.image_width > 0) {
      cl_int code = CL_SUCCESS;
      const cl::Image2D image(context, CL_MEM_READ_WRITE, cl::ImageFormat(CL_RGBA, CL_FLOAT),
                              extents.image_width, extents.image_height, 0, nullptr, &code);
      check_opencl(code, "clCreateImage (temporary for a packed matrix)");
      return image;
    }
    return own_buffer(context, CL_MEM_READ_WRITE, extents.bytes, "temporary for a packed matrix");
  };
}

TemporaryPool::TemporaryPool(AllocateTemporary allocate, std::size_t most_bytes,
                             std::size_t largest_buffer)
    : allocate_(std::move(allocate)), most_bytes_(most_bytes), largest_buffer_(largest_buffer) {}

TemporaryPool::TemporaryPool(const cl::Context& context, const cl::Device& device)
    : TemporaryPool(allocate_in(context), default_bytes(device),
                    static_cast<std::size_t>(std::min<cl_ulong>(
                        SIZE_MAX, device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()))) {}

std::size_t TemporaryPool::default_bytes(const cl::Device& device) {
  return default_bytes(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>());
}

std::size_t TemporaryPool::default_bytes(cl_ulong memory_bytes) {
  const cl_ulong wanted = std::max(kUsualBytes, memory_bytes / kSmallPart);
  return static_cast<std::size_t>(
      std::min<cl_ulong>(SIZE_MAX, std::min(wanted, memory_bytes / kLargestPart)));
}

TemporaryPool::Stats TemporaryPool::stats() const {
  const std::lock_guard lock(mutex_);
  Stats stats = stats_;
  stats.kept = kept_.size();
  return stats;
}

bool TemporaryPool::release_free() {
  Temporaries released;  // freed when the lock is gone
  const std::lock_guard lock(mutex_);
  for (auto at = kept_.begin(); at != kept_.end();) {
    const auto here = at++;
    if (!is_free(here->last, here->queue)) continue;
    stats_.kept_bytes -= here->extents.bytes;
    released.splice(released.end(), kept_, here);
  }
  return !released.empty();
}

TemporaryPool::Temporaries TemporaryPool::take(const TemporaryExtents& extents,
                                               cl_command_queue in_order) {
  Temporaries found = find(extents, in_order);
  const bool made = found.empty();
  if (made) found = make(extents);
  const std::lock_guard lock(mutex_);
  ++stats_.given;
  if (made) ++stats_.allocated;
  return found;
}

// The smallest that serves and, of these, the latest used; empty if none serves.
TemporaryPool::Temporaries TemporaryPool::find(const TemporaryExtents& extents,
                                               cl_command_queue in_order) {
  const std::lock_guard lock(mutex_);
  auto best = kept_.end();
  for (auto at = kept_.begin(); at != kept_.end(); ++at) {
    const bool follows = in_order != nullptr && at->queue() == in_order;
    const bool may = serves(at->extents, extents);
    // Also those that do not serve are asked, so that no event and queue is held for long.
    if (!(may && follows) && !is_free(at->last, at->queue)) continue;
    if (may && (best == kept_.end() || at->extents.bytes < best->extents.bytes)) best = at;
  }
  Temporaries found;
  if (best == kept_.end()) return found;
  stats_.kept_bytes -= best->extents.bytes;
  found.splice(found.begin(), kept_, best);
  return found;
}

TemporaryPool::Temporaries TemporaryPool::make(const TemporaryExtents& extents) {
  Temporaries made(1);
  Temporary& temporary = made.front();
  temporary.extents = extents;
  if (extents.image_width == 0) {
    const std::size_t bytes = temporary_size_class(extents.bytes);
    if (bytes <= largest_buffer_) temporary.extents.bytes = bytes;
  }
  try {
    temporary.memory = allocate_(temporary.extents);
  } catch (const Error& error) {
    if (!lacks_memory(error.opencl_code()) || !release_free()) throw;
    temporary.memory = allocate_(temporary.extents);
  }
  return made;
}

void TemporaryPool::give_back(Temporaries& temporaries) noexcept {
  Temporaries released;  // freed when the lock is gone
  const std::lock_guard lock(mutex_);
  while (!temporaries.empty()) {
    const std::size_t bytes = temporaries.front().extents.bytes;
    if (bytes > most_bytes_) {
      released.splice(released.end(), temporaries, temporaries.begin());
      continue;
    }
    stats_.kept_bytes += bytes;
    kept_.splice(kept_.begin(), temporaries, temporaries.begin());
  }
  while (stats_.kept_bytes > most_bytes_ || kept_.size() > kMostKept) {
    stats_.kept_bytes -= kept_.back().extents.bytes;
    released.splice(released.end(), kept_, std::prev(kept_.end()));
  }
}

TemporaryLease::~TemporaryLease() {
  if (taken_.empty()) return;
  // With nothing enqueued, they are in use as they were before.
  if (last_() != nullptr) {
    for (TemporaryPool::Temporary& temporary : taken_) {
      temporary.last = last_;
      temporary.queue = in_order_ ? queue_ : cl::CommandQueue();
    }
  }
  pool_.give_back(taken_);
}

cl_command_queue TemporaryLease::queue_in_order() {
  if (!in_order_known_) {
    cl_int code = CL_SUCCESS;
    const auto properties = queue_.getInfo<CL_QUEUE_PROPERTIES>(&code);
    in_order_ = code == CL_SUCCESS && (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    in_order_known_ = true;
  }
  return in_order_ ? queue_() : nullptr;
}

cl_mem TemporaryLease::take(const Storage& storage) {
  taken_.splice(taken_.end(), pool_.take(extents_of(storage), queue_in_order()));
  return taken_.back().memory();
}

}  // namespace tilewright

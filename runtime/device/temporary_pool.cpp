#include "runtime/device/temporary_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <new>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kPage = 4096;
// Bytes that are kept if there is plenty of memory: kUsualBytes, or memory / kSmallPart if that is
// more; never more than memory / kLargestPart. On a large GPU, allocating half a gigabyte for the
// parts of a split k takes one fifth of the time of the product.
constexpr cl_ulong kUsualBytes = cl_ulong{256} << 20;
constexpr cl_ulong kSmallPart = 64;
constexpr cl_ulong kLargestPart = 4;
// Maximum number of temporaries that are kept. Each search visits all of them.
constexpr std::size_t kMaxKeptTemporaries = 64;
constexpr std::size_t kPixel = 4 * sizeof(float);

// True if a kept temporary may be used for the wanted extents. It must not be much too large,
// because a larger request may soon need it.
bool is_large_enough(const TemporaryExtents& kept, const TemporaryExtents& wanted) {
  if (kept.image_width != wanted.image_width || kept.image_height != wanted.image_height) {
    return false;
  }
  return kept.bytes >= wanted.bytes && kept.bytes / 2 <= temporary_size_class(wanted.bytes);
}

// Forgets an event that is complete or has failed. Returns true if no event is left.
bool is_free(cl::Event& last, cl::CommandQueue& queue) {
  if (last() == nullptr) return true;
  cl_int code = CL_SUCCESS;
  const cl_int status = last.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&code);
  if (code != CL_SUCCESS || status > CL_COMPLETE) return false;
  last = cl::Event();
  queue = cl::CommandQueue();
  return true;
}

bool contains(std::span<const cl::Event> events, const cl::Event& event) {
  return event() != nullptr &&
         std::any_of(events.begin(), events.end(),
                     [&](const cl::Event& other) { return other() == event(); });
}

}  // namespace

TemporaryExtents temporary_extents(const Storage& storage) {
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
    return allocate_buffer(context, CL_MEM_READ_WRITE, extents.bytes,
                           "temporary for a packed matrix");
  };
}

TemporaryPool::TemporaryPool(AllocateTemporary allocate, std::size_t max_bytes,
                             std::size_t largest_buffer)
    : allocate_(std::move(allocate)),
      largest_buffer_(largest_buffer),
      kept_(std::make_shared<Kept>()) {
  kept_->max_bytes = max_bytes;
}

TemporaryPool::TemporaryPool(const cl::Context& context, const cl::Device& device,
                             std::size_t max_bytes)
    : TemporaryPool(allocate_in(context),
                    max_bytes == TW_DEFAULT_KEPT_BYTES ? default_bytes(device) : max_bytes,
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
  const std::lock_guard lock(kept_->mutex);
  Stats stats = kept_->stats;
  stats.kept = kept_->temporaries.size();
  return stats;
}

void TemporaryPool::Kept::move(Temporaries::iterator from, Temporaries& to) {
  stats.kept_bytes -= from->extents.bytes;
  to.splice(to.end(), temporaries, from);
}

// Oldest first. A temporary that is too large by itself does not displace others.
TemporaryPool::Temporaries TemporaryPool::Kept::surplus(cl_event completed) {
  std::size_t bytes = 0;
  for (const Temporary& temporary : temporaries) {
    if (!is_oversized(temporary)) bytes += temporary.extents.bytes;
  }
  Temporaries released;
  for (auto at = temporaries.end(); at != temporaries.begin();) {
    const auto here = std::prev(at);
    const bool over = is_oversized(*here) || bytes > max_bytes;
    if (over && completed != nullptr && here->last() == completed) here->last = cl::Event();
    const bool leaves =
        temporaries.size() > kMaxKeptTemporaries || (over && is_free(here->last, here->queue));
    if (!leaves) {
      at = here;
      continue;
    }
    if (!is_oversized(*here)) bytes -= here->extents.bytes;
    move(here, released);
  }
  return released;
}

void TemporaryPool::Kept::release_surplus(cl_event completed) {
  Temporaries released;  // freed after the lock is released
  const std::lock_guard lock(mutex);
  released = surplus(completed);
}

bool TemporaryPool::release_free() {
  Temporaries released;  // freed after the lock is released
  const std::lock_guard lock(kept_->mutex);
  for (auto at = kept_->temporaries.begin(); at != kept_->temporaries.end();) {
    const auto here = at++;
    if (is_free(here->last, here->queue)) kept_->move(here, released);
  }
  return !released.empty();
}

void TemporaryPool::join(std::span<const cl::Event> events, const cl::Event& all) {
  const std::lock_guard lock(kept_->mutex);
  for (Temporary& temporary : kept_->temporaries) {
    if (!temporary.in_order && contains(events, temporary.last)) temporary.last = all;
  }
}

TemporaryPool::Temporaries TemporaryPool::take(const TemporaryExtents& extents,
                                               const Taker& taker) {
  Temporaries taken = find(extents, taker);
  const bool is_new = taken.empty();
  if (is_new) taken = make(extents);
  const std::lock_guard lock(kept_->mutex);
  ++kept_->stats.given;
  if (is_new) ++kept_->stats.allocated;
  return taken;
}

// Finds the smallest suitable temporary; among equal ones the one that was used last.
TemporaryPool::Temporaries TemporaryPool::find(const TemporaryExtents& extents,
                                               const Taker& taker) {
  const std::lock_guard lock(kept_->mutex);
  Temporaries& kept = kept_->temporaries;
  auto best = kept.end();
  for (auto at = kept.begin(); at != kept.end(); ++at) {
    const bool follows = (taker.in_order && at->in_order && at->queue() == taker.queue) ||
                         contains(taker.wait_list, at->last);
    // is_free() releases the event and the queue of a finished temporary, so it is called for
    // unsuitable temporaries, too.
    if (!is_free(at->last, at->queue) && !follows) continue;
    if (!is_large_enough(at->extents, extents)) continue;
    if (best == kept.end() || at->extents.bytes < best->extents.bytes) best = at;
  }
  Temporaries taken;
  if (best != kept.end()) kept_->move(best, taken);
  return taken;
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
  cl::Event event;  // event of an oversized temporary
  {
    Temporaries released;  // freed after the lock is released
    const std::lock_guard lock(kept_->mutex);
    for (const Temporary& temporary : temporaries) {
      kept_->stats.kept_bytes += temporary.extents.bytes;
      if (kept_->is_oversized(temporary)) event = temporary.last;
    }
    kept_->temporaries.splice(kept_->temporaries.begin(), temporaries);
    released = kept_->surplus(nullptr);
  }
  if (event() != nullptr) release_after(event);
}

// The pool may not be called again for a long time, so a callback frees the memory when it is no
// longer used.
void TemporaryPool::release_after(const cl::Event& event) noexcept {
  auto* const kept = new (std::nothrow) std::weak_ptr<Kept>(kept_);
  const auto completed = [](cl_event of, cl_int, void* user) {
    const std::unique_ptr<std::weak_ptr<Kept>> known(static_cast<std::weak_ptr<Kept>*>(user));
    if (const std::shared_ptr<Kept> alive = known->lock()) alive->release_surplus(of);
  };
  if (kept != nullptr && clSetEventCallback(event(), CL_COMPLETE, completed, kept) == CL_SUCCESS) {
    return;
  }
  delete kept;
  kept_->release_surplus(event());
}

bool is_in_order(const cl::CommandQueue& queue) {
  cl_int code = CL_SUCCESS;
  const auto properties = queue.getInfo<CL_QUEUE_PROPERTIES>(&code);
  return code == CL_SUCCESS && (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

TemporaryLease::~TemporaryLease() {
  if (taken_.empty()) return;
  // If nothing was enqueued, the temporaries are still in use as before.
  if (last_() != nullptr) {
    for (TemporaryPool::Temporary& temporary : taken_) {
      temporary.last = last_;
      temporary.queue = queue_;
      temporary.in_order = in_order_;
    }
  }
  pool_.give_back(taken_);
}

bool TemporaryLease::is_queue_in_order() {
  if (!in_order_known_) {
    in_order_ = is_in_order(queue_);
    in_order_known_ = true;
  }
  return in_order_;
}

cl_mem TemporaryLease::take(const Storage& storage) {
  TemporaryPool::Temporaries taken =
      pool_.take(temporary_extents(storage), {queue_(), is_queue_in_order(), wait_list_});
  taken_.splice(taken_.end(), taken);
  return taken_.back().memory();
}

}  // namespace tilewright

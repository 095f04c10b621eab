// Where do the temporaries of packed products come from, and when may one be used again?
//
// Making and freeing device memory can cost more than packing into it, so a pool keeps what calls
// give back. A temporary is given out again
//  - when the last command that uses it is complete;
//  - to the same in-order queue, where the next command runs after that command anyway;
//  - to a call whose wait list has that command's event;
//  - where much memory is in flight on an out-of-order queue, or no more can be had, to a call on
//  the
//    same queue, which then waits for that command. The application does not know of such a wait.
//    So no call waits for a command that is seen to depend on an incomplete user event, since the
//    waiting call might be the one that the application awaits before it sets the event. Seen is a
//    user event in a wait list, and calls that had such a wait list, as long as the pool holds
//    their temporaries. A command of the application between the event and the call hides it.
#pragma once

#include <CL/opencl.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/call/storage.hpp"

namespace tilewright {

// A buffer of so many bytes, or an image of so many pixels of four floats.
struct TemporaryExtents {
  std::size_t bytes = 0;
  std::size_t image_width = 0;  // 0: a buffer
  std::size_t image_height = 0;
};

TemporaryExtents extents_of(const Storage& storage);

// The bytes that a buffer for so many is made with: the next eighth of a power of two, so that
// products of similar size share their temporaries and at most an eighth is wasted. Small ones are
// whole pages.
std::size_t temporary_size_class(std::size_t bytes);

// Makes device memory; throws Error. Tests pass their own.
using AllocateTemporary = std::function<cl::Memory(const TemporaryExtents&)>;
AllocateTemporary allocate_in(const cl::Context& context);

// Thread-safe. May be destroyed while commands run: OpenCL keeps the memory until they are done.
class TemporaryPool {
 public:
  struct Stats {
    std::uint64_t given = 0;      // temporaries that were asked for and given
    std::uint64_t allocated = 0;  // of these, made anew
    std::size_t kept = 0;         // temporaries in the pool now
    std::size_t kept_bytes = 0;
  };

  // At most `most_bytes` are kept, the latest used ones. A temporary that is larger is kept only
  // while commands use it.
  TemporaryPool(AllocateTemporary allocate, std::size_t most_bytes, std::size_t largest_buffer);
  // Of a device, with default_bytes().
  TemporaryPool(const cl::Context& context, const cl::Device& device);
  TemporaryPool(const TemporaryPool&) = delete;
  TemporaryPool& operator=(const TemporaryPool&) = delete;

  // 256 MiB or, if that is more, a 64th of the device's memory; at most a quarter of it.
  static std::size_t default_bytes(const cl::Device& device);
  static std::size_t default_bytes(cl_ulong memory_bytes);

  // Frees what is kept and in use by no command; was there any?
  bool release_free();
  Stats stats() const;
  // Commands that had these events were followed by one that completes after all of them: calls on
  // out-of-order queues know only its event.
  void join(std::span<const cl::Event> events, const cl::Event& all);
  std::size_t largest_buffer() const { return largest_buffer_; }
  // What one call may take without displacing all else: within a buffer and what is kept.
  std::size_t bytes_of_a_call() const { return std::min(kept_->most_bytes, largest_buffer_); }

 private:
  friend class TemporaryLease;
  struct Temporary {
    TemporaryExtents extents;
    cl::Memory memory;
    cl::Event last;          // of the commands that use it; null: none does
    cl::CommandQueue queue;  // of that event; keeps the handle from being reused
    bool in_order = false;   // that queue
    bool may_wait = false;   // another call of that queue may wait for that event
  };
  // Nodes move between pool and leases, so that giving back allocates nothing and cannot fail.
  using Temporaries = std::list<Temporary>;

  // The commands that a temporary is taken for.
  struct Taker {
    cl_command_queue queue;
    bool in_order;  // that queue
    std::span<const cl::Event> wait_list;
  };
  // Shared with callbacks of events, which may outlive the pool.
  struct Kept {
    mutable std::mutex mutex;  // guards all below; no device memory is made or freed under it
    Temporaries temporaries;   // latest used first
    Stats stats;
    std::size_t most_bytes = 0;

    bool is_oversized(const Temporary& temporary) const {
      return temporary.extents.bytes > most_bytes;
    }
    // Moves one out of the pool.
    void move(Temporaries::iterator from, Temporaries& to);
    // What is beyond the bounds and in use by no command, `completed` being complete.
    Temporaries surplus(cl_event completed);
    void release_surplus(cl_event completed);
  };

  struct Taken {
    Temporaries temporary;  // one, or none
    cl::Event after;        // its user must wait for this event, if it is not null
    bool is_held = false;   // the wait list has the event of a call that may not be waited for
  };

  Taken take(const TemporaryExtents& extents, const Taker& taker);
  void give_back(Temporaries& temporaries) noexcept;
  Taken find(const TemporaryExtents& extents, const Taker& taker);
  // The one that has been in use for longest and may be waited for.
  void find_in_use(const TemporaryExtents& extents, const Taker& taker, Taken& taken);
  bool is_much_in_flight(const TemporaryExtents& extents) const;
  Temporaries make(const TemporaryExtents& extents);
  void release_after(const cl::Event& event) noexcept;

  AllocateTemporary allocate_;
  std::size_t largest_buffer_;  // bytes; size classes end there
  std::shared_ptr<Kept> kept_;
};

bool is_in_order(const cl::CommandQueue& queue);

// The temporaries of one chain of commands. They go back to the pool when the lease ends, be the
// chain enqueued or broken off.
class TemporaryLease {
 public:
  // All must outlive the lease; the chain's commands go to the queue, each after the one before,
  // and the first after wait_list.
  TemporaryLease(TemporaryPool& pool, const cl::CommandQueue& queue,
                 std::span<const cl::Event> wait_list = {})
      : pool_(pool), queue_(queue), wait_list_(wait_list) {}
  ~TemporaryLease();
  TemporaryLease(const TemporaryLease&) = delete;
  TemporaryLease& operator=(const TemporaryLease&) = delete;

  // Memory for the storage, maybe more, with any content. Where the device has none left, what the
  // pool keeps free is freed first. Throws Error.
  cl_mem take(const Storage& storage);
  // What the chain's next command must wait for: `waits`, and earlier users of the memory that was
  // taken since the last command. The result holds as long as `waits`, until the next call.
  std::span<const cl::Event> waits_with_users(std::span<const cl::Event> waits);
  // A command of the chain was enqueued.
  void enqueued(const cl::Event& event) {
    last_ = event;
    users_.clear();
  }

 private:
  bool is_queue_in_order();

  TemporaryPool& pool_;
  const cl::CommandQueue& queue_;
  std::span<const cl::Event> wait_list_;
  std::vector<cl::Event> users_;  // to wait for
  std::vector<cl::Event> waits_;  // what waits_with_users() gave
  TemporaryPool::Temporaries taken_;
  cl::Event last_;
  bool is_held_ = false;
  bool in_order_known_ = false;
  bool in_order_ = false;
};

}  // namespace tilewright

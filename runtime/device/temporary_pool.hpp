// A pool of temporaries for packed products, and the rules when a temporary may be reused.
//
// Allocating and freeing device memory can take longer than packing into it, so the pool keeps the
// temporaries that calls return. A temporary is given out again in these cases:
// - The last command that uses it is complete.
// - The call uses the same in-order queue, so that its commands run after that command anyway.
// - The call's wait list contains the event of that command.
// - Much memory is in flight on an out-of-order queue, or no more can be allocated, and the call
//   uses the same queue. The call then waits for that command, which the application does not know.
//   Therefore no call waits for a command that visibly depends on an incomplete user event: the
//   application might set this event only after the waiting call has completed. The pool recognises
//   user events in wait lists, and calls that had such a wait list while the pool holds their
//   temporaries. It does not recognise a dependency through a command of the application.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <tilewright/tilewright.h>
#include "runtime/call/storage.hpp"

namespace tilewright {

// A buffer of `bytes` bytes, or an image of the given extents in pixels of four floats.
struct TemporaryExtents {
  std::size_t bytes = 0;
  std::size_t image_width = 0;  // 0: a buffer
  std::size_t image_height = 0;
};

// The extents of a temporary for the storage.
TemporaryExtents temporary_extents(const Storage& storage);

// The size with which a buffer is allocated: rounded up to the next eighth of a power of two, so
// that products of similar size share temporaries and at most one eighth is wasted. Small sizes are
// rounded up to whole pages.
std::size_t temporary_size_class(std::size_t bytes);

// Allocates device memory; throws Error. Tests provide their own.
using AllocateTemporary = std::function<cl::Memory(const TemporaryExtents&)>;
AllocateTemporary allocate_in(const cl::Context& context);

// Thread-safe. May be destroyed while commands run, because OpenCL keeps their memory until they
// are complete.
class TemporaryPool {
 public:
  // Statistics of the pool.
  struct Stats {
    std::uint64_t given = 0;      // temporaries that were given out
    std::uint64_t allocated = 0;  // those of them that were newly allocated
    std::size_t kept = 0;         // temporaries in the pool now
    std::size_t kept_bytes = 0;
  };

  // Keeps at most `max_bytes`, those that were used last. A larger temporary is kept only while
  // commands use it.
  TemporaryPool(AllocateTemporary allocate, std::size_t max_bytes, std::size_t largest_buffer);
  // For a device. TW_DEFAULT_KEPT_BYTES: default_bytes().
  TemporaryPool(const cl::Context& context, const cl::Device& device,
                std::size_t max_bytes = TW_DEFAULT_KEPT_BYTES);
  TemporaryPool(const TemporaryPool&) = delete;
  TemporaryPool& operator=(const TemporaryPool&) = delete;

  // 256 MiB, or 1/64 of the device's memory if that is more; at most a quarter of it.
  static std::size_t default_bytes(const cl::Device& device);
  static std::size_t default_bytes(cl_ulong memory_bytes);

  // Frees all temporaries that no command uses. Returns true if there were any.
  bool release_free();
  Stats stats() const;
  // Reports that commands with the given events were followed by a command that completes after all
  // of them. Calls on out-of-order queues know only the event `all`.
  void join(std::span<const cl::Event> events, const cl::Event& all);
  std::size_t largest_buffer() const { return largest_buffer_; }
  // Maximum size for one call that does not displace all others: the size of a buffer and of the
  // pool.
  std::size_t bytes_per_call() const { return std::min(kept_->max_bytes, largest_buffer_); }

 private:
  friend class TemporaryLease;
  struct Temporary {
    TemporaryExtents extents;
    cl::Memory memory;
    cl::Event last;          // last command that uses it; null: none
    cl::CommandQueue queue;  // queue of that command; prevents reuse of the handle
    bool in_order = false;   // the queue executes in order
    bool may_wait = false;   // another call on that queue may wait for that event
  };
  // A list, because moving nodes between the pool and leases allocates nothing and cannot fail.
  using Temporaries = std::list<Temporary>;

  // The call that takes a temporary.
  struct Taker {
    cl_command_queue queue;
    bool in_order;  // the queue executes in order
    std::span<const cl::Event> wait_list;
  };
  // Shared with event callbacks, which may outlive the pool.
  struct Kept {
    // Guards everything below; no device memory is allocated or freed while it is held.
    mutable std::mutex mutex;
    Temporaries temporaries;  // last used first
    Stats stats;
    std::size_t max_bytes = 0;

    bool is_oversized(const Temporary& temporary) const {
      return temporary.extents.bytes > max_bytes;
    }
    // Moves one temporary out of the pool.
    void move(Temporaries::iterator from, Temporaries& to);
    // Removes and returns the temporaries that exceed the limits and that no command uses;
    // `completed` counts as complete.
    Temporaries surplus(cl_event completed);
    void release_surplus(cl_event completed);
  };

  // Result of taking a temporary.
  struct Taken {
    Temporaries temporary;  // one temporary, or none
    cl::Event after;        // the next command must wait for this event unless it is null
    bool is_held = false;  // the wait list contains the event of a call that must not be waited for
  };

  // Returns a kept temporary or a new one. Throws Error.
  Taken take(const TemporaryExtents& extents, const Taker& taker);
  // Returns temporaries to the pool.
  void give_back(Temporaries& temporaries) noexcept;
  // Finds a suitable kept temporary that the taker may use now; none if there is none.
  Taken find(const TemporaryExtents& extents, const Taker& taker);
  // Finds the temporary that has been in use for the longest time and may be waited for.
  void find_in_use(const TemporaryExtents& extents, const Taker& taker, Taken& taken);
  bool is_much_in_flight(const TemporaryExtents& extents) const;
  Temporaries make(const TemporaryExtents& extents);
  void release_after(const cl::Event& event) noexcept;

  AllocateTemporary allocate_;
  std::size_t largest_buffer_;  // in bytes; limits the size classes
  std::shared_ptr<Kept> kept_;
};

// True if the queue executes commands in order; false also if the query fails.
bool is_in_order(const cl::CommandQueue& queue);

// The temporaries of one chain of commands. They return to the pool when the lease is destroyed,
// whether the chain was completely enqueued or not.
class TemporaryLease {
 public:
  // The arguments must outlive the lease. The chain's commands are enqueued to the queue, each
  // waits for the previous one, and the first one for wait_list.
  TemporaryLease(TemporaryPool& pool, const cl::CommandQueue& queue,
                 std::span<const cl::Event> wait_list = {})
      : pool_(pool), queue_(queue), wait_list_(wait_list) {}
  ~TemporaryLease();
  TemporaryLease(const TemporaryLease&) = delete;
  TemporaryLease& operator=(const TemporaryLease&) = delete;

  // Returns memory for the storage, possibly larger, with undefined content. If the device has no
  // memory left, unused temporaries of the pool are freed first. Throws Error.
  cl_mem take(const Storage& storage);
  // The events that the chain's next command must wait for: `waits`, and earlier users of memory
  // that was taken since the last command. The result is valid as long as `waits`, until the next
  // call of this function.
  std::span<const cl::Event> waits_with_users(std::span<const cl::Event> waits);
  // Must be called after each command of the chain was enqueued.
  void enqueued(const cl::Event& event) {
    last_ = event;
    users_.clear();
  }

 private:
  bool is_queue_in_order();

  TemporaryPool& pool_;
  const cl::CommandQueue& queue_;
  std::span<const cl::Event> wait_list_;
  std::vector<cl::Event> users_;  // events of earlier users, to wait for
  std::vector<cl::Event> waits_;  // last result of waits_with_users()
  TemporaryPool::Temporaries taken_;
  cl::Event last_;
  bool is_held_ = false;
  bool in_order_known_ = false;
  bool in_order_ = false;
};

}  // namespace tilewright

// A pool of device memory for temporaries of calls.
//
// Allocating and freeing device memory can take longer than packing into it, so the pool keeps the
// memory that calls return, up to a number of bytes. It guarantees that no memory is used by two
// calls at the same time: memory is given out again only if its last command is complete, or if the
// new call's commands run after that command anyway, because both use the same in-order queue or
// because the call waits for that command's event. Every other call, on another queue or on one
// that executes out of order, gets memory of its own, so the pool never makes a call wait. If the
// device has no more memory, unused temporaries are freed first; then the call fails.
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

  // Returns one temporary, kept or new. Throws Error.
  Temporaries take(const TemporaryExtents& extents, const Taker& taker);
  // Returns temporaries to the pool.
  void give_back(Temporaries& temporaries) noexcept;
  // Returns a suitable kept temporary that the taker may use; none if there is none.
  Temporaries find(const TemporaryExtents& extents, const Taker& taker);
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
  // Must be called after each command of the chain was enqueued.
  void enqueued(const cl::Event& event) { last_ = event; }

 private:
  bool is_queue_in_order();

  TemporaryPool& pool_;
  const cl::CommandQueue& queue_;
  std::span<const cl::Event> wait_list_;
  TemporaryPool::Temporaries taken_;
  cl::Event last_;
  bool in_order_known_ = false;
  bool in_order_ = false;
};

}  // namespace tilewright

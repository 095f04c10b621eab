// Where do the temporaries of packed products come from, and when may one be used again?
//
// Making and freeing device memory can cost more than packing into it, so a pool keeps what calls
// give back. A temporary is given out again when the last command that uses it is complete, or to
// the same in-order queue, where what comes next runs after that command anyway. It is never given
// out against a wait for another call's event: the application does not know of such a wait, so a
// call that is gated could then hold up the very call that opens the gate, and a call that fails
// would take others with it.
#pragma once

#include <CL/opencl.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

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

  // At most `most_bytes` are kept, the latest used ones; 0: every temporary is made anew.
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
  // What one call may take without displacing all else: within a buffer and what is kept.
  std::size_t bytes_of_a_call() const { return std::min(most_bytes_, largest_buffer_); }

 private:
  friend class TemporaryLease;
  struct Temporary {
    TemporaryExtents extents;
    cl::Memory memory;
    cl::Event last;          // of the commands that use it; null: none does
    cl::CommandQueue queue;  // of that event, if it is in order; keeps the handle from being reused
  };
  // Nodes move between pool and leases, so that giving back allocates nothing and cannot fail.
  using Temporaries = std::list<Temporary>;

  // `in_order`: the queue of the commands to come, or null if it has no order.
  Temporaries take(const TemporaryExtents& extents, cl_command_queue in_order);
  void give_back(Temporaries& temporaries) noexcept;
  Temporaries find(const TemporaryExtents& extents, cl_command_queue in_order);
  Temporaries make(const TemporaryExtents& extents);

  AllocateTemporary allocate_;
  std::size_t most_bytes_;
  std::size_t largest_buffer_;  // bytes; size classes end there
  mutable std::mutex mutex_;    // guards all below; no device memory is made or freed under it
  Temporaries kept_;            // latest used first
  Stats stats_;
};

// The temporaries of one chain of commands. They go back to the pool when the lease ends, be the
// chain enqueued or broken off.
class TemporaryLease {
 public:
  // Both must outlive the lease; the chain's commands go to the queue, each after the one before.
  TemporaryLease(TemporaryPool& pool, const cl::CommandQueue& queue) : pool_(pool), queue_(queue) {}
  ~TemporaryLease();
  TemporaryLease(const TemporaryLease&) = delete;
  TemporaryLease& operator=(const TemporaryLease&) = delete;

  // Memory for the storage, maybe more, with any content. Where the device has none left, what the
  // pool keeps free is freed first. Throws Error.
  cl_mem take(const Storage& storage);
  // A command of the chain was enqueued.
  void enqueued(const cl::Event& event) { last_ = event; }

 private:
  cl_command_queue queue_in_order();

  TemporaryPool& pool_;
  const cl::CommandQueue& queue_;
  TemporaryPool::Temporaries taken_;
  cl::Event last_;
  bool in_order_known_ = false;
  bool in_order_ = false;
};

}  // namespace tilewright

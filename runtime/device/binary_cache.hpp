// How is a kernel that was compiled once not compiled again by the next process?
//
// A BinaryCache is a folder of program binaries, one file each, named by a digest of what decides
// them: the device with its driver, the source and the build options. Many processes and threads
// share a folder: files appear whole, by rename, and one that is damaged or of another key is a
// miss and removed. A cache is never a reason to fail: where the folder cannot be written, nothing
// is kept.
//
// Digests guard against damage, not against malice, and the driver runs what lies in the folder: so
// the folder and each file must belong to this user, and nobody else may write them. Links, pipes
// and devices are no entries.
#pragma once

#include <CL/opencl.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// What decides a binary.
struct BinaryKey {
  std::string device;  // binary_key_of_device()
  std::string source;
  std::string build_options;
};

// What of a device decides its binaries, in one line: platform, vendor, name, versions of driver
// and device, and the width of pointers (one driver may serve programs of 32 and 64 bits). Throws
// Error if the driver does not answer.
std::string binary_key_of_device(const cl::Device& device);

class BinaryCache {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

  // Files of the folder may take up to about `most_bytes`; beyond that those not used for the
  // longest time are removed.
  explicit BinaryCache(std::string folder, std::uint64_t most_bytes = kMostBytes);

  const std::string& folder() const { return folder_; }

  // Why the folder is not used, such as "/tmp may be written by others"; "": it is.
  std::string obstacle() const;

  // The binary, or nullopt: nothing there that can be used.
  std::optional<std::string> find(const BinaryKey& key);
  // Keeps the binary if it can, in place of one that is already there.
  void store(const BinaryKey& key, std::string_view binary);
  // Forgets a binary that the driver did not take: what find() counted as a hit was a miss.
  void drop(const BinaryKey& key);

  // What this object has done: each miss is a program that is compiled from source.
  struct Stats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t stored = 0;
    bool operator==(const Stats&) const = default;
  };
  Stats stats() const { return {hits_, misses_, stored_}; }

 private:
  std::string path_of(const BinaryKey& key) const;
  std::optional<std::string> read_entry(const BinaryKey& key) const;
  void bound(std::uint64_t new_bytes);
  std::uint64_t remove_oldest() const;

  std::string folder_;
  std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
  std::atomic<std::uint64_t> stored_{0};
  std::mutex bound_mutex_;
  std::uint64_t known_bytes_ = 0;   // in the folder when it was last looked at, and stored since
  unsigned stores_until_look_ = 0;  // other processes store, too
};

// The folder of this process' environment: $TILEWRIGHT_CACHE (`off`: none), else
// $XDG_CACHE_HOME/tilewright, else $HOME/.cache/tilewright; "" for none.
std::string default_cache_folder();

// A cache in that folder; null for none.
std::shared_ptr<BinaryCache> default_binary_cache();

}  // namespace tilewright

// A cache of compiled kernels on disk, so that other processes need not compile them again.
//
// A BinaryCache is a folder of program binaries. Each is a file whose name is a digest of
// everything that determines the binary: device, driver, source and build options. Many processes
// and threads can share a folder: files appear atomically, by rename; a file that is damaged or has
// another key counts as a miss and is removed. The cache never causes a failure: if the folder is
// not writable, nothing is stored. A file is marked while a driver loads it. If the process died
// meanwhile, the driver may have crashed because of the file, so find() removes it.
//
// Digests protect against damage, not against malice, and the driver executes what is in the
// folder. Therefore the folder and each file must belong to this user and must not be writable by
// others (profiles/base/file_trust.hpp). Links, pipes and devices are ignored.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/base/descriptor.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Everything that determines a binary.
struct BinaryKey {
  std::string device;  // see device_binary_key()
  std::string source;
  std::string build_options;
};

// One line with the properties of a device that determine its binaries: platform, vendor, name,
// versions of driver and device, and the width of pointers (a driver may support both 32- and
// 64-bit programs). Throws Error if the driver query fails.
std::string device_binary_key(const cl::Device& device);

// Thread-safe.
class BinaryCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  // The files of the folder may use up to about `max_bytes`; beyond this, those that were not used
  // for the longest time are removed.
  explicit BinaryCache(std::string folder, std::uint64_t max_bytes = kMaxBytes);

  const std::string& folder() const { return folder_; }

  // Why the folder is not used, e.g. "/tmp can be written by other users"; "" if it is used.
  std::string obstacle() const;

  // Returns the binary, or nullopt if there is no valid one.
  std::optional<std::string> find(const BinaryKey& key);
  // Marks the binary while the result exists. Call it before the driver loads the binary.
  class LoadMark;
  LoadMark mark_load(const BinaryKey& key) const;
  // Stores the binary if possible and replaces an existing one.
  void store(const BinaryKey& key, std::string_view binary);
  // Removes a binary that the driver rejected, and counts the hit that find() reported as a miss.
  void drop(const BinaryKey& key);

  // Statistics of this object. Each miss is a program that was compiled from source.
  struct Stats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t stored = 0;
    bool operator==(const Stats&) const = default;
  };
  Stats stats() const { return {hits_, misses_, stored_}; }

 private:
  std::string entry_path(const BinaryKey& key) const;
  std::optional<std::string> read_entry(const BinaryKey& key) const;
  void bound(std::uint64_t new_bytes);
  std::uint64_t remove_oldest() const;

  std::string folder_;
  std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
  std::atomic<std::uint64_t> stored_{0};
  std::mutex bound_mutex_;
  std::uint64_t known_bytes_ = 0;   // size of the folder at the last scan, plus stores since then
  unsigned stores_until_look_ = 0;  // other processes store files, too
};

// The mark is the time 0 and a lock, which ends with the process.
class BinaryCache::LoadMark {
 public:
  explicit LoadMark(const std::string& path);
  ~LoadMark();
  LoadMark(const LoadMark&) = delete;
  LoadMark& operator=(const LoadMark&) = delete;

 private:
  Descriptor file_;
};

// The folder that the environment defines: $TILEWRIGHT_CACHE (`off`: none), otherwise
// $XDG_CACHE_HOME/tilewright, otherwise $HOME/.cache/tilewright; "" for none.
std::string default_cache_folder();

// Creates the folder so that only this user has access to it. Does nothing if it exists or cannot
// be created.
void create_cache_folder(const std::string& folder);

// A cache in the folder; null for "".
std::shared_ptr<BinaryCache> binary_cache_in(std::string folder);
// A cache in default_cache_folder(), or null if there is none. If other users can write to the
// default folder and it belongs to this user, its mode becomes 0700.
std::shared_ptr<BinaryCache> default_binary_cache();

}  // namespace tilewright

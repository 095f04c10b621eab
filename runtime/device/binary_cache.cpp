#include "runtime/device/binary_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <tuple>
#include <vector>

#include "profiles/base/file_trust.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/digest.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".clbin";
// Number of stores after which the folder is scanned for entries of other processes.
constexpr unsigned kStoresBetweenLooks = 64;
constexpr fs::perms kCacheMode = fs::perms::owner_all;  // as the XDG specification requires
// A temporary file of this age was left by a process that was killed.
constexpr auto kAbandonedAfter = std::chrono::hours(1);

// Returns the first line of a cache file: everything that the binary depends on, and the size and
// digest of the binary. A file is valid if its first line equals the result of this function for
// the wanted key and the bytes after the line.
std::string cache_header(const BinaryKey& key, std::string_view binary) {
  return fmt::format("tilewright program binary 1; {}; options '{}'; source {}; {} bytes {}\n",
                     key.device, printable(key.build_options), digest_bytes(key.source),
                     binary.size(), digest_bytes(binary));
}

// The time of the last use of a file while a driver loads it: an arbitrary moment in 2001. Tools that
// make images of systems set all files to 0 or 1.
constexpr timespec kLoading{1000000007, 0};

void set_time(int descriptor, const timespec& time) {
  const timespec times[2] = {time, time};
  ::futimens(descriptor, times);
}

Descriptor open_entry(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// True if a process died while a driver loaded the file.
bool is_left_behind(const std::string& path) {
  struct stat status {};
  const auto is_marked = [&] { return status.st_mtim.tv_sec == kLoading.tv_sec; };
  if (::lstat(path.c_str(), &status) != 0 || !is_marked()) return false;
  const Descriptor file = open_entry(path);
  // A process that loads the file holds a lock.
  if (::flock(file.value(), LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  return ::fstat(file.value(), &status) == 0 && is_marked();
}

struct Entry {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

// Lists the entries of a folder and removes abandoned temporary files. Files may disappear during
// the scan, and files of other programs are ignored.
std::vector<Entry> list_entries(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    std::error_code gone;
    const auto used = fs::last_write_time(it->path(), gone);
    if (gone) continue;
    const std::string name = it->path().filename().string();
    if (it->path().extension() == kSuffix) {
      const auto bytes = fs::file_size(it->path(), gone);
      if (!gone) entries.push_back({it->path(), used, bytes});
    } else if (is_temporary_file_name(name) &&
               fs::file_time_type::clock::now() - used > kAbandonedAfter) {
      fs::remove(it->path(), gone);
    }
  }
  return entries;
}

// Removes the rights of other users from a folder of this user. A umask of 002 gives rights to the
// group.
void repair_mode(const std::string& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return;
  const bool is_shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  std::error_code ignored;
  if (is_shared && status.st_uid == ::geteuid()) fs::permissions(folder, kCacheMode, ignored);
}

}  // namespace

std::string device_binary_key(const cl::Device& device) {
  const DeviceIdentity identity = identify(device);
  cl_int code = CL_SUCCESS;
  const cl_uint address_bits = device.getInfo<CL_DEVICE_ADDRESS_BITS>(&code);
  check_opencl(code, "clGetDeviceInfo");
  return fmt::format("platform '{}', vendor '{}', device '{}', driver '{}', {} and {} bits",
                     identity.platform, identity.vendor, identity.name, identity.driver,
                     address_bits, 8 * sizeof(void*));
}

BinaryCache::BinaryCache(std::string folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

std::string BinaryCache::entry_path(const BinaryKey& key) const {
  // The lengths distinguish keys whose parts would be equal when concatenated.
  const std::string all = fmt::format("{} {} {}{}{}", key.device.size(), key.source.size(),
                                      key.device, key.source, key.build_options);
  return folder_ + "/" + digest_bytes(all) + kSuffix;
}

std::string BinaryCache::obstacle() const {
  const Distrust why = why_not_trusted(folder_, only_this_user());
  return why == Distrust::kNone ? "" : fmt::format("{} {}", folder_, to_text(why));
}

std::optional<std::string> BinaryCache::find(const BinaryKey& key) {
  std::optional<std::string> binary;
  if (obstacle().empty()) binary = read_entry(key);
  ++(binary ? hits_ : misses_);
  return binary;
}

// Returns the entry's binary. Removes a file with the entry's name that is not valid.
std::optional<std::string> BinaryCache::read_entry(const BinaryKey& key) const {
  const std::string path = entry_path(key);
  std::error_code ignored;
  if (is_left_behind(path)) {
    fs::remove(path, ignored);
    return std::nullopt;
  }
  std::string content = read_private_file(path, {0, max_bytes_}).bytes;
  const std::size_t end = std::min(content.find('\n'), content.size() - 1) + 1;
  const std::string_view binary = std::string_view(content).substr(end);
  if (binary.empty() || std::string_view(content).substr(0, end) != cache_header(key, binary)) {
    fs::remove(path, ignored);
    return std::nullopt;
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return content.erase(0, end);
}

BinaryCache::LoadMark BinaryCache::mark_load(const BinaryKey& key) const {
  return LoadMark(entry_path(key));
}

BinaryCache::LoadMark::LoadMark(const std::string& path) : file_(open_entry(path)) {
  if (file_.value() < 0 || ::flock(file_.value(), LOCK_SH | LOCK_NB) != 0) return;
  set_time(file_.value(), kLoading);
}

BinaryCache::LoadMark::~LoadMark() {
  if (file_.value() >= 0) set_time(file_.value(), {0, UTIME_NOW});
}

void BinaryCache::store(const BinaryKey& key, std::string_view binary) {
  if (binary.empty() || binary.size() > max_bytes_ / 2) return;
  try {
    create_cache_folder(folder_);
    if (!obstacle().empty()) return;
    const std::string content = cache_header(key, binary).append(binary);
    write_private_file_atomically(entry_path(key), content);
    ++stored_;
    bound(content.size());
  } catch (const std::exception&) {
    // No space, no permission or no folder: the program continues without storing.
  }
}

void BinaryCache::drop(const BinaryKey& key) {
  std::error_code ignored;
  fs::remove(entry_path(key), ignored);
  --hits_;
  ++misses_;
}

void BinaryCache::bound(std::uint64_t new_bytes) {
  const std::lock_guard lock(bound_mutex_);
  known_bytes_ += new_bytes;
  if (stores_until_look_ > 0 && known_bytes_ <= max_bytes_) {
    --stores_until_look_;
    return;
  }
  known_bytes_ = remove_oldest();
  stores_until_look_ = kStoresBetweenLooks;
}

// Removes the entries that were not used for the longest time, down to somewhat less than the
// limit, so that not every store has to do this. Returns the number of bytes left.
std::uint64_t BinaryCache::remove_oldest() const {
  std::vector<Entry> entries = list_entries(folder_);
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  if (bytes <= max_bytes_) return bytes;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const Entry& entry : entries) {
    if (bytes <= max_bytes_ - max_bytes_ / 8) break;
    std::error_code ignored;
    fs::remove(entry.path, ignored);
    bytes -= entry.bytes;
  }
  return bytes;
}

std::string default_cache_folder() {
  const std::string named = environment("TILEWRIGHT_CACHE");
  if (named == "off") return "";
  if (!named.empty()) return named;
  const std::string base = base_folder("XDG_CACHE_HOME", ".cache");
  return base.empty() ? "" : base + "/tilewright";
}

void create_cache_folder(const std::string& folder) {
  std::error_code code;
  if (fs::create_directories(folder, code)) fs::permissions(folder, kCacheMode, code);
}

std::shared_ptr<BinaryCache> binary_cache_in(std::string folder) {
  return folder.empty() ? nullptr : std::make_shared<BinaryCache>(std::move(folder));
}

std::shared_ptr<BinaryCache> default_binary_cache() {
  std::string folder = default_cache_folder();
  // A folder that TILEWRIGHT_CACHE names may have other purposes, so its mode is not changed.
  if (environment("TILEWRIGHT_CACHE").empty()) repair_mode(folder);
  return binary_cache_in(std::move(folder));
}

}  // namespace tilewright

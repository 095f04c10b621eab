#include "tuner/journal/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "profiles/base/read_file.hpp"
#include "profiles/base/write_file.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

// Enough to distinguish a journal from other files.
constexpr std::uint64_t kHeaderBeginBytes = 256;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  const int code = errno;
  throw JournalError(fmt::format("{}: {}: {}", path, what, std::strerror(code)));
}

void require_regular_file(const struct stat& status, const std::string& path) {
  if (S_ISREG(status.st_mode)) return;
  throw JournalError(path + ": is not a regular file, so it cannot be a journal");
}

[[noreturn]] void fail_to_append(const std::string& path) {
  if (errno == EFBIG) {
    fail(path,
         "cannot write the journal; raise the limit (ulimit -f) and run the same command again");
  }
  if (errno != ENOSPC && errno != EDQUOT) fail(path, "cannot write the journal");
  fail(path, "cannot write the journal; free some space and run the same command again");
}

std::string read_text(const std::string& path) {
  FileContent content = read_file(path);
  if (!content.failure.empty()) {
    throw JournalError(fmt::format("{}: the journal {}", path, content.failure));
  }
  return std::move(content.bytes);
}

}  // namespace

JournalContents read_journal(const std::string& path) {
  return parse_journal(read_text(path), path);
}

bool holds_journal(const std::string& path) {
  return std::filesystem::exists(path) && !is_torn_header(read_text(path));
}

bool looks_like_journal(const std::string& path) {
  const std::string begin = read_file(path, {0, kHeaderBeginBytes}).bytes;
  const std::string line = begin.substr(0, begin.find('\n'));
  return !line.empty() && begins_as_journal(line + "\n");
}

std::string boot_id() {
  const std::string text = read_file("/proc/sys/kernel/random/boot_id").bytes;
  return text.substr(0, text.find('\n'));
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::open_locked(int flags) {
  struct stat status {};
  // Checks the file type before opening, because merely opening some devices has side effects.
  if (::stat(path_.c_str(), &status) == 0) require_regular_file(status, path_);
  descriptor_ =
      ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666);
  if (descriptor_ < 0) fail(path_, "cannot open the journal for writing");
  if (::fstat(descriptor_, &status) != 0) fail(path_, "cannot examine the journal");
  require_regular_file(status, path_);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      fail(path_, "cannot lock the journal; name a file on a local disk with --journal");
    throw JournalError(path_ +
                       ": another process is writing this journal; wait for it, or name another "
                       "journal with --journal");
  }
}

// Reads the locked file itself, since the path may refer to another file by now.
std::string Journal::read_all() const {
  std::string text;
  std::string part(1 << 16, '\0');
  while (true) {
    const ssize_t got =
        ::pread(descriptor_, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot read the journal");
    if (got == 0) return text;
    text.append(part, 0, static_cast<std::size_t>(got));
  }
}

Journal Journal::create(const std::string& path, const JournalHeader& header) {
  Journal journal(path);
  journal.open_locked(O_CREAT);
  if (!is_torn_header(journal.read_all())) {
    throw JournalError(path + ": the file exists; a new journal does not replace it");
  }
  journal.begin(header);
  return journal;
}

Journal Journal::replace(const std::string& path, const JournalHeader& header) {
  Journal journal(path);
  journal.open_locked(O_CREAT);
  if (!begins_as_journal(journal.read_all())) {
    throw JournalError(path + ": is not a journal, so it is not replaced; name another file");
  }
  journal.begin(header);
  return journal;
}

// Truncates the file and writes the header.
void Journal::begin(const JournalHeader& header) {
  if (::ftruncate(descriptor_, 0) != 0) fail(path_, "cannot truncate the journal");
  append(header_line(header));
  if (!sync_folder(parent_folder(path_))) fail(path_, "cannot sync the journal's folder to disk");
}

Journal Journal::open(const std::string& path, JournalContents& contents) {
  Journal journal(path);
  journal.open_locked(0);
  const std::string text = journal.read_all();
  std::size_t whole_bytes = 0;
  contents = parse_journal(text, path, &whole_bytes, boot_id());
  if (whole_bytes < text.size() &&
      (::ftruncate(journal.descriptor_, static_cast<off_t>(whole_bytes)) != 0 ||
       ::fsync(journal.descriptor_) != 0)) {
    fail(path, "cannot remove the incomplete last line");
  }
  return journal;
}

void Journal::append(const std::string& line) {
  // Writes all of it with one call, so that a kill leaves either a whole line or an incomplete last
  // line.
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_append(path_);
    done += static_cast<std::size_t>(written);
  }
  // Some file systems cannot sync and report EINVAL.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) {
    fail(path_, "cannot sync the journal to disk");
  }
}

}  // namespace tilewright

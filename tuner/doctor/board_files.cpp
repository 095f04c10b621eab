#include "tuner/doctor/board_files.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <sstream>

#include "profiles/base/read_file.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // the limit of Linux
constexpr std::size_t kMaxBytes = 65536;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

void put_in_front(std::deque<std::string>& parts, const fs::path& path) {
  std::vector<std::string> more;
  for (const fs::path& part : path.relative_path()) more.push_back(part.string());
  parts.insert(parts.begin(), more.begin(), more.end());
}

}  // namespace

BoardFiles::BoardFiles(const std::string& root) : root_(root) {
  while (!root_.empty() && root_.back() == '/') root_.pop_back();
}

std::string BoardFiles::resolved(const std::string& path) const {
  std::deque<std::string> parts;
  put_in_front(parts, path);
  std::string done;
  for (int links = 0; !parts.empty();) {
    const std::string part = parts.front();
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      done.erase(done.empty() ? 0 : done.rfind('/'));
      continue;
    }
    std::error_code code;
    const fs::path target = fs::read_symlink(root_ + done + "/" + part, code);
    if (code || ++links > kMaxLinks) {
      done += "/" + part;
      continue;
    }
    if (target.is_absolute()) done.clear();
    put_in_front(parts, target);
  }
  return done.empty() ? "/" : done;
}

bool BoardFiles::exists(const std::string& path) const {
  std::error_code code;
  return fs::exists(here(path), code);
}

bool BoardFiles::is_folder(const std::string& path) const {
  std::error_code code;
  return fs::is_directory(here(path), code);
}

std::vector<std::string> BoardFiles::entries(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(here(folder), code), end; !code && it != end; it.increment(code)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string BoardFiles::text(const std::string& path) const {
  FileContent content = read_file(here(path), {0, kMaxBytes});
  return content.failure.empty() ? std::move(content.bytes) : "";
}

std::vector<std::string> BoardFiles::lines(const std::string& path) const {
  std::istringstream in(text(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(trimmed(line));
  return lines;
}

std::string BoardFiles::line(const std::string& path) const {
  const std::vector<std::string> all = lines(path);
  return all.empty() ? "" : all.front();
}

std::string BoardFiles::value(const std::string& path, const std::string& key) const {
  for (const std::string& line : lines(path)) {
    if (!line.starts_with(key) || line.size() == key.size()) continue;
    const char sign = line[key.size()];
    if (sign == '=' || sign == ':') return trimmed(line.substr(key.size() + 1));
  }
  return "";
}

std::optional<std::int64_t> BoardFiles::number(const std::string& path) const {
  std::istringstream in(line(path));
  std::int64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

bool BoardFiles::contains(const std::string& path, const std::string& bytes) const {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::string file = here(path);
  std::string block;  // the end of the previous block, followed by the next block
  for (std::uint64_t offset = 0;; offset += kBlock) {
    const FileContent next = read_file(file, {offset, kBlock});
    if (!next.failure.empty()) return false;
    block = block.substr(block.size() - std::min(block.size(), bytes.size())) + next.bytes;
    if (block.find(bytes) != std::string::npos) return true;
    if (next.bytes.size() < kBlock) return false;
  }
}

std::vector<std::string> split_words(const std::string& text, char separator) {
  std::string blanks = text;
  std::replace(blanks.begin(), blanks.end(), separator, ' ');
  std::istringstream in(blanks);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace tilewright

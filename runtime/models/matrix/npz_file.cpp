// Files of NumPy with several arrays: a ZIP archive whose entries are .npy files. Only entries
// without compression are read, as numpy.savez writes them. The format: APPNOTE.TXT of PKWARE.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <set>

#include "matrix/matrix_text.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kLocalHeader("PK\x03\x04", 4);
constexpr std::string_view kDirectoryEntry("PK\x01\x02", 4);
constexpr std::string_view kEndOfDirectory("PK\x05\x06", 4);
constexpr std::size_t kLocalHeaderBytes = 30;
constexpr std::size_t kDirectoryEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kMaxCommentBytes = 65535;
constexpr std::string_view kExtension = ".npy";

std::uint32_t number_at(std::string_view bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

void append_number(std::string& text, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
}

std::uint32_t crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0u);
      table[i] = value;
    }
    return table;
  }();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

// Reads the entries of an archive in the order of its directory.
class ZipArchive {
 public:
  struct Entry {
    std::string name;
    std::string_view data;
  };

  ZipArchive(std::string_view content, const std::string& file) : content_(content), file_(file) {
    const std::size_t end = find_end();
    left_ = number_at(content_, end + 10, 2);
    at_ = number_at(content_, end + 16, 4);
    if (left_ == 0xffff || at_ == 0xffffffff) fail("is a ZIP64 archive, which is not read");
  }

  [[noreturn]] void fail(const std::string& reason) const { throw MatrixFileError(file_, reason); }

  bool has_next() const { return left_ > 0; }

  Entry next() {
    --left_;
    if (!has(at_, kDirectoryEntryBytes) || content_.substr(at_, 4) != kDirectoryEntry) fail_cut();
    const std::string_view header = content_.substr(at_, kDirectoryEntryBytes);
    const std::uint32_t method = number_at(header, 10, 2);
    const std::uint32_t crc = number_at(header, 16, 4);
    const std::uint32_t bytes = number_at(header, 20, 4);
    const std::uint32_t name_bytes = number_at(header, 28, 2);
    const std::size_t local = number_at(header, 42, 4);
    if (!has(at_ + kDirectoryEntryBytes, name_bytes)) fail_cut();
    Entry entry;
    entry.name = content_.substr(at_ + kDirectoryEntryBytes, name_bytes);
    at_ += kDirectoryEntryBytes + name_bytes + number_at(header, 30, 2) + number_at(header, 32, 2);
    if ((number_at(header, 8, 2) & 1) != 0) {
      fail(fmt::format("its entry {} is encrypted", in_quotes(entry.name)));
    }
    if (method != 0) {
      fail(
          fmt::format("its entry {} is compressed: write the file with numpy.savez instead of "
                      "numpy.savez_compressed",
                      in_quotes(entry.name)));
    }
    entry.data = data_at(local, bytes);
    if (crc32(entry.data) != crc) {
      fail(fmt::format("its entry {} is damaged: it has another checksum", in_quotes(entry.name)));
    }
    return entry;
  }

 private:
  [[noreturn]] void fail_cut() const { fail("is not a .npz file, or is truncated"); }
  bool has(std::size_t at, std::size_t bytes) const {
    return at <= content_.size() && bytes <= content_.size() - at;
  }

  // The last record of the file, except for a comment.
  std::size_t find_end() const {
    if (content_.size() < kEndBytes) fail_cut();
    const std::size_t end = content_.rfind(kEndOfDirectory, content_.size() - kEndBytes);
    if (end == std::string_view::npos || content_.size() - end > kEndBytes + kMaxCommentBytes) {
      fail_cut();
    }
    return end;
  }

  std::string_view data_at(std::size_t local, std::size_t bytes) {
    if (!has(local, kLocalHeaderBytes) || content_.substr(local, 4) != kLocalHeader) fail_cut();
    const std::string_view header = content_.substr(local, kLocalHeaderBytes);
    const std::size_t data =
        local + kLocalHeaderBytes + number_at(header, 26, 2) + number_at(header, 28, 2);
    if (!has(data, bytes)) fail_cut();
    // Entries that overlap could make much of a small file.
    taken_ += bytes;
    if (taken_ > content_.size()) fail("its entries are larger than the file");
    return content_.substr(data, bytes);
  }

  std::string_view content_;
  const std::string& file_;
  std::uint32_t left_ = 0;
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
};

// What the header of an entry and its copy in the directory have in common: from the version that a
// reader needs to the length of the name.
std::string common_header(const std::string& name, const std::string& data) {
  constexpr std::uint32_t kFirstDay = 1 << 5 | 1;  // 1980-01-01
  std::string text;
  append_number(text, 20, 2);  // version 2.0
  append_number(text, 0, 2);   // flags
  append_number(text, 0, 2);   // no compression
  append_number(text, 0, 2);   // midnight
  append_number(text, kFirstDay, 2);
  append_number(text, crc32(data), 4);
  append_number(text, data.size(), 4);
  append_number(text, data.size(), 4);
  append_number(text, name.size(), 2);
  append_number(text, 0, 2);  // no extra field
  return text;
}

}  // namespace

template <typename Element>
std::vector<NamedMatrix<Element>> parse_npz(std::string_view content, const std::string& file) {
  ZipArchive archive(content, file);
  std::vector<NamedMatrix<Element>> matrices;
  while (archive.has_next()) {
    const ZipArchive::Entry entry = archive.next();
    if (!entry.name.ends_with(kExtension)) {
      archive.fail(fmt::format("its entry {} is not a .npy file", in_quotes(entry.name)));
    }
    try {
      matrices.push_back({entry.name.substr(0, entry.name.size() - kExtension.size()),
                          parse_npy<Element>(entry.data, file)});
    } catch (const MatrixFileError& error) {
      archive.fail(fmt::format("its entry {}: {}", in_quotes(entry.name), error.reason()));
    }
  }
  return matrices;
}

template std::vector<NamedMatrix<float>> parse_npz<float>(std::string_view, const std::string&);
template std::vector<NamedMatrix<double>> parse_npz<double>(std::string_view, const std::string&);

std::string npz_text(const std::vector<NamedMatrix<float>>& matrices, const std::string& file) {
  constexpr std::size_t kMaxNameBytes = 65000;
  std::string text;
  std::string directory;
  std::set<std::string> names;
  for (const NamedMatrix<float>& named : matrices) {
    if (named.name.empty() || named.name.size() > kMaxNameBytes ||
        !names.insert(named.name).second) {
      throw MatrixFileError(file, fmt::format("cannot hold the array {}: names are different, not "
                                              "empty and have at most {} bytes",
                                              in_quotes(named.name), kMaxNameBytes));
    }
    const std::string name = named.name + std::string(kExtension);
    const std::string data = npy_text(named.matrix);
    if (text.size() + data.size() >
        std::numeric_limits<std::uint32_t>::max() - directory.size() - (std::size_t{1} << 20)) {
      throw MatrixFileError(file, "would exceed 4 GB; write fewer outputs, or .npy files");
    }
    const std::size_t offset = text.size();
    const std::string header = common_header(name, data);
    text.append(kLocalHeader).append(header).append(name).append(data);
    directory.append(kDirectoryEntry);
    append_number(directory, 20, 2);  // made by version 2.0
    directory.append(header);
    append_number(directory, 0, 2);  // no comment
    append_number(directory, 0, 2);  // first disk
    append_number(directory, 0, 2);  // binary
    append_number(directory, 0, 4);
    append_number(directory, offset, 4);
    directory.append(name);
  }
  const std::size_t begin = text.size();
  text.append(directory).append(kEndOfDirectory);
  append_number(text, 0, 4);  // one disk
  append_number(text, matrices.size(), 2);
  append_number(text, matrices.size(), 2);
  append_number(text, directory.size(), 4);
  append_number(text, begin, 4);
  append_number(text, 0, 2);  // no comment
  return text;
}

}  // namespace tilewright

#include "matrix/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include "runtime/models/matrix/matrix_file.hpp"

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
// Headers that NumPy writes have at most a few hundred bytes.
constexpr std::size_t kMaxHeaderBytes = 65536;
constexpr std::size_t kMaxDimensions = 64;  // as many as NumPy allows

// Parses the dictionary from left to right.
class DictionaryText {
 public:
  DictionaryText(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw MatrixFileError(file_, fmt::format("its .npy header {}", reason));
  }

  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

  bool take(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void expect(std::string_view word) {
    if (!take(word)) fail(fmt::format("has no '{}' at {}", word, rest()));
  }

  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(fmt::format("has no string at {}", rest()));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(fmt::format("has a string without end at {}", rest()));
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  bool truth() {
    if (take("True")) return true;
    if (take("False")) return false;
    fail(fmt::format("has neither True nor False at {}", rest()));
  }

  std::uint64_t extent() {
    skip_space();
    std::uint64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (code == std::errc::result_out_of_range) {
      fail(fmt::format("has an extent that exceeds 64 bits at {}", rest()));
    }
    if (code != std::errc()) fail(fmt::format("has no extent at {}", rest()));
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers like this
    return value;
  }

  std::string rest() const { return in_quotes(text_.substr(at_)); }

 private:
  void skip_space() {
    const std::size_t next = text_.find_first_not_of(" \t\n\r", at_);
    at_ = next == std::string_view::npos ? text_.size() : next;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

void read_type(DictionaryText& text, NpyHeader& header) {
  if (text.take("[")) text.fail("describes records; only arrays of numbers are supported");
  const std::string_view type = text.string();
  if (type.size() == 3 && type[0] == '>' && type[2] != '1') {
    text.fail(
        fmt::format("specifies big-endian numbers ({}); only little-endian numbers are supported",
                    in_quotes(type)));
  }
  const std::string_view name = type.empty() ? type : type.substr(1);
  const bool known = name == "f2" || name == "f4" || name == "f8" || name == "b1" || name == "i1" ||
                     name == "i2" || name == "i4" || name == "i8" || name == "u1" || name == "u2" ||
                     name == "u4" || name == "u8";
  if (!known || std::string_view("<|>=").find(type[0]) == std::string_view::npos) {
    text.fail(fmt::format(
        "has the type {}; the supported types are f2, f4, f8, b1, i1 to i8 and u1 to u8",
        in_quotes(type)));
  }
  header.kind = name[0];
  header.element_bytes = static_cast<std::size_t>(name[1] - '0');
}

void read_shape(DictionaryText& text, NpyHeader& header) {
  text.expect("(");
  while (!text.take(")")) {
    if (header.shape.size() == kMaxDimensions) {
      text.fail(fmt::format("has more than {} dimensions", kMaxDimensions));
    }
    header.shape.push_back(text.extent());
    if (!text.take(",")) {
      text.expect(")");
      break;
    }
  }
  if (header.shape.empty())
    text.fail("has no dimensions: the file contains a number, not a matrix");
}

NpyHeader read_dictionary(DictionaryText text) {
  NpyHeader header;
  bool has_type = false, has_order = false, has_shape = false;
  // Marks a key as read. A key that occurs twice is an error.
  const auto once = [&text](bool& has, std::string_view key) {
    if (has) text.fail(fmt::format("has the key {} twice", in_quotes(key)));
    has = true;
  };
  text.expect("{");
  while (!text.take("}")) {
    const std::string_view key = text.string();
    text.expect(":");
    if (key == "descr") {
      once(has_type, key);
      read_type(text, header);
    } else if (key == "fortran_order") {
      once(has_order, key);
      header.fortran_order = text.truth();
    } else if (key == "shape") {
      once(has_shape, key);
      read_shape(text, header);
    } else {
      text.fail(fmt::format("has the unknown key {}", in_quotes(key)));
    }
    if (!text.take(",")) {
      text.expect("}");
      break;
    }
  }
  if (!text.at_end()) text.fail(fmt::format("continues after its end: {}", text.rest()));
  if (!has_type) text.fail("has no key 'descr'");
  if (!has_order) text.fail("has no key 'fortran_order'");
  if (!has_shape) text.fail("has no key 'shape'");
  return header;
}

// Reads a little-endian number.
std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view content, const std::string& file) {
  if (!content.starts_with(kMagic)) throw MatrixFileError(file, "is not a .npy file");
  const std::size_t version_end = kMagic.size() + 2;
  if (content.size() < version_end) throw MatrixFileError(file, "is truncated in its .npy header");
  const int major = static_cast<unsigned char>(content[kMagic.size()]);
  const int minor = static_cast<unsigned char>(content[kMagic.size() + 1]);
  if ((major != 1 && major != 2) || minor != 0) {
    throw MatrixFileError(
        file,
        fmt::format("has .npy format version {}.{}; 1.0 and 2.0 are supported", major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t text_begin = version_end + length_bytes;
  if (content.size() < text_begin) throw MatrixFileError(file, "is truncated in its .npy header");
  const std::size_t length = little_endian(content.substr(version_end, length_bytes));
  if (length > kMaxHeaderBytes) {
    throw MatrixFileError(file,
                          fmt::format("has a .npy header of {} bytes, which is too long", length));
  }
  if (content.size() - text_begin < length) {
    throw MatrixFileError(file, "is truncated in its .npy header");
  }
  NpyHeader header = read_dictionary(DictionaryText(content.substr(text_begin, length), file));
  header.data_offset = text_begin + length;
  return header;
}

}  // namespace tilewright

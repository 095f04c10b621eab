#include "profiles/half_storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

namespace tilewright {
namespace {

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// A word or number, a comment, white space, or a character.
std::size_t token_size(std::string_view text) {
  if (text.starts_with("//")) return std::min(text.find('\n'), text.size());
  const auto run = [&](auto belongs) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), belongs) -
                                    text.begin());
  };
  if (is_name_part(text.front())) return run(is_name_part);
  const auto is_space = [](char c) { return c == ' ' || c == '\n'; };
  return is_space(text.front()) ? run(is_space) : 1;
}

std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  while (!text.empty()) {
    tokens.push_back(text.substr(0, token_size(text)));
    text.remove_prefix(tokens.back().size());
  }
  return tokens;
}

bool is_blank(std::string_view token) {
  return token.front() == ' ' || token.front() == '\n' || token.starts_with("//");
}

// Vectors that PoCL 3.1 (CPUs) reads as if they lay on a multiple of 16 bytes: it crashes where
// they do not, unless its compiler makes the load part of a conversion.
bool is_wide(std::string_view width) {
  return width == "8" || width == "16";
}

// Is it the prefix, and a width or nothing behind it: "float4", "vload4", "float"?
bool starts_with_width(std::string_view token, std::string_view begin) {
  return token.starts_with(begin) &&
         token.find_first_not_of("0123456789", begin.size()) == std::string_view::npos;
}

class Rewriting {
 public:
  Rewriting(std::string_view code, HalfMatrices which, bool reads_halfs)
      : which_(which), reads_halfs_(reads_halfs), tokens_(tokens_of(code)) {}

  std::string whole() { return with_functions(range(0, tokens_.size())); }

 private:
  // A place in memory that a text reads or writes.
  struct Place {
    std::string width;    // of a vector, else ""
    std::string index;    // elements behind the pointer
    std::string pointer;  // an expression
    std::size_t end = 0;  // of its tokens
  };

  std::size_t skip_blank(std::size_t at) const {
    while (at < tokens_.size() && is_blank(tokens_[at])) ++at;
    return at;
  }
  bool is(std::size_t at, std::string_view token) const {
    return at < tokens_.size() && tokens_[at] == token;
  }
  // One past the bracket that closes the one here.
  std::size_t end_of_brackets(std::size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      const std::string_view token = tokens_[at];
      if (token == "(" || token == "[") ++depth;
      if ((token == ")" || token == "]") && --depth == 0) return at + 1;
    }
    return at;
  }
  bool names_half(std::size_t begin, std::size_t end) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                       tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](std::string_view token) { return halfs_.contains(token); });
  }
  std::string text(std::size_t begin, std::size_t end) const {
    std::string all;
    for (; begin < end; ++begin) all += tokens_[begin];
    return all;
  }

  std::string range(std::size_t begin, std::size_t end);
  std::string one(std::size_t& at);
  std::string declaration(std::size_t& at);
  std::string vector_access(std::size_t& at);
  Place place(std::size_t at) const;
  Place dereferenced(std::size_t star) const;
  bool is_unary(std::size_t star) const;
  std::string access(const Place& place, std::size_t& at);
  std::string with_functions(std::string code) const;

  HalfMatrices which_;
  bool reads_halfs_;
  std::vector<std::string_view> tokens_;
  std::set<std::string_view> halfs_;  // pointers
  std::set<std::string> loaded_;      // widths of whole vectors
  std::set<std::string> stored_;
  std::set<std::string> wide_loaded_;  // widths of vectors that lie anywhere
  std::set<std::string> wide_stored_;
  std::size_t last_ = std::string::npos;  // the token before, but for blanks
};

std::string Rewriting::range(std::size_t begin, std::size_t end) {
  std::string result;
  for (std::size_t at = begin; at < end;) {
    const std::size_t first = at;
    result += one(at);
    if (!is_blank(tokens_[first])) last_ = at - 1;
  }
  return result;
}

// What begins at a token, rewritten; `at` goes behind it.
std::string Rewriting::one(std::size_t& at) {
  const std::string_view token = tokens_[at];
  if (token == "__global") return declaration(at);
  const bool vector = starts_with_width(token, "vload") || starts_with_width(token, "vstore");
  if (vector) return vector_access(at);
  const Place found = place(at);
  if (found.end > at) return access(found, at);
  return std::string(tokens_[at++]);
}

// "__global const float *restrict A": what it declares is remembered.
std::string Rewriting::declaration(std::size_t& at) {
  const std::size_t begin = at;
  std::size_t type = skip_blank(at + 1);
  const bool constant = is(type, "const");
  if (constant) type = skip_blank(type + 1);
  std::size_t name = skip_blank(skip_blank(type + 1) + 1);
  if (is(name, "restrict")) name = skip_blank(name + 1);
  const bool part = which_ == (constant ? HalfMatrices::kWritten : HalfMatrices::kRead);
  const bool half = is(type, "float") && !part && !is(name, "bias");
  at = std::min(type + 1, tokens_.size());
  if (!half || name >= tokens_.size()) return text(begin, at);
  if (!(constant && reads_halfs_)) halfs_.insert(tokens_[name]);
  return text(begin, type) + "half";
}

// "vload4(0, from)", "vstore4(x, 0, to)".
std::string Rewriting::vector_access(std::size_t& at) {
  const std::string_view name = tokens_[at];
  const std::size_t open = skip_blank(at + 1);
  const std::size_t end = end_of_brackets(open);
  // The pointer stands last.
  std::size_t comma = end - 1;
  for (int depth = 0; comma > open && !(tokens_[comma] == "," && depth == 1); --comma) {
    if (tokens_[comma] == ")" || tokens_[comma] == "]") ++depth;
    if (tokens_[comma] == "(" || tokens_[comma] == "[") --depth;
  }
  const bool half = names_half(comma, end);
  const bool stores = name.starts_with("vstore");
  const std::string function(name.substr(0, stores ? 6 : 5));
  const std::string width(name.substr(function.size()));
  last_ = open;
  const std::string arguments = range(at + 1, comma) + text(comma, end);
  at = end;
  if (!half) return std::string(name) + arguments;
  if (is_wide(width)) {
    (stores ? wide_stored_ : wide_loaded_).insert(width);
    return function + "_halfs" + width + arguments;
  }
  return function + "_half" + width + (stores ? "_rte" : "") + arguments;
}

// "*to", "*(a + 4)", "*(__global const float4 *)to", "from[i]"; its end is 0: nothing of these.
Rewriting::Place Rewriting::place(std::size_t at) const {
  if (is(at, "*") && is_unary(at)) return dereferenced(at);
  if (!halfs_.contains(tokens_[at]) || !is(at + 1, "[")) return {};
  const std::size_t end = end_of_brackets(at + 1);
  return {"", text(at + 2, end - 1), std::string(tokens_[at]), end};
}

Rewriting::Place Rewriting::dereferenced(std::size_t star) const {
  std::size_t at = star + 1;
  std::string width;
  if (is(at, "(") && is(at + 1, "__global")) {
    const std::size_t end = end_of_brackets(at);
    for (; at < end; ++at) {
      if (starts_with_width(tokens_[at], "float")) width = tokens_[at].substr(5);
    }
  }
  const std::size_t end = is(at, "(") ? end_of_brackets(at) : std::min(at + 1, tokens_.size());
  if (!names_half(at, end)) return {};
  // What is in brackets needs none as an argument.
  const bool brackets = is(at, "(");
  return {width, "0", brackets ? text(at + 1, end - 1) : text(at, end), end};
}

// A factor stands behind a product's other one; a place does not.
bool Rewriting::is_unary(std::size_t star) const {
  if (last_ == std::string::npos || last_ >= star) return true;
  const std::string_view before = tokens_[last_];
  return before == "return" || !(is_name_part(before.back()) || before == ")" || before == "]");
}

// Reads the place, or, where "= value;" follows, writes it.
std::string Rewriting::access(const Place& place, std::size_t& at) {
  const std::size_t sign = skip_blank(place.end);
  const bool whole = !place.width.empty();
  at = place.end;
  if (!is(sign, "=") || is(sign + 1, "=")) {
    if (whole) loaded_.insert(place.width);
    return whole ? fmt::format("load_halfs{}({})", place.width, place.pointer)
                 : fmt::format("vload_half({}, {})", place.index, place.pointer);
  }
  std::size_t end = sign;
  while (end < tokens_.size() && tokens_[end] != ";") ++end;
  last_ = sign;
  const std::string value = range(skip_blank(sign + 1), end);
  at = end;
  if (whole) stored_.insert(place.width);
  return whole ? fmt::format("store_halfs{}({}, {})", place.width, value, place.pointer)
               : fmt::format("vstore_half_rte({}, {}, {})", value, place.index, place.pointer);
}

// A whole vector goes in one access, through its bits: of vloada_half4() some compilers make four.
// Behind the comment that the code begins with.
std::string Rewriting::with_functions(std::string code) const {
  std::string functions;
  const auto add_load = [&](const std::string& width, const char* name, const std::string& bits) {
    functions += fmt::format(
        "float{0} {1}\n{{\n  const ushort{0} bits = {2};\n"
        "  return vload_half{0}(0, (const half *)&bits);\n}}\n\n",
        width, fmt::format(fmt::runtime(name), width), bits);
  };
  const auto add_store = [&](const std::string& width, const char* name, const std::string& store) {
    functions += fmt::format(
        "void {1}\n{{\n  ushort{0} bits;\n  vstore_half{0}_rte(x, 0, (half *)&bits);\n"
        "  {2};\n}}\n\n",
        width, fmt::format(fmt::runtime(name), width), store);
  };
  for (const std::string& width : loaded_) {
    functions += "// Halfs that lie on a multiple of their bytes, in one load.\n";
    add_load(width, "load_halfs{}(__global const half *from)",
             fmt::format("*(__global const ushort{} *)from", width));
  }
  for (const std::string& width : stored_) {
    add_store(width, "store_halfs{0}(const float{0} x, __global half *to)",
              fmt::format("*(__global ushort{} *)to = bits", width));
  }
  for (const std::string& width : wide_loaded_) {
    functions += "// Halfs that lie anywhere.\n";
    add_load(width, "vload_halfs{}(const size_t offset, __global const half *from)",
             fmt::format("vload{}(offset, (__global const ushort *)from)", width));
  }
  for (const std::string& width : wide_stored_) {
    add_store(width, "vstore_halfs{0}(const float{0} x, const size_t offset, __global half *to)",
              fmt::format("vstore{}(bits, offset, (__global ushort *)to)", width));
  }
  const std::size_t comment = code.starts_with("//") ? code.find("\n\n") : std::string::npos;
  return code.insert(comment == std::string::npos ? 0 : comment + 2, functions);
}

}  // namespace

std::string with_half_storage(std::string_view code, HalfMatrices which, bool reads_halfs) {
  return Rewriting(code, which, reads_halfs).whole();
}

}  // namespace tilewright

#include "profiles/retyped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "profiles/digest.hpp"
#include "profiles/half_storage.hpp"

namespace tilewright {
namespace {

bool is_decimal_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_word_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "float", "float4": what comes behind "float", or npos.
std::size_t end_of_float(std::string_view word) {
  constexpr std::string_view kFloat = "float";
  const bool is_type = word.starts_with(kFloat) &&
                       std::all_of(word.begin() + kFloat.size(), word.end(), is_decimal_digit);
  return is_type ? kFloat.size() : std::string_view::npos;
}

// A word, or a number with its point and exponent.
std::size_t end_of_token(std::string_view text) {
  const bool number = is_decimal_digit(text.front());
  std::size_t end = 1;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const bool exponent =
        number && (c == '+' || c == '-') && text[end - 1] == 'e' && !text.starts_with("0x");
    if (!is_word_part(c) && !(number && c == '.') && !exponent) break;
  }
  return end;
}

std::string in_double(std::string_view token) {
  const std::size_t width = end_of_float(token);
  if (width != std::string_view::npos) return "double" + std::string(token.substr(width));
  const bool real = is_decimal_digit(token.front()) && !token.starts_with("0x") &&
                    token.find_first_of(".e") != std::string_view::npos;
  if (real && token.back() == 'f') token.remove_suffix(1);
  return std::string(token);
}

// With the first `what`, which occurs.
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// Code that asks whether C is a multiple of a vector's bytes asks it of elements of `bytes`.
std::string with_vector_bytes(std::string code, std::size_t bytes) {
  for (const auto& [question, less] : {std::pair("(size_t)C % ", 0U), {"(uintptr_t)to & ", 1U}}) {
    for (std::size_t at = 0; (at = code.find(question, at)) != std::string::npos;) {
      at += std::string_view(question).size();
      std::size_t of_floats = 0;
      const auto [end, error] =
          std::from_chars(code.data() + at, code.data() + code.size(), of_floats);
      if (error != std::errc()) continue;
      const auto digits = static_cast<std::size_t>(end - code.data()) - at;
      code.replace(at, digits, std::to_string((of_floats + less) / sizeof(float) * bytes - less));
    }
  }
  return code;
}

std::string in_doubles(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = is_word_part(text.front()) ? end_of_token(text) : 1;
    const std::string_view token = text.substr(0, size);
    result += is_word_part(token.front()) ? in_double(token) : std::string(token);
    text.remove_prefix(size);
  }
  return result;
}

// The text of a point but for what kernels of one family differ in.
std::string without_epilogue(std::string point) {
  for (const char* parameter : {" bias=", " activation=", " exp="}) {
    const std::size_t at = point.find(parameter);
    if (at != std::string::npos) point.erase(at, point.find(' ', at + 1) - at);
  }
  return point;
}

HalfMatrices half_matrices_of(const KernelRecord& kernel) {
  if (kernel.role == Role::kReduce) return HalfMatrices::kWritten;
  return kernel.split_k > 1 ? HalfMatrices::kRead : HalfMatrices::kAll;
}

}  // namespace

std::string asking_for(const KernelRecord& kernel) {
  const std::string_view extension = extension_of(kernel);
  return extension.empty() ? "" : fmt::format("#pragma OPENCL EXTENSION {} : enable\n", extension);
}

std::string in_precision(std::string_view code, const KernelRecord& kernel) {
  const Precision written = kernel.split_k > 1 ? sums_of(kernel.precision) : kernel.precision;
  const std::string text = with_vector_bytes(std::string(code), bytes_of(written));
  switch (kernel.precision) {
    case Precision::kDouble:
      return in_doubles(text);
    case Precision::kHalf:
      return with_half_storage(text, half_matrices_of(kernel), kernel.accumulate_k > 0);
    case Precision::kSingle:
      break;
  }
  return text;
}

std::optional<KernelRecord> retyped(const KernelRecord& kernel, Precision precision) {
  const bool layer = kernel.role == Role::kActivation || kernel.role == Role::kSoftmax;
  const bool of_nets =
      layer || kernel.bias != Dimension::kNone || kernel.activation != Activation::kIdentity;
  const bool plain = kernel.images == Images{} && !(of_nets && !is_of_nets(precision));
  const bool known = kernel.precision == Precision::kSingle && !kernel.point.empty();
  // Of halfs there are no stores past the caches.
  const bool streams = kernel.point.find(" streaming=yes") != std::string::npos;
  if (!plain || !known) return std::nullopt;
  if (streams && precision == Precision::kHalf) return std::nullopt;
  KernelRecord wide = kernel;
  wide.precision = precision;
  wide.local_bytes *= floats_of(precision);
  // "gemm tile_m=4" is "gemm precision=d tile_m=4"; names of products have a letter already.
  const std::string letter(to_text(precision));
  wide.point.insert(std::min(kernel.point.find(' '), kernel.point.size()), " precision=" + letter);
  wide.name = letter + kernel.name.substr(is_product(kernel.role) ? 1 : 0);
  wide.entry = wide.name;
  wide.family = digest_of_bytes(without_epilogue(wide.point));
  // The first line names the point.
  const std::size_t end = std::min(kernel.source.find('\n'), kernel.source.size());
  const std::string code =
      in_precision(kernel.source.substr(std::min(end + 1, kernel.source.size())), wide);
  wide.source = replaced(kernel.source.substr(0, end), kernel.point, wide.point) + "\n" +
                asking_for(wide) + replaced(code, kernel.entry + "(", wide.entry + "(");
  return wide;
}

Profile retyped(const Profile& profile, Precision precision) {
  if (precision == Precision::kSingle) return profile;
  Profile result = profile;
  result.kernels.clear();
  std::map<std::string_view, std::string> names;  // of the profile's kernels, anew
  const auto add = [&](const KernelRecord& kernel, const std::optional<KernelRecord>& record) {
    if (!record || find_kernel(result, record->name) != nullptr) return;
    names[kernel.name] = record->name;
    result.kernels.push_back(*record);
  };
  // Those that are of it already come first: their own results count.
  for (const KernelRecord& kernel : profile.kernels) {
    if (kernel.precision == precision) add(kernel, kernel);
  }
  for (const KernelRecord& kernel : profile.kernels) add(kernel, retyped(kernel, precision));
  const auto rename = [&](auto& all) {
    std::erase_if(all, [&](const auto& one) { return !names.contains(one.kernel); });
    for (auto& one : all) one.kernel = names[one.kernel];
  };
  rename(result.results);
  rename(result.pack_results);
  rename(result.models);
  return result;
}

}  // namespace tilewright

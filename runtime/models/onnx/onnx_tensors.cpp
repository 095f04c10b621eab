#include "onnx/onnx_tensors.hpp"

#include <CL/cl_half.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "half_bits.hpp"
#include "named_file.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint64_t>::max();

// The maximal number of elements that are read for further layers after kMaxLayersOfOneMatrix, of
// all tensors together: 64 MiB of floats. Unrolled networks use their weights 50 times.
constexpr std::uint64_t kMaxCopiedElements = std::uint64_t{1} << 24;

// Returns the product of the extents. Fails if one is negative or the product exceeds 64 bits.
std::uint64_t element_count(const onnx::Tensor& tensor, const ModelPlace& place) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : tensor.dims) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (extent < 0 || (extent > 0 && count > kMaxCount / factor)) {
      place.fail(fmt::format("{} needs {} elements, which is too many or negative",
                             tensor_text(tensor), extents_text(tensor.dims)));
    }
    count *= factor;
  }
  return count;
}

// Reads little-endian elements.
template <typename To, typename From>
std::vector<To> values_in_bytes(std::string_view bytes, const onnx::Tensor& tensor,
                                const ModelPlace& place) {
  const std::uint64_t count = element_count(tensor, place);
  if (count > kMaxCount / sizeof(From) || bytes.size() != count * sizeof(From)) {
    place.fail(fmt::format("{} needs {} elements of {} bytes, but has {} bytes",
                           tensor_text(tensor), extents_text(tensor.dims), sizeof(From),
                           bytes.size()));
  }
  std::vector<To> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    unsigned char ordered[sizeof(From)];
    std::memcpy(ordered, bytes.data() + i * sizeof(From), sizeof(From));
    if (std::endian::native == std::endian::big) std::reverse(ordered, ordered + sizeof(From));
    From value;
    std::memcpy(&value, ordered, sizeof(From));
    values[i] = static_cast<To>(value);
  }
  return values;
}

template <typename To, typename From, typename Repeated>
std::vector<To> values_in_fields(const Repeated& fields, const onnx::Tensor& tensor,
                                 const ModelPlace& place) {
  const std::uint64_t count = element_count(tensor, place);
  if (static_cast<std::uint64_t>(fields.size()) != count) {
    place.fail(fmt::format("{} needs {} elements, but has {}", tensor_text(tensor),
                           extents_text(tensor.dims), fields.size()));
  }
  std::vector<To> values;
  values.reserve(count);
  for (const auto value : fields) values.push_back(static_cast<To>(static_cast<From>(value)));
  return values;
}

[[noreturn]] void refuse_type(const onnx::Tensor& tensor, const ModelPlace& place) {
  place.fail(fmt::format("{} has type {}; FLOAT, DOUBLE, FLOAT16 and BFLOAT16 are supported",
                         tensor_text(tensor), type_text(tensor.data_type)));
}

std::uint64_t parse_number(const onnx::StringStringEntry& entry, const ModelPlace& place) {
  const std::string& text = entry.value;
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) {
    place.fail(fmt::format("the external data's {} is {}", entry.key, tilewright::in_quotes(text)));
  }
  return number;
}

}  // namespace

std::string type_text(int type) {
  static constexpr std::string_view kNames[] = {
      "UNDEFINED",      "FLOAT",      "UINT8",          "INT8",       "UINT16",   "INT16",
      "INT32",          "INT64",      "STRING",         "BOOL",       "FLOAT16",  "DOUBLE",
      "UINT32",         "UINT64",     "COMPLEX64",      "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN",
      "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",      "INT4",     "FLOAT4E2M1"};
  if (type < 0 || std::cmp_greater_equal(type, std::size(kNames))) return fmt::format("{}", type);
  return std::string(kNames[type]);
}

bool is_read_as_floats(int type) {
  return type == onnx::kFloat || type == onnx::kDouble || type == onnx::kFloat16 ||
         type == onnx::kBfloat16;
}

std::string tensor_text(const onnx::Tensor& tensor) {
  return tensor.name.empty() ? "a constant"
                             : fmt::format("initialiser {}", tilewright::in_quotes(tensor.name));
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  constexpr std::size_t kMaxShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(extents.size(), kMaxShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " x ", extents[i]);
  }
  if (extents.size() > kMaxShown) text += " x ...";
  return text.empty() ? "1" : text;
}

// Reads external data. ONNX requires the file to be in the model's folder or below it.
std::string OnnxTensors::external_bytes(const onnx::Tensor& tensor, std::size_t element_bytes,
                                        const ModelPlace& place) {
  std::string location;
  FileRange range;
  std::set<std::string> given;
  for (const onnx::StringStringEntry& entry : tensor.external_data) {
    if (!given.insert(entry.key).second) {
      place.fail(fmt::format("the external data's {} is given twice", printable(entry.key)));
    }
    if (entry.key == "location") location = entry.value;
    if (entry.key == "offset") range.offset = parse_number(entry, place);
    if (entry.key == "length") range.length = parse_number(entry, place);
  }
  const std::uint64_t count = element_count(tensor, place);
  const bool is_whole = count <= kMaxCount / element_bytes && range.length == count * element_bytes;
  if (given.count("length") != 0 && !is_whole) {
    place.fail(fmt::format("{} needs {} elements of {} bytes, but its external data has length {}",
                           tensor_text(tensor), extents_text(tensor.dims), element_bytes,
                           range.length));
  }
  if (place.file.empty()) {
    place.fail(fmt::format("{} is in the file {}; a model in memory must have all its tensors",
                           tensor_text(tensor), tilewright::in_quotes(location)));
  }
  const std::optional<std::string> path = named_file_path(place.file, location);
  if (!path) {
    place.fail(fmt::format("{} is in the file {}, which is not in the model's folder or below it",
                           tensor_text(tensor), tilewright::in_quotes(location)));
  }
  FileContent content = read_file(*path, range);
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(*path, ignored);
  const auto [entry, is_new] = bytes_taken_.emplace(*path, 0);
  if (is_new && content.failure.empty()) external_bytes_read_ += content.bytes.size();
  std::uint64_t& taken = entry->second;
  taken += content.bytes.size();
  const std::uint64_t copied = kMaxCopiedElements * element_bytes;
  if (content.failure.empty() && taken > copied &&
      (taken - copied) / kMaxLayersOfOneMatrix > size) {
    content.failure = fmt::format("is read more than {} times", kMaxLayersOfOneMatrix);
  }
  if (!content.failure.empty()) {
    place.fail(fmt::format("{} is in the file {}, which {}", tensor_text(tensor),
                           tilewright::in_quotes(location), content.failure));
  }
  return std::move(content.bytes);
}

// Reads elements of type `From` from `fields`, raw data or external data.
template <typename To, typename From, typename Repeated>
std::vector<To> OnnxTensors::values(const onnx::Tensor& tensor, const Repeated& fields,
                                    const ModelPlace& place, std::uint64_t few) {
  const std::uint64_t count = element_count(tensor, place);
  if (count > few && ++uses_[&tensor] > kMaxLayersOfOneMatrix) {
    copied_elements_ += std::min(count, kMaxCopiedElements + 1);
    if (copied_elements_ > kMaxCopiedElements) {
      place.fail(
          fmt::format("{} is used by more than {} nodes, for which it would be copied; such "
                      "copies may have 64 MiB together",
                      tensor_text(tensor), kMaxLayersOfOneMatrix));
    }
  }
  if (tensor.segment)
    place.fail(
        fmt::format("{} is split into segments, which is not supported", tensor_text(tensor)));
  if (tensor.data_location == onnx::Tensor::kExternal) {
    return values_in_bytes<To, From>(external_bytes(tensor, sizeof(From), place), tensor, place);
  }
  if (tensor.raw_data) return values_in_bytes<To, From>(*tensor.raw_data, tensor, place);
  return values_in_fields<To, From>(fields, tensor, place);
}

bool is_integer_type(int type) {
  return num_digits(type) > 1;
}

int num_digits(int type) {
  switch (type) {
    case onnx::kBool:
      return 1;
    case onnx::kInt8:
      return 7;
    case onnx::kUint8:
      return 8;
    case onnx::kInt16:
      return 15;
    case onnx::kUint16:
      return 16;
    case onnx::kInt32:
      return 31;
    case onnx::kUint32:
      return 32;
    case onnx::kInt64:
      return 63;
    case onnx::kUint64:
      return 64;
    default:
      return 0;
  }
}

bool is_signed(int type) {
  return num_digits(type) % 8 == 7;
}

template <typename To>
std::vector<To> OnnxTensors::elements(const onnx::Tensor& tensor, const ModelPlace& place,
                                      std::uint64_t few) {
  switch (tensor.data_type) {
    case onnx::kFloat:
      return values<To, float>(tensor, tensor.float_data, place, few);
    case onnx::kDouble:
      return values<To, double>(tensor, tensor.double_data, place, few);
    case onnx::kFloat16:
    case onnx::kBfloat16:
      for (const std::int32_t field : tensor.int32_data) {
        if (field == (field & 0xffff)) continue;
        place.fail(fmt::format("{} has {} where 16 bits are expected", tensor_text(tensor), field));
      }
      return tensor.data_type == onnx::kFloat16
                 ? values<To, HalfBits>(tensor, tensor.int32_data, place, few)
                 : values<To, BfloatBits>(tensor, tensor.int32_data, place, few);
    case onnx::kInt64:
      return values<To, std::int64_t>(tensor, tensor.int64_data, place, few);
    case onnx::kUint64:
      return values<To, std::uint64_t>(tensor, tensor.uint64_data, place, few);
    case onnx::kUint32:
      return values<To, std::uint32_t>(tensor, tensor.uint64_data, place, few);
    case onnx::kInt32:
      return values<To, std::int32_t>(tensor, tensor.int32_data, place, few);
    case onnx::kInt16:
      return values<To, std::int16_t>(tensor, tensor.int32_data, place, few);
    case onnx::kUint16:
      return values<To, std::uint16_t>(tensor, tensor.int32_data, place, few);
    case onnx::kInt8:
      return values<To, std::int8_t>(tensor, tensor.int32_data, place, few);
    case onnx::kUint8:
    case onnx::kBool:
      return values<To, std::uint8_t>(tensor, tensor.int32_data, place, few);
    default:
      refuse_type(tensor, place);
  }
}

std::vector<float> OnnxTensors::floats(const onnx::Tensor& tensor, const ModelPlace& place,
                                       std::uint64_t few) {
  if (!is_read_as_floats(tensor.data_type)) refuse_type(tensor, place);
  return elements<float>(tensor, place, few);
}

double rounded_to_half(double value) {
  return static_cast<double>(
      cl_half_to_float(cl_half_from_float(static_cast<float>(value), CL_HALF_RTE)));
}

double rounded_to_bfloat(double value) {
  if (!std::isfinite(value)) return value;
  // Rounds to the nearest multiple of 2^16 of the bits of a float, ties to even.
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  return static_cast<double>(std::bit_cast<float>(rounded & 0xffff0000));
}

ConstantTensor OnnxTensors::numbers(const onnx::Tensor& tensor, const ModelPlace& place) {
  ConstantTensor result{tensor.data_type, tensor.dims, elements<double>(tensor, place, kMaxCount)};
  num_elements(result.extents, place);  // extents are limited even if another one is 0
  std::ranges::transform(result.values, result.values.begin(), without_payload);
  return result;
}

void OnnxTensors::append_files(std::vector<std::string>& files) const {
  for (const auto& [path, bytes] : bytes_taken_) files.push_back(path);
}

}  // namespace tilewright

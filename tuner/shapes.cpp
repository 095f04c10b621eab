#include "tuner/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "tuner/usage_error.hpp"

namespace tilewright {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::vector<GemmShape> squares(std::initializer_list<std::int64_t> sizes) {
  std::vector<GemmShape> shapes;
  for (const std::int64_t size : sizes) shapes.push_back({size, size, size});
  return shapes;
}

// Layers of the four nets of "Neural networks on low-power GPUs" (its tables 10.1 to 10.4) for a
// batch of 100: m x outputs x inputs, without the two last layers of less than a third of a Mflop.
std::vector<GemmShape> thesis_layers() {
  return {{100, 2500, 784},  {100, 2000, 2500}, {100, 10, 2000}, {100, 4096, 3072},
          {100, 3072, 4096}, {100, 10, 3072},   {100, 150, 640}, {100, 128, 256}};
}

std::optional<std::int64_t> parse_extent(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 ||
      value > static_cast<std::int64_t>(kMaxExtent)) {
    return std::nullopt;
  }
  return value;
}

GemmShape parse_shape(const std::string& text, const std::string& where) {
  const std::optional<GemmShape> shape = tilewright::parse_shape(text);
  if (!shape) {
    throw UsageError(fmt::format("{}: '{}' is not a shape MxNxK with whole numbers from 1 to {}",
                                 where, text, kMaxExtent));
  }
  return *shape;
}

void add_once(std::vector<GemmShape>& shapes, const GemmShape& shape) {
  if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
}

std::string without_blanks(std::string line) {
  line.erase(std::remove_if(line.begin(), line.end(),
                            [](unsigned char c) { return std::isspace(c) != 0; }),
             line.end());
  return line;
}

std::vector<GemmShape> read_shapes(std::ifstream& file, const std::string& path) {
  std::vector<GemmShape> shapes;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = without_blanks(line);
    if (line.empty() || line[0] == '#') continue;
    add_once(shapes, parse_shape(line, fmt::format("{}:{}", path, number)));
  }
  if (shapes.empty()) throw UsageError(fmt::format("{}: no shapes in the file", path));
  return shapes;
}

}  // namespace

std::optional<GemmShape> parse_shape(const std::string& text) {
  const std::vector<std::string> parts = split(text, 'x');
  std::vector<std::int64_t> extents;
  for (const std::string& part : parts) {
    if (const auto extent = parse_extent(part)) extents.push_back(*extent);
  }
  if (parts.size() != 3 || extents.size() != 3) return std::nullopt;
  return GemmShape{extents[0], extents[1], extents[2]};
}

std::vector<GemmShape> parse_shapes(const std::string& argument) {
  // The sizes of the Mali-T600 paper, tables 1.3 and 1.4.
  if (argument == "paper") return squares({96, 192, 384, 768, 1440, 2880});
  if (argument == "quick") return squares({96, 384, 768});
  if (argument == "thesis") return thesis_layers();
  const bool looks_like_list =
      !argument.empty() && argument.find_first_not_of("0123456789x,") == std::string::npos;
  if (!looks_like_list) {
    std::ifstream file(argument);
    if (!file) {
      throw UsageError(
          fmt::format("--shapes: '{}' is no preset ({}), no list of MxNxK and no file "
                      "that can be read",
                      argument, kShapePresets));
    }
    return read_shapes(file, argument);
  }
  std::vector<GemmShape> shapes;
  for (const std::string& part : split(argument, ','))
    add_once(shapes, parse_shape(part, "--shapes"));
  return shapes;
}

std::vector<Op> parse_ops(const std::string& argument, bool allow_tt) {
  std::vector<Op> ops;
  for (std::string word : split(argument, ',')) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::optional<Op> op = parse_op(word);
    if (!op || (*op == Op::kTT && !allow_tt)) {
      throw UsageError(
          fmt::format("--ops: '{}' is none of nn, nt, tn{}", word, allow_tt ? ", tt" : ""));
    }
    if (std::find(ops.begin(), ops.end(), *op) == ops.end()) ops.push_back(*op);
  }
  return ops;
}

std::vector<std::int64_t> parse_extents(const std::string& option, const std::string& argument) {
  std::vector<std::int64_t> extents;
  for (const std::string& part : split(argument, ',')) {
    const std::optional<std::int64_t> extent = parse_extent(part);
    if (!extent) {
      throw UsageError(
          fmt::format("{}: '{}' is no whole number from 1 to {}", option, part, kMaxExtent));
    }
    if (std::find(extents.begin(), extents.end(), *extent) == extents.end()) {
      extents.push_back(*extent);
    }
  }
  return extents;
}

double parse_duration(const std::string& option, const std::string& argument) {
  double seconds = 0.0;
  const char* at = argument.data();
  const char* end = at + argument.size();
  bool ok = at != end;
  while (ok && at != end) {
    double value = 0.0;
    const auto [stop, error] = std::from_chars(at, end, value, std::chars_format::fixed);
    const bool milli = end - stop >= 2 && stop[0] == 'm' && stop[1] == 's';
    const char unit = stop == end ? 's' : *stop;
    ok = error == std::errc() && value >= 0 && (unit == 's' || unit == 'm' || unit == 'h');
    seconds += value * (milli ? 1e-3 : unit == 'h' ? 3600 : unit == 'm' ? 60 : 1);
    at = stop == end ? end : stop + (milli ? 2 : 1);
  }
  if (!ok || !(seconds > 0) || seconds > 1e7) {
    throw UsageError(fmt::format("{}: '{}' is not a duration such as 200ms, 90s, 2m or 1h30m",
                                 option, argument));
  }
  return seconds;
}

std::string to_text(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

double flops(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

}  // namespace tilewright

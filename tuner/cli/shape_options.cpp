#include "tuner/cli/shape_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/base/text_file.hpp"
#include "profiles/base/usage_error.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // maximum size of a file of shapes

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

// Layers of the four networks in "Evaluating Neural Networks on Low Powered GPUs" (tables 10.1
// to 10.4) for a batch of 100: m x outputs x inputs. The last two layers are left out, because they
// have less than a third of a Mflop.
std::vector<GemmShape> thesis_layers() {
  return {{100, 2500, 784},  {100, 2000, 2500}, {100, 10, 2000}, {100, 4096, 3072},
          {100, 3072, 4096}, {100, 10, 3072},   {100, 150, 640}, {100, 128, 256}};
}

GemmShape parse_shape_argument(const std::string& text, const std::string& where) {
  const std::optional<GemmShape> shape = parse_shape(text);
  if (!shape) {
    throw UsageError(fmt::format("{}: {} is not a shape MxNxK with whole numbers from 1 to {}",
                                 where, in_quotes(text), kMaxExtent));
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

std::vector<GemmShape> shapes_in(std::string_view text, const std::string& path) {
  std::vector<GemmShape> shapes;
  text = without_byte_order_mark(text);
  for (int number = 1; !text.empty(); ++number) {
    const std::string line = without_blanks(std::string(take_line(text)));
    if (line.empty() || line[0] == '#') continue;
    add_once(shapes, parse_shape_argument(line, fmt::format("{}:{}", path, number)));
  }
  if (shapes.empty()) throw UsageError(fmt::format("{}: the file has no shapes", path));
  return shapes;
}

std::vector<GemmShape> read_shapes(const std::string& path) {
  const FileContent content = read_file(path, {0, kMaxBytes + 1});
  if (!content.can_be_opened) {
    throw UsageError(
        fmt::format("--shapes: '{}' is not a preset ({}), a list of MxNxK, or a readable file",
                    path, kShapePresets));
  }
  if (!content.failure.empty()) {
    throw UsageError(fmt::format("--shapes: '{}' {}", path, content.failure));
  }
  if (content.bytes.size() > kMaxBytes) {
    throw UsageError(fmt::format("--shapes: '{}' is larger than 1 MiB", path));
  }
  return shapes_in(content.bytes, path);
}

struct TimeUnit {
  std::string_view name;
  double seconds;
};
// In the order in which they may occur.
constexpr TimeUnit kTimeUnits[] = {{"h", 3600.0}, {"m", 60.0}, {"s", 1.0}, {"ms", 1e-3}};

// Parses "1h30m" or a plain number; each unit may occur once. "1h30" is ambiguous and therefore
// rejected.
std::optional<double> parse_seconds(std::string_view text) {
  double seconds = 0.0;
  const TimeUnit* unit = std::begin(kTimeUnits);  // the first unit that may still occur
  for (bool is_first = true; is_first || !text.empty(); is_first = false) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (error != std::errc() || !(value >= 0.0)) return std::nullopt;
    if (is_first && stop == end) return value;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    const std::string_view name = text.substr(0, text.find_first_of("0123456789."));
    unit = std::find_if(unit, std::end(kTimeUnits),
                        [&](const TimeUnit& each) { return each.name == name; });
    if (unit == std::end(kTimeUnits)) return std::nullopt;
    seconds += value * unit->seconds;
    ++unit;
    text.remove_prefix(name.size());
  }
  return seconds;
}

}  // namespace

std::vector<GemmShape> parse_shapes(const std::string& argument) {
  // The sizes in the Mali-T600 paper, tables 1.3 and 1.4.
  if (argument == "paper") return squares({96, 192, 384, 768, 1440, 2880});
  if (argument == "quick") return squares({96, 384, 768});
  if (argument == "thesis") return thesis_layers();
  const bool looks_like_list =
      !argument.empty() && argument.find_first_not_of("0123456789x,") == std::string::npos;
  if (!looks_like_list) return read_shapes(argument);
  std::vector<GemmShape> shapes;
  for (const std::string& part : split(argument, ','))
    add_once(shapes, parse_shape_argument(part, "--shapes"));
  return shapes;
}

ShapeChoice parse_shape_choice(const std::string& argument) {
  constexpr std::string_view kDesign = "auto";
  if (argument == kDesign) return {true, {}};
  if (!argument.starts_with(fmt::format("{},", kDesign))) return {false, parse_shapes(argument)};
  return {true, parse_shapes(argument.substr(kDesign.size() + 1))};
}

std::vector<Op> parse_ops(const std::string& argument, bool allow_tt) {
  std::vector<Op> ops;
  for (std::string word : split(argument, ',')) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::optional<Op> op = parse_op(word);
    if (!op || (*op == Op::kTT && !allow_tt)) {
      throw UsageError(
          fmt::format("--ops: '{}' is not one of nn, nt, tn{}", word, allow_tt ? ", tt" : ""));
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
          fmt::format("{}: '{}' is not a whole number from 1 to {}", option, part, kMaxExtent));
    }
    if (std::find(extents.begin(), extents.end(), *extent) == extents.end()) {
      extents.push_back(*extent);
    }
  }
  return extents;
}

double parse_duration(const std::string& option, const std::string& argument) {
  constexpr double kMax_s = 1e7;
  const std::optional<double> seconds = parse_seconds(argument);
  if (!seconds || !(*seconds > 0.0) || *seconds > kMax_s) {
    throw UsageError(
        fmt::format("{}: '{}' is not a duration such as 200ms, 90s, 2m, 1h30m or a number of "
                    "seconds, above 0 and at most {:.0f} s",
                    option, argument, kMax_s));
  }
  return *seconds;
}

}  // namespace tilewright

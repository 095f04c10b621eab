// Tests that the parsers of --shapes, --ops and durations handle any text, as an argument or in a
// file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "profiles/base/usage_error.hpp"
#include "property.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

void expect_right(const std::vector<GemmShape>& shapes) {
  expect(!shapes.empty(), "who accepts names a shape");
  for (const GemmShape& shape : shapes) {
    expect(shape.m >= 1 && shape.n >= 1 && shape.k >= 1, "extents are positive");
    expect(flops(shape) >= 2.0, "a product takes time");
    const auto again = parse_shape(to_text(shape));
    expect(again.has_value() && *again == shape, "a shape is written and read as it is");
  }
}

void parse_argument(const std::string& text) {
  // Other arguments are names of files, which a fuzzer should not open.
  if (text.find_first_not_of("0123456789x,") != std::string::npos) return;
  try {
    expect_right(parse_shapes(text));
  } catch (const UsageError&) {
  }
}

void parse_file(const std::string& text) {
  static const int file = memfd_create("shapes", 0);
  expect(ftruncate(file, 0) == 0, "a file can be emptied");
  expect(pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
         "a file can be written");
  try {
    expect_right(parse_shapes("/proc/self/fd/" + std::to_string(file)));
  } catch (const UsageError&) {
  }
}

void parse_others(const std::string& text) {
  try {
    expect(!parse_ops(text, true).empty(), "who accepts names operands");
  } catch (const UsageError&) {
  }
  try {
    const double seconds = parse_duration("--budget", text);
    expect(seconds > 0.0 && seconds <= 1e7, "a duration is positive and bounded");
  } catch (const UsageError&) {
  }
}

}  // namespace
}  // namespace tilewright

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  tilewright::parse_argument(text);
  tilewright::parse_file(text);
  tilewright::parse_others(text);
  return 0;
}

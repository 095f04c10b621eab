#include "codelets/text/kernel_text.hpp"

#include "catch.hpp"
#include "profiles/version.hpp"

namespace tilewright {
namespace {

KernelRecord a_record() {
  KernelRecord record;
  record.entry = "f";
  record.point = "reduce";
  record.work_group = {4, 2};
  record.work_group_k = 8;
  return record;
}

TEST_CASE("the parts of a kernel's text are in order, and the signature follows from the record") {
  KernelRecord record = a_record();
  record.bias = Dimension::kN;
  KernelParts parts;
  parts.purpose = {"Nothing."};
  parts.functions.line("void g();");
  parts.arguments = {"const int m", "const int n"};
  parts.body.line("g();");
  write_source(record, std::move(parts));
  const std::string text = R"(
// Nothing.

void g();
__kernel __attribute__((reqd_work_group_size(4, 2, 8)))
void f(const int m,
    const int n,
    __global const float *restrict bias, const ulong offset_bias)
{
  g();
}
)";
  CHECK(record.source == fmt::format("// tilewright {}: reduce{}", kVersion, text));
}

TEST_CASE("the legend has a line for each entry whose names occur in the code") {
  KernelRecord record = a_record();
  KernelParts parts;
  parts.legend = {{{"row", "col"}, "a place"}, {{"only"}, "of a comment"}, {{"in_row"}, "none"}};
  for (int i = 0; i < 20; ++i) {
    parts.legend.push_back({{"p" + std::to_string(i)}, "a number"});
    parts.body.line("int p{} = row; // only col", i);
  }
  KernelRecord short_record = record;
  write_source(short_record, parts);
  CHECK(short_record.source.find("//   ") == std::string::npos);
  write_source(record, std::move(parts), Legend::kWritten);
  CHECK(record.source.find("\n//   row: a place\n//   p0: a number\n") != std::string::npos);
  CHECK(record.source.find("//   p19: a number\n\n__kernel") != std::string::npos);
  CHECK(record.source.find("only:") == std::string::npos);
}

TEST_CASE("the dimensions of work-items along m and n") {
  CHECK(work_group_shape(IdOrder::kNM, 2, 3) == std::array{3, 2});
  CHECK(work_group_shape(IdOrder::kMN, 2, 3) == std::array{2, 3});
  CHECK(work_group_shape(IdOrder::kFlat, 1, 64) == std::array{64, 1});
}

}  // namespace
}  // namespace tilewright

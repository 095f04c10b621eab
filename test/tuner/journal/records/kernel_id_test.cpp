// Tests that kernels are identified by their text, and that their data are computed once.
#include "tuner/journal/records/kernel_id.hpp"

#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "codelets/space/emit.hpp"

namespace tilewright {
namespace {

TEST_CASE("a text gives the kernel of its point, however the text is written") {
  const KernelId kernel = parse_kernel("tile_n=4  tile_m=2 op=TN");
  CHECK(kernel.text() == to_text(parse_point("op=TN tile_m=2 tile_n=4")));
  CHECK(kernel.point() == parse_point(kernel.text()));
  CHECK(kernel == KernelId(kernel.point()));
  CHECK(kernel != parse_kernel("tile_m=2"));
  CHECK_THROWS_AS(parse_kernel("gemm tile_m=x"), ParameterError);
}

TEST_CASE("kernels are ordered by their texts, after no kernel") {
  const std::set<KernelId> kernels = {parse_kernel("pack"), parse_kernel("gemm tile_m=2"),
                                      KernelId(), parse_kernel("gemm"), parse_kernel("gemm")};
  std::vector<std::string> texts;
  for (const KernelId& kernel : kernels) texts.push_back(kernel.text());
  CHECK(texts == std::vector<std::string>{"", "gemm", "gemm tile_m=2", "pack"});
}

TEST_CASE("no kernel has an empty text, and neither point nor record") {
  CHECK(parse_kernel("").empty());
  CHECK(parse_kernel("") == KernelId());
  CHECK(KernelId().text().empty());
  CHECK_THROWS_AS(KernelId().point(), std::logic_error);
  CHECK_THROWS_AS(KernelId().facts(), std::logic_error);
}

TEST_CASE("the facts of a kernel are its record without the source") {
  for (const char* text :
       {"layout_a=R8x1C tile_m=8 tile_n=4 vector_width=4", "gemm precision=h tile_m=2 split_k=2",
        "gemv narrow=n tile_narrow=2 precision=d", "pack from=R to=R8x1C",
        "reduce vector_width=4 bias=n activation=relu", "activation bias=m activation=sigmoid",
        "softmax work_group_n=4 activation=log"}) {
    INFO(text);
    const KernelId kernel = parse_kernel(text);
    KernelRecord record = emit(kernel.point());
    CHECK_FALSE(record.source.empty());
    record.source.clear();
    CHECK(kernel.facts() == record);
    CHECK(kernel.facts().source.empty());
  }
  // A point that violates a rule still identifies a kernel, but has no record.
  CHECK_THROWS_AS(parse_kernel("pack from=R8x1C to=C1x8R").facts(), std::invalid_argument);
}

TEST_CASE("copies of a kernel share one record, whichever thread asks first") {
  const KernelId kernel = parse_kernel("gemm tile_m=2");
  std::vector<const KernelRecord*> seen(4);
  std::vector<std::thread> threads;
  for (const KernelRecord*& record : seen) {
    threads.emplace_back([&record, copy = kernel] { record = &copy.facts(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const KernelRecord* record : seen) CHECK(record == &kernel.facts());
}

}  // namespace
}  // namespace tilewright

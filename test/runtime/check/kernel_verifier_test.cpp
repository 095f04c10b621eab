// Tests that the thorough verification finds kernels with a single error.
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/check/kernel_check.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

// The verdict on a kernel in whose text `from` was replaced by `to`: kind and reason, or "right".
std::string verdict(const char* point, const std::string& from, const std::string& to) {
  const TestDevice d;
  KernelRecord record = emit(parse_point(point));
  if (!from.empty()) {
    const std::size_t at = record.source.rfind(from);
    REQUIRE(at != std::string::npos);
    record.source.replace(at, from.size(), to);
  }
  const Verified verified = KernelVerifier().verify(d.executor, d.queue, *load_kernel(d, record));
  const auto* kernel_error = std::get_if<KernelError>(&verified);
  return kernel_error == nullptr
             ? "right"
             : std::string(to_text(kernel_error->kind)) + ": " + kernel_error->reason;
}

bool is_wrong(const std::string& verdict) {
  return verdict.find("wrong: ") == 0;
}

constexpr const char* kPoint = "op=NN tile_m=2 tile_n=4 tile_k=2 vector_width=4";

TEST_CASE("a correct kernel passes, with an error well below its bound") {
  CHECK(verdict(kPoint, "", "") == "right");
}

TEST_CASE("a missing remainder of k is detected") {
  CHECK(is_wrong(verdict(kPoint, "for (; p < k; ++p)", "for (; p < 0; ++p)")));
}

TEST_CASE("reading C when beta is 0 is detected, because C contains NaN") {
  CHECK(is_wrong(verdict(kPoint, "if (beta != 0.0f)", "if (true)")));
}

TEST_CASE("a wrong alpha or beta is detected") {
  CHECK(is_wrong(verdict(kPoint, "store_last4(alpha * c0_0", "store_last4(c0_0")));
  CHECK(is_wrong(verdict(kPoint, "x += beta * LOAD4(C)", "x += vload4(0, C)")));
}

TEST_CASE("a store after the edge is detected in the gap between rows") {
  CHECK(is_wrong(verdict(kPoint, "if (row + 1 < m)", "if (row + 1 < m + 1)")));
  const std::string store = "if (col < n) store1(alpha * c0_0, beta, C0 + col);";
  const std::string verdict_on_gap =
      verdict("op=NN", store, store + " if (col == n - 1) C0[n] = 0.0f;");
  CHECK(verdict_on_gap.find("writes outside of its result") != std::string::npos);
}

TEST_CASE("an additional product in a sum is detected, because gaps contain NaN") {
  CHECK(is_wrong(verdict("op=NN", "for (; p < k; ++p)", "for (; p <= k; ++p)")));
}

TEST_CASE("a missing product in a sum is detected") {
  CHECK(is_wrong(verdict("op=NN", "for (; p < k; ++p)", "for (; p < k - (k > 300); ++p)")));
}

TEST_CASE("a missing or doubled part of a split k is detected") {
  const char* point = "op=NN split_k=4";
  CHECK(verdict(point, "", "") == "right");
  CHECK(is_wrong(verdict(point, "min(k_first + part, k)", "min(k_first + part - 1, k)")));
  CHECK(is_wrong(verdict(point, "min(k_first + part, k)", "min(k_first + part + 1, k)")));
}

TEST_CASE("a missing bias or activation is detected") {
  CHECK(is_wrong(verdict("op=NN bias=m", " + line_bias0", "")));
  CHECK(is_wrong(verdict("op=NN activation=relu", "fmax(x, 0.0f)", "x")));
  CHECK(is_wrong(verdict("op=NN precision=h bias=m", " + line_bias0", "")));
  CHECK(is_wrong(verdict("op=NN precision=h activation=relu", "fmax(x, 0.0f)", "x")));
}

// The distance of 1 from the next smaller half-precision number is 2^-11.
TEST_CASE("an error of one unit in the last place of half precision is detected") {
  const char* point = "op=NN precision=h bias=m activation=sigmoid";
  CHECK(verdict(point, "", "") == "right");
  CHECK(is_wrong(verdict(point, "exp(-x))", "exp(-x)) * 1.001f")));
}

TEST_CASE("an exp() with a larger error than the bound is detected, whatever its variant") {
  const char* point = "op=NN activation=sigmoid exp=native";
  CHECK(is_wrong(verdict(point, "native_exp(-x)", "(exp(-x) * 1.0001f)")));
  CHECK(verdict(point, "native_exp(-x)", "(exp(-x) * 1.0000001f)") == "right");
}

// The verdict on products with NaN and infinity.
std::string verdict_beyond_numbers(const char* point, const std::string& from = "",
                                   const std::string& to = "") {
  const TestDevice d;
  KernelRecord record = emit(parse_point(point));
  if (!from.empty()) record.source.replace(record.source.rfind(from), from.size(), to);
  const auto kernel = load_kernel(d, record);
  for (const double beta : {0.0, 0.75}) {
    CheckCase test{{17, 19, 13}, -1.5, record.split_k > 1 ? 0.0 : beta, CheckData::kNonfinite};
    if (record.narrow == Dimension::kN) test.shape.n = record.tile.n;
    const Verified verified =
        check_case(d.executor, d.queue, *kernel, test, make_data(test, record));
    if (const auto* kernel_error = std::get_if<KernelError>(&verified)) return kernel_error->reason;
  }
  return "right";
}

TEST_CASE("NaN and infinity in A, B and C affect the results that depend on them") {
  for (const char* point :
       {"op=NN", kPoint, "op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot",
        "op=TN tile_m=4 tile_n=8 vector_width=4 multiply_add=mad access=aligned",
        "op=NN layout_b=C1x8R tile_m=4 tile_n=8 vector_width=8 edges=padded", "op=NN split_k=4",
        "gemv tile_narrow=4 tile_wide=2 tile_k=4 vector_width=4"}) {
    INFO(point);
    CHECK(verdict_beyond_numbers(point) == "right");
  }
  const std::string lost =
      verdict_beyond_numbers("op=NN", "store1(alpha * c0_0", "store1(fmin(alpha * c0_0, 1e9f)");
  CHECK(lost.find("expected") != std::string::npos);
}

TEST_CASE("kernels whose compiler may ignore NaN are checked with NaN, except with activations") {
  const auto count = [](const char* point) {
    return awkward_cases(emit(parse_point(point)), awkward_shapes()).size();
  };
  const std::size_t plain = count("op=NN");
  CHECK(count("op=NN math=mad") == plain);
  CHECK(count("op=NN math=fast") == plain + 4);
  CHECK(count("op=NN math=fast bias=m") == plain + 4);
  CHECK(count("op=NN math=fast activation=relu") == plain);
}

TEST_CASE("the verification finds everything that the check before the first use finds") {
  // A product of a batch that starts where the previous one starts.
  const TestDevice d;
  KernelRecord record = emit(parse_point("op=NN"));
  REQUIRE(record.batched);
  const std::string from = "stride_a";
  record.source.replace(record.source.rfind(from), from.size(), "0");
  CHECK(check_kernel(d.executor, d.queue, *load_kernel(d, record)));
  CHECK(std::holds_alternative<KernelError>(
      KernelVerifier().verify(d.executor, d.queue, *load_kernel(d, record))));
}

TEST_CASE("a kernel whose record has m and n exchanged is detected") {
  const TestDevice d;
  for (const char* point :
       {"tile_m=4 tile_n=4 vector_width=4 work_group_m=16 work_group_n=16",
        "tile_m=2 tile_n=8 vector_width=8 work_group_m=64 work_group_n=2 id_order=mn"}) {
    INFO(point);
    KernelRecord record = emit(parse_point(point));
    record.id_order = record.id_order == IdOrder::kNM ? IdOrder::kMN : IdOrder::kNM;
    CHECK(std::holds_alternative<KernelError>(
        KernelVerifier().verify(d.executor, d.queue, *load_kernel(d, record))));
  }
}

TEST_CASE("a pack kernel that omits an edge is detected") {
  const TestDevice d;
  KernelRecord record = emit(parse_point("pack tile_m=4 tile_n=4 vector_width=4"));
  const std::string from = "c < min(col + 4, padded_n)";
  record.source.replace(record.source.find(from), from.size(), "c < min(col + 4, padded_n - 1)");
  const auto kernel = load_kernel(d, record);
  CHECK(check_kernel(d.executor, d.queue, *kernel));
}

TEST_CASE("a reduce kernel that omits a part, or reads C when beta is 0, is detected") {
  const TestDevice d;
  const auto is_refused = [&](const std::string& from, const std::string& to) {
    KernelRecord record = emit(parse_point("reduce vector_width=4 bias=n"));
    if (!from.empty()) record.source.replace(record.source.find(from), from.size(), to);
    return check_kernel(d.executor, d.queue, *load_kernel(d, record)).has_value();
  };
  CHECK_FALSE(is_refused("", ""));
  CHECK(is_refused("z < parts", "z < parts - 1"));
  CHECK(is_refused("if (beta != 0.0f)", "if (true)"));
  CHECK(is_refused("col + 4 <= n", "col <= n"));
}

}  // namespace
}  // namespace tilewright

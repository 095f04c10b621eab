// Tests the check before a kernel is first used with another driver: correct kernels of all kinds
// pass, and each kind of error is found.
#include "runtime/check/kernel_check.hpp"

#include "catch.hpp"
#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "codelets/space/named_points.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"
#include "written_kernels.hpp"

namespace tilewright {
namespace {

// Returns the error or ""; points that the device does not support are skipped.
std::string fault(const TestDevice& d, const KernelRecord& record) {
  const Loaded loaded = d.executor.load(record);
  if (const auto* kernel_error = std::get_if<KernelError>(&loaded)) {
    return kernel_error->kind == FailureKind::kLimits ? "" : kernel_error->reason;
  }
  const auto kernel_error =
      check_kernel(d.executor, d.queue, *std::get<std::unique_ptr<LoadedKernel>>(loaded));
  return kernel_error ? std::string(to_text(kernel_error->kind)) + ": " + kernel_error->reason : "";
}

TEST_CASE("the check passes the kernels of the built-in profile") {
  const TestDevice d;
  const Profile floats = parse_profile(generic_profile_text(), "built-in");
  for (const Profile& profile : {floats, retyped(floats, Precision::kHalf)}) {
    CHECK(profile.kernels.size() > 40);
    for (const KernelRecord& record : profile.kernels) {
      INFO(record.name);
      CHECK(fault(d, record) == "");
    }
  }
}

TEST_CASE("the check passes correct kernels of every kind") {
  const TestDevice d;
  for (const char* point :
       {"op=NT tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=4 work_group_n=4",
        "op=TN tile_m=4 tile_n=4 vector_width=4 edges=padded",
        "op=TT tile_m=2 tile_n=8 work_group_m=16 work_group_n=8",
        "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 edges=padded",
        "layout_a=R layout_b=C1x8R tile_m=4 tile_n=8 tile_k=2 vector_width=4 work_group_m=2 "
        "split_k=8",
        "op=TN tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4 stream_k=2",
        "tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=4 id_order=mn "
        "group_order=tiled stream_k=3 cache_block_k=8 local_a=yes local_b=yes "
        "local_buffers=2 prefetch=conditional access=elements",
        "op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=partial work_group_m=2 "
        "work_group_n=4 assignment=offset stream_k=1",
        "layout_a=R4x1C layout_b=C1x8R tile_m=4 tile_n=8 unroll_k=4 vector_width=4 work_group_m=2 "
        "stream_k=2",
        "op=TN tile_m=8 tile_n=4 tile_k=2 vector_width=4 work_group_m=4 work_group_n=4 "
        "image_a=yes image_b=yes edges=padded",
        "gemv layout_a=R layout_b=C tile_narrow=4 tile_wide=2 tile_k=8 vector_width=4 "
        "work_group_k=8",
        "tile_m=2 tile_n=2 bias=n activation=relu",
        "op=NT tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4 activation=sigmoid",
        "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 edges=padded bias=n "
        "activation=tanh",
        "layout_a=R4x1C layout_b=C1x8R tile_m=4 tile_n=8 unroll_k=2 vector_width=4 work_group_m=8 "
        "work_group_n=8 access=aligned bias=m activation=leaky_relu",
        "gemv layout_a=R layout_b=C tile_narrow=4 tile_wide=2 tile_k=8 vector_width=4 "
        "work_group_k=8 bias=n",
        "gemv layout_a=R layout_b=R tile_narrow=1 tile_wide=4 tile_k=4 vector_width=4 narrow=m "
        "bias=n activation=leaky_relu",
        "pack from=R to=C",
        "pack from=C to=R tile_m=4 tile_n=4 vector_width=4",
        "pack from=R to=R12x1C tile_m=12 tile_n=4 vector_width=4",
        "pack from=C4x4C to=R tile_m=2 tile_n=2 work_group_n=8",
        "pack from=R to=C image=yes tile_m=4 tile_n=4 vector_width=4",
        "reduce",
        "reduce vector_width=4 work_group_n=16",
        "reduce bias=n",
        "reduce vector_width=4 work_group_n=16 bias=n activation=relu",
        "reduce activation=leaky_relu",
        "reduce bias=n activation=hard_sigmoid",
        "tile_m=2 tile_n=8 vector_width=8 bias=n activation=clip",
        "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 edges=padded bias=n "
        "activation=elu",
        "gemv layout_a=R layout_b=C tile_narrow=4 tile_wide=2 tile_k=8 vector_width=4 "
        "work_group_k=8 bias=n activation=clip",
        "activation bias=n activation=selu",
        "activation tile_n=4 vector_width=4 activation=softplus",
        "activation tile_n=8 vector_width=8 bias=n activation=hard_swish",
        "activation tile_n=4 vector_width=4 bias=n activation=gelu",
        "activation tile_n=16 vector_width=16 bias=n activation=gelu_tanh",
        "activation bias=m activation=leaky_relu",
        "activation tile_m=4 tile_n=2 vector_width=2 id_order=mn activation=sigmoid",
        "activation tile_n=8 vector_width=4 id_order=flat bias=m activation=tanh",
        "activation tile_n=4 vector_width=4 work_group_n=8 id_order=flat",
        "softmax",
        "activation tile_n=8 vector_width=8 activation=sigmoid",
        "softmax vector_width=8",
        "softmax vector_width=4 work_group_m=2 work_group_n=8",
        "softmax work_group_m=16",
        "softmax activation=log",
        "softmax vector_width=4 work_group_m=2 work_group_n=8 activation=log"}) {
    INFO(point);
    CHECK(fault(d, emit(parse_point(point))) == "");
    const ParameterPoint half_precision = with_precision(parse_point(point), Precision::kHalf);
    if (broken_structural_rule(half_precision) != nullptr) continue;  // images
    INFO("half precision");
    CHECK(fault(d, emit(half_precision)) == "");
  }
  for (const NamedPoint& named : named_points()) {
    INFO(named.name);
    CHECK(fault(d, emit(named.point())) == "");
  }
}

// Replaces the first occurrence, which must exist.
KernelRecord altered(KernelRecord record, const std::string& what, const std::string& by) {
  const std::size_t at = record.source.find(what);
  REQUIRE(at != std::string::npos);
  record.source.replace(at, what.size(), by);
  return record;
}

TEST_CASE("the check finds each kind of error") {
  const TestDevice d;
  const KernelRecord gemm = with_source(written_gemm("gemm", "R", "C", "R"));
  REQUIRE(fault(d, gemm) == "");
  const auto is_wrong = [&](const KernelRecord& record) {
    return fault(d, record).find("wrong: ") == 0;
  };
  CHECK(is_wrong(altered(gemm, "alpha * x", "x")));
  CHECK(is_wrong(
      altered(gemm, "if (beta != 0.0f) x += beta", "if (beta != 0.0f) x += 1.001f * beta")));
  CHECK(is_wrong(altered(gemm, "if (beta != 0.0f) x += beta", "x += beta")));  // reads C
  CHECK(is_wrong(altered(gemm, "p < end", "p < end - 1")));
  CHECK(is_wrong(altered(gemm, "p < end", "p <= end")));  // reads past k
  CHECK(is_wrong(altered(gemm, "C[at] = x;", "C[at] = x; if (col == n - 1) C[at + 1] = 0.0f;")));
  CHECK(is_wrong(altered(gemm, "C[at] = x;", "C[at] = x * 1.0001f;")));
  // Wrong only in the last row.
  CHECK(is_wrong(altered(gemm, "C[at] = x;", "if (row < m - 1) C[at] = x;")));

  const KernelRecord pack = written_pack("pack", "R", "R 8 1 C");
  REQUIRE(fault(d, pack) == "");
  CHECK(is_wrong(altered(pack, ": 0.0f", ": 1.0f")));  // padding
  CHECK(is_wrong(altered(pack, "row < m && col < n", "row < m && col < n - 1")));
  CHECK(is_wrong(altered(pack, "row < m && col < n", "row < m && col <= n")));  // X's padding

  const KernelRecord reduce = written_reduce("reduce");
  REQUIRE(fault(d, reduce) == "");
  CHECK(is_wrong(altered(reduce, "z < parts", "z < parts - 1")));
  CHECK(is_wrong(altered(reduce, "x *= alpha", "x *= 1.0f")));
}

// Checks that the point's kernel is correct, but not if `what` is replaced by `by`.
void check_finds(const TestDevice& d, const char* point, const std::string& what,
                 const std::string& by) {
  INFO(point << ": " << by << " in the place of " << what);
  const KernelRecord right = emit(parse_point(point));
  CHECK(fault(d, right) == "");
  CHECK(fault(d, altered(right, what, by)).find("wrong: ") == 0);
}

TEST_CASE("the check finds errors in the bias or activation of a product") {
  const TestDevice d;
  const auto is_wrong = [&](const char* point, const std::string& what, const std::string& by) {
    check_finds(d, point, what, by);
  };
  const char* gemm = "tile_m=2 tile_n=2 bias=n activation=relu";
  is_wrong(gemm, "fmax(x, 0.0f)", "x");
  is_wrong(gemm, "bias += offset_bias;", "");
  is_wrong(gemm, " + bias0", "");
  is_wrong(gemm, "bias[col]", "bias[row]");
  is_wrong("gemm activation=leaky_relu", "slope * x", "x");
  const char* gemv =
      "gemv layout_a=R layout_b=R tile_narrow=1 tile_wide=4 tile_k=4 vector_width=4 narrow=m "
      "bias=n activation=leaky_relu";
  is_wrong(gemv, "x < 0.0f ? slope * x : x", "x");
  is_wrong(gemv, "x += bias;", "");
  is_wrong(gemv, "bias[offset_bias + col + 3]", "bias[offset_bias + col + 2]");
  const char* reduce = "reduce bias=n activation=relu";
  is_wrong(reduce, "fmax(x, 0.0f)", "x");
  is_wrong(reduce, "bias[offset_bias + col]", "bias[offset_bias + row]");
  is_wrong("gemm precision=h tile_m=2 tile_n=2 bias=n activation=relu", " + bias0", "");
  is_wrong("reduce precision=h bias=n", "bias[offset_bias + col]", "bias[offset_bias + row]");
}

TEST_CASE("the check finds each kind of error in the kernels of a network") {
  const TestDevice d;
  const auto is_wrong = [&](const char* point, const std::string& what, const std::string& by) {
    check_finds(d, point, what, by);
  };
  const char* scalar = "activation bias=n activation=sigmoid";
  is_wrong(scalar, "REAL value = 0.0f", "REAL value = 0.5f");  // padding
  is_wrong(scalar, "bias[offset_bias + col]", "bias[offset_bias + row]");
  is_wrong(scalar, "bias[offset_bias + col]", "bias[col]");
  is_wrong(scalar, "1.0f + exp", "1.001f + exp");
  is_wrong(scalar, "col >= padded_n", "col >= n");
  is_wrong(scalar, "STORE(value", "Y[offset_y - 1] = 0.0f; STORE(value");
  is_wrong("activation activation=leaky_relu", "slope * v", "0.2f * v");
  // Wrong only for whole tiles, or only for dense matrices.
  is_wrong("activation tile_n=4 vector_width=4", "LOAD4(x)", "LOAD4(x + 1)");
  is_wrong("activation tile_n=4 vector_width=4 id_order=flat", "LOAD4(x)", "LOAD4(x + 1)");
  is_wrong("activation tile_n=4 vector_width=4 id_order=flat", "ldx == n && ldy == n", "true");
  is_wrong("softmax", "- largest", "");  // overflows
  is_wrong("softmax activation=log", "- logarithm", "");
  is_wrong("softmax activation=log", "log(sum)", "log(sum) + 1e-4f");
  is_wrong("activation activation=gelu", "-0.70710678f", "-0.70f");
  is_wrong("activation activation=gelu_tanh", "0.044715f", "0.045f");
  is_wrong("activation activation=softplus", "log1p(exp(-fabs(v)))", "0.0f");
  is_wrong("activation activation=elu", "slope * ", "");
  is_wrong("activation activation=hard_sigmoid", "+ shift", "+ slope");
  is_wrong("activation activation=clip", "low)", "high)");
  is_wrong("softmax", "sum += e", "sum = e");
  is_wrong("softmax", "col < padded_n", "col < n");
  is_wrong("softmax", "row < m ? n : 0", "n");
  is_wrong("softmax vector_width=4", "columns % 4;", "columns % 4 + 4;");
  is_wrong("activation precision=h bias=n activation=sigmoid", "1.0f + exp", "1.002f + exp");
  is_wrong("softmax precision=h", "- largest", "");
  // Correct for elements near the maximum, wrong by 1 % where half-precision numbers are still
  // normal.
  is_wrong("softmax precision=h", "- largest", "* 1.002f - 1.002f * largest");
  is_wrong("softmax precision=h", "sum += e", "sum = e");
  is_wrong("softmax precision=h activation=log", "- logarithm", "");
  is_wrong("softmax work_group_n=8", "sum = meeting[id - part]", "sum = meeting[id]");
}

// Work-groups of 32 x 32 elements, and others: with too few of them, either order covers C.
TEST_CASE("the check finds a kernel whose record has m and n exchanged") {
  const TestDevice d;
  for (const char* point :
       {"pack tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8",
        "pack to=C1x32R tile_m=4 tile_n=8 vector_width=4 work_group_m=32",
        "op=NT tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8",
        "tile_m=2 tile_n=8 vector_width=8 work_group_m=16 work_group_n=4 id_order=mn split_k=2",
        "gemv layout_a=R layout_b=C tile_narrow=4 tile_wide=2 tile_k=8 vector_width=4 "
        "work_group_k=8",
        "reduce vector_width=4 work_group_m=8 work_group_n=8",
        "activation tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8",
        "activation tile_n=16 vector_width=16 work_group_m=4 work_group_n=16 activation=relu"}) {
    INFO(point);
    KernelRecord record = emit(parse_point(point));
    CHECK(fault(d, record) == "");
    record.id_order = record.id_order == IdOrder::kNM ? IdOrder::kMN : IdOrder::kNM;
    CHECK(fault(d, record).find("wrong: ") == 0);
  }
}

// The kernel's text with the first `from` after `anchor` replaced.
KernelRecord spoilt(const char* point, const std::string& anchor, const std::string& from,
                    const std::string& text) {
  KernelRecord record = emit(parse_point(point));
  const std::size_t at = record.source.find(from, record.source.find(anchor));
  REQUIRE(at != std::string::npos);
  record.source.replace(at, from.size(), text);
  return record;
}

TEST_CASE("the check covers whole loop iterations, and products that are too narrow for vectors") {
  const TestDevice d;
  for (const char* point : {"tile_k=16 unroll_k=4", "tile_k=4 unroll_k=16 split_k=2"}) {
    INFO(point);
    CHECK(fault(d, emit(parse_point(point))) == "");
    // Wrong only in the loop over whole iterations of 64 k steps.
    CHECK(fault(d, spoilt(point, "for (;", "{\n", "{\n    c0_0 += 9.0f;\n")).find("wrong: ") == 0);
  }
  const char* blocks =
      "tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8 cache_block_k=64 local_a=yes "
      "local_b=yes unroll_k=16";
  CHECK(fault(d, emit(parse_point(blocks))) == "");
  CHECK(fault(d, spoilt(blocks, "for (;", "{\n", "{\n    c0_0 += 9.0f;\n")).find("wrong: ") == 0);
  const char* vectors = "tile_m=4 tile_n=4 vector_width=4";
  CHECK(fault(d, spoilt(vectors, "C is narrower", "0.0f", "1e6f")).find("wrong: ") == 0);
}

TEST_CASE("the check covers whole and shared tiles if k is divided evenly") {
  const TestDevice d;
  for (const char* point :
       {"tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4 stream_k=1",
        "tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4 stream_k=2",
        "tile_m=8 tile_n=12 vector_width=4 work_group_m=8 work_group_n=8 stream_k=3"}) {
    INFO(point);
    CHECK(fault(d, emit(parse_point(point))) == "");
    const auto is_wrong = [&](const char* from, const char* text) {
      INFO(from << " becomes " << text);
      return fault(d, spoilt(point, "divided evenly", from, text)).find("wrong: ") == 0;
    };
    CHECK(is_wrong("next_part : num_parts", "next_part + 1 : num_parts"));
    CHECK(is_wrong("ld_parts + j] = 0.0f", "ld_parts + j] = 1.0f"));
    CHECK(is_wrong("const int k_end = min(", "const int k_end = min(-1 + "));
    CHECK(is_wrong("if (is_direct)", "if (true)"));
    // Parts that do not end with their tile.
    CHECK(is_wrong("? 0 : at - shared_tile * tile_blocks", "? 0 : 0 * shared_tile * tile_blocks"));
  }
}

TEST_CASE("the check covers every share if work-items share k") {
  const TestDevice d;
  for (const char* point :
       {"tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=4 work_group_n=4 work_group_k=4",
        "tile_m=2 tile_n=2 work_group_n=8 work_group_k=8 split_k=2"}) {
    INFO(point);
    CHECK(fault(d, emit(parse_point(point))) == "");
    const auto is_wrong = [&](const char* from, const char* text) {
      INFO(from << " becomes " << text);
      return fault(d, spoilt(point, "are added up", from, text)).find("wrong: ") == 0;
    };
    CHECK(is_wrong("share < shares", "share + 1 < shares"));  // omits one share
    CHECK(is_wrong("shares > 0", "shares > 1"));              // omits half of the shares
    CHECK(is_wrong("+=", "="));                               // omits its own share
  }
}

}  // namespace
}  // namespace tilewright

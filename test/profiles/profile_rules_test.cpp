// Tests that the writer rejects what the parser would reject. (kernel_rules_test.cpp tests rules
// for kernels, broken_rules_test.cpp tests the parser.)
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "refused_change.hpp"

namespace tilewright {
namespace {

TEST_CASE("invalid results are not written") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  check({
      {"result[0].kernel: 'none'", [](Profile& p) { p.results[0].kernel = "none"; }},
      {"result[1].0x32x7: m, n and k", [](Profile& p) { p.results[1].m = 0; }},
      {"result[1].64x-1x7: m, n and k", [](Profile& p) { p.results[1].n = -1; }},
      {"result[1].64x32x0: m, n and k", [](Profile& p) { p.results[1].k = 0; }},
      {"m, n and k must be at most",
       [](Profile& p) { p.results[1].m = std::numeric_limits<std::int64_t>::max(); }},
      {"m, n and k must be at most", [](Profile& p) { p.results[1].n = 2'000'000'001; }},
      {"m, n and k must be at most",
       [](Profile& p) { p.results[1].k = std::numeric_limits<std::int64_t>::max(); }},
      {"result[1].64x32x7: the number", [](Profile& p) { p.results[1].samples = 0; }},
      {"result[1].64x32x7: must be positive", [](Profile& p) { p.results[1].median_ns = kNan; }},
      {"result[1].64x32x7: must be positive", [](Profile& p) { p.results[1].median_ns = 0.0; }},
      {"result[1].64x32x7: must be positive", [](Profile& p) { p.results[1].high_ns = kInfinity; }},
      {"result[1].64x32x7: must be positive", [](Profile& p) { p.results[1].low_ns = -1.0; }},
      {"result[1].64x32x7: low_ns must not", [](Profile& p) { p.results[1].low_ns = 1001.0; }},
      {"result[1].64x32x7: high_ns must not", [](Profile& p) { p.results[1].high_ns = 1000.0; }},
      {"result[1].max_error: must", [](Profile& p) { p.results[1].max_error = 1.0; }},
      {"result[1].max_error: must", [](Profile& p) { p.results[1].max_error = -0.1; }},
      {"result[1].max_error: must", [](Profile& p) { p.results[1].max_error = kNan; }},
      {"pack_result[0].kernel: 'gemm_nn'",
       [](Profile& p) { p.pack_results[0].kernel = "gemm_nn"; }},
      {"pack_result[0].ns_per_element: ",
       [](Profile& p) { p.pack_results[0].ns_per_element = kNan; }},
      {"model[0].kernel: 'pack_rc'", [](Profile& p) { p.models[0].kernel = "pack_rc"; }},
      {"model[1].kernel: 'gemm_nn'", [](Profile& p) { p.models.push_back(p.models[0]); }},
      {"model[0].even_ps: ", [](Profile& p) { p.models[0].even_ps = -1.0; }},
      {"model[0].error: ", [](Profile& p) { p.models[0].error = kNan; }},
      {"model[0].fixed_ns: must not be 0 if",
       [](Profile& p) {
         p.models[0] = {};
         p.models[0].kernel = "gemm_nn";
       }},
      {"result: must be absent", [](Profile& p) { p.kind = ProfileKind::kGeneric; }},
  });
}

TEST_CASE("invalid rates are not written") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  check({
      {"rates.launch_ns: must", [](Profile& p) { p.rates.launch_ns = kNan; }},
      {"rates.copy_gbytes_per_s: must", [](Profile& p) { p.rates.copy_gbytes_per_s = -1.0; }},
      {"rates.peak_gflops: must", [](Profile& p) { p.rates.peak_gflops = 11.5; }},
      {"rates.peak_gflops: must", [](Profile& p) { p.rates.multiply_adds.clear(); }},
      {"rates.double_peak_gflops: must",
       [](Profile& p) {
         p.rates.multiply_adds[1].precision = Precision::kDouble;
         p.rates.multiply_adds[1].gflops = 8.0;
       }},
      {"rates.half_peak_gflops: must", [](Profile& p) { p.rates.half_peak_gflops = 1.0; }},
      {"rates.half_is_emulated: must be absent",
       [](Profile& p) {
         p.rates.multiply_adds[2].precision = Precision::kHalf;
         p.rates.half_peak_gflops = 1.0;
         p.rates.half_is_emulated = true;
       }},
      {"multiply_add[1].vector_width: must",
       [](Profile& p) { p.rates.multiply_adds[1].vector_width = 32; }},
      {"multiply_add[0].form: is", [](Profile& p) { p.rates.multiply_adds[0].form = ""; }},
      {"multiply_add[1].form: already has",
       [](Profile& p) { p.rates.multiply_adds[1].form = "expression"; }},
  });
  CHECK(refusal_after([](Profile& p) { p.rates = {}; }).empty());
}

TEST_CASE("invalid devices are not written") {
  check({
      {"device.limits.max_work_group_size: must",
       [](Profile& p) { p.device.limits.max_work_group_size = 0; }},
      {"device.limits.max_work_item_sizes: must",
       [](Profile& p) { p.device.limits.max_work_item_sizes[1] = 0; }},
      {"device.limits.local_memory_bytes: must",
       [](Profile& p) { p.device.limits.local_memory_bytes = -1; }},
      {"device.soft.compute_units: must", [](Profile& p) { p.device.compute_units = -1; }},
      {"device.information.max_clock_mhz: must", [](Profile& p) { p.device.max_clock_mhz = -1; }},
  });
}

// The sample as a predicted profile, after `change`.
std::string refusal_of_predicted(const std::function<void(Profile&)>& change) {
  return refusal_after([&](Profile& p) {
    p.kind = ProfileKind::kPredicted;
    p.models.clear();
    p.device.vendor = p.device.opencl_c_version = p.device.platform = p.device.driver = "";
    for (ShapeResult& result : p.results) {
      result.samples = 0;
      result.max_error = 0.0;
    }
    change(p);
  });
}

TEST_CASE("a predicted profile has no driver and no samples") {
  CHECK(refusal_of_predicted([](Profile&) {}).empty());
  const auto refused = [](const char* message, const std::function<void(Profile&)>& change) {
    const std::string refusal = refusal_of_predicted(change);
    INFO("expected: " << message << "\nrefusal:  " << refusal);
    CHECK(refusal.find(message) != std::string::npos);
  };
  refused("device.name: must not be empty", [](Profile& p) { p.device.name = std::string(""); });
  refused("device.vendor: must be empty", [](Profile& p) { p.device.vendor = std::string("ARM"); });
  refused("device.opencl_c_version: must be empty",
          [](Profile& p) { p.device.opencl_c_version = std::string("OpenCL C 1.1"); });
  refused("device.processor: must be", [](Profile& p) { p.device.processor = std::string("x"); });
  refused("device.soft.platform: must be empty",
          [](Profile& p) { p.device.platform = std::string("x"); });
  refused("device.soft.driver: must be empty",
          [](Profile& p) { p.device.driver = std::string("x"); });
  refused("result[0].64x32x128: the number of samples",
          [](Profile& p) { p.results[0].samples = 1; });
  refused("result[1].max_error: must be 0", [](Profile& p) { p.results[1].max_error = 0.5; });
  refused("kernel[0].work_group: has 257 ", [](Profile& p) { p.kernels[0].work_group = {1, 257}; });
}

TEST_CASE("text that is not UTF-8 is not written") {
  for (const std::string bytes : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const std::string by_string =
        refusal_after([&](Profile& p) { p.provenance.command_line += bytes; });
    CHECK(by_string.find("command_line") != std::string::npos);
    const std::string by_source =
        refusal_after([&](Profile& p) { p.kernels[1].source += "// " + bytes + "\n"; });
    CHECK(by_source.find("kernel[1].source") != std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright

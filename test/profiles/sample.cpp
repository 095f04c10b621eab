#include "sample.hpp"

#include <algorithm>

#include "catch.hpp"
#include "profiles/digest.hpp"

namespace tilewright {
namespace {

// All are different, and none is a default of DeviceRates.
DeviceRates rates() {
  DeviceRates rates;
  rates.multiply_adds = {{4, "expression", 11.5}, {4, "mad", 17.25}, {8, "fma", 0.5}};
  rates.peak_gflops = 17.25;
  rates.copy_gbytes_per_s = 5.5;
  rates.local_gbytes_per_s = 12.25;
  rates.image_gbytes_per_s = 9.75;
  rates.launch_ns = 21000.0;
  rates.round_trip_ns = 85000.5;
  rates.timer_step_ns = 1000.0;
  rates.event_time = false;
  return rates;
}

KernelRecord gemm(const std::string& name, int work_group_x, Layout layout_b) {
  KernelRecord kernel;
  kernel.name = name;
  kernel.role = Role::kGemm;
  kernel.entry = name;
  kernel.source = sample_source(name);
  kernel.build_options = "-cl-mad-enable -cl-std=CL1.1";
  kernel.work_group = {work_group_x, 4};
  kernel.tile = {4, 8, 2};
  kernel.layout_b = layout_b;
  kernel.multiples = {1, 1, 1};
  kernel.epilogue = Epilogue::kAlphaBeta;
  kernel.point = "tile_m=4 tile_n=8 tile_k=2";
  return kernel;
}

KernelRecord pack() {
  KernelRecord kernel = gemm("pack_rc", 32, Layout::R());
  kernel.role = Role::kPack;
  kernel.layout_b.reset();
  kernel.layout_c = Layout::C();
  kernel.id_order = IdOrder::kMN;
  kernel.multiples = {4, 8, 16};
  kernel.epilogue = Epilogue::kNone;
  return kernel;
}

// In this kernel or the next two, every key has a value that is not the default.
KernelRecord gemm_packed() {
  KernelRecord kernel = gemm("gemm_packed", 8, Layout::C());
  kernel.local_bytes = 4096;
  kernel.layout_a = *parse_layout("R 8 1 C");
  kernel.layout_c = *parse_layout("C 4 4 C 2 2 R");
  kernel.images.b = true;
  kernel.edges = Edges::kPadded;
  kernel.multiples = {16, 8, 2};
  kernel.alignment = 4;
  kernel.bias = Dimension::kM;
  kernel.activation = Activation::kLeakyRelu;
  kernel.vector_width = 16;
  kernel.iteration_k = 8;
  kernel.family = "those of \"gemm_packed\"";
  return kernel;
}

KernelRecord gemv() {
  KernelRecord kernel = gemm("gemv", 16, Layout::R());
  kernel.role = Role::kGemv;
  kernel.split_k = 4;
  kernel.narrow = Dimension::kN;
  return kernel;
}

KernelRecord reduce() {
  KernelRecord kernel = gemm("reduce", 16, Layout::R());
  kernel.role = Role::kReduce;
  kernel.layout_b.reset();
  kernel.bias = Dimension::kN;
  kernel.activation = Activation::kTanh;
  return kernel;
}

// For networks: X and Y have the same layout, and nothing is scaled, padded or aligned.
KernelRecord activation() {
  KernelRecord kernel = gemm("activation", 64, Layout::R());
  kernel.role = Role::kActivation;
  kernel.work_group = {64, 1};
  kernel.id_order = IdOrder::kFlat;
  kernel.tile = {1, 8, 1};
  kernel.layout_b.reset();
  kernel.layout_a = Layout::C();
  kernel.layout_c = Layout::C();
  kernel.epilogue = Epilogue::kNone;
  kernel.bias = Dimension::kM;
  kernel.activation = Activation::kSigmoid;
  return kernel;
}

KernelRecord softmax() {
  KernelRecord kernel = gemm("softmax", 32, Layout::R());
  kernel.role = Role::kSoftmax;
  kernel.local_bytes = 512;
  kernel.layout_b.reset();
  kernel.layout_a = *parse_layout("R 4 4 R");
  kernel.layout_c = kernel.layout_a;
  kernel.epilogue = Epilogue::kNone;
  return kernel;
}

ShapeResult result(Op op, const std::string& kernel, std::int64_t k) {
  ShapeResult r;
  r.op = op;
  r.m = 64;
  r.n = 32;
  r.k = k;
  r.kernel = kernel;
  r.median_ns = 1000.5;
  r.low_ns = 990.25;
  r.high_ns = 1100.0;
  r.samples = 11;
  r.max_error = 0.125;
  return r;
}

}  // namespace

std::string sample_source(const std::string& entry) {
  return "// For tests: it's no product.\n"
         "__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
         "void " +
         entry +
         "(__global float* restrict c) {\n"
         "  c[get_global_id(0)] = 0.0f;\n"
         "}\n";
}

Profile sample_profile() {
  Profile profile;
  profile.kind = ProfileKind::kTuned;
  DeviceIdentity& device = profile.device;
  device.vendor = "ARM";
  device.name = "Mali-T628";
  device.opencl_c_version = "OpenCL C 1.1";
  device.limits.max_work_group_size = 256;
  device.limits.max_work_item_sizes = {255, 128};
  device.limits.local_memory_bytes = 32768;
  device.limits.image_support = true;
  device.platform = "ARM Platform OpenCL 1.1";
  device.driver = "1.1";
  device.compute_units = 4;
  device.max_clock_mhz = 600;
  Provenance& provenance = profile.provenance;
  provenance.tool_version = "0.1.0";
  provenance.command_line = "tilewright tune --seed 42";
  provenance.seed = 42;
  provenance.space_digest = digest_bytes("space");
  provenance.complete = true;
  provenance.statistic = "median of samples, 10th and 90th percentile";
  provenance.date = "2014-07-01T12:00:00Z";
  profile.rates = rates();
  profile.kernels = {gemm("gemm_nn", 8, Layout::R()),
                     gemm("gemm_nt", 16, Layout::C()),
                     pack(),
                     gemm_packed(),
                     gemv(),
                     reduce(),
                     activation(),
                     softmax()};
  profile.results = {result(Op::kNN, "gemm_nn", 128), result(Op::kNT, "gemm_nt", 7)};
  profile.pack_results = {{"pack_rc", 1.75}};
  profile.models = {{"gemm_nn", 2000.5, 1.5, 0.75, 0.25, 12.5, 0.125, 0.0625, 24.5, 48.5, 0.03125}};
  return profile;
}

std::string with_source(const Profile& profile, std::size_t index, const std::string& source) {
  const KernelRecord& old = profile.kernels.at(index);
  KernelRecord changed = old;
  changed.source = source;
  const std::string text =
      edited(write_profile(profile), compute_digest(old), compute_digest(changed));
  return edited(text, "'''\n" + old.source + "'''", "'''\n" + source + "'''");
}

int line_number(std::string_view text, std::string_view needle) {
  const std::size_t at = text.find(needle);
  if (at == std::string_view::npos) return 0;
  const std::string_view before = text.substr(0, at);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

std::optional<ProfileError> find_refusal(std::string_view text) {
  try {
    parse_profile(text, "test.toml");
  } catch (const ProfileError& error) {
    return error;
  }
  return std::nullopt;
}

void check_round_trip(const Profile& profile) {
  const std::string text = write_profile(profile);
  INFO(text);
  CHECK(parse_profile(text, "test.toml") == profile);
  CHECK(write_profile(parse_profile(text, "test.toml")) == text);
}

}  // namespace tilewright

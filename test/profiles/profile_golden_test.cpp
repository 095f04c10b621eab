#include <string_view>

#include "catch.hpp"
#include "profiles/profile_text.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

// After the first release: if this test fails, the format has changed, and kProfileFormat must be
// incremented.
constexpr std::string_view kGolden =
    R"(# A tilewright profile, read by programs (docs/profile-format.md). After an edit its digests are wrong.
format = 1
kind = "tuned"

[device]
vendor = "ARM"
name = "Mali-T628"
opencl_c_version = "OpenCL C 1.1"

[device.limits]
max_work_group_size = 256
max_work_item_sizes = [255, 128]
local_memory_bytes = 32768
local_memory_is_dedicated = false
image_support = true

[device.soft]
platform = "ARM Platform OpenCL 1.1"
driver = "1.1"
compute_units = 4

[device.information]
max_clock_mhz = 600

[provenance]
tool_version = "0.1.0"
command_line = "tilewright tune --seed 42"
seed = "42"
space_digest = "xxh3-4b92a46002e8ebc451482bd07003d2fb"
complete = true
statistic = "median of samples, 10th and 90th percentile"
date = "2014-07-01T12:00:00Z"

[rates]
peak_gflops = 17.25
copy_gbytes_per_s = 5.5
local_gbytes_per_s = 12.25
image_gbytes_per_s = 9.75
launch_ns = 21000.0
round_trip_ns = 85000.5
timer_step_ns = 1000.0
event_time = false

[[multiply_add]]
vector_width = 4
form = "expression"
gflops = 11.5

[[multiply_add]]
vector_width = 4
form = "mad"
gflops = 17.25

[[multiply_add]]
vector_width = 8
form = "fma"
gflops = 0.5

[[kernel]]
name = "gemm_nn"
role = "gemm"
entry = "gemm_nn"
build_options = "-cl-mad-enable -cl-std=CL1.1"
work_group = [8, 4]
id_order = "nm"
split_k = 1
local_bytes = 0
tile = [4, 8, 2]
narrow = "none"
layout_a = "R"
layout_b = "R"
layout_c = "R"
images = ""
edges = "guarded"
multiples = [1, 1, 1]
alignment = 1
epilogue = "alpha_beta"
bias = "none"
activation = "identity"
point = "tile_m=4 tile_n=8 tile_k=2"
vector_width = 1
iteration_k = 1
family = ""
digest = "xxh3-bade1232b0cd8686044ceb900efdebe5"
source = '''
// For tests: it's no product.
__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void gemm_nn(__global float* restrict c) {
  c[get_global_id(0)] = 0.0f;
}
'''

[[kernel]]
name = "pack_rc"
role = "pack"
entry = "pack_rc"
build_options = "-cl-mad-enable -cl-std=CL1.1"
work_group = [32, 4]
id_order = "mn"
split_k = 1
local_bytes = 0
tile = [4, 8, 2]
narrow = "none"
layout_a = "R"
layout_c = "C"
images = ""
edges = "guarded"
multiples = [4, 8, 16]
alignment = 1
epilogue = "none"
bias = "none"
activation = "identity"
point = "tile_m=4 tile_n=8 tile_k=2"
vector_width = 1
iteration_k = 1
family = ""
digest = "xxh3-cfd7801070ea0953e006e2596f6a91e8"
source = '''
// For tests: it's no product.
__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void pack_rc(__global float* restrict c) {
  c[get_global_id(0)] = 0.0f;
}
'''

[[result]]
kernel = "gemm_nn"
op = "NN"
max_error = 0.125
64x32x128 = [990.25, 1000.5, 1100.0, 11]

[[pack_result]]
kernel = "pack_rc"
ns_per_element = 1.75

[[model]]
kernel = "gemm_nn"
fixed_ns = 2000.5
even_ps = 1.5
whole_ps = 0.75
group_ps = 0.25
element_ps = 12.5
byte_ps = 0.125
far_ps = 0.0625
page_ps = 24.5
narrow_ps = 48.5
error = 0.03125

[digest]
profile = "xxh3-d834f8ea6746320aa4026273076ac1b6"
)";

TEST_CASE("the text of a small profile is unchanged to the byte") {
  Profile profile = sample_profile();
  profile.kernels = {profile.kernels[0], profile.kernels[2]};
  profile.results.resize(1);
  CHECK(write_profile(profile) == kGolden);
  CHECK(parse_profile(kGolden, "golden.toml") == profile);
}

}  // namespace
}  // namespace tilewright

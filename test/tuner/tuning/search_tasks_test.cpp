// Tests what a search tries first on various devices, without a device.
#include "tuner/tuning/search_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "catch.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {
namespace {

// A device on which every starting point is valid.
DeviceInfo spacious_device(bool side_by_side) {
  DeviceInfo device;
  device.limits = {{4096, {4096, 4096}, 1 << 20, true, true}, 16, 512, 1 << 20};
  device.side_by_side = side_by_side;
  return device;
}

// Returns the widest vector among the first points of every search.
std::vector<int> widest_first(const TuneOptions& options, const DeviceInfo& device) {
  std::vector<int> widest;
  for (const SearchTask& task : search_tasks(options, device)) {
    int width = 0;
    for (const ParameterPoint& point : task.first) {
      width = std::max(width, std::get<GemmPoint>(point).vector_width);
    }
    widest.push_back(width);
  }
  return widest;
}

TuneOptions all_ops() {
  TuneOptions options;
  options.shapes = {{512, 512, 512}};
  options.ops = {Op::kNN, Op::kNT, Op::kTN};
  return options;
}

TEST_CASE("candidates are shared by weight, and what one search leaves goes to the next ones") {
  TuneOptions options = all_ops();
  const std::vector<SearchTask> tasks = search_tasks(options, spacious_device(false));
  REQUIRE(tasks.size() == 4);
  CHECK(max_candidates(options, tasks, 0, 0) == std::numeric_limits<int>::max());
  options.candidates = 40;
  CHECK(max_candidates(options, tasks, 0, 0) == 10);
  CHECK(max_candidates(options, tasks, 1, 4) == 12);
  CHECK(max_candidates(options, tasks, 3, 30) == 10);
  CHECK(max_candidates(options, tasks, 3, 40) == 1);  // otherwise no kernel would be found
  options.candidates = 41;
  CHECK(max_candidates(options, tasks, 0, 0) == 11);
}

TEST_CASE("wide vectors come first only if the device has vector registers") {
  // NN, NT, TN and packed.
  CHECK(widest_first(all_ops(), spacious_device(false)) == std::vector<int>{16, 16, 16, 16});
  CHECK(widest_first(all_ops(), spacious_device(true)) == std::vector<int>{4, 4, 4, 4});
}

TEST_CASE("tiles in double precision fill registers that hold half as many elements") {
  DeviceInfo device = spacious_device(false);
  device.native_vector_width = 16;
  device.vector_registers = 32;
  TuneOptions options = all_ops();
  const auto first_has = [&](Precision precision, int tile_n) {
    options.precision = precision;
    const std::vector<SearchTask> tasks = search_tasks(options, device);
    const std::vector<ParameterPoint>& first = tasks.back().first;  // packed
    return std::any_of(first.begin(), first.end(), [&](const ParameterPoint& point) {
      const auto& gemm = std::get<GemmPoint>(point);
      return gemm.tile_m == 6 && gemm.tile_n == tile_n && gemm.precision == precision;
    });
  };
  // Four vectors of 16 floats, or of 8 doubles.
  CHECK(first_has(Precision::kSingle, 64));
  CHECK(first_has(Precision::kDouble, 32));
  CHECK_FALSE(first_has(Precision::kDouble, 64));
}

TEST_CASE("an even division of k is searched on GPUs, if a shape is neither flat nor huge") {
  const ParameterPoint point = parse_point("op=NN stream_k=2");
  TuneOptions options = all_ops();
  const auto is_searched = [&](bool side_by_side) {
    return search_tasks(options, spacious_device(side_by_side)).front().space->contains(point);
  };
  CHECK(is_searched(true));
  CHECK_FALSE(is_searched(false));
  options.shapes = {{512, 512, 64}, {8192, 8192, 8192}};
  CHECK_FALSE(is_searched(true));
}

TEST_CASE(
    "points that were fastest on devices of the class are tried in searches of their layouts") {
  TuneOptions options = all_ops();
  options.shapes.push_back({12, 2112, 1280});
  options.shapes.push_back({2112, 12, 1280});
  const auto has_first = [&](DeviceKind kind, const std::string& task_name, const char* text) {
    DeviceInfo device = spacious_device(kind == DeviceKind::kGpu);
    device.kind = kind;
    device.identity.limits = device.limits;
    const ParameterPoint point = with_precision(parse_point(text), options.precision);
    for (const SearchTask& task : search_tasks(options, device)) {
      if (task.name != task_name) continue;
      return std::find(task.first.begin(), task.first.end(), point) != task.first.end();
    }
    FAIL("no task " + task_name);
    return false;
  };
  const char* const product =
      "gemm layout_a=C tile_m=3 tile_n=2 tile_k=4 unroll_k=2 work_group_m=4 work_group_n=4 "
      "work_group_k=16 addressing=indices";
  const char* const narrow = "gemv layout_b=C tile_narrow=16 tile_k=8 work_group_k=256";
  for (const Precision precision : {Precision::kSingle, Precision::kDouble, Precision::kHalf}) {
    options.precision = precision;
    CAPTURE(to_text(precision));
    CHECK(has_first(DeviceKind::kGpu, "TN", product));
    CHECK_FALSE(has_first(DeviceKind::kGpu, "NN", product));
    CHECK_FALSE(has_first(DeviceKind::kCpu, "TN", product));
    CHECK(has_first(DeviceKind::kGpu, "NT narrow n", narrow));
    CHECK_FALSE(has_first(DeviceKind::kGpu, "NT narrow m", narrow));
  }
}

TEST_CASE("without starting points nothing comes first") {
  TuneOptions options = all_ops();
  options.shapes.push_back({1, 1000, 784});
  Profile known = parse_profile(generic_profile_text(), "built-in profile");
  options.warm_start = {known};
  for (const bool side_by_side : {false, true}) {
    options.starting_points = true;
    DeviceInfo device = spacious_device(side_by_side);
    device.kind = side_by_side ? DeviceKind::kGpu : DeviceKind::kCpu;
    device.identity.limits = device.limits;
    for (const SearchTask& task : search_tasks(options, device)) {
      CHECK_FALSE(task.first.empty());
    }
    options.starting_points = false;
    for (const SearchTask& task : search_tasks(options, device)) {
      CHECK(task.first.empty());
      CHECK(task.setup(options, device, 60.0, 10).first.empty());
    }
  }
}

TEST_CASE("the kernels of a warm start are tried first, however wide their vectors are") {
  TuneOptions options = all_ops();
  Profile known;
  KernelRecord record;
  record.name = "known";
  record.role = Role::kGemm;
  record.point = "gemm op=NN tile_m=4 tile_n=16 vector_width=16";
  record.layout_a = Layout::R();
  record.layout_b = Layout::R();
  record.layout_c = Layout::R();
  known.kernels = {record};
  options.warm_start = {known};
  const std::vector<SearchTask> tasks = search_tasks(options, spacious_device(true));
  REQUIRE(!tasks.empty());
  REQUIRE(!tasks.front().first.empty());
  const auto& first = std::get<GemmPoint>(tasks.front().first.front());
  CHECK(first.vector_width == 16);
  CHECK(first.tile_n == 16);
}

}  // namespace
}  // namespace tilewright

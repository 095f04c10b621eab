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

Outcome outcome_of(const std::string& task, const std::string& point,
                   const std::vector<std::pair<GemmShape, double>>& times_ns) {
  Outcome outcome;
  outcome.kernel = parse_kernel(point);
  outcome.task = task;
  for (const auto& [shape, ns] : times_ns) {
    outcome.shapes.emplace_back();
    outcome.shapes.back().shape = shape;
    outcome.shapes.back().ns = {ns};
  }
  return outcome;
}

const SearchTask& find_task(const std::vector<SearchTask>& tasks, const std::string& name) {
  return *std::find_if(tasks.begin(), tasks.end(),
                       [&](const SearchTask& task) { return task.name == name; });
}

TEST_CASE("a search adopts the best points of the searches for other ops") {
  const GemmShape small{64, 64, 64};
  const GemmShape large{512, 512, 512};
  TuneOptions options = all_ops();
  options.shapes = {small, large};
  const std::vector<SearchTask> tasks = search_tasks(options, spacious_device(true));
  JournalContents contents;
  const std::string staged =
      "tile_m=8 tile_n=16 vector_width=4 work_group_m=16 work_group_n=8 lanes_m=2 cache_block_k=8 "
      "local_a=yes local_b=yes multiply_add=fma";
  contents.outcomes = {
      outcome_of("NN", "gemm tile_m=4", {{small, 900.0}, {large, 90e3}}),
      outcome_of("NN", "gemm " + staged, {{small, 1000.0}, {large, 20e3}}),  // best by cost
      outcome_of("NN", "gemm tile_m=2", {{small, 800.0}, {large, 95e3}}),    // best on one shape
      // Vectors along n are not contiguous in NN's A, but that is no matter here.
      outcome_of("TN", "gemm layout_a=C tile_n=4 vector_width=4", {{small, 700.0}, {large, 80e3}}),
      outcome_of("packed", "gemm tile_m=16", {{small, 1.0}, {large, 1.0}}),
  };
  const auto texts = [&](const std::string& name) {
    std::vector<std::string> result;
    for (const ParameterPoint& point :
         adopted_points(find_task(tasks, name), tasks, contents, DeviceRates{})) {
      CHECK(find_task(tasks, name).space->contains(point));
      result.push_back(to_text(point));
    }
    return result;
  };
  const auto text = [](const std::string& point) { return to_text(parse_point(point)); };
  const std::string as_searched = staged.substr(0, staged.find(" multiply_add"));
  // In NT the columns of B are not contiguous along n, so vectors are assembled from elements.
  CHECK(texts("NT") == std::vector{text("gemm layout_b=C " + as_searched),
                                   text("gemm layout_b=C tile_n=4 vector_width=4"),
                                   text("gemm layout_b=C tile_m=2")});
  CHECK(texts("TN") ==
        std::vector{text("gemm layout_a=C " + as_searched), text("gemm layout_a=C tile_m=2")});
  CHECK(texts("NN") == std::vector{text("gemm tile_n=4 vector_width=4")});
  CHECK(texts(kPackedTask).empty());
  // An interrupted search has outcomes of its own, and continues with the same points.
  const auto before = texts("NT");
  const std::string own = "tile_m=8 tile_n=2";
  contents.outcomes.push_back(
      outcome_of("NT", "gemm layout_b=C " + own, {{small, 10.0}, {large, 10e3}}));
  CHECK(texts("NT") == before);
  REQUIRE_FALSE(texts("NN").empty());
  CHECK(texts("NN").front() == text("gemm " + own));
  REQUIRE_FALSE(texts("TN").empty());
  CHECK(texts("TN").front() == text("gemm layout_a=C " + as_searched));
}

TEST_CASE("a shard adopts the points of its own part only") {
  TuneOptions options = all_ops();
  const GemmShape shape = options.shapes.front();
  for (const std::int64_t extent : {128, 256, 1024, 2048}) {
    options.shapes.push_back({extent, extent, extent});
  }
  const std::vector<SearchTask> tasks = search_tasks(options, spacious_device(true));
  JournalContents contents;
  double ns = 1e3;
  for (const GemmShape& each : options.shapes) {
    // The best on this shape.
    const std::string tile = fmt::format("gemm tile_m={}", 1 << contents.outcomes.size());
    contents.outcomes.push_back(outcome_of("NN", tile, {{each, ns}, {shape, 1e6}}));
  }
  const auto adopted = [&] {
    return adopted_points(find_task(tasks, "NT"), tasks, contents, DeviceRates{});
  };
  const std::vector<ParameterPoint> all = adopted();
  contents.header.shards = 2;
  std::set<ParameterPoint> in_parts;
  for (const int shard : {1, 2}) {
    contents.header.shard = shard;
    for (const ParameterPoint& point : adopted()) {
      CHECK(point_shard(point, 2) == shard);
      in_parts.insert(point);
    }
  }
  CHECK(in_parts == std::set(all.begin(), all.end()));
  REQUIRE(all.size() > 2);
}

TEST_CASE("searches for narrow products adopt points of each other, and few of them") {
  TuneOptions options = all_ops();
  for (std::int64_t i = 0; i < 8; ++i) {
    options.shapes.push_back({8, 1024 + 64 * i, 1024});
    options.shapes.push_back({1024 + 64 * i, 8, 1024});
  }
  const std::vector<SearchTask> tasks = search_tasks(options, spacious_device(true));
  JournalContents contents;
  contents.outcomes = {outcome_of("NN narrow m",
                                  "gemv narrow=m tile_narrow=8 tile_k=4 work_group_k=32",
                                  {{options.shapes[1], 100.0}})};
  // B^T A^T: the long operand is read along its rows in both.
  const auto of_tn =
      adopted_points(find_task(tasks, "TN narrow n"), tasks, contents, DeviceRates{});
  REQUIRE(of_tn.size() == 1);
  CHECK(of_tn.front() ==
        parse_point("gemv layout_a=C narrow=n tile_narrow=8 tile_k=4 work_group_k=32"));
  CHECK(adopted_points(find_task(tasks, "TN"), tasks, contents, DeviceRates{}).empty());
  // Each search has another best kernel on each shape.
  int searches = 0;
  for (const SearchTask& task : tasks) {
    if (task.name.find("narrow") == std::string::npos) continue;
    const std::string tiles =
        fmt::format("tile_k={} tile_wide={}", 1 << (searches % 4), 1 << (searches / 4));
    for (std::size_t i = 0; i < task.shapes.size(); ++i) {
      const ParameterPoint point = *task.space->adopt(
          parse_point(fmt::format("gemv tile_narrow=8 work_group_k={} {}", 8 << (i % 5), tiles)));
      contents.outcomes.push_back(outcome_of(task.name, to_text(point), {{task.shapes[i], 50.0}}));
    }
    ++searches;
  }
  REQUIRE(searches == 6);
  const auto many = adopted_points(find_task(tasks, "NN narrow n"), tasks, contents, DeviceRates{});
  CHECK(many.size() == kMaxAdopted);
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

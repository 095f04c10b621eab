// Tests which spaces a tuning searches for narrow products, without a device.
#include "tuner/tuning/search_tasks.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {
namespace {

using Names = std::vector<std::string>;

struct Tasks {
  TuneOptions options;
  DeviceInfo device = example_header({}).device;
  std::vector<SearchTask> all;

  explicit Tasks(std::vector<GemmShape> shapes) {
    options.shapes = std::move(shapes);
    options.ops = {Op::kNN};
  }
  Names names() {
    all = search_tasks(options, device);
    Names names;
    for (const SearchTask& task : all) names.push_back(task.name);
    return names;
  }
};

TEST_CASE("kernels for narrow products are searched if some shapes are narrow") {
  CHECK(narrow_side({1, 1000, 784}) == Dimension::kM);
  CHECK(narrow_side({1000, 1, 784}) == Dimension::kN);
  CHECK(narrow_side({4, 5, 784}) == Dimension::kM);
  CHECK(narrow_side({17, 17, 1}) == Dimension::kNone);
  CHECK(narrow_side({16, 1000, 784}) == Dimension::kM);
  CHECK(narrow_side({1000, 17, 784}) == Dimension::kNone);
  CHECK(narrow_side({1, 1, 784}) == Dimension::kN);
  CHECK(Tasks({{64, 64, 64}}).names() == Names{"NN", "packed"});
  Tasks both({{64, 64, 64}, {1, 1000, 784}, {3, 10, 784}, {1000, 1, 784}});
  REQUIRE(both.names() == Names{"NN", "NN narrow m", "NN narrow n", "packed"});
  CHECK(both.all[0].shapes.size() == 4);
  CHECK(both.all[1].shapes == std::vector<GemmShape>{{1, 1000, 784}, {3, 10, 784}});
  CHECK(both.all[2].shapes == std::vector<GemmShape>{{1000, 1, 784}});
  CHECK(both.all[1].weight < both.all[0].weight);
  CHECK(both.all[1].first.size() > 5);
  for (const SearchTask* task : {&both.all[1], &both.all[2]}) {
    REQUIRE_FALSE(task->first.empty());
    for (const ParameterPoint& point : task->first) {
      CHECK(point_codelet(point) == Codelet::kGemv);
      CHECK(task->space->contains(point));
    }
  }
}

TEST_CASE("tiles of narrow products are no larger than some shape needs") {
  Tasks one({{1, 1000, 784}});
  REQUIRE(one.names() == Names{"NN", "NN narrow m", "packed"});
  const auto has = [&](const char* point) {
    return one.all[1].space->contains(parse_point(point));
  };
  CHECK(has("gemv narrow=m"));
  CHECK_FALSE(has("gemv narrow=m tile_narrow=2"));
  CHECK_FALSE(has("gemv narrow=n"));
  CHECK_FALSE(has("gemv layout_b=C narrow=m"));
  Tasks three({{3, 1000, 784}});
  REQUIRE(three.names().size() == 3);
  CHECK(three.all[1].space->contains(parse_point("gemv narrow=m tile_narrow=4")));
  CHECK_FALSE(three.all[1].space->contains(parse_point("gemv narrow=m tile_narrow=8")));
}

TEST_CASE("weights that are packed once may be column-major for narrow products") {
  Tasks tasks({{1, 1000, 784}});
  tasks.options.b_prepacked = true;
  REQUIRE(tasks.names() == Names{"NN", "NN narrow m", "NT narrow m", "packed"});
  CHECK(tasks.all[2].ops == std::vector<Op>{Op::kNN});
  CHECK(tasks.all[2].space->contains(parse_point("gemv layout_b=C narrow=m")));
  tasks.options.packed = false;
  CHECK(tasks.names() == Names{"NN", "NN narrow m"});
}

TEST_CASE("restrictions apply to the codelets that have the parameter") {
  Tasks tasks({{1, 1000, 784}});
  tasks.options.only = {{"tile_m", {"4"}}, {"tile_wide", {"4"}}, {"vector_width", {"4"}}};
  REQUIRE(tasks.names().size() == 3);
  CHECK(tasks.all[0].space->contains(parse_point("gemm tile_m=4 tile_n=4 vector_width=4")));
  CHECK_FALSE(tasks.all[0].space->contains(parse_point("gemm tile_m=4")));
  CHECK(tasks.all[1].space->contains(parse_point("gemv narrow=m tile_wide=4 vector_width=4")));
  CHECK_FALSE(tasks.all[1].space->contains(parse_point("gemv narrow=m tile_wide=4")));
  // It is an error if only codelets that are not searched have the parameter, or no codelet has it.
  Tasks wide({{64, 64, 64}});
  wide.options.only = {{"tile_wide", {"4"}}};
  CHECK_THROWS_AS(wide.names(), ParameterError);
  tasks.options.only = {{"tile_q", {"4"}}};
  CHECK_THROWS_AS(tasks.names(), ParameterError);
}

}  // namespace
}  // namespace tilewright

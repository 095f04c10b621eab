// Tests which finalists need a sample of energy, without a device.
#include "tuner/select/energy_contenders.hpp"

#include <vector>

#include "catch.hpp"
#include "made_up_final.hpp"
#include "tuner/select/baseline.hpp"

namespace tilewright {
namespace {

std::vector<std::size_t> contenders_on(const JournalContents& contents, const GemmShape& shape) {
  std::vector<std::size_t> finalists;
  for (const auto& [finalist, ns] : EnergyContenders(contents).on(shape)) {
    finalists.push_back(finalist);
  }
  return finalists;
}

// Returns a final in which the last kernel runs without the profile on the small shape.
JournalContents final_with_built_in(std::vector<Entry> entries, double ns, double pack_ns = 0.0) {
  const JournalHeader header = example_header({kSmall, kLarge});
  const KernelId built_in = Baseline(header).ranking(Op::kNN, kSmall).at(0);
  entries.push_back({built_in.text(), ns, 9000});
  JournalContents contents = make_final(entries, pack_ns);
  contents.header.objective = Objective::kEnergy;
  contents.outcomes.back().task = kBuiltIn;
  return contents;
}

TEST_CASE("the fastest plans may need the least energy, and the kernel without a profile counts") {
  JournalContents contents = final_with_built_in({{kTile, 800, 5000}, {kWide, 1010, 5000}}, 3000);
  CHECK(contenders_on(contents, kSmall) == std::vector<std::size_t>{0, 2});
  CHECK(EnergyContenders(contents).on(kSmall).at(2) == Approx(3000.0).epsilon(0.01));
  contents.finalist_failures[0] = "it crashed";
  CHECK(contenders_on(contents, kSmall) == std::vector<std::size_t>{1, 2});
}

// The packed kernel itself is fast, and packing counts with the low power of the built-in kernel.
TEST_CASE("a plan that wins only by its assumed energy needs a sample") {
  JournalContents contents =
      final_with_built_in({{kTile, 800, 5000}, {kPacked, 300, 9000}}, 2000, 800.0);
  CHECK(contenders_on(contents, kSmall) == std::vector<std::size_t>{0, 2});
  // The power of the built-in kernel is half of that of the tile.
  contents.energy_rounds = {{.shape = kSmall, .joules = {{0, 0.8}, {2, 1.0}}}};
  CHECK(contenders_on(contents, kSmall) == std::vector<std::size_t>{0, 1, 2});
  CHECK(lacks_energy(contents));
  contents.energy_rounds.push_back({.shape = kSmall, .joules = {{1, 0.9}}});
  CHECK(contenders_on(contents, kSmall) == std::vector<std::size_t>{0, 2});
}

}  // namespace
}  // namespace tilewright

// Tests that the kernels of random points are correct: for all codelets, with a share for every
// feature, compared with a double-precision product on the host at unusual sizes.
//
// There are $TILEWRIGHT_TEST_POINTS points (30, more than there are classes) with the seed
// $TILEWRIGHT_TEST_SEED (1), half as many for each other precision, or only the point
// $TILEWRIGHT_TEST_POINT. Each point is written to the file $TILEWRIGHT_TEST_LOG before it runs,
// and its result afterwards, because drivers crash. TILEWRIGHT_TEST_SMALL=yes selects few small
// products and small work-groups for slow devices such as the simulator oclgrind.
// TILEWRIGHT_TEST_UNINITIALIZED=yes is for runs in which oclgrind looks for uninitialized values.
// It excludes points in which oclgrind 21.10 reports initialized ones: those with images, and those
// with vectors of 16, because it confuses lane 11 of a shuffle with LLVM's number of another thing.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <ostream>

#include "catch.hpp"
#include "point_classes.hpp"
#include "point_verdict.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {
namespace {

const char* setting(const char* name, const char* usual) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : usual;
}

bool small() {
  return setting("TILEWRIGHT_TEST_SMALL", "")[0] != '\0';
}

std::uint64_t seed() {
  return std::strtoull(setting("TILEWRIGHT_TEST_SEED", "1"), nullptr, 10);
}

// Smaller than every vector; one more than a tile; k in whole blocks, with a remainder and without;
// k = 0.
constexpr GemmShape kFewShapes[] = {{5, 3, 7}, {17, 20, 37}, {12, 9, 16}, {3, 5, 0}};

SpaceLimits make_limits(const TestDevice& device) {
  SpaceLimits limits = generous_limits(device);
  if (small()) {
    limits.max_work_group_size = 16;
    limits.register_floats = 64;
  }
  if (setting("TILEWRIGHT_TEST_UNINITIALIZED", "no") == std::string_view("yes")) {
    limits.image_support = false;
    limits.max_vector_width = std::min(limits.max_vector_width, 8);
  }
  return limits;
}

struct Tally {
  int right = 0;
  int too_large = 0;
  int wrong = 0;
  int none = 0;  // the device has no such points
};

class RandomPoints {
 public:
  explicit RandomPoints(Precision precision)
      : precision_(precision),
        limits_(make_limits(device_)),
        random_(seed()),
        verifier_(device_, small() ? std::span(kFewShapes) : awkward_shapes()),
        log_(setting("TILEWRIGHT_TEST_LOG", "")) {}

  // Runs a random point of the class.
  void run(const PointClass& points);
  void run(const ParameterPoint& point, Tally& tally);
  void print() const;
  Tally& tally(std::string_view name) { return tallies_[name]; }

 private:
  Precision precision_;
  TestDevice device_;
  SpaceLimits limits_;
  std::mt19937_64 random_;
  Verifier verifier_;
  std::ofstream log_;
  std::map<std::string_view, Tally> tallies_;
};

void RandomPoints::run(const PointClass& points) {
  if (const auto point = draw(points, limits_, random_, precision_)) {
    run(*point, tally(points.name));
  } else {
    ++tally(points.name).none;
  }
}

void RandomPoints::run(const ParameterPoint& point, Tally& tally) {
  log_ << to_text(point) << std::endl;
  const std::string verdict = verifier_.verdict(point);
  log_ << "  " << verdict << std::endl;
  if (verdict == "right") {
    ++tally.right;
  } else if (verdict.starts_with("too large")) {
    ++tally.too_large;
    std::printf("%s\n", verdict.c_str());
  } else {
    ++tally.wrong;
    UNSCOPED_INFO(to_text(point) << ": " << verdict);
    CHECK(verdict == "right");
  }
}

void RandomPoints::print() const {
  Tally all;
  for (const auto& [name, t] : tallies_) {
    std::printf("%-13.*s right %d, too large %d, wrong %d%s\n", static_cast<int>(name.size()),
                name.data(), t.right, t.too_large, t.wrong,
                t.none > 0 ? ", some draws found none" : "");
    all.right += t.right;
    all.too_large += t.too_large;
    all.wrong += t.wrong;
  }
  std::printf("all           right %d, too large %d, wrong %d\n", all.right, all.too_large,
              all.wrong);
}

// Few points with many seeds reach every class, too.
void run_some(RandomPoints& points, std::size_t first, std::size_t share) {
  const auto count = std::strtoull(setting("TILEWRIGHT_TEST_POINTS", "30"), nullptr, 10) / share;
  for (std::size_t i = first; i < first + count; ++i) {
    points.run(point_classes()[(seed() + i) % point_classes().size()]);
  }
  points.print();
}

TEST_CASE("random points of every class are correct") {
  RandomPoints points(Precision::kSingle);
  const std::string one = setting("TILEWRIGHT_TEST_POINT", "");
  if (one.empty()) return run_some(points, 0, 1);
  points.run(parse_point(one), points.tally("one"));
  points.print();
}

TEST_CASE("random points of every class are correct in double precision") {
  if (!has_extension(TestDevice().device, required_extension(Precision::kDouble))) {
    SKIP_CASE("the device has no cl_khr_fp64");
  }
  RandomPoints points(Precision::kDouble);
  run_some(points, 0, 2);
}

TEST_CASE("random points of every class are correct in half precision") {
  RandomPoints points(Precision::kHalf);
  run_some(points, point_classes().size() / 2, 2);  // other classes than in double precision
}

}  // namespace
}  // namespace tilewright

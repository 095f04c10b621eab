// Tests of samples on a device: both kinds of time, cold caches, and a changing clock.
#include "tuner/measure/sampler.hpp"

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "made_up_sysfs.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

// A product that can be launched.
struct Bench {
  TestDevice d;
  std::unique_ptr<LoadedKernel> kernel =
      load_kernel(d, emit(parse_point("tile_m=4 tile_n=4 vector_width=4")));
  Workload work{d.context, Precision::kSingle, Op::kNN, {64, 64, 64}, 1};
  int launches = 0;

  Launch launch() {
    return [this] {
      ++launches;
      return d.executor.launch(d.queue, *kernel, work.problem(), {});
    };
  }
  Sampled sample(const MeasureOptions& options, const ClockReader& clock = {}) {
    const Sampler sampler(d.executor, d.queue, options, clock);
    return sampler.sample(launch(), 0.0, "the product");
  }
};

TEST_CASE("samples by event time and by wall time are times of one launch") {
  Bench bench;
  for (const bool event_time : {true, false}) {
    MeasureOptions options;
    options.event_time = event_time;
    REQUIRE(std::holds_alternative<Sample>(bench.sample(options)));  // the first launch compiles
    bench.launches = 0;
    const Sampled sampled = bench.sample(options);
    REQUIRE(std::holds_alternative<Sample>(sampled));
    const Sample& sample = std::get<Sample>(sampled);
    CHECK(sample.ns > 0.0);
    CHECK(sample.clock_hz == ClockPair{});
    CHECK(sample.rejected_ns.empty());
    CHECK(bench.launches * sample.ns >= 0.99 * options.sample_ns);
  }
}

TEST_CASE("with cold caches a sample has few launches") {
  Bench bench;
  MeasureOptions options;
  options.cold_caches = true;
  options.sample_ns = 1e12;
  const Sampled sampled = bench.sample(options);
  REQUIRE(std::holds_alternative<Sample>(sampled));
  CHECK(std::get<Sample>(sampled).ns > 0.0);
  CHECK(bench.launches <= 16);
}

TEST_CASE("cold caches cannot be combined with wall time") {
  Bench bench;
  MeasureOptions options;
  options.cold_caches = true;
  options.event_time = false;
  CHECK_THROWS_WITH(bench.sample(options), Catch::Matchers::ContainsSubstring("cold caches") &&
                                               Catch::Matchers::ContainsSubstring("wall time"));
}

TEST_CASE(
    "if the clock changes during a sample, the sample is repeated and the first one kept aside") {
  Bench bench;
  const MadeUpSysfs sysfs;
  sysfs.write("gpu", "cur_freq", "200000000\n");
  const Sampler sampler(bench.d.executor, bench.d.queue, {}, ClockReader(sysfs.path()));
  const Launch launch = bench.launch();
  const Sampled sampled = sampler.sample(
      [&] {
        sysfs.write("gpu", "cur_freq", "800000000\n");  // and stays there
        return launch();
      },
      1e9, "the product");
  REQUIRE(std::holds_alternative<Sample>(sampled));
  const Sample& sample = std::get<Sample>(sampled);
  CHECK(sample.rejected_ns.size() == 1);
  CHECK(sample.clock_hz == ClockPair{800000000, 800000000});
  CHECK_FALSE(sample.clock_moved());
}

TEST_CASE("if the clock never settles, the last sample is used and marked") {
  Bench bench;
  const MadeUpSysfs sysfs;
  sysfs.write("gpu", "cur_freq", "1\n");
  const Sampler sampler(bench.d.executor, bench.d.queue, {}, ClockReader(sysfs.path()));
  const Launch launch = bench.launch();
  int hz = 1;
  const Sampled sampled = sampler.sample(
      [&] {
        sysfs.write("gpu", "cur_freq", std::to_string(++hz));
        return launch();
      },
      1e9, "the product");
  REQUIRE(std::holds_alternative<Sample>(sampled));
  const Sample& sample = std::get<Sample>(sampled);
  CHECK(sample.clock_moved());
  CHECK(sample.ns > 0.0);
  CHECK(sample.rejected_ns.size() == 9);
  CHECK(bench.launches >= 10);
}

TEST_CASE("a rejected launch is an error, with either kind of time") {
  Bench bench;
  for (const bool event_time : {true, false}) {
    const Sampler sampler(bench.d.executor, bench.d.queue, {.event_time = event_time}, {});
    const Sampled sampled = sampler.sample(
        []() -> Launched {
          return KernelError{FailureKind::kLaunch, "refused"};
        },
        0.0, "nothing");
    REQUIRE(std::holds_alternative<KernelError>(sampled));
    CHECK(std::get<KernelError>(sampled).reason == "refused");
  }
}

TEST_CASE("event times that contradict the wall time are rejected") {
  CHECK(makes_sense(1e6, 1e6));
  CHECK(makes_sense(1e3, 1e6));    // most of the time was spent on launching
  CHECK(makes_sense(1.5e6, 1e6));  // clocks may run at slightly different rates
  CHECK_FALSE(makes_sense(1e9, 1e6));
  CHECK_FALSE(makes_sense(0.0, 1e6));
  CHECK_FALSE(makes_sense(-5.0, 1e6));
}

}  // namespace
}  // namespace tilewright

#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/journal/records/slow_down.hpp"

#include <limits>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Checks that reading the written text gives the same record, and writing that gives the same text.
template <class Record>
void check_round_trip(const Record& record) {
  const std::string text = to_line(record);
  INFO(text);
  const auto again = parse_line(text).get<Record>();
  CHECK(again == record);
  CHECK(to_line(again) == text);
}

ShapeSamples some_samples() {
  return {{96, 64, 32}, {1000.1, 990.25}, {500.0, 501.0}, 499.5, 8, {{600, 599}, {0, 0}}, {77.0}};
}

Outcome some_outcome() {
  Outcome outcome;
  outcome.kernel = parse_kernel("gemm tile_m=4");
  outcome.task = "NN";
  outcome.result = OutcomeClass::kWrong;
  outcome.reason = "an \"element\"\nis off";
  outcome.build_log = "log";
  outcome.max_error = 0.03125;
  outcome.took_s = 1.5;
  outcome.reference = parse_kernel("gemm tile_m=2");
  outcome.shapes = {some_samples()};
  return outcome;
}

Outcome some_round() {
  Outcome outcome = some_outcome();
  outcome.task = kFinals;
  outcome.process = 3;
  outcome.round = 4;
  return outcome;
}

DeviceInfo some_facts() {
  DeviceInfo facts;
  facts.identity = {"ARM",
                    "Mali-T628",
                    "OpenCL C 1.1 ",
                    "implementer 0x41 part 0xd03",
                    {256, {256, 128}, 32768, true, true},
                    "Plat ",
                    "1.1",
                    4,
                    600};
  facts.limits = {{256, {256, 256}, 32768, true, true}, 8, 128, 12345678901234};
  facts.native_vector_width = 4;
  facts.min_work_group = 8;
  facts.side_by_side = true;
  facts.vector_registers = 16;
  facts.max_image_width = 4096;
  facts.max_image_height = 2048;
  facts.max_buffer_bytes = 1 << 30;
  facts.gpu = {"Mali-T628", "midgard",      4,     600,    4,  4,   8, true,
               {4, 8, 16},  {256, 128, 64}, 16384, 131072, 64, 500, 2, 16};
  facts.kind = DeviceKind::kGpu;
  return facts;
}

TEST_CASE("records of the journal survive writing and reading") {
  check_round_trip(GemmShape{1, 2'000'000'000, 3});
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) check_round_trip(op);
  for (const OutcomeClass result : kOutcomeClasses) check_round_trip(result);
  check_round_trip(some_samples());
  check_round_trip(some_outcome());
  check_round_trip(some_round());
  Outcome plan = some_outcome();
  plan.predicted_ns = 12.5;
  check_round_trip(plan);
  check_round_trip(Finalists{{parse_kernel("gemm tile_m=4"), parse_kernel("gemm split_k=2")},
                             {parse_kernel("gemm split_k=2")}});
  check_round_trip(Finalists{});
  check_round_trip(some_facts());
  check_round_trip(DeviceInfo{});
  check_round_trip(DeviceRates{{{4, "mad", 17.1234568}, {2, "fma", 8.5, Precision::kDouble}},
                               18.1,
                               2.0,
                               3.0,
                               4.0,
                               5.0,
                               6.0,
                               7.0,
                               false,
                               8.75,
                               33.5,
                               true});
  check_round_trip(DeviceRates{});
  check_round_trip(MeasuredRates{{}, true});
}

TEST_CASE("messages between supervisor and worker survive writing and reading") {
  const MeasureOptions options{2e6, 5, 1e7, true, false, "/tmp", ~std::uint64_t{0}};
  check_round_trip(options);
  check_round_trip(WorkerActivity{WorkerActivityKind::kLaunch, "gemm", 0.25});
  check_round_trip(WorkerActivity{});
  check_round_trip(WorkerActivity{WorkerActivityKind::kBuild, "", 0.0, "gemm", true});
  MeasureRequest request;
  request.kernels = {parse_kernel("gemm"), parse_kernel("gemm tile_m=2")};
  check_round_trip(request);
  request.profile = kBuiltInProfile;
  request.names = {"a profile's kernel"};
  request.task = kFinals;
  request.process = 2;
  request.round = 11;
  request.expected_ns = {0.0, 99.0};
  request.shapes = {{1, 2, 3}, {4, 5, 6}};
  request.verify = request.is_new = false;
  request.one_process = true;
  request.best_ns = {kInfinity, 1234.5};
  request.reference = parse_kernel("gemm tile_m=4");
  request.reference_ns = {10.0, 11.0};
  request.max_kernels = 3;
  request.trying_s = 0.5;
  request.seconds = 7.0;
  request.max_rounds = 51;
  request.options = options;
  check_round_trip(request);
  check_round_trip(Outcomes{some_outcome(), some_round()});
  Outcome named;
  named.name = "a profile's kernel";
  check_round_trip(named);
  check_round_trip(OpenedDevice{some_facts(), {"no platform"}, false});
}

TEST_CASE("lines are short") {
  Outcome round;
  round.kernel = parse_kernel("gemm");
  round.task = kFinals;
  round.round = 7;
  round.shapes.emplace_back();
  round.shapes[0].shape = {1, 2, 3};
  round.shapes[0].ns = {98765.4321};
  CHECK(to_line(round) == R"({"point":"gemm","result":"ok","round":7,)"
                          R"("shapes":[{"ns":[98765.4321],"shape":"1x2x3"}],"task":"finals"})");
  MeasureRequest request;
  request.kernels = {parse_kernel("gemm")};
  request.shapes = {{1, 2, 3}};
  request.best_ns = {kInfinity};
  CHECK(to_line(request) == R"({"best_ns":[null],"kernels":["gemm"],"shapes":["1x2x3"]})");
}

TEST_CASE("numbers have at most nine digits, and are rounded only once") {
  CHECK(to_line({0.1, 1.0 / 3, 123456.7890123, 9.87654321e11, 1e-9}) ==
        "[0.1,0.333333333,123456.789,987654321000.0,1e-09]");
  for (const double ns : {0.0123456789012, 999.98765432109, 123456.7890123, 1.5e13 / 7}) {
    const double rounded = parse_line(to_line({ns}))[0].get<double>();
    CHECK(rounded == Approx(ns).epsilon(5.1e-9));
    CHECK(to_line({rounded}) == to_line({ns}));
  }
}

TEST_CASE("messages of drivers need not be UTF-8") {
  Outcome outcome = some_outcome();
  outcome.build_log = "error: \xff\xfe";
  const std::string text = to_line(outcome);
  CHECK(to_line(parse_line(text).get<Outcome>()) == text);
}

template <class Record>
std::string failure(const std::string& text) {
  try {
    parse_line(text).get<Record>();
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("missing keys and values of the wrong type are named") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(failure<ValidatedProduct>(R"({"op":"NN"})"), ContainsSubstring("'shape'"));
  CHECK_THAT(failure<ValidatedProduct>(R"({"op":"NM","shape":"1x2x3"})"),
             ContainsSubstring("op: "));
  CHECK_THAT(failure<Outcome>(R"({"point":"gemm","task":"NN","result":"ok","round":1.5})"),
             ContainsSubstring("round: "));
  CHECK_THAT(failure<Outcome>(R"({"point":"gemm","task":"NN","result":"ok","round":1e99})"),
             ContainsSubstring("round: "));
  CHECK_THAT(failure<Outcome>(R"([1])"), ContainsSubstring("object"));
  CHECK_THAT(failure<Outcome>(R"({"point":7,"task":"NN","result":"ok"})"),
             ContainsSubstring("point: "));
  CHECK_THAT(failure<Outcome>(R"({"point":"gemm tile_m=x","task":"NN","result":"ok"})"),
             ContainsSubstring("point: ") && ContainsSubstring("is not a point") &&
                 ContainsSubstring("tile_m"));
  CHECK_THAT(failure<MeasureRequest>(R"({"kernels":["pile"]})"),
             ContainsSubstring("kernels: ") && ContainsSubstring("pile"));
  CHECK_THAT(failure<Outcome>(R"({"point":"gemm","task":"NN","result":"good"})"),
             ContainsSubstring("result: "));
  CHECK_THAT(
      failure<Outcome>(
          R"({"point":"gemm","task":"NN","result":"ok","shapes":[{"shape":"1x2","ns":[1]}]})"),
      ContainsSubstring("shapes: shape: "));
  CHECK_THAT(failure<Outcome>(R"({"point":"gemm","task":"NN","result":"ok","max_error":"much"})"),
             ContainsSubstring("max_error: "));
  CHECK_THAT(failure<ShapeSamples>(R"({"shape":"1x2x3","ns":[0,"a"]})"), ContainsSubstring("ns: "));
  CHECK_THAT(failure<SpaceLimits>(R"({})"), ContainsSubstring("'max_work_group_size'"));
  CHECK_THAT(failure<Outcome>("{\"a\":"), ContainsSubstring("too early"));
  CHECK_THAT(failure<Outcome>("{\"a\":x}"), ContainsSubstring("line 1, column 6"));
  // The message is the library's own, without its error numbers.
  CHECK_THAT(failure<Outcome>(R"({"point":"gemm","task":1,"result":"ok"})"),
             !ContainsSubstring("json.exception"));
  CHECK_THAT(failure<Outcome>("[1e999]"),
             ContainsSubstring("number overflow") && !ContainsSubstring("exception"));
}

// A former error: another program used a core for half a second, and slowed the reference down more
// than the candidate. Compared with the reference's median, the candidate was twice as fast as the
// best one, and all later candidates seemed so slow that they got no second sample.
TEST_CASE("a disturbance of the reference does not make a candidate fast") {
  ShapeSamples samples;
  samples.ns = {8.86, 9.0, 11.19};
  samples.reference_ns = {8.14, 20.56, 18.3};
  samples.reference_known_ns = 4.48;
  CHECK(median_ns(samples) == 8.86);  // its fastest sample: nothing shows that it could be faster
  // If a disturbance affected both, the reference's median is used.
  samples.ns = {16.0, 8.0, 16.2};
  samples.reference_ns = {8.0, 4.0, 8.1};
  CHECK(median_ns(samples) == Approx(16.0 / (8.0 / 4.48)));
}

TEST_CASE("an outcome's time is divided by the slow-down that its reference shows") {
  ShapeSamples samples;
  samples.shape = {8, 8, 8};
  samples.ns = {100.0, 220.0, 90.0};
  CHECK(median_ns(samples) == 100.0);
  // The second sample at a moment when everything was twice as slow.
  samples.reference_ns = {50.0, 100.0, 50.0};
  CHECK(median_ns(samples) == 100.0);  // the usual time of the reference is unknown
  samples.reference_known_ns = 50.0;
  CHECK(median_ns(samples) == 100.0);
  samples.reference_ns = {100.0, 200.0, 100.0};
  CHECK(median_ns(samples) == 90.0);  // not 50, because no sample was below 90
  samples.ns = {100.0, 220.0, 40.0};
  CHECK(median_ns(samples) == 50.0);
  Outcome outcome;
  outcome.shapes = {samples};
  CHECK(samples_on(outcome, {8, 8, 8}) == &outcome.shapes[0]);
  CHECK(samples_on(outcome, {8, 8, 9}) == nullptr);
}

TEST_CASE("outcome classes have names") {
  for (const OutcomeClass result : kOutcomeClasses) {
    CHECK(parse_outcome_class(to_text(result)) == result);
  }
  CHECK(to_text(OutcomeClass::kBuildCrash) == "build_crash");
  CHECK_FALSE(parse_outcome_class("fine"));
}

}  // namespace
}  // namespace tilewright

#include "fault_rules.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

const FaultSubject kKernel{
    {"sgemm_m4"}, "__kernel void sgemm_m4(read_only image2d_t a) {}", 3, 1000};

bool selected(const std::string& selector) {
  return find_rule(parse_fault_rules("build_crash " + selector), Fault::kBuildCrash, kKernel) !=
         nullptr;
}

TEST_CASE("fault rules: a line is a rule, and the rest is comment") {
  const auto rules = parse_fault_rules(
      "# poison\n"
      "\n"
      "slow entry=a 50   # fifty times\n"
      "device_gone call=7 /tmp/gone\n"
      "garbage_times always\n");
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].fault == Fault::kSlow);
  CHECK(rules[0].factor == 50.0);
  CHECK(rules[1].file == "/tmp/gone");
  CHECK(rules[1].number == 7);
  CHECK(rules[2].factor == 0.0);
}

TEST_CASE("fault rules: selectors") {
  CHECK(selected("always"));
  CHECK(selected("entry=sgemm_m4"));
  CHECK_FALSE(selected("entry=sgemm_m"));
  CHECK(selected("entry~m4"));
  CHECK_FALSE(selected("entry~m8"));
  CHECK(selected("source~image2d"));
  CHECK_FALSE(selected("source~barrier"));
  CHECK(selected("call=3"));
  CHECK_FALSE(selected("call=2"));
  CHECK(selected("entry=sgemm_m4&items>999"));
  CHECK_FALSE(selected("entry=sgemm_m4&items>1000"));
  CHECK_FALSE(selected("entry=sgemm_m8&items>999"));
  const std::uint64_t rest = fault_hash("sgemm_m4") % 20;
  CHECK(selected("hash%20=" + std::to_string(rest)));
  CHECK_FALSE(selected("hash%20=" + std::to_string((rest + 1) % 20)));
}

TEST_CASE("fault rules: rules for other faults do not apply, and the first of two rules does") {
  const auto rules = parse_fault_rules("slow always 2\nslow always 3\n");
  CHECK(find_rule(rules, Fault::kBuildCrash, kKernel) == nullptr);
  CHECK(find_rule(rules, Fault::kSlow, kKernel)->factor == 2.0);
}

TEST_CASE("fault rules: invalid rules are rejected with their line") {
  for (const char* line :
       {"burn always", "slow", "slow always", "slow always fast", "slow always -1",
        "build_crash always 3", "build_crash entry=", "build_crash call=0", "build_crash hash%5=5",
        "build_crash hash%5", "slow always&items>many 2", "launch_crash &items>3",
        "device_gone always", "slow always 2 3", "build_crash never"}) {
    INFO(line);
    CHECK_THROWS_WITH(parse_fault_rules(std::string("\n") + line),
                      Catch::Matchers::StartsWith("line 2: "));
  }
}

TEST_CASE("fault rules: the model of times is the same everywhere") {
  CHECK(fault_hash("") == 14695981039346656037u);
  CHECK(fault_hash("a") == 0xaf63dc4c8601ec8cu);  // published test vector
  for (const char* name : {"sgemm_m4", "sgemm_m8", "x", "sgemm_R_R_m1_n1"}) {
    const auto one = static_cast<double>(model_ns(name, 1000, 1000));
    CHECK(one >= 1e6);
    CHECK(one <= 2e6 + 1);
    CHECK(static_cast<double>(model_ns(name, 2000, 1000)) == Approx(2 * one).epsilon(1e-3));
  }
  CHECK(model_ns("sgemm_m4", 1000, 1000) != model_ns("sgemm_m8", 1000, 1000));
  CHECK(model_ns("sgemm_m4", 10, 0) == model_ns("sgemm_m4", 10, 1));
}

TEST_CASE("fault rules: names of kernels") {
  CHECK(kernel_names("").empty());
  CHECK(kernel_names(
            "float f(int x);\n"
            "__kernel __attribute__((reqd_work_group_size(8, 8, 1)))\nvoid one(const int m) {}\n"
            "__kernel void two(void) {}") == std::vector<std::string>{"one", "two"});
}

}  // namespace
}  // namespace tilewright

// Tests the validation of a tuning on random products, with kernels that fail only there.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "catch.hpp"
#include "codelets/point/parameter_point.hpp"
#include "codelets/space/generic_profile.hpp"
#include "fault_run.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "running_program.hpp"
#include "small_tuning.hpp"
#include "tuner/journal/journal_lines.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

// The event times of these candidates follow from their names, so the tuning is the same on any
// machine. Validation measures whole calls by wall time, which no rule changes.
const std::string kTimesByName =
    "times_by_name entry~_m4_n4_\ntimes_by_name entry~_m4_n8_\n"
    "times_by_name entry~multiply_add\n";

// The built-in kernels for classes of devices do not build, and those for every device are slow.
// Otherwise they would be the fastest on all products.
std::string without_built_in() {
  std::string rules;
  for (const KernelRecord& kernel : parse_profile(generic_profile_text(), "built-in").kernels) {
    if (!is_product(kernel.role)) continue;
    rules += kernel.classes.empty() ? "slow entry=" + kernel.name + " 8\n"
                                    : "build_failure entry=" + kernel.name + "\n";
  }
  return rules;
}

const std::string& fault_rules() {
  static const std::string rules = kTimesByName + without_built_in();
  return rules;
}

SmallTuning tuning(const std::string& name, int products) {
  SmallTuning tuning;
  tuning.name = name;
  tuning.few_points = true;
  tuning.shapes = "auto";
  tuning.candidates = 12;
  tuning.rounds = 1;
  tuning.more = {"--max-dispatch=2ms", "--only=split_k=1"};
  if (products > 0) tuning.more.push_back("--validate=" + std::to_string(products));
  return tuning;
}

JournalContents run(const SmallTuning& tuning, const std::string& poison, std::string* messages) {
  const Faults faults(fault_rules() + poison);
  const ProgramResult result = run_program(tuning.command_line());
  INFO(poison << result.error);
  REQUIRE(result.exit_code == 0);
  if (messages != nullptr) *messages = result.error;
  JournalContents contents = read_journal(tuning.journal());
  CHECK(contents.complete);
  return contents;
}

// A tuning that is not validated. The tests continue copies of its journal.
const SmallTuning& base() {
  static const SmallTuning ours = [] {
    SmallTuning made = tuning("base", 0);
    const JournalContents contents = run(made, "", nullptr);
    CHECK(contents.products.empty());
    return made;
  }();
  return ours;
}

SmallTuning continued(const std::string& name, int products) {
  const std::string journal = base().journal();
  SmallTuning ours = tuning(name, products);
  fs::copy_file(journal, ours.journal(), fs::copy_options::overwrite_existing);
  return ours;
}

bool is_in_profile(const SmallTuning& tuning, const KernelId& kernel) {
  return find_kernel(load_profile(tuning.profile()), kernel_name(kernel.point())) != nullptr;
}

bool is_built_in(const KernelId& kernel) {
  return find_kernel(basic_profile(), kernel_name(kernel.point())) != nullptr;
}

// A candidate that runs one of the first three random products, without faults. It is no built-in
// kernel, because workers run those when they check the device's health.
const KernelId& first_choice() {
  static const KernelId kernel = [] {
    const JournalContents contents = run(continued("choice", 3), "", nullptr);
    std::vector<KernelId> kernels;
    for (const ValidatedProduct& product : validated_products(contents)) {
      for (const Outcome& plan : product.plans) kernels.push_back(plan.kernel);
    }
    const auto chosen = std::find_if_not(kernels.begin(), kernels.end(), is_built_in);
    REQUIRE(chosen != kernels.end());
    return *chosen;
  }();
  return kernel;
}

// Checks that each product has one line.
void check_counts(const JournalContents& contents, std::size_t products) {
  const auto num_products = [&](bool held_out) {
    return static_cast<std::size_t>(
        std::ranges::count(contents.products, held_out, &ValidatedProduct::held_out));
  };
  CHECK(num_products(false) == products);
  CHECK(num_products(true) == products);
  std::set<std::string> seen;
  for (const ValidatedProduct& product : contents.products) {
    CHECK(seen.insert(std::string(to_text(product.op)) + " " + to_text(product.shape)).second);
  }
}

// Checks that the kernel failed in this way, and is not used any more.
void check_failed(const SmallTuning& tuning, const JournalContents& contents,
                  const KernelId& kernel, OutcomeClass result, const char* reason) {
  const auto failed =
      std::find_if(contents.outcomes.begin(), contents.outcomes.end(),
                   [](const Outcome& o) { return o.task == kValidating || o.task == kQuarantine; });
  REQUIRE(failed != contents.outcomes.end());
  CHECK(failed->kernel == kernel);
  CHECK(failed->result == result);
  CHECK_THAT(failed->reason, ContainsSubstring(reason));
  CHECK_FALSE(is_in_profile(tuning, kernel));
  for (const ValidatedProduct& product : validated_products(contents)) {
    for (const Outcome& plan : product.plans) CHECK(plan.kernel != kernel);
  }
}

TEST_CASE("a tuning is validated on random products, and other ones show what it gains") {
  const SmallTuning ours = continued("validated", 12);
  std::string messages;
  const JournalContents contents = run(ours, "", &messages);
  check_counts(contents, 12);
  // On a slow machine some products are predicted to take too long.
  const bool enough = held_out_products(contents).size() >= kMinHeldOut;
  const std::vector<Validation> validations = load_profile(ours.profile()).validations;
  CHECK(validations.size() == (enough ? 1 : 0));
  if (enough) CHECK(validations[0].products == 12);
  CHECK((messages.find("12 new products") != std::string::npos) == enough);
  CHECK_THAT(messages, ContainsSubstring("next: tilewright bench --profile '" + ours.profile() +
                                         "' --device '0' --ops nn --compare "));
  // A plan is announced before it runs.
  const std::string chosen = held_out_products(contents).back().plans.at(0).kernel.text();
  CHECK(lines_by_point(ours.journal(), "starting")[chosen] >
        lines_by_point(base().journal(), "starting")[chosen]);
}

// A former error: the first product after others had been held out was measured twice.
TEST_CASE("a validation that continues after its end measures each product once", "[full]") {
  run(continued("again", 2), "", nullptr);
  check_counts(run(tuning("again", 4), "", nullptr), 4);
}

TEST_CASE("a kernel that is wrong on random products only is reported and not chosen") {
  const KernelId& kernel = first_choice();
  const SmallTuning ours = continued("wrong", 3);
  std::string messages;
  const JournalContents contents =
      run(ours, "wrong_result entry=" + kernel_name(kernel.point()), &messages);
  check_failed(ours, contents, kernel, OutcomeClass::kWrong, "computes C(");
  check_counts(contents, 3);
  CHECK_THAT(messages, ContainsSubstring("wrong: ") && ContainsSubstring("chosen"));
}

TEST_CASE("a kernel that crashes on random products only is reported and not chosen", "[full]") {
  const KernelId& kernel = first_choice();
  const SmallTuning ours = continued("crashed", 3);
  const JournalContents contents =
      run(ours, "launch_crash entry=" + kernel_name(kernel.point()), nullptr);
  check_failed(ours, contents, kernel, OutcomeClass::kLaunch, "SIGSEGV");
  check_counts(contents, 3);
}

TEST_CASE("a kernel that takes the machine down twice on random products does not run again") {
  const KernelId& kernel = first_choice();
  const SmallTuning ours = continued("rebooted", 3);
  {
    JournalContents contents;
    Journal journal = Journal::open(ours.journal(), contents);
    for (const char* boot : {"boot 1", "boot 2"}) {
      Session session = contents.sessions.front();
      session.boot_id = boot;
      journal.append(format_line(session, 0.0));
      journal.append(format_line(TrialStarted{kernel.text(), WorkerActivityKind::kLaunch}));
    }
  }
  const int before = lines_by_point(ours.journal(), "starting")[kernel.text()];
  const JournalContents contents = run(ours, "", nullptr);
  check_failed(ours, contents, kernel, OutcomeClass::kHang, "2 times");
  check_counts(contents, 3);
  CHECK(lines_by_point(ours.journal(), "starting")[kernel.text()] == before);
}

TEST_CASE("a validation that is killed continues with the products that are left", "[full]") {
  const SmallTuning ours = continued("killed", 4);
  const Faults faults(fault_rules());
  const auto num_lines = [&] { return read_journal(ours.journal()).products.size(); };
  std::mt19937 random(1);
  int kills = 0;
  for (const std::size_t lines : {0, 1, 2, 4, 6}) {
    RunningProgram program(ours.arguments());
    while (program.running() && num_lines() < lines) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    // While a plan runs, a line is written, or the kernels are chosen again.
    if (program.wait(std::uniform_real_distribution<double>(0.0, 0.5)(random))) break;
    const std::vector<pid_t> workers = program.children();
    program.signal(SIGKILL);
    REQUIRE(program.wait(60.0));
    for (const pid_t worker : workers) {
      while (is_alive(worker)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ++kills;
    CHECK(num_lines() >= lines);
  }
  CHECK(kills >= 3);
  const JournalContents contents = run(ours, "", nullptr);
  check_counts(contents, 4);
  // Being killed is no fault of the kernel that ran.
  CHECK(std::none_of(contents.outcomes.begin(), contents.outcomes.end(), [](const Outcome& o) {
    return o.task == kValidating || o.task == kQuarantine;
  }));
}

}  // namespace
}  // namespace tilewright

#include "tuner/cli/run_team_tuning.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/team/team_members.hpp"
#include "tuner/team/team_tuning.hpp"

namespace tilewright {
namespace {

constexpr const char* kTeamShapes = "256x256x256,512x512x512,1024x1024x1024,2048x2048x2048";

ElementType team_type(const std::string& precision) {
  const NumberType type = parse_number_type(precision);
  if (!type.complex) return to_element_type(type.precision);
  return type.precision == Precision::kDouble ? ElementType::kComplexDouble
                                              : ElementType::kComplexFloat;
}

// "auto" stands for four cubes; shapes that follow it are added.
std::vector<GemmShape> team_shapes(const std::string& argument) {
  const ShapeChoice choice = parse_shape_choice(argument);
  if (!choice.design) return choice.shapes;
  std::vector<GemmShape> shapes = parse_shapes(kTeamShapes);
  shapes.insert(shapes.end(), choice.shapes.begin(), choice.shapes.end());
  return shapes;
}

// Only another team profile is replaced without --overwrite.
void refuse_other_file(const TeamArguments& arguments) {
  if (arguments.output.empty() || arguments.overwrite) return;
  if (!std::filesystem::is_regular_file(arguments.output)) return;
  try {
    load_team_profile(arguments.output);
  } catch (const ProfileError&) {
    throw UsageError(
        fmt::format("--output: '{}' exists and is not a team profile; --overwrite replaces it",
                    arguments.output));
  }
}

}  // namespace

int run_team_tuning(const TeamArguments& arguments) {
  const std::vector<TeamMemberName> names = parse_team(arguments.members);
  TeamTuning tuning;
  tuning.type = team_type(arguments.precision);
  tuning.shapes = team_shapes(arguments.shapes);
  tuning.budget_s = parse_duration("--budget", arguments.budget);
  tuning.seconds = seconds_per_measurement(tuning.budget_s, tuning.shapes.size(), names.size());
  refuse_other_file(arguments);
  tuning.members = open_team(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!tuning.members[i]->supports(tuning.type)) {
      throw UsageError(fmt::format("--precision: '{}' does not support type {}", names[i].text,
                                   arguments.precision));
    }
    print("member {}, {}: {}\n", i, names[i].text, tuning.members[i]->profile_name());
  }
  print(
      "type {}, NN, row-major, random numbers in host memory; GFLOPS: median (10th-90th "
      "percentile) "
      "of the products in {:.3g} s\n",
      arguments.precision, tuning.seconds);
  // An error at a later shape keeps the earlier ones.
  const auto done = [&](const TeamSamples& samples, const TeamProfile& profile) {
    print("{}\n", to_text(samples));
    if (arguments.output.empty()) return;
    const std::string text = write_team_profile(profile);
    parse_team_profile(text, arguments.output);  // only what can be read is written
    write_file_atomically(arguments.output, text);
  };
  const std::size_t num_measured = tune_team(tuning, done).results.size();
  for (std::size_t i = num_measured; i < tuning.shapes.size(); ++i) {
    print(stderr, "tilewright: --budget: there was no time for {}\n", to_text(tuning.shapes[i]));
  }
  if (arguments.output.empty()) return 0;
  print_path(arguments.output);
  return 0;
}

}  // namespace tilewright

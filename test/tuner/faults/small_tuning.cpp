#include "small_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "codelets/point/parameter_point.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {

const char* const kModelTimes = "times_by_name entry~sgemm\ntimes_by_name entry~multiply_add\n";

SmallTuning few_points_tuning(const std::string& name) {
  SmallTuning tuning;
  tuning.name = name;
  tuning.few_points = true;
  return tuning;
}

std::string SmallTuning::journal() const {
  return scratch_folder() + "/" + name + ".jsonl";
}

std::string SmallTuning::profile() const {
  return scratch_folder() + "/" + name + ".toml";
}

std::vector<std::string> SmallTuning::arguments() const {
  std::vector<std::string> arguments = {"tune",
                                        "--device=0",
                                        "--shapes=" + shapes,
                                        "--ops=nn",
                                        "--no-packing",
                                        "--activations=none",
                                        "--seed=1",
                                        "--budget=10h",
                                        "--candidates=" + std::to_string(candidates),
                                        "--rounds=" + std::to_string(rounds),
                                        "--build-deadline=" + deadline,
                                        "--launch-deadline=" + deadline,
                                        "--output=" + profile(),
                                        "--journal=" + journal()};
  const auto only = [&](const std::string& restriction) {
    arguments.push_back("--only=" + restriction);
  };
  only(large_space ? "tile_m=2,4" : "tile_m=4");
  only("tile_n=4,8");
  only("tile_k=1,4");
  if (few_points) {
    only("work_group_m=4,8");
    only("work_group_n=4,8");
    only("addressing=pointers");
  } else {
    only(large_space ? "work_group_m=1,4,8" : "work_group_m=1,4");
    only("work_group_n=4,8");
    only("addressing=pointers,indices");
  }
  only(large_space ? "id_order=nm,mn" : "id_order=nm");
  for (const char* single :
       {"unroll_k=1", "vector_width=4", "inner=outer", "assignment=consecutive", "lanes_m=1",
        "lanes_n=1", "group_order=rows", "cache_block_k=0", "local_a=no", "local_b=no",
        "local_buffers=1", "local_pad=0", "prefetch=none", "access=vload"}) {
    only(single);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string SmallTuning::command_line() const {
  std::string line;
  for (const std::string& argument : arguments())
    line += (line.empty() ? "'" : " '") + argument + "'";
  return line;
}

std::string deadline_after(const JournalContents& clean) {
  constexpr double kLongBefore = 5.0;
  constexpr double kMin_s = 4.0;
  double longest_s = 0.0;
  for (const Outcome& outcome : clean.outcomes) longest_s = std::max(longest_s, outcome.took_s);
  const double deadline_s = std::max(kMin_s, kLongBefore * longest_s);
  return std::to_string(static_cast<int>(std::ceil(deadline_s))) + "s";
}

std::string journal_entry_name(const Outcome& outcome) {
  return kernel_name(outcome.kernel.point());
}

std::map<std::string, std::string> winners(const std::string& profile_path) {
  std::map<std::string, const ShapeResult*> best;
  const Profile profile = load_profile(profile_path);
  for (const ShapeResult& result : profile.results) {
    const GemmShape shape{result.m, result.n, result.k};
    const ShapeResult*& known = best[to_text(shape)];
    if (known == nullptr || result.median_ns < known->median_ns) known = &result;
  }
  std::map<std::string, std::string> names;
  for (const auto& [shape, result] : best) names[shape] = result->kernel;
  return names;
}

std::map<std::string, int> lines_by_point(const std::string& journal_path,
                                          const std::string& kind) {
  std::map<std::string, int> count;
  std::ifstream file(journal_path);
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    if (!json.contains(kind)) continue;
    const auto& value = json[kind];
    for (const auto& each : value.is_array() ? value : nlohmann::json::array({value})) {
      const std::string task = each.value("task", "");
      if (task != kFinals && task != kPacking) ++count[each["point"].get<std::string>()];
    }
  }
  return count;
}

}  // namespace tilewright

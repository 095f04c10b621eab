#include "tuner/report/report_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/journal/records/json_error.hpp"
#include "tuner/report/bench_answer.hpp"

namespace tilewright {
namespace {

// Returns the name of the file without its folder, which may be private.
std::string file_name(const std::string& path) {
  return printable(std::filesystem::path(path).filename().string());
}

void read_sibling_journal(const std::string& path, ReportProfile& report) {
  const std::string sibling = path + ".journal.jsonl";
  if (!holds_journal(sibling)) {
    report.no_journal = "there is no journal in its folder";
    return;
  }
  JournalContents contents = read_journal(sibling);
  if (hardware_name(contents.header.device.identity.name) !=
      hardware_name(report.profile.device.name)) {
    report.no_journal = "the journal in its folder is for another device";
    return;
  }
  report.journal = std::move(contents);
}

ReportProfile read_profile(const std::string& path, const std::vector<ReportProfile>& before) {
  ReportProfile report{file_name(path), load_profile(path), std::nullopt};
  const auto same = std::count_if(before.begin(), before.end(), [&](const ReportProfile& other) {
    return other.name == report.name || other.name.rfind(report.name + " (", 0) == 0;
  });
  if (same > 0) report.name += fmt::format(" ({})", same + 1);
  read_sibling_journal(path, report);
  return report;
}

ReportBench read_answer(const std::string& path) {
  const FileContent content = read_file(path);
  if (!content.failure.empty()) throw ReportError(fmt::format("{}: {}", path, content.failure));
  try {
    ReportBench bench{file_name(path), nlohmann::ordered_json::parse(content.bytes)};
    check_bench_answer(bench.answer);
    return bench;
  } catch (const ReportError& error) {
    throw ReportError(
        fmt::format("{}: is not output of `tilewright bench --json`: {}", path, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw ReportError(fmt::format("{}: {}", path, json_error_text(error, content.bytes)));
  }
}

}  // namespace

ReportInputs read_report_inputs(const std::vector<std::string>& profiles,
                                const std::vector<std::string>& benches) {
  ReportInputs inputs;
  for (const std::string& path : profiles) {
    inputs.profiles.push_back(read_profile(path, inputs.profiles));
  }
  for (const std::string& path : benches) inputs.benches.push_back(read_answer(path));
  return inputs;
}

}  // namespace tilewright

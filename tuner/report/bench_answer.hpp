// Checks output of `tilewright bench --json` before it goes into the page of a report.
#pragma once

#include <nlohmann/json.hpp>

namespace tilewright {

// Throws ReportError with the key ("results[2].figures[0].us.median") if something is missing that
// page/bench_sections.js reads.
void check_bench_answer(const nlohmann::ordered_json& answer);

}  // namespace tilewright

// Checks answers of `tilewright bench --json` before the page of a report draws them.
#pragma once

#include <nlohmann/json.hpp>

namespace tilewright {

// Throws ReportError that names the key ("results[2].figures[0].us.median") unless the answer has
// all that page/bench_sections.js reads.
void check_bench_answer(const nlohmann::ordered_json& answer);

}  // namespace tilewright

// Collects the data of a report as JSON, and makes its page.
//
//   {"made_by": ..., "codelets": {"gemm": {"fields": [...], "required": [...]}, ...},
//    "profiles": [{"name", "kind", "device", "provenance", "rates", "elements", "element_bytes",
//                  "results": [...], "kernels": {"NAME": {"point"}},
//                  "journal": {...} or null, "no_journal"}],
//    "benches": [{"name", "answer"}]}
//
// "results" has the plan that runs for each tuned product (plan_results.hpp), and "kernels" the
// product kernels of these plans, with "build_options" and "source" if the inputs ask for these. A
// journal has its sessions, the time that was spent, and for each candidate the values of the
// codelet's fields and its median time on each shape. page/sections.js reads these data.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "tuner/report/report_inputs.hpp"

namespace tilewright {

nlohmann::ordered_json report_data(const ReportInputs& inputs);

// page/page.html with its style and scripts, and a placeholder for the data; embedded at build
// time.
std::string_view report_template();

// Returns a page that displays the data of report_data(): self-contained HTML that must not load
// anything (Content-Security-Policy).
std::string report_page(const nlohmann::ordered_json& data);

}  // namespace tilewright

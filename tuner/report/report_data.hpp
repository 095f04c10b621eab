// Collects the data of a report as JSON.
//
//   {"made_by": ..., "codelets": {"gemm": {"fields": [...], "required": [...]}, ...},
//    "profiles": [{"name", "kind", "device", "provenance", "rates", "elements", "element_bytes",
//                  "results": [...], "kernels": {"NAME": {"point", "build_options", "source"}},
//                  "journal": {...} or null, "no_journal"}],
//    "benches": [{"name", "answer"}]}
//
// "results" has the best result of each product, and "kernels" the kernels of these results. A
// journal has its sessions, the time that was spent, and for each candidate the values of the
// codelet's fields and its median time on each shape. page/sections.js reads these data.
#pragma once

#include "tuner/report/report_inputs.hpp"

namespace tilewright {

nlohmann::ordered_json report_data(const ReportInputs& inputs);

}  // namespace tilewright

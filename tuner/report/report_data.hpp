// Collects what the page of a report draws, as JSON.
//
//   {"made_by": ..., "codelets": {"gemm": {"fields": [...], "demanded": [...]}, ...},
//    "profiles": [{"name", "kind", "device", "provenance", "rates", "elements", "element_bytes",
//                  "results": [...], "kernels": {"NAME": {"point", "build_options", "source"}},
//                  "journal": {...} or null, "no_journal"}],
//    "benches": [{"name", "answer"}]}
//
// Results are the best of each product, and kernels those that they name. A journal holds its
// sessions, the time that was spent, and for each candidate its values of the codelet's fields and
// its median time on each shape. page/sections.js reads all that.
#pragma once

#include "tuner/report/report_inputs.hpp"

namespace tilewright {

nlohmann::ordered_json report_data(const ReportInputs& inputs);

}  // namespace tilewright

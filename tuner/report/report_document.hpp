// What does a report say?
//
// One JSON document: sections with sentences, tables, plots' data and texts. What the inputs do not
// hold is said under `missing`; then there is no plot. Nothing in it is markup: who shows it shows
// text.
//
//   {"title": ..., "made_by": ..., "sections": [{"id": ..., "title": ..., "text": ...,
//     "plots": [{"plot": "speed", "title": "NN", "data": {"figures": [{...}], ...}}],
//     "tables": [{"title": ..., "head": [...], "rows": [[...]]}],
//     "texts": [{"title": ..., "text": ...}], "missing": ["..."]}]}
//
// `plot` names a Vega-Lite specification of page/plots.json, which draws the data of these names.
#pragma once

#include "tuner/report/report_inputs.hpp"

namespace tilewright {

// Throws ReportError where an answer of `bench --json` is none.
nlohmann::ordered_json report_document(const ReportInputs& inputs);

}  // namespace tilewright

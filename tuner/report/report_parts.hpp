// What are sections of a report made of, and which are there?
//
// Internal to the room.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/call/gemm_problem.hpp"
#include "tuner/report/report_inputs.hpp"

namespace tilewright {

using Json = nlohmann::ordered_json;

class ReportSection {
 public:
  ReportSection(const std::string& id, const std::string& title, const std::string& text);

  // Left out where `needed`, one of the data, is empty. A plot with a row for each thing has as
  // many `rows`.
  void plot(const std::string& name, const std::string& title, Json data, const std::string& needed,
            std::size_t rows = 0);
  void table(const std::string& title, const std::vector<std::string>& head,
             const std::vector<std::vector<std::string>>& rows);
  void text(const std::string& title, const std::string& text);
  // A sentence that says what was not measured, and why.
  void missing(const std::string& sentence);

  bool empty() const;
  Json json;
};

// The edge of a cube with as many multiply-adds: where a product stands on an axis.
double size_of(const GemmShape& shape);
// "512" of a square, else "MxNxK".
std::string short_text(const GemmShape& shape);
// "12.3 us", "4.56 ms".
std::string time_text(double ns);
// Three digits or more: "0.123", "12.3", "12345".
std::string figure(double value);

// In the order of the page. Those of benches throw ReportError.
ReportSection verdict_section(const ReportInputs& inputs);
ReportSection device_section(const ReportInputs& inputs);
ReportSection speed_section(const ReportInputs& inputs);
ReportSection comparison_section(const ReportInputs& inputs);
ReportSection portfolio_section(const ReportInputs& inputs);
ReportSection progress_section(const ReportInputs& inputs);
ReportSection time_section(const ReportInputs& inputs);
ReportSection sensitivity_section(const ReportInputs& inputs);
ReportSection rivals_section(const ReportInputs& inputs);
ReportSection nets_section(const ReportInputs& inputs);
ReportSection failures_section(const ReportInputs& inputs);
ReportSection sources_section(const ReportInputs& inputs);

// What a section that needs a journal says of a profile that has none.
void say_no_journal(ReportSection& section, const ReportProfile& report);

// The best result on each (op, shape), in the order of ops and sizes.
// In one precision (measured_precision); of plain products, without bias and activation.
std::vector<const ShapeResult*> best_results(const Profile& profile);

}  // namespace tilewright

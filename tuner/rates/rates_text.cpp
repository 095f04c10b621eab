#include "tuner/rates/rates_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/records/forms.hpp"

namespace tilewright {
namespace {

std::string figure(double value, const char* unit, const char* remark) {
  if (value <= 0.0) return "not measured";
  return fmt::format("{:.4g} {}, {}", value, unit, remark);
}

const MultiplyAddRate* find_rate(const DeviceRates& rates, int width, const char* form) {
  const auto found = std::find_if(
      rates.multiply_adds.begin(), rates.multiply_adds.end(),
      [&](const auto& rate) { return rate.vector_width == width && rate.form == form; });
  return found == rates.multiply_adds.end() ? nullptr : &*found;
}

std::string width_line(const DeviceRates& rates, const Forms& forms, int width) {
  std::string line = fmt::format("{:>5}", width);
  for (const MultiplyAdd form : kMultiplyAdds) {
    const MultiplyAddRate* rate = find_rate(rates, width, to_text(form));
    const auto chosen = forms.find(width);
    const bool best = chosen != forms.end() && chosen->second == form;
    line += fmt::format(
        "{:>13}", rate == nullptr ? "-" : fmt::format("{}{:.4g}", best ? "*" : "", rate->gflops));
  }
  return line;
}

}  // namespace

std::vector<std::string> rates_text(const DeviceRates& rates) {
  const char* moved = "read and written by a copy of a large buffer";
  std::vector<std::string> lines = {
      "peak        " +
          figure(rates.peak_gflops, "GFLOPS",
                 is_raised_peak(rates)
                     ? "of the fastest kernel, which passed the micro-benchmarks: a lower bound"
                     : "multiply-adds in registers"),
      "copy        " + figure(rates.copy_gbytes_per_s, "GB/s", moved),
      "local       " + figure(rates.local_gbytes_per_s, "GB/s", "read from local memory"),
      "images      " + figure(rates.image_gbytes_per_s, "GB/s", "read, 16 bytes a pixel"),
      "launch      " + figure(rates.launch_ns * 1e-3, "us", "one of many, back to back, wall time"),
      "round trip  " + figure(rates.round_trip_ns * 1e-3, "us", "launch and wait, wall time"),
      "timer       " + (rates.event_time
                            ? figure(rates.timer_step_ns, "ns", "least step of event timestamps")
                            : "no event timestamps that make sense: times are wall times"),
  };
  std::set<int> widths;
  for (const MultiplyAddRate& rate : rates.multiply_adds) widths.insert(rate.vector_width);
  if (widths.empty()) return lines;
  lines.push_back(
      "multiply-adds, GFLOPS by vector width, medians; * the best, or within 2 % of it and simpler");
  std::string head = "width";
  for (const MultiplyAdd form : kMultiplyAdds) {
    head += fmt::format("{:>13}", to_text(form));
  }
  lines.push_back(head);
  const Forms forms = forms_of(rates);
  for (const int width : widths) lines.push_back(width_line(rates, forms, width));
  return lines;
}

}  // namespace tilewright

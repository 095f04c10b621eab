#include "tuner/measure/rates/rates_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/journal/records/forms.hpp"

namespace tilewright {
namespace {

std::string figure(double value, const char* unit, const char* remark) {
  if (value <= 0.0) return "not measured";
  return fmt::format("{:.4g} {}, {}", value, unit, remark);
}

std::string peak_text(const DeviceRates& rates, Precision arithmetic) {
  return figure(arithmetic_peak(rates, arithmetic), "GFLOPS",
                arithmetic != Precision::kHalf && is_raised_peak(rates, arithmetic)
                    ? "reached by the fastest kernel"
                    : "multiply-adds in registers");
}

const MultiplyAddRate* find_rate(const std::vector<MultiplyAddRate>& rates, int width,
                                 const char* form) {
  const auto found = std::find_if(rates.begin(), rates.end(), [&](const auto& rate) {
    return rate.vector_width == width && rate.form == form;
  });
  return found == rates.end() ? nullptr : &*found;
}

std::string width_line(const std::vector<MultiplyAddRate>& rates, const Forms& forms, int width) {
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

void add_table(const DeviceRates& all, Precision arithmetic, std::vector<std::string>& lines) {
  std::vector<MultiplyAddRate> rates = all.multiply_adds;
  std::erase_if(rates, [&](const auto& rate) { return rate.precision != arithmetic; });
  if (rates.empty()) return;
  lines.push_back(fmt::format(
      "multiply-adds in {}: median GFLOPS by vector width and form; * marks the form that kernels "
      "use: the simplest one within 2 % of the best",
      elements_text(arithmetic)));
  std::string head = "width";
  for (const MultiplyAdd form : kMultiplyAdds) head += fmt::format("{:>13}", to_text(form));
  lines.push_back(head);
  std::set<int> widths;
  for (const MultiplyAddRate& rate : rates) widths.insert(rate.vector_width);
  const Forms forms = best_forms(all, arithmetic);
  for (const int width : widths) lines.push_back(width_line(rates, forms, width));
}

}  // namespace

std::vector<std::string> rates_text(const DeviceRates& rates) {
  const char* moved = "bytes read and written by a copy of a large buffer";
  std::vector<std::string> lines = {
      "peak        " + peak_text(rates, Precision::kSingle),
      "copy        " + figure(rates.copy_gbytes_per_s, "GB/s", moved),
      "local       " + figure(rates.local_gbytes_per_s, "GB/s", "bytes read from local memory"),
      "images      " +
          figure(rates.image_gbytes_per_s, "GB/s", "bytes read from an image, 16 per pixel"),
      "launch      " +
          figure(rates.launch_ns * 1e-3, "us", "wall time per launch in a series of launches"),
      "round trip  " + figure(rates.round_trip_ns * 1e-3, "us",
                              "wall time of a launch and the wait for its end"),
      "timer       " +
          (rates.event_time
               ? figure(rates.timer_step_ns, "ns", "smallest difference between event timestamps")
               : "event timestamps are unusable, so times are wall times"),
  };
  if (rates.double_peak_gflops > 0.0) {
    lines.push_back("peak of d   " + peak_text(rates, Precision::kDouble));
  }
  if (rates.half_is_emulated) {
    lines.push_back(
        "peak of h   emulated: the device has no cl_khr_fp16, so arithmetic is in single precision");
  } else if (rates.half_peak_gflops > 0.0) {
    lines.push_back("peak of h   " + peak_text(rates, Precision::kHalf));
  }
  for (const Precision arithmetic : kPrecisions) add_table(rates, arithmetic, lines);
  return lines;
}

}  // namespace tilewright

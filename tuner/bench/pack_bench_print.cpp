#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profiles/printable.hpp"
#include "tuner/bench/pack_bench.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

std::string figure(const Summary& rate) {
  return fmt::format("{:.4g} ({:.4g}-{:.4g})", rate.median, rate.low, rate.high);
}

// Of a bound that may not be known.
std::string percent_of(double rate, double bound) {
  return bound > 0.0 ? fmt::format("{:.0f}", 100.0 * rate / bound) : "-";
}

nlohmann::ordered_json rate_json(const Summary& rate) {
  return {
      {"median", rate.median}, {"low", rate.low}, {"high", rate.high}, {"samples", rate.samples}};
}

}  // namespace

std::string to_table(const PackBenchReport& report) {
  std::string text;
  for (const PackBenchSize& size : report.sizes) {
    const double copy = size.copy_gbytes_per_s.median;
    text += fmt::format("{0}x{0}: {1:.4g} MB read and {1:.4g} MB written; a copy of as much: {2}\n",
                        size.extent,
                        1e-6 * sizeof(float) * static_cast<double>(size.extent * size.extent),
                        figure(size.copy_gbytes_per_s));
    text += fmt::format("{:>26}{:>8}{:>8}  pack kernel\n", "GB/s", "% copy", "% rates");
    for (const PackBenchRow& row : size.rows) {
      const double rate = row.gbytes_per_s.median;
      text +=
          fmt::format("{:>26}{:>8}{:>8}  {}\n", figure(row.gbytes_per_s), percent_of(rate, copy),
                      percent_of(rate, report.rates.copy_gbytes_per_s), printable(row.kernel));
    }
    text += "\n";
  }
  for (const std::string& line : report.missing) text += fmt::format("- {}\n", printable(line));
  return text;
}

std::string to_json(const PackBenchReport& report) {
  nlohmann::ordered_json json = report.conditions;
  json["profile"] = report.profile;
  json["profile_digest"] = report.profile_digest;
  json["rates"] = rates_json(report.rates);
  json["unit"] = fmt::format("GB/s read and written, {} of the kernel alone", report.timer);
  json["missing"] = report.missing;
  json["packs"] = nlohmann::ordered_json::array();
  for (const PackBenchSize& size : report.sizes) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const PackBenchRow& row : size.rows) {
      rows.push_back({{"kernel", row.kernel}, {"gbytes_per_s", rate_json(row.gbytes_per_s)}});
      const double copy = size.copy_gbytes_per_s.median;
      if (copy > 0.0) rows.back()["share_of_copy"] = row.gbytes_per_s.median / copy;
    }
    json["packs"].push_back({{"rows", size.extent},
                             {"columns", size.extent},
                             {"copy_gbytes_per_s", rate_json(size.copy_gbytes_per_s)},
                             {"kernels", rows}});
  }
  return pretty(json);
}

}  // namespace tilewright

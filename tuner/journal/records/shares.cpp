#include "tuner/journal/records/shares.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace tilewright {

std::string percent_of_peak(double gflops, double peak_gflops) {
  if (!(gflops > 0.0) || !(peak_gflops > 0.0)) return "-";
  return fmt::format("{:.0f}", 100.0 * std::min(1.0, gflops / peak_gflops));
}

std::string ratios_text(const std::vector<double>& ratios) {
  if (ratios.empty()) return "not measured";
  double sum_of_logs = 0.0;
  for (const double ratio : ratios) sum_of_logs += std::log(ratio);
  const auto [least, greatest] = std::minmax_element(ratios.begin(), ratios.end());
  return fmt::format("{:.2f} ({:.2f} to {:.2f})",
                     std::exp(sum_of_logs / static_cast<double>(ratios.size())), *least, *greatest);
}

std::string kernel_count_text(const Profile& profile) {
  std::size_t products = 0;
  std::size_t built_in = 0;
  for (const KernelRecord& kernel : profile.kernels) {
    if (!is_product(kernel.role)) continue;
    ++products;
    if (kernel.built_in || profile.kind == ProfileKind::kGeneric) ++built_in;
  }
  return fmt::format("{} product kernels ({} built in) and {} others", products, built_in,
                     profile.kernels.size() - products);
}

std::string short_platform(const std::string& platform) {
  const std::size_t pocl = platform.find("PoCL ");
  if (pocl == std::string::npos) return platform.substr(0, platform.rfind(", OpenCL "));
  return platform.substr(pocl, platform.find_first_of(" ,", pocl + 5) - pocl);
}

std::string short_origin(const std::string& origin) {
  const std::size_t slash = origin.rfind('/', origin.find_first_of(" ;"));
  return slash == std::string::npos ? origin : origin.substr(slash + 1);
}

std::string cut(std::string_view name, std::size_t width) {
  if (name.size() <= width) return std::string(name);
  return std::string(name.substr(0, width - 2)) + "..";
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, bool indents) {
  std::istringstream words(text);
  std::string result;
  std::size_t column = indent;
  for (std::string word; words >> word; column += word.size()) {
    if (column == indent) {
      result += word;
    } else if (column + 1 + word.size() > width) {
      result += "\n" + std::string(indents ? indent : 0, ' ') + word;
      column = indent;
    } else {
      result += " " + word;
      ++column;
    }
  }
  return result;
}

}  // namespace tilewright

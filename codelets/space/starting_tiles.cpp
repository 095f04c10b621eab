#include "codelets/space/starting_tiles.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tilewright {
namespace {

// Minimum vector width; compilers combine narrower vectors themselves.
constexpr int kMinWidth = 4;
constexpr int kWidest = 16;  // the widest vector in OpenCL

double multiply_adds_per_load(int m, int n) {
  return static_cast<double>(m) * n / (m + n);
}

std::vector<RegisterTile> ordered(std::vector<std::pair<double, RegisterTile>> tiles) {
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<RegisterTile> result;
  for (const auto& [score, tile] : tiles) result.push_back(tile);
  return result;
}

}  // namespace

std::vector<int> searched_numbers(std::string_view parameter) {
  for (const Field& field : fields(Codelet::kGemm)) {
    if (field.name != parameter) continue;
    std::vector<int> numbers;
    for (const std::string& text : field.values) {
      int number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      numbers.push_back(number);
    }
    return numbers;
  }
  throw std::invalid_argument("gemm has no such parameter");
}

VectorRegisters vector_registers(const DeviceInfo& device) {
  const int width = std::clamp(device.native_vector_width, kMinWidth, kWidest);
  const int held = device.limits.register_floats / width;
  const int known = device.vector_registers;
  return {known > 0 ? std::min(known, held) : held, width};
}

std::vector<RegisterTile> vector_tiles(const VectorRegisters& registers) {
  std::vector<std::pair<double, RegisterTile>> tiles;
  const std::vector<int> heights = searched_numbers("tile_m");
  for (const int n : searched_numbers("tile_n")) {
    if (n % registers.width != 0) continue;
    const int vectors = n / registers.width;
    const auto tallest = std::find_if(heights.rbegin(), heights.rend(), [&](int m) {
      return m * vectors + vectors + 1 <= registers.count;
    });
    if (tallest == heights.rend()) continue;
    tiles.push_back({multiply_adds_per_load(*tallest, vectors), {*tallest, n}});
  }
  return ordered(std::move(tiles));
}

std::vector<RegisterTile> partial_tiles(const VectorRegisters& registers) {
  std::vector<std::pair<double, RegisterTile>> tiles;
  for (const int m : searched_numbers("tile_m")) {
    for (const int n : searched_numbers("tile_n")) {
      if (m * n + m + n > registers.count) continue;
      tiles.push_back({multiply_adds_per_load(m, n), {m, n}});
    }
  }
  return ordered(std::move(tiles));
}

std::vector<int> register_classes(const DeviceInfo& device) {
  const GpuFacts& gpu = device.gpu;
  if (!gpu.known()) {
    const int all = device.limits.register_floats;
    return {all / 4, all / 2, all};
  }
  std::vector<int> classes;
  for (const int registers : gpu.registers) {
    classes.push_back(registers * std::max(1, gpu.vector_width));
  }
  return classes;
}

int usable_floats(int register_class) {
  return register_class - register_class / 8;
}

std::optional<RegisterTile> best_tile(int vector_width, int most,
                                      const std::function<bool(RegisterTile)>& holds) {
  std::optional<RegisterTile> best;
  double best_score = 0.0;
  for (const int m : searched_numbers("tile_m")) {
    for (const int n : searched_numbers("tile_n")) {
      if (m > most || n > most || n % vector_width != 0 || !holds({m, n})) continue;
      const double score = multiply_adds_per_load(m, n);
      if (score < best_score) continue;
      best_score = score;
      best = {m, n};
    }
  }
  return best;
}

}  // namespace tilewright

// Tables that need no device: they follow from a kernel's tile and layouts, or from a net.
#include <fmt/format.h>

#include "codelets/model/cache_model.hpp"
#include "codelets/space/named_points.hpp"
#include "tuner/networks/net_choice.hpp"
#include "tuner/networks/net_facts.hpp"
#include "tuner/tables/table_bench.hpp"

namespace tilewright {
namespace {

GemmPoint named(const nlohmann::json& name) {
  return std::get<GemmPoint>(find_named_point(name.get<std::string>())->point());
}

// Work-groups follow each other along n, as in the paper's text, and fill the core.
GemmPoint with_extent(GemmPoint point, int along_m, int residents) {
  point.work_group_m = along_m;
  point.work_group_n = residents / along_m;
  point.id_order = IdOrder::kNM;
  point.group_order = GroupOrder::kRows;
  return point;
}

std::string six_digits(const nlohmann::json& number) {
  return fmt::format("{:g}", number.get<double>());
}

}  // namespace

TableReport footprint_table(const SeedTable& table) {
  const nlohmann::json& data = table.data;
  const int residents = data.at("residents");
  Grid grid{{"work-items along m"}, {}};
  for (const auto& column : data.at("columns")) {
    const std::string title = column.at("title");
    grid.header.insert(grid.header.end(), {title + " theirs", title + " here",
                                           title + " share theirs", title + " share here"});
  }
  for (std::size_t i = 0; i < data.at("extents").size(); ++i) {
    const int extent = data["extents"][i];
    grid.rows.push_back({std::to_string(extent)});
    for (const auto& column : data["columns"]) {
      const GemmPoint point = with_extent(named(column.at("point")), extent, residents);
      const double lines = cache_footprint(point, residents, data.at("line_floats")).lines();
      for (const std::string& cell :
           {six_digits(column.at("theirs")[i]), six_digits(lines),
            six_digits(column.at("shares")[i]),
            fmt::format("{:.2g}", lines / data.at("cache_lines").get<double>())}) {
        grid.rows.back().push_back(cell);
      }
    }
  }
  return {{grid}, {}, std::nullopt, 0};
}

TableReport misses_table(const SeedTable& table) {
  Grid grid{{"kernel", "bulk theirs", "bulk here", "period theirs", "period here"}, {}};
  for (const auto& row : table.data.at("rows")) {
    const MissPattern here = miss_pattern(named(row.at("point")), table.data.at("line_floats"));
    grid.rows.push_back({row.at("title"), six_digits(row.at("theirs")[0]), six_digits(here.bulk),
                         six_digits(row.at("theirs")[1]), six_digits(here.period)});
  }
  return {{grid}, {}, std::nullopt, 0};
}

TableReport layers_table(const SeedTable& table) {
  const std::string net = "preset:" + table.data.at("net").get<std::string>();
  Grid grid{{"layer", "theirs", "here"}, {}};
  const auto text = [](std::int64_t inputs, std::int64_t outputs, const std::string& activation) {
    return fmt::format("{} -> {}{}", inputs, outputs, activation.empty() ? "" : ", " + activation);
  };
  for (const auto& row : table.data.at("theirs")) {
    grid.rows.push_back({std::to_string(grid.rows.size() + 1), text(row[0], row[1], row[2]), ""});
  }
  std::size_t affine = 0;
  for (const LayerFacts& layer : facts_of(choose_net(net)).layers) {
    if (layer.kind == "affine") {
      if (++affine > grid.rows.size()) grid.rows.push_back({std::to_string(affine), "", ""});
      grid.rows[affine - 1][2] = text(layer.inputs, layer.outputs, "");
    } else if (affine > 0) {
      grid.rows[affine - 1][2] += ", " + layer.kind;
    }
  }
  return {{grid}, {fmt::format("how fast: tilewright mlp bench {}", net)}, std::nullopt, 0};
}

}  // namespace tilewright

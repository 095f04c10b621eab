// A table of graphs: what a model computes, or where it is refused.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {

struct GraphRow {
  std::string graph;
  std::string place = "", keyword = "";  // of the error; empty: the graph is read
  std::vector<std::vector<double>> inputs = {};
  std::vector<double> output = {};  // the first; empty: not compared
  std::size_t layers = 0;           // of the network; 0: any number
};

// A graph that is read as a network of so many layers (0: any number), with this result.
inline GraphRow gives(const std::string& graph, const std::vector<std::vector<double>>& inputs,
                      const std::vector<double>& output, std::size_t layers = 0) {
  return {graph, "", "", inputs, output, layers};
}
inline GraphRow accepted(const std::string& graph, std::size_t layers = 0) {
  return {graph, "", "", {}, {}, layers};
}
// A graph that is refused with a message that names the place, for example "(Gemm 'name')".
inline GraphRow refused(const std::string& graph, const std::string& place,
                        const std::string& keyword) {
  return {graph, place, keyword};
}

inline void check(const std::vector<GraphRow>& rows) {
  for (const GraphRow& row : rows) {
    INFO(row.graph);
    const OnnxSample sample = graph(row.graph);
    if (!row.place.empty()) {
      CHECK_THAT(sample.said(), Catch::Matchers::ContainsSubstring(row.place) &&
                                    Catch::Matchers::ContainsSubstring(row.keyword));
      continue;
    }
    REQUIRE(sample.said() == "");
    const NetworkModel model = sample.read();
    if (row.layers != 0) CHECK(model.layers.size() == row.layers);
    if (row.inputs.empty()) continue;
    const auto columns = static_cast<std::size_t>(model.inputs.front().columns);
    const auto samples = static_cast<std::int64_t>(row.inputs.front().size() / columns);
    const std::vector<double> got = host_forward_all(model, row.inputs, samples).front();
    REQUIRE(got.size() == row.output.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(got[i] == Approx(row.output[i]).epsilon(1e-6));
  }
}

}  // namespace tilewright

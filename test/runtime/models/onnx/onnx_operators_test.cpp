// The table of the ONNX operators that are read. docs/models.md has it: after a change of the
// table,
//     TILEWRIGHT_UPDATE_GOLDEN=1 build/release/test/runtime/models/test_models "[golden]"
// writes the page.
#include "onnx/onnx_operators.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "catch.hpp"
#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

// "| `Slice` (1, 10), `Transpose` | moves of columns |": a line for each result, in its order in
// the tables.
std::string operator_page() {
  std::map<std::string_view, std::map<std::string_view, std::set<int>>>
      versions;  // by result, name
  std::vector<std::string_view> results;
  for (const OnnxOperator& row : onnx_operators()) {
    if (!versions.contains(row.result)) results.push_back(row.result);
    versions[row.result][row.name].insert(row.version);
  }
  std::string page = "| operators | run as |\n|---|---|\n";
  for (const std::string_view result : results) {
    std::vector<std::string> names;
    for (const auto& [name, all] : versions[result]) {
      names.push_back(*all.rbegin() == 1 ? fmt::format("`{}`", name)
                                         : fmt::format("`{}` ({})", name, fmt::join(all, ", ")));
    }
    page += fmt::format("| {} | {} |\n", fmt::join(names, ", "), result);
  }
  return page;
}

TEST_CASE("the documentation has the table of operators", "[golden]") {
  const std::string begin = "<!-- operators -->\n";
  const std::string page = read_content(TILEWRIGHT_MODELS_PAGE);
  const std::size_t first = page.find(begin) + begin.size();
  const std::size_t end = page.find("<!-- end -->", first);
  REQUIRE(page.find(begin) < end);
  REQUIRE(end != std::string::npos);
  if (std::getenv("TILEWRIGHT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(TILEWRIGHT_MODELS_PAGE)
        << page.substr(0, first) << operator_page() << page.substr(end);
  } else {
    CHECK(page.substr(first, end - first) == operator_page());
  }
}

TEST_CASE("an operator has the form of the file's operator set") {
  const auto version = [](std::string_view name, int set) {
    return find_operator(name, set)->version;
  };
  CHECK(version("Slice", 9) == 1);
  CHECK(version("Slice", 10) == 10);
  CHECK(version("Softmax", 12) == 1);
  CHECK(version("Softmax", 99) == 13);
  CHECK(version("Add", 6) == 1);
  CHECK(version("Add", 7) == 7);
  CHECK(version("Gelu", 13) == 20);  // there is no older form
  CHECK(find_operator("Max", 13)->max_inputs == kAnyNumber);
  CHECK_FALSE(find_operator("LSTM", 13));
  OnnxSample sample = graph("y = Slice(x,v,v,v)");
  sample.model.opset_import.front().version = 9;
  CHECK_THAT(sample.said(), Catch::Matchers::ContainsSubstring("has an input 2"));
  for (const ActivationDescription& described : kActivations) {
    CHECK(find_operator(described.onnx_operator));
  }
}

TEST_CASE("a node with more inputs than its operator has is refused") {
  for (const OnnxOperator& row : onnx_operators()) {
    const std::string name(row.name);
    if (find_operator(name, 13)->max_inputs == kAnyNumber || name == "Constant") continue;
    const std::size_t dot = name.rfind('.');
    // Of a constant, of computed values, and of both.
    for (const std::vector<std::string>& inputs :
         std::vector<std::vector<std::string>>{{"v", "v", "v", "v", "v", "x"},
                                               {"x", "x", "x", "x", "x", "x"},
                                               {"x", "v", "v", "v", "v", "v"},
                                               {"v", "x", "v", "v", "v", "v"}}) {
      OnnxSample sample = graph("y = Op(x,v,w)");
      sample.graph().node.clear();
      onnx::Node& node = sample.node(name.substr(dot + 1), inputs, "y");
      if (dot != std::string::npos) node.domain = name.substr(0, dot);
      INFO(name << " of " << inputs[0] << ", " << inputs[1]);
      CHECK_THAT(sample.said(),
                 Catch::Matchers::ContainsSubstring("node 1 of 1 (" + name.substr(dot + 1)));
    }
  }
  check({refused("y = Cast(v,x)", "(Cast", "has an input 2"),
         refused("y = Identity(v,x)", "(Identity", "has an input 2"),
         refused("y = Relu(x,v)", "(Relu", "has an input 2"),
         refused("y = MatMul(w,w,x)", "(MatMul", "has an input 3"),
         gives("y = Relu(x,,)", {{1, -1}}, {1, 0})});  // omitted inputs
}

}  // namespace
}  // namespace tilewright

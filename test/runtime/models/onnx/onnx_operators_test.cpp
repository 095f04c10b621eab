// docs/models.md lists the ONNX operators that are read.
#include "onnx/onnx_model.hpp"

#include <cctype>
#include <set>
#include <sstream>

#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

// The operators in the first column of the table, without their domains. They are the words in
// backticks that start with a capital letter; words of capital letters only are types.
std::set<std::string> documented_operators() {
  std::istringstream page(read_content(TILEWRIGHT_MODELS_PAGE));
  std::set<std::string> operators;
  bool is_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| nodes | run as |")) is_table = true;
    if (!line.starts_with("|")) is_table = false;
    if (!is_table) continue;
    const std::string column = line.substr(0, line.find('|', 1));
    for (std::size_t begin = column.find('`'); begin != std::string::npos;) {
      const std::size_t end = column.find('`', begin + 1);
      REQUIRE(end != std::string::npos);
      const std::string word = column.substr(begin + 1, end - begin - 1);
      const bool is_type = word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
      if (std::isupper(static_cast<unsigned char>(word.front())) != 0 && !is_type) {
        operators.insert(word);
      }
      begin = column.find('`', end + 1);
    }
  }
  return operators;
}

TEST_CASE("the documentation lists the operators that are read") {
  std::set<std::string> supported;
  for (const std::string& name : supported_onnx_operators()) {
    supported.insert(name.substr(name.rfind('.') + 1));
  }
  CHECK(supported.size() > 100);
  for (const std::string& name : documented_operators()) {
    INFO(name);
    CHECK(supported.erase(name) == 1);
  }
  for (const std::string& name : supported) FAIL_CHECK("not documented: " << name);
}

TEST_CASE("a node with more inputs than its operator has is refused") {
  const std::set<std::string> any_number = {"Concat", "Max", "Mean", "Min", "Sum"};
  for (const std::string& name : supported_onnx_operators()) {
    if (any_number.count(name) != 0 || name == "Constant") continue;
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

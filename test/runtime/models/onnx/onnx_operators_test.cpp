// docs/models.md lists the ONNX operators that are read.
#include "onnx/onnx_model.hpp"

#include <cctype>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "model_files.hpp"

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

}  // namespace
}  // namespace tilewright

#include "tuner/journal/records/json_error.hpp"

#include "profiles/base/printable.hpp"
#include "profiles/base/text_file.hpp"

namespace tilewright {

std::string json_error_text(const nlohmann::json::exception& error, std::string_view text) {
  if (const auto* syntax = dynamic_cast<const nlohmann::json::parse_error*>(&error)) {
    // The library's message is not used, because it may contain any amount of the text.
    return json_syntax_error(text, syntax->byte);
  }
  // "[json.exception.type_error.302] type must be number, but is string"
  const std::string what = error.what();
  const std::size_t end = what.find("] ");
  return printable(end == std::string::npos ? what : what.substr(end + 2));
}

}  // namespace tilewright

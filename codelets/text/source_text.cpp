#include "codelets/text/source_text.hpp"

namespace tilewright {

void SourceText::open() {
  add("{");
  ++depth_;
}

void SourceText::close() {
  --depth_;
  add("}");
}

void SourceText::add(std::string_view line) {
  text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  text_ += line;
  text_ += '\n';
}

}  // namespace tilewright

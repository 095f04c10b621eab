#include "format_1.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "profiles/digest.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kWidestVector = 16;

// "name=value" of a point's text, or a codelet's name alone.
struct Format1Word {
  std::string_view name;
  std::string_view value;
};

// Takes the first word off the text.
Format1Word next_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  const std::size_t equals = std::min(word.find('='), word.size());
  return {word.substr(0, equals), word.substr(std::min(equals + 1, word.size()))};
}

// Whoever wrote the text, the numbers obey the rules of the fields.
std::int64_t number(std::string_view text, std::int64_t most) {
  std::int64_t value = 1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp<std::int64_t>(value, 1, most);
}

}  // namespace

void derive_prediction(KernelRecord& kernel) {
  constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();
  std::string plain;  // the point without bias and activation, as the codelets write points
  std::int64_t unroll_k = 1;
  bool along_k = false;
  for (std::string_view rest = kernel.point; !rest.empty();) {
    const Format1Word word = next_word(rest);
    if (word.name == "vector_width") {
      kernel.vector_width = static_cast<int>(number(word.value, kWidestVector));
    } else if (word.name == "unroll_k") {
      unroll_k = number(word.value, kIntMax);
    } else if (word.name == "inner") {
      along_k = word.value == "dot" || word.value == "partial";
    }
    if (word.name.empty() || word.name == "bias" || word.name == "activation") continue;
    if (!plain.empty()) plain += ' ';
    plain += word.name;
    if (!word.value.empty()) plain += '=';
    plain += word.value;
  }
  if (!plain.empty()) kernel.family = digest_of_bytes(plain);
  if (kernel.role == Role::kGemm && along_k) {
    // Below 2^62. A tile that is not positive is refused later, by the rules.
    const std::int64_t turn = std::int64_t{kernel.tile.k} * unroll_k;
    kernel.turn_k = static_cast<int>(std::clamp<std::int64_t>(turn, 1, kIntMax));
  }
}

}  // namespace tilewright

// Reads a TOML table so strictly that no key is ignored.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "profiles/toml_subset.hpp"

namespace tilewright {

// One table of a text without syntax errors. A key that is read must exist and have the right type;
// it is then remembered as known. refuse_unknown() rejects all other keys. Errors are ProfileErrors
// with the line of the key, or of the table that lacks it.
class TomlTable {
 public:
  // The root table. `text` and `file` must outlive all its tables.
  TomlTable(const TomlText& text, const std::string& file)
      : TomlTable(text, text.sections.front(), file) {}

  // True if the table has the key. Does not mark the key as known.
  bool has(std::string_view key);

  // Return the value of a key of the given type, and mark the key as known. Throw ProfileError.
  std::string text(std::string_view key);
  bool boolean(std::string_view key);
  double number(std::string_view key);  // a TOML float; integers are rejected
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  // An array with `least` to `most` integers from `low` to `high`.
  std::vector<std::int64_t> integers(std::string_view key, std::size_t least, std::size_t most,
                                     std::int64_t low, std::int64_t high);
  // An array of floats or integers.
  std::vector<TomlNumber> numbers(std::string_view key);
  // The keys that were not read yet, in the order of the text.
  std::vector<std::string_view> unread_keys() const;
  TomlTable table(std::string_view key);
  std::vector<TomlTable> tables(std::string_view key);  // an array of tables; empty if absent

  // Throws ProfileError if the table has a key that was not read.
  void refuse_unknown() const;
  // Throws ProfileError for a key of this table.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  // The same if a rule does not hold. `message` is a text, or a function that returns one.
  template <class Message>
  void require(bool holds, std::string_view key, const Message& message) const {
    if (holds) return;
    if constexpr (std::is_invocable_v<Message>) {
      fail(key, message());
    } else {
      fail(key, message);
    }
  }

 private:
  using Sections = std::vector<std::size_t>;
  TomlTable(const TomlText& text, const TomlSection& section, const std::string& file)
      : text_(&text), section_(&section), file_(&file) {}

  // nullptr where there is none.
  const TomlPair* find(std::string_view key);
  const Sections* find_tables(std::string_view key) const;
  template <class T>
  const T& take_as(std::string_view key, const char* wanted);
  [[noreturn]] void fail_type(std::string_view key, const char* wanted);
  std::string key_path(std::string_view key) const;

  const TomlText* text_;
  const TomlSection* section_;
  const std::string* file_;
  std::bitset<kMaxTomlKeys> known_;  // the pairs that were asked for
  std::vector<const Sections*> known_tables_;
  std::size_t next_ = 0;  // where find() starts: keys are mostly asked for in their order
};

}  // namespace tilewright

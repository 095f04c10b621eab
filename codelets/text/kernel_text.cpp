#include "codelets/text/kernel_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "codelets/text/epilogue_text.hpp"
#include "profiles/type_prelude.hpp"
#include "profiles/version.hpp"

namespace tilewright {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string without_comments(std::string text) {
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) {
    text.erase(at, text.find('\n', at) - at);
  }
  return text;
}

// True if `name` occurs in the code as a whole word.
bool occurs(const std::string& name, const std::string& code) {
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word_character(code[at - 1]);
    if (begins && (end == code.size() || !is_word_character(code[end]))) return true;
  }
  return false;
}

// Writes a comment line for each entry with names that occur in the code: "//   row, col: ...".
void write_legend(SourceText& out, const std::vector<Meaning>& legend, const std::string& code) {
  for (const Meaning& entry : legend) {
    std::string names;
    for (const std::string& name : entry.names) {
      if (occurs(name, code)) names += (names.empty() ? "" : ", ") + name;
    }
    if (!names.empty()) out.line("//   {}: {}", names, entry.meaning);
  }
}

std::vector<Meaning> type_legend() {
  return {{{"REAL"}, "type of the arithmetic"}, {{"ELEMENT"}, "type of the elements in memory"}};
}

// The first line of the source. No other line depends on the point's text.
std::string heading(const KernelRecord& record) {
  return fmt::format("// tilewright {}: {}\n", kVersion, record.point);
}

std::string comment(const KernelParts& parts, const std::string& code, Legend legend) {
  SourceText out;
  for (const std::string& line : parts.purpose) out.line("// {}", line);
  if (legend == Legend::kWritten) {
    write_legend(out, parts.legend, without_comments(parts.body.text()));
    write_legend(out, type_legend(), code);
  }
  out.blank();
  return out.text();
}

// The attribute that describes the work-group to the compiler, or "".
std::string group_attribute(const KernelRecord& record, GroupSize size) {
  if (size == GroupSize::kDriver) return "";
  return fmt::format(" __attribute__(({}({}, {}, {})))",
                     size == GroupSize::kHint ? "work_group_size_hint" : "reqd_work_group_size",
                     record.work_group[0], record.work_group[1], record.work_group_k);
}

std::string signature(const KernelRecord& record, const KernelParts& parts) {
  SourceText out;
  out.line("__kernel{}", group_attribute(record, parts.group_size));
  out.line("void {}({}{}{})", record.entry, fmt::join(parts.arguments, ",\n    "),
           epilogue_arguments(record.bias, record.activation),
           record.batched
               ? ",\n    const ulong stride_a, const ulong stride_b, const ulong stride_c"
               : "");
  return out.text();
}

}  // namespace

std::array<int, 2> work_group_shape(IdOrder id_order, int along_m, int along_n) {
  return id_order == IdOrder::kMN ? std::array{along_m, along_n} : std::array{along_n, along_m};
}

bool may_be_batched(const KernelRecord& record) {
  return record.split_k == 1 && record.stream_k == 0 && record.work_group_k == 1 &&
         record.images == Images{};
}

void write_own_product(SourceText& body) {
  body.line("// Dimension 2 of the launch selects a product of the batch.");
  for (const char* line : {"A += get_global_id(2) * stride_a;", "B += get_global_id(2) * stride_b;",
                           "C += get_global_id(2) * stride_c;"}) {
    body.line("{}", line);
  }
}

void write_source(KernelRecord& record, KernelParts parts, Legend legend) {
  parts.body.close();
  const std::string code = parts.functions.text() + signature(record, parts) + parts.body.text();
  std::vector<std::string> names = type_names();
  std::erase_if(names, [&](const std::string& name) { return !occurs(name, code); });
  record.source =
      heading(record) + comment(parts, code, legend) + type_prelude(record, names) + code;
}

}  // namespace tilewright

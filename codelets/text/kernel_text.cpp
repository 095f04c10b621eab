#include "codelets/text/kernel_text.hpp"

#include "codelets/text/epilogue_text.hpp"
#include "profiles/version.hpp"

namespace tilewright {
namespace {

std::string heading(const KernelRecord& record, const KernelParts& parts) {
  SourceText out;
  out.line("// tilewright {}: {}", kVersion, record.point);
  for (const std::string& line : parts.purpose) out.line("// {}", line);
  out.blank();
  return out.text();
}

std::string signature(const KernelRecord& record, const KernelParts& parts) {
  SourceText out;
  out.line("__kernel __attribute__((reqd_work_group_size({}, {}, {})))", record.work_group[0],
           record.work_group[1], record.work_group_k);
  out.line("void {}({}{})", record.entry, fmt::join(parts.arguments, ",\n    "),
           epilogue_arguments(record.bias, record.activation));
  return out.text();
}

}  // namespace

std::array<int, 2> work_group_of(IdOrder id_order, int along_m, int along_n) {
  return id_order == IdOrder::kMN ? std::array{along_m, along_n} : std::array{along_n, along_m};
}

void write_source(KernelRecord& record, KernelParts parts) {
  parts.body.close();
  record.source = heading(record, parts) + parts.functions.text() + signature(record, parts) +
                  parts.body.text();
}

}  // namespace tilewright

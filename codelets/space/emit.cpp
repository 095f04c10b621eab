#include "codelets/space/emit.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "codelets/point/emitters.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/digest.hpp"

namespace tilewright {
namespace {

KernelRecord emit_with(const ParameterPoint& point, Legend legend) {
  KernelRecord record = describe(point);
  write_source(record, std::visit([](const auto& p) { return write_kernel(p); }, point), legend);
  return record;
}

}  // namespace

KernelRecord describe(const ParameterPoint& point) {
  if (const Rule* rule = broken_structural_rule(point)) {
    throw std::invalid_argument(
        fmt::format("{} is not a valid kernel: {} ({})", to_text(point), rule->name, rule->reason));
  }
  KernelRecord record = std::visit([](const auto& p) { return describe_kernel(p); }, point);
  record.vector_width = std::visit([](const auto& p) { return p.vector_width; }, point);
  record.family = digest_bytes(to_text(without_epilogue(point)));
  return record;
}

KernelRecord emit(const ParameterPoint& point) {
  return emit_with(point, Legend::kNone);
}

std::string explained_source(const ParameterPoint& point) {
  return emit_with(point, Legend::kWritten).source;
}

}  // namespace tilewright

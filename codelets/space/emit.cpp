#include "codelets/space/emit.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "codelets/point/emitters.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/digest.hpp"

namespace tilewright {
namespace {

struct Emitter {
  KernelRecord operator()(const GemmPoint& point) const { return emit_gemm(point); }
  KernelRecord operator()(const GemvPoint& point) const { return emit_gemv(point); }
  KernelRecord operator()(const PackPoint& point) const { return emit_pack(point); }
  KernelRecord operator()(const ReducePoint& point) const { return emit_reduce(point); }
  KernelRecord operator()(const ActivationPoint& point) const { return emit_activation(point); }
  KernelRecord operator()(const SoftmaxPoint& point) const { return emit_softmax(point); }
};

}  // namespace

KernelRecord emit(const ParameterPoint& point) {
  if (const Rule* rule = broken_structural_rule(point)) {
    throw std::invalid_argument(
        fmt::format("{} is no kernel: {} ({})", to_text(point), rule->name, rule->reason));
  }
  KernelRecord record = std::visit(Emitter{}, point);
  record.vector_width = std::visit([](const auto& p) { return p.vector_width; }, point);
  record.family = digest_bytes(to_text(without_epilogue(point)));
  return record;
}

}  // namespace tilewright

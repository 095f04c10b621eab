#include "tuner/journal/records/forms.hpp"

#include <algorithm>
#include <vector>

#include "codelets/model/arithmetic.hpp"

namespace tilewright {
namespace {

constexpr double kTie = 0.02;  // as a fraction of the best rate

// Returns the best rate of the same type and width.
double best_rate(const DeviceRates& rates, const MultiplyAddRate& like) {
  double best = 0.0;
  for (const MultiplyAddRate& rate : rates.multiply_adds) {
    const bool alike = rate.precision == like.precision && rate.vector_width == like.vector_width;
    if (alike) best = std::max(best, rate.gflops);
  }
  return best;
}

}  // namespace

ParameterPoint with_multiply_add_form(ParameterPoint point, const Forms& forms) {
  const auto best = [&](int width) {
    const auto found = forms.find(width);
    return found == forms.end() ? MultiplyAdd::kExpression : found->second;
  };
  if (auto* gemm = std::get_if<GemmPoint>(&point); gemm != nullptr && gemm->inner != Inner::kDot) {
    gemm->multiply_add = best(gemm->vector_width);
  }
  if (auto* gemv = std::get_if<GemvPoint>(&point)) gemv->multiply_add = best(gemv->vector_width);
  return point;
}

Forms best_forms(const DeviceRates& rates, Precision arithmetic) {
  Forms forms;
  // emplace() keeps the first form, and forms are in order from the simplest.
  for (const MultiplyAdd form : kMultiplyAdds) {
    for (const MultiplyAddRate& rate : rates.multiply_adds) {
      if (rate.precision != arithmetic || rate.form != to_text(form)) continue;
      if (rate.gflops < (1.0 - kTie) * best_rate(rates, rate)) continue;
      forms.emplace(rate.vector_width, form);
    }
  }
  return forms;
}

ParameterPoint with_multiply_add_form(ParameterPoint point, const DeviceRates& rates) {
  Forms forms = best_forms(rates, arithmetic_precision(point));
  if (forms.empty()) forms = best_forms(rates, sum_precision(point_precision(point)));
  return with_multiply_add_form(std::move(point), forms);
}

}  // namespace tilewright

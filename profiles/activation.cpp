#include "profiles/activation.hpp"

#include <algorithm>
#include <cmath>

#include "profiles/kernel_record.hpp"

namespace tilewright {
namespace {

using enum Activation;

constexpr Activation kAll[] = {kIdentity, kRelu, kLeakyRelu, kSigmoid,     kTanh,
                               kElu,      kSelu, kSoftplus,  kHardSigmoid, kHardSwish,
                               kClip,     kGelu, kGeluTanh,  kLog};

constexpr std::string_view kSlope[] = {"slope"};
constexpr std::string_view kSlopeAndShift[] = {"slope", "shift"};
constexpr std::string_view kLowAndHigh[] = {"low", "high"};

double elu(double x, double slope) {
  return x < 0.0 ? slope * std::expm1(x) : x;
}

double clip(double x, double low, double high) {
  return std::min(std::max(x, low), high);
}

double gelu_tanh(double x) {
  const double root = 0.79788456080286535588;  // sqrt(2 / pi)
  return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

}  // namespace

std::span<const Activation> all_activations() {
  return kAll;
}

std::span<const Activation> elementwise_activations() {
  return all_activations().first(all_activations().size() - 1);
}

std::span<const std::string_view> activation_arguments(Activation activation) {
  if (activation == kLeakyRelu || activation == kElu) return kSlope;
  if (activation == kHardSigmoid) return kSlopeAndShift;
  if (activation == kClip) return kLowAndHigh;
  return {};
}

double activated(Activation activation, double x, const ActivationArguments& arguments) {
  const double first = arguments[0];
  const double second = arguments[1];
  switch (activation) {
    case kIdentity:
      return x;
    case kRelu:
      return std::max(x, 0.0);
    case kLeakyRelu:
      return x < 0.0 ? x * first : x;
    case kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case kTanh:
      return std::tanh(x);
    case kElu:
      return elu(x, first);
    case kSelu:
      return kSeluScale * elu(x, kSeluAlpha);
    case kSoftplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    case kHardSigmoid:
      return clip(first * x + second, 0.0, 1.0);
    case kHardSwish:
      return x * clip(x / 6.0 + 0.5, 0.0, 1.0);
    case kClip:
      return clip(x, first, second);
    case kGelu:
      return 0.5 * x * std::erfc(-x * 0.70710678118654752440);
    case kGeluTanh:
      return gelu_tanh(x);
    case kLog:
      return std::log(x);
  }
  return x;
}

std::string words_of_activations() {
  std::string words;
  for (const Activation activation : all_activations()) {
    words += words.empty() ? "" : ", ";
    words += to_text(activation);
  }
  return words;
}

}  // namespace tilewright

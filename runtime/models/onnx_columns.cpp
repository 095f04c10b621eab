#include "onnx_columns.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "onnx_chain.hpp"

namespace tilewright {
namespace {

// More columns than any layer has. A small file can say that a constant is repeated so often.
constexpr std::int64_t kMaxColumns = std::int64_t{1} << 20;

double at(const std::vector<double>& values, std::size_t i) {
  return values[values.size() == 1 ? 0 : i];
}

// values = values * by + plus
void combine(std::vector<double>& values, const std::vector<double>& by,
             const std::vector<double>& plus) {
  std::vector<double> combined(std::max({values.size(), by.size(), plus.size()}));
  for (std::size_t i = 0; i < combined.size(); ++i) {
    combined[i] = at(values, i) * at(by, i) + at(plus, i);
  }
  values = std::move(combined);
}

bool all_are(const std::vector<double>& values, double value) {
  return std::all_of(values.begin(), values.end(), [=](double v) { return v == value; });
}

std::vector<double> negative(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

}  // namespace

void Columns::then(const std::vector<double>& by, const std::vector<double>& plus) {
  combine(scale, by, {0.0});
  combine(shift, by, plus);
  if (!negative_scale.empty()) combine(negative_scale, by, {0.0});
}

bool Columns::change_nothing() const {
  return negative_scale.empty() && all_are(scale, 1.0) && all_are(shift, 0.0);
}

void scale_outputs(AffineLayer& layer, const std::vector<double>& scale,
                   const std::vector<double>& shift) {
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  for (std::size_t i = 0; i < layer.weights.size(); ++i) {
    layer.weights[i] = static_cast<float>(layer.weights[i] * at(scale, i % outputs));
  }
  if (layer.bias.empty() && all_are(shift, 0.0)) return;
  layer.bias.resize(outputs, 0.0f);
  for (std::size_t j = 0; j < outputs; ++j) {
    layer.bias[j] = static_cast<float>(layer.bias[j] * at(scale, j) + at(shift, j));
  }
}

AffineLayer with_scaled_inputs(const AffineLayer& layer, const Columns& columns) {
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  AffineLayer scaled = layer;
  const auto scale_rows = [&](const std::vector<double>& scale, std::size_t first) {
    for (std::size_t i = 0; i < inputs * outputs; ++i) {
      scaled.weights[first + i] = static_cast<float>(layer.weights[i] * at(scale, i / outputs));
    }
  };
  if (!columns.negative_scale.empty()) {
    scaled.inputs *= 2;
    scaled.weights.resize(2 * inputs * outputs);
    scale_rows(columns.negative_scale, inputs * outputs);
  }
  scale_rows(columns.scale, 0);
  if (all_are(columns.shift, 0.0)) return scaled;
  std::vector<double> bias(layer.bias.begin(), layer.bias.end());
  bias.resize(outputs, 0.0);
  for (std::size_t i = 0; i < inputs * outputs; ++i) {
    bias[i % outputs] += at(columns.shift, i / outputs) * static_cast<double>(layer.weights[i]);
  }
  scaled.bias.assign(outputs, 0.0f);
  std::transform(bias.begin(), bias.end(), scaled.bias.begin(),
                 [](double b) { return static_cast<float>(b); });
  return scaled;
}

AffineLayer with_negatives(const AffineLayer& layer) {
  const auto outputs = static_cast<std::ptrdiff_t>(layer.outputs);
  AffineLayer both = layer;
  both.outputs *= 2;
  both.weights.clear();
  const auto append = [&](std::vector<float>& to, auto first) {
    to.insert(to.end(), first, first + outputs);
    std::transform(first, first + outputs, std::back_inserter(to), [](float w) { return -w; });
  };
  for (std::int64_t i = 0; i < layer.inputs; ++i) {
    append(both.weights, layer.weights.begin() + i * outputs);
  }
  if (layer.bias.empty()) return both;
  both.bias.clear();
  append(both.bias, layer.bias.begin());
  return both;
}

AffineLayer make_column_layer(const Columns& columns, std::int64_t count) {
  AffineLayer same;
  same.inputs = same.outputs = count;
  same.weights.assign(static_cast<std::size_t>(count * count), 0.0f);
  for (std::int64_t i = 0; i < count; ++i) {
    same.weights[static_cast<std::size_t>(i * count + i)] = 1.0f;
  }
  return with_scaled_inputs(same, columns);
}

// A constant as it meets the chain's value: one element, or one for each column of its rows.
std::vector<double> OnnxChain::column_values(const Node& node, const Constant& constant) {
  const onnx::TensorProto& tensor = *constant.tensor;
  std::vector<std::int64_t> own(tensor.dims().begin(), tensor.dims().end());
  if (constant.is_transposed) std::swap(own.front(), own.back());
  const std::vector<float> values = tensors_.floats(tensor, node.place);
  if (values.size() == 1) return {static_cast<double>(values.front())};
  std::vector<std::int64_t> whole = extents_.value_or(std::vector<std::int64_t>{kBatch, kUnknown});
  if (!own.empty() && !whole.empty() && whole.back() == kUnknown) whole.back() = own.back();
  const auto refuse = [&] {
    node.place.fail(fmt::format("takes {}, which is {}, with rows of {} elements",
                                tensor_text(tensor), extents_text(tensor),
                                width() ? fmt::format("{}", *width()) : "an unknown number of"));
  };
  if (own.size() > whole.size() || values.empty()) refuse();
  own.insert(own.begin(), whole.size() - own.size(), 1);
  std::int64_t columns = 1;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool fits = own[i] == 1 || (whole[i] != kBatch && own[i] == whole[i]);
    const std::int64_t extent = whole[i] == kBatch ? 1 : whole[i];
    if (!fits || extent < 1 || extent > kMaxColumns / columns) refuse();
    columns *= extent;
  }
  if (extents_) extents_ = whole;
  std::vector<double> repeated;
  for (std::int64_t column = 0; column < columns; ++column) {
    std::int64_t rest = column;
    std::int64_t index = 0;
    std::int64_t stride = 1;
    for (std::size_t i = own.size(); i-- > 0;) {
      if (whole[i] == kBatch) continue;
      if (own[i] > 1) index += rest % whole[i] * stride;
      rest /= whole[i];
      stride *= own[i];
    }
    repeated.push_back(static_cast<double>(values[static_cast<std::size_t>(index)]));
  }
  return repeated;
}

// The affine layer before does it, or, behind an activation, the one to come.
void OnnxChain::apply(const Node& node, const std::vector<double>& scale,
                      const std::vector<double>& shift) {
  const auto is_finite = [](double value) { return std::isfinite(static_cast<float>(value)); };
  if (!std::all_of(scale.begin(), scale.end(), is_finite) ||
      !std::all_of(shift.begin(), shift.end(), is_finite)) {
    node.place.fail("scales or shifts by what is no finite number");
  }
  const bool is_affine =
      !model_.layers.empty() && std::holds_alternative<AffineLayer>(model_.layers.back());
  if (is_affine && !columns_) {
    scale_outputs(std::get<AffineLayer>(model_.layers.back()), scale, shift);
    return;
  }
  if (!columns_) columns_.emplace();
  columns_->then(scale, shift);
}

void OnnxChain::fold_columns(AffineLayer& layer, const Node& node) {
  if (!columns_) return;
  const std::size_t held = std::max(columns_->scale.size(), columns_->shift.size());
  if (held != 1 && held != static_cast<std::size_t>(layer.inputs)) {
    node.place.fail(
        fmt::format("takes rows of {} elements, but those before it have {}", layer.inputs, held));
  }
  layer = with_scaled_inputs(layer, *columns_);
  columns_.reset();
}

// Where no affine layer follows, one is made. All that are made may not be much larger than the
// file's layer before them, since a small file could ask for much memory so.
void OnnxChain::settle_columns(const ModelPlace& place, const char* before) {
  if (!columns_) return;
  if (columns_->change_nothing()) return columns_.reset();
  const std::int64_t columns = width().value_or(0);
  if (columns < 1 || columns > file_inputs_ * kMaxLayersOfOneMatrix / ++made_layers_) {
    place.fail(fmt::format(
        "columns are scaled or shifted (BatchNormalization, Mul, Add ...) where neither a MatMul "
        "or Gemm stands before that, nor behind it and before {}; such nets cannot be run",
        before));
  }
  model_.layers.emplace_back(make_column_layer(*columns_, columns));
  columns_.reset();
}

void OnnxChain::add(const Node& node) {
  const int index = chain_operand(node);
  apply(node, {1.0}, column_values(node, expect_constant(node, 1 - index, "operand")));
}

void OnnxChain::sub(const Node& node) {
  const int index = chain_operand(node);
  const std::vector<double> given =
      column_values(node, expect_constant(node, 1 - index, "operand"));
  if (index == 0) {
    apply(node, {1.0}, negative(given));
  } else {
    apply(node, {-1.0}, given);
  }
}

void OnnxChain::mul(const Node& node) {
  const int index = chain_operand(node);
  apply(node, column_values(node, expect_constant(node, 1 - index, "operand")), {0.0});
}

void OnnxChain::div(const Node& node) {
  expect_chain_first(node);
  std::vector<double> scale = column_values(node, expect_constant(node, 1, "divisor"));
  for (double& value : scale) value = 1.0 / value;
  apply(node, scale, {0.0});
}

// (x - mean) / sqrt(variance + epsilon) scale + bias, as in inference.
void OnnxChain::batch_normalization(const Node& node) {
  expect_chain_first(node);
  expect_rows(node);
  if (integer_attribute(node.proto, "training_mode", 0, node.place) != 0) {
    node.place.fail("is in training mode");
  }
  const double epsilon = float_attribute(node.proto, "epsilon", 1e-5f, node.place);
  const auto given = [&](int index, const char* what) {
    return column_values(node, expect_constant(node, index, what));
  };
  std::vector<double> scale = given(1, "scale");
  std::vector<double> shift = given(2, "bias");
  const std::vector<double> mean = given(3, "mean");
  const std::vector<double> variance = given(4, "variance");
  std::vector<double> by(variance.size());
  std::transform(variance.begin(), variance.end(), by.begin(),
                 [=](double v) { return 1.0 / std::sqrt(v + epsilon); });
  combine(scale, by, {0.0});
  std::vector<double> moved = negative(mean);
  combine(moved, scale, shift);
  apply(node, scale, moved);
}

}  // namespace tilewright

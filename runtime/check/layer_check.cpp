#include "runtime/check/layer_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/check/check_extents.hpp"
#include "runtime/check/check_matrices.hpp"

namespace tilewright {
namespace {

// exp() of it overflows single precision. Powers of two: the product of a half-precision number and
// a power of two is exact.
constexpr float kLargest = 128.0f;
constexpr float kLarge = 4.0f;

// The extents of the matrices, and whether Y is X.
enum class LayerExtents {
  kEdges,   // incomplete vectors and tiles at the edges, padding, gaps
  kGroups,  // the same, in several work-groups, more along one dimension than along the other
  kGaps,    // whole vectors, gaps, no padding
  kDense,   // whole vectors, neither padding nor gaps
};
struct LayerCase {
  LayerExtents extents = LayerExtents::kEdges;
  bool in_place = false;
};
constexpr LayerCase kLayerCases[] = {{LayerExtents::kEdges, false},  {LayerExtents::kEdges, true},
                                     {LayerExtents::kGroups, false}, {LayerExtents::kGaps, false},
                                     {LayerExtents::kGaps, true},    {LayerExtents::kDense, false},
                                     {LayerExtents::kDense, true}};

// X and Y on the device.
class Layer {
 public:
  // X's elements are between -largest and largest.
  Layer(const Executor& executor, const KernelRecord& record, LayerCase layer_case, float largest);

  std::int64_t m() const { return m_; }
  std::int64_t n() const { return n_; }
  double x(std::int64_t i, std::int64_t j) const { return element_reader(elements_)(i, j); }
  const Storage& storage() const { return storage_; }
  MatrixArgument from() const { return in_place_ ? y_->argument() : source_.argument(); }
  MatrixArgument to() const { return y_->argument(); }

  // Returns what is wrong with Y after the launch, if its elements should be those of `right`.
  std::optional<KernelError> compare(
      const cl::CommandQueue& queue, const KernelRecord& record, const Launched& launched,
      const std::function<ProductElement(std::int64_t, std::int64_t)>& right);

 private:
  std::int64_t m_;
  std::int64_t n_;
  bool in_place_;
  Storage storage_;
  HostOperand elements_;
  DeviceMatrix source_;
  std::optional<ResultMatrix> y_;
};

// Whole chunks for rows x columns elements, and more if `padded`.
Storage padded_storage(const KernelRecord& record, bool padded, std::int64_t rows,
                       std::int64_t columns) {
  const Layout& layout = record.layout_a;
  const auto up = [&](std::int64_t extent, std::int64_t chunk) {
    return round_up(extent + (padded ? 1 : 0), chunk);
  };
  return whole_chunks(layout, false, up(rows, layout.chunk_rows()),
                      up(columns, layout.chunk_columns()), record.precision);
}

Layer::Layer(const Executor& executor, const KernelRecord& record, LayerCase layer_case,
             float largest)
    : m_(37), n_(53), in_place_(layer_case.in_place) {
  const bool groups = layer_case.extents == LayerExtents::kGroups;
  const bool padded = layer_case.extents == LayerExtents::kEdges || groups;
  if (groups) {
    const Layout& layout = record.layout_a;
    const CheckExtents extents =
        check_extents(record, {layout.chunk_rows(), layout.chunk_columns()});
    m_ = std::max<std::int64_t>(1, extents.m - 1);
    n_ = std::max<std::int64_t>(1, extents.n - 1);
  }
  if (!padded) {
    m_ = std::lcm<std::int64_t>(record.layout_a.chunk_rows(), 16);
    n_ = std::lcm<std::int64_t>(record.layout_a.chunk_columns(), 32);
  }
  storage_ = padded_storage(record, padded, m_, n_);
  std::mt19937 random(1);
  elements_ = random_matrix(m_, n_, random, record.precision);
  for (double& element : elements_.data) element = static_cast<float>(element) * largest;
  const ElementReader element = element_reader(elements_);
  Placement placement = placement_for(record);
  if (layer_case.extents == LayerExtents::kDense) placement.gap = 0;
  // X's padding is not read, so it contains NaN instead of zeros.
  const ElementReader with_padding = [&](std::int64_t i, std::int64_t j) {
    return i < m_ && j < n_ ? element(i, j) : surrounding_nan();
  };
  if (layer_case.in_place) {
    y_.emplace(executor.context(), storage_, storage_.rows, storage_.columns, with_padding,
               placement);
    return;
  }
  source_ = upload(executor.context(), storage_,
                   lay_out(storage_, storage_.rows, storage_.columns, with_padding, placement,
                           surrounding_nan()));
  y_.emplace(executor.context(), storage_, storage_.rows, storage_.columns, untouched_elements(),
             placement);
}

std::optional<KernelError> Layer::compare(
    const cl::CommandQueue& queue, const KernelRecord& record, const Launched& launched,
    const std::function<ProductElement(std::int64_t, std::int64_t)>& right) {
  if (auto kernel_error = y_->read(queue, record.name, launched)) return kernel_error;
  const auto expected = [&](std::int64_t i, std::int64_t j) {
    return i < m_ && j < n_ ? right(i, j) : ProductElement{};
  };
  const auto got = [&](std::int64_t i, std::int64_t j) { return y_->at(i, j); };
  const Verified verified =
      tilewright::compare(record.name, storage_.rows, storage_.columns, got, expected);
  if (const auto* kernel_error = std::get_if<KernelError>(&verified)) return *kernel_error;
  if (y_->only_within(storage_.rows, storage_.columns)) return std::nullopt;
  return wrote_outside(record.name);
}

std::optional<KernelError> check(const Executor& executor, const cl::CommandQueue& queue,
                                 LoadedKernel& kernel, LayerCase layer_case) {
  const KernelRecord& record = kernel.record();
  Layer layer(executor, record, layer_case, kLarge);
  const BiasAndArguments given(executor.context(), record, layer.m(), layer.n());
  const Launched launched = executor.launch(
      queue, kernel,
      ActivationProblem{layer.m(), layer.n(), layer.storage().rows, layer.storage().columns,
                        layer.from(), layer.to(), given.bias(), given.arguments()},
      {});
  return layer.compare(queue, record, launched, [&](std::int64_t i, std::int64_t j) {
    const ProductElement x{layer.x(i, j), static_cast<double>(std::numeric_limits<float>::min())};
    return given.applied(record, x, i, j);
  });
}

// The softmax of X's elements, or its logarithm. The relative error of x - largest grows with its
// magnitude; exp() and the division have errors of a few units in the last place, the sum one for
// each element. In half precision, the values that are kept in Y before the division are rounded,
// too.
class RightRows {
 public:
  RightRows(const Layer& layer, const KernelRecord& record)
      : layer_(layer),
        logarithm_(record.activation == Activation::kLogSoftmax),
        half_values_(stores_half(record)) {
    for (std::int64_t i = 0; i < layer.m(); ++i) {
      double largest = layer.x(i, 0);
      for (std::int64_t j = 1; j < layer.n(); ++j) largest = std::max(largest, layer.x(i, j));
      double sum = 0.0;
      for (std::int64_t j = 0; j < layer.n(); ++j) sum += std::exp(layer.x(i, j) - largest);
      rows_.emplace_back(largest, sum);
    }
  }
  ProductElement operator()(std::int64_t i, std::int64_t j) const {
    const auto& [largest, sum] = rows_[static_cast<std::size_t>(i)];
    const double below = layer_.x(i, j) - largest;
    return logarithm_ ? logarithm(below, sum) : quotient(below, sum);
  }

 private:
  ProductElement logarithm(double below, double sum) const {
    ProductElement element{below};
    if (half_values_) round_to_half(element);
    element.value -= std::log(sum);
    const double units =
        std::abs(below) + std::abs(element.value) + static_cast<double>(layer_.n()) + 16.0;
    element.bound += std::ldexp(units, -23);
    return stored(element);
  }
  ProductElement quotient(double below, double sum) const {
    ProductElement element{std::exp(below)};
    if (half_values_) round_to_half(element);
    element.value /= sum;
    element.bound /= sum;
    const double units = std::abs(below) + static_cast<double>(layer_.n()) + 16.0;
    element.bound += units * std::ldexp(element.value, -23) +
                     2.0 * static_cast<double>(std::numeric_limits<float>::min());
    return stored(element);
  }
  ProductElement stored(ProductElement element) const {
    if (half_values_) round_to_half(element);
    return element;
  }

  const Layer& layer_;
  bool logarithm_;
  bool half_values_;
  std::vector<std::pair<double, double>> rows_;  // maximum of the row, sum of its exponentials
};

}  // namespace

std::optional<KernelError> check_activation(const Executor& executor, const cl::CommandQueue& queue,
                                            LoadedKernel& kernel) {
  for (const LayerCase layer_case : kLayerCases) {
    if (auto kernel_error = check(executor, queue, kernel, layer_case)) return kernel_error;
  }
  return std::nullopt;
}

std::optional<KernelError> check_softmax(const Executor& executor, const cl::CommandQueue& queue,
                                         LoadedKernel& kernel) {
  for (const LayerCase layer_case : kLayerCases) {
    Layer layer(executor, kernel.record(), layer_case, kLargest);
    const Launched launched =
        executor.launch(queue, kernel,
                        SoftmaxProblem{layer.m(), layer.n(), layer.storage().rows,
                                       layer.storage().columns, layer.from(), layer.to()},
                        {});
    const RightRows right(layer, kernel.record());
    if (auto kernel_error = layer.compare(queue, kernel.record(), launched, right))
      return kernel_error;
  }
  return std::nullopt;
}

}  // namespace tilewright

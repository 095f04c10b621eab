#include "tuner/bench/networks/net_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tilewright/mlp.hpp>
#include <utility>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/device/device_matrix.hpp"
#include "tuner/measure/device/device_queue.hpp"

namespace tilewright {

namespace {

// Returns consecutive rows of a matrix.
std::span<const float> row_range(const FloatMatrix& matrix, std::size_t first, std::size_t count) {
  const auto columns = static_cast<std::size_t>(matrix.columns);
  return {matrix.values.data() + first * columns, count * columns};
}

}  // namespace

NetRun run_net(const ListedDevice& device, const ProfileSource& profile, const MlpModel& model,
               const std::vector<FloatMatrix>& inputs, std::int64_t batch, Precision precision) {
  const DeviceQueue on(device.device);
  const Library library = Library::open(on.context, device.device, profile);
  const Mlp net(library, model, to_element_type(precision));
  const auto rows = static_cast<std::size_t>(inputs.front().rows);
  const std::size_t most = std::min(rows, static_cast<std::size_t>(batch));
  NetRun run{{inputs.front().rows, static_cast<std::int64_t>(net.outputs()), {}},
             library.profile_origin(),
             0};
  run.outputs.values.resize(rows * net.outputs());
  const auto matrices = [&](const std::vector<MlpPort>& ports) {
    std::vector<Matrix> all;
    for (const MlpPort& port : ports) {
      all.push_back({on.floats(most * port.columns), 0, port.columns});
    }
    return all;
  };
  const std::vector<Matrix> x = matrices(net.input_ports());
  const std::vector<Matrix> y = matrices(net.output_ports());
  for (std::size_t row = 0; row < rows; row += most, ++run.batches) {
    const std::size_t count = std::min(most, rows - row);
    for (std::size_t i = 0; i < x.size(); ++i) {
      check_opencl(write_as(on.queue, x[i].buffer, precision, row_range(inputs[i], row, count)),
                   "filling a buffer (inputs)");
    }
    const std::vector<cl::Event> done{net.forward_all(on.queue, x, y, count)};
    const std::span<float> out(run.outputs.values.data() + row * net.outputs(),
                               count * net.outputs());
    check_opencl(read_as(on.queue, y.front().buffer, precision, out, done),
                 "reading a buffer (outputs)");
  }
  return run;
}

void check_labels(const FloatMatrix& labels, const std::string& file, std::int64_t rows,
                  std::int64_t classes) {
  if (std::min(labels.rows, labels.columns) > 1 || std::cmp_not_equal(labels.values.size(), rows)) {
    throw MatrixFileError(
        file, fmt::format("is a matrix of {} x {}, but {} labels are expected, one for each row",
                          labels.rows, labels.columns, rows));
  }
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    const float label = labels.values[i];
    // The comparison uses doubles and is false for NaN.
    if (!(label >= 0.0f && static_cast<double>(label) < static_cast<double>(classes)) ||
        label != std::floor(label)) {
      throw MatrixFileError(file, fmt::format("label {} is {}, not a whole number from 0 to {}",
                                              i + 1, label, classes - 1));
    }
  }
}

std::vector<OtherClass> other_classes(const FloatMatrix& outputs, const FloatMatrix& labels) {
  const auto columns = static_cast<std::size_t>(outputs.columns);
  std::vector<OtherClass> others;
  for (std::size_t i = 0; i < static_cast<std::size_t>(outputs.rows); ++i) {
    const std::span<const float> row(outputs.values.data() + i * columns, columns);
    const auto largest = std::max_element(row.begin(), row.end()) - row.begin();
    const auto label = static_cast<std::int64_t>(labels.values[i]);
    const bool is_number =
        std::none_of(row.begin(), row.end(), [](float value) { return std::isnan(value); });
    if (is_number && std::cmp_equal(largest, label)) continue;
    const auto at = [&](std::int64_t column) { return row[static_cast<std::size_t>(column)]; };
    others.push_back({static_cast<std::int64_t>(i), label, largest,
                      is_number ? at(largest) - at(label) : std::nanf("")});
  }
  return others;
}

}  // namespace tilewright

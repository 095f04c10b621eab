#include "tuner/bench/networks/network_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include "runtime/network/network.hpp"

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

NetworkRun run_network(const ListedDevice& device, const ProfileSource& profile,
                       const NetworkModel& model, const std::vector<FloatMatrix>& inputs,
                       std::int64_t batch, Precision precision) {
  const DeviceQueue on(device.device);
  const LibraryHandle library = Library::open(on.context, device.device, profile);
  const Network net(library, model, to_element_type(precision));
  const auto rows = static_cast<std::size_t>(inputs.front().rows);
  const std::size_t most = std::min(rows, static_cast<std::size_t>(batch));
  NetworkRun run{{}, library->origin(), 0};
  for (const NetworkPort& port : net.output_ports()) {
    run.outputs.push_back({port.name,
                           {inputs.front().rows, static_cast<std::int64_t>(port.columns),
                            std::vector<float>(rows * port.columns)}});
  }
  const auto matrices = [&](const std::vector<NetworkPort>& ports) {
    std::vector<Matrix> all;
    for (const NetworkPort& port : ports) {
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
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t columns = y[i].ld;
      const std::span<float> out(run.outputs[i].matrix.values.data() + row * columns,
                                 count * columns);
      check_opencl(read_as(on.queue, y[i].buffer, precision, out, done),
                   "reading a buffer (outputs)");
    }
  }
  return run;
}

namespace {

// The column that is 1 in each row; all others must be 0.
FloatMatrix to_numbers(const FloatMatrix& one_hot, const std::string& file) {
  FloatMatrix labels{one_hot.rows, 1, {}};
  for (std::int64_t row = 0; row < one_hot.rows; ++row) {
    const auto begin = one_hot.values.begin() + row * one_hot.columns;
    const auto end = begin + one_hot.columns;
    const auto one = std::find(begin, end, 1.0f);
    if (one == end || std::count(begin, end, 0.0f) != one_hot.columns - 1) {
      throw MatrixFileError(
          file, fmt::format("label {} is a row of {} numbers, of which not one is 1 and all others "
                            "0: give the number of the class instead",
                            row + 1, one_hot.columns));
    }
    labels.values.push_back(static_cast<float>(one - begin));
  }
  return labels;
}

}  // namespace

FloatMatrix make_labels(FloatMatrix given, const std::string& file, std::int64_t rows,
                        std::int64_t classes) {
  if (given.rows == rows && given.columns == classes && classes > 1) {
    return to_numbers(given, file);
  }
  if (std::min(given.rows, given.columns) > 1 || std::cmp_not_equal(given.values.size(), rows)) {
    throw MatrixFileError(
        file,
        fmt::format("is a matrix of {} x {}, but {} labels are expected, one for each row, or "
                    "{} columns that are 1 for the class and else 0",
                    given.rows, given.columns, rows, classes));
  }
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    const float label = given.values[i];
    // The comparison uses doubles and is false for NaN.
    if (!(label >= 0.0f && static_cast<double>(label) < static_cast<double>(classes)) ||
        label != std::floor(label)) {
      throw MatrixFileError(file, fmt::format("label {} is {}, not a whole number from 0 to {}",
                                              i + 1, label, classes - 1));
    }
  }
  given.rows = rows;
  given.columns = 1;
  return given;
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

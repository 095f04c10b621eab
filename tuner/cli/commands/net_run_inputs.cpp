#include "tuner/cli/commands/net_run_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/network/model/divided_model.hpp"
#include "runtime/network/model/host_network.hpp"
#include "tuner/cli/print.hpp"

namespace tilewright {
namespace {

FloatMatrix to_floats(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  return {rows, columns, {values.begin(), values.end()}};
}

bool have_more_digits(const std::vector<DoubleMatrix>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const DoubleMatrix& input) {
    return std::any_of(input.values.begin(), input.values.end(), [](double value) {
      return static_cast<double>(static_cast<float>(value)) != value;
    });
  });
}

std::string list_names(const std::vector<PortFacts>& ports) {
  std::string names;
  for (const PortFacts& port : ports) names += (names.empty() ? "" : ", ") + in_quotes(port.name);
  return names;
}

// Index of the input with this name; the number of inputs if there is none.
std::size_t find_port(const std::vector<PortFacts>& ports, const std::string& name) {
  const auto found = std::find_if(ports.begin(), ports.end(),
                                  [&](const PortFacts& port) { return port.name == name; });
  return static_cast<std::size_t>(found - ports.begin());
}

// Distributes the samples over the inputs of the network.
template <typename Element>
class InputReader {
 public:
  InputReader(const std::vector<std::string>& files, const std::vector<std::string>& names,
              const std::vector<PortFacts>& ports)
      : ports_(ports), inputs_(ports.size()), files_(ports.size()) {
    if (!names.empty() && names.size() != files.size()) {
      throw UsageError("--input-name: one name for each --input is needed");
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (names.empty() && is_npz(files[i])) {
        add_arrays(files[i]);
        continue;
      }
      std::size_t port = next_port_++;
      if (!names.empty() && (port = find_port(ports, names[i])) == ports.size()) {
        throw UsageError(fmt::format("--input-name: the network has no input {}; it has {}",
                                     in_quotes(names[i]), list_names(ports)));
      }
      HostMatrix<Element> matrix = read_matrix<Element>(files[i]);
      note_column_names(matrix, files[i]);
      if (files.size() == 1 && names.empty() && is_joined(matrix)) {
        divide(matrix, files[i]);
      } else {
        add(port, std::move(matrix), files[i]);
      }
    }
  }

  std::vector<HostMatrix<Element>> inputs() {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (!files_[i].empty()) continue;
      throw UsageError(fmt::format(
          "--input: the network needs a matrix for each of its {} inputs, or one with all "
          "of their {} columns; {} has none",
          ports_.size(), all_columns(), in_quotes(ports_[i].name)));
    }
    return std::move(inputs_);
  }

 private:
  std::int64_t all_columns() const {
    std::int64_t columns = 0;
    for (const PortFacts& port : ports_) columns += port.columns;
    return columns;
  }
  bool is_joined(const HostMatrix<Element>& matrix) const {
    return ports_.size() > 1 && matrix.columns == all_columns();
  }

  // Arrays of .npz belong to the inputs with their names, unless the network has one input and the
  // file one array, or NumPy numbered them.
  void add_arrays(const std::string& file) {
    std::vector<NamedMatrix<Element>> arrays = read_npz<Element>(file);
    for (NamedMatrix<Element>& array : arrays) {
      std::size_t port = find_port(ports_, array.name);
      const bool is_alone = ports_.size() == 1 && arrays.size() == 1;
      if (port == ports_.size() && (is_alone || array.name.starts_with("arr_"))) {
        port = next_port_++;
      }
      if (port >= ports_.size()) {
        throw MatrixFileError(
            file, fmt::format("its array {} is not an input of the network, which has {}",
                              in_quotes(array.name), list_names(ports_)));
      }
      add(port, std::move(array.matrix), file);
    }
  }

  void add(std::size_t port, HostMatrix<Element> input, const std::string& file) {
    if (port >= ports_.size()) {
      throw UsageError(fmt::format("--input: the network has {} inputs", ports_.size()));
    }
    const std::int64_t columns = ports_[port].columns;
    // An array of one dimension is a row; for an input of one column it can only be a column of
    // samples.
    if (columns == 1 && input.is_one_dimensional) std::swap(input.rows, input.columns);
    if (input.columns != columns) {
      const std::string whose =
          ports_.size() == 1 ? "the network" : "input " + in_quotes(ports_[port].name);
      throw MatrixFileError(
          file, fmt::format("has {} columns, but {} has {}", input.columns, whose, columns));
    }
    check_name(port, input, file);
    if (!files_[port].empty()) {
      throw UsageError(fmt::format("--input: {} has two matrices, in {} and {}",
                                   in_quotes(ports_[port].name), files_[port], file));
    }
    if (first_ == nullptr) first_ = &inputs_[port];
    if (input.rows != (first_ == &inputs_[port] ? input.rows : first_->rows)) {
      throw MatrixFileError(file, fmt::format("has {} rows, but the input before it has {}",
                                              input.rows, first_->rows));
    }
    inputs_[port] = std::move(input);
    files_[port] = file;
  }

  // Refuses a matrix of one column whose header is the name of another input.
  void check_name(std::size_t port, const HostMatrix<Element>& input, const std::string& file) {
    if (input.column_names.size() != 1 || input.column_names[0] == ports_[port].name) return;
    if (find_port(ports_, input.column_names[0]) == ports_.size()) return;
    throw MatrixFileError(
        file, fmt::format("its column is named {}, but it is read for the input {}; correct the "
                          "order of the files, or name their inputs with --input-name",
                          in_quotes(input.column_names[0]), in_quotes(ports_[port].name)));
  }

  // The columns of one matrix for several inputs: by the names of its header, otherwise side by
  // side.
  void divide(const HostMatrix<Element>& all, const std::string& file) {
    std::vector<std::vector<std::ptrdiff_t>> columns(ports_.size());
    for (std::size_t i = 0, port = 0; std::cmp_less(i, all.columns); ++i) {
      if (!all.column_names.empty()) {
        port = find_port(ports_, all.column_names[i]);
      } else {
        while (std::cmp_equal(columns[port].size(), ports_[port].columns)) ++port;
      }
      if (port < ports_.size()) columns[port].push_back(static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (std::cmp_not_equal(columns[i].size(), ports_[i].columns)) {
        throw MatrixFileError(
            file, fmt::format("its header names {} of the {} columns of the input {}; name each "
                              "column by its input ({}), or remove the header if the columns have "
                              "this order",
                              columns[i].size(), ports_[i].columns, in_quotes(ports_[i].name),
                              list_names(ports_)));
      }
      HostMatrix<Element>& part = inputs_[i];
      part.rows = all.rows;
      part.columns = ports_[i].columns;
      for (std::int64_t row = 0; row < all.rows; ++row) {
        for (const std::ptrdiff_t column : columns[i]) {
          part.values.push_back(all.values[static_cast<std::size_t>(row * all.columns + column)]);
        }
      }
      files_[i] = "all";
    }
  }

  const std::vector<PortFacts>& ports_;
  std::vector<HostMatrix<Element>> inputs_;
  std::vector<std::string> files_;  // of each input, the file that it came from
  std::size_t next_port_ = 0;       // for a matrix without a name
  const HostMatrix<Element>* first_ = nullptr;
};

}  // namespace

bool takes_double_inputs(const NetworkModel& model) {
  return !divided_model(model).host.layers.empty();
}

NetworkInputs make_network_inputs(const NetworkModel& model,
                                  const std::vector<DoubleMatrix>& inputs, Precision precision) {
  NetworkInputs prepared;
  DividedModel parts = divided_model(model);
  prepared.is_started_on_host =
      !parts.host.layers.empty() && (precision == Precision::kHalf || have_more_digits(inputs));
  if (!prepared.is_started_on_host) {
    prepared.model = model;
    for (const DoubleMatrix& input : inputs) {
      prepared.matrices.push_back(to_floats(input.rows, input.columns, input.values));
    }
    return prepared;
  }
  std::vector<std::vector<double>> values;
  for (const DoubleMatrix& input : inputs) values.push_back(input.values);
  const std::int64_t rows = inputs.front().rows;
  const auto results = host_forward_all(parts.host, values, rows);
  for (std::size_t i = 0; i < results.size(); ++i) {
    prepared.matrices.push_back(to_floats(rows, parts.device.inputs[i].columns, results[i]));
  }
  prepared.model = std::move(parts.device);
  return prepared;
}

template <typename Element>
void note_column_names(const HostMatrix<Element>& matrix, const std::string& file) {
  constexpr std::size_t kMaxShown = 8;
  if (matrix.column_names.empty()) return;
  std::string names;
  for (const std::string& name :
       std::span(matrix.column_names).first(std::min(matrix.column_names.size(), kMaxShown))) {
    names += (names.empty() ? "" : ", ") + in_quotes(name);
  }
  if (matrix.column_names.size() > kMaxShown) names += ", ...";
  print(stderr, "tilewright: {}: the first line has the names of the columns: {}\n", file, names);
}

template void note_column_names(const FloatMatrix& matrix, const std::string& file);
template void note_column_names(const DoubleMatrix& matrix, const std::string& file);

bool is_npz(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension == ".npz";
}

NetworkInputs read_network_inputs(const std::vector<std::string>& files,
                                  const std::vector<std::string>& names, const NetworkModel& model,
                                  Precision precision) {
  const NetworkFacts facts = make_network_facts(model);
  if (takes_double_inputs(model)) {
    return make_network_inputs(model, InputReader<double>(files, names, facts.input_ports).inputs(),
                               precision);
  }
  return {model, InputReader<float>(files, names, facts.input_ports).inputs()};
}

}  // namespace tilewright

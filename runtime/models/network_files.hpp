/// @file
/// Reads neural networks from files and writes them.
///
///     tilewright::NetworkModel model = tilewright::read_network_model("digits.onnx");
///     tilewright::write_network_model(model, "digits.json");
///     tilewright::NetworkModel sample = tilewright::preset_model("full-mnist", 1);
///
/// Formats: ONNX, and the JSON definition of Rovder's thesis (docs/models.md). Needs no OpenCL.
///
/// Thread safety: functions have no shared state. Concurrent calls must not write the same files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

/// Thrown for a model that cannot be read, written or run. what() is a sentence that contains the
/// file and the node, layer or key.
class ModelError : public std::runtime_error {
 public:
  /// @param file  path of the model's file; empty: the model is not from a file
  /// @param place  the node, layer or key; empty: the whole model
  /// @param reason  what is wrong
  ModelError(const std::string& file, const std::string& place, const std::string& reason);
  /// @return path of the model's file; empty: the model is not from a file
  const std::string& file() const { return file_; }
  /// @return the node, layer or key; empty: the whole model
  const std::string& place() const { return place_; }
  /// @return what is wrong, without file and place
  const std::string& reason() const { return reason_; }

 private:
  std::string file_;
  std::string place_;
  std::string reason_;
};

/// Whether the layers of a file may be simplified when it is read.
enum class NetworkReading {
  kForSpeed,   ///< layers are combined so that the model runs faster; results differ by rounding
  kAsWritten,  ///< each node of the file becomes its own layers
};

/// Reads a model from a file and from the files that it refers to. Those must be in the same folder
/// or below it, as the file itself or after symbolic links are followed; others are refused. The
/// memory that is allocated is limited by the sizes of the files.
/// @param path  path that ends in .json or .onnx, in upper or lower case
/// @param files  if not null, the path of each file that was read is appended, `path` first
/// @param reading  whether layers of an ONNX file may be combined
/// @param outputs  names of the outputs that will be chosen (choose_network_outputs); empty: any.
///     Their shapes help to decide whether the first dimension is the batch (docs/models.md). The
///     model may have others, too
/// @return a model that check_network_model() accepts. It has the outputs of the file that can be
///     computed; the others are listed in NetworkModel::skipped_outputs
/// @throws ModelError
NetworkModel read_network_model(const std::string& path, std::vector<std::string>* files = nullptr,
                                NetworkReading reading = NetworkReading::kForSpeed,
                                const std::vector<std::string>& outputs = {});

/// Reads a model from the bytes of an ONNX file, or of a JSON definition, in memory. JSON starts
/// with a brace, which ONNX files do not.
/// @param data  the bytes
/// @param size  their number
/// @param reading, outputs  see read_network_model
/// @return see read_network_model
/// @throws ModelError whose file() is empty and whose place() starts with "in memory". A model that
///     has tensors or matrices in other files is refused
NetworkModel read_network_model(const void* data, std::size_t size,
                                NetworkReading reading = NetworkReading::kForSpeed,
                                const std::vector<std::string>& outputs = {});

/// Returns the model with only some of its outputs, without the inputs and layers that these do not
/// need, and without skipped outputs.
/// @param model  a model that check_network_model() accepts
/// @param outputs  indices of outputs, from 0; at least one
/// @return the model with these outputs, in this order
/// @throws std::out_of_range for an index that the model does not have
NetworkModel select_network_outputs(const NetworkModel& model,
                                    const std::vector<std::size_t>& outputs);

/// Returns the model with the outputs that a program uses.
/// @param model  a model that check_network_model() accepts
/// @param names  names of outputs, each once; empty: all that the model has
/// @param file  path of its file, for errors; empty: it is not from a file
/// @return select_network_outputs() for these outputs, in this order; without names, the model
/// itself
/// @throws ModelError for a name that the model does not have or that is given twice; without names
///     if the first output of floats of the file was skipped (NetworkSkippedOutput::is_first),
///     because a program that uses the first output would get another one. The error contains the
///     reason for which an output was skipped, and the names of the outputs that the model has
NetworkModel choose_network_outputs(NetworkModel model, const std::vector<std::string>& names,
                                    const std::string& file = "");

/// Writes a model. Each file is replaced atomically. NAME.onnx is one file. For NAME.json the
/// matrices are written first, in the same folder: for each affine layer I, from 1,
/// NAME.layerI.weights.json and NAME.layerI.weights.npy, and if it has a bias,
/// NAME.layerI.biases.json and NAME.layerI.biases.npy.
/// @param model  a model that check_network_model() accepts
/// @param path  path that ends in .json or .onnx, in upper or lower case
/// @throws ModelError if the model is invalid or too large for the format (ONNX: 2 GiB);
///     std::system_error if a file cannot be written
void write_network_model(const NetworkModel& model, const std::string& path);

/// Lists the files that write_network_model() writes.
/// @param model  a model that check_network_model() accepts
/// @param path  path that ends in .json or .onnx, in upper or lower case
/// @return their paths, in the order in which they are written
/// @throws ModelError if the path has another extension
std::vector<std::string> written_network_files(const NetworkModel& model, const std::string& path);

/// Checks that a model can be run. It needs a layer unless its outputs are inputs; all extents must
/// be known, at least 1, and fit together; the numbers of weights and biases must match the
/// extents; arguments of activations must be finite. The values of weights and biases are not
/// checked.
/// @param model  any model
/// @throws ModelError (without a file) that contains the first invalid layer
void check_network_model(const NetworkModel& model);

/// Lists the networks of Rovder's thesis, in the order of its Tables 10.1 to 10.4.
/// @return full-mnist, full-cifar, partial-mnist, partial-cifar, sigmoid-mnist
std::vector<std::string> preset_names();

/// Makes a network of Rovder's thesis (Tables 10.1 to 10.4; an activation after each affine layer
/// except the last). Weights and biases are random, uniform in [-1, 1) / sqrt(inputs), and the same
/// on every machine.
/// @param name  one of preset_names()
/// @param seed  seed of the random numbers
/// @return the model
/// @throws ModelError for another name
NetworkModel preset_model(const std::string& name, std::uint64_t seed);

}  // namespace tilewright

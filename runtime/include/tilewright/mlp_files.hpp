/// @file
/// How does a fully-connected net come from files, and go into them?
///
///     tilewright::MlpModel model = tilewright::read_mlp_model("digits.onnx");
///     tilewright::write_mlp_model(model, "digits.json");
///     tilewright::MlpModel sample = tilewright::preset_model("full-mnist", 1);
///
/// Formats: ONNX, and the JSON definition of the low-power neural network thesis (docs/models.md).
/// No OpenCL. Thread safety: functions of their arguments and of the files.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

/// A model that cannot be read, written or run. what() is a sentence that names the file and, in
/// it, the node, layer or key.
class ModelError : public std::runtime_error {
 public:
  /// @param file  path of the model's file; empty: it is from none
  /// @param place  the node, layer or key; empty: the model as a whole
  /// @param reason  what is wrong
  ModelError(const std::string& file, const std::string& place, const std::string& reason);
  /// @return path of the model's file; empty: it is from none
  const std::string& file() const { return file_; }
  /// @return the node, layer or key; empty: the model as a whole
  const std::string& place() const { return place_; }
  /// @return what is wrong, without file and place
  const std::string& reason() const { return reason_; }

 private:
  std::string file_;
  std::string place_;
  std::string reason_;
};

/// ONNX was asked of a library that was built without it. what() says how to get it.
class OnnxMissing : public ModelError {
 public:
  using ModelError::ModelError;
};

/// @return whether this library reads and writes ONNX (the build's option TILEWRIGHT_ONNX)
bool onnx_is_built_in();

/// How a model is read from a file.
enum class MlpReading {
  kForSpeed,   ///< with layers put together, so that it runs faster: results differ by rounding
  kAsWritten,  ///< each node as the file has it
};

/// Reads a model from the file and those that it names, which are sought beside it or below, and
/// refused elsewhere. Nothing is allocated that the size of the files does not justify.
/// @param path  ends in .json or .onnx, in small or capital letters
/// @param files  unless null: the path of each file that was read is appended, `path` first
/// @param reading  whether layers of an ONNX file may be put together
/// @return a model that check_mlp_model() accepts. It has the outputs of the file that can be
///     computed; the others are in MlpModel::skipped_outputs
/// @throws ModelError, of which OnnxMissing is one
MlpModel read_mlp_model(const std::string& path, std::vector<std::string>* files = nullptr,
                        MlpReading reading = MlpReading::kForSpeed);

/// The model with some of its outputs only, without the inputs and layers that these do not need.
/// @param model  that check_mlp_model() accepts
/// @param outputs  their numbers in the model, from 0; at least one
/// @return the model with these outputs, in this order
/// @throws std::out_of_range for a number that the model does not have
MlpModel select_mlp_outputs(const MlpModel& model, const std::vector<std::size_t>& outputs);

/// Writes a model, each file atomically. NAME.onnx is one file. NAME.json comes last, after
/// NAME.layerI.weights.json, NAME.layerI.weights.npy and, where there is a bias,
/// NAME.layerI.biases.json and NAME.layerI.biases.npy beside it, I from 1.
/// @param model  that check_mlp_model() accepts
/// @param path  ends in .json or .onnx, in small or capital letters
/// @throws ModelError if the model is not right or too large for the format (ONNX: 2 GiB),
///     OnnxMissing, std::system_error if a file cannot be written
void write_mlp_model(const MlpModel& model, const std::string& path);

/// Lists the files that write_mlp_model() writes.
/// @param model  that check_mlp_model() accepts
/// @param path  ends in .json or .onnx, in small or capital letters
/// @return their paths, in the order in which they are written
/// @throws ModelError if the path has another extension
std::vector<std::string> written_mlp_files(const MlpModel& model, const std::string& path);

/// Is it a net that can be run? It has an affine layer; each layer takes as many inputs as the one
/// before it has outputs, at least one; weights and biases are as many as their widths say; what
/// activations are given is finite. The values of weights and biases are not looked at.
/// @param model  any
/// @throws ModelError (with no file) that names the first layer that is wrong
void check_mlp_model(const MlpModel& model);

/// The nets that the thesis measures, in the order of its Tables 10.1 to 10.4.
/// @return full-mnist, full-cifar, partial-mnist, partial-cifar, sigmoid-mnist
std::vector<std::string> preset_names();

/// A net of the thesis (Tables 10.1 to 10.4; ReLU behind each layer but the last) with random
/// weights and biases, uniform in [-1, 1) / sqrt(inputs), the same on every machine.
/// @param name  one of preset_names()
/// @param seed  which weights
/// @return the model
/// @throws ModelError for another name
MlpModel preset_model(const std::string& name, std::uint64_t seed);

}  // namespace tilewright

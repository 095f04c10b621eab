// Models, and files of models and matrices, for tests; and the messages of their errors.
#pragma once

#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include "temporary_folder.hpp"

namespace tilewright {

inline std::string written(const TemporaryFolder& folder, const std::string& name,
                           std::string_view content) {
  std::ofstream out(folder.file(name), std::ios::binary);
  out << content;
  return folder.file(name);
}

inline std::string read_content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

// The bytes of a value, the lowest first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

inline std::string float_bytes(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return bytes;
}

// A .npy file with any header, which is not aligned: readers must not depend on that.
inline std::string npy_file_text(const std::string& header, const std::string& data,
                                 int version = 1) {
  const std::string text = header + "\n";
  return std::string("\x93NUMPY", 6) + static_cast<char>(version) + '\0' +
         little_endian(text.size(), version == 1 ? 2 : 4) + text + data;
}

inline std::string npy_file_text(const std::string& type, const std::string& order,
                                 const std::string& shape, const std::string& data,
                                 int version = 1) {
  return npy_file_text(
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }", data,
      version);
}

// What the exception says; empty if there is none.
template <class Exception, class Body>
std::string refusal(const Body& body) {
  try {
    body();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

// An affine layer whose weights and biases are the numbers from `first` in steps of 0.25.
inline AffineLayer affine_layer(std::int64_t inputs, std::int64_t outputs, float first,
                                bool with_bias = true) {
  AffineLayer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  float next = first;
  for (std::int64_t i = 0; i < inputs * outputs; ++i, next += 0.25f) layer.weights.push_back(next);
  if (!with_bias) return layer;
  for (std::int64_t i = 0; i < outputs; ++i, next += 0.25f) layer.bias.push_back(next);
  return layer;
}

inline ActivationLayer activation_layer(Activation activation) {
  return {"", activation, 0.01f};
}

// One of each kind of layer but kIdentity, with and without names and biases, one width of 1.
inline NetworkModel sample_model() {
  NetworkModel model;
  model.layers = {affine_layer(3, 5, -1.0f),
                  activation_layer(Activation::kRelu),
                  affine_layer(5, 4, 0.125f, false),
                  activation_layer(Activation::kSigmoid),
                  affine_layer(4, 1, 2.0f),
                  activation_layer(Activation::kTanh),
                  affine_layer(1, 2, -3.0f),
                  ActivationLayer{"leak", Activation::kLeakyRelu, 0.3f},
                  affine_layer(2, 2, 7.0f),
                  activation_layer(Activation::kSoftmax),
                  affine_layer(2, 2, 1.0f),
                  ActivationLayer{"", Activation::kElu, 0.7f},
                  affine_layer(2, 2, 1.0f),
                  activation_layer(Activation::kSelu),
                  affine_layer(2, 2, 1.0f),
                  activation_layer(Activation::kSoftplus),
                  affine_layer(2, 2, 1.0f),
                  ActivationLayer{"", Activation::kHardSigmoid, 0.3f, 0.4f},
                  affine_layer(2, 2, 1.0f),
                  activation_layer(Activation::kHardSwish),
                  affine_layer(2, 2, 1.0f),
                  ActivationLayer{"", Activation::kClip, 0.01f, 0.5f, -1.0f, 7.0f},
                  affine_layer(2, 2, 1.0f),
                  activation_layer(Activation::kGelu),
                  affine_layer(2, 2, 1.0f),
                  activation_layer(Activation::kGeluTanh),
                  affine_layer(2, 2, 1.0f),
                  activation_layer(Activation::kLogSoftmax)};
  std::get<AffineLayer>(model.layers[2]).name = "/fc2/Gemm";
  return model;
}

// A network whose first output needs only its first input, and the others only the second.
inline NetworkModel policy_model() {
  ActivationLayer policy{"", Activation::kTanh};
  policy.input = 0;
  AffineLayer value = affine_layer(3, 2, -1.0f);
  value.input = 1;
  NetworkModel model{{policy, value, activation_layer(Activation::kRelu)}};
  model.inputs = {{"goal", 1}, {"state", 3}};
  model.outputs = {{"policy", 2}, {"value", 3}, {"advantage", 4}};
  return model;
}

inline std::vector<std::string> output_names(const NetworkModel& model) {
  std::vector<std::string> names;
  for (const NetworkOutput& output : model.outputs) names.push_back(output.name);
  return names;
}

// Writes a model as ONNX, with an operation that is not supported in place of Tanh.
inline std::string written_without_tanh(const NetworkModel& model, const TemporaryFolder& folder) {
  const std::string path = folder.file("without.onnx");
  write_network_model(model, path);
  std::string bytes = read_content(path);
  bytes.replace(bytes.find("Tanh"), 4, "LSTM");
  return written(folder, "without.onnx", bytes);
}

// policy_model(), whose first output, 'policy', cannot be computed.
inline std::string write_without_policy(const TemporaryFolder& folder) {
  return written_without_tanh(policy_model(), folder);
}

}  // namespace tilewright

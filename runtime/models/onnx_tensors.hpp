// Which numbers does a tensor of an ONNX file hold?
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "constant_tensor.hpp"
#include "model_place.hpp"

namespace tilewright {

// "initialiser 'fc1.weight'" and "2 x 3", for messages.
std::string tensor_text(const onnx::TensorProto& tensor);
std::string extents_text(const onnx::TensorProto& tensor);

// Is a type of ONNX' that of numbers which are read as floats: FLOAT, DOUBLE, FLOAT16?
bool is_read_as_floats(int type);

// The nearest half, ties to even.
double rounded_to_half(double value);

// Reads the tensors of one model. What a tensor claims is checked before anything is allocated for
// it, and how often its numbers are asked for is limited (kMaxLayersOfOneMatrix).
class OnnxTensors {
 public:
  // The elements of a tensor of such a type, in row-major order. They may lie in the file,
  // in any of the ways of the format, or in another file beside it. Fails at `place`.
  // A tensor of more than `few` elements may not be read as often as a file likes.
  std::vector<float> floats(const onnx::TensorProto& tensor, const ModelPlace& place,
                            std::uint64_t few = 1);

  // The elements of a tensor of any type of numbers, or of truth values, as 0 and 1.
  ConstantTensor numbers(const onnx::TensorProto& tensor, const ModelPlace& place);

  // Appends the paths of the files of external data that were read.
  void append_files(std::vector<std::string>& files) const;

 private:
  template <typename To, typename From, typename Repeated>
  std::vector<To> values(const onnx::TensorProto& tensor, const Repeated& fields,
                         const ModelPlace& place, std::uint64_t few);
  std::string external_bytes(const onnx::TensorProto& tensor, std::size_t element_bytes,
                             const ModelPlace& place);

  std::map<const onnx::TensorProto*, int> uses_;
  std::map<std::string, std::uint64_t> bytes_taken_;  // from each file beside the model
};

}  // namespace tilewright

// Which numbers does a tensor of an ONNX file hold?
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model_place.hpp"

namespace tilewright {

// "initialiser 'fc1.weight'" and "2 x 3", for messages.
std::string tensor_text(const onnx::TensorProto& tensor);
std::string extents_text(const onnx::TensorProto& tensor);

// Is a type of ONNX' that of numbers which are read as floats: FLOAT, DOUBLE, FLOAT16?
bool is_read_as_floats(int type);

// Reads the tensors of one model. What a tensor claims is checked before anything is allocated for
// it, and how often its numbers are asked for is limited (kMaxLayersOfOneMatrix).
class OnnxTensors {
 public:
  // The elements of a tensor of such a type, in row-major order. They may lie in the file,
  // in any of the ways of the format, or in another file beside it. Fails at `place`.
  std::vector<float> floats(const onnx::TensorProto& tensor, const ModelPlace& place);

  // The same for INT64: shapes and the like.
  std::vector<std::int64_t> integers(const onnx::TensorProto& tensor, const ModelPlace& place);

  // Appends the paths of the files of external data that were read.
  void append_files(std::vector<std::string>& files) const;

 private:
  template <typename To, typename From, typename Repeated>
  std::vector<To> values(const onnx::TensorProto& tensor, const Repeated& fields,
                         const ModelPlace& place);
  std::string external_bytes(const onnx::TensorProto& tensor, std::size_t element_bytes,
                             const ModelPlace& place);

  std::map<const onnx::TensorProto*, int> uses_;
  std::map<std::string, std::uint64_t> bytes_taken_;  // from each file beside the model
};

}  // namespace tilewright

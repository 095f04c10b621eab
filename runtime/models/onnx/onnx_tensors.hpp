// Reads the numbers of the tensors of an ONNX file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model_place.hpp"
#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright {

// Return "initialiser 'fc1.weight'" and "2 x 3", for messages.
std::string tensor_text(const onnx::Tensor& tensor);
std::string extents_text(const std::vector<std::int64_t>& extents);

// Returns the name of a type of ONNX, "INT64", or its number if it is unknown.
std::string type_text(int type);

// Returns true for the ONNX types that are read as floats: FLOAT, DOUBLE, FLOAT16, BFLOAT16.
bool is_read_as_floats(int type);
// Whether a type of ONNX is one of the integer types with up to 64 bits.
bool is_integer_type(int type);
// Returns the number of binary digits of a type of integers or of BOOL, without the sign; 0 for
// other types.
int num_digits(int type);
// Whether a type of integers, or BOOL, has negative numbers.
bool is_signed(int type);

// Return the nearest number of FLOAT16 and BFLOAT16, ties to even.
double rounded_to_half(double value);
double rounded_to_bfloat(double value);

// Reads the tensors of one model. The extents and sizes of a tensor are checked before memory is
// allocated for it. The caller of numbers() limits how often a tensor is read; floats() accepts
// each tensor only kMaxLayersOfOneMatrix times, and beyond that only a limited number of elements.
class OnnxTensors {
 public:
  // Returns the elements of a tensor in row-major order. Its type must satisfy is_read_as_floats().
  // The elements may be in the file, in any encoding of ONNX, or in an external file. Fails at
  // `place`. A tensor with at most `few` elements can be read any number of times.
  std::vector<float> floats(const onnx::Tensor& tensor, const ModelPlace& place,
                            std::uint64_t few = 1);

  // Returns the elements of a tensor of any numeric type, or of Booleans as 0 and 1.
  ConstantTensor numbers(const onnx::Tensor& tensor, const ModelPlace& place);

  // Returns the size of the external files that were read since the last call, in bytes.
  std::uint64_t take_external_bytes() { return std::exchange(external_bytes_read_, 0); }

  // Appends the paths of the files of external data that were read.
  void append_files(std::vector<std::string>& files) const;

 private:
  template <typename To>
  std::vector<To> elements(const onnx::Tensor& tensor, const ModelPlace& place, std::uint64_t few);
  template <typename To, typename From, typename Repeated>
  std::vector<To> values(const onnx::Tensor& tensor, const Repeated& fields,
                         const ModelPlace& place, std::uint64_t few);
  std::string external_bytes(const onnx::Tensor& tensor, std::size_t element_bytes,
                             const ModelPlace& place);

  std::map<const onnx::Tensor*, int> uses_;
  std::uint64_t copied_elements_ = 0;
  std::uint64_t external_bytes_read_ = 0;
  std::map<std::string, std::uint64_t> bytes_taken_;  // bytes read so far, keyed by external file
};

}  // namespace tilewright

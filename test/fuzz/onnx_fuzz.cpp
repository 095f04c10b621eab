// Tests that the reader of ONNX files handles any bytes.
#include <cstdint>
#include <string>
#include <string_view>

#include "onnx/onnx_codec.hpp"
#include "property.hpp"
#include "runtime/models/network_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content{reinterpret_cast<const char*>(data), size};
  try {
    const std::string bytes = tilewright::onnx::encode(tilewright::onnx::decode(content, {}));
    tilewright::expect(tilewright::onnx::encode(tilewright::onnx::decode(bytes, {})) == bytes,
                       "a decoded file is encoded as itself");
    tilewright::read_network_model(data, size);  // also checks the model
  } catch (const tilewright::ModelError&) {
  }
  return 0;
}

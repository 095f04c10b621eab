#include <limits>

#include "named_file.hpp"
#include "onnx_chain.hpp"
#include "onnx_model.hpp"

namespace tilewright {
namespace {

onnx::ModelProto parsed_onnx(const ModelPlace& file) {
  const FileContent content = read_file(file.file);
  if (!content.failure.empty()) file.fail(content.failure);
  if (content.bytes.size() > std::numeric_limits<int>::max()) {
    file.fail("is larger than 2 GiB, which no ONNX file is");
  }
  onnx::ModelProto model;
  if (!model.ParseFromArray(content.bytes.data(), static_cast<int>(content.bytes.size()))) {
    file.fail("is no ONNX file, or cut off");
  }
  if (!model.has_graph()) file.fail("is no ONNX file: it holds no graph");
  // Behind the graph in most files: without it the file is cut off.
  if (model.opset_import_size() == 0) file.fail("is no ONNX file: it names no operator set");
  return model;
}

}  // namespace

bool onnx_is_built_in() {
  return true;
}

MlpModel read_onnx_model(const std::string& path, std::vector<std::string>& files) {
  const ModelPlace file{path, ""};
  const onnx::ModelProto model = parsed_onnx(file);
  const OnnxGraph graph(model.graph(), file);
  OnnxChain chain(graph, file);
  MlpModel net = chain.read();
  chain.append_files(files);
  return net;
}

}  // namespace tilewright

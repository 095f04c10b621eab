// Reads networks without OpenCL: models FILE.onnx FILE.json. If the library was built without ONNX,
// it expects OnnxMissing.
#include <cstdio>
#include <exception>
#include <tilewright/matrix_file.hpp>
#include <tilewright/mlp_files.hpp>

namespace {

bool reads_onnx(const char* path) {
  try {
    std::printf("%s has %zu layers\n", path, tilewright::read_mlp_model(path).layers.size());
  } catch (const tilewright::OnnxMissing& missing) {
    std::printf("%s\n", missing.what());
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const tilewright::MlpModel model = tilewright::preset_model("full-mnist", 1);
    tilewright::write_mlp_model(model, argv[2]);
    const bool same = tilewright::read_mlp_model(argv[2]).layers.size() == model.layers.size();
    std::puts(same && reads_onnx(argv[1]) ? "PASS" : "FAIL");
    return same ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// Reads networks without OpenCL: models FILE.onnx FILE.json.
#include <cstdio>
#include <exception>
#include <tilewright/matrix_file.hpp>
#include <tilewright/mlp_files.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const tilewright::MlpModel model = tilewright::preset_model("full-mnist", 1);
    tilewright::write_mlp_model(model, argv[2]);
    const bool same = tilewright::read_mlp_model(argv[2]).layers.size() == model.layers.size();
    std::printf("%s has %zu layers\n", argv[1], tilewright::read_mlp_model(argv[1]).layers.size());
    std::puts(same ? "PASS" : "FAIL");
    return same ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// Tests of ONNX files whose tensors are in other files.
#include <filesystem>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

void set_external(onnx::Tensor& tensor,
                  const std::vector<std::pair<std::string, std::string>>& entries) {
  tensor.raw_data.reset();
  tensor.external_data.clear();
  tensor.data_location = onnx::Tensor::kExternal;
  for (const auto& [key, value] : entries) {
    auto& entry = tensor.external_data.emplace_back();
    entry.key = key;
    entry.value = value;
  }
}

TEST_CASE("external data in the model's folder are read, as PyTorch writes large models") {
  const TemporaryFolder folder;
  OnnxSample sample = gemm_sample();
  onnx::Tensor& weights = sample.graph().initializer[0];
  onnx::Tensor& bias = sample.graph().initializer[1];
  set_external(weights, {{"location", "net.data"}, {"offset", "0"}, {"length", "16"}});
  set_external(bias, {{"location", "./net.data"}, {"offset", "16"}});
  written(folder, "net.data", float_bytes({1, 2, 3, 4, 5, 6}));
  const auto read = [&] { return read_network_model(written(folder, "net.onnx", sample.bytes())); };
  CHECK(std::get<AffineLayer>(read().layers[0]) == AffineLayer{"", 2, 2, {1, 2, 3, 4}, {5, 6}});
  std::vector<std::string> files;
  read_network_model(folder.file("net.onnx"), &files);
  CHECK(files == std::vector<std::string>{folder.file("net.onnx"), folder.file("net.data")});

  const auto said = [&] { return refusal<ModelError>(read); };
  written(folder, "net.data", float_bytes({1, 2, 3, 4, 5}));
  CHECK_THAT(said(), ContainsSubstring("'b' needs 2 elements"));
  set_external(bias, {{"location", "none.data"}});
  CHECK_THAT(said(), ContainsSubstring("'none.data'"));
  const std::string bytes = sample.bytes();
  CHECK_THAT(refusal<ModelError>([&] { read_network_model(bytes.data(), bytes.size()); }),
             ContainsSubstring("in memory"));
  set_external(bias, {{"location", "net.data"}, {"offset", "99999999999"}});
  CHECK_THAT(said(), ContainsSubstring("but has 0 bytes"));
  set_external(bias, {{"location", "net.data"}, {"offset", "-1"}});
  CHECK_THAT(said(), ContainsSubstring("offset is '-1'"));
  for (const char* const elsewhere : {"/etc/passwd", "../net.data", "a/../../net.data", ""}) {
    set_external(bias, {{"location", elsewhere}});
    CHECK_THAT(said(), ContainsSubstring("model's folder"));
  }
}

TEST_CASE("external data may be links within the model's folder, but not out of it") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  fs::create_directories(folder.file("net/numbers"));
  written(folder, "secret.data", float_bytes({5, 6}));
  written(folder, "net/numbers/b.data", float_bytes({5, 6}));
  fs::create_symlink("numbers/b.data", folder.file("net/inside.data"));
  fs::create_symlink("../secret.data", folder.file("net/outside.data"));
  fs::create_symlink(folder.file("secret.data"), folder.file("net/absolute.data"));
  fs::create_symlink("outside.data", folder.file("net/twice.data"));
  fs::create_symlink("..", folder.file("net/up"));
  fs::create_symlink("net", folder.file("link"));
  OnnxSample sample = gemm_sample();
  const auto bias_at = [&](const std::string& location) {
    set_external(sample.graph().initializer[1], {{"location", location}});
  };
  bias_at("inside.data");
  written(folder, "net/net.onnx", sample.bytes());
  for (const char* const path : {"net/net.onnx", "link/net.onnx"}) {  // The folder may be a link.
    CHECK(std::get<AffineLayer>(read_network_model(folder.file(path)).layers[0]).bias ==
          std::vector<float>{5, 6});
  }
  for (const char* const location :
       {"outside.data", "absolute.data", "twice.data", "up/secret.data"}) {
    bias_at(location);
    const std::string path = written(folder, "net/net.onnx", sample.bytes());
    INFO(location);
    CHECK_THAT(refusal<ModelError>([&] { read_network_model(path); }),
               ContainsSubstring("model's folder"));
  }
}

TEST_CASE("external data may lie beside the real file of a model that is a link") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  for (const char* const path : {"blobs/below", "snapshots/x", "other"}) {
    fs::create_directories(folder.file(path));
  }
  OnnxSample sample = gemm_sample();
  set_external(sample.graph().initializer[1], {{"location", "net.data"}});
  written(folder, "blobs/1f3a", sample.bytes());
  for (const char* const path : {"blobs/2c4d", "blobs/below/2c4d", "other/secret", "secret"}) {
    written(folder, path, float_bytes({5, 6}));
  }
  const std::string net = folder.file("snapshots/x/net.onnx");
  const fs::path data = folder.file("snapshots/x/net.data");
  fs::create_symlink("../../blobs/1f3a", net);
  for (const char* const target : {"../../blobs/2c4d", "../../blobs/below/2c4d"}) {
    fs::create_symlink(target, data);
    CHECK(std::get<AffineLayer>(read_network_model(net).layers[0]).bias ==
          std::vector<float>{5, 6});
    fs::remove(data);
  }
  for (const char* const target : {"../../secret", "../../other/secret"}) {
    fs::create_symlink(target, data);
    CHECK_THAT(refusal<ModelError>([&] { read_network_model(net); }),
               ContainsSubstring("model's folder"));
    fs::remove(data);
  }
  // A name with .. is never allowed.
  set_external(sample.graph().initializer[1], {{"location", "../../blobs/2c4d"}});
  written(folder, "blobs/1f3a", sample.bytes());
  CHECK_THAT(refusal<ModelError>([&] { read_network_model(net); }),
             ContainsSubstring("model's folder"));
}

TEST_CASE("a pointer of Git LFS in place of a file is named as one") {
  const TemporaryFolder folder;
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
  for (const char* const name : {"net.onnx", "net.json"}) {
    const std::string path = written(folder, name, pointer);
    CHECK_THAT(refusal<ModelError>([&] { read_network_model(path); }),
               ContainsSubstring(name) && ContainsSubstring("Git LFS"));
  }
  for (const char* const name : {"x.npy", "x.csv", "x.npz"}) {
    const std::string path = written(folder, name, pointer);
    CHECK_THAT(refusal<MatrixFileError>([&] { read_matrix(path); }), ContainsSubstring("Git LFS"));
  }
  // Also where the bytes that are needed lie behind the end of the pointer.
  OnnxSample sample = gemm_sample();
  for (const char* const offset : {"0", "4096"}) {
    set_external(sample.graph().initializer[1],
                 {{"location", "net.data"}, {"offset", offset}, {"length", "8"}});
    written(folder, "net.data", pointer);
    const std::string path = written(folder, "net.onnx", sample.bytes());
    CHECK_THAT(refusal<ModelError>([&] { read_network_model(path); }),
               ContainsSubstring("'net.data'") && ContainsSubstring("Git LFS"));
  }
}

TEST_CASE("external data with a NUL in the name or a wrong length are refused") {
  const TemporaryFolder folder;
  written(folder, "net.data", float_bytes({5, 6}));
  OnnxSample sample = gemm_sample();
  const auto said = [&](const std::vector<std::pair<std::string, std::string>>& entries) {
    set_external(sample.graph().initializer[1], entries);
    const std::string path = written(folder, "net.onnx", sample.bytes());
    return refusal<ModelError>([&] { read_network_model(path); });
  };
  CHECK(said({{"location", "net.data"}, {"length", "8"}}).empty());
  CHECK_THAT(said({{"location", std::string("net.data\0.png", 13)}}),
             ContainsSubstring("model's folder"));
  for (const char* const length : {"1000", "9", "7", "0"}) {
    CHECK_THAT(
        said({{"location", "net.data"}, {"length", length}}),
        ContainsSubstring(
            "initialiser 'b' needs 2 elements of 4 bytes, but its external data has length " +
            std::string(length)));
  }
  for (const char* const key : {"location", "offset", "length"}) {
    CHECK_THAT(said({{"location", "net.data"}, {"offset", "0"}, {"length", "8"}, {key, "0"}}),
               ContainsSubstring(std::string("the external data's ") + key + " is given twice"));
  }
}

}  // namespace
}  // namespace tilewright

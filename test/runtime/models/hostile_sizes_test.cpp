// Small files that claim large sizes: reading them must not allocate more than the size of the
// file justifies.
//
// The operator new of this program counts all requested bytes. libprotobuf uses it, too.
#include <cstdlib>
#include <new>

#include "catch.hpp"
#include "model_files.hpp"

#ifdef TILEWRIGHT_HAVE_ONNX
#include "onnx/onnx_sample.hpp"
#endif

namespace {

std::size_t allocated_bytes = 0;

void* counted(std::size_t bytes) {
  allocated_bytes += bytes;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  allocated_bytes += bytes;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tilewright {
namespace {

// The bytes requested in `body`, which must throw `Exception`. Memory that is freed again counts.
template <class Exception, class Body>
std::size_t bytes_until_refusal(const Body& body) {
  const std::size_t before = allocated_bytes;
  REQUIRE_FALSE(refusal<Exception>(body).empty());
  return allocated_bytes - before;
}

// Enough for messages, buffers and the like.
constexpr std::size_t kSmall = 64 << 10;

TEST_CASE("the allocation counter works") {
  const std::size_t before = allocated_bytes;
  const std::vector<float> some(1000);
  CHECK(allocated_bytes - before >= 4000);
}

TEST_CASE("a small .npy file with a huge header is refused without allocating") {
  const TemporaryFolder folder;
  const std::string data = float_bytes({1, 2, 3});
  for (const char* const shape : {"(1099511627776,)", "(1048576, 1048576)", "(1099511627776, 3)",
                                  "(3, 1099511627776)", "(4, 1)", "(4294967296, 4294967297)"}) {
    for (const char* const order : {"False", "True"}) {
      CAPTURE(shape, order);
      const std::string path = written(folder, "x.npy", npy_file_text("<f4", order, shape, data));
      CHECK(bytes_until_refusal<MatrixFileError>([&] { read_npy(path); }) < kSmall);
    }
  }
  const std::string path =
      written(folder, "x.npy", std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13));
  CHECK(bytes_until_refusal<MatrixFileError>([&] { read_npy(path); }) < kSmall);
}

TEST_CASE("a JSON definition larger than its matrices is refused without allocating") {
  const TemporaryFolder folder;
  written(folder, "w.csv", "1,2\n");
  const std::string path = written(folder, "net.json",
                                   "{\"layers\": [{\"layer\": \"AffineLayer\", \"weights\": "
                                   "\"w.json\"}]}");
  for (const char* const extents :
       {"\"rows\": 1099511627776, \"cols\": 2", "\"rows\": 1, \"cols\": 1099511627776",
        "\"rows\": 1099511627776, \"cols\": 1099511627776"}) {
    written(folder, "w.json",
            std::string("{\"data_type\": \"csv\", \"file\": \"w.csv\", ") + extents + "}");
    CHECK(bytes_until_refusal<ModelError>([&] { read_mlp_model(path); }) < kSmall);
  }
  // A matrix without rows that claims many columns.
  written(folder, "w.npy", npy_file_text("<f4", "False", "(0, 1099511627776)", ""));
  written(folder, "w.json",
          "{\"data_type\": \"npy\", \"file\": \"w.npy\", \"rows\": 0, \"cols\": 1099511627776}");
  CHECK(bytes_until_refusal<ModelError>([&] { read_mlp_model(path); }) < kSmall);
}

#ifdef TILEWRIGHT_HAVE_ONNX
TEST_CASE("an ONNX file that promises more data than it has is refused without allocating") {
  const TemporaryFolder folder;
  const auto claimed_bytes = [&folder](const OnnxSample& sample) {
    const std::string path = written(folder, "net.onnx", sample.bytes());
    return bytes_until_refusal<ModelError>([&] { read_mlp_model(path); });
  };
  const std::int64_t large = std::int64_t{1} << 40;
  for (const bool typed : {false, true}) {
    for (const auto& [rows, columns] : {std::pair{large, std::int64_t{1}},
                                        {large, large},
                                        {std::int64_t{0}, large},
                                        {2, large}}) {
      OnnxSample sample = gemm_sample();
      onnx::TensorProto& weights = *sample.graph().mutable_initializer(0);
      weights.set_dims(0, rows);
      weights.set_dims(1, columns);
      if (typed) weights.clear_raw_data();
      CHECK(claimed_bytes(sample) < kSmall);
    }
  }
  // 1000 nodes that use one weight of 64 KiB: 16 of them are read, then the file is refused.
  OnnxSample many;
  many.input("0", {0, 128});
  many.raw("w", {128, 128}, std::vector<float>(128 * 128, 1.0f));
  for (int i = 0; i < 1000; ++i) {
    many.node("MatMul", {std::to_string(i), "w"}, std::to_string(i + 1));
  }
  many.output("1000", {0, 128});
  CHECK(claimed_bytes(many) < 40 * many.bytes().size());
}
#endif

}  // namespace
}  // namespace tilewright

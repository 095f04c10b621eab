// Measures cuBLAS on the same GPU: a competitor for `tilewright bench --compare
// exec:cublas_competitor` (the section "A competitor of your own" in docs/measuring.md describes
// the lines it reads and writes).
//
// All computations are in single precision: the default math mode does not use TF32. Operands stay
// on the device. A call is timed from cublasSgemm until its stream has finished.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
  }
}

void check(cublasStatus_t code, const char* what) {
  if (code != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(code));
  }
}

class DeviceFloats {
 public:
  explicit DeviceFloats(std::size_t count) : count_(count) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(float)), "cudaMalloc");
  }
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;
  ~DeviceFloats() { cudaFree(data_); }

  float* data() const { return data_; }
  std::size_t count() const { return count_; }

 private:
  float* data_ = nullptr;
  std::size_t count_;
};

// C = op(A) op(B), stored row by row without gaps. cuBLAS expects columns, so it computes C' =
// op(B)' op(A)'.
struct Product {
  Product(const std::string& op, int rows, int columns, int depth)
      : trans_a(op.at(0) == 'T'),
        trans_b(op.at(1) == 'T'),
        m(rows),
        n(columns),
        k(depth),
        a(count(rows, depth)),
        b(count(depth, columns)),
        c(count(rows, columns)) {
    // Fill C with NaN, so that elements that are not computed are noticed.
    check(cudaMemset(c.data(), 0xff, c.count() * sizeof(float)), "cudaMemset");
  }

  static std::size_t count(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }

  void multiply(cublasHandle_t handle, cudaStream_t stream) const {
    const float alpha = 1.0f;
    const float beta = 0.0f;
    check(cublasSgemm(handle, trans_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                      trans_a ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &alpha, b.data(),
                      trans_b ? k : n, a.data(), trans_a ? m : k, &beta, c.data(), n),
          "cublasSgemm");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  bool trans_a;
  bool trans_b;
  int m;
  int n;
  int k;
  DeviceFloats a;
  DeviceFloats b;
  DeviceFloats c;
};

class Cublas {
 public:
  // Takes the first CUDA device with the device name that OpenCL reports.
  explicit Cublas(const std::string& wanted) {
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    int chosen = 0;
    cudaDeviceProp properties{};
    for (;; ++chosen) {
      if (chosen == devices) throw std::runtime_error("there is no CUDA device " + wanted);
      check(cudaGetDeviceProperties(&properties, chosen), "cudaGetDeviceProperties");
      if (wanted == properties.name) break;
    }
    check(cudaSetDevice(chosen), "cudaSetDevice");
    check(cudaStreamCreate(&stream_), "cudaStreamCreate");
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream_), "cublasSetStream");
    check(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    int version = 0;
    check(cublasGetVersion(handle_, &version), "cublasGetVersion");
    details_ = "cuBLAS " + std::to_string(version) + " on " + properties.name +
               ", CUBLAS_DEFAULT_MATH (no TF32), operands on the device";
  }

  const std::string& details() const { return details_; }
  double run_ns(const Product& product, long calls) const {
    const auto start = Clock::now();
    for (long i = 0; i < calls; ++i) product.multiply(handle_, stream_);
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }

 private:
  cudaStream_t stream_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  std::string details_;
};

// Reads the floats in binary form that follow a line.
void read_floats(const DeviceFloats& to) {
  std::vector<float> host(to.count());
  const auto bytes = static_cast<std::streamsize>(host.size() * sizeof(float));
  if (!std::cin.read(reinterpret_cast<char*>(host.data()), bytes)) {
    throw std::runtime_error("the data of a product ends too early");
  }
  check(cudaMemcpy(to.data(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice),
        "cudaMemcpy");
}

void print_elements(const Product& product, std::istringstream& words) {
  std::vector<float> host(product.c.count());
  check(cudaMemcpy(host.data(), product.c.data(), host.size() * sizeof(float),
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  std::printf("values");
  std::size_t i = 0;
  std::size_t j = 0;
  while (words >> i >> j) {
    std::printf(" %.9g", static_cast<double>(host.at(i * static_cast<std::size_t>(product.n) + j)));
  }
  std::printf("\n");
}

void serve() {
  std::string line;
  std::getline(std::cin, line);
  const std::string greeting = "tilewright-competitor 1 ";
  if (line.rfind(greeting, 0) != 0) throw std::runtime_error("no greeting of bench: " + line);
  const Cublas cublas(line.substr(greeting.size()));
  std::printf("ready %s\n", cublas.details().c_str());
  std::fflush(stdout);
  std::unique_ptr<Product> product;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "product") {
      std::string op;
      int m = 0;
      int n = 0;
      int k = 0;
      words >> op >> m >> n >> k;
      product.reset();  // two at a time may be too much
      product = std::make_unique<Product>(op, m, n, k);
      read_floats(product->a);
      read_floats(product->b);
      std::printf("ready\n");
    } else if (what == "run" && product) {
      long calls = 0;
      words >> calls;
      std::printf("ns %.0f\n", cublas.run_ns(*product, calls));
    } else if (what == "elements" && product) {
      print_elements(*product, words);
    } else {
      throw std::runtime_error("not understood: " + line);
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  try {
    serve();
    return 0;
  } catch (const std::exception& error) {
    std::printf("error %s\n", error.what());
    return 1;
  }
}

// Tests the library on a device: semantics of BLAS, events, threads, and errors before anything is
// enqueued.
#include <algorithm>
#include <thread>

#include "blas_case.hpp"
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "slow_built_in.hpp"

namespace tilewright {
namespace {

std::string run_gemm(const TestDevice& d, LibraryHandle& library, const BlasCase& test) {
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const cl::Event done = library->gemm(d.queue, test.call, a, b, c);
  return test.wrong(download(d, c, {done}));
}

TEST_CASE("products of all size classes are correct") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  constexpr std::size_t kSizes[][3] = {{0, 0, 0},
                                       {0, 5, 7},
                                       {5, 0, 7},
                                       {5, 7, 0},  // empty
                                       {1, 1, 1},
                                       {1, 40, 9},
                                       {40, 1, 9},
                                       {9, 40, 1},  // vectors
                                       {2, 2, 2},
                                       {3, 3, 3},
                                       {4, 4, 4},
                                       {5, 5, 5},  // about one tile
                                       {31, 31, 31},
                                       {32, 32, 32},
                                       {33, 33, 33},
                                       {63, 65, 64},  // powers of two, one more and one
                                                      // less
                                       {37, 53, 61},
                                       {101, 7, 11},  // primes
                                       {300, 3, 5},
                                       {3, 300, 5},
                                       {3, 5, 1000},
                                       {130, 130, 2}};  // tall, wide, large k, small k
  unsigned seed = 100;
  for (const auto& [m, n, k] : kSizes) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        const BlasCase test(
            {.m = m, .n = n, .k = k, .alpha = 1.5f, .beta = -0.5f, .trans_a = ta, .trans_b = tb}, 2,
            1, ++seed);
        INFO(m << "x" << n << "x" << k << " case " << seed);
        CHECK(run_gemm(d, library, test) == "");
      }
    }
  }
}

TEST_CASE("k = 0 and alpha = 0 scale C and read neither A nor B, which may be null") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const float infinity = std::numeric_limits<float>::infinity();
  for (GemmCall call : {GemmCall{.m = 6, .n = 5, .k = 0, .alpha = infinity, .beta = 2.0f},
                        GemmCall{.m = 6, .n = 5, .k = 4, .alpha = 0.0f, .beta = 2.0f},
                        GemmCall{.m = 6, .n = 5, .k = 0, .alpha = 1.0f, .beta = 0.0f}}) {
    BlasCase test(call, 0, 0, 5);
    const Matrix c = upload(d, test.c);
    const cl::Event done = library->gemm(d.queue, call, {{}, 0, 5}, {{}, 0, 5}, c);
    test.call.alpha = 0.0f;  // as BLAS specifies, without inf * 0
    CHECK(test.wrong(download(d, c, {done})) == "");
  }
}

TEST_CASE("a NaN in A affects C") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  BlasCase test({.m = 3, .n = 3, .k = 3}, 0, 0, 1);
  test.a.data[0] = std::numeric_limits<float>::quiet_NaN();
  const Matrix c = upload(d, test.c);
  const cl::Event done = library->gemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c);
  const std::vector<float> got = download(d, c, {done});
  CHECK(std::isnan(got[0]));
  CHECK_FALSE(std::isnan(got[3]));
}

// A matrix that a command of another queue writes once the gate opens.
struct GatedMatrix {
  Matrix matrix;
  cl::Event written;
  GatedMatrix(const TestDevice& d, const cl::CommandQueue& queue, const StoredMatrix& stored,
              const cl::UserEvent& gate) {
    const std::size_t bytes = stored.data.size() * sizeof(float);
    std::vector<float> zeros(stored.data.size(), 0.0f);
    matrix = {cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, zeros.data()),
              stored.offset, stored.ld};
    const std::vector<cl::Event> after{gate};
    queue.enqueueWriteBuffer(matrix.buffer, CL_FALSE, 0, bytes, stored.data.data(), &after,
                             &written);
    queue.flush();
  }
};

TEST_CASE("the product waits for its wait list, on both kinds of queue, with and without packing") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue unordered(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                   &code);
  const cl::CommandQueue writer(d.context, d.device);
  for (const cl::CommandQueue& queue : {d.queue, code == CL_SUCCESS ? unordered : d.queue}) {
    for (const Transpose trans_a : {Transpose::kNo, Transpose::kYes}) {
      // With A transposed this is TT: a pack kernel that waits for the caller, and a product that
      // waits for both.
      const BlasCase test(
          {.m = 20, .n = 30, .k = 40, .trans_a = trans_a, .trans_b = Transpose::kYes}, 0, 0, 9);
      cl::UserEvent gate(d.context);
      const GatedMatrix a(d, writer, test.a, gate);
      const GatedMatrix b(d, writer, test.b, gate);
      const Matrix c = upload(d, test.c);
      const cl::Event done =
          library->gemm(queue, test.call, a.matrix, b.matrix, c, {a.written, b.written});
      queue.flush();
      gate.setStatus(CL_COMPLETE);
      done.wait();
      CHECK(test.wrong(download(d, c, {done})) == "");
    }
  }
}

TEST_CASE("an empty product still completes after its wait list") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  cl::UserEvent gate(d.context);
  const cl::Event done =
      library->gemm(d.queue, {.m = 0, .n = 5, .k = 5}, {{}, 0, 5}, {{}, 0, 5}, {{}, 0, 5}, {gate});
  d.queue.flush();
  CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  CHECK(done.wait() == CL_SUCCESS);
}

// A profile of the device whose only kernel, the best one by its results, does not compile.
std::string broken_profile(const TestDevice& d) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  KernelRecord broken = emit(gemm_point(Op::kNN));
  broken.name = broken.entry = "broken";
  broken.source = "__kernel void broken(__global float *C) { *C = not_declared; }\n";
  profile.kernels.push_back(broken);
  profile.results.push_back({Op::kNN, 8, 8, 8, "broken", 1.0, 1.0, 1.0, 9, 0.1});
  add_slow_built_in(profile, d);
  return write_profile(profile);
}

TEST_CASE("if a kernel does not compile, the next one is used") {
  const TestDevice d;
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(broken_profile(d)));
  const BlasCase test({.m = 8, .n = 9, .k = 10}, 0, 0, 2);
  CHECK(run_gemm(d, library, test) == "");
  const std::vector<std::string> kernels = library->kernels_for(test.call);
  REQUIRE(kernels.size() == 1);
  CHECK(is_built_in(d, kernels.front()));
}

TEST_CASE("a profile of another device is rejected if it is named") {
  const TestDevice d;
  Profile profile = parse_profile(broken_profile(d), "test");
  profile.device.name += " II";
  try {
    Library::open(d.context, d.device, ProfileSource::text(write_profile(profile)));
    FAIL("opened");
  } catch (const Error& error) {
    CHECK(error.status() == TW_WRONG_DEVICE);
    CHECK(std::string(error.what()).find(" II") != std::string::npos);
  }
}

TEST_CASE("threads with separate queues share a library from its first use on", "[threads]") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  std::vector<std::string> verdicts(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < verdicts.size(); ++t) {
    threads.emplace_back([&, t] {
      const cl::CommandQueue queue(d.context, d.device);
      for (unsigned i = 0; i < 10 && verdicts[t].empty(); ++i) {
        const BlasCase test({.m = 10 + t, .n = 17, .k = 5 + i, .trans_b = Transpose::kYes}, 0, 0,
                            i);
        const Matrix c = upload(d, test.c);
        const cl::Event done =
            library->gemm(queue, test.call, upload(d, test.a), upload(d, test.b), c);
        std::vector<float> got(test.c.data.size());
        const std::vector<cl::Event> after{done};
        queue.enqueueReadBuffer(c.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data(),
                                &after);
        verdicts[t] = test.wrong(got);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& verdict : verdicts) CHECK(verdict == "");
}

TEST_CASE("work completes after the library that enqueued it is destroyed", "[threads]") {
  const TestDevice d;
  const BlasCase test(
      {.m = 50, .n = 50, .k = 50, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes}, 0, 0, 3);
  const Matrix c = upload(d, test.c);
  cl::UserEvent gate(d.context);
  cl::Event done;
  {
    LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
    done = library->gemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c, {gate});
  }
  gate.setStatus(CL_COMPLETE);
  done.wait();
  CHECK(test.wrong(download(d, c, {done})) == "");
}

TEST_CASE("objects of another context are rejected") {
  const TestDevice d;
  const TestDevice other;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const BlasCase test({.m = 2, .n = 2, .k = 2}, 0, 0, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const auto status = [&](const cl::CommandQueue& queue, const Matrix& c_matrix) {
    try {
      library->gemm(queue, test.call, a, b, c_matrix);
      return TW_SUCCESS;
    } catch (const Error& error) {
      return error.status();
    }
  };
  CHECK(status(other.queue, c) == TW_INVALID_QUEUE);
  CHECK(status(cl::CommandQueue{}, c) == TW_INVALID_QUEUE);
  CHECK(status(d.queue, upload(other, test.c)) == TW_INVALID_BUFFER_C);
  cl::UserEvent foreign(other.context);
  for (const cl::Event& event : {static_cast<cl::Event>(foreign), cl::Event{}}) {
    CHECK_THROWS_AS(library->gemm(d.queue, test.call, a, b, c, {event}), Error);
  }
  // NVIDIA's driver waits forever if a context is destroyed that has an incomplete event.
  foreign.setStatus(CL_COMPLETE);
  if (d.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() != CL_FALSE) {
    const cl::Image2D image(d.context, CL_MEM_READ_WRITE, cl::ImageFormat(CL_R, CL_FLOAT), 16, 16);
    cl::Buffer disguised;
    clRetainMemObject(image());
    disguised() = image();
    CHECK(status(d.queue, {disguised, 0, 2}) == TW_INVALID_BUFFER_C);
  }
  CHECK(status(d.queue, c) == TW_SUCCESS);
}

TEST_CASE("buffers that do not allow what a call does with them are rejected") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const auto with_flags = [&](cl_mem_flags flags) {
    return Matrix{cl::Buffer(d.context, flags, 16 * sizeof(float)), 0, 4};
  };
  const Matrix any = with_flags(CL_MEM_READ_WRITE);
  const Matrix only_read = with_flags(CL_MEM_READ_ONLY);
  const Matrix only_written = with_flags(CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR);
  const auto status = [&](const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                          const std::string& message = "") {
    try {
      library->gemm(d.queue, call, a, b, c).wait();
      return TW_SUCCESS;
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring(message));
      return error.status();
    }
  };
  const GemmCall product{.m = 4, .n = 4, .k = 4};
  GemmCall sum = product;
  sum.beta = 1.0;
  GemmCall scaled = sum;
  scaled.alpha = 0.0;
  CHECK(status(product, only_read, only_read, only_written) == TW_SUCCESS);
  CHECK(status(product, only_written, any, any, "CL_MEM_WRITE_ONLY") == TW_INVALID_BUFFER_A);
  CHECK(status(product, any, only_written, any, "buffer of B") == TW_INVALID_BUFFER_B);
  CHECK(status(product, any, any, only_read, "CL_MEM_READ_ONLY") == TW_INVALID_BUFFER_C);
  CHECK(status(sum, any, any, only_written, "CL_MEM_WRITE_ONLY") == TW_INVALID_BUFFER_C);
  // A and B are not read.
  CHECK(status(scaled, only_written, only_written, any) == TW_SUCCESS);
  CHECK(status(scaled, any, any, only_read) == TW_INVALID_BUFFER_C);
  // A sub-buffer inherits the access.
  for (const auto& [matrix, expected] :
       {std::pair{only_read, TW_INVALID_BUFFER_C}, {only_written, TW_SUCCESS}}) {
    const cl_buffer_region whole{0, 16 * sizeof(float)};
    cl::Buffer parent = matrix.buffer;
    const Matrix part{parent.createSubBuffer(0, CL_BUFFER_CREATE_TYPE_REGION, &whole), 0, 4};
    CHECK(status(product, any, any, part) == expected);
  }
}

TEST_CASE("the library lists the kernels for a call") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  CHECK(library->origin() == "built-in");
  CHECK(library->kernels_for({.m = 8, .n = 8, .k = 8}).size() == 1);
  const auto tt = library->kernels_for(
      {.m = 8, .n = 8, .k = 8, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes});
  REQUIRE(tt.size() == 2);
  CHECK(tt[0].find("pack_") == 0);
  CHECK(library->kernels_for({.m = 0, .n = 8, .k = 8}).empty());
  CHECK(library->explain({.m = 8, .n = 8, .k = 8}).find("never measured") != std::string::npos);
}

}  // namespace
}  // namespace tilewright

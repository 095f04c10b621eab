// Tests products and networks with memory of the application (CL_MEM_USE_HOST_PTR), which has the
// alignment of the application's allocation, with kernels that access whole vectors.
#include "runtime/api/plan.hpp"
#include "runtime/network/network.hpp"

#include <cstdlib>

#include "blas_case.hpp"
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "network/network_case.hpp"
#include "network/network_profiles.hpp"
#include "panel_library.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/buffer_alignment.hpp"
#include "runtime/device/device_identity.hpp"
#include "slow_built_in.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kLine = 4096;

// Host memory that starts `shift` bytes after a page boundary, and a buffer for it.
class HostBuffer {
 public:
  HostBuffer(const TestDevice& d, const void* content, std::size_t bytes, std::size_t shift)
      : memory_(std::aligned_alloc(kLine, (shift + bytes) / kLine * kLine + kLine)) {
    start_ = static_cast<unsigned char*>(memory_) + shift;
    std::memcpy(start_, content, bytes);
    buffer_ = cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, start_);
  }
  template <class Element>
  HostBuffer(const TestDevice& d, const StoredMatrixOf<Element>& matrix, std::size_t shift)
      : HostBuffer(d, matrix.data.data(), matrix.data.size() * sizeof(Element), shift) {}
  ~HostBuffer() {
    buffer_ = cl::Buffer();
    std::free(memory_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  const cl::Buffer& get() const { return buffer_; }

 private:
  void* memory_;
  unsigned char* start_;
  cl::Buffer buffer_;
};

// Aligned kernels for every op, and an aligned pack kernel.
LibraryHandle aligned_library(const TestDevice& d, Precision precision) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  const bool half = precision == Precision::kHalf;
  const std::string tile =
      half ? "tile_m=8 tile_n=8 vector_width=8" : "tile_m=4 tile_n=8 vector_width=4";
  const std::string more = " tile_k=8 access=aligned work_group_m=2 work_group_n=2 ";
  for (const std::string layouts : {"", "layout_a=C", "layout_b=C"}) {
    profile.kernels.push_back(
        emit(with_precision(parse_point("gemm " + tile + more + layouts), precision)));
  }
  for (const KernelRecord& kernel : std::vector<KernelRecord>(profile.kernels)) {
    const Op op = op_from_layouts(kernel.layout_a, *kernel.layout_b);
    profile.results.push_back({op, 8, 8, 8, kernel.name, 1.0, 1.0, 1.0, 9, 0.1});
  }
  add_slow_built_in(profile, d);
  return Library::open(d.context, d.device, ProfileSource::text(write_profile(profile)));
}

template <class Element>
std::string wrong_product(const TestDevice& d, LibraryHandle& library, const GemmCall& call,
                          std::size_t shift) {
  const BlasCaseOf<Element> test(call, 0, 0, static_cast<unsigned>(shift));
  const HostBuffer a(d, test.a, shift);
  const HostBuffer b(d, test.b, shift);
  const HostBuffer c(d, test.c, shift);
  const Matrix to{c.get(), 0, test.c.ld};
  const cl::Event done =
      library->gemm(d.queue, call, {a.get(), 0, test.a.ld}, {b.get(), 0, test.b.ld}, to);
  return test.wrong(download<Element>(d, to, {done}));
}

// All ops with every shift that is a multiple of the element (for complex numbers, of its parts).
template <class Element>
void check_pointer_products(const TestDevice& d) {
  const std::size_t part = sizeof(typename TraitsOf<Element>::Sum) == 8 ? 8
                           : sizeof(Element) == 2                       ? 2
                                                                        : 4;
  const Precision precision = element_precision(TraitsOf<Element>::kType);
  if (!has_extension(d.device, required_extension(precision))) return;
  LibraryHandle library = aligned_library(d, precision);
  const auto kernel_at = [&](std::size_t offset) {
    GemmCall call{.m = 32, .n = 48, .k = 16, .type = to_element_type(precision)};
    return library->kernels_for(call, {{}, offset, 16}, {{}, offset, 48}, {{}, 0, 48}).front();
  };
  // Kernels that require alignment must not run on unaligned matrices.
  REQUIRE(kernel_at(0) != kernel_at(1));
  for (std::size_t shift : {0, 2, 4, 8, 16, 32, 64}) {
    if (shift % part != 0) continue;
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        for (const double beta : {0.0, 0.5}) {
          const GemmCall call{.m = 32,
                              .n = 48,
                              .k = 16,
                              .beta = beta,
                              .trans_a = ta,
                              .trans_b = tb,
                              .type = TraitsOf<Element>::kType};
          INFO("shift " << shift << " beta " << beta);
          CHECK(wrong_product<Element>(d, library, call, shift) == "");
        }
      }
    }
  }
}

TEST_CASE("host memory: products of all types at any alignment") {
  const TestDevice d;
  check_pointer_products<float>(d);
  check_pointer_products<double>(d);
  check_pointer_products<Half>(d);
  check_pointer_products<std::complex<float>>(d);
  check_pointer_products<std::complex<double>>(d);
}

TEST_CASE("host memory: complex products with the built-in profile, scalars that are not real") {
  const TestDevice d;
  if (!has_extension(d.device, "cl_khr_fp64")) SKIP_CASE("no cl_khr_fp64");
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const std::size_t shift : {8, 16}) {
    for (const std::size_t k : {0, 1, 40}) {
      GemmCall call{.m = 24, .n = 33, .k = k, .alpha = {0.5, 1.0}, .beta = {0.0, 2.0}};
      call.type = ElementType::kComplexDouble;
      for (const Transpose trans : {Transpose::kNo, Transpose::kConjugate}) {
        call.trans_a = call.trans_b = trans;
        INFO("shift " << shift << " k " << k);
        CHECK(wrong_product<std::complex<double>>(d, library, call, shift) == "");
      }
    }
  }
}

TEST_CASE("host memory: gemv and strided batches at any alignment") {
  const TestDevice d;
  LibraryHandle library = aligned_library(d, Precision::kSingle);
  for (const std::size_t shift : {4, 8, 16, 32}) {
    GemmCall call{.m = 32, .n = 16, .k = 16};
    std::vector<float> ones(4096, 1.0f);
    const HostBuffer a(d, ones.data(), 4096 * 4, shift);
    const HostBuffer b(d, ones.data(), 4096 * 4, shift);
    const HostBuffer c(d, ones.data(), 4096 * 4, shift);
    const Matrix all{c.get(), 0, 16};
    INFO("shift " << shift);
    const cl::Event done = library->gemm_strided_batched(
        d.queue, call, {a.get(), 0, 16, 512}, {b.get(), 0, 16, 256}, {c.get(), 0, 16, 512}, 4);
    const std::vector<float> got = download(d, all, {done});
    CHECK(std::count(got.begin(), got.begin() + 4 * 512, 16.0f) == 4 * 512);
    const cl::Event product = library->gemv(d.queue, {.m = 64, .n = 32}, {a.get(), 0, 32},
                                            {b.get(), 0, 1}, {c.get(), 0, 1});
    const std::vector<float> y = download(d, all, {product});
    CHECK(std::count(y.begin(), y.begin() + 64, 32.0f) == 64);
  }
}

TEST_CASE("host memory: a plan rejects matrices that are less aligned than planned") {
  const TestDevice d;
  LibraryHandle library = aligned_library(d, Precision::kSingle);
  const GemmCall call{.m = 32, .n = 48, .k = 16};
  const BlasCase test(call, 0, 0, 1);
  const HostBuffer a(d, test.a, 4);
  const HostBuffer b(d, test.b, 0);
  const HostBuffer c(d, test.c, 8);
  const Matrix from_a{a.get(), 0, 16};
  const Matrix from_b{b.get(), 0, 48};
  const Matrix to{c.get(), 0, 48};
  const auto status = [&](const auto& body) {
    try {
      body();
      return TW_SUCCESS;
    } catch (const Error& error) {
      return error.status();
    }
  };
  const Plan dense = Plan(library, call);
  CHECK(status([&] { dense.execute(d.queue, from_a, from_b, to); }) == TW_WRONG_LAYOUT);
  // Plans for these buffers, or for an offset with the same alignment, accept them.
  for (const Plan& plan : {Plan(library, call, from_a, from_b, to),
                           Plan(library, call, {{}, 1, 16}, {{}, 0, 48}, {{}, 2, 48})}) {
    const cl::Event done = plan.execute(d.queue, from_a, from_b, to);
    CHECK(test.wrong(download(d, to, {done})) == "");
  }
}

TEST_CASE("host memory: packed matrices and workspaces must be aligned for vectors") {
  const TestDevice d;
  LibraryHandle library = make_library(d, panels());
  const GemmCall call{.m = 64, .n = 64, .k = 64, .trans_a = Transpose::kYes};
  const Plan plan = Plan(library, call);
  const OperandNeeds needs = plan.needs(Operand::kA);
  REQUIRE((needs.packed && !needs.image));
  const std::vector<unsigned char> user_memory(needs.bytes);
  const std::vector<float> ones(64 * 64, 1.0f);
  const cl::Buffer a(d.context, CL_MEM_COPY_HOST_PTR, ones.size() * 4,
                     const_cast<float*>(ones.data()));
  const HostBuffer odd(d, user_memory.data(), user_memory.size(), 16);
  const HostBuffer even(d, user_memory.data(), user_memory.size(), 64);
  CHECK_THROWS_AS(plan.pack(Operand::kA, d.queue, {a, 0, 64}, {}, Workspace{odd.get(), 0}), Error);
  plan.pack(Operand::kA, d.queue, {a, 0, 64}, {}, Workspace{even.get(), 0}).ready.wait();
}

TEST_CASE("host memory: networks at any alignment") {
  const TestDevice d;
  const std::string tile =
      "tile_m=4 tile_n=8 tile_k=8 vector_width=4 access=aligned work_group_m=2 work_group_n=2";
  LibraryHandle library = Library::open(d.context, d.device,
                                        ProfileSource::text(make_profile_from_points(
                                            d, concatenated({{tile}, with_epilogues(tile)}))));
  const NetworkModel model{{affine(32, 48, true, 1), make_layer(Activation::kRelu),
                            affine(48, 16, true, 2), make_layer(Activation::kSoftmax)}};
  const Network net(library, model);
  const std::string aligned = kernel_name(parse_point(tile + " bias=n activation=relu"));
  for (const std::size_t shift : {0, 4, 8, 16, 32}) {
    const NetworkCase test(net, 32, 0, 0, 3);
    const HostBuffer in(d, test.input, shift);
    const HostBuffer out(d, test.output, shift);
    const Matrix output{out.get(), 0, test.output.ld};
    const Matrix input{in.get(), 0, test.input.ld};
    INFO("shift " << shift);
    const std::string first = net.describe(test.batch, input, output).front().kernels.front();
    CHECK((first == aligned) == (shift % 16 == 0));
    const cl::Event done = net.forward(d.queue, input, output, test.batch);
    CHECK(test.wrong(model, download(d, output, {done})) == "");
  }
}

TEST_CASE("the known alignment of a buffer") {
  const TestDevice d;
  const std::vector<unsigned char> bytes(8192);
  CHECK(buffer_alignment(nullptr, 4) == 0);
  CHECK(buffer_alignment(cl::Buffer(d.context, CL_MEM_READ_WRITE, 4096)(), 4) == 0);
  CHECK(buffer_alignment(HostBuffer(d, bytes.data(), 8192, 128).get()(), 4) == 0);
  const HostBuffer shifted(d, bytes.data(), 8192, 16);
  CHECK(buffer_alignment(shifted.get()(), 4) == 4);
  CHECK(buffer_alignment(shifted.get()(), 8) == 2);
  // A sub-buffer starts at its origin in its parent's memory.
  cl_buffer_region region{d.device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8, 256};
  cl::Buffer parent = shifted.get();
  const cl::Buffer part =
      parent.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  CHECK(buffer_alignment(part(), 4) == alignment_in_elements(16 + region.origin, 4));
  // If even elements are misaligned, no vector is aligned.
  CHECK(alignment_in_elements(0, 8) == 0);
  CHECK(alignment_in_elements(4, 8) == 1);
  CHECK(alignment_in_elements(8, 8) == 1);
  CHECK(alignment_in_elements(96, 4) == 8);
  CHECK(alignment_in_elements(256 + 64, 2) == 32);
}

}  // namespace
}  // namespace tilewright

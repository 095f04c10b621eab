#include <CL/cl_half.h>
#include <fmt/format.h>

#include <type_traits>

#include "profiles/base/shared_library.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "tuner/bench/competitors/competitors.hpp"

namespace tilewright {
namespace {

// The functions of CLBlast's C interface that are used.
struct Clblast {
  template <class Element>
  using Gemm = int(int layout, int transpose_a, int transpose_b, std::size_t m, std::size_t n,
                   std::size_t k, Element alpha, cl_mem a, std::size_t offset_a, std::size_t lda,
                   cl_mem b, std::size_t offset_b, std::size_t ldb, Element beta, cl_mem c,
                   std::size_t offset_c, std::size_t ldc, cl_command_queue* queue, cl_event* event);
  static constexpr int kRowMajor = 101;
  static constexpr int kNoTranspose = 111;
  static constexpr int kTranspose = 112;
  static constexpr int kSuccess = 0;

  std::string missing;
  Gemm<float>* sgemm = nullptr;
  Gemm<double>* dgemm = nullptr;
  Gemm<cl_half>* hgemm = nullptr;
  Gemm<cl_float2>* cgemm = nullptr;
  Gemm<cl_double2>* zgemm = nullptr;
};

const Clblast& clblast() {
  static const Clblast loaded = [] {
    SharedLibrary library("libclblast.so.1", "install it (Debian: libclblast1)");
    Clblast result;
    library.require("CLBlastSgemm", result.sgemm);
    library.require("CLBlastDgemm", result.dgemm);
    library.require("CLBlastHgemm", result.hgemm);
    library.require("CLBlastCgemm", result.cgemm);
    library.require("CLBlastZgemm", result.zgemm);
    result.missing = library.failure();
    return result;
  }();
  return loaded;
}

class ClblastProduct : public DeviceProduct {
 public:
  using DeviceProduct::DeviceProduct;

  // CLBlast's HGEMM adds up in half precision.
  int half_sums() const override { return kWholeK; }

  void run() override {
    switch (to_element_type(arena_.workload.problem())) {
      case ElementType::kDouble:
        return multiply(clblast().dgemm);
      case ElementType::kHalf:
        return multiply(clblast().hgemm);
      case ElementType::kFloat:
        return multiply(clblast().sgemm);
      case ElementType::kComplexFloat:
        return multiply(clblast().cgemm);
      case ElementType::kComplexDouble:
        return multiply(clblast().zgemm);
    }
  }

 private:
  template <class Element>
  static Element scalar(double value) {
    if constexpr (std::is_same_v<Element, cl_half>) {
      return cl_half_from_double(value, CL_HALF_RTE);
    } else if constexpr (std::is_same_v<Element, cl_float2>) {
      return {{static_cast<float>(value), 0.0f}};
    } else if constexpr (std::is_same_v<Element, cl_double2>) {
      return {{value, 0.0}};
    } else {
      return static_cast<Element>(value);
    }
  }

  template <class Element>
  void multiply(Clblast::Gemm<Element>* gemm) {
    const GemmProblem& p = arena_.workload.problem();
    const auto transpose = [](Layout layout) {
      return layout == Layout::C() ? Clblast::kTranspose : Clblast::kNoTranspose;
    };
    const auto size = [](auto value) { return static_cast<std::size_t>(value); };
    cl_command_queue queue = arena_.on.queue();
    cl_event done = nullptr;
    const int status =
        gemm(Clblast::kRowMajor, transpose(op_layout_a(p.op)), transpose(op_layout_b(p.op)),
             size(p.shape.m), size(p.shape.n), size(p.shape.k), scalar<Element>(p.alpha),
             p.a.buffer, p.a.offset, p.a.ld, p.b.buffer, p.b.offset, p.b.ld,
             scalar<Element>(p.beta), p.c.buffer, p.c.offset, p.c.ld, &queue, &done);
    if (status != Clblast::kSuccess) {
      throw Error(TW_OPENCL_ERROR, fmt::format("CLBlast's GEMM failed with status {}", status));
    }
    check_opencl(cl::Event(done).wait(), "clWaitForEvents");
  }
};

}  // namespace

std::unique_ptr<ProductCompetitor> clblast_product(const ProductArena& arena) {
  const bool half = arena.workload.problem().precision == Precision::kHalf;
  const bool supports =
      !half || has_extension(arena.on.queue.getInfo<CL_QUEUE_DEVICE>(), kHalfArithmetic);
  if (!clblast().missing.empty() || !supports) return nullptr;
  return std::make_unique<ClblastProduct>(arena);
}

std::string missing_clblast() {
  const std::string& missing = clblast().missing;
  return missing.empty() ? fmt::format("its HGEMM needs {}", kHalfArithmetic) : missing;
}

}  // namespace tilewright

/// @file
/// Multiplies matrices on an OpenCL device with a tilewright profile. The C interface is a thin
/// layer over this class.
///
///     auto library = tilewright::Library::open(context, device);
///     cl::Event done =
///         library.sgemm(queue, {.m = m, .n = n, .k = k}, {a, 0, k}, {b, 0, n}, {c, 0, n});
///     done.wait();
///
/// Matrices are in buffers of the library's context. Offsets, leading dimensions and strides count
/// elements, not bytes. Elements are floats unless a call specifies half precision, double
/// precision (if the device supports it) or complex numbers.
///
/// All failures are reported by throwing tilewright::Error (error.hpp). If a function throws,
/// nothing has been enqueued, unless OpenCL itself failed half-way.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/tilewright.h>
#include "runtime/call/error.hpp"
#include "runtime/call/gemm_call.hpp"
#include "runtime/device/log.hpp"
#include "runtime/device/profile_source.hpp"

namespace tilewright {

class Plan;          // runtime/api/plan.hpp
class Mlp;           // runtime/network/mlp.hpp
class DeviceMember;  // runtime/team/device_member.hpp

/// Options of Library::open.
struct LibraryOptions {
  ProfileSource source = ProfileSource::automatic();  ///< selects the profile
  /// Receives log lines. If null, the library logs to stderr if $TILEWRIGHT_VERBOSE is set and not
  /// 0, and otherwise does not log.
  Log log;
  /// Folder for binaries of compiled kernels, used only during the call. Null: $TILEWRIGHT_CACHE
  /// (`off`: none), otherwise $XDG_CACHE_HOME/tilewright or ~/.cache/tilewright. "": none.
  const char* cache_folder = nullptr;
  /// Device memory in bytes that is kept for temporaries of later calls; see
  /// tw_options::max_kept_bytes.
  std::size_t max_kept_bytes = TW_DEFAULT_KEPT_BYTES;
};

/// A library for one device of one context. Thread-safe: many threads can use one Library, each
/// with its own queue. Copies share one state; enqueued work completes after the last copy is
/// destroyed. Every function of a Library that was moved from throws Error TW_INVALID_VALUE; it can
/// be assigned to.
class Library {
 public:
  /// Opens a library. Does not compile anything.
  /// @param context, device  one of the context's devices; both are retained
  /// @param source  selects the profile
  /// @param log  receives log lines. If null, the library logs to stderr if $TILEWRIGHT_VERBOSE is
  ///     set and not 0, and otherwise does not log
  /// @return the library
  /// @throws Error TW_NO_PROFILE, TW_BAD_PROFILE, TW_WRONG_DEVICE (unless forced) for a profile
  ///     that was named; TW_INVALID_VALUE for a null context or device, or a device that does not
  ///     belong to the context; TW_OPENCL_ERROR
  static Library open(const cl::Context& context, const cl::Device& device,
                      const ProfileSource& source = ProfileSource::automatic(), Log log = nullptr);

  /// The same with more options.
  /// @param context, device  one of the context's devices; both are retained
  /// @param options  see LibraryOptions
  /// @return the library
  /// @throws Error like above
  static Library open(const cl::Context& context, const cl::Device& device,
                      const LibraryOptions& options);

  /// @return a sentence: which profile is used, and why
  const std::string& profile_origin() const;

  /// @return true in a process that fork() made after the library was opened. OpenCL drivers do not
  ///     work there, so all functions that use the device throw Error TW_FORKED
  bool is_forked() const;

  /// @param type  an element type
  /// @return whether the device supports products of this type
  bool supports(ElementType type) const;

  /// C = alpha op(A) op(B) + beta C. Enqueues the product and returns without waiting. The first
  /// use of a kernel compiles it.
  /// @param queue  an in-order or out-of-order queue of the library's context and device
  /// @param call  extents, scalars, transposes, storage order
  /// @param a, b  the operands; buffers may be null if they are not read
  /// @param c  must not overlap A or B. Gaps between its rows or columns are not written
  /// @param wait_list  events to wait for
  /// @return the event that completes when C is written
  /// @throws Error TW_INVALID_VALUE (for real matrices also if a scalar is not real),
  ///     TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A and
  ///     the same for B and C, TW_INVALID_QUEUE, before anything is enqueued; TW_UNSUPPORTED_TYPE
  ///     for double precision on a device without cl_khr_fp64; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY,
  ///     TW_OPENCL_ERROR
  cl::Event gemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                 const Matrix& b, const Matrix& c, const std::vector<cl::Event>& wait_list = {});
  /// gemm in single precision.
  /// @param queue, call, a, b, c, wait_list  see gemm
  /// @return see gemm
  cl::Event sgemm(const cl::CommandQueue& queue, GemmCall call, const Matrix& a, const Matrix& b,
                  const Matrix& c, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kFloat;
    return gemm(queue, call, a, b, c, wait_list);
  }
  /// gemm in double precision.
  /// @param queue, call, a, b, c, wait_list  see gemm
  /// @return see gemm
  cl::Event dgemm(const cl::CommandQueue& queue, GemmCall call, const Matrix& a, const Matrix& b,
                  const Matrix& c, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kDouble;
    return gemm(queue, call, a, b, c, wait_list);
  }

  /// Computes several products of one shape; the i-th product uses the i-th matrices. The arguments
  /// of all products are checked like those of gemm before the first one is enqueued. The products
  /// may run in any order. If all products share A or B, and the other matrices are consecutive
  /// rows or columns of one matrix, the batch runs as one larger product.
  /// @param queue, call, wait_list  see gemm; the same for all products
  /// @param a, b  the factors
  /// @param c  the results. No C may overlap another C, an A or a B
  /// @param count  number of products; if it is 0, the event completes after wait_list
  /// @return the one event that completes when every C is written
  /// @throws Error like gemm; TW_INVALID_VALUE if the stride of C is 0 and count > 1
  cl::Event gemm_strided_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                 const StridedMatrices& a, const StridedMatrices& b,
                                 const StridedMatrices& c, std::size_t count,
                                 const std::vector<cl::Event>& wait_list = {});

  /// Computes products whose matrices are at listed offsets; the lists have one entry per product.
  /// @param queue, call, wait_list  see gemm; the same for all products
  /// @param a, b  the factors
  /// @param c  the results. No C may overlap another C, an A or a B
  /// @param scalars  the scalars of each product, instead of the call's
  /// @return the one event that completes when every C is written
  /// @throws Error like gemm; TW_INVALID_VALUE if the lists, including scalars that are not empty,
  ///     have different lengths, or if two C have the same offset
  cl::Event gemm_batched(const cl::CommandQueue& queue, const GemmCall& call,
                         const ListedMatrices& a, const ListedMatrices& b, const ListedMatrices& c,
                         const BatchScalars& scalars = {},
                         const std::vector<cl::Event>& wait_list = {});

  /// y = alpha op(A) x + beta y. Enqueues the product and returns without waiting.
  /// @param queue  an in-order or out-of-order queue of the library's context and device
  /// @param call  extents, scalars, transpose, storage order
  /// @param a, x  the operands; buffers may be null if they are not read
  /// @param y  must not overlap A or x. Gaps between its elements are not written
  /// @param wait_list  events to wait for
  /// @return the event that completes when y is written
  /// @throws Error TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_INC_X,
  ///     TW_INVALID_INC_Y, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A and the same for X and Y,
  ///     TW_INVALID_QUEUE, before anything is enqueued; otherwise like gemm
  cl::Event gemv(const cl::CommandQueue& queue, const GemvCall& call, const Matrix& a,
                 const Vector& x, const Vector& y, const std::vector<cl::Event>& wait_list = {});
  /// gemv in single precision.
  /// @param queue, call, a, x, y, wait_list  see gemv
  /// @return see gemv
  cl::Event sgemv(const cl::CommandQueue& queue, GemvCall call, const Matrix& a, const Vector& x,
                  const Vector& y, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kFloat;
    return gemv(queue, call, a, x, y, wait_list);
  }
  /// gemv in double precision.
  /// @param queue, call, a, x, y, wait_list  see gemv
  /// @return see gemv
  cl::Event dgemv(const cl::CommandQueue& queue, GemvCall call, const Matrix& a, const Vector& x,
                  const Vector& y, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kDouble;
    return gemv(queue, call, a, x, y, wait_list);
  }

  /// Creates a plan for products of this shape, to pack operands once and multiply many times
  /// (plan.hpp). Loads the kernels; allocates no device memory.
  /// @param call  alpha is ignored; whether beta is 0 is a hint
  /// @return a plan for matrices without offsets and gaps
  /// @throws Error TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_BUILD_FAILURE, TW_OPENCL_ERROR
  Plan plan(const GemmCall& call);
  /// Creates a plan for matrices with offsets and gaps.
  /// @param call  alpha is ignored; whether beta is 0 is a hint
  /// @param a, b, c  only offsets, leading dimensions and the alignment of buffers are used
  /// @return a plan for such matrices
  /// @throws Error like above; TW_INVALID_LD_A, TW_INVALID_LD_B, TW_INVALID_LD_C
  Plan plan(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

  /// Explains how gemm computes this call on matrices without offsets and gaps. Loads the kernels.
  /// Identical calls always use the same kernels. The choice depends on type, transposes, m, n, k,
  /// storage order, whether alpha and beta are 0, offsets and leading dimensions.
  /// @param call  see gemm
  /// @return the name of the kernel with the reason and the predicted times; then one line for each
  ///     alternative, and a note if kernels are verified first because the profile was tuned with
  ///     another driver
  /// @throws Error like plan
  std::string explain(const GemmCall& call);
  /// Explains a call on matrices with offsets and gaps.
  /// @param call  see gemm
  /// @param a, b, c  only offsets, leading dimensions and the alignment of buffers are used
  /// @return see above
  /// @throws Error like plan
  std::string explain(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

  /// Returns a human-readable table of all plans for this call on matrices without offsets and
  /// gaps, best first. Loads the kernels.
  /// @param call  see gemm
  /// @return for each plan a few lines with its predicted time, in total and for each step, its
  ///     kernels, and why it runs, is not usable or comes later; this is the output of
  ///     `tilewright explain`
  /// @throws Error like plan
  std::string explain_all(const GemmCall& call);
  /// Explains all plans for matrices with offsets and gaps.
  /// @param call  see gemm
  /// @param a, b, c  only offsets, leading dimensions and the alignment of buffers are used
  /// @return see above
  /// @throws Error like plan
  std::string explain_all(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

  /// Returns the kernels that gemm enqueues for this call on matrices without offsets and gaps.
  /// Loads the kernels.
  /// @param call  see gemm
  /// @return names of kernels in order: packing, the product, and storing the result in C
  /// @throws Error like plan
  std::vector<std::string> kernels_for(const GemmCall& call);
  /// Returns the kernels for matrices with offsets and gaps.
  /// @param call  see gemm
  /// @param a, b, c  only offsets, leading dimensions and the alignment of buffers are used
  /// @return see above
  /// @throws Error like plan
  std::vector<std::string> kernels_for(const GemmCall& call, const Matrix& a, const Matrix& b,
                                       const Matrix& c);

 private:
  friend class DeviceMember;
  friend class Mlp;
  class State;
  explicit Library(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace tilewright

/// @file
/// Multiplies matrices on an OpenCL device with a tilewright profile (C++ interface).
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

#ifndef CL_HPP_TARGET_OPENCL_VERSION
/// The OpenCL version that the program uses. Define it before this line to choose another one.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
/// The minimum OpenCL version that the program supports. Define it before this line to choose
/// another one.
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#endif
#include <CL/opencl.hpp>

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/error.hpp>

namespace tilewright {

/// Storage order of A, B and C, as in BLAS.
enum class Order {
  kRowMajor = TW_ROW_MAJOR,       ///< the elements of a row are contiguous
  kColumnMajor = TW_COLUMN_MAJOR  ///< the elements of a column are contiguous
};

/// The operation op(X).
enum class Transpose {
  kNo = TW_NO_TRANS,          ///< X itself
  kYes = TW_TRANS,            ///< its transpose
  kConjugate = TW_CONJ_TRANS  ///< its conjugate transpose; for real numbers the transpose
};

/// Element type of all matrices of a call.
enum class ElementType {
  kFloat,         ///< 32 bits; sums, too
  kDouble,        ///< 64 bits; sums, too
  kHalf,          ///< 16 bits (cl_half); sums and scalars are floats
  kComplexFloat,  ///< two floats (cl_float2), the real part first
  kComplexDouble  ///< two doubles (cl_double2)
};

/// C = alpha op(A) op(B) + beta C, where op(A) is m x k, op(B) is k x n and C is m x n. Scalars are
/// rounded to the type of sums.
struct GemmCall {
  std::size_t m = 0;                       ///< rows of op(A) and C
  std::size_t n = 0;                       ///< columns of op(B) and C
  std::size_t k = 0;                       ///< columns of op(A), rows of op(B)
  std::complex<double> alpha = 1.0;        ///< if alpha or k is 0, A and B are not read
  std::complex<double> beta = 0.0;         ///< if 0, C is not read
  Transpose trans_a = Transpose::kNo;      ///< op(A)
  Transpose trans_b = Transpose::kNo;      ///< op(B)
  Order order = Order::kRowMajor;          ///< storage order of A, B and C
  ElementType type = ElementType::kFloat;  ///< element type of A, B and C; sgemm and dgemm set it
};

/// A matrix in a buffer.
struct Matrix {
  cl::Buffer buffer;       ///< a buffer of the library's context
  std::size_t offset = 0;  ///< offset of the first element
  /// Leading dimension: the distance between rows (row-major) or columns (column-major) as stored.
  std::size_t ld = 0;
};

/// y = alpha op(A) x + beta y, where A (without op()) is m x n. Scalars are rounded to the type of
/// sums.
struct GemvCall {
  std::size_t m = 0;                       ///< rows of A
  std::size_t n = 0;                       ///< columns of A
  std::complex<double> alpha = 1.0;        ///< if 0, A and x are not read
  std::complex<double> beta = 0.0;         ///< if 0, y is not read
  Transpose trans = Transpose::kNo;        ///< op(A)
  Order order = Order::kRowMajor;          ///< storage order of A
  ElementType type = ElementType::kFloat;  ///< element type of A, x and y; sgemv and dgemv set it
};

/// A vector in a buffer.
struct Vector {
  cl::Buffer buffer;          ///< a buffer of the library's context
  std::size_t offset = 0;     ///< offset of the first element
  std::size_t increment = 1;  ///< the distance between its elements, at least 1
};

/// Matrices of equal size in one buffer: the i-th starts at offset + i * stride.
struct StridedMatrices {
  cl::Buffer buffer;       ///< a buffer of the library's context
  std::size_t offset = 0;  ///< offset of the first element of the first matrix
  std::size_t ld = 0;      ///< leading dimension; see Matrix
  /// Distance between two matrices. 0: the same matrix for all products (A and B only).
  std::size_t stride = 0;
};

/// Matrices of equal size in one buffer: the i-th starts at offsets[i].
struct ListedMatrices {
  cl::Buffer buffer;                 ///< a buffer of the library's context
  std::vector<std::size_t> offsets;  ///< offset of the first element of each matrix
  std::size_t ld = 0;                ///< leading dimension; see Matrix
};

/// The scalars of each product of a batch. If a list is empty, the call's scalar is used for all
/// products.
struct BatchScalars {
  std::vector<std::complex<double>> alphas;  ///< one for each product, or empty
  std::vector<std::complex<double>> betas;   ///< one for each product, or empty
};

/// The factors of a product.
enum class Operand {
  kA,  ///< op(A)
  kB   ///< op(B)
};

/// A log function. It is called with one line, without a newline, for each event that happens once:
/// opening a library (which profile, and why), planning a shape (kernels, predicted times), loading
/// a kernel (compiled, or from the binary cache). It is called by the threads that call the
/// library, possibly by several at the same time, and must not call the library. Its exceptions are
/// ignored. It is destroyed together with the library, its plans and its networks.
using Log = std::function<void(const std::string& line)>;

class Plan;  // <tilewright/plan.hpp>
class Mlp;   // <tilewright/mlp.hpp>

/// Selects the profile for Library::open.
class TW_API ProfileSource {
 public:
  /// The file named by $TILEWRIGHT_PROFILE; otherwise a profile for the device in
  /// $XDG_DATA_HOME/tilewright/profiles or among the installed profiles; otherwise the built-in
  /// profile.
  /// @return the source
  static ProfileSource automatic() { return {Kind::kAutomatic, ""}; }
  /// A profile file. It must be readable, complete, and for the device.
  /// @param path  path of the file
  /// @return the source
  static ProfileSource file(std::string path) { return {Kind::kFile, std::move(path)}; }
  /// A profile that is part of the program; it is checked like a file.
  /// @param profile  the text of a profile file
  /// @return the source
  static ProfileSource text(std::string profile) { return {Kind::kText, std::move(profile)}; }
  /// The profile that is part of the library. It supports every device, but is slower than a tuned
  /// one.
  /// @return the source
  static ProfileSource builtin() { return {Kind::kBuiltin, ""}; }

  /// This source, except that a named profile (file, text, $TILEWRIGHT_PROFILE) may be for another
  /// device. Each of its kernels is verified at its first use; kernels that are wrong on this
  /// device are not used.
  /// @return the source
  ProfileSource forced() const {
    ProfileSource source = *this;
    source.forced_ = true;
    return source;
  }

  /// The kinds of sources.
  enum class Kind {
    kAutomatic,  ///< automatic()
    kFile,       ///< file()
    kText,       ///< text()
    kBuiltin     ///< builtin()
  };
  /// @return the kind of this source
  Kind kind() const { return kind_; }
  /// @return the path for kFile, the text for kText, otherwise ""
  const std::string& value() const { return value_; }
  /// @return whether it is forced()
  bool is_forced() const { return forced_; }

 private:
  ProfileSource(Kind kind, std::string value) : kind_(kind), value_(std::move(value)) {}
  Kind kind_;
  std::string value_;
  bool forced_ = false;
};

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
class TW_API Library {
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
  ///     have different lengths
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
  friend class Mlp;
  class State;
  explicit Library(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace tilewright

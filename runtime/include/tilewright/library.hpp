/// @file
/// How does a C++ program multiply matrices on an OpenCL device that has a tilewright profile?
///
///     auto library = tilewright::Library::open(context, device);
///     cl::Event done =
///         library.sgemm(queue, {.m = m, .n = n, .k = k}, {a, 0, k}, {b, 0, n}, {c, 0, n});
///     done.wait();
///
/// Matrices lie in buffers of the library's context. Offsets, leading dimensions and strides count
/// elements, not bytes. They are floats; halfs, complex numbers or, where the device has them,
/// doubles if a call says so.
///
/// All failures are tilewright::Error (error.hpp), thrown before anything is enqueued unless OpenCL
/// itself fails half-way.
#pragma once

#ifndef CL_HPP_TARGET_OPENCL_VERSION
/// Which OpenCL the program is written for, unless it says so itself before this line.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
/// Which OpenCL it runs on at least, unless it says so itself before this line.
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

/// How A, B and C lie in memory, as in BLAS.
enum class Order {
  kRowMajor = TW_ROW_MAJOR,       ///< a row's elements follow one another
  kColumnMajor = TW_COLUMN_MAJOR  ///< a column's do
};

/// What op(X) is.
enum class Transpose {
  kNo = TW_NO_TRANS,          ///< X itself
  kYes = TW_TRANS,            ///< its transpose
  kConjugate = TW_CONJ_TRANS  ///< its conjugate transpose; of real numbers the transpose
};

/// Of which type the elements of all matrices of a call are.
enum class ElementType {
  kFloat,         ///< 32 bits, and so are sums
  kDouble,        ///< 64 bits, and so are sums
  kHalf,          ///< 16 bits (cl_half); sums and scalars are floats
  kComplexFloat,  ///< two floats (cl_float2), the real part first
  kComplexDouble  ///< two doubles (cl_double2)
};

/// C = alpha op(A) op(B) + beta C, where op(A) is m x k, op(B) is k x n and C is m x n.
struct GemmCall {
  std::size_t m = 0;                       ///< rows of op(A) and C
  std::size_t n = 0;                       ///< columns of op(B) and C
  std::size_t k = 0;                       ///< columns of op(A), rows of op(B)
  std::complex<double> alpha = 1.0;        ///< 0 never reads A or B; nor does k = 0
  std::complex<double> beta = 0.0;         ///< 0 never reads C. Scalars are rounded as sums are
  Transpose trans_a = Transpose::kNo;      ///< what op(A) is
  Transpose trans_b = Transpose::kNo;      ///< what op(B) is
  Order order = Order::kRowMajor;          ///< of A, B and C
  ElementType type = ElementType::kFloat;  ///< likewise; sgemm and dgemm set it themselves
};

/// A matrix in a buffer.
struct Matrix {
  cl::Buffer buffer;       ///< of the library's context
  std::size_t offset = 0;  ///< the first element
  std::size_t ld = 0;      ///< the distance of rows (row-major) or columns (column-major) as stored
};

/// y = alpha op(A) x + beta y, where A is m x n as it stands, without op().
struct GemvCall {
  std::size_t m = 0;                       ///< rows of A
  std::size_t n = 0;                       ///< columns of A
  std::complex<double> alpha = 1.0;        ///< 0 never reads A or x
  std::complex<double> beta = 0.0;         ///< 0 never reads y. Scalars are rounded as sums are
  Transpose trans = Transpose::kNo;        ///< what op(A) is
  Order order = Order::kRowMajor;          ///< of A
  ElementType type = ElementType::kFloat;  ///< of A, x and y; sgemv and dgemv set it themselves
};

/// A vector in a buffer.
struct Vector {
  cl::Buffer buffer;          ///< of the library's context
  std::size_t offset = 0;     ///< the first element
  std::size_t increment = 1;  ///< the distance of its elements, at least 1
};

/// Equally large matrices in one buffer: the i-th starts at offset + i * stride.
struct StridedMatrices {
  cl::Buffer buffer;       ///< of the library's context
  std::size_t offset = 0;  ///< the first element of the first matrix
  std::size_t ld = 0;      ///< as of Matrix
  std::size_t stride = 0;  ///< 0: one matrix for all products, which is right for A and B alone
};

/// Equally large matrices in one buffer: the i-th starts at offsets[i].
struct ListedMatrices {
  cl::Buffer buffer;                 ///< of the library's context
  std::vector<std::size_t> offsets;  ///< the first element of each
  std::size_t ld = 0;                ///< as of Matrix
};

/// The scalars of each product of a batch; an empty list stands for the call's own, for all of
/// them.
struct BatchScalars {
  std::vector<std::complex<double>> alphas;  ///< one for each product, or none
  std::vector<std::complex<double>> betas;   ///< one for each product, or none
};

/// The factors of a product.
enum class Operand {
  kA,  ///< op(A)
  kB   ///< op(B)
};

/// Gets a line, without its end, for each thing that a library does once: it opens (which profile,
/// why), it plans a shape (kernels, predicted times), it loads a kernel (compiled, or from the
/// cache of binaries). It is called by the threads that call the library, perhaps by several at
/// once, and must not call the library. What it throws is lost. It lives as long as the library,
/// its plans and its nets.
using Log = std::function<void(const std::string& line)>;

class Plan;  // <tilewright/plan.hpp>
class Mlp;   // <tilewright/mlp.hpp>

/// Where Library::open takes its profile from.
class TW_API ProfileSource {
 public:
  /// The file that $TILEWRIGHT_PROFILE names, else by device identity one in
  /// $XDG_DATA_HOME/tilewright/profiles or of the installed profiles, else the built-in one.
  /// @return that source
  static ProfileSource automatic() { return {Kind::kAutomatic, ""}; }
  /// A profile file, which must be readable, whole, and of the device.
  /// @param path  of the file
  /// @return that source
  static ProfileSource file(std::string path) { return {Kind::kFile, std::move(path)}; }
  /// A profile that the program carries inside, checked like a file.
  /// @param profile  the text of a profile file
  /// @return that source
  static ProfileSource text(std::string profile) { return {Kind::kText, std::move(profile)}; }
  /// The profile inside the library, which fits every device, and is slower than a tuned one.
  /// @return that source
  static ProfileSource builtin() { return {Kind::kBuiltin, ""}; }

  /// The same, but a profile that is named (file, text, $TILEWRIGHT_PROFILE) may be of another
  /// device: it serves as far as its kernels are right on this one, which each is verified for at
  /// its first use.
  /// @return that source
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
  /// @return which of the sources it is
  Kind kind() const { return kind_; }
  /// @return the path of a file, the text of a text, else ""
  const std::string& value() const { return value_; }
  /// @return whether it is forced()
  bool is_forced() const { return forced_; }

 private:
  ProfileSource(Kind kind, std::string value) : kind_(kind), value_(std::move(value)) {}
  Kind kind_;
  std::string value_;
  bool forced_ = false;
};

/// Products for one device of one context. Thread-safe: one Library serves many threads, each with
/// its own queue. Copies share one state; work that is enqueued outlives the last copy. Of a
/// Library that was moved from, every function throws Error TW_INVALID_VALUE; it may be assigned
/// to.
class TW_API Library {
 public:
  /// Opens a library. Compiles nothing.
  /// @param context, device  one of the context's devices; both are retained
  /// @param source  of the profile
  /// @param log  gets lines of what the library does. Without one, lines go to stderr if
  ///     $TILEWRIGHT_VERBOSE is 1, else nowhere
  /// @return the library
  /// @throws Error TW_NO_PROFILE, TW_BAD_PROFILE, TW_WRONG_DEVICE (unless forced) for a named one;
  ///     TW_INVALID_VALUE for a null context or device, or a device that is none of the context's;
  ///     TW_OPENCL_ERROR
  static Library open(const cl::Context& context, const cl::Device& device,
                      const ProfileSource& source = ProfileSource::automatic(), Log log = nullptr);

  /// @return a sentence: which profile is served from, and why
  const std::string& profile_origin() const;

  /// C = alpha op(A) op(B) + beta C, asynchronous: enqueues and returns. The first use of a kernel
  /// compiles it.
  /// @param queue  of the library's context and device; in order or not
  /// @param call  extents, scalars, transposes, order
  /// @param a, b  may be null buffers where they are not read
  /// @param c  which must not overlap A or B. Between its rows or columns nothing is written
  /// @param wait_list  events that the kernels wait for
  /// @return the event that completes when C is written
  /// @throws Error TW_INVALID_VALUE (of real matrices also for scalars that are not),
  ///     TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A (and
  ///     those of B and C), TW_INVALID_QUEUE before anything is enqueued; TW_UNSUPPORTED_TYPE for
  ///     doubles on a device without cl_khr_fp64; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY,
  ///     TW_OPENCL_ERROR
  cl::Event gemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                 const Matrix& b, const Matrix& c, const std::vector<cl::Event>& wait_list = {});
  /// gemm of floats.
  /// @param queue, call, a, b, c, wait_list  as of gemm
  /// @return as gemm
  cl::Event sgemm(const cl::CommandQueue& queue, GemmCall call, const Matrix& a, const Matrix& b,
                  const Matrix& c, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kFloat;
    return gemm(queue, call, a, b, c, wait_list);
  }
  /// gemm of doubles.
  /// @param queue, call, a, b, c, wait_list  as of gemm
  /// @return as gemm
  cl::Event dgemm(const cl::CommandQueue& queue, GemmCall call, const Matrix& a, const Matrix& b,
                  const Matrix& c, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kDouble;
    return gemm(queue, call, a, b, c, wait_list);
  }

  /// Many products of one call's shape, each of the i-th matrices. All are checked, as gemm
  /// checks, before the first is enqueued. They run in any order. Where A or B is one for all and
  /// the other matrices lie as rows or columns of one, the batch is served as the one product that
  /// it is.
  /// @param queue, call, wait_list  as of gemm, for all products
  /// @param a, b  the factors
  /// @param c  of which no one may overlap another C, an A or a B
  /// @param count  of products; of none there is an event after wait_list
  /// @return the one event that completes when every C is written
  /// @throws Error as gemm; TW_INVALID_VALUE if the stride of C is 0 and count above 1
  cl::Event gemm_strided_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                 const StridedMatrices& a, const StridedMatrices& b,
                                 const StridedMatrices& c, std::size_t count,
                                 const std::vector<cl::Event>& wait_list = {});

  /// The same with lists of offsets, whose length is the number of products.
  /// @param queue, call, wait_list  as of gemm, for all products
  /// @param a, b  the factors
  /// @param c  of which no one may overlap another C, an A or a B
  /// @param scalars  of each product, in place of the call's
  /// @return the one event that completes when every C is written
  /// @throws Error as gemm; TW_INVALID_VALUE if the lists, or scalars that are not empty, are not
  ///     equally long
  cl::Event gemm_batched(const cl::CommandQueue& queue, const GemmCall& call,
                         const ListedMatrices& a, const ListedMatrices& b, const ListedMatrices& c,
                         const BatchScalars& scalars = {},
                         const std::vector<cl::Event>& wait_list = {});

  /// y = alpha op(A) x + beta y, asynchronous as gemm, by the kernels for products of one column.
  /// @param queue  of the library's context and device; in order or not
  /// @param call  extents, scalars, transpose, order
  /// @param a, x  may be null buffers where they are not read
  /// @param y  which must not overlap A or x. Between its elements nothing is written
  /// @param wait_list  events that the kernels wait for
  /// @return the event that completes when y is written
  /// @throws Error TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_INC_X,
  ///     TW_INVALID_INC_Y, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A (and those of X and Y),
  ///     TW_INVALID_QUEUE before anything is enqueued; else as gemm
  cl::Event gemv(const cl::CommandQueue& queue, const GemvCall& call, const Matrix& a,
                 const Vector& x, const Vector& y, const std::vector<cl::Event>& wait_list = {});
  /// gemv of floats.
  /// @param queue, call, a, x, y, wait_list  as of gemv
  /// @return as gemv
  cl::Event sgemv(const cl::CommandQueue& queue, GemvCall call, const Matrix& a, const Vector& x,
                  const Vector& y, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kFloat;
    return gemv(queue, call, a, x, y, wait_list);
  }
  /// gemv of doubles.
  /// @param queue, call, a, x, y, wait_list  as of gemv
  /// @return as gemv
  cl::Event dgemv(const cl::CommandQueue& queue, GemvCall call, const Matrix& a, const Vector& x,
                  const Vector& y, const std::vector<cl::Event>& wait_list = {}) {
    call.type = ElementType::kDouble;
    return gemv(queue, call, a, x, y, wait_list);
  }

  /// How products of this shape are served, for packing operands once and multiplying many times:
  /// plan.hpp. Loads the kernels; allocates no device memory.
  /// @param call  of alpha and beta only whether beta is 0 counts, as a hint
  /// @return a plan for matrices without offsets and gaps
  /// @throws Error TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_BUILD_FAILURE, TW_OPENCL_ERROR
  Plan plan(const GemmCall& call);
  /// The same for matrices with offsets and gaps.
  /// @param call  of alpha and beta only whether beta is 0 counts, as a hint
  /// @param a, b, c  of which offsets, leading dimensions and the alignment of buffers count
  /// @return a plan for such matrices
  /// @throws Error as above; TW_INVALID_LD_A, TW_INVALID_LD_B, TW_INVALID_LD_C
  Plan plan(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

  /// How gemm would serve this call on matrices without offsets and gaps. Loads the kernels. The
  /// same call is always served alike: what decides is type, op, m, n, k, order, whether alpha and
  /// beta are 0, offsets and leading dimensions.
  /// @param call  as of gemm
  /// @return the name of the kernel, with the reason and the predicted times; then, a line each,
  ///     what else could serve, and whether kernels are verified first since the profile was tuned
  ///     under another driver
  /// @throws Error as plan
  std::string explain(const GemmCall& call);
  /// The same for matrices with offsets and gaps.
  /// @param call  as of gemm
  /// @param a, b, c  of which offsets, leading dimensions and the alignment of buffers count
  /// @return as above
  /// @throws Error as plan
  std::string explain(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

  /// All plans for this call on matrices without offsets and gaps, the best first: a table for
  /// people, of some lines for each plan. Loads the kernels.
  /// @param call  as of gemm
  /// @return for each plan its predicted time in all and of each part, its kernels, and why it
  ///     serves, is passed over or comes behind; what `tilewright explain` prints
  /// @throws Error as plan
  std::string explain_all(const GemmCall& call);
  /// The same for matrices with offsets and gaps.
  /// @param call  as of gemm
  /// @param a, b, c  of which offsets, leading dimensions and the alignment of buffers count
  /// @return as above
  /// @throws Error as plan
  std::string explain_all(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

  /// What gemm would enqueue for this call on matrices without offsets and gaps. Loads the
  /// kernels.
  /// @param call  as of gemm
  /// @return names of kernels, in order: packing, the product, and what brings its result into C
  /// @throws Error as plan
  std::vector<std::string> kernels_for(const GemmCall& call);
  /// The same for matrices with offsets and gaps.
  /// @param call  as of gemm
  /// @param a, b, c  of which offsets, leading dimensions and the alignment of buffers count
  /// @return as above
  /// @throws Error as plan
  std::vector<std::string> kernels_for(const GemmCall& call, const Matrix& a, const Matrix& b,
                                       const Matrix& c);

 private:
  friend class Mlp;
  class State;
  explicit Library(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace tilewright

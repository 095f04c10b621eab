/// @file
/// Matrices, scalars and other arguments of the C++ interface (tilewright.hpp).
#ifndef TILEWRIGHT_ARGUMENTS_HPP
#define TILEWRIGHT_ARGUMENTS_HPP

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tilewright/tilewright.h>
#include <tilewright/objects.hpp>

namespace tw {
inline namespace v1 {

/// A scalar of a product. Numbers convert to it, except cl_half, which is an integer in C++:
/// convert half-precision numbers to float.
struct Scalar : tw_scalar {
  /// @param real  the real part
  /// @param imaginary  the imaginary part; must be 0 for real matrices
  Scalar(double real, double imaginary = 0.0) : tw_scalar{real, imaginary} {}
  /// Not for the bits of a half-precision number.
  template <class Half, class = typename std::enable_if<std::is_same<Half, cl_half>::value>::type>
  Scalar(Half bits) = delete;
  /// @param number  a complex number
  template <class Real>
  Scalar(const std::complex<Real>& number) : Scalar(number.real(), number.imag()) {}
};

/// C = alpha op(A) op(B) + beta C, where op(A) is m x k, op(B) is k x n and C is m x n; or a batch
/// of such products. See tw_gemm_desc.
struct Gemm {
  std::size_t m = 0;                   ///< rows of op(A) and C
  std::size_t n = 0;                   ///< columns of op(B) and C
  std::size_t k = 0;                   ///< columns of op(A), rows of op(B)
  Scalar alpha = 1.0;                  ///< if alpha or k is 0, A and B are not read
  Scalar beta = 0.0;                   ///< if 0, C is not read
  tw_transpose trans_a = TW_NO_TRANS;  ///< op(A)
  tw_transpose trans_b = TW_NO_TRANS;  ///< op(B)
  tw_layout layout = TW_ROW_MAJOR;     ///< storage order of A, B and C
  std::size_t batch_count = 1;         ///< number of products
  std::vector<Scalar> alphas = {};     ///< empty, or one alpha for each product
  std::vector<Scalar> betas = {};      ///< empty, or one beta for each product
};

/// y = alpha op(A) x + beta y, where A (without op()) is m x n.
struct Gemv {
  std::size_t m = 0;                 ///< rows of A
  std::size_t n = 0;                 ///< columns of A
  Scalar alpha = 1.0;                ///< if 0, A and x are not read
  Scalar beta = 0.0;                 ///< if 0, y is not read
  tw_transpose trans = TW_NO_TRANS;  ///< op(A)
  tw_layout layout = TW_ROW_MAJOR;   ///< storage order of A
};

namespace detail {

/// @param scalar  a scalar
/// @return its real part
/// @throws Error TW_INVALID_VALUE if it is not real
inline double real_part(const Scalar& scalar) {
  if (scalar.im == 0.0) return scalar.re;
  throw Error(TW_INVALID_VALUE, "the scalars of a product of real matrices must be real");
}

/// Converts a scalar to one of the functions with the arguments of BLAS.
/// @param scalar  a scalar
/// @param to  receives its real part
inline void convert(const Scalar& scalar, float* to) {
  *to = static_cast<float>(real_part(scalar));
}
/// Converts a scalar.
/// @param scalar  a scalar
/// @param to  receives its real part
inline void convert(const Scalar& scalar, double* to) {
  *to = real_part(scalar);
}
/// Converts a scalar.
/// @param scalar  a scalar
/// @param to  receives both parts
inline void convert(const Scalar& scalar, tw_scalar* to) {
  *to = scalar;
}

}  // namespace detail

/// Returns the tw_type of a C++ type: float, double, cl_half (half precision), std::complex<float>
/// or std::complex<double>.
/// @return the type
template <class T>
constexpr tw_type element_type() {
  constexpr bool is_complex =
      std::is_same<T, std::complex<float>>::value || std::is_same<T, std::complex<double>>::value;
  constexpr bool is_real = std::is_same<T, float>::value || std::is_same<T, double>::value ||
                           std::is_same<T, cl_half>::value;
  static_assert(is_real || is_complex,
                "elements are float, double, cl_half, std::complex<float> or std::complex<double>");
  return std::is_same<T, float>::value                 ? TW_FLOAT
         : std::is_same<T, double>::value              ? TW_DOUBLE
         : std::is_same<T, cl_half>::value             ? TW_HALF
         : std::is_same<T, std::complex<float>>::value ? TW_COMPLEX_FLOAT
                                                       : TW_COMPLEX_DOUBLE;
}

/// A matrix that is packed for one operand of a plan (Plan::pack_a, Plan::pack_b). Copies share its
/// memory, which is freed with the last one; enqueued commands that use it still complete.
/// Thread-safe.
class PackedMatrix {
 public:
  /// No matrix.
  PackedMatrix() = default;
  /// @return the event that completes when the matrix is packed. Plan::execute always waits for it
  Event ready() const {
    detail::require(packed_, "packed matrix");
    return ready_;
  }
  /// @return the handle of the C interface; null if there is none
  const tw_packed* get() const { return packed_.get(); }

 private:
  friend class Plan;
  friend class Matrix;
  std::shared_ptr<tw_packed> packed_;
  Event ready_;
};

/// A matrix in a buffer, or the matrices of a batch in one buffer. The buffer is not retained: it
/// must exist until the call returns. Offsets, leading dimensions and strides count elements.
class Matrix {
 public:
  /// No matrix, for operands that are not read.
  Matrix() = default;
  /// A matrix, or matrices at equal distances.
  /// @param buffer  a buffer of the library's context (cl_mem, cl::Buffer)
  /// @param offset  offset of the first element
  /// @param ld  leading dimension: distance between the starts of rows (row-major) or columns
  ///     (column-major). 0: without gaps
  /// @param stride  distance between the starts of two matrices of a batch. 0: one for all products
  template <class Buffer, class = typename std::enable_if<
                              std::is_convertible<const Buffer&, BufferRef>::value>::type>
  Matrix(const Buffer& buffer, std::size_t offset = 0, std::size_t ld = 0, std::size_t stride = 0)
      : matrix_{BufferRef(buffer).get(), offset, ld, stride, nullptr, nullptr} {}
  /// The matrices of a batch, at listed offsets.
  /// @param buffer, ld  see above
  /// @param offsets  offset of the first element of each matrix, one for each product
  Matrix(BufferRef buffer, std::vector<std::size_t> offsets, std::size_t ld = 0)
      : matrix_{buffer.get(), 0, ld, 0, nullptr, nullptr},
        offsets_(std::move(offsets)),
        is_listed_(true) {}
  /// A packed matrix, for Plan::execute.
  /// @param packed  a matrix that is not empty
  Matrix(const PackedMatrix& packed) : packed_(packed.packed_) {
    matrix_.packed = detail::require(packed_, "packed matrix");
  }

  /// @param batch_count  number of products
  /// @return the matrix as an argument of the C interface, valid as long as this object
  /// @throws Error TW_INVALID_VALUE if offsets are listed and their number is another one
  tw_matrix to_c(std::size_t batch_count = 1) const {
    if (!is_listed_) return matrix_;
    if (offsets_.size() != batch_count) {
      throw Error(TW_INVALID_VALUE, "a matrix has " + std::to_string(offsets_.size()) +
                                        " offsets, but batch_count is " +
                                        std::to_string(batch_count));
    }
    tw_matrix listed = matrix_;
    if (batch_count == 1) {
      listed.offset = offsets_[0];
    } else {
      listed.offsets = offsets_.data();
    }
    return listed;
  }

 private:
  tw_matrix matrix_ = {};
  std::vector<std::size_t> offsets_;
  bool is_listed_ = false;
  std::shared_ptr<tw_packed> packed_;
};

/// A vector in a buffer, which is not retained.
class Vector {
 public:
  /// @param buffer  a buffer of the library's context; may be null if it is not read
  /// @param offset  offset of the first element
  /// @param increment  distance between elements, at least 1
  template <class Buffer, class = typename std::enable_if<
                              std::is_convertible<const Buffer&, BufferRef>::value>::type>
  Vector(const Buffer& buffer, std::size_t offset = 0, std::size_t increment = 1)
      : buffer_(BufferRef(buffer).get()), offset_(offset), increment_(increment) {}
  /// @return the buffer
  cl_mem buffer() const { return buffer_; }
  /// @return offset of the first element
  std::size_t offset() const { return offset_; }
  /// @return distance between elements
  std::size_t increment() const { return increment_; }

 private:
  cl_mem buffer_;
  std::size_t offset_;
  std::size_t increment_;
};

/// Memory of the caller for a workspace or a packed matrix. It is not retained.
class Memory {
 public:
  /// No memory: the library allocates it.
  Memory() = default;
  /// @param buffer  a buffer of the library's context, or a sub-buffer
  /// @param offset  offset of the memory in bytes, for every type; a multiple of 128
  template <class Buffer, class = typename std::enable_if<
                              std::is_convertible<const Buffer&, BufferRef>::value>::type>
  Memory(const Buffer& buffer, std::size_t offset = 0) : memory_{BufferRef(buffer).get(), offset} {}
  /// @return the argument of the C interface, valid as long as this object
  const tw_memory* to_c() const { return &memory_; }

 private:
  tw_memory memory_ = {};
};

}  // namespace v1
}  // namespace tw

#endif

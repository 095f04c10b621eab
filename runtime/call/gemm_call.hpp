// The arguments of a product, as Library takes them.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include <tilewright/tilewright.h>
#include "runtime/call/error.hpp"
#include "runtime/opencl/clhpp.hpp"

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

/// The width of the widest vector, in elements.
inline constexpr std::size_t kWidestVector = 16;

/// Offsets of memory of the caller (workspace, packed matrices) are multiples of this number of
/// bytes, the size of the widest vector of the largest type.
inline constexpr std::size_t kMemoryMultiple = kWidestVector * sizeof(double);

}  // namespace tilewright

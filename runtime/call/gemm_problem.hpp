// A BLAS call after all its conventions are resolved.
//
// A GemmProblem is row-major. A column-major call is converted by swapping A with B and m with n,
// because C^T = op(B)^T op(A)^T, and the memory of a column-major matrix is the row-major form of
// its transpose.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "profiles/kernel_record.hpp"
#include "runtime/call/epilogue.hpp"
#include "runtime/call/gemm_call.hpp"
#include "runtime/call/gemm_shape.hpp"
#include "runtime/call/stream_division.hpp"

namespace tilewright {

// A matrix argument of a kernel. If the kernel accesses an image, `buffer` is the image, and offset
// and ld are 0.
struct MatrixArgument {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  // elements
  std::size_t ld = 0;      // elements
  // Known alignment of the buffer's start as returned by buffer_alignment(): in elements, for
  // complex numbers in their real parts; 0: aligned for every vector.
  std::size_t start_alignment = 0;

  // True if the first element of every line is at a multiple of `multiple` elements.
  bool is_aligned(std::size_t multiple) const {
    return offset % multiple == 0 && ld % multiple == 0 && start_alignment % multiple == 0;
  }
};

// A vector argument of a kernel.
struct VectorArgument {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  // elements
};

// Products whose matrices are at equal distances (in elements). Distances are unsigned, so the
// first product has the smallest offsets.
struct Distances {
  std::size_t count = 1;
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// What a complex product has in addition to a real one.
struct ComplexPart {
  std::complex<double> alpha = 1.0;  // rounded to the precision
  std::complex<double> beta = 0.0;
  bool conjugate_a = false;  // op(A) includes complex conjugation
  bool conjugate_b = false;
  bool has_real_scalars() const { return alpha.imag() == 0.0 && beta.imag() == 0.0; }
  bool operator==(const ComplexPart&) const = default;
};

// A product.
struct GemmProblem {
  Op op = Op::kNN;
  GemmShape shape;     // k is 0 if A and B must not be read
  double alpha = 1.0;  // rounded to the precision
  double beta = 0.0;
  MatrixArgument a;
  MatrixArgument b;
  MatrixArgument c;
  std::optional<VectorArgument> bias;  // for kernels that add a bias
  ActivationArguments arguments = {};  // arguments of the record's activation
  // For kernels with stream_k: the division of the work, and the matrix for the parts of tiles (any
  // buffer if there are none).
  std::optional<StreamDivision> division = {};
  MatrixArgument parts = {};
  // The epilogue of a network layer, for beta = 0 only. Then `bias` is required; it contains zeros
  // if the layer has none.
  LayerEpilogue epilogue{};
  // B is packed once for many products, so planning ignores the time for packing it.
  bool b_prepacked = false;
  Distances batch = {};  // more than one only for batched kernels
  Precision precision = Precision::kSingle;
  // Set for complex products. Elements are then complex numbers of two reals; offsets, leading
  // dimensions and distances count complex numbers. The real alpha and beta above are 0 or 1,
  // depending on whether the complex ones are 0. Kernels cannot run such a problem; see
  // complex_product.hpp.
  std::optional<ComplexPart> complex = {};
  bool float_sums = false;  // for networks: kernels with half-precision sums are excluded
};

// Input of a pack kernel: copies the rows x columns matrix `from` to `to`, and writes zeros up to
// the padded extents.
struct PackProblem {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t padded_rows = 0;
  std::int64_t padded_columns = 0;
  MatrixArgument from;
  MatrixArgument to;
};
// Elements that the pack kernel writes, including padding.
inline double written_elements(const PackProblem& problem) {
  return static_cast<double>(problem.padded_rows) * static_cast<double>(problem.padded_columns);
}

// Input of a reduce kernel: C = alpha (sum of the parts) + beta C. The parts are m x n matrices, m
// * parts.ld elements apart.
struct ReduceProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t num_parts = 0;
  double alpha = 1.0;
  double beta = 0.0;
  MatrixArgument parts;
  MatrixArgument c;
  std::optional<VectorArgument> bias;
  ActivationArguments arguments = {};
};

// Precision of the elements; for complex numbers, of their real parts.
Precision element_precision(ElementType type);
ElementType to_element_type(Precision precision);
constexpr bool is_complex(ElementType type) {
  return type == ElementType::kComplexFloat || type == ElementType::kComplexDouble;
}
std::size_t bytes_per_element(ElementType type);
// Maximum extent and leading dimension of a call, because kernels count reals.
constexpr std::size_t max_extent(ElementType type) {
  return is_complex(type) ? kMaxExtent / 2 : kMaxExtent;
}
ElementType to_element_type(const GemmProblem& problem);
// " of doubles" and the like, for messages; "" for floats.
std::string of_elements(Precision precision);
// A scalar of a call, as its kernels receive it.
double rounded_to(Precision precision, double scalar);
std::complex<double> rounded_to(Precision precision, const std::complex<double>& scalar);
// True if the call reads A and B.
bool reads_operands(const GemmCall& call);

// Checks the scalars of a call in the order of BLAS and resolves its conventions. Buffers may be
// null; they are not checked, and only their alignment is queried. Throws Error with the status of
// the first invalid argument.
GemmProblem resolve(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

// Resolves a call for matrices without offsets and gaps. Throws like resolve().
GemmProblem resolve_dense(const GemmCall& call);

// Throws Error unless the buffers that the call accesses belong to the context and contain their
// matrices completely.
void check_buffers(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                   cl_context context);

// Checks only the matrix `name` ('A', 'B' or 'C') of the call, as if it were accessed. Throws Error
// like resolve() and check_buffers().
void check_matrix(const GemmCall& call, char name, const Matrix& matrix, cl_context context);

// The matrices of a call without offsets, gaps and buffers. Throws Error for invalid enumerators.
struct Matrices {
  Matrix a, b, c;
};
Matrices dense_matrices(const GemmCall& call);

// The shape and transposes of the call as a row-major product. Throws like resolve() for invalid
// dimensions and enumerators.
std::pair<Op, GemmShape> row_major_shape(const GemmCall& call);

}  // namespace tilewright

// What does a BLAS call ask for, once all its conventions are resolved?
//
// A GemmProblem is row-major. A column-major call becomes one by swapping A with B and m with n,
// since C^T = op(B)^T op(A)^T and a column-major matrix is the row-major form of its transpose.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tilewright/library.hpp>
#include "profiles/kernel_record.hpp"
#include "runtime/call/epilogue.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// Extents and leading dimensions are 32-bit in kernels, with room for the tiles past an edge.
inline constexpr std::size_t kMaxExtent = 2'000'000'000;

// Of a kernel that reads or writes an image, `buffer` is the image, and offset and ld are 0.
struct MatrixArgument {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  // elements
  std::size_t ld = 0;      // elements
  // Known alignment of the buffer's own start, as buffer_alignment() returns it: in elements, of
  // complex numbers in their parts; 0: aligned for every vector.
  std::size_t start_alignment = 0;

  // Is the first element of every line at a multiple of so many elements?
  bool is_aligned(std::size_t multiple) const {
    return offset % multiple == 0 && ld % multiple == 0 && start_alignment % multiple == 0;
  }
};

struct VectorArgument {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  // elements
};

// Products that lie at equal distances (elements), which are unsigned: the first lies first.
struct Distances {
  std::size_t count = 1;
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// What a product of complex numbers has beside its real twin.
struct ComplexPart {
  std::complex<double> alpha = 1.0;  // as rounded to the precision
  std::complex<double> beta = 0.0;
  bool conjugate_a = false;  // op(A) conjugates
  bool conjugate_b = false;
  bool has_real_scalars() const { return alpha.imag() == 0.0 && beta.imag() == 0.0; }
  bool operator==(const ComplexPart&) const = default;
};

struct GemmProblem {
  Op op = Op::kNN;
  GemmShape shape;     // k is 0 where A and B are not to be read
  double alpha = 1.0;  // as rounded to the precision
  double beta = 0.0;
  MatrixArgument a;
  MatrixArgument b;
  MatrixArgument c;
  std::optional<VectorArgument> bias;  // for kernels that add one
  ActivationArguments arguments = {};  // of the record's activation
  // Of a layer: what is asked beside the product, for beta = 0 only. `bias` must then be given,
  // zeros if the layer has none.
  LayerEpilogue epilogue{};
  // B is packed once for many products: planning does not count what packing it takes.
  bool b_prepacked = false;
  Distances batch = {};  // of more than one for batched kernels alone
  Precision precision = Precision::kSingle;
  // Elements are complex numbers of two such reals, which offsets, leading dimensions and distances
  // count; alpha and beta above are 1 or 0 then, as those here are 0 or not. No kernel takes such a
  // problem: complex_product.hpp.
  std::optional<ComplexPart> complex = {};
  bool float_sums = false;  // a network's: kernels with sums in halfs do not serve
};

// What a pack kernel is asked for: the rows x columns matrix `from` goes to `to`, with zeros beyond
// its edges up to the padded extents.
struct PackProblem {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t padded_rows = 0;
  std::int64_t padded_columns = 0;
  MatrixArgument from;
  MatrixArgument to;
};
// That it writes, padding included.
inline double elements_of(const PackProblem& problem) {
  return static_cast<double>(problem.padded_rows) * static_cast<double>(problem.padded_columns);
}

// What a reduce kernel is asked for: C = alpha (sum of the parts) + beta C. The parts are m x n
// matrices, m * parts.ld elements apart.
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

// Of the elements, of complex numbers that of their parts.
Precision precision_of(ElementType type);
ElementType type_of(Precision precision);
constexpr bool is_complex(ElementType type) {
  return type == ElementType::kComplexFloat || type == ElementType::kComplexDouble;
}
std::size_t bytes_of(ElementType type);
// Of an extent or a leading dimension: kernels count reals.
constexpr std::size_t most_extent(ElementType type) {
  return is_complex(type) ? kMaxExtent / 2 : kMaxExtent;
}
ElementType type_of(const GemmProblem& problem);
// " of doubles", for sentences; of floats: "".
std::string of_elements(Precision precision);
// A scalar of a call as its kernels get it.
double rounded_to(Precision precision, double scalar);
std::complex<double> rounded_to(Precision precision, const std::complex<double>& scalar);
// Does the call read A and B?
bool reads_operands(const GemmCall& call);

// Checks the scalars of a call in BLAS' order and resolves its conventions. The buffers, which may
// be null, are not checked; only their alignment is asked for. Throws Error with the status of the
// first argument that is wrong.
GemmProblem resolve(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

// The call as it is with matrices that have neither offsets nor gaps. Throws as resolve() does.
GemmProblem resolve_dense(const GemmCall& call);

// Throws Error unless the buffers that the call reads or writes belong to the context and hold
// their matrices whole.
void check_buffers(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                   cl_context context);

// Throws Error, as resolve() and check_buffers() do, for the matrix `name` ('A', 'B' or 'C') of the
// call alone, as if it were read or written.
void check_matrix(const GemmCall& call, char name, const Matrix& matrix, cl_context context);

// Throws Error, as check_buffers() does for the matrix `name`, unless the buffer, which is the
// caller's memory for a copy of that matrix, has that many elements behind the offset; and
// TW_INVALID_VALUE unless the buffer's start is aligned for every vector of elements.
void check_room(char name, const cl::Buffer& buffer, std::size_t offset, std::size_t elements,
                std::size_t element_bytes, cl_context context);

// The call's matrices as they are with neither offsets nor gaps, without buffers. Throws Error for
// the enumerations.
struct Matrices {
  Matrix a, b, c;
};
Matrices dense_matrices(const GemmCall& call);

// The shape and operands that a call has as a row-major product. Throws as resolve() does for the
// dimensions and enumerations.
std::pair<Op, GemmShape> row_major_shape(const GemmCall& call);

}  // namespace tilewright

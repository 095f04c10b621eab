// How a kernel requires the matrices of a product to be stored.
//
// The library, which packs operands on the device, and the tuner, which packs them on the host, use
// the same rules.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/stream_division.hpp"

namespace tilewright {

// Value of Storage::elements for matrices that no device can hold. Their size in bytes still fits
// into 63 bits, and on 32-bit systems into std::size_t.
inline constexpr std::size_t kMaxElements = static_cast<std::size_t>(
    std::min<std::uint64_t>(std::uint64_t{1} << 59, SIZE_MAX / sizeof(double)));

// Storage of a matrix for a kernel.
struct Storage {
  Layout layout;
  bool image = false;
  std::int64_t rows = 0;     // rows of the matrix, including padding
  std::int64_t columns = 0;  // columns of the matrix, including padding
  std::size_t ld = 0;        // elements; 0 for images
  // Elements in memory, including gaps; for an image 4 per pixel. Capped at kMaxElements, which
  // fits nowhere.
  std::size_t elements = 0;
  Precision precision = Precision::kSingle;
  std::size_t bytes() const { return elements * bytes_per_element(precision); }
  // Extents of an image, in pixels of four floats.
  std::size_t image_width() const;
  std::size_t image_height() const;
};

// Storage::elements of a rows x columns matrix in a buffer, where the extents are whole chunks of
// the layout.
std::size_t counted_elements(const Layout& layout, std::int64_t rows, std::int64_t columns,
                             std::int64_t ld);

// True if kernels can represent the rows, columns and leading dimension of a storage in a buffer,
// and std::size_t its size in bytes.
bool is_countable(const Storage& storage);

// Storage of op(A) (m x k), op(B) (k x n) and C (m x n) for a record of role kGemm or kGemv.
// Operands in plain layouts with guarded edges are not padded; all others are padded to the
// record's multiples. ld is the minimum, rounded up to the record's alignment.
Storage storage_a(const KernelRecord& record, const GemmShape& shape);
Storage storage_b(const KernelRecord& record, const GemmShape& shape);
Storage storage_c(const KernelRecord& record, const GemmShape& shape);

// Storage of the parts of a product, for a reduce kernel. The parts are consecutive in a plain
// row-major matrix.
Storage storage_parts(const KernelRecord& record, const GemmShape& shape,
                      const PartialProducts& parts);

// Problems of packing a rows x columns matrix into a storage without offset, and of unpacking it.
// The storage's buffer is left null.
PackProblem pack_problem(const Storage& to, std::int64_t rows, std::int64_t columns,
                         const MatrixArgument& from);
PackProblem unpack_problem(const Storage& from, std::int64_t rows, std::int64_t columns,
                           const MatrixArgument& to);

// Extents of a matrix.
struct Extents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// Operands in memory that is larger than the matrices, so that kernels may access padding around
// them. Operands of a call are not like this; those of a network are.
struct PaddedOperands {
  // The layout of A, and the required layout of C. Elements of A outside its rows never contribute
  // to a result. nullopt: as in a call.
  std::optional<Layout> a;
  std::optional<Layout> c;
  Extents b;  // extents of B as stored, row-major, including the zeros around it
};

// Extents that a pack kernel reads of B (k x n), including the zeros around it if there are any.
Extents extents_b(const GemmShape& shape, const Extents& capacity);
Extents extents_b(const GemmShape& shape, const PaddedOperands* padded_operands);

// True if the kernel can read A (B) or write C in place. Otherwise it must be packed first. (C is
// packed if beta is not 0, and unpacked afterwards.) For padded operands only the layout matters,
// and that the kernel needs no more padding of A's columns than exists. `padded_operands` is null
// for operands of a call.
bool accepts_a(const KernelRecord& record, const GemmProblem& problem,
               const PaddedOperands* padded_operands = nullptr);
bool accepts_b(const KernelRecord& record, const GemmProblem& problem,
               const PaddedOperands* padded_operands = nullptr);
bool accepts_c(const KernelRecord& record, const GemmProblem& problem,
               const PaddedOperands* padded_operands = nullptr);
// True if the record can compute products of this shape, packed or not. kGemv kernels can compute
// only narrow products. The alignment requires n to be a multiple where rows of B or C end with the
// caller's matrix, and m where columns of A or C do.
bool supports(const KernelRecord& record, const GemmShape& shape);

}  // namespace tilewright

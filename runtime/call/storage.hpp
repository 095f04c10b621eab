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

// True if the kernel can read A (B) or write C in place. Otherwise it must be packed first. (C is
// packed if beta is not 0, and unpacked afterwards.)
bool accepts_a(const KernelRecord& record, const GemmProblem& problem);
bool accepts_b(const KernelRecord& record, const GemmProblem& problem);
bool accepts_c(const KernelRecord& record, const GemmProblem& problem);
// True if the record can compute products of this shape, packed or not. kGemv kernels can compute
// only narrow products. The alignment requires n to be a multiple where rows of B or C end with the
// caller's matrix, and m where columns of A or C do.
bool supports(const KernelRecord& record, const GemmShape& shape);

}  // namespace tilewright

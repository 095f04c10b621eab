// How must the matrices of a product lie for a kernel to read them?
//
// One rule for the library, which packs operands on the device, and the tuner, which packs them on
// the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// Storage::elements of what no device holds: in bytes, too, it is within 63 bits, and within a
// std::size_t of 32.
inline constexpr std::size_t kMostElements = static_cast<std::size_t>(
    std::min<std::uint64_t>(std::uint64_t{1} << 59, SIZE_MAX / sizeof(double)));

// A matrix as a kernel wants it.
struct Storage {
  Layout layout;
  bool image = false;
  std::int64_t rows = 0;     // of the logical matrix, padding included
  std::int64_t columns = 0;  // likewise
  std::size_t ld = 0;        // elements; 0 for images
  // In memory, gaps included; of an image: 4 a pixel. kMostElements if there are as many or more,
  // which fits nowhere.
  std::size_t elements = 0;
  Precision precision = Precision::kSingle;
  std::size_t bytes() const { return elements * bytes_of(precision); }
  // Images: pixels of four floats.
  std::size_t image_width() const;
  std::size_t image_height() const;
};

// Storage::elements of rows x columns in a buffer: whole chunks of the layout.
std::size_t counted_elements(const Layout& layout, std::int64_t rows, std::int64_t columns,
                             std::int64_t ld);

// Can a kernel count the rows, columns and leading dimension of a storage in a buffer, and
// std::size_t its bytes?
bool is_countable(const Storage& storage);

// op(A) (m x k), op(B) (k x n) and C (m x n) for a record of role kGemm or kGemv. Operands in plain
// layouts with guarded edges have their own extents; all others are padded to the record's
// multiples. ld is the least one, rounded up to the record's alignment.
Storage storage_a(const KernelRecord& record, const GemmShape& shape);
Storage storage_b(const KernelRecord& record, const GemmShape& shape);
Storage storage_c(const KernelRecord& record, const GemmShape& shape);

// The temporary C of a record with split_k > 1: its parts lie behind each other, m * ld elements
// apart, in a plain row-major matrix of split_k * m rows.
Storage storage_parts(const KernelRecord& record, const GemmShape& shape);

// The packing of a rows x columns matrix into, and out of, a storage without offset. The storage's
// buffer is left open.
PackProblem pack_problem(const Storage& to, std::int64_t rows, std::int64_t columns,
                         const MatrixArgument& from);
PackProblem unpack_problem(const Storage& from, std::int64_t rows, std::int64_t columns,
                           const MatrixArgument& to);

struct Extents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// How matrices lie that have room around them for a kernel's padding, unlike those of a call.
struct RoomyOperands {
  // The layout in which A lies, and in which C is to. What A holds beyond its rows is never part of
  // a result. nullopt: as in the call.
  std::optional<Layout> a;
  std::optional<Layout> c;
  Extents b;  // as B lies, row by row: with the zeros around it
};

// What packing B (k x n) reads of it: zeros around it too, but only as far as it has room.
Extents extents_b(const GemmShape& shape, const Extents& room);
Extents extents_b(const GemmShape& shape, const RoomyOperands* roomy);

// Can the kernel read A (B), or write C, where it lies? Else it must be packed first (C: packed if
// beta is not 0, and unpacked afterwards). Of roomy operands only the layout counts, and that A's
// columns need no more room. Null: all operands are a call's.
bool takes_a(const KernelRecord& record, const GemmProblem& problem,
             const RoomyOperands* roomy = nullptr);
bool takes_b(const KernelRecord& record, const GemmProblem& problem,
             const RoomyOperands* roomy = nullptr);
bool takes_c(const KernelRecord& record, const GemmProblem& problem,
             const RoomyOperands* roomy = nullptr);
// Does the record serve products of this shape at all, packed or not? (kGemv: only narrow ones;
// alignment: n must be a multiple where rows of B or C end with the caller's matrix, and m where
// columns of A or C do.)
bool serves(const KernelRecord& record, const GemmShape& shape);

}  // namespace tilewright

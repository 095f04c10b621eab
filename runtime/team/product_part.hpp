// Cuts a product into parts that are products themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/api/library.hpp"

namespace tilewright {

// The extent of a product that is divided among members. Parts of m or n are parts of C. Parts of k
// are products whose sum is C.
enum class SplitAxis { kM, kN, kK };

// A matrix in host memory, as BLAS describes it.
struct HostPointer {
  void* data = nullptr;  // the first element
  std::size_t ld = 0;    // elements
};

// A product of matrices in host memory. All arguments are valid.
struct HostGemm {
  GemmCall call;
  HostPointer a, b, c;  // A and B are only read
};

// Offsets of a part's matrices from those of the whole product, in elements.
struct PartOffsets {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// The part [begin, begin + size) of an extent.
struct ProductPart {
  SplitAxis axis = SplitAxis::kM;
  std::size_t begin = 0;
  std::size_t size = 0;
};

std::size_t axis_extent(const GemmCall& call, SplitAxis axis);

// The work of a product in 10^9 operations; that of k = 1 if k is 0. A product of complex numbers
// counts as four of real ones, as in `bench`.
double num_gflop(const GemmCall& call);

// The axis along which parts of C are whole lines: rows if C is row-major, otherwise columns.
SplitAxis line_axis(const GemmCall& call);

GemmCall part_call(const GemmCall& call, const ProductPart& part);
PartOffsets part_offsets(const GemmCall& call, std::size_t lda, std::size_t ldb, std::size_t ldc,
                         const ProductPart& part);
// For a part of k, C is the whole C; the caller replaces it.
HostGemm part_product(const HostGemm& product, const ProductPart& part);

// Rows (row-major) or columns (column-major) of a matrix as stored, and the elements of each.
struct StoredLines {
  std::size_t lines = 0;
  std::size_t length = 0;
};
StoredLines stored_lines(Order order, Transpose transpose, std::size_t rows, std::size_t columns);
// Number of elements from the first to the last one, including the gaps between lines.
std::size_t spanned_elements(const StoredLines& stored, std::size_t ld);
// True if the gaps between lines have at most as many elements as the lines.
bool has_small_gaps(const StoredLines& stored, std::size_t ld);
// True if a C with this leading dimension is one range of memory without gaps, which nothing else
// may write. A part of C is one range if it covers whole lines, or if it has only one.
bool is_one_range(const GemmCall& call, std::size_t ldc);

// A temporary matrix for a part of k, without gaps.
struct PartialSum {
  std::vector<std::byte> memory;
  HostPointer c;
};
PartialSum make_partial_sum(const GemmCall& call);
// Adds a partial sum to C. The elements must not be in half precision.
void add_partial_sum(const GemmCall& call, const PartialSum& sum, const HostPointer& c);

}  // namespace tilewright

// A kernel with everything that is needed to launch it.
//
// A KernelRecord is one emitted OpenCL function with its launch facts. Codelets create records,
// profiles store them, and the runtime launches them. Code that uses a record does not need to know
// its generator.
//
// All matrices are described in row-major order. A column-major call is first converted to a
// row-major one (C^T = op(B)^T op(A)^T), so records never refer to column-major calls.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/activation.hpp"
#include "profiles/device_class.hpp"
#include "profiles/layout.hpp"
#include "profiles/precision.hpp"

namespace tilewright {

// What a kernel does.
enum class Role {
  kGemm,        // C = alpha op(A) op(B) + beta C
  kGemv,        // the same if m or n is small: see `narrow` and `tile`
  kPack,        // copies a matrix from layout_a to layout_c, with zeros outside the matrix
  kReduce,      // adds up the partial products of a kernel with split_k
  kActivation,  // Y = activation(X + bias), with zeros outside of Y
  // turns the rows of X into probabilities or, with kLogSoftmax, their logarithms; padded like Y
  kSoftmax,
  // computes a step of a network or a part of complex products; the library writes such kernels,
  // and no profile has them
  kStep,
};

// True for matrix products.
constexpr bool is_product(Role role) {
  return role == Role::kGemm || role == Role::kGemv;
}

// Which operands of the row-major product C = alpha op(A) op(B) + beta C are stored transposed.
enum class Op { kNN, kNT, kTN, kTT };

// Dimension along which global id 0, which varies fastest, counts.
enum class IdOrder {
  kNM,    // get_global_id(0) runs along n, get_global_id(1) along m
  kMN,    // get_global_id(0) runs along m, get_global_id(1) along n
  kFlat,  // kActivation: get_global_id(0) counts elements in memory order, get_global_id(1) is 0
};

// How the kernel combines a result with C.
enum class Epilogue {
  kNone,       // stores the result (kPack, kActivation, kSoftmax)
  kAlphaBeta,  // C = alpha result + beta C; beta = 0 never reads C
};

// A dimension of C, or none.
enum class Dimension { kNone, kM, kN };

// How loads of A and B stay inside the matrices.
enum class Edges {
  kGuarded,  // any extents; operands in plain layouts may end where the matrix ends
  kPadded,   // operands are padded with zeros to `multiples`
};

// Which matrices are images with four floats per pixel. A pixel holds four neighbours along the
// contiguous direction of the layout (R: columns; C: rows). A row of pixels is one row (R) or one
// column (C).
struct Images {
  bool a = false;
  bool b = false;
  bool c = false;  // for kPack: the destination
  bool operator==(const Images&) const = default;
};

// Elements of C (m x n) per work-item, and k steps per loop iteration.
struct Tile {
  int m = 1;
  int n = 1;
  int k = 1;
  bool operator==(const Tile&) const = default;
};

// Value of accumulate_k for kernels that accumulate entirely in half precision.
inline constexpr int kWholeK = std::numeric_limits<int>::max();

// One kernel.
struct KernelRecord {
  std::string name;  // unique in its profile; by convention it is kernel_name() of the point
  Role role = Role::kGemm;
  Precision precision = Precision::kSingle;  // precision of the matrices
  std::string entry;                         // name of the __kernel function in `source`
  std::string source;                        // OpenCL C, self-contained: no include directives
  std::string build_options;                 // exactly as measured; every word is in the allow-list
  // Local size in dimensions 0 and 1, in work-items. {0, 0}: the driver chooses.
  std::array<int, 2> work_group = {1, 1};
  int work_group_k = 1;  // local size in dimension 2: work-items that share the k of a tile
  IdOrder id_order = IdOrder::kNM;
  // Half-precision kGemm only. Products of `accumulate_k` k steps are accumulated in half
  // precision, then added to a single-precision sum. 0: all arithmetic is in single precision.
  int accumulate_k = 0;
  int split_k = 1;  // work-groups in dimension 2: parts of k, each with its own C
  // Only for kGemm without split_k and work_group_k. Above 0: work-groups per compute unit that run
  // at the same time. The launch has work-groups in dimension 0 only; those of the last wave divide
  // the k steps of the last tiles evenly among them and store the parts in a second matrix.
  int stream_k = 0;
  // Only for kGemm and kGemv without split_k, work_group_k and images. The kernel computes one
  // product for each work-item in dimension 2; the strides between the matrices of the products are
  // arguments.
  bool batched = false;
  std::int64_t local_bytes = 0;  // local memory per work-group, in bytes
  Tile tile;                     // register tile of one work-item, in elements
  // kGemv: the dimension that fits into one tile. The kernel supports n <= tile.n (kN) or m <=
  // tile.m (kM). Work-items along this dimension share the k steps of a tile.
  Dimension narrow = Dimension::kNone;
  // Layouts of op(A), op(B) and C; for kPack of the source and the destination; for kActivation and
  // kSoftmax of X and Y, which have the same layout. Only products have a B.
  Layout layout_a;
  std::optional<Layout> layout_b;
  Layout layout_c;
  Images images;
  Edges edges = Edges::kGuarded;
  // Extents to which operands are padded with zeros: operands that are images or not in plain
  // layouts, all operands if edges is kPadded, and C if it is not in a plain layout.
  Tile multiples;
  // In elements. These must be multiples of it (for C see any_c):
  // - the offset and the leading dimension of each operand in a plain layout;
  // - n, if C is row-major, or if B is row-major and not padded;
  // - m, if C is column-major, or if A is column-major and not padded.
  int alignment = 1;
  // The kernel supports any C: the alignment is required for A and B only. If A is column-major or
  // B is row-major, the buffer must extend to the next multiple of the alignment beyond m or n.
  bool any_c = false;
  Epilogue epilogue = Epilogue::kAlphaBeta;
  // C = activation(alpha op(A) op(B) + beta C + bias), with one bias per row (kM) or per column
  // (kN).
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  std::string point;  // its parameter point as text; retyped() needs it
  // Used to predict times:
  int vector_width = 1;  // elements per vector
  // kGemm: k steps per loop iteration if vectors run along k, because the remainder of k is
  // computed one step at a time. Otherwise 1.
  int iteration_k = 1;
  // Equal for kernels that differ only in bias and activation; empty: there is no other.
  std::string family;
  // Device classes whose built-in profile contains the kernel; empty: all. Used in generic profiles
  // only.
  DeviceClasses classes;
  // Of another profile: it is a kernel of the built-in profile. A profile's text then holds its
  // name and digest only.
  bool built_in = false;

  int alignment_c() const { return any_c ? 1 : alignment; }
  bool operator==(const KernelRecord&) const = default;
};

// Conversion of the enumerations to and from the words of the text format (nullopt: unknown word).
std::string_view to_text(Role);
std::string_view to_text(Op);
std::string_view to_text(IdOrder);
std::string_view to_text(Epilogue);
std::string_view to_text(Dimension);
std::string_view to_text(Activation);  // empty: no kernel applies it element by element
std::string_view to_text(Edges);
std::string to_text(const Images&);            // "", "a", "ab" ...
std::string half_sums_text(int accumulate_k);  // "0", "8", "all"
std::optional<Role> parse_role(std::string_view);
std::optional<Op> parse_op(std::string_view);
std::optional<IdOrder> parse_id_order(std::string_view);
std::optional<Epilogue> parse_epilogue(std::string_view);
std::optional<Dimension> parse_dimension(std::string_view);
std::optional<Activation> parse_activation(std::string_view);
std::optional<Edges> parse_edges(std::string_view);
std::optional<Images> parse_images(std::string_view);
std::optional<int> parse_half_sums(std::string_view);  // accepts values from 1

std::string list_activation_words();  // "identity, relu, ...": the valid words for messages

// The transpose combination for plain operands with layouts `a` and `b` (NN = R, R; NT = R, C; TN =
// C, R; TT = C, C). Packed operands count as not transposed.
Op op_from_layouts(const Layout& a, const Layout& b);
Layout op_layout_a(Op);
Layout op_layout_b(Op);

// The OpenCL extension that a device needs to compile the kernel, or "".
std::string_view required_extension(const KernelRecord&);

// Digest of what the driver compiles: source and build options.
std::string compute_digest(const KernelRecord&);
// Digest without comments and white space, which may change with the version of this program.
std::string compute_code_digest(const KernelRecord&);

// Returns why `source` must not be compiled from a data file, because it contains something that
// generated kernels never contain (a macro, a literal, __FILE__ ...), or nullopt. A profile may
// come from an untrusted source: it must not be able to read the user's files or to find out
// whether they exist.
std::optional<std::string> forbidden_source(std::string_view source);

// True if the build options let the compiler assume that there are no NaNs and infinities.
bool may_ignore_nan(const KernelRecord&);

// The first word of `build_options` that is not in the allow-list, or nullopt.
std::optional<std::string> forbidden_build_option(std::string_view build_options);

}  // namespace tilewright

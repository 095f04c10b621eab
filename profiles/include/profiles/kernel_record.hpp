// What must be known to launch one kernel, and nothing else?
//
// A KernelRecord is one emitted OpenCL function with its launch facts. Codelets make records,
// profiles carry them, the runtime launches them. Nobody downstream of a record needs to know the
// generator.
//
// All matrices are described row-major: a column-major call is turned into a row-major one before a
// record is looked at (C^T = op(B)^T op(A)^T), so no record ever speaks of column-major calls.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "activations/activation.hpp"
#include "profiles/device_class.hpp"
#include "profiles/layout.hpp"
#include "profiles/precision.hpp"

namespace tilewright {

// What a kernel does.
enum class Role {
  kGemm,        // C = alpha op(A) op(B) + beta C
  kGemv,        // the same where m or n is small: `narrow` says which, and `tile` how small
  kPack,        // bring a matrix from layout_a into layout_c, with zeros beyond its edges
  kReduce,      // add up the partial products that a kernel with split_k leaves
  kActivation,  // Y = activation(X + bias), with zeros beyond the edges of Y
  kSoftmax,  // the rows of X become probabilities, or with kLogSoftmax their logarithms; padded as
             // Y
};

// Is it a product of matrices?
constexpr bool is_product(Role role) {
  return role == Role::kGemm || role == Role::kGemv;
}

// Which operands of the row-major product C = alpha op(A) op(B) + beta C are stored transposed.
enum class Op { kNN, kNT, kTN, kTT };

// What the global id 0 (the one that varies fastest) runs along.
enum class IdOrder {
  kNM,    // get_global_id(0) runs along n, get_global_id(1) along m
  kMN,    // get_global_id(0) runs along m, get_global_id(1) along n
  kFlat,  // kActivation: get_global_id(0) runs along memory, get_global_id(1) is 0
};

// What the kernel does to a result on its way to C.
enum class Epilogue {
  kNone,       // stores it (kPack, kActivation, kSoftmax)
  kAlphaBeta,  // C = alpha result + beta C; beta = 0 never reads C
};

// A dimension of C, or none.
enum class Dimension { kNone, kM, kN };

// How reads of A and B keep inside their matrices.
enum class Edges {
  kGuarded,  // any extents; operands in plain layouts may end where the matrix ends
  kPadded,   // operands hold zeros up to `multiples`
};

// Which matrices are images of four floats a pixel: a pixel holds four neighbours along what is
// contiguous in the layout (R: columns; C: rows), a row of pixels one row (R) or column (C).
struct Images {
  bool a = false;
  bool b = false;
  bool c = false;  // for kPack: the destination
  bool operator==(const Images&) const = default;
};

// Elements of C (m x n) that one work-item computes, and the k steps of one turn of its loop.
struct Tile {
  int m = 1;
  int n = 1;
  int k = 1;
  bool operator==(const Tile&) const = default;
};

// accumulate_k of a kernel whose sums are halfs to the end.
inline constexpr int kWholeK = std::numeric_limits<int>::max();

struct KernelRecord {
  std::string name;  // unique in its profile; by convention the coordinates of its point
  Role role = Role::kGemm;
  Precision precision = Precision::kSingle;  // of matrices
  std::string entry;                         // name of the __kernel function in `source`
  std::string source;                        // OpenCL C, self-contained: no include directives
  std::string build_options;                 // exactly as measured; every word is in the allow-list
  // Local size in dimensions 0 and 1, work-items. {0, 0}: the driver's choice.
  std::array<int, 2> work_group = {1, 1};
  int work_group_k = 1;  // local size in dimension 2: work-items that share the k of a tile
  IdOrder id_order = IdOrder::kNM;
  // kGemm of halfs: products are halfs, and so are sums of so many k steps, which are then added to
  // one of floats. 0: all is computed in floats.
  int accumulate_k = 0;
  int split_k = 1;  // work-groups in dimension 2: parts of k, each with its own C
  // kGemm, kGemv without split_k, work_group_k and images: it does as many products as there are
  // work-items in dimension 2, whose matrices lie at distances that it is told.
  bool batched = false;
  std::int64_t local_bytes = 0;  // local memory of one work-group
  Tile tile;                     // register tile of one work-item, elements
  // kGemv: the dimension that one tile covers whole. The kernel serves n <= tile.n (kN) or
  // m <= tile.m (kM); work-items along it share the k steps of one tile.
  Dimension narrow = Dimension::kNone;
  // Of op(A), op(B) and C; for kPack of the source and the destination; for kActivation and
  // kSoftmax of X and Y, which lie alike. Only products have a B.
  Layout layout_a;
  std::optional<Layout> layout_b;
  Layout layout_c;
  Images images;
  Edges edges = Edges::kGuarded;
  // Operands that are not in plain layouts, or are images, are padded with zeros to these; so are
  // all operands where edges is kPadded, and C where it is not in a plain layout.
  Tile multiples;
  // Offsets and leading dimensions of all operands in plain layouts must be multiples of this
  // (elements). So must n where C lies row by row, or B does and is not padded; and m where C lies
  // column by column, or A does and is not padded.
  int alignment = 1;
  // The kernel writes any C: alignment is asked of A and B only. Where A lies column by column or B
  // row by row, its columns or rows have room up to the next multiple of alignment beyond m or n.
  bool any_c = false;
  Epilogue epilogue = Epilogue::kAlphaBeta;
  // C = activation(alpha op(A) op(B) + beta C + bias): one bias for each row (kM) or column (kN).
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  std::string point;  // the parameter point it was emitted from, as text; for people
  // What plans predict times from:
  int vector_width = 1;  // floats of its vectors
  // kGemm: k steps of one turn of the loop where vectors lie along k, since those behind the last
  // whole turn are done one by one. Else 1.
  int turn_k = 1;
  // The same for kernels that are one but for bias and activation; empty: there is no other.
  std::string family;
  // Devices whose built-in profile has it; empty: all. Only generic profiles tell.
  DeviceClasses classes;

  int alignment_c() const { return any_c ? 1 : alignment; }
  bool operator==(const KernelRecord&) const = default;
};

// The words of the text format for the enumerations above, and back (nullopt: not such a word).
std::string_view to_text(Role);
std::string_view to_text(Op);
std::string_view to_text(IdOrder);
std::string_view to_text(Epilogue);
std::string_view to_text(Dimension);
std::string_view to_text(Activation);  // empty: no kernel applies it to elements
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
std::optional<int> parse_half_sums(std::string_view);  // at least 1

std::string words_of_activations();  // "identity, relu, ...", as above

// The product whose plain operands lie as `a` and `b` say (NN = R, R; NT = R, C; TN = C, R; TT = C,
// C); operands that are packed count as not transposed.
Op op_of(const Layout& a, const Layout& b);
Layout layout_a_of(Op);
Layout layout_b_of(Op);

// What a device must list among its extensions to compile it, or "".
std::string_view extension_of(const KernelRecord&);

// Digest of what the driver compiles: source and build options.
std::string digest_of(const KernelRecord&);

// Why `source` may not be compiled from a data file (it has what generated kernels never have, as a
// macro, a literal or __FILE__), or nullopt. A profile is text from anywhere: it must not be able
// to read the user's files, nor to ask whether they exist.
std::optional<std::string> forbidden_source(std::string_view source);

// Was its compiler told that there is no NaN and no infinity?
bool may_ignore_nan(const KernelRecord&);

// The first word of `build_options` that is not in the allow-list, or nullopt.
std::optional<std::string> forbidden_build_option(std::string_view build_options);

}  // namespace tilewright

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
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

// What a kernel does. More roles (gemv, bias_activation ...) join as codelets for them appear.
enum class Role {
  kGemm,  // C = alpha op(A) op(B) + beta C
  kPack,  // bring a matrix from layout_a into layout_c
};

// Which operands of the row-major product C = alpha op(A) op(B) + beta C are stored transposed.
enum class Op { kNN, kNT, kTN, kTT };

// How the elements of a logical matrix lie in memory. `R`: rows are contiguous. `C`: columns are
// contiguous. The logical matrices are op(A) (m x k), op(B) (k x n) and C (m x n), so an operand
// that BLAS calls transposed has layout C.
enum class Layout { kR, kC };

// Which dimension of C the global id 0 (the one that varies fastest) runs along.
enum class IdOrder {
  kNM,  // get_global_id(0) runs along n, get_global_id(1) along m
  kMN,  // get_global_id(0) runs along m, get_global_id(1) along n
};

// What the kernel does to a result on its way to C.
enum class Epilogue {
  kNone,       // stores it (packing)
  kAlphaBeta,  // C = alpha result + beta C; beta = 0 never reads C
};

// Elements of C (m x n) that one work-item computes, and the k steps of one turn of its loop.
struct Tile {
  int m = 1;
  int n = 1;
  int k = 1;
  bool operator==(const Tile&) const = default;
};

struct KernelRecord {
  std::string name;  // unique in its profile; by convention the coordinates of its point
  Role role = Role::kGemm;
  std::string entry;                       // name of the __kernel function in `source`
  std::string source;                      // OpenCL C, self-contained: no include directives
  std::string build_options;               // exactly as measured; every word is in the allow-list
  std::array<int, 2> work_group = {1, 1};  // local size in dimensions 0 and 1, work-items
  IdOrder id_order = IdOrder::kNM;
  Tile tile;                       // register tile of one work-item, elements
  Layout layout_a = Layout::kR;    // of op(A); for kPack: of the source
  std::optional<Layout> layout_b;  // of op(B); kPack has no B
  Layout layout_c = Layout::kR;    // of C; for kPack: of the destination
  Tile multiples;                  // m, n, k must be multiples of these; 1: any extent
  Epilogue epilogue = Epilogue::kAlphaBeta;
  std::string point;  // the parameter point it was emitted from, as text

  bool operator==(const KernelRecord&) const = default;
};

// The words of the text format for the enumerations above, and back (nullopt: not such a word).
std::string_view to_text(Role);
std::string_view to_text(Op);
std::string_view to_text(Layout);
std::string_view to_text(IdOrder);
std::string_view to_text(Epilogue);
std::optional<Role> parse_role(std::string_view);
std::optional<Op> parse_op(std::string_view);
std::optional<Layout> parse_layout(std::string_view);
std::optional<IdOrder> parse_id_order(std::string_view);
std::optional<Epilogue> parse_epilogue(std::string_view);

// The product whose operands lie as `a` and `b` say (NN = R, R; NT = R, C; TN = C, R; TT = C, C).
Op op_of(Layout a, Layout b);
Layout layout_a_of(Op);
Layout layout_b_of(Op);

// Digest of what the driver compiles: source and build options.
std::string digest_of(const KernelRecord&);

// Why `source` may not be compiled from a data file (an include directive, a spelling that could
// hide one, a string or character literal), or nullopt. A profile is text from anywhere: it must
// not be able to read the user's files.
std::optional<std::string> forbidden_source(std::string_view source);

// The first word of `build_options` that is not in the allow-list, or nullopt.
std::optional<std::string> forbidden_build_option(std::string_view build_options);

}  // namespace tilewright

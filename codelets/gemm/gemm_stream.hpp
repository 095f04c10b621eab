// Divides the k steps of the last tiles evenly among the work-groups (stream-K).
//
// Internal to codelets. Used only if stream_k > 0. Work-groups run in waves. If every work-group
// computed one tile, the last wave could leave most of the device idle. So only the rows of tiles
// that fit into whole waves are computed like this, and stored in C. The blocks of k of the
// remaining tiles are numbered, tile by tile, and each work-group of one more wave computes an
// equal, consecutive share of them. It stores the sums of its blocks as part z of a tile, in matrix
// z of a workspace, and a reduce kernel adds the matrices up. A tile without a part z has zeros
// there. The caller determines the numbers of rows, tiles, work-groups and parts (see divide() in
// runtime/call/stream_division.hpp).
//
// Osama, Merrill, Cecka, Garland, Owens: Stream-K: Work-centric Parallel Decomposition for Dense
// Matrix-Matrix Multiplication on the GPU, PPoPP 2023.
#pragma once

#include <string>

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// The additional arguments of the kernel.
std::string stream_arguments();

// Opens the loop over the parts of tiles that the work-group computes. Declares `k_first` and
// `k_end`, and the number of the tile.
void open_stream(SourceText& out, const GemmFacts&);

// Stores zeros as the parts that a tile does not have. All work-items must execute it, after the
// position of the tile has been declared.
void emit_missing_parts(SourceText& out, const GemmFacts&);

// Stores the work-item's sums in C or in the workspace, and closes the loop. `in_parts` are the
// facts of a kernel that stores parts (split_k > 1) and is otherwise equal.
void close_stream(SourceText& out, const GemmFacts&, const GemmFacts& in_parts);

}  // namespace tilewright

// Emits the functions that store vectors of C, and names them for their callers.
//
// Internal to codelets.
#pragma once

#include <string>

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// How the tile is divided into vectors that are contiguous in C.
struct StoreShape {
  bool along_n = true;  // vectors along n, else along m
  int width = 1;
  // Ownership of lanes at the edge: a vector that was moved back owns its last lanes, any other
  // vector its first lanes.
  bool moved_back = false;
  bool guarded = true;  // C ends where the matrix ends; otherwise it is padded

  const Axis& minor(const GemmFacts& f) const { return along_n ? f.n : f.m; }
  const Axis& major(const GemmFacts& f) const { return along_n ? f.m : f.n; }
};

StoreShape store_shape(const GemmFacts&);

// True if some of a vector's elements may be outside of C, or belong to another work-item.
bool has_parts(const StoreShape&);

// True if whole vectors are stored with aligned stores when C is aligned.
bool stores_whole(const GemmFacts&, const StoreShape&);

// ", slope" and other arguments that the activation needs.
std::string activation_argument(const GemmFacts&, const char* type);

// Start of the names of functions that store vectors. A kernel with stream_k stores tiles in C, and
// parts of tiles in another type.
std::string store_prefix(const GemmFacts&);

// Name of the function that stores a vector of this width.
std::string store_name(const GemmFacts&, int width, bool whole);

// Emits the functions. Must precede the kernel.
void emit_store_functions(SourceText& out, const GemmFacts&);

}  // namespace tilewright

// How does a kernel of floats read and write matrices of halfs?
//
// One rule for all texts that emitters write, also those in profiles that were shipped: what is
// read becomes a float at once, what is written is rounded to the nearest half, ties to even.
// vload_half and vstore_half belong to OpenCL C 1.0 and need no cl_khr_fp16. Whole vectors are read
// and written as vectors of bits, those of eight and more also where they are not aligned. Local
// memory, registers, scalars and the parts of a split k stay floats; so do biases, which are added
// to sums.
//
// Where a kernel computes in halfs (which cl_khr_fp16 allows), its emitter has written "half" for
// registers and local memory, and what is read stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Which of a kernel's matrices are halfs.
enum class HalfMatrices {
  kAll,
  kRead,     // and what is written is a part of a sum: a kernel that splits k
  kWritten,  // and what is read is such parts: a reduce kernel
};

// The text of functions and a kernel, without its first line. Statements and expressions are those
// of emitters: pointers to global memory have names, and each name stands for the same kind of
// pointer everywhere; that of biases is "bias".
std::string with_half_storage(std::string_view code, HalfMatrices which, bool reads_halfs = false);

}  // namespace tilewright

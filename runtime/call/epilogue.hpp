// The epilogue of a network layer (bias and activation), and which kernels implement it.
#pragma once

#include "profiles/kernel_record.hpp"

namespace tilewright {

// C = activation(A B + bias), with one bias per column of C.
struct LayerEpilogue {
  bool bias = false;  // false: no bias; kernels that add one get zeros
  Activation activation = Activation::kIdentity;

  bool operator==(const LayerEpilogue&) const = default;
  bool empty() const { return *this == LayerEpilogue{}; }
};

// True if the kernel applies exactly this epilogue to the results that it stores. A kernel that
// adds a bias implements a layer without one (with zeros), but never a plain product, because that
// has no buffer of zeros.
bool implements_epilogue(const KernelRecord& record, const LayerEpilogue& epilogue);

}  // namespace tilewright

// What does a layer of a network ask of a product beside it, and which kernels do that?
#pragma once

#include "profiles/kernel_record.hpp"

namespace tilewright {

// C = activation(A B + bias), with one bias for each column of C.
struct LayerEpilogue {
  bool bias = false;  // false: there is none, and kernels that add one are given zeros
  Activation activation = Activation::kIdentity;

  bool operator==(const LayerEpilogue&) const = default;
  bool empty() const { return *this == LayerEpilogue{}; }
};

// Does a kernel do the whole epilogue with the results that it stores, and nothing else? A
// kernel that adds a bias serves a layer without one, with zeros, but never a plain product: that
// has none to give.
bool meets(const KernelRecord& record, const LayerEpilogue& epilogue);

}  // namespace tilewright

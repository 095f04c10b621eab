// Products of values with constant weights.
#pragma once

#include "onnx/onnx_node.hpp"

namespace tilewright {

// Of alpha op(A) op(B) + beta C.
struct Factors {
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1.0f;
  float beta = 1.0f;
};

// alpha op(A) op(B), of which at most one is computed.
OnnxValue product(OnnxNode& node, const OnnxValue& a, const OnnxValue& b,
                  const Factors& factors = {});

// X W for a stack of matrices W, of which each is multiplied by all samples: the result has the
// extents members x batch x outputs.
OnnxValue times_stack(OnnxNode& node, const OnnxValue& x, const OnnxValue& stack,
                      const Factors& factors);

}  // namespace tilewright

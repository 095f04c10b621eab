// Opens libraries and describes matrices through the C interface.
#pragma once

#include <string>

#include "catch.hpp"
#include "runtime/api/library.hpp"
#include "test_device.hpp"

namespace tilewright {

inline tw_options options_with_path(const std::string& path) {
  tw_options options = tw_make_options();
  options.profile_path = path.c_str();
  return options;
}

inline tw_options options_with_text(const std::string& text) {
  tw_options options = tw_make_options();
  options.profile_text = text.c_str();
  return options;
}

// A library that is closed at the end of the scope.
struct OpenLibrary {
  tw_library* library = nullptr;
  explicit OpenLibrary(const TestDevice& d, const tw_options& options = tw_make_options()) {
    const tw_status status = tw_open(d.context(), d.device(), &options, &library);
    INFO(tw_last_error());
    REQUIRE(status == TW_SUCCESS);
  }
  ~OpenLibrary() { tw_close(library); }
  OpenLibrary(const OpenLibrary&) = delete;
  OpenLibrary& operator=(const OpenLibrary&) = delete;
};

// A matrix in C that keeps its buffer.
struct CMatrix : tw_matrix {
  cl::Buffer owner;
};

inline CMatrix to_c(const Matrix& matrix) {
  return {tw_make_matrix(matrix.buffer(), matrix.offset, matrix.ld), matrix.buffer};
}

inline CMatrix to_c(const StridedMatrices& matrices) {
  CMatrix result = to_c(Matrix{matrices.buffer, matrices.offset, matrices.ld});
  result.stride = matrices.stride;
  return result;
}

inline tw_gemm_desc to_c(const GemmCall& call) {
  tw_gemm_desc desc = tw_make_gemm_desc(static_cast<tw_type>(call.type), call.m, call.n, call.k);
  desc.layout = static_cast<tw_layout>(call.order);
  desc.trans_a = static_cast<tw_transpose>(call.trans_a);
  desc.trans_b = static_cast<tw_transpose>(call.trans_b);
  desc.alpha = {call.alpha.real(), call.alpha.imag()};
  desc.beta = {call.beta.real(), call.beta.imag()};
  return desc;
}

}  // namespace tilewright

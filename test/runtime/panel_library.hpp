// Libraries whose kernels require packed operands, for tests of the four steps.
#pragma once

#include "runtime/api/plan.hpp"

#include <functional>
#include <string>
#include <vector>

#include "blas_case.hpp"
#include "catch.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "slow_built_in.hpp"
#include "written_kernels.hpp"

namespace tilewright {
// A profile of the device. Only the first kernel was measured, so the others are used only for its
// operands.
inline std::string make_profile_text(const TestDevice& d,
                                     const std::vector<KernelRecord>& kernels) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  profile.kernels = kernels;
  const KernelRecord& first = kernels.front();
  profile.results.push_back({op_from_layouts(first.layout_a, *first.layout_b), 8, 8, 8, first.name,
                             1.0, 1.0, 1.0, 9, 0.1});
  add_slow_built_in(profile, d);
  return write_profile(profile);
}

inline LibraryHandle make_library(const TestDevice& d, const std::vector<KernelRecord>& kernels) {
  return Library::open(d.context, d.device, ProfileSource::text(make_profile_text(d, kernels)));
}

inline LibraryHandle builtin(const TestDevice& d) {
  return Library::open(d.context, d.device, ProfileSource::builtin());
}

// A in panels of 8 rows, B in panels of 4 columns, C row-major.
inline std::vector<KernelRecord> panels() {
  KernelRecord product = written_gemm("panels", "R 8 1 C", "C 1 4 R", "R");
  product.multiples = {8, 4, 1};
  std::vector<KernelRecord> kernels{
      product, written_pack("a_from_R", "R", "R 8 1 C"), written_pack("a_from_C", "C", "R 8 1 C"),
      written_pack("b_from_R", "R", "C 1 4 R"), written_pack("b_from_C", "C", "C 1 4 R")};
  for (KernelRecord& kernel : kernels) kernel = with_source(kernel);
  return kernels;
}

// Only B in panels, of `columns` columns.
inline std::vector<KernelRecord> panels_of_b(int columns) {
  const std::string layout = "C 1 " + std::to_string(columns) + " R";
  KernelRecord product = written_gemm("panels_of_b", "R", layout.c_str(), "R");
  product.multiples = {1, columns, 1};
  return {with_source(product), with_source(written_pack("b_from_R", "R", layout.c_str()))};
}

inline tw_status error_status(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    CHECK_FALSE(std::string(error.what()).empty());
    return error.status();
  }
  return TW_SUCCESS;
}

}  // namespace tilewright

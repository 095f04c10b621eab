// CLBlast's OverrideParameters, which sets the parameters of CLBlast's own kernels.
//
// The kernels of the drop-in do not have these parameters. In a program that also loads CLBlast,
// parameters of CLBlast's other kernels are passed on to it.
#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

#include "argument_checks.hpp"
#include "clblast_abi.hpp"
#include "guarded_call.hpp"
#include "next_definition.hpp"

namespace clblast {
namespace {

// CLBlast's kernels of GEMM and GEMV.
constexpr const char* kReplaced[] = {"Xgemm", "XgemmDirect", "GemmRoutine",
                                     "Xgemv", "XgemvFast",   "XgemvFastRot"};

bool is_replaced(const std::string& kernel_name) {
  return std::find(std::begin(kReplaced), std::end(kReplaced), kernel_name) != std::end(kReplaced);
}

}  // namespace

StatusCode OverrideParameters(cl_device_id device, const std::string& kernel_name,
                              Precision precision,
                              const std::unordered_map<std::string, size_t>& parameters) {
  StatusCode status = StatusCode::kSuccess;
  const StatusCode refused = guarded([&] {
    require(!is_replaced(kernel_name), StatusCode::kNotImplemented,
            "tilewright's kernels have no parameters of CLBlast; tune them with `tilewright tune`");
    const auto next = next_definition(&OverrideParameters);
    require(next != nullptr, StatusCode::kNotImplemented,
            "parameters of CLBlast are set, but CLBlast is not loaded");
    status = next(device, kernel_name, precision, parameters);
  });
  return refused == StatusCode::kSuccess ? status : refused;
}

}  // namespace clblast

// Chooses the form of multiply-adds in which kernels are tried on a device.
//
// Which form is fast differs between devices, and on some devices between vector widths (RaijinCL,
// section III-B): a * b + c may or may not be contracted to one instruction, mad() may be a macro
// for it, and fma() may be emulated. Therefore the forms are measured before any kernel
// (device_rates.hpp), and the search tries kernels only in the device's best form.
#pragma once

#include <map>
#include <string>

#include "codelets/point/parameter_point.hpp"
#include "codelets/text/multiply_add.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// Best form for each vector width. Widths that are absent use the simplest form.
using Forms = std::map<int, MultiplyAdd>;

// Returns the point with the best form for its vector width. Points with dot() are unchanged,
// because dot() contains its own multiply-adds; so are points of codelets other than gemm and gemv.
ParameterPoint with_multiply_add_form(ParameterPoint point, const Forms& forms);

// Returns, for each width that was measured in this type of arithmetic, the simplest form whose
// rate is within 2 % of the best. The result depends only on the rates, so every reader of a
// journal or profile makes the same choice.
Forms best_forms(const DeviceRates& rates, Precision arithmetic = Precision::kSingle);
// Returns the point with the best form for the type in which it multiplies, or, if that type was
// not measured, for the type in which its precision accumulates.
ParameterPoint with_multiply_add_form(ParameterPoint point, const DeviceRates& rates);

}  // namespace tilewright

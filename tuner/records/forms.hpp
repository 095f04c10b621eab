// In which form of a multiply-add are kernels tried on a device?
//
// Which form is fast differs between devices, and on some between vector widths of one device
// (RaijinCL, section III-B): a * b + c may or may not be contracted to one instruction, mad() may
// be a macro of it, fma() may be emulated. So it is measured before kernels are
// (device_rates.hpp), and the search tries kernels in the device's best form only.
#pragma once

#include <map>
#include <string>

#include "codelets/point/parameter_point.hpp"
#include "codelets/text/multiply_add.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// Best form for each vector width; widths that it does not name have the simplest.
using Forms = std::map<int, MultiplyAdd>;

// The point as the device spells it best. dot() holds its own multiply-adds, and points of other
// codelets than gemm and gemv have none.
ParameterPoint spelled(ParameterPoint point, const Forms& forms);

// The point as a search knows it, in which forms are not searched.
ParameterPoint unspelled(ParameterPoint point);

// For each width that was measured in that type of arithmetic the simplest form whose rate is
// within 2 % of the best. It depends on nothing but the rates, so that whoever reads them in a
// journal or a profile chooses alike.
Forms forms_of(const DeviceRates& rates, Precision arithmetic = Precision::kSingle);
// The point in the best form of its arithmetic; of its precision's sums where that was not
// measured.
ParameterPoint spelled(ParameterPoint point, const DeviceRates& rates);

// What was chosen for products of such elements, with the rate of the best width: a line.
std::string summary_of(const DeviceRates& rates, Precision precision = Precision::kSingle);

}  // namespace tilewright

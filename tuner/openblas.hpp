// How is OpenBLAS measured beside others?
#pragma once

#include <functional>
#include <string>

namespace tilewright {

// What it is and how it is set up; "" of another CBLAS, or where the program was built without.
std::string openblas_details();

// Wall time in seconds of so many calls, which use OpenBLAS. Its threads spin for some 25 ms after
// a call and then sleep. Its samples begin while they spin, and nobody else's do: on a CPU those
// would have half of the cores.
double openblas_seconds(const std::function<void()>& call, int calls);

}  // namespace tilewright

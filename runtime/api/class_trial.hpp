// Of which class is a device whose driver leaves two open?
//
// likely_classes() names them. The kernels that the built-in profile has for each are timed on one
// small product, once: the answer is kept in the folder of the cache of binaries.
#pragma once

#include <CL/opencl.hpp>

#include <vector>

#include "profiles/device_class.hpp"
#include "runtime/device/log.hpp"

namespace tilewright {

// class_facts(), with the class that is faster where there are two. With TILEWRIGHT_TIMING=off
// nothing is timed or looked up. Compiles up to two kernels and runs them for 50 ms at most; never
// fails but as class_facts() does: what does not run loses. The log is told.
ClassFacts timed_class_facts(const cl::Context& context, const cl::Device& device, const Log& log);

// The same for facts that say otherwise.
ClassFacts timed_class_facts(const cl::Context& context, const cl::Device& device, ClassFacts facts,
                             const Log& log);

}  // namespace tilewright

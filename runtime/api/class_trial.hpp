// Of which class is a device whose driver leaves two possible?
//
// likely_classes() names them. The kernels that the built-in profile has for each are timed on one
// small product, once: the answer is kept in the folder of the cache of binaries. Without that
// folder they are timed at each opening.
#pragma once

#include <CL/opencl.hpp>

#include <optional>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/device/binary_cache.hpp"
#include "runtime/device/log.hpp"

namespace tilewright {

// The facts by which a library takes the built-in profile's kernels: class_facts(), and where that
// profile is all that it has (kGeneric) and two classes are likely, which is faster. With
// TILEWRIGHT_TIMING=off nothing is timed or looked up. Timing compiles what a product needs of each
// class, launches it once, and then measures for about 50 ms. What does not run loses; where
// nothing does, the likeliest stays. The log is told. Throws Error where class_facts() does.
ClassFacts serving_class_facts(const cl::Context& context, const cl::Device& device,
                               ProfileKind kind, const Log& log);
// The same for a device of these facts.
ClassFacts serving_class_facts(const cl::Context& context, const cl::Device& device,
                               ClassFacts facts, ProfileKind kind, const Log& log);

struct TimedClass {
  DeviceClass value;
  std::optional<double> best_ms;  // nullopt: it does not run
};

// The first that runs, unless another takes less than nine tenths of its time: small products say
// little of small differences. nullopt: nothing runs.
std::optional<DeviceClass> faster_class(const std::vector<TimedClass>& classes);

// Under which the cache keeps a device's answer. Throws Error if the driver does not answer.
BinaryKey class_trial_key(const cl::Device& device, const std::vector<DeviceClass>& likely);

}  // namespace tilewright

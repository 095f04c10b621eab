// The rows of each table of the text format, in order: key, member, range, and when it is present.
//
// This is the only list of them. Reading, writing, checking and the place of an error follow from
// it: the reader (row_reader.hpp) and the writer (profile_write.cpp) are visitors.
//
//   field(key, member, range)              is always present
//   optional(key, member, absent, range)   is present unless the member equals `absent`
//   required_if(holds, key, member, range) is present if and only if `holds`
//
// A key has the name of its member. A member without a range may have any value of its type. Rules
// about several members are in read_profile.cpp and kernel_rules.cpp.
#pragma once

#include <cstdint>
#include <limits>

#include "profiles/profile.hpp"

namespace tilewright {

// The range of each integer of a member.
struct Integers {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};
inline constexpr Integers kFrom0{0};
inline constexpr Integers kFrom1{1};

// The range of a number. NaN is in no range.
struct Floats {
  double low;
  double high;
  bool or_zero;
  const char* message;
  constexpr bool contains(double value) const {
    return (value >= low && value <= high) || (or_zero && value == 0.0);
  }
};
// All real measurements are in this range in any unit of a profile, and predictions from such
// values do not overflow. A rate of 0 was not measured.
inline constexpr Floats kTime{1e-9, 1e15, false, "must be positive and finite: from 1e-9 to 1e15"};
inline constexpr Floats kRate{1e-9, 1e15, true,
                              "must be finite and not negative: 0, or from 1e-9 to 1e15"};
inline constexpr Floats kShareOfBound{
    0.0, 1.0 - std::numeric_limits<double>::epsilon() / 2, false,
    "must be at least 0 and below 1 (from 1 the product is wrong)"};

template <class Visitor, class Device>
void visit_identity(Visitor& visitor, Device& device) {
  visitor.field("vendor", device.vendor);
  visitor.field("name", device.name);
  visitor.field("opencl_c_version", device.opencl_c_version);
  visitor.optional("processor", device.processor);
}

template <class Visitor, class Limits>
void visit_limits(Visitor& visitor, Limits& limits) {
  visitor.field("max_work_group_size", limits.max_work_group_size, kFrom1);
  visitor.field("max_work_item_sizes", limits.max_work_item_sizes, kFrom1);
  visitor.field("local_memory_bytes", limits.local_memory_bytes, kFrom0);
  visitor.field("local_memory_is_dedicated", limits.local_memory_is_dedicated);
  visitor.field("image_support", limits.image_support);
}

template <class Visitor, class Device>
void visit_soft(Visitor& visitor, Device& device) {
  visitor.field("platform", device.platform);
  visitor.field("driver", device.driver);
  visitor.field("compute_units", device.compute_units, kFrom0);
}

template <class Visitor, class Device>
void visit_information(Visitor& visitor, Device& device) {
  visitor.field("max_clock_mhz", device.max_clock_mhz, kFrom0);
}

template <class Visitor, class Provenance>
void visit_provenance(Visitor& visitor, Provenance& provenance) {
  visitor.field("tool_version", provenance.tool_version);
  visitor.field("command_line", provenance.command_line);
  visitor.field("seed", provenance.seed);
  visitor.field("space_digest", provenance.space_digest);
  visitor.field("complete", provenance.complete);
  visitor.field("statistic", provenance.statistic);
  visitor.field("date", provenance.date);
  visitor.optional("not_covered", provenance.not_covered);
}

// All rates except multiply_adds, which have tables of their own. Rates of types other than float
// are present only if they are not 0 or false.
template <class Visitor, class Rates>
void visit_rates(Visitor& visitor, Rates& rates) {
  visitor.field("peak_gflops", rates.peak_gflops, kRate);
  visitor.field("copy_gbytes_per_s", rates.copy_gbytes_per_s, kRate);
  visitor.field("local_gbytes_per_s", rates.local_gbytes_per_s, kRate);
  visitor.field("image_gbytes_per_s", rates.image_gbytes_per_s, kRate);
  visitor.field("launch_ns", rates.launch_ns, kRate);
  visitor.field("round_trip_ns", rates.round_trip_ns, kRate);
  visitor.field("timer_step_ns", rates.timer_step_ns, kRate);
  visitor.field("event_time", rates.event_time);
  visitor.optional("double_peak_gflops", rates.double_peak_gflops, 0.0, kRate);
  visitor.optional("half_peak_gflops", rates.half_peak_gflops, 0.0, kRate);
  visitor.optional("half_is_emulated", rates.half_is_emulated);
}

template <class Visitor, class Rate>
void visit_multiply_add(Visitor& visitor, Rate& rate) {
  visitor.field("vector_width", rate.vector_width, Integers{1, 16});
  visitor.field("form", rate.form);
  visitor.field("gflops", rate.gflops, kRate);
  visitor.optional("precision", rate.precision);
}

template <class Visitor, class Validation>
void visit_validation(Visitor& visitor, Validation& validation) {
  visitor.optional("precision", validation.precision);
  visitor.field("products", validation.products, kFrom1);
  visitor.field("of_best", validation.of_best, kTime);
  visitor.field("worst_of_best", validation.worst_of_best, kTime);
  visitor.field("times_built_in", validation.times_built_in, kTime);
  visitor.field("worst_times_built_in", validation.worst_times_built_in, kTime);
  visitor.optional("other_profile", validation.other_profile);
  const bool has_other = !validation.other_profile.empty();
  visitor.required_if(has_other, "times_other", validation.times_other, kTime);
  visitor.required_if(has_other, "worst_times_other", validation.worst_times_other, kTime);
}

// All fields except the source, which is last in the text, after the digest.
template <class Visitor, class Kernel>
void visit_kernel(Visitor& visitor, Kernel& kernel) {
  visitor.field("name", kernel.name);
  visitor.field("role", kernel.role);
  visitor.field("entry", kernel.entry);
  visitor.field("build_options", kernel.build_options);
  visitor.work_group("work_group", kernel.work_group, kernel.work_group_k);
  visitor.field("id_order", kernel.id_order);
  visitor.field("split_k", kernel.split_k, kFrom1);
  visitor.optional("batched", kernel.batched);
  visitor.field("local_bytes", kernel.local_bytes, kFrom0);
  visitor.field("tile", kernel.tile, kFrom1);
  visitor.field("narrow", kernel.narrow);
  visitor.field("layout_a", kernel.layout_a);
  visitor.required_if(is_product(kernel.role), "layout_b", kernel.layout_b);
  visitor.field("layout_c", kernel.layout_c);
  visitor.field("images", kernel.images);
  visitor.field("edges", kernel.edges);
  visitor.field("multiples", kernel.multiples, kFrom1);
  visitor.field("alignment", kernel.alignment);
  visitor.optional("any_c", kernel.any_c);
  visitor.field("epilogue", kernel.epilogue);
  visitor.field("bias", kernel.bias);
  visitor.field("activation", kernel.activation);
  visitor.field("point", kernel.point);
  visitor.field("vector_width", kernel.vector_width, Integers{1, 16});
  visitor.field("iteration_k", kernel.iteration_k, kFrom1);
  visitor.field("family", kernel.family);
  visitor.optional("classes", kernel.classes);
  visitor.optional("precision", kernel.precision);
  visitor.half_sums("accumulate_k", kernel.accumulate_k);
  visitor.optional("stream_k", kernel.stream_k, 0, kFrom1);
}

template <class Visitor, class Reference>
void visit_reference(Visitor& visitor, Reference& reference) {
  visitor.field("name", reference.name);
  visitor.field("digest", reference.digest);
  visitor.optional("fails", reference.fails);
}

// What the results of one kernel have in common; the others are in the rows of its table.
template <class Visitor, class Result>
void visit_result(Visitor& visitor, Result& result) {
  visitor.field("kernel", result.kernel);
  visitor.field("op", result.op);
  visitor.field("max_error", result.max_error, kShareOfBound);
}

template <class Visitor, class Result>
void visit_pack_result(Visitor& visitor, Result& result) {
  visitor.field("kernel", result.kernel);
  visitor.field("ns_per_element", result.ns_per_element, kTime);
  visitor.optional("extent", result.extent, kMovedExtent, kFrom1);
}

template <class Visitor, class Model>
void visit_model(Visitor& visitor, Model& model) {
  visitor.field("kernel", model.kernel);
  visitor.field("fixed_ns", model.fixed_ns, kRate);
  visitor.field("even_ps", model.even_ps, kRate);
  visitor.field("whole_ps", model.whole_ps, kRate);
  visitor.field("group_ps", model.group_ps, kRate);
  visitor.field("element_ps", model.element_ps, kRate);
  visitor.field("byte_ps", model.byte_ps, kRate);
  visitor.field("far_ps", model.far_ps, kRate);
  visitor.optional("page_ps", model.page_ps, 0.0, kRate);
  visitor.field("narrow_ps", model.narrow_ps, kRate);
  visitor.field("error", model.error, kRate);
  visitor.optional("max_work", model.max_work, 0.0, kRate);
}

}  // namespace tilewright

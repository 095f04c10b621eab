// The keys of each table of the text format, in order.
//
// This is the only list of them. The writer and the parser are visitors: visitor.field(key, member)
// writes or reads the member. A key has the name of its member.
#pragma once

namespace tilewright {

template <class Visitor, class Device>
void visit_identity(Visitor& visitor, Device& device) {
  visitor.field("vendor", device.vendor);
  visitor.field("name", device.name);
  visitor.field("opencl_c_version", device.opencl_c_version);
  visitor.known("processor", device.processor);
}

template <class Visitor, class Limits>
void visit_limits(Visitor& visitor, Limits& limits) {
  visitor.field("max_work_group_size", limits.max_work_group_size);
  visitor.field("max_work_item_sizes", limits.max_work_item_sizes);
  visitor.field("local_memory_bytes", limits.local_memory_bytes);
  visitor.field("local_memory_is_dedicated", limits.local_memory_is_dedicated);
  visitor.field("image_support", limits.image_support);
}

template <class Visitor, class Device>
void visit_soft(Visitor& visitor, Device& device) {
  visitor.field("platform", device.platform);
  visitor.field("driver", device.driver);
  visitor.field("compute_units", device.compute_units);
}

template <class Visitor, class Device>
void visit_information(Visitor& visitor, Device& device) {
  visitor.field("max_clock_mhz", device.max_clock_mhz);
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
  visitor.known("not_covered", provenance.not_covered);
}

// All rates except multiply_adds, which have tables of their own. Rates of types other than float
// are present only if they are not 0 or false.
template <class Visitor, class Rates>
void visit_rates(Visitor& visitor, Rates& rates) {
  visitor.field("peak_gflops", rates.peak_gflops);
  visitor.field("copy_gbytes_per_s", rates.copy_gbytes_per_s);
  visitor.field("local_gbytes_per_s", rates.local_gbytes_per_s);
  visitor.field("image_gbytes_per_s", rates.image_gbytes_per_s);
  visitor.field("launch_ns", rates.launch_ns);
  visitor.field("round_trip_ns", rates.round_trip_ns);
  visitor.field("timer_step_ns", rates.timer_step_ns);
  visitor.field("event_time", rates.event_time);
  visitor.known("double_peak_gflops", rates.double_peak_gflops);
  visitor.known("half_peak_gflops", rates.half_peak_gflops);
  visitor.mark("half_is_emulated", rates.half_is_emulated);
}

template <class Visitor, class Rate>
void visit_multiply_add(Visitor& visitor, Rate& rate) {
  visitor.field("vector_width", rate.vector_width);
  visitor.field("form", rate.form);
  visitor.field("gflops", rate.gflops);
  visitor.precision("precision", rate.precision);
}

template <class Visitor, class Validation>
void visit_validation(Visitor& visitor, Validation& validation) {
  visitor.precision("precision", validation.precision);
  visitor.field("products", validation.products);
  visitor.field("of_best", validation.of_best);
  visitor.field("worst_of_best", validation.worst_of_best);
  visitor.field("times_built_in", validation.times_built_in);
  visitor.field("worst_times_built_in", validation.worst_times_built_in);
  visitor.known("other_profile", validation.other_profile);
  visitor.known("times_other", validation.times_other);
  visitor.known("worst_times_other", validation.worst_times_other);
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
  visitor.field("split_k", kernel.split_k);
  visitor.mark("batched", kernel.batched);
  visitor.field("local_bytes", kernel.local_bytes);
  visitor.field("tile", kernel.tile);
  visitor.field("narrow", kernel.narrow);
  visitor.field("layout_a", kernel.layout_a);
  visitor.field("layout_b", kernel.layout_b);
  visitor.field("layout_c", kernel.layout_c);
  visitor.field("images", kernel.images);
  visitor.field("edges", kernel.edges);
  visitor.field("multiples", kernel.multiples);
  visitor.field("alignment", kernel.alignment);
  visitor.mark("any_c", kernel.any_c);
  visitor.field("epilogue", kernel.epilogue);
  visitor.field("bias", kernel.bias);
  visitor.field("activation", kernel.activation);
  visitor.field("point", kernel.point);
  visitor.field("vector_width", kernel.vector_width);
  visitor.field("iteration_k", kernel.iteration_k);
  visitor.field("family", kernel.family);
  visitor.classes("classes", kernel.classes);
  visitor.precision("precision", kernel.precision);
  visitor.half_sums("accumulate_k", kernel.accumulate_k);
  visitor.known("stream_k", kernel.stream_k);
}

// What the results of one kernel have in common; the others are in the rows of its table.
template <class Visitor, class Result>
void visit_result(Visitor& visitor, Result& result) {
  visitor.field("kernel", result.kernel);
  visitor.field("op", result.op);
  visitor.field("max_error", result.max_error);
}

template <class Visitor, class Result>
void visit_pack_result(Visitor& visitor, Result& result) {
  visitor.field("kernel", result.kernel);
  visitor.field("ns_per_element", result.ns_per_element);
  visitor.moved_extent("extent", result.extent);
}

template <class Visitor, class Model>
void visit_model(Visitor& visitor, Model& model) {
  visitor.field("kernel", model.kernel);
  visitor.field("fixed_ns", model.fixed_ns);
  visitor.field("even_ps", model.even_ps);
  visitor.field("whole_ps", model.whole_ps);
  visitor.field("group_ps", model.group_ps);
  visitor.field("element_ps", model.element_ps);
  visitor.field("byte_ps", model.byte_ps);
  visitor.field("far_ps", model.far_ps);
  visitor.known("page_ps", model.page_ps);
  visitor.field("narrow_ps", model.narrow_ps);
  visitor.field("error", model.error);
  visitor.known("max_work", model.max_work);
}

}  // namespace tilewright

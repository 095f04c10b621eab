// The names of all fields of GpuFacts.
//
// The only list of them: code that reads or writes the facts visits it.
#pragma once

#include "profiles/device_info.hpp"

namespace tilewright {

// Calls visit(name, member) for every required fact, in order. `Facts` is GpuFacts or const
// GpuFacts.
template <class Facts, class Visit>
void visit_gpu_facts(Facts& facts, Visit&& visit) {
  visit("name", facts.name);
  visit("architecture", facts.architecture);
  visit("compute_units", facts.compute_units);
  visit("clock_mhz", facts.clock_mhz);
  visit("vector_width", facts.vector_width);
  visit("preferred_work_group_multiple", facts.preferred_work_group_multiple);
  visit("fma_per_clock", facts.fma_per_clock);
  visit("has_fma", facts.has_fma);
  visit("registers", facts.registers);
  visit("resident_work_items", facts.resident_work_items);
  visit("l1_bytes", facts.l1_bytes);
  visit("l2_bytes", facts.l2_bytes);
  visit("cache_line_bytes", facts.cache_line_bytes);
  visit("watchdog_ms", facts.watchdog_ms);
}

// Calls visit(name, member) for every optional fact. Unknown ones are 0.
template <class Facts, class Visit>
void visit_optional_gpu_facts(Facts& facts, Visit&& visit) {
  visit("double_fma_per_clock", facts.double_fma_per_clock);
  visit("half_fma_per_clock", facts.half_fma_per_clock);
}

}  // namespace tilewright

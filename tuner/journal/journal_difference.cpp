#include <fmt/format.h>

#include "profiles/hardware_name.hpp"
#include "tuner/journal/journal.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

// Compares two headers and keeps their first difference as a sentence.
class Comparison {
 public:
  Comparison(const JournalHeader& theirs, std::string_view whose)
      : theirs_(theirs), whose_(whose) {}

  template <class Value>
  void same(std::string_view name, const Value& ours, const Value& theirs) {
    if (result_) return;
    const std::string our_text = to_line(ours);  // compared as journals contain them: rounded
    const std::string their_text = to_line(theirs);
    if (our_text == their_text) return;
    result_ = fmt::format("the {} {}, {}'s {}", name, our_text, whose_, their_text);
  }
  template <class Value, class Owner>
  void same(std::string_view name, const JournalHeader& ours, Value Owner::*member) {
    same(name, ours.*member, theirs_.*member);
  }
  std::optional<std::string> result() const { return result_; }

 private:
  const JournalHeader& theirs_;
  std::string_view whose_;
  std::optional<std::string> result_;
};

// Compares what must agree both for continuing and for merging.
void compare_common(Comparison& comparison, const JournalHeader& ours,
                    const JournalHeader& theirs) {
  const DeviceIdentity& our_device = ours.device.identity;
  const DeviceIdentity& their_device = theirs.device.identity;
  comparison.same("device is", hardware_name(our_device.name), hardware_name(their_device.name));
  comparison.same("the device's vendor is", our_device.vendor, their_device.vendor);
  comparison.same("device's OpenCL C is", our_device.opencl_c_version,
                  their_device.opencl_c_version);
  if (is_other_processor(our_device.processor, their_device.processor)) {
    comparison.same("device's processor is", our_device.processor, their_device.processor);
  }
  comparison.same("device's limits are", our_device.limits, their_device.limits);
  // Only this distinguishes the two devices of a Mali-T628.
  comparison.same("number of the device's compute units is", our_device.compute_units,
                  their_device.compute_units);
  comparison.same("limits of kernels are", ours.device.limits, theirs.device.limits);
  comparison.same("version of tilewright is", ours, &JournalHeader::tool_version);
  comparison.same("ops are", ours, &JournalHeader::ops);
  comparison.same("precision is", ours, &JournalHeader::precision);
  comparison.same("restriction (--only) is", ours, &JournalHeader::only);
  comparison.same("search of kernels with packed operands (--no-packing) is", ours,
                  &JournalHeader::packed);
  comparison.same("packing of weights in advance is", ours, &JournalHeader::b_prepacked);
  const MeasureOptions& our_options = ours.measure;
  const MeasureOptions& their_options = theirs.measure;
  comparison.same("length of a sample (ns) is", our_options.sample_ns, their_options.sample_ns);
  comparison.same("number of samples is", our_options.samples, their_options.samples);
  comparison.same("longest dispatch (ns) is", our_options.max_dispatch_ns,
                  their_options.max_dispatch_ns);
  comparison.same("flushing of caches (--caches) is", our_options.cold_caches,
                  their_options.cold_caches);
  comparison.same("use of event timestamps (--timer) is", our_options.event_time,
                  their_options.event_time);
}

}  // namespace

std::optional<std::string> difference(const JournalHeader& journal, const JournalHeader& wanted) {
  Comparison comparison(journal, "the journal");
  compare_common(comparison, wanted, journal);
  // The shapes of --shapes auto depend on the seed, and the search space depends on the shapes.
  comparison.same("seed is", wanted, &JournalHeader::seed);
  comparison.same("shapes are", wanted, &JournalHeader::shapes);
  comparison.same("number of shapes of --shapes auto is", wanted, &JournalHeader::designed);
  comparison.same("digest of the search space is", wanted, &JournalHeader::space_digest);
  comparison.same("shard is", wanted, &JournalHeader::shard);
  comparison.same("number of shards is", wanted, &JournalHeader::shards);
  return comparison.result();
}

std::optional<std::string> merge_difference(const JournalHeader& a, const JournalHeader& b) {
  Comparison comparison(b, "the other");
  compare_common(comparison, a, b);
  // Other shapes enable other parts of the space (narrow tiles, split k). The time of a kernel does
  // not depend on what else was searched.
  if (a.shapes == b.shapes)
    comparison.same("digest of the search space is", a, &JournalHeader::space_digest);
  return comparison.result();
}

}  // namespace tilewright

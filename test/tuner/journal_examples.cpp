#include "journal_examples.hpp"

#include "tuner/search/pack_requirements.hpp"

namespace tilewright {

JournalHeader example_header(std::vector<GemmShape> shapes) {
  JournalHeader header;
  header.tool_version = "0.1.0";
  header.device.identity = {.vendor = "maker",
                            .name = "board",
                            .opencl_c_version = "OpenCL C 1.2 ",
                            .limits = {1024, {1024, 1024}, 65536, true, true},
                            .platform = "platform",
                            .driver = "driver 1",
                            .compute_units = 4,
                            .max_clock_mhz = 600};
  header.device.limits = {header.device.identity.limits, 16, 256};
  header.device.kind = DeviceKind::kGpu;
  header.ops = {Op::kNN};
  header.shapes = std::move(shapes);
  header.space_digest = "xxh3-0";
  header.date = "2026-01-01T00:00:00Z";
  return header;
}

Outcome example_outcome(const std::string& point, const std::string& task,
                        const std::vector<std::pair<GemmShape, std::vector<double>>>& samples,
                        double at_s) {
  Outcome outcome;
  outcome.kernel = parse_kernel(point);
  outcome.task = task;
  outcome.max_error = 0.125;
  outcome.at_s = at_s;
  for (const auto& [shape, ns] : samples) {
    ShapeSamples of_shape;
    of_shape.shape = shape;
    of_shape.ns = ns;
    outcome.shapes.push_back(of_shape);
  }
  return outcome;
}

Outcome example_pack(const std::string& kernel, double ns_per_element) {
  const int extent = moved_extent(parse_point(kernel));
  return example_outcome(kernel, kPacking,
                         {{{extent, extent, 1}, {ns_per_element * extent * extent}}}, 0.0);
}

Outcome example_plan(const std::string& kernel, const GemmShape& shape, double ns,
                     double predicted_ns) {
  Outcome plan = example_outcome(kernel, kValidating, {{shape, {ns}}}, 0.0);
  plan.max_error = 0.0;
  plan.predicted_ns = predicted_ns;
  return plan;
}

std::vector<Outcome> example_finals(const GemmShape& shape, const std::map<std::string, double>& ns,
                                    int count) {
  std::vector<Outcome> finals;
  for (int i = 0; i < count; ++i) {
    const double noise = 1.0 + 0.0025 * (i % 3 - 1);
    for (const auto& [kernel, time_ns] : ns) {
      finals.push_back(example_round(kernel, shape, i / kRoundsOfBlock, i, noise * time_ns));
    }
  }
  return finals;
}

Outcome example_round(const std::string& kernel, const GemmShape& shape, int process, int round,
                      double ns) {
  Outcome outcome = example_outcome(kernel, kFinals, {{shape, {ns}}}, 0.0);
  outcome.max_error = 0.0;
  outcome.process = process;
  outcome.round = round;
  return outcome;
}

}  // namespace tilewright

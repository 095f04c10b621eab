#include "journal_examples.hpp"

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

PackOutcome example_pack(const std::string& requirement, const std::string& kernel,
                         double ns_per_element) {
  return {parse_point(requirement), {parse_kernel(kernel), ns_per_element}};
}

std::vector<Round> example_rounds(const GemmShape& shape, const std::map<std::size_t, double>& ns,
                                  int count) {
  std::vector<Round> rounds;
  for (int i = 0; i < count; ++i) {
    Round& round = rounds.emplace_back(Round{i / kRoundsOfBlock, i, shape, ns});
    const double noise = 1.0 + 0.0025 * (i % 3 - 1);
    for (auto& [finalist, time_ns] : round.ns) time_ns *= noise;
  }
  return rounds;
}

}  // namespace tilewright

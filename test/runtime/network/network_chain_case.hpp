// Plans networks with artificial records and results.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "plan_records.hpp"
#include "runtime/network/network_chain.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {

inline constexpr const char* kPanels = "R 4 1 C";

inline AffineLayer affine(std::int64_t inputs, std::int64_t outputs, bool bias = false) {
  return {"", inputs, outputs, std::vector<float>(static_cast<std::size_t>(inputs * outputs), 1.0f),
          std::vector<float>(bias ? static_cast<std::size_t>(outputs) : 0, 1.0f)};
}

inline ActivationLayer make_layer(NetworkActivation activation) {
  return {"", activation, 0.5f};
}

// Returns a network of affine layers with these widths, and the activations after each but the
// last.
inline NetworkModel net(const std::vector<std::int64_t>& widths,
                        const std::vector<NetworkActivation>& between = {}) {
  NetworkModel model;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    model.layers.push_back(affine(widths[i - 1], widths[i]));
    if (i + 1 == widths.size()) break;
    for (const NetworkActivation activation : between)
      model.layers.push_back(make_layer(activation));
  }
  return model;
}

// A and C in panels of four rows, B in panels of four columns.
inline KernelRecord panels() {
  KernelRecord record = gemm("panels", Op::kNN);
  record.layout_a = record.layout_c = layout(kPanels);
  record.layout_b = layout("C 1 4 R");
  record.edges = Edges::kPadded;
  record.multiples = {4, 4, 1};
  return record;
}

inline KernelRecord for_layers(const std::string& name, Role role, const char* text,
                               Activation activation = Activation::kIdentity) {
  KernelRecord record;
  record.name = name;
  record.role = role;
  record.epilogue = Epilogue::kNone;
  record.layout_a = record.layout_c = layout(text);
  record.activation = activation;
  return record;
}

// Returns a profile with row-major products of 8 x 8 x 8 that take 100 ns, products in panels, and
// pack kernels that take `move` ns for 64 elements.
inline Profile rows_and_panels(double panels_ns, double move_ns) {
  Profile profile =
      tuned({gemm("rows", Op::kNN), panels(), pack("in", "R", kPanels), pack("b", "R", "C 1 4 R"),
             pack("out", kPanels, "R"),
             for_layers("relu of rows", Role::kActivation, "R", Activation::kRelu),
             for_layers("softmax of rows", Role::kSoftmax, "R")},
            {result(Op::kNN, 8, "rows", 100), result(Op::kNN, 8, "panels", panels_ns)});
  profile.pack_results = {{"in", move_ns / 64},
                          {"out", move_ns / 64},
                          {"b", 1.0},
                          {"relu of rows", 1e-3},
                          {"softmax of rows", 1e-3}};
  return profile;
}

struct Planned {
  std::vector<std::string> kernels;  // of products and the parts between them
  std::vector<std::string> layouts;  // layout and columns after each part: "R 8", "R 4 1 C 8"
  std::vector<ChainLink> links;
  std::vector<Storage> storages;
  std::vector<ChainPart> parts;
};

inline Planned plan(const Profile& profile, const NetworkModel& model, std::int64_t batch,
                    const std::set<std::string>& missing = {}, const DeviceInfo& limits = kOffered,
                    Precision precision = Precision::kSingle) {
  Planned planned;
  planned.parts = make_parts(model);
  const std::vector<const Profile*> profiles{&profile};
  const MeasuredTimes times(profiles);
  const PlanBasis basis{profiles, times, limits,
                        [&](const KernelRecord& record) { return missing.count(record.name) > 0; }};
  const auto ld = [](std::int64_t width) { return static_cast<std::size_t>(width); };
  const ChainQuestion question{planned.parts,
                               batch,
                               {nullptr, 0, ld(planned.parts.front().inputs)},
                               {nullptr, 0, ld(planned.parts.back().outputs)},
                               precision};
  auto links = plan_chain(basis, question);
  if (!links) return planned;
  planned.links = std::move(*links);
  planned.storages = result_storages(question, planned.links);
  for (const ChainLink& link : planned.links) {
    planned.kernels.push_back(link.product ? link.product->kernel().name
                                           : link.kernels.front()->name);
    planned.layouts.push_back(to_text(link.to.layout) + " " + std::to_string(link.to.columns));
  }
  return planned;
}

}  // namespace tilewright

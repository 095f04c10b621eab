// How the layers of a net are planned together: made-up records and results, no device.
#include "runtime/net/mlp_chain.hpp"

#include <set>

#include "catch.hpp"
#include "plan_records.hpp"
#include "runtime/net/mlp_plan.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

constexpr const char* kPanels = "R 4 1 C";

AffineLayer affine(std::int64_t inputs, std::int64_t outputs, bool bias = false) {
  return {"", inputs, outputs, std::vector<float>(static_cast<std::size_t>(inputs * outputs), 1.0f),
          std::vector<float>(bias ? static_cast<std::size_t>(outputs) : 0, 1.0f)};
}

ActivationLayer layer_of(MlpActivation activation) {
  return {"", activation, 0.5f};
}

// Affine layers of these widths, with what stands behind each but the last.
MlpModel net(const std::vector<std::int64_t>& widths,
             const std::vector<MlpActivation>& between = {}) {
  MlpModel model;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    model.layers.push_back(affine(widths[i - 1], widths[i]));
    if (i + 1 == widths.size()) break;
    for (const MlpActivation activation : between) model.layers.push_back(layer_of(activation));
  }
  return model;
}

// A and C in panels of four rows, B in panels of four columns.
KernelRecord panels() {
  KernelRecord record = gemm("panels", Op::kNN);
  record.layout_a = record.layout_c = layout(kPanels);
  record.layout_b = layout("C 1 4 R");
  record.edges = Edges::kPadded;
  record.multiples = {4, 4, 1};
  return record;
}

KernelRecord for_layers(const std::string& name, Role role, const char* text,
                        Activation activation = Activation::kIdentity) {
  KernelRecord record;
  record.name = name;
  record.role = role;
  record.epilogue = Epilogue::kNone;
  record.layout_a = record.layout_c = layout(text);
  record.activation = activation;
  return record;
}

// Products of 8 x 8 x 8 row by row, in 100 ns, and in panels; moving 64 elements takes `move` ns.
Profile rows_and_panels(double panels_ns, double move_ns) {
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
  std::vector<std::string> kernels;  // of the products and what is between them
  std::vector<std::string> lies;     // "R 8", "R 4 1 C 8": behind each stage
  std::vector<ChainLink> links;
  std::vector<Storage> storages;
  std::vector<MlpStage> stages;
};

Planned plan(const Profile& profile, const MlpModel& model, std::int64_t batch,
             const std::set<std::string>& missing = {}, const ServingLimits& limits = kOffered,
             Precision precision = Precision::kSingle) {
  Planned planned;
  planned.stages = stages_of(model);
  const std::vector<const Profile*> profiles{&profile};
  const MeasuredTimes times(profiles);
  const PlanBasis basis{profiles, times, limits,
                        [&](const KernelRecord& record) { return missing.count(record.name) > 0; }};
  const auto ld = [](std::int64_t width) { return static_cast<std::size_t>(width); };
  const ChainQuestion question{planned.stages,
                               batch,
                               {nullptr, 0, ld(planned.stages.front().inputs)},
                               {nullptr, 0, ld(planned.stages.back().outputs)},
                               precision};
  auto links = plan_chain(basis, question);
  if (!links) return planned;
  planned.links = std::move(*links);
  planned.storages = held_storages(question, planned.links);
  for (const ChainLink& link : planned.links) {
    planned.kernels.push_back(link.product ? link.product->kernel().name
                                           : link.kernels.front()->name);
    planned.lies.push_back(to_text(link.to.layout) + " " + std::to_string(link.to.columns));
  }
  return planned;
}

TEST_CASE("layers are planned together: packing pays for three of them, not for two") {
  // Alone, a product in panels takes 60 + 2 x 50 > 100.
  const Profile profile = rows_and_panels(60, 50);
  const Planned three = plan(profile, net({8, 8, 8, 8}), 8);
  CHECK(three.kernels == Names{"panels", "panels", "panels"});
  CHECK(three.lies == Names{"R 4 1 C 8", "R 4 1 C 8", "R 8"});
  const auto& product = [&](std::size_t i) { return *three.links[i].product; };
  CHECK(names(product(0).choices[CallStep::kPackA]) == Names{"in"});
  CHECK(product(0).choices[CallStep::kUnpackC].empty());
  CHECK(product(1).choices[CallStep::kPackA].empty());
  CHECK(product(1).choices[CallStep::kUnpackC].empty());
  CHECK(product(1).times.total_ns() == 60.0);
  CHECK(product(2).choices[CallStep::kPackA].empty());
  CHECK(names(product(2).choices[CallStep::kUnpackC]) == Names{"out"});
  const Planned two = plan(profile, net({8, 8, 8}), 8);
  CHECK(two.kernels == Names{"rows", "rows"});
  CHECK(two.lies == Names{"R 8", "R 8"});
  CHECK(plan(rows_and_panels(60, 70), net({8, 8, 8, 8}), 8).kernels ==
        Names{"rows", "rows", "rows"});
}

TEST_CASE("what stands between two products decides with them") {
  using MlpActivation::kRelu;
  using MlpActivation::kSoftmax;
  // Nothing makes a softmax of panels: the first product stays row by row, the others go on.
  Profile profile = rows_and_panels(60, 50);
  const MlpModel softmax{
      {affine(8, 8), layer_of(kSoftmax), affine(8, 8), affine(8, 8), affine(8, 8)}};
  const Planned rows = plan(profile, softmax, 8);
  CHECK(rows.kernels == Names{"rows", "softmax of rows", "panels", "panels", "panels"});
  CHECK(rows.lies == Names{"R 8", "R 8", "R 4 1 C 8", "R 4 1 C 8", "R 8"});
  profile.kernels.push_back(for_layers("softmax of panels", Role::kSoftmax, kPanels));
  profile.pack_results.push_back({"softmax of panels", 1e-3});
  const Planned all = plan(profile, softmax, 8);
  CHECK(all.kernels == Names{"panels", "softmax of panels", "panels", "panels", "panels"});
  CHECK(all.lies == Names{"R 4 1 C 8", "R 4 1 C 8", "R 4 1 C 8", "R 4 1 C 8", "R 8"});
  CHECK(all.storages[1].elements == 64);
}

TEST_CASE("a fused kernel serves a layer where it was measured to beat product and activation") {
  const auto served = [](double fused_ns) {
    KernelRecord fused = gemm("fused", Op::kNN);
    fused.bias = Dimension::kN;
    fused.activation = Activation::kRelu;
    KernelRecord apart = for_layers("bias and relu", Role::kActivation, "R", Activation::kRelu);
    apart.bias = Dimension::kN;
    Profile profile =
        tuned({gemm("rows", Op::kNN), fused, apart},
              {result(Op::kNN, 8, "rows", 100), result(Op::kNN, 8, "fused", fused_ns)});
    profile.pack_results = {{"bias and relu", 20.0 / 64}};
    const MlpModel layer{{affine(8, 8, true), layer_of(MlpActivation::kRelu)}};
    const Planned planned = plan(profile, layer, 8);
    const auto& finish = planned.links[0].product->choices[CallStep::kFinish];
    return planned.kernels[0] + (finish.empty() ? "" : " + " + finish.front()->name);
  };
  CHECK(served(119) == "fused");
  CHECK(served(121) == "rows + bias and relu");
}

TEST_CASE("without a bias, an activation goes along memory, whatever the layout") {
  const Profile profile = rows_and_panels(60, 50);
  const Planned planned = plan(profile, net({8, 8, 8, 8}, {MlpActivation::kRelu}), 8);
  REQUIRE(planned.kernels == Names{"panels", "panels", "panels"});
  const GemmPlan& first = *planned.links[0].product;
  CHECK(names(first.choices[CallStep::kFinish]) == Names{"relu of rows"});
  CHECK(first.finish_along_memory);
  // A second one is a stage of its own.
  const Planned twice =
      plan(profile, net({8, 8, 8, 8}, {MlpActivation::kRelu, MlpActivation::kRelu}), 8);
  REQUIRE(twice.kernels == Names{"panels", "relu of rows", "panels", "relu of rows", "panels"});
  CHECK(twice.links[1].along_memory);
  CHECK(twice.lies[1] == "R 4 1 C 8");
  // A bias is of a column, which memory does not tell.
  MlpModel biased = net({8, 8, 8, 8}, {MlpActivation::kRelu});
  biased.layers[0] = affine(8, 8, true);
  Profile both = profile;
  KernelRecord bias = for_layers("bias of rows", Role::kActivation, "R", Activation::kRelu);
  bias.bias = Dimension::kN;
  both.kernels.push_back(bias);
  CHECK(plan(both, biased, 8).lies[0] == "R 8");
  bias = for_layers("bias of panels", Role::kActivation, kPanels, Activation::kRelu);
  bias.bias = Dimension::kN;
  both.kernels.push_back(bias);
  both.pack_results.push_back({"bias of panels", 1e-3});
  const Planned chunks = plan(both, biased, 8);
  CHECK(chunks.lies[0] == "R 4 1 C 8");
  CHECK(names(chunks.links[0].product->choices[CallStep::kFinish]) == Names{"bias of panels"});
  CHECK_FALSE(chunks.links[0].product->finish_along_memory);
}

TEST_CASE("odd widths become whole vectors between the layers") {
  KernelRecord aligned = gemm("aligned", Op::kNN);
  aligned.alignment = 4;
  const Profile profile =
      tuned({gemm("rows", Op::kNN), aligned},
            {result(Op::kNN, 8, "rows", 1000), result(Op::kNN, 8, "aligned", 100)});
  const Planned planned = plan(profile, net({8, 10, 7, 8}), 3);
  CHECK(planned.kernels == Names{"aligned", "aligned", "aligned"});
  CHECK(planned.lies == Names{"R 12", "R 8", "R 8"});
  CHECK(planned.links[1].product->shape == GemmShape{3, 8, 12});
  CHECK(planned.storages[0].ld == 16);
  // Where the caller's matrix is not aligned, nothing can be done.
  CHECK(plan(profile, net({8, 10, 7}), 3).kernels == Names{"aligned", "rows"});
}

TEST_CASE("operands that must be padded lie so between the layers, with room for all rows") {
  KernelRecord padded = gemm("padded", Op::kNN);
  padded.edges = Edges::kPadded;
  padded.multiples = {8, 4, 4};
  const Profile profile =
      tuned({gemm("rows", Op::kNN), padded, pack("pad", "R", "R")},
            {result(Op::kNN, 8, "rows", 1000), result(Op::kNN, 8, "padded", 100)});
  const Planned planned = plan(profile, net({9, 10, 11, 5}), 5);
  CHECK(planned.kernels == Names{"padded", "padded", "padded"});
  CHECK(names(planned.links[0].product->choices[CallStep::kPackA]) == Names{"pad"});
  CHECK(planned.links[1].product->choices[CallStep::kPackA].empty());
  CHECK(planned.links[2].product->choices[CallStep::kPackA].empty());
  CHECK(planned.lies == Names{"R 12", "R 12", "R 5"});
  // The weights have zeros around them: they are read where they lie.
  CHECK(planned.links[1].product->choices[CallStep::kPackB].empty());
  CHECK(planned.storages[0].rows == 8);
  CHECK(planned.storages[0].elements == 8 * 16);
  CHECK(planned.storages[2].elements == 0);
}

TEST_CASE("padding that would outgrow the zeros behind the biases is left to packing") {
  KernelRecord deep = gemm("deep", Op::kNN);
  deep.edges = Edges::kPadded;
  deep.multiples = {4, 4, 128};
  const Profile profile = tuned({deep, pack("pad", "R", "R")}, {result(Op::kNN, 8, "deep", 100)});
  const Planned planned = plan(profile, net({8, 10, 100, 8}), 5);
  CHECK(planned.lies == Names{"R 10", "R 128", "R 8"});
  CHECK(names(planned.links[1].product->choices[CallStep::kPackA]) == Names{"pad"});
  CHECK(planned.links[2].product->choices[CallStep::kPackA].empty());
  // Such weights have to be packed: they have no zeros that far.
  CHECK(names(planned.links[2].product->choices[CallStep::kPackB]) == Names{"pad"});
}

TEST_CASE("a batch is held with all that both kernels touch") {
  // Writes whole tiles of 8 x 8, reads of 4 x 2.
  KernelRecord record = panels();
  record.multiples = {8, 8, 2};
  Profile profile = rows_and_panels(1, 1);
  profile.kernels[1] = record;
  const Planned planned = plan(profile, net({8, 9, 17, 8}), 9);
  REQUIRE(planned.lies == Names{"R 4 1 C 10", "R 4 1 C 18", "R 8"});
  CHECK(planned.storages[0].rows == 16);
  CHECK(planned.storages[0].columns == 16);
  CHECK(planned.storages[0].ld == 16 * 4);
  CHECK(planned.storages[0].elements == 16 * 16);
  CHECK(planned.storages[1].elements == 16 * 24);
}

TEST_CASE("kernels that do not load serve nothing, and without any there is no chain") {
  const Profile profile = rows_and_panels(60, 50);
  const MlpModel model = net({8, 8, 8, 8});
  CHECK(plan(profile, model, 8, {"panels"}).kernels == Names{"rows", "rows", "rows"});
  CHECK(plan(profile, model, 8, {"in"}).kernels == Names{"rows", "rows", "rows"});
  CHECK(plan(profile, model, 8, {"rows"}).kernels == Names{"panels", "panels", "panels"});
  CHECK(plan(profile, model, 8, {"rows", "panels"}).links.empty());
  CHECK(plan(profile, {{affine(8, 8), layer_of(MlpActivation::kSoftmax)}}, 8, {"softmax of rows"})
            .links.empty());
}

TEST_CASE("where nothing was measured, a batch lies row by row as it is") {
  Profile profile = generic({gemm("rows", Op::kNN), panels(), pack("in", "R", kPanels),
                             pack("b", "R", "C 1 4 R"), pack("out", kPanels, "R")});
  KernelRecord aligned = gemm("aligned", Op::kNN);
  aligned.alignment = 4;
  profile.kernels.push_back(aligned);
  const Planned planned = plan(profile, net({8, 10, 9, 8}), 3);
  CHECK(planned.kernels == Names{"rows", "rows", "rows"});
  CHECK(planned.lies == Names{"R 10", "R 9", "R 8"});
}

// 8 x width x 8; the weights, of which only the extents are looked at, are left off.
MlpModel wide(std::int64_t width) {
  return {{AffineLayer{"", 8, width, {}, {}}, AffineLayer{"", width, 8, {}, {}}}};
}

TEST_CASE("a net of halfs is planned with kernels of halfs, and twice as much of it is held") {
  Profile profile = rows_and_panels(10, 10);
  for (KernelRecord& kernel : profile.kernels) kernel.precision = Precision::kHalf;
  const MlpModel model = net({8, 8, 8}, {MlpActivation::kRelu, MlpActivation::kSoftmax});
  CHECK(plan(profile, model, 8).links.empty());
  ServingLimits limits = kOffered;
  limits.max_buffer_bytes = 64 * 16 * 2;  // rows of 8 are held as rows of 16
  const Planned halfs = plan(profile, model, 8, {}, limits, Precision::kHalf);
  REQUIRE(halfs.links.size() == 3);
  for (const Storage& storage : halfs.storages) CHECK(storage.precision == Precision::kHalf);
  for (KernelRecord& kernel : profile.kernels) kernel.precision = Precision::kSingle;
  CHECK(plan(profile, model, 8, {}, limits).links.size() == 3);
  // A batch of 64 has as many bytes, of floats twice as many.
  CHECK(plan(profile, model, 64, {}, limits).links.empty());
  for (KernelRecord& kernel : profile.kernels) kernel.precision = Precision::kHalf;
  CHECK(plan(profile, model, 64, {}, limits, Precision::kHalf).links.size() == 3);
}

// Of halfs as many elements as floats in half of them; parts of a split k are floats always.
TEST_CASE("the workspace is counted in floats") {
  for (const Precision precision : {Precision::kSingle, Precision::kHalf}) {
    const std::vector<MlpStage> stages = stages_of(net({8, 8, 8}));
    std::vector<PlannedStage> planned(2);
    planned[0].made = {Layout::R(), false, 10, 10, 10, 100, precision};
    const bool halfs = precision == Precision::kHalf;
    CHECK(lay_out(stages, planned).whole.elements == (halfs ? 64 : 112));
  }
}

ServingLimits without_limit() {
  ServingLimits limits = kOffered;
  limits.max_buffer_bytes = std::uint64_t{1} << 62;
  return limits;
}

// On a 32-bit board these counts would begin at 0 again, and a batch be held in no memory.
TEST_CASE("batches of 2^32 floats and more are too many where sizes have 32 bits") {
  const bool is_32_bit = sizeof(std::size_t) == 4;
  const auto expected = [&](std::uint64_t elements) {
    return is_32_bit ? kMostElements : static_cast<std::size_t>(elements);
  };
  const auto held = [](std::int64_t batch, std::int64_t width, const char* lies) {
    std::vector<ChainLink> links(2);
    links[0].to = {layout(lies), width};
    links[1].to = {Layout::R(), 8};
    const std::vector<MlpStage> stages = stages_of(wide(width));
    return held_storages({stages, batch, {}, {}}, links).front().elements;
  };
  const std::uint64_t many = std::uint64_t{1} << 32;
  CHECK(held(1048576, 4096, "R") == expected(many));
  CHECK(held(1048576, 4096, "C") == expected(many));
  CHECK(held(1048576, 4096, kPanels) == expected(many));
  CHECK(held(1048577, 4096, "R") == expected(many + 4096));
  CHECK(held(262143, 4096, "R") == many / 4 - 4096);
  CHECK(held(262143, 4096, "C") == expected(many / 4));  // columns are whole vectors
  CHECK(held(2'000'000'000, 2'000'000'000, "R") == kMostElements);
}

TEST_CASE("a batch that the device cannot hold between two layers has no chain") {
  const Profile profile = rows_and_panels(60, 50);
  // 4096 x 64 floats are 1 MiB.
  CHECK_FALSE(plan(profile, wide(4096), 64).links.empty());
  CHECK(plan(profile, wide(4096), 65).links.empty());
  const bool is_32_bit = sizeof(std::size_t) == 4;
  CHECK(plan(profile, wide(4096), 1048576, {}, without_limit()).links.empty() == is_32_bit);
  // Padding counts: in panels of four rows there is no room for a ninth sample.
  ServingLimits limits = kOffered;
  limits.max_buffer_bytes = 8 * 16 * sizeof(float);
  const Profile fast_panels = rows_and_panels(1, 1);
  CHECK(plan(fast_panels, wide(12), 8, {}, limits).lies == Names{"R 4 1 C 12", "R 8"});
  limits.max_buffer_bytes = 9 * 16 * sizeof(float);
  CHECK(plan(fast_panels, wide(16), 9, {}, limits).lies == Names{"R 16", "R 8"});
  // What an activation makes of the input is held, too.
  const MlpModel first{{layer_of(MlpActivation::kRelu), affine(8, 8)}};
  CHECK_FALSE(plan(profile, first, 9, {}, limits).links.empty());
  CHECK(plan(profile, first, 10, {}, limits).links.empty());
}

TEST_CASE("a batch lies in panels as long as kernels can count through them", "[may_skip]") {
  if (sizeof(std::size_t) == 4) SKIP_CASE("so large a batch is none where addresses have 32 bits");
  Profile profile = rows_and_panels(60, 1);
  profile.kernels[1].layout_b = Layout::R();  // reads the weights where they lie
  const auto lies = [&](std::int64_t width) {
    return plan(profile, wide(width), 8, {}, without_limit()).lies;
  };
  CHECK(lies(500'000'000) == Names{"R 4 1 C 500000000", "R 8"});
  CHECK(lies(600'000'000) == Names{"R 600000000", "R 8"});  // 4 of its columns do not fit an int
}

TEST_CASE("before the first and behind the last product the batch lies as the caller has it") {
  const Profile profile = rows_and_panels(1, 1);
  const MlpModel model{{layer_of(MlpActivation::kRelu), layer_of(MlpActivation::kSoftmax),
                        affine(8, 8), affine(8, 8), layer_of(MlpActivation::kSoftmax)}};
  const Planned planned = plan(profile, model, 8);
  CHECK(planned.kernels ==
        Names{"relu of rows", "softmax of rows", "panels", "panels", "softmax of rows"});
  CHECK(planned.lies == Names{"R 8", "R 8", "R 4 1 C 8", "R 8", "R 8"});
  CHECK(planned.storages[1].elements == 8 * 16);
  CHECK(planned.storages[4].elements == 0);
}

}  // namespace
}  // namespace tilewright

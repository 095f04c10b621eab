// How the layers of a network are planned together. Uses invented records and results, no device.
#include "runtime/network/network_chain.hpp"

#include "catch.hpp"
#include "network_chain_case.hpp"
#include "runtime/network/network_plan.hpp"

namespace tilewright {
namespace {

TEST_CASE("layers are planned together: packing pays off for three of them, not for two") {
  // A single product in panels takes 60 + 2 x 50 ns, more than the 100 ns of a product row by row.
  const Profile profile = rows_and_panels(60, 50);
  const Planned three = plan(profile, net({8, 8, 8, 8}), 8);
  CHECK(three.kernels == Names{"panels", "panels", "panels"});
  CHECK(three.layouts == Names{"R 4 1 C 8", "R 4 1 C 8", "R 8"});
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
  CHECK(two.layouts == Names{"R 8", "R 8"});
  CHECK(plan(rows_and_panels(60, 70), net({8, 8, 8, 8}), 8).kernels ==
        Names{"rows", "rows", "rows"});
}

TEST_CASE("layers between two products take part in the choice of layouts") {
  using NetworkActivation::kRelu;
  using NetworkActivation::kSoftmax;
  // No kernel computes a softmax in panels, so the first product stays row by row and the others
  // use panels.
  Profile profile = rows_and_panels(60, 50);
  const NetworkModel softmax{
      {affine(8, 8), make_layer(kSoftmax), affine(8, 8), affine(8, 8), affine(8, 8)}};
  const Planned rows = plan(profile, softmax, 8);
  CHECK(rows.kernels == Names{"rows", "softmax of rows", "panels", "panels", "panels"});
  CHECK(rows.layouts == Names{"R 8", "R 8", "R 4 1 C 8", "R 4 1 C 8", "R 8"});
  profile.kernels.push_back(for_layers("softmax of panels", Role::kSoftmax, kPanels));
  profile.pack_results.push_back({"softmax of panels", 1e-3});
  const Planned all = plan(profile, softmax, 8);
  CHECK(all.kernels == Names{"panels", "softmax of panels", "panels", "panels", "panels"});
  CHECK(all.layouts == Names{"R 4 1 C 8", "R 4 1 C 8", "R 4 1 C 8", "R 4 1 C 8", "R 8"});
  CHECK(all.storages[1].elements == 64);
}

TEST_CASE("a fused kernel is used where it was measured to be faster than product and activation") {
  const auto chosen_plan = [](double fused_ns) {
    KernelRecord fused = gemm("fused", Op::kNN);
    fused.bias = Dimension::kN;
    fused.activation = Activation::kRelu;
    KernelRecord apart = for_layers("bias and relu", Role::kActivation, "R", Activation::kRelu);
    apart.bias = Dimension::kN;
    Profile profile =
        tuned({gemm("rows", Op::kNN), fused, apart},
              {result(Op::kNN, 8, "rows", 100), result(Op::kNN, 8, "fused", fused_ns)});
    profile.pack_results = {{"bias and relu", 20.0 / 64}};
    const NetworkModel layer{{affine(8, 8, true), make_layer(NetworkActivation::kRelu)}};
    const Planned planned = plan(profile, layer, 8);
    const auto& finish = planned.links[0].product->choices[CallStep::kFinish];
    return planned.kernels[0] + (finish.empty() ? "" : " + " + finish.front()->name);
  };
  CHECK(chosen_plan(119) == "fused");
  CHECK(chosen_plan(121) == "rows + bias and relu");
}

TEST_CASE("without a bias, an activation runs along memory in any layout") {
  const Profile profile = rows_and_panels(60, 50);
  const Planned planned = plan(profile, net({8, 8, 8, 8}, {NetworkActivation::kRelu}), 8);
  REQUIRE(planned.kernels == Names{"panels", "panels", "panels"});
  const GemmPlan& first = *planned.links[0].product;
  CHECK(names(first.choices[CallStep::kFinish]) == Names{"relu of rows"});
  CHECK(first.finish_along_memory);
  // A second activation is a part by itself.
  const Planned twice =
      plan(profile, net({8, 8, 8, 8}, {NetworkActivation::kRelu, NetworkActivation::kRelu}), 8);
  REQUIRE(twice.kernels == Names{"panels", "relu of rows", "panels", "relu of rows", "panels"});
  CHECK(twice.links[1].along_memory);
  CHECK(twice.layouts[1] == "R 4 1 C 8");
  // A bias belongs to a column. A kernel that runs along memory does not know the column.
  NetworkModel biased = net({8, 8, 8, 8}, {NetworkActivation::kRelu});
  biased.layers[0] = affine(8, 8, true);
  Profile both = profile;
  KernelRecord bias = for_layers("bias of rows", Role::kActivation, "R", Activation::kRelu);
  bias.bias = Dimension::kN;
  both.kernels.push_back(bias);
  CHECK(plan(both, biased, 8).layouts[0] == "R 8");
  bias = for_layers("bias of panels", Role::kActivation, kPanels, Activation::kRelu);
  bias.bias = Dimension::kN;
  both.kernels.push_back(bias);
  both.pack_results.push_back({"bias of panels", 1e-3});
  const Planned chunks = plan(both, biased, 8);
  CHECK(chunks.layouts[0] == "R 4 1 C 8");
  CHECK(names(chunks.links[0].product->choices[CallStep::kFinish]) == Names{"bias of panels"});
  CHECK_FALSE(chunks.links[0].product->finish_along_memory);
}

TEST_CASE("odd widths are padded to whole vectors between layers") {
  KernelRecord aligned = gemm("aligned", Op::kNN);
  aligned.alignment = 4;
  const Profile profile =
      tuned({gemm("rows", Op::kNN), aligned},
            {result(Op::kNN, 8, "rows", 1000), result(Op::kNN, 8, "aligned", 100)});
  const Planned planned = plan(profile, net({8, 10, 7, 8}), 3);
  CHECK(planned.kernels == Names{"aligned", "aligned", "aligned"});
  CHECK(planned.layouts == Names{"R 12", "R 8", "R 8"});
  CHECK(planned.links[1].product->shape == GemmShape{3, 8, 12});
  CHECK(planned.storages[0].ld == 16);
  // The caller's matrix is not aligned, so the kernel that needs alignment cannot be used.
  CHECK(plan(profile, net({8, 10, 7}), 3).kernels == Names{"aligned", "rows"});
}

TEST_CASE("operands that need padding are padded between layers, in all rows") {
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
  CHECK(planned.layouts == Names{"R 12", "R 12", "R 5"});
  // The weights are followed by zeros, so they need no packing.
  CHECK(planned.links[1].product->choices[CallStep::kPackB].empty());
  CHECK(planned.storages[0].rows == 8);
  CHECK(planned.storages[0].elements == 8 * 16);
  CHECK(planned.storages[2].elements == 0);
}

TEST_CASE("padding beyond the zeros after the biases is done by packing") {
  KernelRecord deep = gemm("deep", Op::kNN);
  deep.edges = Edges::kPadded;
  deep.multiples = {4, 4, 128};
  const Profile profile = tuned({deep, pack("pad", "R", "R")}, {result(Op::kNN, 8, "deep", 100)});
  const Planned planned = plan(profile, net({8, 10, 100, 8}), 5);
  CHECK(planned.layouts == Names{"R 10", "R 128", "R 8"});
  CHECK(names(planned.links[1].product->choices[CallStep::kPackA]) == Names{"pad"});
  CHECK(planned.links[2].product->choices[CallStep::kPackA].empty());
  // The zeros after these weights are too few, so the weights are packed.
  CHECK(names(planned.links[2].product->choices[CallStep::kPackB]) == Names{"pad"});
}

TEST_CASE("the storage of a batch contains all elements that both kernels access") {
  // The kernel writes whole tiles of 8 x 8 elements and reads tiles of 4 x 2 elements.
  KernelRecord record = panels();
  record.multiples = {8, 8, 2};
  Profile profile = rows_and_panels(1, 1);
  profile.kernels[1] = record;
  const Planned planned = plan(profile, net({8, 9, 17, 8}), 9);
  REQUIRE(planned.layouts == Names{"R 4 1 C 10", "R 4 1 C 18", "R 8"});
  CHECK(planned.storages[0].rows == 16);
  CHECK(planned.storages[0].columns == 16);
  CHECK(planned.storages[0].ld == 16 * 4);
  CHECK(planned.storages[0].elements == 16 * 16);
  CHECK(planned.storages[1].elements == 16 * 24);
}

TEST_CASE("kernels that cannot be loaded are not used, and without any there is no chain") {
  const Profile profile = rows_and_panels(60, 50);
  const NetworkModel model = net({8, 8, 8, 8});
  CHECK(plan(profile, model, 8, {"panels"}).kernels == Names{"rows", "rows", "rows"});
  CHECK(plan(profile, model, 8, {"in"}).kernels == Names{"rows", "rows", "rows"});
  CHECK(plan(profile, model, 8, {"rows"}).kernels == Names{"panels", "panels", "panels"});
  CHECK(plan(profile, model, 8, {"rows", "panels"}).links.empty());
  CHECK(plan(profile, {{affine(8, 8), make_layer(NetworkActivation::kSoftmax)}}, 8,
             {"softmax of rows"})
            .links.empty());
}

TEST_CASE("without measurements, batches are row-major without padding") {
  Profile profile = generic({gemm("rows", Op::kNN), panels(), pack("in", "R", kPanels),
                             pack("b", "R", "C 1 4 R"), pack("out", kPanels, "R")});
  KernelRecord aligned = gemm("aligned", Op::kNN);
  aligned.alignment = 4;
  profile.kernels.push_back(aligned);
  const Planned planned = plan(profile, net({8, 10, 9, 8}), 3);
  CHECK(planned.kernels == Names{"rows", "rows", "rows"});
  CHECK(planned.layouts == Names{"R 10", "R 9", "R 8"});
}

TEST_CASE("before the first and after the last product the batch has the caller's layout") {
  const Profile profile = rows_and_panels(1, 1);
  const NetworkModel model{{make_layer(NetworkActivation::kRelu),
                            make_layer(NetworkActivation::kSoftmax), affine(8, 8), affine(8, 8),
                            make_layer(NetworkActivation::kSoftmax)}};
  const Planned planned = plan(profile, model, 8);
  CHECK(planned.kernels ==
        Names{"relu of rows", "softmax of rows", "panels", "panels", "softmax of rows"});
  CHECK(planned.layouts == Names{"R 8", "R 8", "R 4 1 C 8", "R 8", "R 8"});
  CHECK(planned.storages[1].elements == 8 * 16);
  CHECK(planned.storages[4].elements == 0);
}

}  // namespace
}  // namespace tilewright

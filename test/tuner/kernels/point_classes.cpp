#include "point_classes.hpp"

#include <sstream>

namespace tilewright {
namespace {

using Texts = std::vector<std::string_view>;

constexpr std::string_view kHalfSums = "half-precision sums";

const Texts kOps = {"op=NN", "op=NT", "op=TN", "op=TT"};
const Texts kBias = {"bias=none", "bias=m", "bias=n"};
const Texts kActivationTexts = {
    "activation=identity",   "activation=relu",     "activation=leaky_relu",
    "activation=sigmoid",    "activation=tanh",     "activation=elu",
    "activation=selu",       "activation=softplus", "activation=hard_sigmoid",
    "activation=hard_swish", "activation=clip",     "activation=gelu",
    "activation=gelu_tanh"};
const Texts kNoBarriers = {"cache_block_k=0 split_k=1 work_group_k=1"};
const Texts kPrefetch = {"prefetch=none", "prefetch=conditional", "prefetch=clamped"};
const Texts kBuffers = {"local_buffers=1", "local_buffers=2"};
const Texts kImages = {"image_a=yes image_b=no", "image_a=no image_b=yes",
                       "image_a=yes image_b=yes"};
// A packed operand together with a plain or a packed one.
const Texts kPackedOperands = {
    "layout_a=R8x1C layout_b=C1x8R",    "layout_a=R12x1C layout_b=C1x32R",
    "layout_a=R6x1C layout_b=R",        "layout_a=R4x1C layout_b=C",
    "layout_a=C layout_b=C1x16R",       "layout_a=R layout_b=C1x48R",
    "layout_a=R2x4R layout_b=C4x2C",    "layout_a=R4x4R layout_b=C4x4C",
    "layout_a=R4x4R layout_b=R",        "layout_a=R layout_b=C4x2C",
    "layout_a=R3x1C layout_b=C1x4R",    "layout_a=R16x1C layout_b=C4x4C",
    "layout_a=R5x1C layout_b=C1x12R",   "layout_a=R4x4R2x2R layout_b=C1x4R",
    "layout_a=C4x4C layout_b=R4x8R4x2C"};
const Texts kPackWays = {"from=C to=R",      "from=R to=C",      "from=R to=R",
                         "from=C to=C",      "from=R to=R8x1C",  "from=C to=R8x1C",
                         "from=R to=C1x32R", "from=C to=C1x16R", "from=R to=R4x4R",
                         "from=C to=C4x2C",  "from=R to=R3x1C",  "from=R8x1C to=R",
                         "from=C4x4C to=R",  "from=C4x2C to=C",  "from=R4x4R2x2R to=R",
                         "from=R to=R12x1C", "from=C to=R2x4R",  "from=R4x4R to=C"};

std::vector<PointClass> gemm_classes() {
  return {
      {"direct", "gemm", false, {kOps, kNoBarriers}},
      {"packed", "gemm", true, {kPackedOperands}},
      {"packed C", "gemm", true, {{"layout_c=C4x4C", "layout_c=C4x2C", "layout_c=R4x4R"}, kOps}},
      {"C by columns", "gemm", true, {{"layout_c=C"}, kOps}},
      {"local a", "gemm", true, {{"local_a=yes local_b=no"}, kOps, kPrefetch, kBuffers}},
      {"local b", "gemm", true, {{"local_a=no local_b=yes"}, kOps, kPrefetch, kBuffers}},
      {"local both", "gemm", true, {{"local_a=yes local_b=yes"}, kOps, kPrefetch, kBuffers}},
      {"image", "gemm", true, {{"local_a=no local_b=no"}, kOps, kImages}},
      {"image staged",
       "gemm",
       true,
       {{"local_a=yes local_b=yes", "local_a=yes local_b=no", "local_a=no local_b=yes"},
        kOps,
        kImages}},
      {"split k", "gemm", true, {{"split_k=2", "split_k=4", "split_k=8", "split_k=32"}, kOps}},
      {"stream k", "gemm", true, {{"stream_k=1", "stream_k=2", "stream_k=3"}, kOps}},
      {"shared k",
       "gemm",
       true,
       {{"work_group_k=2", "work_group_k=4", "work_group_k=8 split_k=2", "work_group_k=32"}, kOps}},
      {"element by element",
       "gemm",
       true,
       {{"access=elements local_a=yes local_b=yes", "access=elements local_a=yes local_b=no",
         "access=elements local_a=no local_b=yes"},
        kOps,
        kPrefetch}},
      {"barriers",
       "gemm",
       true,
       {{"local_a=no local_b=no"},
        {"cache_block_k=4", "cache_block_k=16", "cache_block_k=64", "cache_block_k=128"},
        kOps}},
      {"lanes", "gemm", false, {{"lanes_m=4", "lanes_n=4", "lanes_m=4 lanes_n=2"}, kOps}},
      {"offset", "gemm", false, {{"assignment=offset"}, kOps}},
      {"group order",
       "gemm",
       false,
       {{"group_order=columns", "group_order=tiled", "group_order=morton"}, kOps}},
      {"padded",
       "gemm",
       true,
       {{"edges=padded layout_a=R layout_b=R", "edges=padded layout_a=R layout_b=C",
         "edges=padded layout_a=C layout_b=R", "edges=padded layout_a=C layout_b=C"}}},
      {"aligned", "gemm", true, {{"access=aligned"}, kOps}},
      {"epilogue", "gemm", true, {kOps, kBias, kActivationTexts}},
      {kHalfSums,
       "gemm",
       true,
       {{"accumulate_k=2", "accumulate_k=8", "accumulate_k=16", "accumulate_k=all"},
        kOps,
        {"local_a=no", "local_a=yes"}}},
      {"anything", "gemm", true, {kOps}},
  };
}

std::vector<PointClass> other_classes() {
  return {
      {"gemv", "gemv", false, {kOps, {"narrow=m", "narrow=n"}, kBias, kActivationTexts}},
      {"pack", "pack", false, {kPackWays, {"local=yes", "local=no"}}},
      {"pack image",
       "pack",
       false,
       {{"image=yes from=C to=R", "image=yes from=R to=R", "image=yes from=R to=C"}}},
      {"reduce", "reduce", false, {kBias, kActivationTexts}},
      {"activation", "activation", false, {kBias, kActivationTexts}},
      {"flat", "activation", false, {{"id_order=flat"}, {"bias=n", "bias=none"}, kActivationTexts}},
      {"softmax", "softmax", false, {{"activation=identity", "activation=log"}}},
  };
}

}  // namespace

const std::vector<PointClass>& point_classes() {
  static const std::vector<PointClass> classes = [] {
    std::vector<PointClass> all = gemm_classes();
    for (const PointClass& other : other_classes()) all.push_back(other);
    return all;
  }();
  return classes;
}

std::optional<ParameterPoint> draw(const PointClass& points, const SpaceLimits& limits,
                                   std::mt19937_64& random, Precision precision) {
  const bool layer = points.codelet == "activation" || points.codelet == "softmax";
  if (layer && !is_network_type(precision)) return std::nullopt;
  if (points.name == kHalfSums && precision != Precision::kHalf) return std::nullopt;
  std::string text(points.codelet);
  for (const Texts& choices : points.features) {
    text += ' ';
    // Double precision has neither biases nor activations; the first value stands for none.
    const bool is_for_networks = choices == kBias || choices == kActivationTexts;
    text += choices[is_network_type(precision) || !is_for_networks ? random() % choices.size() : 0];
  }
  SpaceOptions options{points.packed, {}};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    if (name != points.codelet && name != "op") options.fixed.push_back(name);
  }
  return Space(with_precision(parse_point(text), precision), limits, options).draw(random);
}

}  // namespace tilewright

#include "codelets/space/generic_profile.hpp"

#include "codelets/space/class_kernels.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/version.hpp"

namespace tilewright {

Profile basic_profile() {
  Profile profile;
  profile.kind = ProfileKind::kGeneric;
  profile.provenance.tool_version = kVersion;
  profile.provenance.command_line = "tilewright emit --generic";
  profile.provenance.space_digest = "none";
  profile.provenance.complete = true;
  profile.provenance.statistic = "none";
  profile.provenance.date = "none";
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    // 4 x 4 in float4: the 16 accumulators fit into the registers of every GPU, including Midgard
    // with 64 work-items. No fma(), because emulated fma() is hundreds of times slower.
    GemmPoint blocked = gemm_point(op);
    blocked.tile_m = 4;
    blocked.tile_n = 4;
    blocked.tile_k = 4;
    blocked.vector_width = 4;
    blocked.work_group_m = 8;
    blocked.work_group_n = 8;
    profile.kernels.push_back(emit(blocked));
    profile.kernels.push_back(emit(gemm_point(op)));
  }
  PackPoint transpose;
  transpose.tile_m = 4;
  transpose.tile_n = 4;
  transpose.vector_width = 4;
  transpose.work_group_m = 8;
  transpose.work_group_n = 8;
  profile.kernels.push_back(emit(transpose));
  profile.kernels.push_back(emit(PackPoint{}));
  // Additional kernels for networks. A layer without a bias uses a bias of zeros.
  ActivationPoint activation;
  activation.tile_n = 4;
  activation.vector_width = 4;
  activation.work_group_m = 4;
  activation.work_group_n = 16;
  activation.bias = Dimension::kN;
  // As a hint, so that devices that need smaller work-groups can use them
  // (profiles/work_group.hpp).
  activation.group_size = GroupSize::kHint;
  for (const Activation applied : kElementwiseActivations) {
    activation.activation = applied;
    profile.kernels.push_back(emit(activation));
  }
  profile.kernels.push_back(emit(SoftmaxPoint{}));
  profile.kernels.push_back(emit(SoftmaxPoint{.activation = Activation::kLogSoftmax}));
  return profile;
}

Profile generic_profile() {
  Profile profile = basic_profile();
  add_class_kernels(profile);
  return profile;
}

}  // namespace tilewright

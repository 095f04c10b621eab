#include "codelets/generic_profile.hpp"

#include "codelets/gemm_codelet.hpp"
#include "codelets/pack_codelet.hpp"
#include "profiles/version.hpp"

namespace tilewright {

Profile generic_profile() {
  Profile profile;
  profile.kind = ProfileKind::kGeneric;
  profile.provenance.tool_version = kVersion;
  profile.provenance.command_line = "tilewright emit --generic";
  profile.provenance.space_digest = "none";
  profile.provenance.complete = true;
  profile.provenance.statistic = "none";
  profile.provenance.date = "none";
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    // 4 x 4 in float4: 16 accumulators fit every GPU's registers, also Midgard's at 64 work-items.
    // No fma(): where it is emulated it is hundreds of times slower.
    ParameterPoint blocked;
    blocked.op = op;
    blocked.tile_m = 4;
    blocked.tile_n = 4;
    blocked.tile_k = 4;
    blocked.vector_width = 4;
    blocked.work_group_m = 8;
    blocked.work_group_n = 8;
    profile.kernels.push_back(emit_gemm(blocked));
    ParameterPoint scalar;
    scalar.op = op;
    profile.kernels.push_back(emit_gemm(scalar));
  }
  profile.kernels.push_back(emit_pack({.tile = 4, .work_group = 8}));
  profile.kernels.push_back(emit_pack({.tile = 1, .work_group = 1}));
  return profile;
}

}  // namespace tilewright

// Profiles for tests of networks: emitted kernels with and without biases and activations.
#pragma once

#include <string>
#include <vector>

#include "codelets/space/emit.hpp"
#include "codelets/space/named_points.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "slow_built_in.hpp"
#include "test_device.hpp"

namespace tilewright {

inline const std::vector<std::string>& activation_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const Activation activation : kElementwiseActivations) {
      all.emplace_back(to_text(activation));
    }
    return all;
  }();
  return words;
}

// Returns the point with a bias along n and each activation.
inline std::vector<std::string> with_epilogues(const std::string& point) {
  std::vector<std::string> points;
  for (const std::string& word : activation_words()) {
    points.push_back(point + " bias=n" + (word == "identity" ? "" : " activation=" + word));
  }
  return points;
}

inline std::vector<std::string> concatenated(std::vector<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Returns the text of a profile for the device with these kernels. Only the first kernel is
// measured, with a very short time, so that it is used, or one that differs only in bias and
// activation.
inline std::string make_profile_from_points(const TestDevice& d,
                                            const std::vector<std::string>& points,
                                            Precision precision = Precision::kSingle) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  for (const std::string& point : points) {
    profile.kernels.push_back(emit(with_precision(parse_point(point), precision)));
  }
  const KernelRecord& first = profile.kernels.front();
  const Op op = op_from_layouts(first.layout_a, *first.layout_b);
  profile.results.push_back({op, 1, 1, 1, first.name, 1.0, 1.0, 1.0, 9, 0.1});
  add_slow_built_in(profile, d);
  return write_profile(profile);
}

// Matrices are read in place; bias and activation are part of the product.
inline std::vector<std::string> fused_points() {
  const std::string tile = "tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4";
  return concatenated({{tile}, with_epilogues(tile)});
}

// A and B are in panels; bias and activation are part of the product.
inline std::vector<std::string> fused_panel_points() {
  const std::string panel =
      "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 edges=padded";
  return concatenated({{panel},
                       with_epilogues(panel),
                       {"pack from=R to=R12x1C tile_m=12 tile_n=4 vector_width=4",
                        "pack from=R to=C1x32R tile_m=4 tile_n=32 vector_width=16"}});
}

// The reduction of a split k applies bias and activation.
inline std::vector<std::string> split_points() {
  return concatenated({{"tile_m=4 tile_n=8 tile_k=2 vector_width=4 work_group_m=2 split_k=4"},
                       with_epilogues("reduce work_group_n=16"),
                       {"reduce work_group_n=16"}});
}

// A, B and C are in chunks: the result is unpacked before bias and activation.
inline std::vector<std::string> morton_points() {
  return {std::string(find_named_point("morton-4-4")->text),
          "pack from=R to=R4x4R tile_m=4 tile_n=4 vector_width=4",
          "pack from=R to=C4x4C tile_m=8 tile_n=4",
          "pack from=C4x4C to=R tile_m=2 tile_n=2 work_group_n=8"};
}

// A profile of an older tuning for networks: C has the layout of A, also with bias and activation.
inline std::vector<std::string> older_points() {
  const std::string product =
      "layout_a=R4x1C layout_b=C1x16R layout_c=R4x1C tile_m=4 tile_n=16 vector_width=4 "
      "edges=padded";
  return concatenated(
      {{product},
       with_epilogues(product),
       {"pack from=R to=R4x1C tile_m=4 tile_n=4", "pack from=R to=C1x16R tile_n=16 vector_width=4",
        "pack from=R4x1C to=R tile_m=4 tile_n=4"}});
}

// Row-major, but padded and aligned.
inline std::vector<std::string> padded_row_points() {
  const std::string product =
      "tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=2 work_group_n=4 edges=padded "
      "access=aligned";
  return concatenated({{product}, with_epilogues(product), {"pack from=R to=R tile_m=1 tile_n=4"}});
}

}  // namespace tilewright

// A small network for tests, and a library whose products use panels, with bias and activation.
#pragma once

#include "network_case.hpp"
#include "network_profiles.hpp"

namespace tilewright {

inline NetworkModel three_layers() {
  return {{affine(30, 50, true, 1), make_layer(Activation::kTanh), affine(50, 40, true, 2),
           make_layer(Activation::kRelu), affine(40, 10, true, 3),
           make_layer(Activation::kSoftmax)}};
}

inline LibraryHandle fused_panels(const TestDevice& d) {
  return Library::open(d.context, d.device,
                       ProfileSource::text(make_profile_from_points(d, fused_panel_points())));
}

}  // namespace tilewright

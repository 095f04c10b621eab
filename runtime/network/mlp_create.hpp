/// @file
/// Makes a network of the C interface from a model. The C functions that make networks use it.
#pragma once

#include <functional>

#include <tilewright/mlp.h>
#include "runtime/network/model/mlp_model.hpp"

namespace tilewright {

/// A model, and the type of its elements on the device.
struct TypedModel {
  MlpModel model;
  tw_type type = TW_FLOAT;  ///< see tw_mlp_desc
};

/// tw_mlp_create for a model.
/// @param library  see tw_mlp_create
/// @param out  receives the network; null on failure
/// @param make_model  returns the model; called once, after the other arguments were checked. What
///     it throws becomes the status and tw_last_error(): of a tilewright::Error its own, of another
///     std::exception TW_INTERNAL with its what()
/// @return like tw_mlp_create
tw_status create_mlp(tw_library* library, tw_mlp** out,
                     const std::function<TypedModel()>& make_model);

}  // namespace tilewright

/// @file
/// Makes a network of the C interface from a model. The C functions that make networks use it.
#pragma once

#include <functional>

#include <tilewright/network.h>
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

/// A model, and the type of its elements on the device.
struct TypedModel {
  NetworkModel model;
  tw_type type = TW_FLOAT;  ///< see tw_network_desc
};

/// tw_network_create for a model.
/// @param library  see tw_network_create
/// @param out  receives the network; null on failure
/// @param make_model  returns the model; called once, after the other arguments were checked. What
///     it throws becomes the status and tw_last_error(): of a tilewright::Error its own, of another
///     std::exception TW_INTERNAL with its what()
/// @return like tw_network_create
tw_status create_network(tw_library* library, tw_network** out,
                         const std::function<TypedModel()>& make_model);

}  // namespace tilewright

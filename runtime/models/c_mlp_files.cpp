// Loads networks from files for the C interface.
#include <functional>

#include "runtime/call/error.hpp"
#include "runtime/models/mlp_files.hpp"
#include "runtime/network/mlp_create.hpp"

using namespace tilewright;

namespace {

tw_status load(tw_library* library, tw_type type, tw_mlp** out,
               const std::function<MlpModel()>& read) {
  return create_mlp(library, type, out, [&] {
    try {
      return read();
    } catch (const ModelError& error) {
      throw Error(TW_INVALID_NETWORK, error.what());
    }
  });
}

}  // namespace

tw_status tw_mlp_load(tw_library* library, tw_type type, const char* path, tw_mlp** out) {
  return load(library, type, out, [path] {
    if (path == nullptr) throw Error(TW_INVALID_VALUE, "the path is null");
    return read_mlp_model(path);
  });
}

tw_status tw_mlp_load_memory(tw_library* library, tw_type type, const void* data, size_t size,
                             tw_mlp** out) {
  return load(library, type, out, [data, size] {
    if (data == nullptr) throw Error(TW_INVALID_VALUE, "data is null");
    return read_mlp_model(data, size);
  });
}

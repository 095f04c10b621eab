// Loads networks for the C interface.
//
// The only file of this library that needs the runtime library: a program that does not call these
// functions need not link it.
#include <functional>

#include <tilewright/mlp_files.h>
#include <tilewright/error.hpp>
#include <tilewright/mlp_create.hpp>
#include <tilewright/mlp_files.hpp>

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

// Loads networks from files for the C interface.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/api/c_arguments.hpp"
#include "runtime/models/network_files.hpp"
#include "runtime/network/network_create.hpp"

using namespace tilewright;

namespace {

TW_ENDS_WITH(tw_network_load_options, num_outputs);

tw_network_load_options read_options(const tw_network_load_options* given) {
  if (given == nullptr) return tw_make_network_load_options();
  constexpr size_t kMinSize =
      offsetof(tw_network_load_options, num_outputs) + sizeof(given->num_outputs);
  return read_struct("options", given, kMinSize, tw_make_network_load_options());
}

std::vector<std::string> read_output_names(const tw_network_load_options& options) {
  require(options.outputs == nullptr || options.num_outputs > 0, "no names of outputs are given");
  require(options.outputs != nullptr || options.num_outputs == 0, "the names of outputs are null");
  std::vector<std::string> names;
  for (size_t i = 0; i < options.num_outputs; ++i) {
    require(options.outputs[i] != nullptr, "the name of an output is null");
    names.emplace_back(options.outputs[i]);
  }
  return names;
}

// `file`: path of the file, for errors; empty: the model is read from memory. `read`: takes the
// names of the outputs that are chosen.
tw_status load(tw_library* library, const tw_network_load_options* given, tw_network** out,
               const char* file,
               const std::function<NetworkModel(const std::vector<std::string>&)>& read) {
  return create_network(library, out, [&] {
    const tw_network_load_options options = read_options(given);
    const std::vector<std::string> names = read_output_names(options);
    try {
      NetworkModel model = read(names);
      return TypedModel{choose_network_outputs(std::move(model), names, file), options.type};
    } catch (const ModelError& error) {
      throw Error(TW_INVALID_NETWORK, error.what());
    }
  });
}

}  // namespace

tw_status tw_network_load(tw_library* library, const char* path,
                          const tw_network_load_options* options, tw_network** out) {
  return load(library, options, out, path, [path](const auto& outputs) {
    require(path != nullptr, "the path is null");
    return read_network_model(path, nullptr, NetworkReading::kForSpeed, outputs);
  });
}

tw_status tw_network_load_memory(tw_library* library, const void* data, size_t size,
                                 const tw_network_load_options* options, tw_network** out) {
  return load(library, options, out, "", [data, size](const auto& outputs) {
    require(data != nullptr, "data is null");
    return read_network_model(data, size, NetworkReading::kForSpeed, outputs);
  });
}

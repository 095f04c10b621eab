#include <tilewright/mlp.hpp>

#include "runtime/api/moved_from.hpp"
#include "runtime/net/mlp_state.hpp"

namespace tilewright {
namespace {

constexpr const char* kName = "net";

}  // namespace

Mlp::Mlp(const Library& library, const MlpModel& model, ElementType type) {
  require_state(library.state_, "library");
  state_ = std::make_shared<State>(library.state_, model, type);
}

ElementType Mlp::element_type() const {
  return require_state(state_, kName).type();
}

std::size_t Mlp::inputs() const {
  return static_cast<std::size_t>(require_state(state_, kName).inputs());
}

std::size_t Mlp::outputs() const {
  return static_cast<std::size_t>(require_state(state_, kName).outputs());
}

void Mlp::prepare(const cl::CommandQueue& queue, std::size_t batch, const Matrix& input,
                  const Matrix& output) const {
  require_state(state_, kName).prepare(queue, batch, input, output);
}

std::size_t Mlp::workspace_bytes(std::size_t batch, const Matrix& input,
                                 const Matrix& output) const {
  return require_state(state_, kName).planned(batch, input, output)->workspace.whole.elements *
         sizeof(float);
}

std::vector<MlpStep> Mlp::describe(std::size_t batch, const Matrix& input,
                                   const Matrix& output) const {
  State& state = require_state(state_, kName);
  return state.describe(*state.planned(batch, input, output));
}

cl::Event Mlp::forward(const cl::CommandQueue& queue, const Matrix& input, const Matrix& output,
                       std::size_t batch, const std::vector<cl::Event>& wait_list,
                       const MlpForward& with) const {
  return require_state(state_, kName).forward(queue, input, output, batch, wait_list, with);
}

}  // namespace tilewright

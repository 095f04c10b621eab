#include <tilewright/mlp.hpp>

#include "runtime/net/mlp_state.hpp"

namespace tilewright {

Mlp::Mlp(const Library& library, const MlpModel& model, ElementType type)
    : state_(std::make_shared<State>(library.state_, model, type)) {}

ElementType Mlp::element_type() const {
  return state_->type();
}

std::size_t Mlp::inputs() const {
  return static_cast<std::size_t>(state_->inputs());
}

std::size_t Mlp::outputs() const {
  return static_cast<std::size_t>(state_->outputs());
}

void Mlp::prepare(const cl::CommandQueue& queue, std::size_t batch, const Matrix& input,
                  const Matrix& output) const {
  state_->prepare(queue, batch, input, output);
}

std::size_t Mlp::workspace_bytes(std::size_t batch, const Matrix& input,
                                 const Matrix& output) const {
  return state_->planned(batch, input, output)->workspace.whole.elements * sizeof(float);
}

std::vector<MlpStep> Mlp::describe(std::size_t batch, const Matrix& input,
                                   const Matrix& output) const {
  return state_->describe(*state_->planned(batch, input, output));
}

cl::Event Mlp::forward(const cl::CommandQueue& queue, const Matrix& input, const Matrix& output,
                       std::size_t batch, const std::vector<cl::Event>& wait_list,
                       const MlpForward& with) const {
  return state_->forward(queue, input, output, batch, wait_list, with);
}

}  // namespace tilewright

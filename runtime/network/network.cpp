#include "runtime/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "runtime/network/network_state.hpp"

namespace tilewright {
namespace {

void check_count(const char* what, std::size_t count, std::size_t given) {
  if (given == count) return;
  throw Error(TW_INVALID_VALUE,
              fmt::format("the network has {} {}, but {} matrices are given", count, what, given));
}

// A matrix for each port; of none at all, matrices without offsets and gaps.
std::vector<Matrix> matrices_for_ports(const char* what, std::size_t count,
                                       const std::vector<Matrix>& given) {
  if (given.empty()) return std::vector<Matrix>(count);
  check_count(what, count, given.size());
  return given;
}

std::size_t find_port(const char* what, const std::vector<NetworkPort>& ports,
                      const std::string& name) {
  const auto found = std::find_if(ports.begin(), ports.end(),
                                  [&](const NetworkPort& port) { return port.name == name; });
  if (found != ports.end()) return static_cast<std::size_t>(found - ports.begin());
  std::string names;
  for (const NetworkPort& port : ports) {
    names += (names.empty() ? "" : ", ") + in_quotes(port.name);
  }
  throw Error(TW_INVALID_VALUE,
              fmt::format("the network has no {} {}; it has {}", what, in_quotes(name), names));
}

}  // namespace

Network::Network(const LibraryHandle& library, const NetworkModel& model, ElementType type) {
  library->require_same_process();
  state_ = std::make_shared<State>(library, model, type);
}

ElementType Network::element_type() const {
  return state_->type();
}

std::size_t Network::inputs() const {
  return static_cast<std::size_t>(state_->inputs(0));
}

std::size_t Network::outputs() const {
  return static_cast<std::size_t>(state_->outputs(0));
}

std::vector<NetworkPort> Network::input_ports() const {
  const State& state = *state_;
  std::vector<NetworkPort> ports;
  for (std::size_t i = 0; i < state.num_inputs(); ++i) {
    ports.push_back({state.input_name(i), static_cast<std::size_t>(state.inputs(i))});
  }
  return ports;
}

std::vector<NetworkPort> Network::output_ports() const {
  const State& state = *state_;
  std::vector<NetworkPort> ports;
  for (std::size_t i = 0; i < state.num_outputs(); ++i) {
    ports.push_back({state.output_name(i), static_cast<std::size_t>(state.outputs(i))});
  }
  return ports;
}

std::size_t Network::find_input(const std::string& name) const {
  return find_port("input", input_ports(), name);
}

std::size_t Network::find_output(const std::string& name) const {
  return find_port("output", output_ports(), name);
}

void Network::prepare(const cl::CommandQueue& queue, std::size_t batch, const Matrix& input,
                      const Matrix& output) const {
  State& state = *state_;
  state.prepare(queue, batch, std::vector<Matrix>(state.num_inputs(), input),
                std::vector<Matrix>(state.num_outputs(), output));
}

std::size_t Network::workspace_bytes(std::size_t batch, const Matrix& input,
                                     const Matrix& output) const {
  State& state = *state_;
  return state
             .planned(batch, std::vector<Matrix>(state.num_inputs(), input),
                      std::vector<Matrix>(state.num_outputs(), output))
             ->workspace.whole.elements *
         sizeof(float);
}

void Network::prepare_all(const cl::CommandQueue& queue, std::size_t batch,
                          const std::vector<Matrix>& inputs,
                          const std::vector<Matrix>& outputs) const {
  State& state = *state_;
  state.prepare(queue, batch, matrices_for_ports("inputs", state.num_inputs(), inputs),
                matrices_for_ports("outputs", state.num_outputs(), outputs));
}

std::size_t Network::workspace_bytes_all(std::size_t batch, const std::vector<Matrix>& inputs,
                                         const std::vector<Matrix>& outputs) const {
  State& state = *state_;
  return state
             .planned(batch, matrices_for_ports("inputs", state.num_inputs(), inputs),
                      matrices_for_ports("outputs", state.num_outputs(), outputs))
             ->workspace.whole.elements *
         sizeof(float);
}

std::size_t Network::max_workspace_bytes(std::size_t max_batch) const {
  return state_->max_workspace_floats(max_batch) * sizeof(float);
}

std::vector<StepDescription> Network::describe(std::size_t batch, const Matrix& input,
                                               const Matrix& output) const {
  State& state = *state_;
  return state.describe(*state.planned(batch, std::vector<Matrix>(state.num_inputs(), input),
                                       std::vector<Matrix>(state.num_outputs(), output)));
}

cl::Event Network::forward(const cl::CommandQueue& queue, const Matrix& input, const Matrix& output,
                           std::size_t batch, const std::vector<cl::Event>& wait_list,
                           const NetworkForward& with) const {
  State& state = *state_;
  check_count("inputs", state.num_inputs(), 1);
  check_count("outputs", state.num_outputs(), 1);
  return state.forward(queue, std::span(&input, 1), std::span(&output, 1), batch, wait_list, with);
}

cl::Event Network::forward_all(const cl::CommandQueue& queue, const std::vector<Matrix>& inputs,
                               const std::vector<Matrix>& outputs, std::size_t batch,
                               const std::vector<cl::Event>& wait_list,
                               const NetworkForward& with) const {
  State& state = *state_;
  check_count("inputs", state.num_inputs(), inputs.size());
  check_count("outputs", state.num_outputs(), outputs.size());
  return state.forward(queue, inputs, outputs, batch, wait_list, with);
}

}  // namespace tilewright

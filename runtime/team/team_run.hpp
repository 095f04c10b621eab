// The part of a product that one member computes.
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/call/thread_exit.hpp"
#include "runtime/team/team.hpp"

namespace tilewright {

struct Team::Run {
  std::size_t member = 0;  // index in Work::members
  HostGemm product;
  std::optional<PartialSum> sum;  // of a part of k that is not the first one
  double seconds = 0.0;           // in which the member has computed it
  std::optional<Error> error;

  void execute(const TeamMember& on);
};

}  // namespace tilewright

// Members for tests of teams, also some that fail, and the check of a product in host memory.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blas_case.hpp"
#include "runtime/team/cblas_member.hpp"
#include "runtime/team/team.hpp"
#include "team_case.hpp"

namespace tilewright {

using Members = std::vector<std::shared_ptr<const TeamMember>>;

// A member that supports everything and always fails, after it has written garbage to C if the
// product allows it.
class FailingMember : public TeamMember {
 public:
  const std::string& name() const override { return name_; }
  std::string profile_name() const override { return name_; }
  bool supports(ElementType) const override { return true; }
  std::optional<MemberPrediction> predict(const GemmCall&, bool) const override {
    return std::nullopt;
  }
  void multiply(const HostGemm& product) const override {
    if (product.call.beta == 0.0) {
      std::memset(product.c.data, 1, bytes_per_element(product.call.type));
    }
    throw error;
  }

  Error error{TW_OPENCL_ERROR, "out of order, as ordered", CL_OUT_OF_RESOURCES};

 private:
  std::string name_ = "failing";
};

// Libraries on two devices.
struct Pair {
  TeamQueues on;
  std::vector<LibraryHandle> libraries;
  Pair(const TestDevice& d, bool one_context) : on(d, one_context) {
    for (std::size_t i = 0; i < 2; ++i) {
      libraries.push_back(Library::open(on.context(i), on.devices[i], ProfileSource::builtin()));
    }
  }
  std::shared_ptr<const TeamMember> member(std::size_t index) const {
    return std::make_shared<DeviceMember>(libraries[index], on.queues[index]);
  }
};

// The first of: two devices, CBLAS, a member that fails.
inline Members first_members(const Pair& pair, std::size_t count) {
  Members members;
  if (count > 0) members.push_back(pair.member(0));
  if (count > 1) members.push_back(pair.member(1));
  if (count > 2) members.push_back(std::make_shared<CblasMember>(TILEWRIGHT_PLAIN_CBLAS));
  if (count > 3) members.push_back(std::make_shared<FailingMember>());
  return members;
}

inline Members cblas_members(std::size_t count) {
  Members members;
  for (std::size_t i = 0; i < count; ++i) {
    members.push_back(std::make_shared<CblasMember>(TILEWRIGHT_PLAIN_CBLAS));
  }
  return members;
}

template <class Element>
HostPointer pointer_to(StoredMatrixOf<Element>& matrix) {
  return {matrix.data.data() + matrix.offset, matrix.ld};
}

// Returns the first error of a product in host memory, or "".
template <class Element>
std::string wrong_product(Team& team, const GemmCall& call, std::size_t offset, std::size_t gap,
                          unsigned seed) {
  const BlasCaseOf<Element> test(call, offset, gap, seed);
  BlasCaseOf<Element> memory = test;
  team.gemm({call, pointer_to(memory.a), pointer_to(memory.b), pointer_to(memory.c)});
  return test.wrong(memory.c.data);
}

}  // namespace tilewright

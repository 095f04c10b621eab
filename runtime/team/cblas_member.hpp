// The host's CBLAS as a member of a team.
#pragma once

#include <string>

#include "runtime/call/cblas_library.hpp"
#include "runtime/team/team_member.hpp"

namespace tilewright {

class CblasMember : public TeamMember {
 public:
  // `file`: argument of SharedLibrary. Throws Error TW_INVALID_VALUE if it cannot be loaded or has
  // none of the products.
  explicit CblasMember(const std::string& file);

  const std::string& name() const override { return name_; }
  // The file without its folder, and the number of threads, on which its rates depend.
  std::string profile_name() const override;
  bool supports(ElementType type) const override;
  // Nothing is known about the library's speed until it is measured.
  std::optional<MemberPrediction> predict(const GemmCall&, bool) const override {
    return std::nullopt;
  }
  void multiply(const HostGemm& product) const override;

 private:
  CblasLibrary functions_;
  std::string name_;
};

}  // namespace tilewright

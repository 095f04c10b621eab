// What a team knows about each of its members.
#pragma once

#include <optional>
#include <string>

#include "runtime/team/product_part.hpp"

namespace tilewright {

class DeviceMember;

// The prediction for a product on one member.
struct MemberPrediction {
  double seconds = 0.0;
  double transfer_seconds = 0.0;  // of them to copy matrices to and from the device
  // Rows and columns of C (as called) that a work-group computes: parts that are multiples of them
  // leave no work-group partly idle.
  std::size_t tile_m = 1;
  std::size_t tile_n = 1;
};

// Thread-safe.
class TeamMember {
 public:
  virtual ~TeamMember() = default;

  // For messages: the name of the device or of the CBLAS library.
  virtual const std::string& name() const = 0;
  // For team profiles: tells members apart whose rates differ, on any machine.
  virtual std::string profile_name() const = 0;
  // compute_digest() of the profile; "" for a CBLAS.
  virtual std::string profile_digest() const { return ""; }
  virtual bool supports(ElementType type) const = 0;
  // Predicts the product of matrices in host memory (or in buffers, without copies). nullopt if
  // nothing is known about such products.
  virtual std::optional<MemberPrediction> predict(const GemmCall& call,
                                                  bool in_host_memory) const = 0;
  // Computes the product and returns when C is written. Throws Error; then C is unchanged, unless
  // beta is 0.
  virtual void multiply(const HostGemm& product) const = 0;
  // This member, if it is an OpenCL device; otherwise null.
  virtual const DeviceMember* device() const { return nullptr; }
};

}  // namespace tilewright

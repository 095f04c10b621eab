// A team: several devices, and the host's CBLAS, that compute products together.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/team/adaptive_split.hpp"
#include "runtime/team/device_member.hpp"
#include "runtime/team/shape_curves.hpp"
#include "runtime/team/team_member.hpp"
#include "runtime/team/team_profile.hpp"

namespace tilewright {

struct TeamOptions {
  std::vector<double> shares;          // fixed parts of each member; empty: chosen by time
  bool adapt = true;                   // the division follows measured times
  std::optional<SplitAxis> axis;       // the only axis that is divided; nullopt: chosen by time
  std::optional<TeamProfile> profile;  // of these members
};

// Thread-safe.
class Team {
 public:
  // At least one member. `shares` has one value for each of them, or none.
  Team(std::vector<std::shared_ptr<const TeamMember>> members, TeamOptions options);

  // Computes a product of valid arguments, whose matrices are in host memory, and returns when C is
  // written. If a member fails, the others compute its part, and it is dropped, unless it lacks
  // memory for this product. Throws Error
  // TW_UNSUPPORTED_TYPE if no member supports the type; otherwise the error of the last member, if
  // all fail.
  void gemm(const HostGemm& product);

  // Checks the arguments and enqueues a product of matrices in buffers. Only devices of the
  // buffers' context compute it: together if all of them use the host's memory, otherwise one of
  // them. Returns the event that completes when C is written. Throws Error; see gemm().
  cl::Event enqueue(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                    const std::vector<cl::Event>& wait_list);

  // One line for each member: what it would compute of the next such product in host memory. While
  // the team tries the alternatives, this is the one whose turn it is; retries are not shown.
  std::string explain(const GemmCall& call);

  std::size_t num_members() const { return members_.size(); }
  const TeamMember& member(std::size_t index) const { return *members_[index]; }
  // Why the member was dropped; "" if it was not. Valid as long as the team.
  const char* drop_reason(std::size_t index) const;
  // How many parts the member left to others because it lacked memory for them, and the first
  // reason; "" if there is none. Valid as long as the team.
  std::size_t num_skipped(std::size_t index) const;
  const char* skip_reason(std::size_t index) const;

 private:
  using Indices = std::vector<std::size_t>;  // indices of members
  // Everything on which the division of a product depends.
  using ShapeKey = std::tuple<ElementType, Order, Transpose, Transpose, std::size_t, std::size_t,
                              std::size_t, bool, bool, Indices>;
  // The part of one member, and what became of it.
  struct Run;
  struct Work {
    Indices members;
    Division division;
    // The split that chose the division and learns from its time, even if the team forgets the
    // shape meanwhile. null: the division has the shares of TeamOptions.
    std::shared_ptr<AdaptiveSplit> split;
  };

  // The members that support the type, were not dropped, and are not among those that failed in
  // this call. `context`: only devices of this context; null: all. Throws Error if there is none.
  Indices usable_members(ElementType type, cl_context context, const Indices& failed) const;
  // Products in buffers are divided by predicted times only, because they are not measured.
  enum class Use { kInBuffers, kInHostMemory, kExplain };
  Work plan(const GemmCall& call, Indices members, Use use);
  Work plan_in_buffers(const GemmCall& call, cl_context context, const Indices& failed);
  std::shared_ptr<AdaptiveSplit> known_split(const GemmCall& call, const Indices& members,
                                             bool in_host_memory);
  AdaptiveSplit new_split(const GemmCall& call, const ShapeBasis& basis,
                          const Indices& members) const;
  // Divisions by the shares of TeamOptions.
  Division fixed_division(const GemmCall& call, const Indices& members) const;
  static std::vector<Run> divide(const HostGemm& product, const Division& division);
  void execute(std::vector<Run>& runs, const Indices& members) const;
  void record(ElementType type, const Work& work, const std::vector<Run>& runs, double total);
  // Drops the member, or counts the part as skipped if it only lacks memory for this product.
  void note_failure(std::size_t member, const Error& error);
  // Computes a product that is not empty without the members that failed in this call.
  void gemm_without(Indices failed, const HostGemm& product);

  const DeviceMember& device_for(const Matrix& c) const;
  cl::Event join(const std::vector<cl::Event>& events, cl_context context) const;
  void enqueue_parts(const GemmCall& call, const Matrices& matrices,
                     const std::vector<cl::Event>& wait_list, cl_context context, Indices failed,
                     std::vector<cl::Event>& events);

  const std::vector<std::shared_ptr<const TeamMember>> members_;
  const TeamOptions options_;
  mutable std::mutex mutex_;               // guards everything below
  std::vector<std::string> drop_reasons_;  // never changed once they are set
  std::vector<std::string> skip_reasons_;  // never changed once they are set
  std::vector<std::size_t> num_skipped_;
  std::optional<Error> last_error_;  // of the member that failed last
  std::map<ShapeKey, std::shared_ptr<AdaptiveSplit>> splits_;
  // Measured relative to predicted time of each member, from the shape that was computed last.
  std::map<ElementType, std::vector<double>> scales_;
};

}  // namespace tilewright

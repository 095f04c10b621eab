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
#include "runtime/team/device_member.hpp"
#include "runtime/team/team_member.hpp"
#include "runtime/team/team_plan.hpp"
#include "runtime/team/team_profile.hpp"

namespace tilewright {

struct TeamOptions {
  std::vector<double> shares;          // fixed parts of each member; empty: chosen by time
  bool measure = true;                 // the first product of a type measures the members
  std::optional<SplitAxis> axis;       // the only axis that is divided; nullopt: chosen by time
  std::optional<TeamProfile> profile;  // of these members
};

// How long one member, or all of them together, are measured, after one product that does not
// count.
struct SampleLimits {
  int min_products = 1;
  double seconds = 0.0;  // after the minimum, products continue until this time has passed
};

// GFLOPS of single row-major products NN of one shape.
struct TeamSamples {
  GemmShape shape;
  ElementType type = ElementType::kFloat;
  std::vector<std::vector<double>> alone = {};     // by member
  std::vector<std::vector<double>> together = {};  // of their parts; empty: no part
  std::vector<double> team = {};                   // of whole products

  // The rates of the fastest products: what members can do while no other program runs.
  TeamResult fastest() const;
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

  // Measures the members for an element type, on cubes of 128 to 2048. Larger cubes are left out if
  // a product of the slowest member would take more than 0.1 s. Throws Error if nothing could be
  // measured; the earlier rates are then kept.
  void measure(ElementType type);

  // Measure products of the shape and append their rates: of one member, and of all together, with
  // parts that follow from the rates alone. Return the error if a member fails; see num_skipped()
  // and drop_reason().
  std::optional<Error> sample_alone(std::size_t member, TeamSamples& samples,
                                    const SampleLimits& limits);
  std::optional<Error> sample_together(TeamSamples& samples, const SampleLimits& limits);

  // One line for each member: what it would compute of such a product in host memory, and its
  // predicted times; and a line about the product.
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
  // Everything on which a plan depends.
  using ShapeKey = std::tuple<ElementType, Order, Transpose, Transpose, std::size_t, std::size_t,
                              std::size_t, bool, bool, Indices>;
  // The part of one member, and what became of it.
  struct Run;
  struct Work {
    Indices members;
    TeamPlan plan;
  };

  // The members that support the type, were not dropped, and are not among those that failed in
  // this call. `context`: only devices of this context; null: all. Throws Error if there is none.
  Indices usable_members(ElementType type, cl_context context, const Indices& failed) const;
  // Only kInHostMemory measures the members.
  enum class Use { kInBuffers, kInHostMemory, kExplain };
  Work plan(const GemmCall& call, Indices members, Use use);
  Work plan_in_buffers(const GemmCall& call, cl_context context, const Indices& failed);
  // The plan with the shares of TeamOptions.
  TeamPlan fixed_plan(const GemmCall& call, const Indices& members) const;
  // The mutex must be locked.
  const TeamResult* measured(const GemmCall& call) const;
  void measure_once(const GemmCall& call);
  // Returns the error if not even the smallest cube could be measured. `measuring_` must be locked.
  std::optional<Error> measure_cubes(ElementType type);
  // Appends the rates of products with these parts. Returns the error if a member fails, or memory
  // for the matrices is lacking.
  std::optional<Error> sample(const TeamSamples& samples, const Indices& members,
                              const std::vector<std::int64_t>& parts, const SampleLimits& limits,
                              std::vector<std::vector<double>>& member_gflops,
                              std::vector<double>& team_gflops);

  static std::vector<Run> divide(const HostGemm& product, const TeamPlan& plan);
  void execute(std::vector<Run>& runs, const Indices& members) const;
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
  mutable std::mutex mutex_;               // guards everything below, except measuring_
  std::vector<std::string> drop_reasons_;  // never changed once they are set
  std::vector<std::string> skip_reasons_;  // never changed once they are set
  std::vector<std::size_t> num_skipped_;
  std::optional<Error> last_error_;     // of the member that failed last
  std::vector<TeamResult> results_;     // of the team profile, or measured
  std::map<ShapeKey, TeamPlan> plans_;  // computed once, because predictions rank all kernels
  std::mutex measuring_;                // held by the thread that measures
};

}  // namespace tilewright

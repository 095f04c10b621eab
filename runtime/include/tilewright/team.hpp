/// @file
/// Several devices multiply together: the C++ interface.
///
///     tw::Team team({{library, queue}, "libopenblas.so.0"});  // a device, and the host
///     team.gemm({m, n, k}, a, 0, b, 0, c, 0);                 // float*, double*, ... in host
///     memory
///
/// A header over the C interface (team.h), which documents how products are divided, arguments and
/// statuses. Errors, OpenCL objects and thread safety are as in tilewright.hpp. Copies of a team
/// share one state.
#ifndef TILEWRIGHT_TEAM_HPP
#define TILEWRIGHT_TEAM_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/team.h>
#include <tilewright/tilewright.hpp>

namespace tw {
inline namespace v1 {

/// A member of a team: a device or the host. It refers to its library and queue, so use it as an
/// argument only. See tw_team_member.
class TeamMember {
 public:
  /// A device.
  /// @param library  the library of the device
  /// @param queue  a queue of the library's context and device
  TeamMember(const Library& library, QueueRef queue)
      : library_(library.handle()), queue_(queue.get()) {}
  /// The host.
  /// @param cblas  name or path of a shared library with CBLAS functions; "": the functions of the
  ///     program
  TeamMember(std::string cblas) : cblas_(std::move(cblas)), is_host_(true) {}
  /// @param cblas  see above
  TeamMember(const char* cblas) : TeamMember(std::string(cblas)) {}

  /// @return the member as an argument of the C interface, valid as long as this object
  tw_team_member to_c() const { return {library_, queue_, is_host_ ? cblas_.c_str() : nullptr}; }

 private:
  tw_library* library_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::string cblas_;
  bool is_host_ = false;
};

/// Options for creating a team; see tw_team_desc.
struct TeamOptions {
  std::vector<double> shares = {};  ///< empty, or the fixed share of each member
  bool measure = true;              ///< whether the first product measures the members
  std::string profile_path = {};    ///< empty, or the path of a team profile
};

/// Several devices, and the host, that multiply together; see tw_team.
class Team {
 public:
  /// No team. Another one can be assigned.
  Team() = default;
  /// Creates a team. Nothing is compiled or measured yet.
  /// @param members  at least one. Their libraries may be destroyed: the team keeps what it needs
  /// @param options  see TeamOptions
  /// @throws Error like tw_team_create; TW_INVALID_VALUE if there are shares, but not one for each
  ///     member
  explicit Team(const std::vector<TeamMember>& members, const TeamOptions& options = {}) {
    std::vector<tw_team_member> given;
    given.reserve(members.size());
    for (const TeamMember& member : members) given.push_back(member.to_c());
    tw_team_desc desc = tw_make_team_desc(given.data(), given.size());
    if (!options.shares.empty()) {
      if (options.shares.size() != members.size()) {
        throw Error(TW_INVALID_VALUE, "there are " + std::to_string(members.size()) +
                                          " members, but " + std::to_string(options.shares.size()) +
                                          " shares");
      }
      desc.shares = options.shares.data();
    }
    desc.measure = options.measure ? 1 : 0;
    if (!options.profile_path.empty()) desc.profile_path = options.profile_path.c_str();
    tw_team* team = nullptr;
    detail::check(tw_team_create(&desc, &team));
    team_.reset(team, tw_team_free);
  }

  /// C = alpha op(A) op(B) + beta C for matrices in host memory. Returns when C is written; see
  /// tw_team_gemm.
  /// @param product  extents, scalars, transposes, storage order; not a batch
  /// @param a, b  the first elements of the factors; null if they are not read
  /// @param c  the first element of the result, which must not overlap A or B
  /// @param lda, ldb, ldc  leading dimensions; 0: without gaps
  /// @throws Error like tw_team_gemm
  template <class T>
  void gemm(const Gemm& product, const T* a, std::size_t lda, const T* b, std::size_t ldb, T* c,
            std::size_t ldc) const {
    gemm(element_type<T>(), product, a, lda, b, ldb, c, ldc);
  }
  /// gemm() for an element type that is known at run time.
  /// @param type  the element type
  /// @param product, a, lda, b, ldb, c, ldc  see above
  void gemm(tw_type type, const Gemm& product, const void* a, std::size_t lda, const void* b,
            std::size_t ldb, void* c, std::size_t ldc) const {
    const Library::Arguments given(type, product, {}, {}, {});
    detail::check(tw_team_gemm(handle(), &given.desc, a, lda, b, ldb, c, ldc));
  }

  /// The same for matrices in buffers. Enqueues the product and returns without waiting; see
  /// tw_team_enqueue_gemm.
  /// @param product  see gemm()
  /// @param a, b  the factors
  /// @param c  the result, which must not overlap A or B
  /// @param wait  events to wait for
  /// @return the event that completes when C is written
  /// @throws Error like tw_team_enqueue_gemm
  template <class T>
  Event enqueue_gemm(const Gemm& product, const Matrix& a, const Matrix& b, const Matrix& c,
                     const WaitList& wait = {}) const {
    return enqueue_gemm(element_type<T>(), product, a, b, c, wait);
  }
  /// enqueue_gemm() for an element type that is known at run time.
  /// @param type  the element type
  /// @param product, a, b, c, wait  see above
  /// @return see above
  Event enqueue_gemm(tw_type type, const Gemm& product, const Matrix& a, const Matrix& b,
                     const Matrix& c, const WaitList& wait = {}) const {
    const Library::Arguments given(type, product, a, b, c);
    cl_event event = nullptr;
    detail::check(tw_team_enqueue_gemm(handle(), &given.desc, &given.a, &given.b, &given.c,
                                       wait.size(), wait.data(), &event));
    return Event(event);
  }

  /// Measures the members again; see tw_team_measure.
  /// @param type  the element type
  /// @throws Error like tw_team_measure
  void measure(tw_type type) const { detail::check(tw_team_measure(handle(), type)); }

  /// Explains what each member would compute of a product in host memory; see tw_team_explain.
  /// @param type  the element type
  /// @param product  see gemm()
  /// @return one line for each member, and one for the product
  /// @throws Error like tw_team_explain
  std::string explain(tw_type type, const Gemm& product) const {
    const Library::Arguments given(type, product, {}, {}, {});
    char* text = nullptr;
    detail::check(tw_team_explain(handle(), &given.desc, &text));
    const std::unique_ptr<char, void (*)(char*)> owner(text, tw_text_free);
    return text;
  }

  /// @return the number of members that were dropped
  std::size_t num_dropped() const { return tw_team_num_dropped(handle()); }
  /// @param member  the index of a member, from 0
  /// @return why it was dropped; "" if it was not
  std::string drop_reason(std::size_t member) const {
    return tw_team_drop_reason(handle(), member);
  }

  /// @param member  the index of a member, from 0
  /// @return how many parts it left to other members, because it lacked memory for them
  std::size_t num_skipped(std::size_t member) const {
    return tw_team_num_skipped(handle(), member);
  }
  /// @param member  the index of a member, from 0
  /// @return the first reason why it did so; "" if it has not
  std::string skip_reason(std::size_t member) const {
    return tw_team_skip_reason(handle(), member);
  }

  /// @return the handle of the C interface; null if there is none
  tw_team* get() const { return team_.get(); }

 private:
  tw_team* handle() const { return detail::require(team_, "team"); }

  std::shared_ptr<tw_team> team_;
};

}  // namespace v1
}  // namespace tw

#endif

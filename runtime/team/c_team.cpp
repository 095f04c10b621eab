// The C interface of teams: a thin layer over Team.
#include <tilewright/team.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include "profiles/profile_text.hpp"
#include "runtime/api/c_arguments.hpp"
#include "runtime/api/c_call.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/team/cblas_member.hpp"
#include "runtime/team/device_member.hpp"
#include "runtime/team/team.hpp"
#include "runtime/team/team_profile.hpp"

struct tw_team {
  tilewright::Team team;
};

using namespace tilewright;

namespace {

TW_ENDS_WITH(tw_team_member, cblas);
TW_ENDS_WITH(tw_team_desc, profile_path);

// A member of a caller whose header may have a smaller or larger tw_team_member than this library.
tw_team_member read_member(const tw_team_desc& desc, size_t index) {
  constexpr size_t kMinSize = offsetof(tw_team_member, cblas) + sizeof(desc.members->cblas);
  tw_team_member member = {};
  const auto* bytes =
      reinterpret_cast<const unsigned char*>(desc.members) + index * desc.member_size;
  copy_struct(fmt::format("member {}", index), bytes, desc.member_size, kMinSize, &member,
              sizeof(member));
  return member;
}

std::shared_ptr<const TeamMember> make_member(const tw_team_member& member, size_t index) {
  if (member.cblas != nullptr) {
    if (member.library == nullptr && member.queue == nullptr) {
      return std::make_shared<CblasMember>(member.cblas);
    }
    throw Error(TW_INVALID_VALUE, fmt::format("member {} has both a device and a CBLAS", index));
  }
  if (member.library == nullptr) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("member {} has neither a library nor a CBLAS", index));
  }
  return std::make_shared<DeviceMember>(member.library->library,
                                        retained<cl::CommandQueue>(member.queue));
}

TeamOptions to_team_options(const tw_team_desc& desc) {
  TeamOptions options;
  options.measure = desc.measure != 0;
  if (desc.shares == nullptr) return options;
  options.shares.assign(desc.shares, desc.shares + desc.num_members);
  const auto is_share = [](double share) { return std::isfinite(share) && share >= 0.0; };
  require(std::all_of(options.shares.begin(), options.shares.end(), is_share),
          "a share is negative or not finite");
  const auto is_positive = [](double share) { return share > 0.0; };
  require(std::any_of(options.shares.begin(), options.shares.end(), is_positive),
          "all shares are 0");
  require(std::isfinite(std::accumulate(options.shares.begin(), options.shares.end(), 0.0)),
          "the sum of all shares is not finite");
  return options;
}

TeamProfile read_team_profile(const char* path,
                              const std::vector<std::shared_ptr<const TeamMember>>& members) {
  TeamProfile profile;
  try {
    profile = load_team_profile(path);
  } catch (const ProfileError& error) {
    throw Error(error.line() == 0 && error.key().empty() ? TW_NO_PROFILE : TW_BAD_PROFILE,
                error.what());
  }
  if (profile.members.size() != members.size()) {
    throw Error(TW_WRONG_DEVICE,
                fmt::format("the team profile '{}' is for {} members, but the team has {}", path,
                            profile.members.size(), members.size()));
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const std::string name = printable_name(members[i]->profile_name());
    if (profile.members[i].name != name) {
      throw Error(TW_WRONG_DEVICE,
                  fmt::format("the team profile '{}' was measured with '{}' as member {}, but the "
                              "team has '{}'",
                              path, profile.members[i].name, i, name));
    }
    if (profile.members[i].profile_digest == members[i]->profile_digest()) continue;
    throw Error(TW_WRONG_DEVICE,
                fmt::format("the team profile '{}' was measured with another profile of member {} "
                            "('{}'); run tilewright tune --team again",
                            path, i, profile.members[i].name));
  }
  return profile;
}

// Checks a matrix in host memory that the call reads or writes.
void check_memory(char name, const void* data, ElementType type, tw_status status) {
  if (data == nullptr) throw Error(status, fmt::format("{} is null", name));
  const std::size_t multiple = bytes_per_element(element_precision(type));
  if (reinterpret_cast<std::uintptr_t>(data) % multiple == 0) return;
  throw Error(status,
              fmt::format("the address of {} is not a multiple of {} bytes", name, multiple));
}

HostGemm to_host_gemm(const tw_gemm_desc* desc, const void* a, size_t lda, const void* b,
                      size_t ldb, void* c, size_t ldc) {
  const GemmCall call = to_gemm_call(read_desc_of_one(desc));
  const Matrices dense = dense_matrices(call);
  const auto ld_or = [](size_t given, size_t otherwise) { return given == 0 ? otherwise : given; };
  const HostGemm product{call,
                         {const_cast<void*>(a), ld_or(lda, dense.a.ld)},
                         {const_cast<void*>(b), ld_or(ldb, dense.b.ld)},
                         {c, ld_or(ldc, dense.c.ld)}};
  resolve(call, {{}, 0, product.a.ld}, {{}, 0, product.b.ld}, {{}, 0, product.c.ld});
  if (call.m == 0 || call.n == 0) return product;
  if (reads_operands(call)) {
    check_memory('A', a, call.type, TW_INVALID_BUFFER_A);
    check_memory('B', b, call.type, TW_INVALID_BUFFER_B);
  }
  check_memory('C', c, call.type, TW_INVALID_BUFFER_C);
  return product;
}

}  // namespace

tw_status tw_team_create(const tw_team_desc* desc, tw_team** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    constexpr size_t kMinSize = offsetof(tw_team_desc, profile_path) + sizeof(desc->profile_path);
    const tw_team_desc given = read_struct("desc", desc, kMinSize, tw_make_team_desc(nullptr, 0));
    require(given.num_members > 0, "the team has no members");
    require(given.members != nullptr, "members is null");
    TeamOptions options = to_team_options(given);
    std::vector<std::shared_ptr<const TeamMember>> members;
    for (size_t i = 0; i < given.num_members; ++i) {
      members.push_back(make_member(read_member(given, i), i));
    }
    if (given.profile_path != nullptr) {
      options.profile = read_team_profile(given.profile_path, members);
    }
    *out = new tw_team{Team(std::move(members), std::move(options))};
  });
}

void tw_team_free(tw_team* team) {
  delete team;
}

tw_status tw_team_gemm(tw_team* team, const tw_gemm_desc* desc, const void* a, size_t lda,
                       const void* b, size_t ldb, void* c, size_t ldc) {
  return guarded([&] {
    require(team != nullptr, "the team is null");
    team->team.gemm(to_host_gemm(desc, a, lda, b, ldb, c, ldc));
  });
}

tw_status tw_team_enqueue_gemm(tw_team* team, const tw_gemm_desc* desc, const tw_matrix* a,
                               const tw_matrix* b, const tw_matrix* c, cl_uint num_wait,
                               const cl_event* wait, cl_event* event) {
  return guarded([&] {
    require(team != nullptr, "the team is null");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    const GemmCall call = to_gemm_call(read_desc_of_one(desc));
    const Matrices given = to_matrices(call, a, b, c);
    release_to_caller(team->team.enqueue(call, given.a, given.b, given.c, wait_list), event);
  });
}

tw_status tw_team_measure(tw_team* team, tw_type type) {
  return guarded([&] {
    require(team != nullptr, "the team is null");
    require(type >= TW_FLOAT && type <= TW_COMPLEX_DOUBLE, "the element type is unknown");
    team->team.measure(static_cast<ElementType>(type));
  });
}

tw_status tw_team_explain(tw_team* team, const tw_gemm_desc* desc, char** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(team != nullptr, "the team is null");
    const GemmCall call = to_gemm_call(read_desc_of_one(desc));
    resolve_dense(call);
    *out = copy_text(team->team.explain(call));
  });
}

const char* tw_team_drop_reason(const tw_team* team, size_t member) {
  if (team == nullptr || member >= team->team.num_members()) return "";
  return team->team.drop_reason(member);
}

const char* tw_team_skip_reason(const tw_team* team, size_t member) {
  if (team == nullptr || member >= team->team.num_members()) return "";
  return team->team.skip_reason(member);
}

size_t tw_team_num_skipped(const tw_team* team, size_t member) {
  if (team == nullptr || member >= team->team.num_members()) return 0;
  return team->team.num_skipped(member);
}

size_t tw_team_num_dropped(const tw_team* team) {
  size_t dropped = 0;
  for (size_t i = 0; team != nullptr && i < team->team.num_members(); ++i) {
    if (*team->team.drop_reason(i) != '\0') ++dropped;
  }
  return dropped;
}

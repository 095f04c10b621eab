// The team profile: measured rates of the members of a team, alone and together, as a text file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// The rates of all members for one row-major product NN, in the order of the members. In a team
// that is not read from a file, members that were not measured have rates of 0.
struct TeamResult {
  ElementType type = ElementType::kFloat;
  GemmShape shape;
  std::vector<double> alone_gflops;
  // While all members multiply at the same time, each its part (measured_parts()).
  std::vector<double> together_gflops;
  double team_gflops = 0.0;  // of the whole product by the team
};

struct TeamProfileMember {
  std::string name;            // TeamMember::profile_name() after printable_name()
  std::string profile_digest;  // compute_digest() of the member's profile; "" for a CBLAS
};

struct TeamProfile {
  std::vector<TeamProfileMember> members;
  std::vector<TeamResult> results;
};

// The name with '?' in place of each character that a string of the format cannot contain.
std::string printable_name(std::string name);

// Returns the text of a team profile, which parse_team_profile() reads.
std::string write_team_profile(const TeamProfile& profile);

// `file` is used in messages. Throws ProfileError.
TeamProfile parse_team_profile(std::string_view text, const std::string& file);

// Reads and parses a file. Throws ProfileError (with line 0 if the file cannot be read).
TeamProfile load_team_profile(const std::string& path);

// The result for this type whose shape is nearest: least difference of the logarithms of m, n and
// k. Null if there is none.
const TeamResult* nearest_result(const std::vector<TeamResult>& results, ElementType type,
                                 const GemmShape& shape);

}  // namespace tilewright

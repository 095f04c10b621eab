// Kernels that a profile refers to instead of holding their texts: built-in ones, and kernels that
// differ from another one in their type only.
#include <utility>

#include "catch.hpp"
#include "profiles/built_in.hpp"
#include "profiles/retyped.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

TEST_CASE("a kernel that differs in its type only refers to the other one") {
  Profile profile = sample_profile();
  profile.device.limits = {1 << 20, {1 << 20, 1 << 20}, 1 << 20, true, true};
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  for (const char* name : {"sgemm_R_R_m4_n4_k4_v4_wm8_wn8", "pack_C_R_m4_n4_v4_wm8_wn8"}) {
    KernelRecord kernel = *find_kernel(generic, name);
    kernel.classes.clear();
    profile.kernels.push_back(kernel);
    profile.kernels.push_back(retyped(kernel, Precision::kHalf).value());
  }
  const std::string text = write_profile(profile);
  CHECK(text.find("[[kernel]]\nname = \"hgemm_R_R_m4_n4_k4_v4_wm8_wn8\"\n"
                  "retyped = \"sgemm_R_R_m4_n4_k4_v4_wm8_wn8\"\nprecision = \"h\"\ndigest = ") !=
        std::string::npos);
  CHECK(text.find("retyped = \"pack_C_R_m4_n4_v4_wm8_wn8\"") != std::string::npos);
  check_round_trip(profile);
  const auto refused = [&](const std::string& from, const std::string& to) {
    const auto refusal = find_refusal(edited(text, from, to));
    REQUIRE(refusal);
    return refusal->key();
  };
  const std::string base = "retyped = \"sgemm_R_R_m4_n4_k4_v4_wm8_wn8\"";
  CHECK(refused(base, "retyped = \"sgemm\"") == "kernel[9].retyped");
  CHECK(refused(base, "retyped = \"gemm_nn\"") == "kernel[9].retyped");
  CHECK(refused(base, base + "\nrole = \"gemm\"") == "kernel[9].role");
  CHECK(refused("precision = \"h\"\ndigest = \"xxh3-", "precision = \"h\"\ndigest = \"xxh3-0") ==
        "kernel[9].digest");
  // A kernel with a changed text has its own.
  profile.kernels[9].source += "// changed\n";
  CHECK(write_profile(profile).find(base) == std::string::npos);
  check_round_trip(profile);
}

// The sample with a result and a model of a built-in kernel.
Profile with_built_in(const std::string& name) {
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  Profile profile = sample_profile();
  profile.device.limits = {1 << 20, {1 << 20, 1 << 20}, 1 << 20, true, true};
  profile.kernels.push_back(built_in_kernel(generic, name).value());
  profile.results.push_back(profile.results[0]);
  profile.results.back().kernel = name;
  profile.models.push_back({.kernel = name, .fixed_ns = 1000.0});
  return profile;
}

TEST_CASE("of a built-in kernel a profile holds the name and the digest") {
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  for (const char* letter : {"s", "d", "h"}) {
    const std::string name = letter + generic.kernels[0].name.substr(1);
    const Profile profile = with_built_in(name);
    CHECK(profile.kernels.back().built_in);
    CHECK(profile.kernels.back().name == name);
    const std::string text = write_profile(profile);
    CHECK(text.find("[[built_in]]\nname = \"" + name + "\"\n") != std::string::npos);
    CHECK(text.find("entry = \"" + name + "\"") == std::string::npos);
    check_round_trip(profile);
  }
  CHECK_FALSE(built_in_kernel(generic, "sgemm"));
}

TEST_CASE("a built-in kernel that fails is named, and nothing else") {
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  Profile profile = sample_profile();
  profile.failing_built_in = {
      {generic.kernels[0].name, compute_code_digest(generic.kernels[0]), true}};
  check_round_trip(profile);
  // With other code it may work.
  const std::string changed =
      edited(write_profile(profile), profile.failing_built_in[0].digest, "xxh3-0");
  CHECK(parse_profile(changed, "changed") == sample_profile());
}

TEST_CASE("a profile names a built-in kernel once") {
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  const std::string name = generic.kernels[0].name;
  const std::string text = write_profile(with_built_in(name));
  const std::string entry = "\n[[built_in]]\nname = \"" + name + "\"\ndigest = \"xxh3-0\"\n";
  CHECK(find_refusal(edited(text, "\n[[built_in]]", entry + "\n[[built_in]]")));
  const std::string own =
      "name = \"" + sample_profile().kernels[0].name + "\"\ndigest = \"xxh3-0\"";
  CHECK(
      find_refusal(edited(text, "\n[[built_in]]", "\n[[built_in]]\n" + own + "\n\n[[built_in]]")));
}

TEST_CASE("a built-in kernel that exceeds a limit of the device is refused by its name") {
  const std::string text = write_profile(with_built_in("sgemm_R_R_m4_n4_wm4_wn8_wk8"));
  const std::string key = "max_work_group_size = " + std::to_string(1 << 20);
  REQUIRE(text.find(key) != std::string::npos);
  const auto refusal = find_refusal(edited(text, key, "max_work_group_size = 128"));
  REQUIRE(refusal);
  INFO(refusal->what());
  CHECK(refusal->key() == "built_in[0].name");
  CHECK(refusal->line() == line_number(text, "name = \"sgemm_R_R_m4_n4_wm4_wn8_wk8\""));
  CHECK(std::string(refusal->what()).find("work_group has") != std::string::npos);
}

TEST_CASE("what a profile says of a built-in kernel with another text is dropped") {
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  const Profile profile = with_built_in(generic.kernels[0].name);
  const std::string text = write_profile(profile);
  const std::string digest = compute_code_digest(profile.kernels.back());
  for (const auto& [from, to] : {std::pair(digest, std::string("xxh3-0")),
                                 std::pair(profile.kernels.back().name, std::string("unknown"))}) {
    std::string changed = text;
    for (std::size_t at = 0; (at = changed.find(from, at)) != std::string::npos; at += to.size()) {
      changed.replace(at, from.size(), to);
    }
    Profile expected = profile;
    expected.kernels.pop_back();
    expected.results.pop_back();
    expected.models.pop_back();
    expected.changed_built_in = {from == digest ? profile.kernels.back().name : "unknown"};
    changed = edited(changed, "[[built_in]]", "[[built_in]]");  // with the digest that it needs
    CHECK(parse_profile(changed, "changed") == expected);
  }
}

TEST_CASE("a generic profile refers to no built-in kernels") {
  Profile generic = parse_profile(generic_profile_text(), "built-in");
  generic.kernels[0].built_in = true;
  CHECK_THROWS_WITH(write_profile(generic), Catch::Matchers::ContainsSubstring("built_in"));
}

}  // namespace
}  // namespace tilewright

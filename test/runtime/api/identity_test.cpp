// Tests profiles that were tuned with another driver or on another device: which kernels are used,
// which are dropped, and what the library reports.

#include "api/c_open.hpp"
#include "catch.hpp"
#include "panel_library.hpp"
#include "slow_built_in.hpp"

namespace tilewright {
namespace {

using Names = std::vector<std::string>;

constexpr GemmCall kIdentityCall{.m = 13, .n = 9, .k = 21, .alpha = 1.5f, .beta = 0.5f};

enum class Tuned { kHere, kUnderAnotherDriver, kOnAnotherDevice };

// A profile with kernels for NN, each measured as slower than the previous one.
std::string make_profile_text(const TestDevice& d, Tuned tuned,
                              const std::vector<KernelRecord>& kernels) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  if (tuned == Tuned::kUnderAnotherDriver) profile.device.driver += " of yesterday";
  if (tuned == Tuned::kOnAnotherDevice) profile.device.name += " II";
  profile.kernels = kernels;
  double ns = 1e6;
  for (const KernelRecord& kernel : kernels) {
    if (kernel.role != Role::kGemm) continue;
    profile.results.push_back({Op::kNN, 8, 8, 8, kernel.name, ns, ns, ns, 9, 0.1});
    ns *= 2;
  }
  add_slow_built_in(profile, d);
  return write_profile(profile);
}

KernelRecord right(const std::string& name) {
  return with_source(written_gemm(name, "R", "R", "R"));
}

// Correct except for its last column.
KernelRecord wrong(const std::string& name) {
  KernelRecord record = right(name);
  const std::string store = "C[at] = x;";
  record.source.replace(record.source.find(store), store.size(),
                        "C[at] = col == n - 1 ? 1.0f : x;");
  return record;
}

KernelRecord broken(const std::string& name) {
  KernelRecord record = right(name);
  record.source += "not OpenCL C\n";
  return record;
}

std::string run_case(const TestDevice& d, LibraryHandle& library) {
  const BlasCase test(kIdentityCall, 2, 1, 1);
  const Matrix c = upload(d, test.c);
  return test.wrong(
      download(d, c, {library->gemm(d.queue, test.call, upload(d, test.a), upload(d, test.b), c)}));
}

TEST_CASE("with another driver, a wrong kernel is dropped and the next best one is used") {
  const TestDevice d;
  const std::string text = make_profile_text(d, Tuned::kUnderAnotherDriver,
                                             {wrong("best"), broken("second"), right("third")});
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::text(text));
  const std::string& origin = library->origin();
  CHECK_THAT(origin, Catch::Matchers::ContainsSubstring("other software"));
  CHECK(run_case(d, library) == "");
  CHECK(library->kernels_for(kIdentityCall) == Names{"third"});
  CHECK(Plan(library, kIdentityCall).kernel() == "third");
  const std::string explained = library->explain(kIdentityCall);
  INFO(explained);
  CHECK(explained.find("(third)") != std::string::npos);
  CHECK(explained.find("best on ") != std::string::npos);
  CHECK(explained.find("wrong results") != std::string::npos);
  CHECK(explained.find("second: clBuildProgram") != std::string::npos);
  CHECK(explained.find("first use") != std::string::npos);
}

TEST_CASE("kernels of a profile for the same driver are not verified") {
  const TestDevice d;
  const std::string text = make_profile_text(d, Tuned::kHere, {wrong("best"), right("second")});
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::text(text));
  CHECK(library->origin() == "text in memory");
  CHECK(library->kernels_for(kIdentityCall) == Names{"best"});
  CHECK(library->explain(kIdentityCall).find("verified") == std::string::npos);
  CHECK(run_case(d, library) != "");
}

TEST_CASE("if no kernel of the profile is correct with this driver, a built-in one is used") {
  const TestDevice d;
  const std::string text =
      make_profile_text(d, Tuned::kUnderAnotherDriver, {wrong("best"), wrong("second")});
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::text(text));
  CHECK(run_case(d, library) == "");
  CHECK(is_built_in(d, library->kernels_for(kIdentityCall).front()));
}

TEST_CASE("if a pack kernel is wrong, another pack kernel or another plan is used") {
  const TestDevice d;
  KernelRecord panels = written_gemm("panels", "R 8 1 C", "R", "R");
  panels.multiples = {8, 1, 1};
  panels = with_source(panels);
  KernelRecord bad_pack = written_pack("bad_pack", "R", "R 8 1 C");
  const std::string zero = ": 0.0f";
  bad_pack.source.replace(bad_pack.source.find(zero), zero.size(), ": 1.0f");
  const KernelRecord good_pack = written_pack("good_pack", "R", "R 8 1 C");
  const auto open = [&](const std::vector<KernelRecord>& kernels) {
    return Library::open(
        d.context, d.device,
        ProfileSource::text(make_profile_text(d, Tuned::kUnderAnotherDriver, kernels)));
  };
  LibraryHandle another_pack = open({panels, right("plain"), bad_pack, good_pack});
  CHECK(another_pack->kernels_for(kIdentityCall) == Names{"good_pack", "panels"});
  CHECK(run_case(d, another_pack) == "");
  LibraryHandle another_way = open({panels, right("plain"), bad_pack});
  CHECK(another_way->kernels_for(kIdentityCall) == Names{"plain"});
  CHECK_THAT(another_way->explain(kIdentityCall),
             Catch::Matchers::ContainsSubstring("not usable: bad_pack ") &&
                 Catch::Matchers::ContainsSubstring("wrong results"));
}

TEST_CASE(
    "a profile of another device is used only if it is forced, and only its correct kernels") {
  const TestDevice d;
  const std::string text =
      make_profile_text(d, Tuned::kOnAnotherDevice, {wrong("best"), right("second")});
  CHECK(error_status([&] { Library::open(d.context, d.device, ProfileSource::text(text)); }) ==
        TW_WRONG_DEVICE);
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::text(text).forced());
  const std::string& origin = library->origin();
  CHECK_THAT(origin, Catch::Matchers::ContainsSubstring("another device"));
  CHECK(library->kernels_for(kIdentityCall) == Names{"second"});
  CHECK(run_case(d, library) == "");
  // Forcing a matching profile has no effect.
  LibraryHandle fitting = Library::open(
      d.context, d.device,
      ProfileSource::text(make_profile_text(d, Tuned::kHere, {right("best")})).forced());
  CHECK(fitting->origin() == "text in memory");
}

TEST_CASE("C: a profile for another device is used only if this is allowed") {
  const TestDevice d;
  const std::string text = make_profile_text(d, Tuned::kOnAnotherDevice, {right("best")});
  tw_options options = options_with_text(text);
  tw_library* library = nullptr;
  CHECK(tw_open(d.context(), d.device(), &options, &library) == TW_WRONG_DEVICE);
  CHECK(library == nullptr);
  options.allow_other_device = 1;
  const OpenLibrary open(d, options);
  CHECK(std::string(tw_profile_origin(open.library)).find("but forced") != std::string::npos);
}

}  // namespace
}  // namespace tilewright

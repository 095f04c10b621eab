#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "api/c_open.hpp"
#include "blas_case.hpp"
#include "catch.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

std::string data(const char* name) {
  return std::string(TILEWRIGHT_DATA "/") + name;
}

TEST_CASE("C: opening fails with the correct status and a null library") {
  const TestDevice d;
  tw_library* library = reinterpret_cast<tw_library*>(&library);
  const auto open = [&](const std::string& path) {
    const tw_options options = options_with_path(path);
    return tw_open(d.context(), d.device(), &options, &library);
  };
  CHECK(open("/no/such/profile.toml") == TW_NO_PROFILE);
  CHECK(library == nullptr);
  CHECK(std::string(tw_last_error()).find("/no/such/profile.toml") != std::string::npos);
  const TemporaryFolder folder;
  const std::string notes = folder.file("notes.txt");
  std::ofstream(notes) << "no profile\n";
  CHECK(open(notes) == TW_BAD_PROFILE);
  CHECK(tw_open(nullptr, d.device(), nullptr, &library) == TW_INVALID_VALUE);
  CHECK(tw_open(d.context(), nullptr, nullptr, &library) == TW_INVALID_VALUE);
  CHECK(tw_open(d.context(), d.device(), nullptr, nullptr) == TW_INVALID_VALUE);
  tw_close(nullptr);
  CHECK(std::string(tw_profile_origin(nullptr)).empty());
}

TEST_CASE("C: a library is opened with the text of a profile, or with the built-in one") {
  const TestDevice d;
  std::ifstream file(data("generic.toml"));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // Options take precedence over the environment.
  const ScopedVariable named("TILEWRIGHT_PROFILE", "/no/such/profile.toml");
  {
    const OpenLibrary open(d, options_with_text(text));
    CHECK(std::string(tw_profile_origin(open.library)) == "text in memory");
  }
  tw_options options = tw_make_options();
  options.built_in_profile = 1;
  {
    const OpenLibrary open(d, options);
    CHECK(std::string(tw_profile_origin(open.library)) == "built-in");
  }
  tw_library* library = nullptr;
  const auto status = [&] { return tw_open(d.context(), d.device(), &options, &library); };
  options.profile_text = text.c_str();
  CHECK(status() == TW_INVALID_VALUE);
  options.built_in_profile = 0;
  options.profile_path = "profile.toml";
  CHECK(status() == TW_INVALID_VALUE);
  options.profile_path = nullptr;
  text.resize(text.size() / 2);
  CHECK(status() == TW_BAD_PROFILE);
  CHECK(library == nullptr);
}

TEST_CASE("C: without options, TILEWRIGHT_PROFILE is used first") {
  const TestDevice d;
  tw_library* library = nullptr;
  {
    const ScopedVariable named("TILEWRIGHT_PROFILE", "/no/such/profile.toml");
    CHECK(tw_open(d.context(), d.device(), nullptr, &library) == TW_NO_PROFILE);
  }
  const std::string path = data("generic.toml");
  const ScopedVariable named("TILEWRIGHT_PROFILE", path.c_str());
  REQUIRE(tw_open(d.context(), d.device(), nullptr, &library) == TW_SUCCESS);
  CHECK(std::string(tw_profile_origin(library)) == path + " (named by TILEWRIGHT_PROFILE)");
  tw_close(library);
}

// The number of files in a folder, with its sub-folders.
std::ptrdiff_t num_files(const std::string& folder) {
  const std::filesystem::recursive_directory_iterator files(folder);
  return std::count_if(begin(files), end(files),
                       [](const auto& entry) { return entry.is_regular_file(); });
}

TEST_CASE("C: the options choose the cache folder, or none") {
  const TestDevice d;
  const TemporaryFolder environment;
  const TemporaryFolder chosen;
  const ScopedVariable variable("TILEWRIGHT_CACHE", environment.path().c_str());
  const std::string folder = chosen.path();
  const BlasCase test({.m = 5, .n = 6, .k = 7}, 0, 0, 1);
  const auto multiply = [&](const char* cache_folder) {
    tw_options options = tw_make_options();
    options.cache_folder = cache_folder;
    const OpenLibrary open(d, options);
    const Matrix c = upload(d, test.c);
    const tw_gemm_desc desc = to_c(test.call);
    const CMatrix c_a = to_c(upload(d, test.a));
    const CMatrix c_b = to_c(upload(d, test.b));
    const CMatrix c_c = to_c(c);
    REQUIRE(tw_gemm(open.library, d.queue(), &desc, &c_a, &c_b, &c_c, 0, nullptr, nullptr) ==
            TW_SUCCESS);
    CHECK(test.wrong(download(d, c, {})) == "");
  };
  multiply("");
  multiply(folder.c_str());
  CHECK(num_files(environment.path()) == 0);
  CHECK(num_files(folder) > 0);
}

TEST_CASE("C: a library is opened for the context and the device of a queue") {
  const TestDevice d;
  tw_library* library = nullptr;
  REQUIRE(tw_open_for_queue(d.queue(), nullptr, &library) == TW_SUCCESS);
  const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 0, 0, 0);
  CHECK(tw_gemm(library, d.queue(), &desc, nullptr, nullptr, nullptr, 0, nullptr, nullptr) ==
        TW_SUCCESS);
  tw_close(library);
  CHECK(tw_open_for_queue(nullptr, nullptr, &library) == TW_INVALID_QUEUE);
  CHECK(library == nullptr);
  CHECK(tw_open_for_queue(d.queue(), nullptr, nullptr) == TW_INVALID_VALUE);
}

}  // namespace
}  // namespace tilewright

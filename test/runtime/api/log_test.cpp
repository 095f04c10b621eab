// Tests what a library logs: to the application's function, to stderr if $TILEWRIGHT_VERBOSE is
// set, otherwise nowhere.
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include <tilewright/tilewright.hpp>

#include "api/c_open.hpp"
#include "blas_case.hpp"
#include "catch.hpp"
#include "network/network_case.hpp"
#include "panel_library.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

constexpr GemmCall kLoggedCall{.m = 13, .n = 9, .k = 21};

bool has(const std::vector<std::string>& lines, const std::vector<std::string>& parts) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
      return line.find(part) != std::string::npos;
    });
  });
}

void multiply(const TestDevice& d, LibraryHandle& library, const GemmCall& call = kLoggedCall) {
  const BlasCase test(call, 0, 0, 1);
  const Matrix c = upload(d, test.c);
  const cl::Event done = library->gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
  CHECK(test.wrong(download(d, c, {done})) == "");
}

// Returns what `body` writes to stderr.
template <class Body>
std::string captured_stderr(const Body& body) {
  const TemporaryFolder folder;
  const std::string path = folder.file("stderr");
  std::fflush(stderr);
  const int saved = ::dup(2);
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  ::dup2(::fileno(file), 2);
  body();
  std::fflush(stderr);
  ::dup2(saved, 2);
  ::close(saved);
  std::fclose(file);
  std::ifstream written(path);
  return {std::istreambuf_iterator<char>(written), std::istreambuf_iterator<char>()};
}

TEST_CASE("log: a library logs opening, planning and building, each once") {
  const TestDevice d;
  const TemporaryFolder cache;
  const ScopedVariable folder("TILEWRIGHT_CACHE", cache.path().c_str());
  std::vector<std::string> lines;
  const Log log = [&](Severity, const std::string& line) { lines.push_back(line); };
  {
    LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin(), log);
    REQUIRE(lines.size() == 1);
    CHECK(has(lines, {"opened on '", "profile " + library->origin()}));
    const std::string kernel = library->kernels_for(kLoggedCall).at(0);
    CHECK(has(lines, {"kernel " + kernel + " built from source, ", " ms"}));
    CHECK(has(lines, {"planned NN 13x9x21: " + kernel + ", estimated "}));
    const std::size_t before = lines.size();
    CHECK(before == 3);
    multiply(d, library);
    multiply(d, library);
    CHECK(lines.size() == before);  // nothing is logged twice
    multiply(d, library, {.m = 13, .n = 9, .k = 21, .beta = 1.0f});
    CHECK(has(lines, {"planned NN 13x9x21, C is read: "}));
  }
  lines.clear();
  LibraryHandle again = Library::open(d.context, d.device, ProfileSource::builtin(), log);
  multiply(d, again);
  CHECK(has(lines, {"loaded from the binary cache in " + cache.path()}));
  CHECK_FALSE(has(lines, {"built from source"}));
}

TEST_CASE("log: the reason why a binary cache is not used is logged once") {
  const TestDevice d;
  const TemporaryFolder cache;
  REQUIRE(::chmod(cache.path().c_str(), 0777) == 0);
  const ScopedVariable folder("TILEWRIGHT_CACHE", cache.path().c_str());
  const ScopedVariable verbose("TILEWRIGHT_VERBOSE", "1");
  const std::string text = captured_stderr([&] {
    LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
    multiply(d, library);
    multiply(d, library, {.m = 14, .n = 9, .k = 21});
  });
  const std::string why = cache.path() + " can be written by other users";
  CHECK(text.find(
            "tilewright: warning: the binary cache is off, so all kernels are built from source: " +
            why) != std::string::npos);
  CHECK(text.find(why) == text.rfind(why));
}

TEST_CASE("log: the steps of a plan are logged with predicted times") {
  const TestDevice d;
  std::vector<std::string> lines;
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(make_profile_text(d, panels())),
                    [&](Severity, const std::string& line) { lines.push_back(line); });
  multiply(d, library);
  CHECK(has(lines, {"planned NN 13x9x21: panels, predicted ", " us: pack_a ", " + product "}));
}

TEST_CASE("log: verification of kernels that were tuned with other software is logged") {
  const TestDevice d;
  Profile profile = parse_profile(make_profile_text(d, panels()), "panels");
  profile.device.driver = "older";
  std::vector<std::string> lines;
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(write_profile(profile)),
                    [&](Severity, const std::string& line) { lines.push_back(line); });
  CHECK(has(lines, {"opened on '", "tuned with other software; driver", "'older'"}));
  multiply(d, library);
  CHECK(has(lines, {"kernel panels built from source and verified, "}));
}

TEST_CASE("log: the reason why a kernel cannot be used is one line of printable characters") {
  const TestDevice d;
  std::vector<KernelRecord> kernels = panels();
  kernels.at(0).source += "\nvoid no_function(void) { no_variable = 1; }\n";
  std::vector<std::string> lines;
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(make_profile_text(d, kernels)),
                    [&](Severity, const std::string& line) { lines.push_back(line); });
  multiply(d, library);
  CHECK(has(lines, {"kernel panels is not used, because it does not compile: "}));
  for (const std::string& line : lines) {
    CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 0x7f; }));
  }
}

TEST_CASE("log: each layer of a network has a line for each new batch size") {
  const TestDevice d;
  std::vector<std::string> lines;
  const LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::builtin(),
                    [&](Severity, const std::string& line) { lines.push_back(line); });
  NetworkModel model;
  model.layers = {affine(6, 5, true, 1), make_layer(Activation::kRelu), affine(5, 4, false, 2)};
  const Network net(library, model);
  const std::vector<StepDescription> steps = net.describe(3);
  REQUIRE_FALSE(steps.empty());
  for (const StepDescription& step : steps) {
    CHECK(has(lines,
              {"planned " + step.name + " of a network for a batch of 3: " + step.kernels.at(0),
               ", never measured"}));
  }
}

TEST_CASE("log: exceptions of the application's function are ignored, and the call continues") {
  const TestDevice d;
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::builtin(),
                    [](Severity, const std::string&) { throw std::runtime_error("no"); });
  multiply(d, library);
}

TEST_CASE("log: stderr is used only if the environment requests it and there is no function") {
  const TestDevice d;
  const auto open = [&](const Log& log) {
    LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin(), log);
    multiply(d, library);
  };
  for (const char* quiet : {static_cast<const char*>(nullptr), "", "0"}) {
    const ScopedVariable verbose("TILEWRIGHT_VERBOSE", quiet);
    CHECK(captured_stderr([&] { open(nullptr); }) == "");
  }
  const ScopedVariable verbose("TILEWRIGHT_VERBOSE", "1");
  const std::string text = captured_stderr([&] { open(nullptr); });
  INFO(text);
  CHECK(text.find("tilewright: opened on '") == 0);
  CHECK(text.find("\ntilewright: planned NN 13x9x21: ") != std::string::npos);
  CHECK(text.back() == '\n');
  int logged = 0;
  CHECK(captured_stderr([&] { open([&](Severity, const std::string&) { ++logged; }); }) == "");
  CHECK(logged > 0);
}

TEST_CASE("log: threads that need a shape for the first time log one plan", "[threads]") {
  const TestDevice d;
  std::mutex mutex;
  std::vector<std::string> lines;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin(),
                                        [&](Severity, const std::string& line) {
                                          const std::lock_guard lock(mutex);
                                          lines.push_back(line);
                                        });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { library->kernels_for(kLoggedCall); });
  for (std::thread& thread : threads) thread.join();
  CHECK(std::count_if(lines.begin(), lines.end(),
                      [](const std::string& line) { return line.find("planned ") == 0; }) == 1);
}

struct LoggedLines {
  std::vector<std::string> lines;
  static void line(tw_log_severity, const char* text, void* user) {
    static_cast<LoggedLines*>(user)->lines.emplace_back(text);
  }
};

TEST_CASE("log: C: the function in the options is called with its pointer") {
  const TestDevice d;
  LoggedLines logged;
  tw_options options = tw_make_options();
  options.log = LoggedLines::line;
  options.log_user = &logged;
  {
    const OpenLibrary open(d, options);
    CHECK(has(logged.lines, {"opened on '", tw_profile_origin(open.library)}));
  }
  const std::string text = make_profile_text(d, panels());
  options.profile_text = text.c_str();
  const OpenLibrary open(d, options);
  CHECK(has(logged.lines, {"with profile text in memory"}));
}

TEST_CASE("log: C and C++: opening is information, an unusable binary cache a warning") {
  const TestDevice d;
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  const std::string& cache = folder.path();
  using Events = std::vector<std::pair<tw_log_severity, std::string>>;
  const auto check = [](const Events& events) {
    REQUIRE(events.size() == 2);
    CHECK(events[0].first == TW_LOG_INFO);
    CHECK(events[0].second.find("opened on '") == 0);
    CHECK(events[1].first == TW_LOG_WARNING);
    CHECK(events[1].second.find("binary cache") != std::string::npos);
  };
  Events of_c;
  tw_options options = tw_make_options();
  options.cache_folder = cache.c_str();
  options.log = [](tw_log_severity severity, const char* line, void* user) {
    static_cast<Events*>(user)->emplace_back(severity, line);
  };
  options.log_user = &of_c;
  { const OpenLibrary open(d, options); }
  check(of_c);
  Events of_cpp;
  const tw::Library library(
      d.context(), d.device(),
      tw::Options().cache_folder(cache).log([&](tw_log_severity severity, const std::string& line) {
        of_cpp.emplace_back(severity, line);
      }));
  check(of_cpp);
}

TEST_CASE("log: C: log_free is called once, with the last object of the library") {
  const TestDevice d;
  int num_freed = 0;
  tw_options options = tw_make_options();
  options.log = [](tw_log_severity, const char*, void*) {};
  options.log_user = &num_freed;
  options.log_free = [](void* user) { ++*static_cast<int*>(user); };
  options.profile_text = "damaged";
  tw_library* library = nullptr;
  REQUIRE(tw_open(d.context(), d.device(), &options, &library) == TW_BAD_PROFILE);
  CHECK(num_freed == 0);
  options.profile_text = nullptr;
  REQUIRE(tw_open(d.context(), d.device(), &options, &library) == TW_SUCCESS);
  const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 8, 8, 8);
  tw_plan* plan = nullptr;
  CHECK(tw_plan_create(library, &desc, nullptr, nullptr, nullptr, &plan) == TW_SUCCESS);
  tw_close(library);
  CHECK(num_freed == 0);
  tw_plan_free(plan);
  CHECK(num_freed == 1);
}

#ifdef __GLIBCXX__  // libc++ has no type for the unwinding of a thread that ends
// Plans a product in a thread, which ends in the log function.
template <class Plan>
void plan_in_thread(Plan plan) {
  pthread_t thread;
  const auto run = [](void* given) -> void* {
    (*static_cast<Plan*>(given))();
    FAIL("the log function was not called, or did not end the thread");
    return nullptr;
  };
  REQUIRE(::pthread_create(&thread, nullptr, run, &plan) == 0);
  REQUIRE(::pthread_join(thread, nullptr) == 0);
}

// Python ends daemon threads in this way when it exits, and pthread_cancel() does it in a function
// that prints.
TEST_CASE("log: C and C++: the log function may end the thread", "[threads]") {
  const TestDevice d;
  static std::atomic<bool> ends;
  ends = false;
  tw_options options = tw_make_options();
  options.log = [](tw_log_severity, const char*, void*) {
    if (ends) ::pthread_exit(nullptr);
  };
  const OpenLibrary open(d, options);
  const tw::Library library(d.context(), d.device(),
                            tw::Options().log([](tw_log_severity, const std::string&) {
                              if (ends) ::pthread_exit(nullptr);
                            }));
  const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, 8, 8, 8);
  const auto plan = [&] {
    tw_plan* made = nullptr;
    const tw_status status = tw_plan_create(open.library, &desc, nullptr, nullptr, nullptr, &made);
    tw_plan_free(made);
    return status;
  };
  ends = true;
  plan_in_thread(plan);
  plan_in_thread([&] { library.plan<float>({8, 8, 8}); });
  ends = false;
  CHECK(plan() == TW_SUCCESS);  // no lock was left behind
  library.plan<float>({8, 8, 8});
}
#endif

TEST_CASE("C: tw_explain lists all plans for a call") {
  const TestDevice d;
  const std::string profile = make_profile_text(d, panels());
  const OpenLibrary open(d, options_with_text(profile));
  const auto explain = [&](std::size_t m, std::size_t lda, char** out) {
    const tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, m, 9, 21);
    const tw_matrix a = tw_make_matrix(nullptr, 0, lda);
    return tw_explain(open.library, &desc, &a, nullptr, nullptr, out);
  };
  char* out = nullptr;
  REQUIRE(explain(13, 21, &out) == TW_SUCCESS);
  const std::string text = out;
  tw_text_free(out);
  INFO(text);
  CHECK(text.find("NN 13x9x21") == 0);
  CHECK(text.find("  runs  ") < text.find("  next  "));
  CHECK(text.find("pack_a ") != std::string::npos);
  CHECK(text.find("(panels)") != std::string::npos);
  // One line for each usable kernel, including the built-in ones.
  CHECK(text.find("built-in kernel") != std::string::npos);
  REQUIRE(explain(0, 21, &out) == TW_SUCCESS);
  CHECK_THAT(std::string(out), Catch::Matchers::ContainsSubstring("C is empty"));
  tw_text_free(out);
  CHECK(explain(13, 20, &out) == TW_INVALID_LD_A);
  CHECK(out == nullptr);
  CHECK(explain(13, 21, nullptr) == TW_INVALID_VALUE);
  tw_gemm_desc batch = tw_make_gemm_desc(TW_FLOAT, 13, 9, 21);
  batch.batch_count = 2;
  CHECK(tw_explain(open.library, &batch, nullptr, nullptr, nullptr, &out) == TW_INVALID_VALUE);
  tw_text_free(nullptr);
}

}  // namespace
}  // namespace tilewright

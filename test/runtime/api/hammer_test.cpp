// Eight threads use one library with all its functions at the same time, and close it while their
// work still runs. The test checks the results; sanitizers check the rest (docs/testing.md).
// ThreadSanitizer should get no suppressions for PoCL, because the report of a lock that we forgot
// contains only PoCL's name.
//
// TILEWRIGHT_HAMMER_ROUNDS sets the number of rounds.
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "panel_library.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kThreads = 8;
constexpr unsigned kActions = 14;  // number of actions of a thread in a round

unsigned rounds() {
  const char* text = std::getenv("TILEWRIGHT_HAMMER_ROUNDS");
  return text == nullptr ? 4 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// Enqueued products of one call, with their C matrices consecutive in one buffer.
struct Pending {
  BlasCase test;
  std::size_t count;
  cl::Buffer c;
  cl::Event done;
};

// Objects that all threads of a round use.
struct Shared {
  const TestDevice& d;
  cl::CommandQueue in_order;
  cl::CommandQueue unordered;  // an in-order queue if the device supports no other
  BlasCase weights_case;
  std::optional<Plan> plan;  // keeps the library alive, too
  std::optional<PackedMatrix> weights;
  std::vector<cl::Event> gate;  // events that some calls wait for
};

class Hammerer {
 public:
  Hammerer(const Shared& shared, LibraryHandle library, unsigned seed)
      : shared_(shared),
        library_(std::move(library)),
        own_(shared.d.context, shared.d.device),
        random_(seed) {}

  void run() {
    try {
      for (unsigned i = 0; i < kActions; ++i) act();
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    library_.reset();  // enqueued work must still complete
  }

  // Returns the first error, or "".
  std::string verdict() {
    for (const Pending& pending : pending_) {
      if (!failure_.empty()) break;
      failure_ = verdict_on(pending);
    }
    return failure_;
  }

 private:
  void act() {
    switch (random_() % 8) {
      case 0:
      case 1:
        return product(library_);
      case 2:
        return batch();
      case 3:
        return multiply_by_shared_weights();
      case 4:
        return pack_and_multiply();
      case 5:
        return ask();
      case 6:
        return refuse();
      default:
        // A separate library that is closed at once.
        LibraryHandle own =
            Library::open(shared_.d.context, shared_.d.device, ProfileSource::builtin());
        return product(own);
    }
  }

  void product(LibraryHandle& library) {
    const BlasCase test(random_call(), random_() % 3, random_() % 2, random_());
    const Matrix c = upload(shared_.d, test.c);
    cl::Event done = library->gemm(queue(), test.call, upload(shared_.d, test.a),
                                   upload(shared_.d, test.b), c, gate());
    pending_.push_back({test, 1, c.buffer, std::move(done)});
  }

  void batch() {
    constexpr std::size_t kCount = 3;
    const BlasCase test(random_call(), 0, 0, random_());
    StoredMatrix all = test.c;
    for (std::size_t i = 1; i < kCount; ++i) {
      all.data.insert(all.data.end(), test.c.data.begin(), test.c.data.end());
    }
    const Matrix a = upload(shared_.d, test.a);
    const Matrix b = upload(shared_.d, test.b);
    const Matrix c = upload(shared_.d, all);
    cl::Event done = library_->gemm_strided_batched(
        queue(), test.call, {a.buffer, 0, a.ld, 0}, {b.buffer, 0, b.ld, 0},
        {c.buffer, 0, c.ld, test.c.data.size()}, kCount, gate());
    pending_.push_back({test, kCount, c.buffer, std::move(done)});
  }

  void multiply_by_shared_weights() {
    BlasCase test = shared_.weights_case;
    test.call.alpha = static_cast<float>(1 + random_() % 3);
    const Matrix c = upload(shared_.d, test.c);
    cl::Event done = shared_.plan->execute(queue(), upload(shared_.d, test.a), *shared_.weights, c,
                                           test.call.alpha, test.call.beta, gate());
    pending_.push_back({test, 1, c.buffer, std::move(done)});
  }

  void pack_and_multiply() {
    const BlasCase test(random_call(), 0, 0, random_());
    const Matrix c = upload(shared_.d, test.c);
    const Plan plan = Plan(library_, test.call);
    const PackedMatrix a = plan.pack(Operand::kA, queue(), upload(shared_.d, test.a), gate());
    cl::Event done = plan.execute(queue(), a, upload(shared_.d, test.b), c, test.call.alpha,
                                  test.call.beta, gate());
    pending_.push_back({test, 1, c.buffer, std::move(done)});
  }

  void ask() {
    const GemmCall call = random_call();
    const bool answered = !library_->explain(call).empty() &&
                          !library_->kernels_for(call).empty() && !library_->origin().empty();
    if (!answered) failure_ = "a question has no answer";
  }

  void refuse() {
    const BlasCase test(random_call(), 0, 0, random_());
    Matrix a = upload(shared_.d, test.a);
    ++a.offset;
    const tw_status status = [&] {
      try {
        library_->gemm(queue(), test.call, a, upload(shared_.d, test.b), upload(shared_.d, test.c));
        return TW_SUCCESS;
      } catch (const Error& error) {
        return error.status();
      }
    }();
    if (status != TW_INSUFFICIENT_BUFFER_A) failure_ = "a bad call is not refused as it should be";
  }

  GemmCall random_call() {
    const auto extent = [&] { return 1 + random_() % 40; };
    GemmCall call{.m = extent(), .n = extent(), .k = extent()};
    call.beta = random_() % 2 == 0 ? 0.0f : 0.5f;
    if (random_() % 2 == 0) call.trans_a = Transpose::kYes;
    if (random_() % 2 == 0) call.trans_b = Transpose::kYes;
    if (random_() % 2 == 0) call.order = Order::kColumnMajor;
    return call;
  }

  const cl::CommandQueue& queue() {
    switch (random_() % 3) {
      case 0:
        return shared_.in_order;
      case 1:
        return shared_.unordered;
      default:
        return own_;
    }
  }

  std::vector<cl::Event> gate() {
    return random_() % 2 == 0 ? shared_.gate : std::vector<cl::Event>{};
  }

  std::string verdict_on(const Pending& pending) {
    const std::size_t floats = pending.test.c.data.size();
    std::vector<float> got(pending.count * floats);
    const std::vector<cl::Event> after{pending.done};
    own_.enqueueReadBuffer(pending.c, CL_TRUE, 0, got.size() * sizeof(float), got.data(), &after);
    for (auto one = got.begin(); one != got.end(); one += static_cast<std::ptrdiff_t>(floats)) {
      std::string wrong = pending.test.wrong({one, one + static_cast<std::ptrdiff_t>(floats)});
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  const Shared& shared_;
  LibraryHandle library_;
  cl::CommandQueue own_;
  std::mt19937 random_;
  std::vector<Pending> pending_;
  std::string failure_;
};

// With a gate, all libraries are closed before the gate opens.
void check_round(const TestDevice& d, LibraryHandle library, bool with_gate, unsigned seed) {
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue in_order(d.context, d.device);
  cl::CommandQueue unordered(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) unordered = in_order;
  const BlasCase weights_case({.m = 33, .n = 20, .k = 41}, 0, 0, seed);
  cl::UserEvent gate(d.context);
  Shared shared{d, in_order, unordered, weights_case, Plan(library, weights_case.call), {}, {}};
  shared.weights = shared.plan->pack(Operand::kB, in_order, upload(d, weights_case.b));
  if (with_gate) shared.gate = {gate};
  std::vector<Hammerer> hammerers;
  for (unsigned t = 0; t < kThreads; ++t) hammerers.emplace_back(shared, library, seed * 100 + t);
  { const LibraryHandle last = std::move(library); }  // the copies of the threads remain
  std::vector<std::thread> threads;
  for (Hammerer& hammerer : hammerers) threads.emplace_back([&] { hammerer.run(); });
  for (std::thread& thread : threads) thread.join();
  shared.plan.reset();
  shared.weights.reset();
  gate.setStatus(CL_COMPLETE);
  for (Hammerer& hammerer : hammerers) CHECK(hammerer.verdict() == "");
}

TEST_CASE("eight threads use one library, and close it while their work runs") {
  const TestDevice d;
  const TemporaryFolder folder;
  const ScopedVariable cache("TILEWRIGHT_CACHE", folder.path().c_str());
  std::vector<KernelRecord> kernels = panels();
  for (unsigned round = 0; round < rounds(); ++round) {
    const bool packs = round % 2 == 0;
    INFO("round " << round);
    check_round(d, packs ? make_library(d, kernels) : builtin(d), round / 2 % 2 == 1, round + 1);
  }
}

}  // namespace
}  // namespace tilewright

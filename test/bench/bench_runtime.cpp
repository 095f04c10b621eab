// Measures how much host time calls of the runtime take.
//
// Uses the device of the device tests ($TILEWRIGHT_TEST_DEVICE). Measures plans that are known and
// new, a warm sgemm until it is enqueued (compared with CLBlast if that is available), batches,
// and the first use of a kernel with and without its check. A sample is one call (for known plans,
// a thousand calls); the time does not include waiting for the enqueued commands. Competitors are
// measured alternately. Prints the median and the 10th to 90th percentile.
#include <tilewright/tilewright.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#ifdef TILEWRIGHT_HAVE_CLBLAST
#include <clblast_c.h>
#endif

#include "codelets/space/emit.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/api/plan.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

using Samples = std::vector<double>;  // ns

template <class Body>
double time_ns(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

std::string summary(Samples samples, double ns_per_unit, const char* unit) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))] /
           ns_per_unit;
  };
  return fmt::format("{:8.2f} {} ({:.2f} to {:.2f}, {} samples)", at(0.5), unit, at(0.1), at(0.9),
                     samples.size());
}

void print(const std::string& what, const Samples& samples) {
  fmt::print("  {:44} {}\n", what, summary(samples, 1e3, "us"));
}

struct Operands {
  Matrix a, b, c;
  Operands(const cl::Context& context, const GemmCall& call) {
    const auto matrix = [&](std::size_t rows, std::size_t columns, Transpose transposed) {
      return Matrix{cl::Buffer(context, CL_MEM_READ_WRITE, rows * columns * sizeof(float)), 0,
                    transposed == Transpose::kYes ? rows : columns};
    };
    a = matrix(call.m, call.k, call.trans_a);
    b = matrix(call.k, call.n, call.trans_b);
    c = matrix(call.m, call.n, Transpose::kNo);
  }
};

// Returns a profile of 32 kernels with 20 results each: 24 kernels for NN that read operands in
// place, 4 that need B in panels, and pack kernels. One kernel is always the fastest, so that
// planning compiles no other.
Profile profile_of_30(const cl::Device& device) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(device);
  double ns = 1000.0;
  const auto add = [&](const std::string& point) {
    profile.kernels.push_back(emit(parse_point(point)));
    for (std::int64_t size = 16; size <= 320; size += 16) {
      const double own = ns * static_cast<double>(size * size * size) / (16.0 * 16.0 * 16.0);
      profile.results.push_back(
          {Op::kNN, size, size, size, profile.kernels.back().name, own, own, own, 9, 0.1});
    }
    ns *= 1.1;
  };
  for (const int tile_m : {1, 2, 4, 8}) {
    for (const int tile_n : {2, 4, 8}) {
      for (const int group : {4, 8}) {
        add(fmt::format("op=NN tile_m={} tile_n={} work_group_m={} work_group_n={}", tile_m, tile_n,
                        group, group));
      }
    }
  }
  for (const int tile_m : {1, 2, 4, 8}) {
    add(fmt::format("layout_a=R layout_b=C1x8R tile_m={} tile_n=8 vector_width=4", tile_m));
  }
  for (const char* pack : {"pack from=R to=C1x8R tile_n=8", "pack from=C to=C1x8R tile_n=8",
                           "pack from=C to=R", "pack from=R to=C"}) {
    profile.kernels.push_back(emit(parse_point(pack)));
  }
  return profile;
}

void measure_plans(const TestDevice& d) {
  const Profile profile = profile_of_30(d.device);
  LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(write_profile(profile)));
  fmt::print("plans, from a profile of {} kernels and {} results\n", profile.kernels.size(),
             profile.results.size());
  const GemmCall known{.m = 64, .n = 64, .k = 64};
  Plan(library, known);
  Samples cached;
  for (int i = 0; i < 200; ++i) {
    cached.push_back(time_ns([&] {
                       for (int j = 0; j < 1000; ++j) Plan(library, known);
                     }) /
                     1000);
  }
  print("a plan that is known", cached);
  Samples fresh;
  for (std::size_t i = 1; i <= 500; ++i) {
    fresh.push_back(time_ns([&] { Plan(library, {.m = i, .n = 2 * i, .k = 100}); }));
  }
  print("a new plan, its kernels loaded", fresh);
}

struct Competitor {
  std::string name;
  std::function<void()> enqueue;
};

// Measures the competitors alternately and prints the times of each.
void race(const TestDevice& d, const std::vector<Competitor>& competitors, int rounds) {
  std::vector<Samples> samples(competitors.size());
  for (int round = -20; round < rounds; ++round) {
    for (std::size_t i = 0; i < competitors.size(); ++i) {
      const double ns = time_ns(competitors[i].enqueue);
      d.queue.finish();
      if (round >= 0) samples[i].push_back(ns);
    }
  }
  for (std::size_t i = 0; i < competitors.size(); ++i) print(competitors[i].name, samples[i]);
}

std::vector<Competitor> competitors(const TestDevice& d, LibraryHandle& library,
                                    const tw::Library& open, const GemmCall& call,
                                    const Operands& x) {
  tw_library* const from_c = open.get();
  std::vector<Competitor> all;
  all.push_back({"tilewright, without the C interface",
                 [&d, &library, &call, &x] { library->gemm(d.queue, call, x.a, x.b, x.c); }});
  const bool ta = call.trans_a == Transpose::kYes;
  const bool tb = call.trans_b == Transpose::kYes;
  all.push_back({"tilewright, C++", [=, &d, &open, &x] {
                   open.gemm<float>(d.queue,
                                    {call.m, call.n, call.k, 1.0, 0.0, ta ? TW_TRANS : TW_NO_TRANS,
                                     tb ? TW_TRANS : TW_NO_TRANS},
                                    {x.a.buffer, 0, x.a.ld}, {x.b.buffer, 0, x.b.ld},
                                    {x.c.buffer, 0, x.c.ld});
                 }});
  for (const bool wants_event : {true, false}) {
    all.push_back(
        {fmt::format("tilewright, C, {}", wants_event ? "with event" : "no event"), [=, &d, &x] {
           cl_event event = nullptr;
           tw_sgemm(from_c, d.queue(), TW_ROW_MAJOR, ta ? TW_TRANS : TW_NO_TRANS,
                    tb ? TW_TRANS : TW_NO_TRANS, call.m, call.n, call.k, 1.0f, x.a.buffer(), 0,
                    x.a.ld, x.b.buffer(), 0, x.b.ld, 0.0f, x.c.buffer(), 0, x.c.ld, 0, nullptr,
                    wants_event ? &event : nullptr);
           if (event != nullptr) clReleaseEvent(event);
         }});
    all.push_back(
        {fmt::format("tilewright, C, descriptor, {}", wants_event ? "with event" : "no event"),
         [=, &d, &x] {
           tw_gemm_desc desc = tw_make_gemm_desc(TW_FLOAT, call.m, call.n, call.k);
           desc.trans_a = ta ? TW_TRANS : TW_NO_TRANS;
           desc.trans_b = tb ? TW_TRANS : TW_NO_TRANS;
           const tw_matrix a = tw_make_matrix(x.a.buffer(), 0, x.a.ld);
           const tw_matrix b = tw_make_matrix(x.b.buffer(), 0, x.b.ld);
           const tw_matrix c = tw_make_matrix(x.c.buffer(), 0, x.c.ld);
           cl_event event = nullptr;
           tw_gemm(from_c, d.queue(), &desc, &a, &b, &c, 0, nullptr,
                   wants_event ? &event : nullptr);
           if (event != nullptr) clReleaseEvent(event);
         }});
#ifdef TILEWRIGHT_HAVE_CLBLAST
    all.push_back(
        {fmt::format("CLBlast, {}", wants_event ? "with event" : "no event"), [=, &d, &x] {
           cl_event event = nullptr;
           cl_command_queue queue = d.queue();
           CLBlastSgemm(CLBlastLayoutRowMajor, ta ? CLBlastTransposeYes : CLBlastTransposeNo,
                        tb ? CLBlastTransposeYes : CLBlastTransposeNo, call.m, call.n, call.k, 1.0f,
                        x.a.buffer(), 0, x.a.ld, x.b.buffer(), 0, x.b.ld, 0.0f, x.c.buffer(), 0,
                        x.c.ld, &queue, wants_event ? &event : nullptr);
           if (event != nullptr) clReleaseEvent(event);
         }});
#endif
  }
  return all;
}

void measure_calls(const TestDevice& d) {
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const tw::Library open(d.queue, tw::Options().built_in_profile());
  constexpr Transpose kNo = Transpose::kNo;
  constexpr Transpose kYes = Transpose::kYes;
  for (const GemmCall& call :
       {GemmCall{.m = 8, .n = 8, .k = 8}, GemmCall{.m = 32, .n = 32, .k = 32},
        GemmCall{.m = 64, .n = 64, .k = 64, .trans_a = kNo, .trans_b = kYes},
        GemmCall{.m = 1, .n = 256, .k = 64},
        GemmCall{.m = 32, .n = 32, .k = 32, .trans_a = kYes, .trans_b = kYes}}) {
    const std::vector<std::string> kernels = library->kernels_for(call);
    fmt::print("a warm sgemm until it is enqueued, {}{} {}x{}x{}, {} of ours\n",
               call.trans_a == kYes ? 'T' : 'N', call.trans_b == kYes ? 'T' : 'N', call.m, call.n,
               call.k, kernels.size() == 1 ? "one command" : "packing and product");
    const Operands x(d.context, call);
    race(d, competitors(d, library, open, call, x), 1000);
  }
}

void measure_batches(const TestDevice& d) {
  constexpr std::size_t kCount = 16;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const GemmCall call{.m = 8, .n = 8, .k = 8};
  GemmCall all = call;
  all.m *= kCount;
  all.k *= kCount;  // room for as many B
  const Operands x(d.context, all);
  const auto batch = [&](std::size_t stride_b) {
    library->gemm_strided_batched(d.queue, call, {x.a.buffer, 0, 8, 64},
                                  {x.b.buffer, 0, 8, stride_b}, {x.c.buffer, 0, 8, 64}, kCount);
  };
  const auto one = [&] {
    library->gemm(d.queue, call, {x.a.buffer, 0, 8}, {x.b.buffer, 0, 8}, {x.c.buffer, 0, 8});
  };
  fmt::print("a batch of {} products 8x8x8 until it is enqueued\n", kCount);
  race(d,
       {{"one product", [&] { one(); }},
        {"16: own A, B and C", [&] { batch(64); }},
        {"16: one B for all, A and C by rows", [&] { batch(0); }}},
       500);
}

void measure_checks(const TestDevice& d) {
  fmt::print("the check of a kernel before its first use with another driver\n");
  for (const KernelRecord& record : built_in_profile({}).kernels) {
    const auto kernel = load_kernel(d, record);
    Samples samples;
    const double first = time_ns([&] { check_kernel(d.executor, d.queue, *kernel); });
    for (int i = 0; i < 20; ++i) {
      samples.push_back(time_ns([&] { check_kernel(d.executor, d.queue, *kernel); }));
    }
    fmt::print("  {:44} {}; the first {:.1f} ms\n", record.name.substr(0, 44),
               summary(samples, 1e6, "ms"), first / 1e6);
  }
}

}  // namespace
}  // namespace tilewright

int main() {
  if (const auto reason = tilewright::reason_to_skip()) {
    fmt::print("{}\n", *reason);
    return 77;
  }
  const tilewright::TestDevice d;
  fmt::print("{}\n", d.device.getInfo<CL_DEVICE_NAME>());
  tilewright::measure_plans(d);
  tilewright::measure_calls(d);
  tilewright::measure_batches(d);
  tilewright::measure_checks(d);
}

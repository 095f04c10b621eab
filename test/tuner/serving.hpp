// Does a library serve every call from a profile, whatever it was tuned for?
#pragma once

#include "catch.hpp"
#include "tuner/bench/rivals.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/measure/verification.hpp"

namespace tilewright {

// The awkward shapes, in all ops.
inline void check_serves_all(Library& library, const cl::Context& context,
                             const cl::CommandQueue& queue) {
  const auto serve = [&](const VerificationCase& t, const Matrix& a, const Matrix& b,
                         const Matrix& c) -> Launched {
    GemmProblem problem;
    problem.op = t.op;
    problem.shape = t.shape;
    problem.alpha = t.alpha;
    problem.beta = t.beta;
    return library.sgemm(queue, call_of(problem), a, b, c);
  };
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    for (const VerificationCase& test : verification_cases(op, 3)) {
      const Verified verified = verify(context, queue, test, serve);
      const auto* rejection = std::get_if<Rejection>(&verified);
      INFO((rejection == nullptr ? "" : rejection->reason));
      CHECK(rejection == nullptr);
    }
  }
}

// From a file, on the device that the program calls 0.
inline void check_serves_all(const std::string& profile) {
  const cl::Device device = list_devices().devices.at(0).device;
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  Library library = Library::open(context, device, ProfileSource::file(profile));
  CHECK(library.profile_origin().find(profile) == 0);
  check_serves_all(library, context, queue);
}

}  // namespace tilewright

// A device session for tests, with requests for it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/measure/session/measuring.hpp"

namespace tilewright {

inline constexpr const char* kGood = "gemm tile_m=4 tile_n=8 vector_width=8";
inline constexpr const char* kOther = "gemm tile_m=2 tile_n=4 vector_width=4";

// A session that records its announcements.
struct SessionCase {
  std::vector<WorkerActivity> activities;
  DeviceSession session;

  SessionCase()
      : session({0, *find_test_device(), identify(*find_test_device())}, "",
                [this](const WorkerActivity& activity) { activities.push_back(activity); }) {}

  // Replaces `from` by `to` in the source of every kernel that contains it.
  void spoil(const std::string& from, const std::string& to) {
    session.set_emit([=](const ParameterPoint& point) {
      KernelRecord record = emit(point);
      const std::size_t at = record.source.rfind(from);
      REQUIRE(at != std::string::npos);
      record.source.replace(at, from.size(), to);
      return record;
    });
  }
  std::vector<std::string> announced(WorkerActivityKind kind) const {
    std::vector<std::string> result;
    for (const WorkerActivity& activity : activities) {
      if (activity.kind == kind) result.push_back(activity.what);
    }
    return result;
  }
};

inline MeasureRequest trial_request(const std::string& point, std::vector<GemmShape> shapes) {
  MeasureRequest request;
  request.kernels = {{parse_kernel(point)}};
  request.shapes = std::move(shapes);
  request.best_ns.assign(request.shapes.size(), std::numeric_limits<double>::infinity());
  return request;
}

inline Outcome outcome_from_reply(DeviceSession& session, const MeasureRequest& request) {
  Outcomes outcomes = Measuring(session, request).run();
  return std::move(outcomes.at(0));
}

inline Outcome prepared(DeviceSession& session, const std::string& point) {
  MeasureRequest request;
  request.kernels = {{parse_kernel(point)}};
  request.verify = false;
  return outcome_from_reply(session, request);
}

// Checks that a product that is measured in slices has the right time. whole_ns(shape) measures the
// whole product, sliced_ns(shape, max_dispatch_ns) measures it in slices. The shape has so many
// rows that the time of launching does not matter on this device. The times must agree within a
// factor of 3; on a busy machine this may need another attempt.
template <class Measured, class Limited>
void check_scaled(const Measured& whole_ns, const Limited& sliced_ns) {
  constexpr double kLong = 2e6;
  constexpr std::int64_t kMaxRows = 1 << 18;
  GemmShape shape{512, 128, 256};
  while (shape.m < kMaxRows && whole_ns(shape) < kLong) shape.m *= 4;
  double ratio = 0.0;
  for (int tries = 0; tries < 50 && !(ratio > 1.0 / 3.0 && ratio < 3.0); ++tries) {
    const double whole = whole_ns(shape);
    ratio = sliced_ns(shape, whole / 3.0) / whole;
  }
  CHECK(ratio > 1.0 / 3.0);
  CHECK(ratio < 3.0);
}

}  // namespace tilewright

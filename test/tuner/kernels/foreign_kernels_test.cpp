// The published kernels of others, launched as ours are.
#include "codelets/space/foreign_kernels.hpp"

#include "catch.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/worker/measuring.hpp"

namespace tilewright {
namespace {

// Also with a work-group other than its own.
TEST_CASE("every kernel of others is right: products and layers, by the host's double precision") {
  const TestDevice d;
  DeviceSession session({0, d.device, identify(d.device)}, "", [](const WorkerActivity&) {});
  MeasureRequest request;
  for (const ForeignKernel& foreign : foreign_kernels()) request.add(foreign.record.name);
  request.add("blockedNT-original@4x16");
  const MeasureReply reply = Measuring(session, request).run();
  REQUIRE(reply.outcomes.size() == request.names.size());
  for (const auto& [at, outcome] : reply.outcomes) {
    INFO(request.names[at] << ": " << outcome.reason);
    CHECK(outcome.result == OutcomeClass::kOk);
  }
}

TEST_CASE("a kernel of others takes whole tiles, and squares if it is told one extent") {
  const auto takes = [](const char* name, const GemmShape& shape) {
    return serves(find_foreign(name).value(), shape);
  };
  CHECK(takes("blockedNN-original", {96, 96, 96}));
  CHECK_FALSE(takes("blockedNN-original", {96, 96, 192}));
  CHECK_FALSE(takes("blockedNN-original", {98, 98, 98}));
  CHECK_FALSE(takes("blockedNN-original@8x8", {100, 100, 100}));
  CHECK_FALSE(takes("cacheblockedNT-original", {96, 96, 96}));
  CHECK(takes("blocked-rm-cm-original", {8, 32, 4}));
}

}  // namespace
}  // namespace tilewright

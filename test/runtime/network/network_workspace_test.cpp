// Networks in workspaces of the caller: how large they must be, and which parts are used.
#include <algorithm>

#include "catch.hpp"
#include "network_case.hpp"
#include "panel_library.hpp"
#include "three_layers.hpp"

namespace tilewright {
namespace {

TEST_CASE("a batch that exceeds a buffer between layers is refused before anything is allocated") {
  const TestDevice d;
  const Network net(builtin(d), {{affine(1, 4096, false, 1), affine(4096, 1, false, 2)}});
  CHECK(net.workspace_bytes(100) >= 100 * 4096 * sizeof(float));
  CHECK(error_status([&] { net.workspace_bytes(2'000'000'000); }) == TW_OUT_OF_MEMORY);
}

TEST_CASE("a workspace of the caller is used for all results between layers") {
  const TestDevice d;
  constexpr std::size_t kGuards = 128 / sizeof(float);  // a workspace starts at a multiple of 128
  const NetworkModel model = three_layers();
  for (const auto& points : {fused_panel_points(), split_points(), morton_points()}) {
    const Network net(Library::open(d.context, d.device,
                                    ProfileSource::text(make_profile_from_points(d, points))),
                      model);
    const NetworkCase test(net, 7, 0, 0, 1);
    const std::size_t floats = net.workspace_bytes(7) / sizeof(float);
    REQUIRE(floats >= 7 * (64 + 48));
    const std::vector<float> guards(kGuards + floats + kGuards, 77.0f);
    const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            guards.size() * sizeof(float), const_cast<float*>(guards.data()));
    const Matrix output = upload(d, test.output);
    const cl::Event done =
        net.forward(d.queue, upload(d, test.input), output, 7, {}, {{buffer, 128}, {}});
    CHECK(test.wrong(model, download(d, output, {done})) == "");
    const std::vector<float> after = download(d, {buffer, 0, 1}, {done});
    CHECK(std::equal(after.begin(), after.begin() + kGuards, guards.begin()));
    CHECK(std::equal(after.end() - kGuards, after.end(), guards.begin()));
    CHECK(std::count(after.begin(), after.end(), 77.0f) <
          static_cast<long>(2 * kGuards) + static_cast<long>(floats) / 2);
  }
}

TEST_CASE("a workspace for a maximum batch suffices for all batches, aligned or not") {
  const TestDevice d;
  constexpr std::size_t kMaxBatch = 33;
  std::vector<LibraryHandle> libraries = {builtin(d)};
  for (const auto& points : {fused_panel_points(), split_points(), morton_points()}) {
    libraries.push_back(Library::open(d.context, d.device,
                                      ProfileSource::text(make_profile_from_points(d, points))));
  }
  for (const NetworkModel& model : {three_layers(), normalised_layers()}) {
    for (const LibraryHandle& library : libraries) {
      const Network net(library, model);
      const std::size_t bytes = net.max_workspace_bytes(kMaxBatch);
      const Workspace workspace = dirty_workspace(d, bytes);
      for (std::size_t batch = 1; batch <= kMaxBatch; ++batch) {
        INFO(batch);
        const NetworkCase test(net, batch, batch % 3, batch % 2, 1);
        const Matrix output = upload(d, test.output);
        const cl::Event done =
            net.forward(d.queue, upload(d, test.input), output, batch, {}, {workspace, {}});
        CHECK(test.wrong(model, download(d, output, {done})) == "");
      }
    }
  }
}

TEST_CASE("asking for the workspace of a maximum batch uses existing plans and logs none") {
  const TestDevice d;
  std::vector<std::string> lines;
  const LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::builtin(),
                    [&](Severity, const std::string& line) { lines.push_back(line); });
  const Network net(library, three_layers());
  net.prepare(d.queue, 8);
  const std::size_t bytes = net.max_workspace_bytes(8);
  lines.clear();
  for (int turn = 0; turn < 3; ++turn) CHECK(net.max_workspace_bytes(8) == bytes);
  CHECK(lines == std::vector<std::string>{});
  net.prepare(d.queue, 4);
  CHECK_FALSE(lines.empty());
}

TEST_CASE("questions about other batches do not drop the plans of forward passes") {
  const TestDevice d;
  std::vector<std::string> lines;  // several for each plan that is made
  const LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::builtin(),
                    [&](Severity, const std::string& line) { lines.push_back(line); });
  const Network net(library, three_layers());
  constexpr std::size_t kKept = NetworkPlans::kMaxPlans;
  for (std::size_t batch = 1; batch <= kKept; ++batch) net.prepare(d.queue, batch);
  for (std::size_t batch = kKept + 1; batch <= kKept + 3; ++batch) {
    CHECK(net.workspace_bytes(batch) > 0);
    CHECK_FALSE(net.describe(batch).empty());
  }
  CHECK(net.max_workspace_bytes(3 * kKept) > 0);
  lines.clear();
  for (std::size_t batch = 1; batch <= kKept; ++batch) net.prepare(d.queue, batch);
  CHECK(lines == std::vector<std::string>{});
  // A forward pass of another batch keeps its plan.
  net.prepare(d.queue, kKept + 1);
  lines.clear();
  net.prepare(d.queue, kKept + 1);
  CHECK(lines == std::vector<std::string>{});
}

// A library that reads matrices in place, except for batches of `packed` rows of the model: these
// it packs into panels. Batches of `others` rows are measured, too.
LibraryHandle panels_for_batch(const TestDevice& d, const NetworkModel& model, std::int64_t packed,
                               const std::vector<std::int64_t>& others) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  for (const std::string& point : concatenated({fused_points(), fused_panel_points()})) {
    profile.kernels.push_back(emit(parse_point(point)));
  }
  const std::string in_place = profile.kernels.front().name;
  const std::string panels = profile.kernels[fused_points().size()].name;
  std::vector<std::int64_t> batches = others;
  batches.push_back(packed);
  for (const NetworkLayer& layer : model.layers) {
    const auto* affine = std::get_if<AffineLayer>(&layer);
    if (affine == nullptr) continue;
    for (const std::int64_t m : batches) {
      for (const std::string& kernel : {in_place, panels}) {
        const double ns = (kernel == panels) == (m == packed) ? 1.0 : 1e6;
        ShapeResult result{Op::kNN, m, affine->outputs, affine->inputs, kernel, ns, ns, ns, 9};
        profile.results.push_back(result);
      }
    }
  }
  add_slow_built_in(profile, d);
  return Library::open(d.context, d.device, ProfileSource::text(write_profile(profile)));
}

TEST_CASE("a batch whose fastest plan exceeds the workspace for a maximum batch packs nothing") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  const Network net(panels_for_batch(d, model, 31, {1, 2, 4, 8, 16, 32, 33}), model);
  const std::size_t bytes = net.max_workspace_bytes(33);
  REQUIRE(net.workspace_bytes(31) > bytes);
  const NetworkCase test(net, 31, 0, 0, 1);
  const Matrix output = upload(d, test.output);
  const cl::Event done =
      net.forward(d.queue, upload(d, test.input), output, 31, {}, {dirty_workspace(d, bytes), {}});
  CHECK(test.wrong(model, download(d, output, {done})) == "");
}

TEST_CASE("a workspace without space for packed matrices is used without packing") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  const Network net(fused_panels(d), model);
  // The results of both layers, as rows of whole vectors.
  const std::size_t least = 7 * (64 + 48) * sizeof(float);
  REQUIRE(net.workspace_bytes(7) > least);
  const NetworkCase test(net, 7, 0, 0, 1);
  const Matrix output = upload(d, test.output);
  const cl::Event done =
      net.forward(d.queue, upload(d, test.input), output, 7, {}, {dirty_workspace(d, least), {}});
  CHECK(test.wrong(model, download(d, output, {done})) == "");
  CHECK(net.max_workspace_bytes(0) == 0);
  CHECK(error_status([&] { net.max_workspace_bytes(SIZE_MAX); }) == TW_INVALID_DIMENSION);
}

}  // namespace
}  // namespace tilewright

// Products of doubles: kernels that the codelets emit, carried by a profile's text, served by the
// library and its C functions.
#include <tilewright/plan.hpp>

#include "blas_case.hpp"
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/api/c_border.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {
namespace {

using DoubleCase = BlasCaseOf<double>;

constexpr std::size_t kDoubleShapes[][3] = {{1, 1, 1}, {13, 9, 21}, {67, 45, 33}, {33, 65, 129}};

// As it lies, narrow, packed, with k split; and a kernel for floats, which must not serve.
const std::vector<std::string> kDoublePoints = {
    "gemm tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4",
    "gemm precision=d tile_m=4 tile_n=4 tile_k=2 vector_width=4 work_group_m=4 work_group_n=4"};
const std::vector<std::string> kMoreDoublePoints = {
    "gemv precision=d tile_narrow=2 work_group_k=8",
    "gemm precision=d layout_b=C1x8R tile_m=4 tile_n=8 vector_width=8 work_group_m=4",
    "gemm precision=d tile_m=2 tile_n=4 vector_width=4 split_k=4",
    "pack precision=d from=R to=C1x8R tile_m=4 tile_n=8 vector_width=8",
    "pack precision=d from=C to=C1x8R tile_m=4 tile_n=4",
    "pack precision=d tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4",
    "reduce precision=d vector_width=2"};

bool has_double(const TestDevice& d) {
  return has_extension(d.device, extension_of(Precision::kDouble));
}

// The kernels of these points; the first of doubles was measured.
std::string profile_of(const TestDevice& d, const std::vector<std::string>& points) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  for (const std::string& point : points) profile.kernels.push_back(emit(parse_point(point)));
  for (const KernelRecord& kernel : profile.kernels) {
    if (kernel.precision == Precision::kSingle || kernel.role != Role::kGemm) continue;
    const Op op = op_of(kernel.layout_a, *kernel.layout_b);
    profile.results.push_back({op, 8, 8, 8, kernel.name, 1.0, 1.0, 1.0, 9, 1024.0, 0.1});
    break;
  }
  return write_profile(profile);
}

Library open(const TestDevice& d, const std::vector<std::string>& points) {
  return Library::open(d.context, d.device, ProfileSource::text(profile_of(d, points)));
}

void check_products(const TestDevice& d, Library& library) {
  unsigned seed = 0;
  for (const auto& [m, n, k] : kDoubleShapes) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const double beta : {0.0, -0.5}) {
        ++seed;
        GemmCall call{.m = m, .n = n, .k = k, .alpha = 1.0 / 3, .beta = beta, .trans_a = ta};
        call.order = seed % 2 == 0 ? Order::kRowMajor : Order::kColumnMajor;
        const DoubleCase test(call, seed % 5, seed % 3, seed);
        const Matrix c = upload(d, test.c);
        const cl::Event done =
            library.dgemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
        INFO(m << "x" << n << "x" << k << " case " << seed);
        CHECK(test.wrong(download<double>(d, c, {done})) == "");
      }
    }
  }
}

TEST_CASE("products of doubles by every kind of kernel") {
  const TestDevice d;
  if (!has_double(d)) SKIP_CASE("the device has no cl_khr_fp64");
  std::vector<std::string> all = kDoublePoints;
  all.insert(all.end(), kMoreDoublePoints.begin(), kMoreDoublePoints.end());
  Library whole = open(d, all);
  check_products(d, whole);
  // Each kernel of a product as the one that was measured, which then serves.
  for (const std::string& first : {kMoreDoublePoints[1], kMoreDoublePoints[2]}) {
    std::vector<std::string> points = {first};
    points.insert(points.end(), all.begin(), all.end());
    points.erase(std::find(points.begin() + 1, points.end(), first));
    Library library = open(d, points);
    check_products(d, library);
    const GemmCall call{.m = 16, .n = 16, .k = 64, .type = ElementType::kDouble};
    const auto kernels = library.kernels_for(call);
    CHECK(std::count(kernels.begin(), kernels.end(), kernel_name(parse_point(first))) == 1);
  }
}

TEST_CASE("batches, vectors and plans of doubles") {
  const TestDevice d;
  if (!has_double(d)) SKIP_CASE("the device has no cl_khr_fp64");
  std::vector<std::string> all = kDoublePoints;
  all.insert(all.end(), kMoreDoublePoints.begin(), kMoreDoublePoints.end());
  Library library = open(d, all);
  GemmCall call{.m = 13, .n = 1, .k = 21, .alpha = 0.1, .type = ElementType::kDouble};
  const DoubleCase test(call, 0, 0, 1);
  const Matrix a = upload(d, test.a);
  const Matrix x = upload(d, test.b);
  const Matrix y = upload(d, test.c);
  cl::Event done = library.dgemv(d.queue, {.m = 13, .n = 21, .alpha = 0.1}, a, {x.buffer, 0, 1},
                                 {y.buffer, 0, 1});
  CHECK(test.wrong(download<double>(d, y, {done})) == "");
  const Matrix again = upload(d, test.c);
  done = library.gemm_strided_batched(d.queue, call, {a.buffer, 0, a.ld, 0}, {x.buffer, 0, x.ld, 0},
                                      {again.buffer, 0, again.ld, 13}, 1);
  CHECK(test.wrong(download<double>(d, again, {done})) == "");
  const Matrix listed = upload(d, test.c);
  done = library.gemm_batched(d.queue, call, {a.buffer, {0}, a.ld}, {x.buffer, {0}, x.ld},
                              {listed.buffer, {0}, listed.ld}, {{0.1}, {0.0}});
  CHECK(test.wrong(download<double>(d, listed, {done})) == "");
  call.n = 9;
  const DoubleCase wide(call, 0, 0, 2);
  const Matrix c = upload(d, wide.c);
  const Plan plan = library.plan(call);
  const PackedMatrix packed = plan.pack_b(d.queue, upload(d, wide.b));
  done = plan.execute(d.queue, upload(d, wide.a), packed, c, 0.1, 0.0);
  CHECK(wide.wrong(download<double>(d, c, {done})) == "");
}

TEST_CASE("batches of several products of doubles") {
  const TestDevice d;
  if (!has_double(d)) SKIP_CASE("the device has no cl_khr_fp64");
  std::vector<std::string> all = kDoublePoints;
  all.insert(all.end(), kMoreDoublePoints.begin(), kMoreDoublePoints.end());
  Library library = open(d, all);
  constexpr std::size_t kCount = 3;
  const GemmCall one{.m = 5, .n = 7, .k = 9, .alpha = 0.3, .type = ElementType::kDouble};
  // As rows of a product whose other rows nobody looks at.
  const GemmCall call{.m = 5 * kCount, .n = 7, .k = 9, .alpha = 0.3, .type = ElementType::kDouble};
  const DoubleCase test(call, 0, 2, 3);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix listed = upload(d, test.c);
  const std::vector<std::size_t> rows = {0, 5, 10};
  const auto at = [&](std::size_t ld) {
    return std::vector<std::size_t>{rows[0] * ld, rows[1] * ld, rows[2] * ld};
  };
  cl::Event done =
      library.gemm_batched(d.queue, one, {a.buffer, at(a.ld), a.ld}, {b.buffer, {0, 0, 0}, b.ld},
                           {listed.buffer, at(listed.ld), listed.ld});
  CHECK(test.wrong(download<double>(d, listed, {done})) == "");
  const Matrix strided = upload(d, test.c);
  done = library.gemm_strided_batched(d.queue, one, {a.buffer, 0, a.ld, 5 * a.ld},
                                      {b.buffer, 0, b.ld, 0},
                                      {strided.buffer, 0, strided.ld, 5 * strided.ld}, kCount);
  CHECK(test.wrong(download<double>(d, strided, {done})) == "");
}

TEST_CASE("a matrix that was packed for the other type is refused") {
  const TestDevice d;
  if (!has_double(d)) SKIP_CASE("the device has no cl_khr_fp64");
  std::vector<std::string> all = kDoublePoints;
  all.insert(all.end(), kMoreDoublePoints.begin(), kMoreDoublePoints.end());
  Library library = open(d, all);
  GemmCall call{.m = 16, .n = 16, .k = 16};
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 256 * sizeof(double));
  const Matrix matrix{buffer, 0, 16};
  const Plan single = library.plan(call);
  call.type = ElementType::kDouble;
  const Plan wide = library.plan(call);
  for (const auto& [of, other] : {std::pair(&single, &wide), {&wide, &single}}) {
    const PackedMatrix packed = of->pack_b(d.queue, matrix);
    try {
      other->execute(d.queue, matrix, packed, matrix);
      FAIL("it is taken");
    } catch (const Error& error) {
      CHECK(error.status() == TW_WRONG_LAYOUT);
    }
  }
}

TEST_CASE("one library serves floats and doubles of one shape, each by its own kernels") {
  const TestDevice d;
  if (!has_double(d)) SKIP_CASE("the device has no cl_khr_fp64");
  Library library = open(d, kDoublePoints);
  GemmCall call{.m = 13, .n = 9, .k = 21};
  const BlasCase single(call, 0, 0, 1);
  const Matrix c = upload(d, single.c);
  cl::Event done = library.sgemm(d.queue, call, upload(d, single.a), upload(d, single.b), c);
  CHECK(single.wrong(download(d, c, {done})) == "");
  CHECK(library.kernels_for(call).back().starts_with("sgemm_"));
  call.type = ElementType::kDouble;
  const DoubleCase wide(call, 0, 0, 1);
  const Matrix wide_c = upload(d, wide.c);
  done = library.gemm(d.queue, call, upload(d, wide.a), upload(d, wide.b), wide_c);
  CHECK(wide.wrong(download<double>(d, wide_c, {done})) == "");
  CHECK(library.kernels_for(call).back().starts_with("dgemm_"));
  CHECK_THAT(library.explain_all(call), Catch::Matchers::Contains("NN 13x9x21 of doubles"));
}

TEST_CASE("a buffer holds half as many doubles as floats") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64 * sizeof(float));
  const GemmCall call{.m = 8, .n = 8, .k = 8};
  library.sgemm(d.queue, call, {buffer, 0, 8}, {buffer, 0, 8}, {buffer, 0, 8}).wait();
  try {
    library.dgemm(d.queue, call, {buffer, 0, 8}, {buffer, 0, 8}, {buffer, 0, 8});
    FAIL("it is served");
  } catch (const Error& error) {
    CHECK(error.status() == TW_INSUFFICIENT_BUFFER_A);
  }
}

TEST_CASE("without a profile doubles are served where the device has them, else refused") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  if (has_double(d)) return check_products(d, library);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64 * sizeof(double));
  try {
    library.dgemm(d.queue, {.m = 8, .n = 8, .k = 8}, {buffer, 0, 8}, {buffer, 0, 8},
                  {buffer, 0, 8});
    FAIL("it is served");
  } catch (const Error& error) {
    CHECK(error.status() == TW_UNSUPPORTED_TYPE);
    CHECK_THAT(error.what(), Catch::Matchers::Contains("cl_khr_fp64"));
  }
}

TEST_CASE("the C functions for doubles") {
  const TestDevice d;
  if (!has_double(d)) SKIP_CASE("the device has no cl_khr_fp64");
  tw_library* library = nullptr;
  REQUIRE(tw_open_text(d.context(), d.device(), profile_of(d, kDoublePoints).c_str(), &library) ==
          TW_SUCCESS);
  const GemmCall call{.m = 13, .n = 9, .k = 21, .alpha = 0.1, .beta = 0.7};
  const DoubleCase test(call, 3, 2, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  cl_event event = nullptr;
  REQUIRE(tw_dgemm(library, d.queue(), TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, 13, 9, 21, 0.1,
                   a.buffer(), a.offset, a.ld, b.buffer(), b.offset, b.ld, 0.7, c.buffer(),
                   c.offset, c.ld, 0, nullptr, &event) == TW_SUCCESS);
  CHECK(test.wrong(download<double>(d, c, {cl::Event(event)})) == "");
  tw_plan* plan = nullptr;
  REQUIRE(tw_dplan_create(library, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, 13, 9, 21, a.offset,
                          a.ld, b.offset, b.ld, 0.7, c.offset, c.ld, &plan) == TW_SUCCESS);
  const Matrix again = upload(d, test.c);
  REQUIRE(tw_dexecute(plan, d.queue(), 0.1, a.buffer(), a.offset, a.ld, nullptr, b.buffer(),
                      b.offset, b.ld, nullptr, 0.7, again.buffer(), again.offset, again.ld, 0,
                      nullptr, &event) == TW_SUCCESS);
  CHECK(test.wrong(download<double>(d, again, {cl::Event(event)})) == "");
  tw_plan_free(plan);
  tw_close(library);
}

}  // namespace
}  // namespace tilewright

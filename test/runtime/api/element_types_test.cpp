// Tests products in double and half precision: kernels are emitted by the codelets, stored in a
// profile's text, and used by the library and its C functions.
#include "runtime/api/plan.hpp"

#include "api/c_open.hpp"
#include "blas_case.hpp"
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/api/c_call.hpp"
#include "runtime/device/device_identity.hpp"
#include "slow_built_in.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr std::size_t kTypedShapes[][3] = {{1, 1, 1}, {13, 9, 21}, {67, 45, 33}, {33, 65, 129}};

// Unpacked, narrow, packed, with split k; and a single-precision kernel, which must not be used.
const std::vector<std::string> kSinglePoints = {
    "gemm tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4"};
const std::vector<std::string> kPlainPoints = {
    "gemm tile_m=4 tile_n=4 tile_k=2 vector_width=4 work_group_m=4 work_group_n=4"};
const std::vector<std::string> kMorePoints = {
    "gemv tile_narrow=2 work_group_k=8",
    "gemm layout_b=C1x8R tile_m=4 tile_n=8 vector_width=8 work_group_m=4",
    "gemm tile_m=2 tile_n=4 vector_width=4 split_k=4",
    "pack from=R to=C1x8R tile_m=4 tile_n=8 vector_width=8",
    "pack from=C to=C1x8R tile_m=4 tile_n=4",
    "pack tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=4",
    "reduce vector_width=2"};

template <class Element>
std::vector<std::string> typed(const std::vector<std::string>& points) {
  std::vector<std::string> result;
  for (const std::string& point : points) {
    result.push_back(
        to_text(with_precision(parse_point(point), element_precision(TraitsOf<Element>::kType))));
  }
  return result;
}

std::vector<std::string> joined_points(std::vector<std::string> points,
                                       const std::vector<std::string>& more) {
  points.insert(points.end(), more.begin(), more.end());
  return points;
}

// Adds a single-precision kernel.
template <class Element>
std::vector<std::string> few_points() {
  return joined_points(kSinglePoints, typed<Element>(kPlainPoints));
}
template <class Element>
std::vector<std::string> all_points() {
  return joined_points(few_points<Element>(), typed<Element>(kMorePoints));
}

template <class Element>
bool has(const TestDevice& d) {
  return has_extension(d.device, required_extension(element_precision(TraitsOf<Element>::kType)));
}

template <class Element>
std::string kernel_prefix() {
  return std::is_same_v<Element, Half> ? "hgemm_" : "dgemm_";
}

// Defines each test for all types except float.
#define TYPED_TEST(name)                                                      \
  template <class Element>                                                    \
  void name(const TestDevice& d);                                             \
  TEST_CASE(#name " in double and half precision") {                          \
    const TestDevice d;                                                       \
    name<Half>(d);                                                            \
    if (!has<double>(d)) SKIP_CASE("the device has no cl_khr_fp64: doubles"); \
    name<double>(d);                                                          \
  }                                                                           \
  template <class Element>                                                    \
  void name(const TestDevice& d)

// The kernels of these points; the first one that is not single precision was measured.
std::string make_profile_text(const TestDevice& d, const std::vector<std::string>& points) {
  Profile profile;
  profile.provenance.complete = true;
  profile.device = identify(d.device);
  for (const std::string& point : points) profile.kernels.push_back(emit(parse_point(point)));
  for (const KernelRecord& kernel : profile.kernels) {
    if (kernel.precision == Precision::kSingle || kernel.role != Role::kGemm) continue;
    const Op op = op_from_layouts(kernel.layout_a, *kernel.layout_b);
    profile.results.push_back({op, 8, 8, 8, kernel.name, 1.0, 1.0, 1.0, 9, 0.1});
    break;
  }
  add_slow_built_in(profile, d);
  return write_profile(profile);
}

LibraryHandle open(const TestDevice& d, const std::vector<std::string>& points) {
  return Library::open(d.context, d.device, ProfileSource::text(make_profile_text(d, points)));
}

template <class Element>
void check_typed_products(const TestDevice& d, LibraryHandle& library) {
  unsigned seed = 0;
  for (const auto& [m, n, k] : kTypedShapes) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const double beta : {0.0, -0.5}) {
        ++seed;
        GemmCall call{.m = m, .n = n, .k = k, .alpha = 1.0 / 3, .beta = beta, .trans_a = ta};
        call.order = seed % 2 == 0 ? Order::kRowMajor : Order::kColumnMajor;
        call.type = TraitsOf<Element>::kType;
        const BlasCaseOf<Element> test(call, seed % 5, seed % 3, seed);
        const Matrix c = upload(d, test.c);
        const cl::Event done =
            library->gemm(d.queue, call, upload(d, test.a), upload(d, test.b), c);
        INFO(m << "x" << n << "x" << k << " case " << seed);
        CHECK(test.wrong(download<Element>(d, c, {done})) == "");
      }
    }
  }
}

TYPED_TEST(products_by_every_kind_of_kernel) {
  const std::vector<std::string> all = all_points<Element>();
  const std::vector<std::string> more = typed<Element>(kMorePoints);
  LibraryHandle whole = open(d, all);
  check_typed_products<Element>(d, whole);
  // Makes each product kernel the measured one, which is then used.
  for (const std::string& first : {more[1], more[2]}) {
    std::vector<std::string> points = {first};
    points.insert(points.end(), all.begin(), all.end());
    points.erase(std::find(points.begin() + 1, points.end(), first));
    LibraryHandle library = open(d, points);
    check_typed_products<Element>(d, library);
    const GemmCall call{.m = 16, .n = 16, .k = 64, .type = TraitsOf<Element>::kType};
    const auto kernels = library->kernels_for(call);
    CHECK(std::count(kernels.begin(), kernels.end(), kernel_name(parse_point(first))) == 1);
  }
}

TYPED_TEST(batches_vectors_and_plans) {
  LibraryHandle library = open(d, all_points<Element>());
  GemmCall call{.m = 13, .n = 1, .k = 21, .alpha = 0.1, .type = TraitsOf<Element>::kType};
  const BlasCaseOf<Element> test(call, 0, 0, 1);
  const Matrix a = upload(d, test.a);
  const Matrix x = upload(d, test.b);
  const Matrix y = upload(d, test.c);
  cl::Event done =
      library->gemv(d.queue, {.m = 13, .n = 21, .alpha = 0.1, .type = TraitsOf<Element>::kType}, a,
                    {x.buffer, 0, 1}, {y.buffer, 0, 1});
  CHECK(test.wrong(download<Element>(d, y, {done})) == "");
  const Matrix again = upload(d, test.c);
  done = library->gemm_strided_batched(d.queue, call, {a.buffer, 0, a.ld, 0},
                                       {x.buffer, 0, x.ld, 0}, {again.buffer, 0, again.ld, 13}, 1);
  CHECK(test.wrong(download<Element>(d, again, {done})) == "");
  const Matrix listed = upload(d, test.c);
  done = library->gemm_batched(d.queue, call, {a.buffer, {0}, a.ld}, {x.buffer, {0}, x.ld},
                               {listed.buffer, {0}, listed.ld}, {{0.1}, {0.0}});
  CHECK(test.wrong(download<Element>(d, listed, {done})) == "");
  call.n = 9;
  const BlasCaseOf<Element> wide(call, 0, 0, 2);
  const Matrix c = upload(d, wide.c);
  const Plan plan = Plan(library, call);
  const PackedMatrix packed = plan.pack(Operand::kB, d.queue, upload(d, wide.b));
  done = plan.execute(d.queue, upload(d, wide.a), packed, c, 0.1, 0.0);
  CHECK(wide.wrong(download<Element>(d, c, {done})) == "");
}

TYPED_TEST(batches_of_several_products) {
  LibraryHandle library = open(d, all_points<Element>());
  constexpr std::size_t kCount = 3;
  const GemmCall one{.m = 5, .n = 7, .k = 9, .alpha = 0.3, .type = TraitsOf<Element>::kType};
  // As rows of a product; its other rows are not checked.
  const GemmCall call{
      .m = 5 * kCount, .n = 7, .k = 9, .alpha = 0.3, .type = TraitsOf<Element>::kType};
  const BlasCaseOf<Element> test(call, 0, 2, 3);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix listed = upload(d, test.c);
  const std::vector<std::size_t> rows = {0, 5, 10};
  const auto at = [&](std::size_t ld) {
    return std::vector<std::size_t>{rows[0] * ld, rows[1] * ld, rows[2] * ld};
  };
  cl::Event done =
      library->gemm_batched(d.queue, one, {a.buffer, at(a.ld), a.ld}, {b.buffer, {0, 0, 0}, b.ld},
                            {listed.buffer, at(listed.ld), listed.ld});
  CHECK(test.wrong(download<Element>(d, listed, {done})) == "");
  const Matrix strided = upload(d, test.c);
  done = library->gemm_strided_batched(d.queue, one, {a.buffer, 0, a.ld, 5 * a.ld},
                                       {b.buffer, 0, b.ld, 0},
                                       {strided.buffer, 0, strided.ld, 5 * strided.ld}, kCount);
  CHECK(test.wrong(download<Element>(d, strided, {done})) == "");
}

TYPED_TEST(matrices_packed_for_another_type_are_refused) {
  LibraryHandle library = open(d, all_points<Element>());
  GemmCall call{.m = 16, .n = 16, .k = 16};
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 256 * sizeof(double));
  const Matrix matrix{buffer, 0, 16};
  const Plan single = Plan(library, call);
  call.type = TraitsOf<Element>::kType;
  const Plan wide = Plan(library, call);
  for (const auto& [of, other] : {std::pair(&single, &wide), {&wide, &single}}) {
    const PackedMatrix packed = of->pack(Operand::kB, d.queue, matrix);
    try {
      other->execute(d.queue, matrix, packed, matrix);
      FAIL("it is taken");
    } catch (const Error& error) {
      CHECK(error.status() == TW_WRONG_LAYOUT);
    }
  }
}

TYPED_TEST(one_library_serves_floats_and_others_of_one_shape) {
  LibraryHandle library = open(d, few_points<Element>());
  GemmCall call{.m = 13, .n = 9, .k = 21};
  const BlasCase single(call, 0, 0, 1);
  const Matrix c = upload(d, single.c);
  cl::Event done = library->gemm(d.queue, call, upload(d, single.a), upload(d, single.b), c);
  CHECK(single.wrong(download(d, c, {done})) == "");
  CHECK(library->kernels_for(call).back().starts_with("sgemm_"));
  call.type = TraitsOf<Element>::kType;
  const BlasCaseOf<Element> wide(call, 0, 0, 1);
  const Matrix wide_c = upload(d, wide.c);
  done = library->gemm(d.queue, call, upload(d, wide.a), upload(d, wide.b), wide_c);
  CHECK(wide.wrong(download<Element>(d, wide_c, {done})) == "");
  CHECK(library->kernels_for(call).back().starts_with(kernel_prefix<Element>()));
  const std::string precision = std::is_same_v<Element, Half> ? "half" : "double";
  CHECK_THAT(library->explain(call),
             ContainsSubstring("NN 13x9x21 in " + precision + " precision"));
}

TEST_CASE("a buffer holds half as many doubles as floats") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64 * sizeof(float));
  const GemmCall call{.m = 8, .n = 8, .k = 8};
  library->gemm(d.queue, call, {buffer, 0, 8}, {buffer, 0, 8}, {buffer, 0, 8}).wait();
  GemmCall doubles = call;
  doubles.type = ElementType::kDouble;
  try {
    library->gemm(d.queue, doubles, {buffer, 0, 8}, {buffer, 0, 8}, {buffer, 0, 8});
    FAIL("it is supported");
  } catch (const Error& error) {
    CHECK(error.status() == TW_INSUFFICIENT_BUFFER_A);
  }
}

TEST_CASE(
    "without a profile, double precision works if the device supports it, and is rejected otherwise") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  if (has<double>(d)) return check_typed_products<double>(d, library);
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64 * sizeof(double));
  try {
    library->gemm(d.queue, {.m = 8, .n = 8, .k = 8, .type = ElementType::kDouble}, {buffer, 0, 8},
                  {buffer, 0, 8}, {buffer, 0, 8});
    FAIL("it is supported");
  } catch (const Error& error) {
    CHECK(error.status() == TW_UNSUPPORTED_TYPE);
    CHECK_THAT(error.what(), ContainsSubstring("cl_khr_fp64"));
  }
}

TEST_CASE("without a profile, half precision works on every device") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  check_typed_products<Half>(d, library);
}

// The functions of the C interface for a type, of which `gemm` is tw_hgemm or tw_dgemm.
template <class Element, class Gemm, class Scalar>
void check_c_functions(const TestDevice& d, const Gemm& gemm, Scalar alpha, Scalar beta) {
  const std::string profile = make_profile_text(d, few_points<Element>());
  const OpenLibrary open(d, options_with_text(profile));
  const GemmCall call{
      .m = 13, .n = 9, .k = 21, .alpha = alpha, .beta = beta, .type = TraitsOf<Element>::kType};
  const BlasCaseOf<Element> test(call, 3, 2, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const CMatrix c_a = to_c(a);
  const CMatrix c_b = to_c(b);
  cl_event event = nullptr;
  const auto check = [&](const auto& multiply) {
    const Matrix c = upload(d, test.c);
    const CMatrix c_c = to_c(c);
    REQUIRE(multiply(c_c) == TW_SUCCESS);
    CHECK(test.wrong(download<Element>(d, c, {cl::Event(event)})) == "");
  };
  check([&](const tw_matrix& c) {
    return gemm(open.library, d.queue(), TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, 13, 9, 21, alpha,
                a.buffer(), a.offset, a.ld, b.buffer(), b.offset, b.ld, beta, c.buffer, c.offset,
                c.ld, 0, nullptr, &event);
  });
  const tw_gemm_desc desc = to_c(call);
  check([&](const tw_matrix& c) {
    return tw_gemm(open.library, d.queue(), &desc, &c_a, &c_b, &c, 0, nullptr, &event);
  });
  const CMatrix c_c = to_c(upload(d, test.c));
  tw_plan* plan = nullptr;
  REQUIRE(tw_plan_create(open.library, &desc, &c_a, &c_b, &c_c, &plan) == TW_SUCCESS);
  check([&](const tw_matrix& c) {
    return tw_execute(plan, d.queue(), desc.alpha, &c_a, &c_b, desc.beta, &c, nullptr, 0, nullptr,
                      &event);
  });
  tw_plan_free(plan);
  char* text = nullptr;
  REQUIRE(tw_explain(open.library, &desc, nullptr, nullptr, nullptr, &text) == TW_SUCCESS);
  CHECK_THAT(text, ContainsSubstring(kernel_prefix<Element>()));
  tw_text_free(text);
}

TEST_CASE("C: the functions for half precision") {
  const TestDevice d;
  check_c_functions<Half>(d, tw_hgemm, 0.5f, 0.75f);
}

TEST_CASE("C: the functions for double precision") {
  const TestDevice d;
  if (!has<double>(d)) SKIP_CASE("the device has no cl_khr_fp64");
  check_c_functions<double>(d, tw_dgemm, 0.1, 0.7);
}

#undef TYPED_TEST

}  // namespace
}  // namespace tilewright

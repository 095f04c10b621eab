// Tests kernels whose operands must be packed: they are emitted by the codelets, stored in a
// profile's text and used by the library, together with emitted pack, unpack and reduce kernels.
#include "blas_case.hpp"
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "codelets/space/named_points.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/plan/kernel_work.hpp"
#include "slow_built_in.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kShapes[][3] = {{1, 1, 1},   {13, 9, 21},  {67, 45, 33},
                                      {130, 3, 5}, {5, 101, 70}, {33, 65, 129}};

// A library with these kernels. Only the first one was measured, so the others are used only for
// its operands.
class EmittedProfile {
 public:
  explicit EmittedProfile(const std::vector<std::string>& points)
      : library_(
            Library::open(d_.context, d_.device, ProfileSource::text(make_profile_text(points)))) {}

  bool has_images() const { return identify(d_.device).limits.image_support; }
  // Checks products; extents above `max_n` are reduced.
  void check_products(std::size_t max_n = 1000);
  // Checks that the library lists the kernels of these points in this order.
  void check_kernels(const GemmCall& call, const std::vector<std::string>& points);

 private:
  std::string make_profile_text(const std::vector<std::string>& points) const {
    Profile profile;
    profile.provenance.complete = true;
    profile.device = identify(d_.device);
    for (const std::string& point : points) profile.kernels.push_back(emit(parse_point(point)));
    const KernelRecord& first = profile.kernels.front();
    const Op op = op_from_layouts(first.layout_a, *first.layout_b);
    profile.results.push_back({op, 8, 8, 8, first.name, 1.0, 1.0, 1.0, 9, 0.1});
    add_slow_built_in(profile, d_);
    return write_profile(profile);
  }

  TestDevice d_;
  LibraryHandle library_;
};

void EmittedProfile::check_products(std::size_t max_n) {
  unsigned seed = 0;
  for (const auto& [m, n, k] : kShapes) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        for (const float beta : {0.0f, -0.5f}) {
          ++seed;
          GemmCall call{.m = m, .n = std::min(n, max_n), .k = k, .alpha = 1.5f, .beta = beta};
          call.trans_a = ta;
          call.trans_b = tb;
          const BlasCase test(call, seed % 5, seed % 3, seed);
          const Matrix c = upload(d_, test.c);
          const cl::Event done =
              library_->gemm(d_.queue, call, upload(d_, test.a), upload(d_, test.b), c);
          INFO(m << "x" << n << "x" << k << " case " << seed);
          CHECK(test.wrong(download(d_, c, {done})) == "");
        }
      }
    }
  }
}

void EmittedProfile::check_kernels(const GemmCall& call, const std::vector<std::string>& points) {
  std::vector<std::string> names;
  for (const std::string& point : points) names.push_back(kernel_name(parse_point(point)));
  CHECK(library_->kernels_for(call) == names);
}

constexpr GemmCall kNn{.m = 13, .n = 9, .k = 21};
constexpr GemmCall kNt{.m = 13, .n = 9, .k = 21, .trans_b = Transpose::kYes};
constexpr GemmCall kTn{.m = 13, .n = 9, .k = 21, .trans_a = Transpose::kYes};
constexpr GemmCall kTt{
    .m = 13, .n = 9, .k = 21, .trans_a = Transpose::kYes, .trans_b = Transpose::kYes};

TEST_CASE("emitted panels of A and B") {
  const std::string panel =
      "layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 edges=padded";
  const std::string a_from_r = "pack from=R to=R12x1C tile_m=12 tile_n=4 vector_width=4";
  const std::string a_from_c = "pack from=C to=R12x1C tile_m=12 tile_n=4 vector_width=4";
  const std::string b_from_r = "pack from=R to=C1x32R tile_m=4 tile_n=32 vector_width=16";
  const std::string b_from_c = "pack from=C to=C1x32R tile_m=4 tile_n=8 work_group_n=4";
  EmittedProfile emitted({panel, a_from_r, a_from_c, b_from_r, b_from_c});
  emitted.check_kernels(kNn, {a_from_r, b_from_r, panel});
  emitted.check_kernels(kNt, {a_from_r, b_from_c, panel});
  emitted.check_kernels(kTn, {a_from_c, b_from_r, panel});
  emitted.check_kernels(kTt, {a_from_c, b_from_c, panel});
  emitted.check_products();
}

TEST_CASE("emitted Morton layouts of A, B and C") {
  const std::string morton(find_named_point("morton-4-4")->text);
  const std::string a_from_r = "pack from=R to=R4x4R tile_m=4 tile_n=4 vector_width=4";
  const std::string a_from_c = "pack from=C to=R4x4R tile_m=4 tile_n=4";
  const std::string b_from_r = "pack from=R to=C4x4C tile_m=8 tile_n=4";
  const std::string b_from_c = "pack from=C to=C4x4C tile_m=4 tile_n=8 vector_width=4";
  const std::string c_to_r = "pack from=C4x4C to=R tile_m=2 tile_n=2 work_group_n=8";
  EmittedProfile emitted({morton, a_from_r, a_from_c, b_from_r, b_from_c, c_to_r});
  emitted.check_kernels(kNn, {a_from_r, b_from_r, morton, c_to_r});
  emitted.check_kernels(kTt, {a_from_c, b_from_c, morton, c_to_r});
  GemmCall update = kNt;
  update.beta = 1.0f;
  emitted.check_kernels(update, {a_from_r, b_from_c, b_from_r, morton, c_to_r});
  emitted.check_products();
}

TEST_CASE("emitted images of A and B") {
  const std::string image =
      "op=TN tile_m=8 tile_n=4 tile_k=2 vector_width=4 work_group_m=4 work_group_n=4 image_a=yes "
      "image_b=yes edges=padded";
  const std::string a_from_r = "pack from=R to=C image=yes tile_m=4 tile_n=4 vector_width=4";
  const std::string a_from_c = "pack from=C to=C image=yes tile_m=4 tile_n=1 vector_width=4";
  const std::string b_from_r = "pack from=R to=R image=yes tile_n=4 vector_width=4";
  const std::string b_from_c = "pack from=C to=R image=yes tile_m=4 tile_n=8 vector_width=4";
  EmittedProfile emitted({image, a_from_r, a_from_c, b_from_r, b_from_c});
  if (!emitted.has_images()) SKIP_CASE("the device does not support images");
  emitted.check_kernels(kNn, {a_from_r, b_from_r, image});
  emitted.check_kernels(kNt, {a_from_r, b_from_c, image});
  emitted.check_kernels(kTn, {a_from_c, b_from_r, image});
  emitted.check_kernels(kTt, {a_from_c, b_from_c, image});
  emitted.check_products();
}

// PoCL 3.1 executes the code before a loop with barriers twice for one work-item.
TEST_CASE("emitted kernels with barriers store results that are narrower than a vector once") {
  EmittedProfile by_loop({"tile_m=8 tile_n=32 vector_width=16 work_group_m=8 cache_block_k=8"});
  by_loop.check_products();
  EmittedProfile by_shares(
      {"tile_m=8 tile_n=8 tile_k=2 vector_width=4 work_group_m=2 work_group_n=4 "
       "work_group_k=16"});
  by_shares.check_products();
}

TEST_CASE("an emitted kernel with split k, and the sum of its parts") {
  const std::string split =
      "layout_a=R layout_b=C1x8R tile_m=4 tile_n=8 tile_k=2 vector_width=4 work_group_m=2 "
      "split_k=8";
  const std::string a_from_c = "pack from=C to=R tile_m=4 tile_n=4 vector_width=4";
  const std::string b_from_r = "pack from=R to=C1x8R tile_n=8 vector_width=8";
  const std::string b_from_c = "pack from=C to=C1x8R tile_m=4 tile_n=8 work_group_m=8";
  const std::string reduce = "reduce vector_width=4 work_group_n=16";
  EmittedProfile emitted({split, a_from_c, b_from_r, b_from_c, reduce});
  emitted.check_kernels(kNn, {b_from_r, split, reduce});
  emitted.check_kernels(kTt, {a_from_c, b_from_c, split, reduce});
  emitted.check_products();
}

TEST_CASE("an emitted kernel for narrow products") {
  const std::string gemv =
      "gemv layout_a=R layout_b=C tile_narrow=4 tile_wide=2 tile_k=8 vector_width=4 "
      "work_group_k=8";
  const std::string c_to_r = "pack from=C to=R tile_m=4 tile_n=4 vector_width=4";
  const std::string r_to_c = "pack from=R to=C tile_m=2 tile_n=2";
  EmittedProfile emitted({gemv, c_to_r, r_to_c});
  const auto narrow = [](GemmCall call) {
    call.n = 3;
    return call;
  };
  emitted.check_kernels(narrow(kNn), {r_to_c, gemv});
  emitted.check_kernels(narrow(kNt), {gemv});
  emitted.check_kernels(narrow(kTn), {c_to_r, r_to_c, gemv});
  emitted.check_kernels(narrow(kTt), {c_to_r, gemv});
  emitted.check_products(4);
}

bool counts_as_narrow(const KernelRecord& kernel, const GemmShape& shape) {
  return KernelWork(kernel, 1).is_narrow(shape.m, shape.n);
}

TEST_CASE("predictions include that a kernel computes narrow products without vectors") {
  struct Case {
    const char* point;
    const char* condition;  // condition in the kernel's text
    std::int64_t rows;      // the minimum number of rows for vectors
    std::int64_t columns;
  };
  const Case cases[] = {
      {"tile_m=4 tile_n=16 vector_width=8", "if (n < 8)", 1, 8},
      {"op=NT tile_m=4 tile_n=4 tile_k=4 vector_width=4 inner=dot", "", 1, 1},
      {"op=TN tile_m=8 tile_n=4 vector_width=4", "if (m < 4 || n < 4)", 4, 4},
      {"op=NT tile_m=12 tile_n=16 vector_width=16", "if (n < 16)", 1, 16},
      {"op=NT tile_m=4 tile_n=4 tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=4 "
       "cache_block_k=16 local_a=yes local_b=yes",
       "", 1, 1},
      {"tile_m=8 tile_n=8 unroll_k=16 vector_width=4 work_group_m=8 work_group_n=8 "
       "assignment=offset cache_block_k=16 local_a=yes local_b=yes",
       "if (m < 4 || n < 4)", 4, 4}};
  for (const Case& c : cases) {
    const KernelRecord kernel = emit(parse_point(c.point));
    INFO(kernel.point);
    CHECK((kernel.source.find("C is narrower") != std::string::npos) == (c.rows + c.columns > 2));
    CHECK(kernel.source.find(c.condition) != std::string::npos);
    CHECK(counts_as_narrow(kernel, {c.rows - 1, 63, 63}) == (c.rows > 1));
    CHECK_FALSE(counts_as_narrow(kernel, {c.rows, 63, 63}));
    CHECK(counts_as_narrow(kernel, {63, c.columns - 1, 63}) == (c.columns > 1));
    CHECK_FALSE(counts_as_narrow(kernel, {63, c.columns, 63}));
  }
}

}  // namespace
}  // namespace tilewright

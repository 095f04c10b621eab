// Tests the storage that kernels require, as arithmetic on records.
#include "runtime/call/storage.hpp"

#include "catch.hpp"
#include "plan_records.hpp"
#include "runtime/device/device_matrix.hpp"

namespace tilewright {
namespace {

KernelRecord make_gemm(const char* a, const char* b, const char* c, Tile multiples) {
  KernelRecord record;
  record.layout_a = layout(a);
  record.layout_b = layout(b);
  record.layout_c = layout(c);
  record.multiples = multiples;
  return record;
}

void check(const Storage& storage, std::int64_t rows, std::int64_t columns, std::size_t ld,
           std::size_t elements) {
  CHECK(storage.rows == rows);
  CHECK(storage.columns == columns);
  CHECK(storage.ld == ld);
  CHECK(storage.elements == elements);
}

TEST_CASE("plain guarded matrices are not padded, whatever the multiples") {
  const KernelRecord record = make_gemm("R", "C", "R", {8, 8, 8});
  check(storage_a(record, {5, 6, 7}), 5, 7, 7, 35);
  check(storage_b(record, {5, 6, 7}), 7, 6, 7, 42);
  check(storage_c(record, {5, 6, 7}), 5, 6, 6, 30);
}

TEST_CASE("chunks, images and padded edges are padded to the multiples") {
  KernelRecord record = make_gemm("R 4 1 C", "R", "C 4 2 R", {8, 6, 4});
  check(storage_a(record, {5, 7, 3}), 8, 4, 16, 32);
  check(storage_b(record, {5, 7, 3}), 3, 7, 7, 21);
  check(storage_c(record, {5, 7, 3}), 8, 12, 16, 96);
  record.images.b = true;
  const Storage image = storage_b(record, {5, 7, 3});
  check(image, 4, 12, 0, 48);
  CHECK((image.image_width() == 3 && image.image_height() == 4));
  record = make_gemm("C", "R", "R", {8, 6, 4});
  record.edges = Edges::kPadded;
  check(storage_a(record, {5, 7, 3}), 8, 4, 8, 32);
  check(storage_b(record, {5, 7, 3}), 4, 12, 12, 48);
  check(storage_c(record, {5, 7, 3}), 5, 7, 7, 35);
}

TEST_CASE("a pixel of an image holds four neighbours along the contiguous direction") {
  KernelRecord record = make_gemm("C", "R", "R", {1, 1, 1});
  record.images.a = true;
  const Storage storage = storage_a(record, {5, 7, 3});
  CHECK((storage.image_width() == 2 && storage.image_height() == 3));
  CHECK(storage.elements == 24);
}

TEST_CASE("leading dimensions of plain layouts are aligned") {
  KernelRecord record = make_gemm("R", "R 2 2 R", "R", {2, 2, 2});
  record.alignment = 4;
  check(storage_a(record, {5, 8, 7}), 5, 7, 8, 39);
  check(storage_b(record, {5, 8, 7}), 8, 8, 16, 64);
}

TEST_CASE("the parts of a split k are consecutive") {
  KernelRecord record = make_gemm("R", "R", "R", {1, 1, 1});
  check(storage_parts(record, {5, 6, 7}, {0, 3}), 15, 6, 6, 90);
}

TEST_CASE("the sizes of matrices that fit on no device are capped") {
  KernelRecord record = make_gemm("R", "R", "R", {1, 1, 1});
  const PartialProducts parts{0, 2147483647};
  CHECK(storage_parts(record, {2'000'000'000, 2'000'000'000, 1}, parts).elements == kMaxElements);
}

// On a 32-bit board these sizes would overflow, and a temporary of size 0 would be created.
TEST_CASE("matrices of 2^32 floats and more are too large for 32-bit sizes") {
  const bool is_32_bit = sizeof(std::size_t) == 4;
  const auto expected = [&](std::uint64_t elements) {
    return is_32_bit ? kMaxElements : static_cast<std::size_t>(elements);
  };
  const std::uint64_t many = std::uint64_t{1} << 32;
  KernelRecord record = make_gemm("R", "R", "R", {1, 1, 1});
  CHECK(storage_a(record, {65536, 1, 65536}).elements == expected(many));
  CHECK(storage_a(record, {65536, 1, 65537}).elements == expected(many + 65536));
  // The size in bytes of as many doubles must be representable, too.
  CHECK(storage_a(record, {8192, 1, 65536}).elements == expected(many / 8));
  CHECK(storage_a(record, {8192, 1, 65535}).elements == many / 8 - 8192);
  record.images.a = true;
  CHECK(storage_a(record, {65536, 1, 65536}).elements == expected(many));
  record = make_gemm("R 4 1 C", "R", "R", {4, 1, 1});
  CHECK(storage_a(record, {4, 1, 2'000'000'000}).elements == expected(8'000'000'000));
}

TEST_CASE("a capped size can be converted to bytes") {
  CHECK(kMaxElements <= SIZE_MAX / sizeof(float));
}

TEST_CASE("a kernel accepts matrices that are stored as it requires") {
  const KernelRecord record = make_gemm("R", "C", "R", {1, 1, 1});
  CHECK(accepts_a(record, make_problem(Op::kNT, {5, 6, 7})));
  CHECK(accepts_b(record, make_problem(Op::kNT, {5, 6, 7})));
  CHECK(accepts_c(record, make_problem(Op::kNT, {5, 6, 7})));
  CHECK_FALSE(accepts_a(record, make_problem(Op::kTT, {5, 6, 7})));
  CHECK_FALSE(accepts_b(record, make_problem(Op::kNN, {5, 6, 7})));
  CHECK_FALSE(accepts_c(make_gemm("R", "R", "C", {1, 1, 1}), make_problem(Op::kNN, {5, 6, 7})));
  CHECK_FALSE(
      accepts_a(make_gemm("R 4 4 R", "R", "R", {4, 1, 4}), make_problem(Op::kNN, {4, 4, 4})));
  KernelRecord image = record;
  image.images.a = true;
  CHECK_FALSE(accepts_a(image, make_problem(Op::kNT, {4, 4, 4})));
}

TEST_CASE("a kernel supports the shapes that its tile and alignment allow") {
  KernelRecord record = make_gemm("R", "R", "R", {1, 1, 1});
  record.alignment = 4;
  CHECK(supports(record, {5, 8, 7}));
  CHECK_FALSE(supports(record, {8, 6, 8}));
  record.layout_a = Layout::C();
  CHECK_FALSE(supports(record, {5, 8, 7}));
  record.images.a = true;
  CHECK(supports(record, {5, 8, 7}));
  // Padded matrices end with whole vectors, whatever the extents.
  record = make_gemm("R", "R", "C 4 4 C", {4, 4, 1});
  record.alignment = 4;
  CHECK_FALSE(supports(record, {5, 6, 7}));
  record.edges = Edges::kPadded;
  CHECK(supports(record, {5, 6, 7}));
  record.layout_a = Layout::C();
  CHECK(supports(record, {5, 6, 7}));
  record = make_gemm("R", "R", "R", {1, 1, 1});
  record.tile = {1, 4, 1};
  record.narrow = Dimension::kN;
  CHECK(supports(record, {100, 4, 7}));
  CHECK_FALSE(supports(record, {100, 5, 7}));
  // If k is divided evenly, twice the k steps of all tiles are counted in an int.
  record = make_gemm("R", "R", "R", {1, 1, 1});
  record.tile = {8, 4, 1};
  record.work_group = {16, 16};  // 128 x 64 elements
  CHECK(supports(record, {65536, 65536, 4096}));
  record.stream_k = 2;
  CHECK_FALSE(supports(record, {65536, 65536, 4096}));
  CHECK(supports(record, {32768, 65536, 4000}));
}

TEST_CASE("an aligned kernel that writes any C supports all extents, some with packing") {
  KernelRecord record = make_gemm("R", "R", "R", {1, 1, 1});
  record.alignment = 4;
  record.any_c = true;
  const GemmShape odd{5, 6, 7};
  CHECK(supports(record, odd));
  CHECK(accepts_c(record, make_problem(Op::kNN, odd)));
  CHECK_FALSE(accepts_a(record, make_problem(Op::kNN, odd)));
  CHECK_FALSE(accepts_b(record, make_problem(Op::kNN, odd)));
  CHECK(accepts_b(record, make_problem(Op::kNN, {5, 8, 7})));
  // Rows of A may end anywhere; those of B are padded to the last whole vector.
  check(storage_a(record, odd), 5, 7, 8, 39);
  check(storage_b(record, odd), 7, 8, 8, 56);
  // If n is not a multiple, an aligned leading dimension does not help, because the matrix ends
  // there.
  GemmProblem wide = make_problem(Op::kNN, odd);
  wide.b.ld = 8;
  CHECK_FALSE(accepts_b(record, wide));
  record.layout_a = Layout::C();
  record.layout_b = Layout::C();
  check(storage_a(record, odd), 8, 7, 8, 56);
  check(storage_b(record, odd), 7, 6, 8, 47);
}

TEST_CASE("packing writes up to the storage's extents, unpacking up to the matrix's extents") {
  const KernelRecord record = make_gemm("R", "R", "C 4 4 C", {4, 4, 1});
  const Storage storage = storage_c(record, {5, 6, 7});
  const PackProblem in = pack_problem(storage, 5, 6, {nullptr, 3, 10});
  CHECK((in.rows == 5 && in.columns == 6 && in.padded_rows == 8 && in.padded_columns == 8));
  CHECK((in.from.offset == 3 && in.from.ld == 10 && in.to.offset == 0 && in.to.ld == 32));
  const PackProblem out = unpack_problem(storage, 5, 6, {nullptr, 3, 10});
  CHECK((out.rows == 5 && out.columns == 6 && out.padded_rows == 5 && out.padded_columns == 6));
  CHECK((out.to.offset == 3 && out.to.ld == 10 && out.from.ld == 32));
}

TEST_CASE("the contents of the image of an empty matrix cover its pixels") {
  const Storage none{Layout::R(), true, 20, 0, 0, 0, Precision::kSingle};
  const auto element = [](std::int64_t, std::int64_t) { return 1.0; };
  CHECK(lay_out(none, 20, 0, element, {}, 0.0).data.size() == 4 * 20);
}

}  // namespace
}  // namespace tilewright

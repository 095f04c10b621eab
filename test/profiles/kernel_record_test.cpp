#include "profiles/kernel_record.hpp"

#include "catch.hpp"
#include "profiles/digest.hpp"

namespace tilewright {
namespace {

TEST_CASE("every enumerator has a word and every word an enumerator") {
  for (const Role role : {Role::kGemm, Role::kPack}) CHECK(parse_role(to_text(role)) == role);
  for (const Layout layout : {Layout::kR, Layout::kC}) {
    CHECK(parse_layout(to_text(layout)) == layout);
  }
  for (const IdOrder order : {IdOrder::kNM, IdOrder::kMN}) {
    CHECK(parse_id_order(to_text(order)) == order);
  }
  for (const Epilogue epilogue : {Epilogue::kNone, Epilogue::kAlphaBeta}) {
    CHECK(parse_epilogue(to_text(epilogue)) == epilogue);
  }
  CHECK(to_text(Role::kPack) == "pack");
  CHECK(to_text(Layout::kC) == "C");
  CHECK(to_text(IdOrder::kMN) == "mn");
  CHECK(to_text(Epilogue::kAlphaBeta) == "alpha_beta");
  CHECK_FALSE(parse_role("GEMM"));
  CHECK_FALSE(parse_layout(""));
  CHECK_FALSE(parse_id_order("nm "));
  CHECK_FALSE(parse_epilogue("bias"));
}

TEST_CASE("a product is named by how its operands lie") {
  CHECK(op_of(Layout::kR, Layout::kR) == Op::kNN);
  CHECK(op_of(Layout::kR, Layout::kC) == Op::kNT);
  CHECK(op_of(Layout::kC, Layout::kR) == Op::kTN);
  CHECK(op_of(Layout::kC, Layout::kC) == Op::kTT);
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    CAPTURE(to_text(op));
    CHECK(op_of(layout_a_of(op), layout_b_of(op)) == op);
    CHECK(parse_op(to_text(op)) == op);
  }
  CHECK_FALSE(parse_op("nn"));
}

TEST_CASE("a digest is XXH3-128 as xxhsum prints it") {
  CHECK(digest_of_bytes("") == "xxh3-99aa06d3014798d86001c324468d497f");
  CHECK(digest_of_bytes("a") != digest_of_bytes("b"));
  CHECK(digest_of_bytes(std::string_view("\0", 1)) != digest_of_bytes(""));
}

TEST_CASE("the digest of a record covers what the driver compiles, and only that") {
  KernelRecord record;
  record.source = "__kernel void f() {}\n";
  record.build_options = "-cl-mad-enable";
  const std::string digest = digest_of(record);
  CHECK(digest == digest_of_bytes("-cl-mad-enable\n__kernel void f() {}\n"));
  KernelRecord other = record;
  other.name = "other";
  other.tile.m = 8;
  CHECK(digest_of(other) == digest);
  other.build_options.clear();
  CHECK(digest_of(other) != digest);
}

}  // namespace
}  // namespace tilewright

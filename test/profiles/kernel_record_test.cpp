#include "profiles/kernel_record.hpp"

#include "catch.hpp"
#include "profiles/digest.hpp"

namespace tilewright {
namespace {

TEST_CASE("every enumerator has a word, and every word an enumerator") {
  for (const Role role :
       {Role::kGemm, Role::kGemv, Role::kPack, Role::kReduce, Role::kActivation, Role::kSoftmax}) {
    CHECK(parse_role(to_text(role)) == role);
  }
  for (const Layout& layout : {Layout::R(), Layout::C()}) {
    CHECK(parse_layout(to_text(layout)) == layout);
  }
  for (const IdOrder order : {IdOrder::kNM, IdOrder::kMN, IdOrder::kFlat}) {
    CHECK(parse_id_order(to_text(order)) == order);
  }
  for (const Epilogue epilogue : {Epilogue::kNone, Epilogue::kAlphaBeta}) {
    CHECK(parse_epilogue(to_text(epilogue)) == epilogue);
  }
  for (const Dimension dimension : {Dimension::kNone, Dimension::kM, Dimension::kN}) {
    CHECK(parse_dimension(to_text(dimension)) == dimension);
  }
  for (const ActivationDescription& each : kActivations) {
    if (each.activation == Activation::kSoftmax) continue;  // a role, not an activation of kernels
    CHECK(parse_activation(to_text(each.activation)) == each.activation);
  }
  CHECK_FALSE(parse_activation("softmax"));
  CHECK_FALSE(parse_activation("-"));
  for (const Edges edges : {Edges::kGuarded, Edges::kPadded}) {
    CHECK(parse_edges(to_text(edges)) == edges);
  }
  CHECK(to_text(Role::kPack) == "pack");
  CHECK(to_text(Layout::C()) == "C");
  CHECK(to_text(IdOrder::kMN) == "mn");
  CHECK(to_text(Epilogue::kAlphaBeta) == "alpha_beta");
  CHECK_FALSE(parse_role("GEMM"));
  CHECK_FALSE(parse_layout(""));
  CHECK_FALSE(parse_id_order("nm "));
  CHECK_FALSE(parse_epilogue("bias"));
  CHECK_FALSE(parse_dimension("k"));
  CHECK_FALSE(parse_activation(""));
  CHECK_FALSE(parse_edges("clamped"));
}

TEST_CASE("images are named by their letters, in order") {
  for (const std::string text : {"", "a", "b", "c", "ab", "ac", "bc", "abc"}) {
    const auto images = parse_images(text);
    REQUIRE(images);
    CHECK(to_text(*images) == text);
    CHECK(images->a == (text.find('a') != std::string::npos));
  }
  for (const char* text : {"ba", "aa", "d", "a b", "A"}) CHECK_FALSE(parse_images(text));
}

TEST_CASE("a product is named by the layouts of its operands") {
  CHECK(op_from_layouts(Layout::R(), Layout::R()) == Op::kNN);
  CHECK(op_from_layouts(Layout::R(), Layout::C()) == Op::kNT);
  CHECK(op_from_layouts(Layout::C(), Layout::R()) == Op::kTN);
  CHECK(op_from_layouts(Layout::C(), Layout::C()) == Op::kTT);
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    CAPTURE(to_text(op));
    CHECK(op_from_layouts(op_layout_a(op), op_layout_b(op)) == op);
    CHECK(parse_op(to_text(op)) == op);
  }
  CHECK_FALSE(parse_op("nn"));
}

TEST_CASE("a digest is XXH3-128 as xxhsum prints it") {
  CHECK(digest_bytes("") == "xxh3-99aa06d3014798d86001c324468d497f");
  CHECK(digest_bytes("a") != digest_bytes("b"));
  CHECK(digest_bytes(std::string_view("\0", 1)) != digest_bytes(""));
}

TEST_CASE("the digest of a record covers exactly what the driver compiles") {
  KernelRecord record;
  record.source = "__kernel void f() {}\n";
  record.build_options = "-cl-mad-enable";
  const std::string code = compute_code_digest(record);
  KernelRecord commented = record;
  commented.source = "// tilewright 0.2.0\n" + commented.source + "  /* end */\n";
  CHECK(compute_code_digest(commented) == code);
  commented.source += "x";
  CHECK(compute_code_digest(commented) != code);
  const std::string digest = compute_digest(record);
  CHECK(digest == digest_bytes("-cl-mad-enable\n__kernel void f() {}\n"));
  KernelRecord other = record;
  other.name = "other";
  other.tile.m = 8;
  CHECK(compute_digest(other) == digest);
  other.build_options.clear();
  CHECK(compute_digest(other) != digest);
}

}  // namespace
}  // namespace tilewright

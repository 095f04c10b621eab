// Tests complex products that are planned, packed and executed in steps, also in C.
#include "runtime/api/plan.hpp"

#include <vector>

#include "api/c_open.hpp"
#include "complex_case.hpp"

namespace tilewright {
namespace {

COMPLEX_TEST(plans_with_packed_operands) {
  LibraryHandle library = open_builtin(d);
  unsigned seed = 0;
  for (const Transpose ta : kAllTransposes) {
    for (const Transpose tb : kAllTransposes) {
      for (const std::size_t shape : {1, 2, 7}) {
        ++seed;
        const GemmCall call = complex_call<Element>(kComplexShapes[shape], ta, tb, seed);
        const BlasCaseOf<Element> test(call, seed % 2, 1, seed);
        const Matrix a = upload(d, test.a);
        const Matrix b = upload(d, test.b);
        const Plan plan = Plan(library, call, a, b, upload(d, test.c));
        const PackedMatrix packed_a = plan.pack(Operand::kA, d.queue, a);
        const PackedMatrix packed_b = plan.pack(Operand::kB, d.queue, b);
        CHECK(packed_b.bytes == plan.needs(Operand::kB).bytes);
        const GemmOperand lefts[] = {a, packed_a};
        const GemmOperand rights[] = {b, packed_b};
        for (const int which : {0, 1, 2, 3}) {
          const Matrix c = upload(d, test.c);
          const cl::Event done =
              plan.execute(d.queue, lefts[which / 2], rights[which % 2], c, call.alpha, call.beta);
          INFO("case " << seed << "." << which);
          CHECK(test.wrong(download<Element>(d, c, {done})) == "");
        }
      }
    }
  }
}

COMPLEX_TEST(packing_into_the_callers_buffer) {
  LibraryHandle library = open_builtin(d);
  GemmCall call{.m = 33, .n = 18, .k = 20, .alpha = {0.0, 1.0}, .type = TraitsOf<Element>::kType};
  const BlasCaseOf<Element> test(call, 0, 0, 1);
  const Plan plan = Plan(library, call);
  REQUIRE(plan.needs(Operand::kB).packed);
  const std::size_t before = kMemoryMultiple;
  const cl::Buffer into(d.context, CL_MEM_READ_WRITE, plan.needs(Operand::kB).bytes + before);
  const PackedMatrix packed =
      plan.pack(Operand::kB, d.queue, upload(d, test.b), {}, {into, before});
  const Matrix c = upload(d, test.c);
  const cl::Event done = plan.execute(d.queue, upload(d, test.a), packed, c, call.alpha, call.beta);
  CHECK(test.wrong(download<Element>(d, c, {done})) == "");
  // With the size of the matrix, this offset would overflow.
  const std::size_t wraps = ~std::size_t{0} - before + 1;
  CHECK(error_status([&] {
          plan.pack(Operand::kB, d.queue, upload(d, test.b), {}, {into, wraps});
        }) == TW_INSUFFICIENT_PACKED_BUFFER);
  // Too few bytes.
  CHECK(error_status([&] {
          plan.pack(Operand::kB, d.queue, upload(d, test.b), {}, {into, 2 * before});
        }) == TW_INSUFFICIENT_PACKED_BUFFER);
}

COMPLEX_TEST(what_was_converted_in_another_way_is_refused) {
  LibraryHandle library = open_builtin(d);
  GemmCall call{.m = 16, .n = 16, .k = 16, .type = TraitsOf<Element>::kType};
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 256 * sizeof(Element));
  const Matrix matrix{buffer, 0, 16};
  const Plan plain = Plan(library, call);
  call.trans_a = Transpose::kConjugate;
  call.trans_b = Transpose::kConjugate;
  const Plan conjugated = Plan(library, call);
  const PackedMatrix packed = plain.pack(Operand::kB, d.queue, matrix);
  CHECK(error_status([&] { conjugated.execute(d.queue, matrix, packed, matrix); }) ==
        TW_WRONG_LAYOUT);
  // The real product that computes it does not accept the operand either.
  GemmCall real{.m = 16, .n = 32, .k = 32};
  real.type =
      sizeof(Element) == sizeof(std::complex<float>) ? ElementType::kFloat : ElementType::kDouble;
  const cl::Buffer wide(d.context, CL_MEM_READ_WRITE, 1024 * sizeof(Element));
  const Plan of_reals = Plan(library, real);
  CHECK(error_status([&] {
          of_reals.execute(d.queue, Matrix{wide, 0, 32}, packed, {wide, 0, 32});
        }) == TW_WRONG_LAYOUT);
}

TEST_CASE("complex: the C functions") {
  const TestDevice d;
  const OpenLibrary open(d);
  GemmCall call{.m = 13, .n = 9, .k = 21, .alpha = {0.5, -1.0}, .beta = {0.75, 0.25}};
  call.trans_a = Transpose::kConjugate;
  call.type = ElementType::kComplexFloat;
  const BlasCaseOf<std::complex<float>> test(call, 3, 2, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const tw_scalar alpha = {0.5, -1.0};
  const tw_scalar beta = {0.75, 0.25};
  cl_event event = nullptr;
  REQUIRE(tw_cgemm(open.library, d.queue(), TW_ROW_MAJOR, TW_CONJ_TRANS, TW_NO_TRANS, 13, 9, 21,
                   alpha, a.buffer(), a.offset, a.ld, b.buffer(), b.offset, b.ld, beta, c.buffer(),
                   c.offset, c.ld, 0, nullptr, &event) == TW_SUCCESS);
  CHECK(test.wrong(download<std::complex<float>>(d, c, {cl::Event(event)})) == "");
  const tw_gemm_desc desc = to_c(call);
  const CMatrix c_a = to_c(a);
  const CMatrix c_b = to_c(b);
  const CMatrix c_c = to_c(c);
  tw_plan* plan = nullptr;
  REQUIRE(tw_plan_create(open.library, &desc, &c_a, &c_b, &c_c, &plan) == TW_SUCCESS);
  tw_packed* packed = nullptr;
  REQUIRE(tw_pack(plan, d.queue(), TW_OPERAND_B, &c_b, nullptr, 0, nullptr, &packed, nullptr) ==
          TW_SUCCESS);
  const Matrix again = upload(d, test.c);
  const CMatrix c_again = to_c(again);
  const tw_matrix weights = tw_make_packed_matrix(packed);
  REQUIRE(tw_execute(plan, d.queue(), desc.alpha, &c_a, &weights, desc.beta, &c_again, nullptr, 0,
                     nullptr, &event) == TW_SUCCESS);
  CHECK(test.wrong(download<std::complex<float>>(d, again, {cl::Event(event)})) == "");
  tw_packed_free(packed);
  tw_plan_free(plan);
  char* text = nullptr;
  REQUIRE(tw_explain(open.library, &desc, nullptr, nullptr, nullptr, &text) == TW_SUCCESS);
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("real product"));
  tw_text_free(text);
}

}  // namespace
}  // namespace tilewright

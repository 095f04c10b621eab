// Tests objects of the public interface that were moved from: every function throws, and they can
// be assigned to.
#include "runtime/api/plan.hpp"
#include "runtime/network/mlp.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "network/mlp_case.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

constexpr GemmCall kCall{.m = 4, .n = 4, .k = 4};

using Uses = std::vector<std::function<void()>>;

void check_refused(const Uses& uses) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    INFO("use " << i);
    CHECK(error_status(uses[i]) == TW_INVALID_VALUE);
  }
}

TEST_CASE("a library that was moved from") {
  const TestDevice d;
  Library library = builtin(d);
  Library other = std::move(library);
  const Matrix x = upload(d, BlasCase(kCall, 0, 0, 1).c);
  const StridedMatrices strided{x.buffer, 0, 4, 4};
  const ListedMatrices listed{x.buffer, {0}, 4};
  const MlpModel model{{affine(4, 4, true, 1)}};
  GemmCall empty = kCall;
  empty.m = 0;
  check_refused(
      {[&] { library.profile_origin(); }, [&] { library.gemm(d.queue, kCall, x, x, x); },
       [&] { library.gemm(d.queue, empty, x, x, x); },
       [&] {
         library.gemv(d.queue, {.m = 4, .n = 4}, x, {x.buffer, 0, 1}, {x.buffer, 0, 1});
       },
       [&] { library.gemm_strided_batched(d.queue, kCall, strided, strided, strided, 0); },
       [&] { library.gemm_batched(d.queue, kCall, listed, listed, listed); },
       [&] { library.plan(kCall); }, [&] { library.plan(empty); }, [&] { library.explain(kCall); },
       [&] { library.explain(empty); }, [&] { library.explain_all(empty); },
       [&] { library.kernels_for(empty); }, [&] { Mlp(library, model); }});
  library = std::move(other);
  CHECK_FALSE(library.profile_origin().empty());
}

TEST_CASE("a plan and a packed matrix that were moved from") {
  const TestDevice d;
  Library library = make_library(d, panels());
  const BlasCase test(kCall, 0, 0, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  Plan plan = library.plan(kCall);
  PackedMatrix packed = plan.pack_b(d.queue, b);
  Plan plan_now = std::move(plan);
  PackedMatrix packed_now = std::move(packed);
  check_refused(
      {[&] { plan.kernel(); }, [&] { plan.reason(); }, [&] { plan.needs_a(); },
       [&] { plan.needs_b(); }, [&] { plan.workspace_bytes(); }, [&] { plan.pack_a(d.queue, a); },
       [&] {
         plan.pack_b(d.queue, b, {b.buffer, 0});
       },
       [&] { plan.execute(d.queue, a, b, c); }, [&] { packed.operand(); }, [&] { packed.rows(); },
       [&] { packed.columns(); }, [&] { packed.layout(); }, [&] { packed.bytes(); },
       [&] { packed.ready(); }, [&] { plan_now.execute(d.queue, a, packed, c); }});
  plan = std::move(plan_now);
  packed = std::move(packed_now);
  CHECK(test.wrong(download(d, c, {plan.execute(d.queue, a, packed, c)})) == "");
}

TEST_CASE("a network that was moved from") {
  const TestDevice d;
  Mlp net(builtin(d), {{affine(4, 4, true, 1)}});
  Mlp other = std::move(net);
  const Matrix x = upload(d, BlasCase(kCall, 0, 0, 1).c);
  check_refused({[&] { net.element_type(); }, [&] { net.inputs(); }, [&] { net.outputs(); },
                 [&] { net.prepare(d.queue, 4); }, [&] { net.workspace_bytes(4); },
                 [&] { net.describe(4); }, [&] { net.forward(d.queue, x, x, 4); }});
  net = std::move(other);
  CHECK(net.inputs() == 4);
}

}  // namespace
}  // namespace tilewright

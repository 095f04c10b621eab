// Batches on a device, through the library and through the C API.
#include <functional>

#include "blas_case.hpp"
#include "catch.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kProducts = 3;

// Products of one shape whose matrices lie one behind the other in one buffer each.
struct BatchCase {
  GemmCall call;
  std::vector<BlasCase> products;
  StridedMatrices a, b, c;
  std::size_t size_c = 0;

  BatchCase(const TestDevice& d, const GemmCall& gemm_call) : call(gemm_call) {
    for (unsigned i = 0; i < kProducts; ++i) products.emplace_back(call, 2, 1, i + 1);
    a = upload_all(d, &BlasCase::a);
    b = upload_all(d, &BlasCase::b);
    c = upload_all(d, &BlasCase::c);
    size_c = products[0].c.data.size();
  }

  StridedMatrices upload_all(const TestDevice& d, StoredMatrix BlasCase::*operand) const {
    StoredMatrix all = products[0].*operand;
    const std::size_t stride = all.data.size();
    all.data.clear();
    for (const BlasCase& product : products) {
      const std::vector<float>& data = (product.*operand).data;
      all.data.insert(all.data.end(), data.begin(), data.end());
    }
    const Matrix matrix = upload(d, all);
    return {matrix.buffer, matrix.offset, matrix.ld, stride};
  }

  // What is wrong with C after the event.
  std::string wrong(const TestDevice& d, const cl::Event& done) const {
    const std::vector<float> got = download(d, {c.buffer, c.offset, c.ld}, {done});
    for (std::size_t i = 0; i < kProducts; ++i) {
      const auto begin = got.begin() + static_cast<std::ptrdiff_t>(i * size_c);
      const std::string message =
          products[i].wrong({begin, begin + static_cast<std::ptrdiff_t>(size_c)});
      if (!message.empty()) return "product " + std::to_string(i) + ": " + message;
    }
    return "";
  }
};

ListedMatrices listed(const StridedMatrices& all) {
  ListedMatrices list{all.buffer, {}, all.ld};
  for (std::size_t i = 0; i < kProducts; ++i) list.offsets.push_back(all.offset + i * all.stride);
  return list;
}

GemmCall small_call(Order order, float beta = 0.5f) {
  return {.m = 13,
          .n = 9,
          .k = 21,
          .alpha = 1.5f,
          .beta = beta,
          .trans_a = Transpose::kYes,
          .order = order};
}

tw_status status_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.status();
  }
  return TW_SUCCESS;
}

TEST_CASE("batches by strides and by lists give the BLAS result, in queues of either kind") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  const cl::CommandQueue out_of_order(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (const cl::CommandQueue& queue : {d.queue, out_of_order}) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      const BatchCase strided(d, small_call(order));
      CHECK(strided.wrong(d, library.sgemm_strided_batched(queue, strided.call, strided.a,
                                                           strided.b, strided.c, kProducts)) == "");
      const BatchCase lists(d, small_call(order));
      CHECK(lists.wrong(d, library.sgemm_batched(queue, lists.call, listed(lists.a),
                                                 listed(lists.b), listed(lists.c))) == "");
    }
  }
}

TEST_CASE("a batch waits for its events, and its event is that of all products") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kProducts}) {
    const BatchCase test(d, small_call(Order::kRowMajor));
    cl::UserEvent gate(d.context);
    const cl::Event done =
        library.sgemm_strided_batched(d.queue, test.call, test.a, test.b, test.c, count, {gate});
    d.queue.flush();
    CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    done.wait();
    if (count == kProducts) CHECK(test.wrong(d, done) == "");
  }
}

TEST_CASE("a batch with one bad product enqueues none") {
  const TestDevice d;
  Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  const BatchCase test(d, small_call(Order::kRowMajor));
  const auto before = download(d, {test.c.buffer, 0, 1}, {});
  const auto strided = [&](const StridedMatrices& a, const StridedMatrices& b,
                           const StridedMatrices& c, std::size_t count = kProducts) {
    return status_of([&] { library.sgemm_strided_batched(d.queue, test.call, a, b, c, count); });
  };
  const auto longer = [](StridedMatrices x) {
    ++x.stride;
    return x;
  };
  CHECK(strided(longer(test.a), test.b, test.c) == TW_INSUFFICIENT_BUFFER_A);
  CHECK(strided(test.a, longer(test.b), test.c) == TW_INSUFFICIENT_BUFFER_B);
  CHECK(strided(test.a, test.b, longer(test.c)) == TW_INSUFFICIENT_BUFFER_C);
  CHECK(strided(test.a, test.b, test.c, kProducts + 1) == TW_INSUFFICIENT_BUFFER_A);
  CHECK(strided(test.a, test.b, test.c, std::size_t(-1)) == TW_INSUFFICIENT_BUFFER_A);
  StridedMatrices overwritten = test.c;
  overwritten.stride = 0;
  CHECK(strided(test.a, test.b, overwritten) == TW_INVALID_VALUE);
  ListedMatrices far_away = listed(test.b);
  far_away.offsets.back() += 1;
  CHECK(status_of([&] {
          library.sgemm_batched(d.queue, test.call, listed(test.a), far_away, listed(test.c));
        }) == TW_INSUFFICIENT_BUFFER_B);
  const auto after = download(d, {test.c.buffer, 0, 1}, {});
  CHECK(std::memcmp(before.data(), after.data(), before.size() * sizeof(float)) == 0);
}

TEST_CASE("batches through the C API") {
  const TestDevice d;
  tw_library* library = nullptr;
  REQUIRE(tw_open(d.context(), d.device(), nullptr, &library) == TW_SUCCESS);
  const BatchCase test(d, small_call(Order::kRowMajor));
  cl_event event = nullptr;
  REQUIRE(tw_sgemm_strided_batched(library, d.queue(), TW_ROW_MAJOR, TW_TRANS, TW_NO_TRANS, 13, 9,
                                   21, 1.5f, test.a.buffer(), test.a.offset, test.a.ld,
                                   test.a.stride, test.b.buffer(), test.b.offset, test.b.ld,
                                   test.b.stride, 0.5f, test.c.buffer(), test.c.offset, test.c.ld,
                                   test.c.stride, kProducts, 0, nullptr, &event) == TW_SUCCESS);
  CHECK(test.wrong(d, cl::Event(event)) == "");

  const BatchCase lists(d, small_call(Order::kRowMajor));
  const std::vector<float> alphas(kProducts, 1.5f);
  const std::vector<float> betas(kProducts, 0.5f);
  const auto a = listed(lists.a).offsets;
  const auto b = listed(lists.b).offsets;
  const auto c = listed(lists.c).offsets;
  const auto call = [&](const std::size_t* offsets_a, std::size_t count) {
    return tw_sgemm_batched(library, d.queue(), TW_ROW_MAJOR, TW_TRANS, TW_NO_TRANS, 13, 9, 21,
                            alphas.data(), lists.a.buffer(), offsets_a, lists.a.ld,
                            lists.b.buffer(), b.data(), lists.b.ld, betas.data(), lists.c.buffer(),
                            c.data(), lists.c.ld, count, 0, nullptr, &event);
  };
  CHECK(call(nullptr, kProducts) == TW_INVALID_VALUE);
  CHECK(std::string(tw_last_error()) == "offsets_a is null");
  REQUIRE(call(a.data(), kProducts) == TW_SUCCESS);
  CHECK(lists.wrong(d, cl::Event(event)) == "");
  REQUIRE(call(nullptr, 0) == TW_SUCCESS);
  cl::Event(event).wait();
  tw_close(library);
}

}  // namespace
}  // namespace tilewright

// Tests batches on a device, with the C++ and the C API.
#include <functional>
#include <limits>

#include "api/c_open.hpp"
#include "blas_case.hpp"
#include "catch.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kProducts = 3;

// Products of one shape whose matrices are consecutive in one buffer each.
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

  // Returns the first error in C after the event, or "".
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

tw_status thrown_status(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.status();
  }
  return TW_SUCCESS;
}

TEST_CASE("strided and listed batches give the result of BLAS, in both kinds of queues") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const cl::CommandQueue out_of_order(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (const cl::CommandQueue& queue : {d.queue, out_of_order}) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      const BatchCase strided(d, small_call(order));
      CHECK(strided.wrong(d, library->gemm_strided_batched(queue, strided.call, strided.a,
                                                           strided.b, strided.c, kProducts)) == "");
      const BatchCase lists(d, small_call(order));
      CHECK(lists.wrong(d, library->gemm_batched(queue, lists.call, listed(lists.a),
                                                 listed(lists.b), listed(lists.c))) == "");
    }
  }
}

TEST_CASE("a batch waits for its events, and its event covers all products") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kProducts}) {
    const BatchCase test(d, small_call(Order::kRowMajor));
    cl::UserEvent gate(d.context);
    const cl::Event done =
        library->gemm_strided_batched(d.queue, test.call, test.a, test.b, test.c, count, {gate});
    d.queue.flush();
    CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    done.wait();
    if (count == kProducts) CHECK(test.wrong(d, done) == "");
  }
}

TEST_CASE("a batch with one invalid product enqueues nothing") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const BatchCase test(d, small_call(Order::kRowMajor));
  const auto before = download(d, {test.c.buffer, 0, 1}, {});
  const auto strided = [&](const StridedMatrices& a, const StridedMatrices& b,
                           const StridedMatrices& c, std::size_t count = kProducts) {
    return thrown_status(
        [&] { library->gemm_strided_batched(d.queue, test.call, a, b, c, count); });
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
  CHECK(thrown_status([&] {
          library->gemm_batched(d.queue, test.call, listed(test.a), far_away, listed(test.c));
        }) == TW_INSUFFICIENT_BUFFER_B);
  const auto after = download(d, {test.c.buffer, 0, 1}, {});
  CHECK(std::memcmp(before.data(), after.data(), before.size() * sizeof(float)) == 0);
}

// If each product had its own kernel, the event would belong to a marker after them.
bool is_one_launch(const cl::Event& done) {
  return done.getInfo<CL_EVENT_COMMAND_TYPE>() == CL_COMMAND_NDRANGE_KERNEL;
}

TEST_CASE("a batch of small products is one launch, also as a list with equal distances") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      GemmCall call = small_call(order);
      call.trans_a = ta;
      const BatchCase strided(d, call);
      const cl::Event done =
          library->gemm_strided_batched(d.queue, call, strided.a, strided.b, strided.c, kProducts);
      CHECK(is_one_launch(done));
      CHECK(strided.wrong(d, done) == "");
      const BatchCase lists(d, call);
      const cl::Event listed_done =
          library->gemm_batched(d.queue, call, listed(lists.a), listed(lists.b), listed(lists.c));
      CHECK(is_one_launch(listed_done));
      CHECK(lists.wrong(d, listed_done) == "");
    }
  }
}

TEST_CASE("a batch with more products than a grid can have is split into several launches") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  constexpr std::size_t kMany = 65535 + 2;
  std::vector<float> a(kMany);
  for (std::size_t i = 0; i < kMany; ++i) a[i] = static_cast<float>(i);
  // With gaps, so that it is not equivalent to a single product.
  std::vector<float> b(2 * kMany, 3.0f);
  cl::Buffer at_a(d.context, CL_MEM_COPY_HOST_PTR, a.size() * sizeof(float), a.data());
  cl::Buffer at_b(d.context, CL_MEM_COPY_HOST_PTR, b.size() * sizeof(float), b.data());
  const cl::Buffer at_c(d.context, CL_MEM_READ_WRITE, kMany * sizeof(float));
  const cl::Event done = library->gemm_strided_batched(
      d.queue, {.m = 1, .n = 1, .k = 1}, {at_a, 0, 1, 1}, {at_b, 0, 1, 2}, {at_c, 0, 1, 1}, kMany);
  CHECK_FALSE(is_one_launch(done));
  const std::vector<float> c = download(d, {at_c, 0, 1}, {done});
  REQUIRE(c.size() >= kMany);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kMany; ++i) wrong += c[i] == 3.0f * static_cast<float>(i) ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("products of a list in any order, with individual scalars, are correct") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const BatchCase test(d, small_call(Order::kRowMajor));
  ListedMatrices a = listed(test.a);
  ListedMatrices b = listed(test.b);
  ListedMatrices c = listed(test.c);
  for (ListedMatrices* list : {&a, &b, &c}) std::swap(list->offsets[0], list->offsets[2]);
  CHECK(test.wrong(d, library->gemm_batched(d.queue, test.call, a, b, c)) == "");
}

// A batch in which all products share B (or A), and the other matrices are parts of one matrix
// each.
void check_one_launch(const TestDevice& d, GemmCall call, bool along_m) {
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  GemmCall whole = call;
  (along_m ? whole.m : whole.n) *= kProducts;
  const BlasCase test(whole, 2, 3, 1);
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const bool rows = call.order == Order::kRowMajor;
  const auto part = [&](const Matrix& matrix, std::size_t extent, bool lines) {
    return StridedMatrices{matrix.buffer, matrix.offset, matrix.ld,
                           extent * (lines ? matrix.ld : 1)};
  };
  StridedMatrices parts_a{a.buffer, a.offset, a.ld, 0};
  StridedMatrices parts_b{b.buffer, b.offset, b.ld, 0};
  if (along_m) {
    parts_a = part(a, call.m, rows == (call.trans_a == Transpose::kNo));
  } else {
    parts_b = part(b, call.n, rows != (call.trans_b == Transpose::kNo));
  }
  const StridedMatrices parts_c = along_m ? part(c, call.m, rows) : part(c, call.n, !rows);
  const cl::Event done =
      library->gemm_strided_batched(d.queue, call, parts_a, parts_b, parts_c, kProducts);
  CHECK(is_one_launch(done));
  CHECK(test.wrong(download(d, c, {done})) == "");
}

TEST_CASE("batches of empty products may have any number of products") {
  const TestDevice d;
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 64 * sizeof(float));
  const GemmCall nothing{.m = 0, .n = 8, .k = 8};
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  library
      ->gemm_strided_batched(d.queue, nothing, {buffer, 0, 8, 1}, {buffer, 0, 8, 1},
                             {buffer, 0, 8, 1}, most)
      .wait();
  CHECK_THROWS_AS(library->gemm_strided_batched(d.queue, nothing, {buffer, 0, 8, 1},
                                                {buffer, 0, 8, 1}, {buffer, 0, 8, 0}, most),
                  Error);
}

TEST_CASE("a batch that is equivalent to one product is one launch") {
  const TestDevice d;
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        for (const bool along_m : {true, false}) {
          INFO(static_cast<int>(order)
               << " " << static_cast<int>(ta) << " " << static_cast<int>(tb) << " " << along_m);
          check_one_launch(d,
                           {.m = 6,
                            .n = 5,
                            .k = 7,
                            .alpha = 1.5f,
                            .beta = 0.5f,
                            .trans_a = ta,
                            .trans_b = tb,
                            .order = order},
                           along_m);
        }
      }
    }
  }
}

TEST_CASE("C: batches with strides, with lists, and with both") {
  const TestDevice d;
  const OpenLibrary open(d);
  const GemmCall call = small_call(Order::kRowMajor);
  tw_gemm_desc desc = to_c(call);
  desc.batch_count = kProducts;
  cl_event event = nullptr;
  const BatchCase test(d, call);
  CMatrix a = to_c(test.a);
  CMatrix b = to_c(test.b);
  CMatrix c = to_c(test.c);
  const auto gemm = [&] {
    return tw_gemm(open.library, d.queue(), &desc, &a, &b, &c, 0, nullptr, &event);
  };
  REQUIRE(gemm() == TW_SUCCESS);
  CHECK(test.wrong(d, cl::Event(event)) == "");

  // Offsets are added to the offset of the matrix.
  const BatchCase lists(d, call);
  a = to_c(lists.a);
  b = to_c(lists.b);
  c = to_c(lists.c);
  std::vector<std::size_t> offsets = listed(lists.a).offsets;
  for (std::size_t& offset : offsets) offset -= lists.a.offset;
  a.offsets = offsets.data();
  const std::vector<tw_scalar> alphas(kProducts, desc.alpha);
  const std::vector<tw_scalar> betas(kProducts, desc.beta);
  desc.alpha = desc.beta = {7.0, 0.0};
  desc.alphas = alphas.data();
  desc.betas = betas.data();
  REQUIRE(gemm() == TW_SUCCESS);
  CHECK(lists.wrong(d, cl::Event(event)) == "");

  c.stride = 0;
  CHECK(gemm() == TW_INVALID_VALUE);
  c.stride = SIZE_MAX;
  CHECK(gemm() == TW_INSUFFICIENT_BUFFER_C);
  desc.batch_count = 0;
  REQUIRE(gemm() == TW_SUCCESS);
  cl::Event(event).wait();
}

}  // namespace
}  // namespace tilewright

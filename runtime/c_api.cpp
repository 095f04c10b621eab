// The C API: a thin border around Library. Exceptions become a status here, and nowhere else.
#include <tilewright/tilewright.h>

#include <new>

#include <tilewright/library.hpp>
#include <tilewright/plan.hpp>

struct tw_library {
  tilewright::Library library;
};

struct tw_plan {
  tilewright::Plan plan;
};

struct tw_packed {
  tilewright::PackedMatrix matrix;
};

namespace {

using tilewright::Error;

std::string& last_error() {
  thread_local std::string message;  // tw_last_error() is per thread by contract
  return message;
}

// Keeps the message as far as memory allows: an application that runs out of it must still get its
// status.
void remember(const char* message) noexcept {
  try {
    last_error() = message;
  } catch (...) {
    last_error().clear();
  }
}

// Runs `body` and turns what it throws into a status and this thread's last error.
template <class Body>
tw_status guarded(Body&& body) noexcept {
  try {
    last_error().clear();
    body();
    return TW_SUCCESS;
  } catch (const Error& error) {
    remember(error.what());
    return error.status();
  } catch (const std::bad_alloc&) {
    remember("no memory left");
    return TW_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    remember(error.what());
    return TW_INTERNAL;
  } catch (...) {
    remember("internal error");
    return TW_INTERNAL;
  }
}

void require(bool holds, const char* message) {
  if (!holds) throw Error(TW_INVALID_VALUE, message);
}

// The caller's handle with a reference of our own.
template <class Wrapper, class Handle>
Wrapper retained(Handle handle) {
  return Wrapper(handle, true);
}

std::vector<cl::Event> events_of(cl_uint count, const cl_event* events) {
  require((count == 0) == (events == nullptr), "num_wait and wait contradict each other");
  std::vector<cl::Event> result;
  for (cl_uint i = 0; i < count; ++i) {
    result.push_back(retained<cl::Event>(events[i]));
  }
  return result;
}

tilewright::GemmCall call_of(tw_layout layout, tw_transpose trans_a, tw_transpose trans_b, size_t m,
                             size_t n, size_t k, float alpha, float beta) {
  return {m,
          n,
          k,
          alpha,
          beta,
          static_cast<tilewright::Transpose>(trans_a),
          static_cast<tilewright::Transpose>(trans_b),
          static_cast<tilewright::Order>(layout)};
}

template <class Value>
std::vector<Value> list_of(const char* name, const Value* values, size_t count) {
  if (count != 0 && values == nullptr) {
    throw Error(TW_INVALID_VALUE, std::string(name) + " is null");
  }
  return {values, values + count};
}

// The reference becomes the caller's, if he wants it.
void hand_over(cl::Event done, cl_event* event) {
  if (event == nullptr) return;
  *event = done();
  done() = nullptr;
}

tilewright::Matrix matrix_of(cl_mem buffer, size_t offset, size_t ld) {
  return {retained<cl::Buffer>(buffer), offset, ld};
}

tilewright::GemmOperand operand_of(cl_mem buffer, size_t offset, size_t ld,
                                   const tw_packed* packed) {
  if (packed != nullptr) return packed->matrix;
  return matrix_of(buffer, offset, ld);
}

tw_status pack(tilewright::Operand operand, const tw_plan* plan, cl_command_queue queue,
               const cl_mem matrix, size_t offset, size_t ld, cl_mem into, size_t offset_into,
               cl_uint num_wait, const cl_event* wait, tw_packed** out, cl_event* event) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(plan != nullptr, "the plan is null");
    const bool a = operand == tilewright::Operand::kA;
    const std::vector<cl::Event> wait_list = events_of(num_wait, wait);
    const tilewright::Matrix from = matrix_of(matrix, offset, ld);
    const auto on = retained<cl::CommandQueue>(queue);
    const tilewright::Plan& with = plan->plan;
    const auto packed = [&] {
      if (into == nullptr) {
        return a ? with.pack_a(on, from, wait_list) : with.pack_b(on, from, wait_list);
      }
      const tilewright::PackInto place{retained<cl::Buffer>(into), offset_into};
      return a ? with.pack_a(on, from, place, wait_list) : with.pack_b(on, from, place, wait_list);
    };
    *out = new tw_packed{packed()};
    hand_over((*out)->matrix.ready(), event);
  });
}

}  // namespace

tw_status tw_open(cl_context context, cl_device_id device, const char* profile_path_or_null,
                  tw_library** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(context != nullptr, "the context is null");
    require(device != nullptr, "the device is null");
    const auto source = profile_path_or_null == nullptr
                            ? tilewright::ProfileSource::automatic()
                            : tilewright::ProfileSource::file(profile_path_or_null);
    *out = new tw_library{tilewright::Library::open(retained<cl::Context>(context),
                                                    retained<cl::Device>(device), source)};
  });
}

void tw_close(tw_library* library) {
  delete library;
}

const char* tw_profile_origin(const tw_library* library) {
  return library == nullptr ? "" : library->library.profile_origin().c_str();
}

tw_status tw_sgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                   tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                   float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b, size_t offset_b,
                   size_t ldb, float beta, cl_mem c, size_t offset_c, size_t ldc, cl_uint num_wait,
                   const cl_event* wait, cl_event* event) {
  return guarded([&] {
    require(library != nullptr, "the library is null");
    const std::vector<cl::Event> wait_list = events_of(num_wait, wait);
    const auto call = call_of(layout, trans_a, trans_b, m, n, k, alpha, beta);
    cl::Event done = library->library.sgemm(retained<cl::CommandQueue>(queue), call,
                                            {retained<cl::Buffer>(a), offset_a, lda},
                                            {retained<cl::Buffer>(b), offset_b, ldb},
                                            {retained<cl::Buffer>(c), offset_c, ldc}, wait_list);
    hand_over(std::move(done), event);
  });
}

tw_status tw_sgemm_strided_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                   tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                   size_t k, float alpha, cl_mem a, size_t offset_a, size_t lda,
                                   size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                   size_t stride_b, float beta, cl_mem c, size_t offset_c,
                                   size_t ldc, size_t stride_c, size_t count, cl_uint num_wait,
                                   const cl_event* wait, cl_event* event) {
  return guarded([&] {
    require(library != nullptr, "the library is null");
    const std::vector<cl::Event> wait_list = events_of(num_wait, wait);
    hand_over(library->library.sgemm_strided_batched(
                  retained<cl::CommandQueue>(queue),
                  call_of(layout, trans_a, trans_b, m, n, k, alpha, beta),
                  {retained<cl::Buffer>(a), offset_a, lda, stride_a},
                  {retained<cl::Buffer>(b), offset_b, ldb, stride_b},
                  {retained<cl::Buffer>(c), offset_c, ldc, stride_c}, count, wait_list),
              event);
  });
}

tw_status tw_sgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                           tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                           const float* alphas, cl_mem a, const size_t* offsets_a, size_t lda,
                           cl_mem b, const size_t* offsets_b, size_t ldb, const float* betas,
                           cl_mem c, const size_t* offsets_c, size_t ldc, size_t count,
                           cl_uint num_wait, const cl_event* wait, cl_event* event) {
  return guarded([&] {
    require(library != nullptr, "the library is null");
    const std::vector<cl::Event> wait_list = events_of(num_wait, wait);
    hand_over(library->library.sgemm_batched(
                  retained<cl::CommandQueue>(queue),
                  call_of(layout, trans_a, trans_b, m, n, k, 1.0f, 0.0f),
                  {retained<cl::Buffer>(a), list_of("offsets_a", offsets_a, count), lda},
                  {retained<cl::Buffer>(b), list_of("offsets_b", offsets_b, count), ldb},
                  {retained<cl::Buffer>(c), list_of("offsets_c", offsets_c, count), ldc},
                  {list_of("alphas", alphas, count), list_of("betas", betas, count)}, wait_list),
              event);
  });
}

tw_status tw_plan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                         tw_transpose trans_b, size_t m, size_t n, size_t k, size_t offset_a,
                         size_t lda, size_t offset_b, size_t ldb, float beta, size_t offset_c,
                         size_t ldc, tw_plan** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(library != nullptr, "the library is null");
    const tilewright::GemmCall call{.m = m,
                                    .n = n,
                                    .k = k,
                                    .alpha = 1.0f,
                                    .beta = beta,
                                    .trans_a = static_cast<tilewright::Transpose>(trans_a),
                                    .trans_b = static_cast<tilewright::Transpose>(trans_b),
                                    .order = static_cast<tilewright::Order>(layout)};
    *out = new tw_plan{
        library->library.plan(call, {{}, offset_a, lda}, {{}, offset_b, ldb}, {{}, offset_c, ldc})};
  });
}

void tw_plan_free(tw_plan* plan) {
  delete plan;
}

const char* tw_plan_kernel(const tw_plan* plan) {
  return plan == nullptr ? "" : plan->plan.kernel().c_str();
}

const char* tw_plan_reason(const tw_plan* plan) {
  return plan == nullptr ? "" : plan->plan.reason().c_str();
}

size_t tw_plan_packed_a_bytes(const tw_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.needs_a().bytes;
}

size_t tw_plan_packed_b_bytes(const tw_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.needs_b().bytes;
}

int tw_plan_packed_a_is_image(const tw_plan* plan) {
  return plan != nullptr && plan->plan.needs_a().image ? 1 : 0;
}

int tw_plan_packed_b_is_image(const tw_plan* plan) {
  return plan != nullptr && plan->plan.needs_b().image ? 1 : 0;
}

size_t tw_plan_workspace_bytes(const tw_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.workspace_bytes();
}

tw_status tw_pack_a(const tw_plan* plan, cl_command_queue queue, cl_mem a, size_t offset_a,
                    size_t lda, cl_mem into, size_t offset_into, cl_uint num_wait,
                    const cl_event* wait, tw_packed** out, cl_event* event) {
  return pack(tilewright::Operand::kA, plan, queue, a, offset_a, lda, into, offset_into, num_wait,
              wait, out, event);
}

tw_status tw_pack_b(const tw_plan* plan, cl_command_queue queue, cl_mem b, size_t offset_b,
                    size_t ldb, cl_mem into, size_t offset_into, cl_uint num_wait,
                    const cl_event* wait, tw_packed** out, cl_event* event) {
  return pack(tilewright::Operand::kB, plan, queue, b, offset_b, ldb, into, offset_into, num_wait,
              wait, out, event);
}

void tw_packed_free(tw_packed* packed) {
  delete packed;
}

tw_status tw_execute(const tw_plan* plan, cl_command_queue queue, float alpha, cl_mem a,
                     size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,
                     size_t offset_b, size_t ldb, const tw_packed* packed_b, float beta, cl_mem c,
                     size_t offset_c, size_t ldc, cl_uint num_wait, const cl_event* wait,
                     cl_event* event) {
  return guarded([&] {
    require(plan != nullptr, "the plan is null");
    const std::vector<cl::Event> wait_list = events_of(num_wait, wait);
    hand_over(plan->plan.execute(retained<cl::CommandQueue>(queue),
                            operand_of(a, offset_a, lda, packed_a),
                            operand_of(b, offset_b, ldb, packed_b), matrix_of(c, offset_c, ldc),
                            alpha, beta, wait_list),
         event);
  });
}

const char* tw_status_name(tw_status status) {
  switch (status) {
#define TW_NAME(name) \
  case name:          \
    return #name
    TW_NAME(TW_SUCCESS);
    TW_NAME(TW_INVALID_VALUE);
    TW_NAME(TW_INVALID_DIMENSION);
    TW_NAME(TW_INVALID_LD_A);
    TW_NAME(TW_INVALID_LD_B);
    TW_NAME(TW_INVALID_LD_C);
    TW_NAME(TW_INVALID_BUFFER_A);
    TW_NAME(TW_INVALID_BUFFER_B);
    TW_NAME(TW_INVALID_BUFFER_C);
    TW_NAME(TW_INSUFFICIENT_BUFFER_A);
    TW_NAME(TW_INSUFFICIENT_BUFFER_B);
    TW_NAME(TW_INSUFFICIENT_BUFFER_C);
    TW_NAME(TW_INVALID_QUEUE);
    TW_NAME(TW_NO_PROFILE);
    TW_NAME(TW_BAD_PROFILE);
    TW_NAME(TW_WRONG_DEVICE);
    TW_NAME(TW_BUILD_FAILURE);
    TW_NAME(TW_OUT_OF_MEMORY);
    TW_NAME(TW_OPENCL_ERROR);
    TW_NAME(TW_INTERNAL);
    TW_NAME(TW_WRONG_LAYOUT);
#undef TW_NAME
  }
  return "unknown status";
}

const char* tw_last_error(void) {
  return last_error().c_str();
}

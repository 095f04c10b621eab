// The C API: a thin border around Library. Exceptions become a status here, and nowhere else.
#include <tilewright/tilewright.h>

#include <new>

#include <tilewright/library.hpp>

struct tw_library {
  tilewright::Library library;
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
    const tilewright::GemmCall call{.m = m,
                                    .n = n,
                                    .k = k,
                                    .alpha = alpha,
                                    .beta = beta,
                                    .trans_a = static_cast<tilewright::Transpose>(trans_a),
                                    .trans_b = static_cast<tilewright::Transpose>(trans_b),
                                    .order = static_cast<tilewright::Order>(layout)};
    cl::Event done = library->library.sgemm(retained<cl::CommandQueue>(queue), call,
                                            {retained<cl::Buffer>(a), offset_a, lda},
                                            {retained<cl::Buffer>(b), offset_b, ldb},
                                            {retained<cl::Buffer>(c), offset_c, ldc}, wait_list);
    if (event != nullptr) {
      *event = done();
      done() = nullptr;  // the reference is the caller's now
    }
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
#undef TW_NAME
  }
  return "unknown status";
}

const char* tw_last_error(void) {
  return last_error().c_str();
}

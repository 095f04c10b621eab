// The C API: a thin layer over Library.
#include <tilewright/complex.h>
#include <tilewright/double.h>
#include <tilewright/half.h>

#include <algorithm>
#include <new>

#include "runtime/api/c_api_util.hpp"

namespace tilewright {

LastError& last_error() {
  thread_local LastError error;  // tw_last_error() is specified per thread
  return error;
}

namespace {

// Stores the error; its message if memory allows it. An application that runs out of memory must
// still get its status.
void remember(const char* message, cl_int opencl_code = CL_SUCCESS) noexcept {
  last_error().opencl_code = opencl_code;
  try {
    last_error().message = message;
  } catch (...) {
    last_error().message.clear();
  }
}

ProfileSource make_profile_source(const tw_open_options& options) {
  require(options.profile_path == nullptr || options.profile_text == nullptr,
          "both the path and the text of a profile are given; give only one");
  ProfileSource source = ProfileSource::automatic();
  if (options.profile_path != nullptr) source = ProfileSource::file(options.profile_path);
  if (options.profile_text != nullptr) source = ProfileSource::text(options.profile_text);
  return options.forced != 0 ? source.forced() : source;
}

Log make_log(const tw_open_options& options) {
  if (options.log == nullptr) return nullptr;
  return [log = options.log, user = options.log_user](const std::string& line) {
    log(line.c_str(), user);
  };
}

// `asked` returns the options, or throws.
template <class Asked>
tw_status open_library(cl_context context, cl_device_id device, tw_library** out,
                       const Asked& asked) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(context != nullptr, "the context is null");
    require(device != nullptr, "the device is null");
    const tw_open_options options = asked();
    *out =
        new tw_library{Library::open(retained<cl::Context>(context), retained<cl::Device>(device),
                                     make_profile_source(options), make_log(options))};
  });
}

tw_status explain(tw_library* library, const GemmCall& call, const Matrix& a, const Matrix& b,
                  const Matrix& c, char** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(library != nullptr, "the library is null");
    const std::string text = library->library.explain_all(call, a, b, c);
    *out = new char[text.size() + 1];
    std::copy(text.c_str(), text.c_str() + text.size() + 1, *out);
  });
}

}  // namespace

tw_status exception_status() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    remember(error.what(), error.opencl_code());
    return error.status();
  } catch (const std::bad_alloc&) {
    remember("out of memory");
    return TW_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    remember(error.what());
    return TW_INTERNAL;
  } catch (...) {
    remember("internal error");
    return TW_INTERNAL;
  }
}

std::vector<cl::Event> make_wait_list(cl_uint count, const cl_event* events) {
  require((count == 0) == (events == nullptr),
          "num_wait is 0 but wait is not null, or the reverse");
  std::vector<cl::Event> result;
  result.reserve(count);
  for (cl_uint i = 0; i < count; ++i) {
    result.push_back(retained<cl::Event>(events[i]));
  }
  return result;
}

GemmCall make_gemm_call(tw_layout layout, tw_transpose trans_a, tw_transpose trans_b, size_t m,
                        size_t n, size_t k, std::complex<double> alpha, std::complex<double> beta,
                        ElementType type) {
  return {m,
          n,
          k,
          alpha,
          beta,
          static_cast<Transpose>(trans_a),
          static_cast<Transpose>(trans_b),
          static_cast<Order>(layout),
          type};
}

void release_to_caller(cl::Event done, cl_event* event) {
  if (event == nullptr) return;
  *event = done();
  done() = nullptr;
}

}  // namespace tilewright

using namespace tilewright;

tw_status tw_open(cl_context context, cl_device_id device, const char* profile_path_or_null,
                  tw_library** out) {
  tw_open_options options = {};
  options.profile_path = profile_path_or_null;
  return tw_open_with(context, device, &options, out);
}

tw_status tw_open_forced(cl_context context, cl_device_id device, const char* profile_path_or_null,
                         tw_library** out) {
  tw_open_options options = {};
  options.profile_path = profile_path_or_null;
  options.forced = 1;
  return tw_open_with(context, device, &options, out);
}

tw_status tw_open_text(cl_context context, cl_device_id device, const char* profile_text,
                       tw_library** out) {
  return open_library(context, device, out, [&] {
    require(profile_text != nullptr, "the text of the profile is null");
    tw_open_options options = {};
    options.profile_text = profile_text;
    return options;
  });
}

tw_status tw_open_with(cl_context context, cl_device_id device, const tw_open_options* options,
                       tw_library** out) {
  return open_library(context, device, out, [&] {
    require(options != nullptr, "the options are null");
    return *options;
  });
}

void tw_close(tw_library* library) {
  delete library;
}

const char* tw_profile_origin(const tw_library* library) {
  return library == nullptr ? "" : library->library.profile_origin().c_str();
}

#define TW_EXPLAIN(name, Scalar, type)                                                  \
  tw_status name(tw_library* library, tw_layout layout, tw_transpose trans_a,           \
                 tw_transpose trans_b, size_t m, size_t n, size_t k, Scalar alpha,      \
                 size_t offset_a, size_t lda, size_t offset_b, size_t ldb, Scalar beta, \
                 size_t offset_c, size_t ldc, char** out) {                             \
    return explain(library,                                                             \
                   make_gemm_call(layout, trans_a, trans_b, m, n, k, to_scalar(alpha),  \
                                  to_scalar(beta), type),                               \
                   {{}, offset_a, lda}, {{}, offset_b, ldb}, {{}, offset_c, ldc}, out); \
  }

TW_EXPLAIN(tw_explain, float, ElementType::kFloat)
TW_EXPLAIN(tw_dexplain, double, ElementType::kDouble)
TW_EXPLAIN(tw_hexplain, float, ElementType::kHalf)
TW_EXPLAIN(tw_cexplain, cl_float2, ElementType::kComplexFloat)
TW_EXPLAIN(tw_zexplain, cl_double2, ElementType::kComplexDouble)
#undef TW_EXPLAIN

void tw_text_free(char* text) {
  delete[] text;
}

const char* tw_status_name(tw_status status) {
  switch (status) {
#define TW_NAME(name) \
  case name:          \
    return #name
    TW_NAME(TW_SUCCESS);
    TW_NAME(TW_INVALID_VALUE);
    TW_NAME(TW_INVALID_DIMENSION);
    TW_NAME(TW_INVALID_QUEUE);
    TW_NAME(TW_UNSUPPORTED_TYPE);
    TW_NAME(TW_WRONG_LAYOUT);
    TW_NAME(TW_INVALID_LD_A);
    TW_NAME(TW_INVALID_LD_B);
    TW_NAME(TW_INVALID_LD_C);
    TW_NAME(TW_INVALID_BUFFER_A);
    TW_NAME(TW_INVALID_BUFFER_B);
    TW_NAME(TW_INVALID_BUFFER_C);
    TW_NAME(TW_INSUFFICIENT_BUFFER_A);
    TW_NAME(TW_INSUFFICIENT_BUFFER_B);
    TW_NAME(TW_INSUFFICIENT_BUFFER_C);
    TW_NAME(TW_INVALID_INC_X);
    TW_NAME(TW_INVALID_INC_Y);
    TW_NAME(TW_INVALID_BUFFER_X);
    TW_NAME(TW_INVALID_BUFFER_Y);
    TW_NAME(TW_INSUFFICIENT_BUFFER_X);
    TW_NAME(TW_INSUFFICIENT_BUFFER_Y);
    TW_NAME(TW_INVALID_NETWORK);
    TW_NAME(TW_INVALID_LD_INPUT);
    TW_NAME(TW_INVALID_LD_OUTPUT);
    TW_NAME(TW_INVALID_BUFFER_INPUT);
    TW_NAME(TW_INVALID_BUFFER_OUTPUT);
    TW_NAME(TW_INSUFFICIENT_BUFFER_INPUT);
    TW_NAME(TW_INSUFFICIENT_BUFFER_OUTPUT);
    TW_NAME(TW_INVALID_WORKSPACE);
    TW_NAME(TW_INSUFFICIENT_WORKSPACE);
    TW_NAME(TW_INVALID_PACKED_BUFFER);
    TW_NAME(TW_INSUFFICIENT_PACKED_BUFFER);
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
  return last_error().message.c_str();
}

cl_int tw_last_opencl_code(void) {
  return last_error().opencl_code;
}

int tw_version(void) {
  return TW_VERSION;
}

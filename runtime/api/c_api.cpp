// The C interface: libraries, products and errors.
#include <tilewright/tilewright.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>

#include "runtime/api/c_arguments.hpp"
#include "runtime/api/c_call.hpp"
#include "runtime/api/call_log.h"
#include "runtime/call/queue_owner.hpp"

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

ProfileSource to_profile_source(const tw_options& options) {
  const int num_given = (options.profile_path != nullptr ? 1 : 0) +
                        (options.profile_text != nullptr ? 1 : 0) +
                        (options.built_in_profile != 0 ? 1 : 0);
  require(num_given <= 1, "give only one of profile_path, profile_text and built_in_profile");
  if (options.profile_path != nullptr) return ProfileSource::file(options.profile_path);
  if (options.profile_text != nullptr) return ProfileSource::text(options.profile_text);
  return options.built_in_profile != 0 ? ProfileSource::builtin() : ProfileSource::automatic();
}

// Frees what the log function uses, once the library is open.
class LogUser {
 public:
  LogUser(void* user, tw_log_free free) : user_(user), free_(free) {}
  LogUser(const LogUser&) = delete;
  LogUser& operator=(const LogUser&) = delete;
  ~LogUser() {
    if (is_owner_ && free_ != nullptr) free_(user_);
  }
  void* get() const { return user_; }
  void become_owner() { is_owner_ = true; }

 private:
  void* user_;
  tw_log_free free_;
  bool is_owner_ = false;
};

struct OpenOptions {
  LibraryOptions options;
  std::shared_ptr<LogUser> log_user;  // null: no log function
};

OpenOptions to_open_options(const tw_options* given) {
  constexpr std::size_t kMinSize = offsetof(tw_options, log_user) + sizeof(given->log_user);
  const tw_options defaults = tw_make_options();
  const tw_options options =
      given == nullptr ? defaults : read_struct("options", given, kMinSize, defaults);
  OpenOptions result;
  result.options.source = to_profile_source(options);
  if (options.allow_other_device != 0) result.options.source = result.options.source.forced();
  result.options.cache_folder = options.cache_folder;
  result.options.max_kept_bytes = options.max_kept_bytes;
  if (options.log != nullptr) {
    result.log_user = std::make_shared<LogUser>(options.log_user, options.log_free);
    result.options.log = [log = options.log, user = result.log_user](Severity severity,
                                                                     const std::string& line) {
#ifdef __GLIBCXX__  // if the log function ends its thread, glibc unwinds this call
      log(static_cast<tw_log_severity>(severity), line.c_str(), user->get());
#else
      tilewright_call_log(log, static_cast<tw_log_severity>(severity), line.c_str(), user->get());
#endif
    };
  }
  return result;
}

tw_library* open_library(const cl::Context& context, const cl::Device& device,
                         const tw_options* options) {
  const OpenOptions with = to_open_options(options);
  auto library = std::make_unique<tw_library>(
      tw_library{std::make_shared<Library>(context, device, with.options)});
  if (with.log_user != nullptr) with.log_user->become_owner();
  return library.release();
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
  } catch (const std::length_error&) {  // a container that no memory could hold
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

char* copy_text(const std::string& text) {
  char* const copy = new char[text.size() + 1];
  std::copy(text.c_str(), text.c_str() + text.size() + 1, copy);
  return copy;
}

void release_to_caller(cl::Event done, cl_event* event) {
  if (event == nullptr) return;
  *event = done();
  done() = nullptr;
}

}  // namespace tilewright

using namespace tilewright;

tw_status tw_open(cl_context context, cl_device_id device, const tw_options* options,
                  tw_library** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    *out = open_library(retained<cl::Context>(context), retained<cl::Device>(device), options);
  });
}

tw_status tw_open_for_queue(cl_command_queue queue, const tw_options* options, tw_library** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    const QueueOwner owner = queue_owner(queue);
    *out = open_library(retained<cl::Context>(owner.context), retained<cl::Device>(owner.device),
                        options);
  });
}

void tw_close(tw_library* library) {
  if (library != nullptr && library->library->is_forked())
    return;  // the driver might wait for ever
  delete library;
}

const char* tw_profile_origin(const tw_library* library) {
  return library == nullptr ? "" : library->library->origin().c_str();
}

int tw_supports(const tw_library* library, tw_type type) {
  const bool is_known = type >= TW_FLOAT && type <= TW_COMPLEX_DOUBLE;
  if (library == nullptr || !is_known) return 0;
  return library->library->supports(element_precision(static_cast<ElementType>(type))) ? 1 : 0;
}

tw_status tw_gemm(tw_library* library, cl_command_queue queue, const tw_gemm_desc* desc,
                  const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, cl_uint num_wait,
                  const cl_event* wait, cl_event* event) {
  return guarded([&] {
    require(library != nullptr, "the library is null");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    release_to_caller(enqueue_products(*library->library, retained<cl::CommandQueue>(queue),
                                       read_desc(desc), a, b, c, wait_list),
                      event);
  });
}

tw_status tw_explain(tw_library* library, const tw_gemm_desc* desc, const tw_matrix* a,
                     const tw_matrix* b, const tw_matrix* c, char** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(library != nullptr, "the library is null");
    const GemmCall call = to_gemm_call(read_desc_of_one(desc));
    const Matrices given = to_matrices(call, a, b, c);
    *out = copy_text(library->library->explain(call, given.a, given.b, given.c));
  });
}

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
    TW_NAME(TW_FORKED);
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

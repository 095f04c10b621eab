#include "tuner/process/worker_lines.hpp"

#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include "runtime/call/error.hpp"

#include "profiles/base/usage_error.hpp"

namespace tilewright {

nlohmann::json error_message(const std::exception_ptr& exception) {
  nlohmann::json error = {{"kind", "other"}};
  try {
    std::rethrow_exception(exception);
  } catch (const UsageError& e) {
    error = {{"kind", "usage"}, {"message", e.what()}};
  } catch (const Error& e) {
    error = {{"kind", "opencl"},
             {"message", e.what()},
             {"status", static_cast<int>(e.status())},
             {"opencl_code", e.opencl_code()}};
  } catch (const WrongResult& e) {
    error = {{"kind", kWrongResultError}, {"message", e.what()}};
  } catch (const std::bad_alloc&) {
    error["message"] = "the host is out of memory";
  } catch (const std::exception& e) {
    error["message"] = e.what();
  }
  return {{"error", error}};
}

std::exception_ptr to_exception(const nlohmann::json& error) {
  const std::string kind = error.value("kind", "other");
  const std::string message = error.value("message", "the worker failed without a message");
  if (kind == "usage") return std::make_exception_ptr(UsageError(message));
  if (kind == "opencl") {
    return std::make_exception_ptr(Error(static_cast<tw_status>(error.value("status", 0)), message,
                                         error.value("opencl_code", CL_SUCCESS)));
  }
  if (kind == kWrongResultError) return std::make_exception_ptr(WrongResult(message));
  return std::make_exception_ptr(std::runtime_error(message));
}

}  // namespace tilewright

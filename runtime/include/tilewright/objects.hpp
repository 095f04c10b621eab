/// @file
/// Errors, events and OpenCL objects of the C++ interface (tilewright.hpp).
///
/// OpenCL objects may be those of C (cl_mem) or those of any C++ wrapper whose operator() returns
/// the object of C, such as CLHPP's (cl::Buffer). This header does not include CLHPP.
#ifndef TILEWRIGHT_OBJECTS_HPP
#define TILEWRIGHT_OBJECTS_HPP

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tilewright/tilewright.h>

/// The C++ interface of tilewright: a header over the C interface. The version of the inline
/// namespace is raised whenever a class or an inline function of these headers changes, because
/// shared objects of one process may be compiled with different headers. Error never changes, so
/// that all of them can catch it.
namespace tw {

/// The exception that all functions throw. what() is the sentence of tw_last_error(): it names the
/// argument, the file or the OpenCL call, and if possible what to do.
class TW_API Error : public std::runtime_error {
 public:
  /// @param status  any status except TW_SUCCESS
  /// @param message  for what()
  /// @param opencl_code  the OpenCL code that caused the error; CL_SUCCESS if there is none
  Error(tw_status status, const std::string& message, cl_int opencl_code = CL_SUCCESS)
      : std::runtime_error(message), status_(status), opencl_code_(opencl_code) {}

  /// @return the status
  tw_status status() const noexcept { return status_; }
  /// @return the OpenCL code that caused the error; CL_SUCCESS if OpenCL did not fail
  cl_int opencl_code() const noexcept { return opencl_code_; }

 private:
  tw_status status_;
  cl_int opencl_code_;
};

/// This version of the C++ interface.
inline namespace v1 {

/// Details that programs do not use.
namespace detail {

/// Throws Error if a C function of the calling thread has just failed.
/// @param status  what it returned
inline void check(tw_status status) {
  if (status != TW_SUCCESS) throw Error(status, tw_last_error(), tw_last_opencl_code());
}

/// @param pointer  a handle of the C interface, with shared ownership
/// @param name  what it is, for the message
/// @return the handle
/// @throws Error TW_INVALID_VALUE if there is none
template <class Handle>
Handle* require(const std::shared_ptr<Handle>& pointer, const char* name) {
  if (pointer != nullptr) return pointer.get();
  throw Error(TW_INVALID_VALUE, std::string("the ") + name + " is empty or was moved from");
}

/// The OpenCL handle in a C++ object, for overload resolution.
template <class Object>
using HandleIn = typename std::decay<decltype(std::declval<const Object&>()())>::type;

}  // namespace detail

/// An OpenCL object of the caller, which is not retained: a parameter that accepts cl_mem as well
/// as cl::Buffer.
template <class Handle>
class Ref {
 public:
  /// @param handle  an object of OpenCL's C interface; may be null
  Ref(Handle handle = nullptr) : handle_(handle) {}
  /// @param object  an object whose operator() returns a Handle
  template <class Object, class = typename std::enable_if<
                              std::is_same<detail::HandleIn<Object>, Handle>::value>::type>
  Ref(const Object& object) : handle_(object()) {}
  /// @return the object of OpenCL's C interface
  Handle get() const { return handle_; }

 private:
  Handle handle_;
};

/// A cl_context or cl::Context.
using ContextRef = Ref<cl_context>;
/// A cl_device_id or cl::Device.
using DeviceRef = Ref<cl_device_id>;
/// A cl_command_queue or cl::CommandQueue.
using QueueRef = Ref<cl_command_queue>;
/// A cl_mem or cl::Buffer.
using BufferRef = Ref<cl_mem>;
/// A cl_event, cl::Event or tw::Event.
using EventRef = Ref<cl_event>;

/// An event, released by the destructor. It converts to cl::Event. Copies refer to the same event.
class Event {
 public:
  /// No event.
  Event() = default;
  /// @param event  an event whose reference the new object takes over
  explicit Event(cl_event event) : event_(event) {}
  /// @param other  an event, which is retained
  Event(const Event& other) : event_(other.event_) {
    if (event_ != nullptr) clRetainEvent(event_);
  }
  /// @param other  an event, which is empty afterwards
  Event(Event&& other) noexcept : event_(other.release()) {}
  /// @param other  an event
  /// @return this object
  Event& operator=(Event other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  /// Releases the event.
  ~Event() {
    if (event_ != nullptr) clReleaseEvent(event_);
  }

  /// @return the event, which stays owned by this object; null if there is none
  cl_event get() const { return event_; }
  /// @return the same as get()
  cl_event operator()() const { return event_; }
  /// @return the event, which the caller must release
  cl_event release() { return std::exchange(event_, nullptr); }

  /// Waits until the commands are complete.
  /// @throws Error TW_OPENCL_ERROR with the OpenCL code if a command failed; TW_INVALID_VALUE if
  ///     there is no event
  void wait() const {
    if (event_ == nullptr) throw Error(TW_INVALID_VALUE, "the event is empty or was moved from");
    const cl_int code = clWaitForEvents(1, &event_);
    if (code == CL_SUCCESS) return;
    cl_int state = CL_COMPLETE;  // negative: the error of the command
    clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, nullptr);
    const cl_int cause = state < 0 ? state : code;
    throw Error(TW_OPENCL_ERROR, "the commands failed with OpenCL code " + std::to_string(cause),
                cause);
  }

  /// Converts to cl::Event, or to another class that is made from a cl_event and a flag that says
  /// whether to retain it.
  /// @return an event that owns a reference of its own
  template <class Other, class = typename std::enable_if<
                             std::is_same<detail::HandleIn<Other>, cl_event>::value &&
                             std::is_constructible<Other, cl_event, bool>::value>::type>
  operator Other() const {
    return Other(event_, true);
  }

 private:
  cl_event event_ = nullptr;
};

/// Events to wait for: {}, {one, two}, one event, or a vector of events. They are not retained, so
/// use it as an argument only.
class WaitList {
 public:
  /// No events.
  WaitList() = default;
  /// @param events  any events
  WaitList(std::initializer_list<EventRef> events) {
    for (const EventRef& event : events) events_.push_back(event.get());
  }
  /// @param event  one event
  template <class Object, class = typename std::enable_if<
                              std::is_convertible<const Object&, EventRef>::value>::type>
  WaitList(const Object& event) : events_{EventRef(event).get()} {}
  /// @param events  any events
  template <class Object>
  WaitList(const std::vector<Object>& events) {
    events_.reserve(events.size());
    for (const Object& event : events) events_.push_back(EventRef(event).get());
  }
  /// @return the number of events
  cl_uint size() const { return static_cast<cl_uint>(events_.size()); }
  /// @return the events; null if there are none
  const cl_event* data() const { return events_.empty() ? nullptr : events_.data(); }

 private:
  std::vector<cl_event> events_;
};

}  // namespace v1
}  // namespace tw

#endif

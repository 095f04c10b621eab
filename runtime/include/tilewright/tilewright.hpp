/// @file
/// Multiplies matrices on an OpenCL device with a tilewright profile: the C++ interface.
///
///     tw::Library library(context, device);
///     tw::Event done = library.gemm<float>(queue, {m, n, k}, {a, 0, k}, {b, 0, n}, {c, 0, n});
///     done.wait();
///
/// A header over the C interface (tilewright.h), which documents arguments and statuses in full.
/// C++14 and later; no other library is needed. OpenCL objects may be those of C or of CLHPP, with
/// or without CL_HPP_ENABLE_EXCEPTIONS, and a tw::Event converts to a cl::Event.
///
/// Matrices are in buffers of the library's context. Their offsets, leading dimensions and strides
/// count elements, not bytes. The offset of tw::Memory counts bytes.
///
/// Errors: all functions throw tw::Error. If a function throws, nothing has been enqueued, unless
/// OpenCL itself failed half-way. Functions that need what an object refers to throw
/// Error TW_INVALID_VALUE if it is empty or was moved from.
///
/// Thread safety: any number of threads may use one object, each with its own queue. Copies of an
/// object share one state. Plans and packed matrices keep what they need of their library. Enqueued
/// work completes after all objects are destroyed.
#ifndef TILEWRIGHT_TILEWRIGHT_HPP
#define TILEWRIGHT_TILEWRIGHT_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/tilewright.h>
#include <tilewright/arguments.hpp>
#include <tilewright/options.hpp>
#include <tilewright/plan.hpp>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace tw {
inline namespace v1 {
namespace detail {
/// What pthread_exit() and pthread_cancel() throw; it must be rethrown, or the process ends.
#ifdef __GLIBCXX__
using ForcedUnwind = abi::__forced_unwind;
#else
class ForcedUnwind {};  // other libraries unwind without handlers
#endif
}  // namespace detail

/// A library for one device of one context; see tw_library.
class Library {
 public:
  /// No library. Another one can be assigned.
  Library() = default;
  /// Opens the library for a device of a context. Nothing is compiled yet.
  /// @param context, device  one of the context's devices; both are retained
  /// @param options  see Options
  /// @throws Error like tw_open
  Library(ContextRef context, DeviceRef device, const Options& options = {}) {
    open(options, [&](const tw_options* given, tw_library** out) {
      return tw_open(context.get(), device.get(), given, out);
    });
  }
  /// Opens the library for the context and the device of a queue.
  /// @param queue  not retained
  /// @param options  see Options
  /// @throws Error like tw_open_for_queue
  explicit Library(QueueRef queue, const Options& options = {}) {
    open(options, [&](const tw_options* given, tw_library** out) {
      return tw_open_for_queue(queue.get(), given, out);
    });
  }

  /// @return a sentence: which profile is used, and why
  std::string profile_origin() const { return tw_profile_origin(handle()); }

  /// @param type  an element type
  /// @return whether products of this type are supported; see tw_supports
  bool supports(tw_type type) const { return tw_supports(handle(), type) != 0; }

  /// Enqueues a product or a batch of products and returns without waiting; see tw_gemm. The first
  /// use of a kernel compiles it.
  ///
  ///     library.gemm<float>(queue, {m, n, k}, {a, 0, k}, {b, 0, n}, {c, 0, n});
  ///
  /// @param queue  an in-order or out-of-order queue of the library's context and device
  /// @param product  extents, scalars, transposes, storage order
  /// @param a, b  the factors
  /// @param c  the result, which must not overlap A, B or another C
  /// @param wait  events to wait for
  /// @return the event that completes when every C is written
  /// @throws Error like tw_gemm; TW_INVALID_VALUE if a list of offsets or scalars does not have
  ///     batch_count entries
  template <class T>
  Event gemm(QueueRef queue, const Gemm& product, const Matrix& a, const Matrix& b, const Matrix& c,
             const WaitList& wait = {}) const {
    return gemm(element_type<T>(), queue, product, a, b, c, wait);
  }
  /// gemm() for an element type that is known at run time.
  /// @param type  the element type
  /// @param queue, product, a, b, c, wait  see above
  /// @return see above
  Event gemm(tw_type type, QueueRef queue, const Gemm& product, const Matrix& a, const Matrix& b,
             const Matrix& c, const WaitList& wait = {}) const {
    const Arguments given(type, product, a, b, c);
    cl_event event = nullptr;
    detail::check(tw_gemm(handle(), queue.get(), &given.desc, &given.a, &given.b, &given.c,
                          wait.size(), wait.data(), &event));
    return Event(event);
  }

  /// Enqueues y = alpha op(A) x + beta y and returns without waiting; see tw_sgemv.
  /// @param queue  an in-order or out-of-order queue of the library's context and device
  /// @param product  extents, scalars, transpose, storage order
  /// @param a, x  the factors
  /// @param y  the result, which must not overlap A or x
  /// @param wait  events to wait for
  /// @return the event that completes when y is written
  /// @throws Error like tw_sgemv
  template <class T>
  Event gemv(QueueRef queue, const Gemv& product, const Matrix& a, const Vector& x, const Vector& y,
             const WaitList& wait = {}) const {
    return gemv(element_type<T>(), queue, product, a, x, y, wait);
  }
  /// gemv() for an element type that is known at run time.
  /// @param type  the element type
  /// @param queue, product, a, x, y, wait  see above
  /// @return see above
  Event gemv(tw_type type, QueueRef queue, const Gemv& product, const Matrix& a, const Vector& x,
             const Vector& y, const WaitList& wait = {}) const {
    switch (type) {
      case TW_FLOAT:
        return call_gemv(tw_sgemv, queue, product, a, x, y, wait);
      case TW_DOUBLE:
        return call_gemv(tw_dgemv, queue, product, a, x, y, wait);
      case TW_HALF:
        return call_gemv(tw_hgemv, queue, product, a, x, y, wait);
      case TW_COMPLEX_FLOAT:
        return call_gemv(tw_cgemv, queue, product, a, x, y, wait);
      case TW_COMPLEX_DOUBLE:
        return call_gemv(tw_zgemv, queue, product, a, x, y, wait);
    }
    throw Error(TW_INVALID_VALUE, "the type is not a tw_type");
  }

  /// Creates a plan for products of one shape. Loads the kernels; allocates no device memory.
  /// @param product  the product; not a batch. alpha is ignored, and whether beta is 0 is a hint
  /// @param a, b, c  only offsets, leading dimensions and the alignment of buffers are used. {}:
  ///     without offset and gaps
  /// @return the plan
  /// @throws Error like tw_plan_create
  template <class T>
  Plan plan(const Gemm& product, const Matrix& a = {}, const Matrix& b = {},
            const Matrix& c = {}) const {
    return plan(element_type<T>(), product, a, b, c);
  }
  /// plan() for an element type that is known at run time.
  /// @param type  the element type
  /// @param product, a, b, c  see above
  /// @return the plan
  Plan plan(tw_type type, const Gemm& product, const Matrix& a = {}, const Matrix& b = {},
            const Matrix& c = {}) const {
    const Arguments given(type, product, a, b, c);
    tw_plan* made = nullptr;
    detail::check(tw_plan_create(handle(), &given.desc, &given.a, &given.b, &given.c, &made));
    Plan result;
    result.plan_.reset(made, tw_plan_free);
    return result;
  }

  /// Explains a product: a table of all plans, best first; see tw_explain. Loads the kernels.
  /// @param product, a, b, c  see plan()
  /// @return for each plan its predicted time, in total and for each step, its kernels, and why it
  ///     runs, is not usable or comes later
  /// @throws Error like tw_explain
  template <class T>
  std::string explain(const Gemm& product, const Matrix& a = {}, const Matrix& b = {},
                      const Matrix& c = {}) const {
    return explain(element_type<T>(), product, a, b, c);
  }
  /// explain() for an element type that is known at run time.
  /// @param type  the element type
  /// @param product, a, b, c  see plan()
  /// @return see above
  std::string explain(tw_type type, const Gemm& product, const Matrix& a = {}, const Matrix& b = {},
                      const Matrix& c = {}) const {
    const Arguments given(type, product, a, b, c);
    char* text = nullptr;
    detail::check(tw_explain(handle(), &given.desc, &given.a, &given.b, &given.c, &text));
    const std::unique_ptr<char, void (*)(char*)> owner(text, tw_text_free);
    return text;
  }

  /// @return the handle of the C interface; null if there is none
  tw_library* get() const { return library_.get(); }

 private:
  friend class Network;
  friend class Team;
  friend class TeamMember;

  // The arguments of a product for the C interface.
  struct Arguments {
    Arguments(tw_type type, const Gemm& product, const Matrix& of_a, const Matrix& of_b,
              const Matrix& of_c)
        : desc(tw_make_gemm_desc(type, product.m, product.n, product.k)),
          a(of_a.to_c(product.batch_count)),
          b(of_b.to_c(product.batch_count)),
          c(of_c.to_c(product.batch_count)) {
      desc.layout = product.layout;
      desc.trans_a = product.trans_a;
      desc.trans_b = product.trans_b;
      desc.alpha = product.alpha;
      desc.beta = product.beta;
      desc.batch_count = product.batch_count;
      desc.alphas = scalars("alphas", product.alphas, product.batch_count);
      desc.betas = scalars("betas", product.betas, product.batch_count);
    }

    static const tw_scalar* scalars(const char* name, const std::vector<Scalar>& list,
                                    std::size_t batch_count) {
      if (list.empty()) return nullptr;
      if (list.size() == batch_count) return list.data();
      throw Error(TW_INVALID_VALUE, std::string(name) + " has " + std::to_string(list.size()) +
                                        " scalars, but batch_count is " +
                                        std::to_string(batch_count));
    }

    tw_gemm_desc desc;
    tw_matrix a, b, c;
  };

  // tw_sgemv and the like; CScalar is the type of their scalars.
  template <class CScalar>
  using GemvFunction = tw_status (*)(tw_library*, cl_command_queue, tw_layout, tw_transpose,
                                     std::size_t, std::size_t, CScalar, cl_mem, std::size_t,
                                     std::size_t, cl_mem, std::size_t, std::size_t, CScalar, cl_mem,
                                     std::size_t, std::size_t, cl_uint, const cl_event*, cl_event*);
  template <class CScalar>
  Event call_gemv(GemvFunction<CScalar> function, QueueRef queue, const Gemv& product,
                  const Matrix& a, const Vector& x, const Vector& y, const WaitList& wait) const {
    CScalar alpha, beta;
    detail::convert(product.alpha, &alpha);
    detail::convert(product.beta, &beta);
    const tw_matrix matrix = a.to_c();
    if (matrix.packed != nullptr) {
      throw Error(TW_INVALID_VALUE, "A is packed, but only A and B of Plan::execute may be packed");
    }
    const std::size_t length = product.layout == TW_COLUMN_MAJOR ? product.m : product.n;
    const std::size_t ld = matrix.ld != 0 ? matrix.ld : length != 0 ? length : 1;
    cl_event event = nullptr;
    detail::check(function(handle(), queue.get(), product.layout, product.trans, product.m,
                           product.n, alpha, matrix.buffer, matrix.offset, ld, x.buffer(),
                           x.offset(), x.increment(), beta, y.buffer(), y.offset(), y.increment(),
                           wait.size(), wait.data(), &event));
    return Event(event);
  }

  // Calls `open_with`, which calls tw_open. If it succeeds, the library owns the log function.
  template <class Function>
  void open(const Options& options, const Function& open_with) {
    tw_options given = options.options_;
    given.profile_path = options.profile_path_.get();
    given.profile_text = options.profile_text_.get();
    given.cache_folder = options.cache_folder_.get();
    std::unique_ptr<Log> log;
    if (options.log_) {
      log = std::make_unique<Log>(options.log_);
      given.log = write_log;
      given.log_user = log.get();
      given.log_free = [](void* user) { delete static_cast<Log*>(user); };
    }
    tw_library* library = nullptr;
    detail::check(open_with(&given, &library));
    log.release();
    library_.reset(library, tw_close);
  }

  static void write_log(tw_log_severity severity, const char* line, void* user) {
    try {
      (*static_cast<const Log*>(user))(severity, line);
    } catch (const detail::ForcedUnwind&) {
      throw;
    } catch (...) {  // must not reach C
    }
  }

  tw_library* handle() const { return detail::require(library_, "library"); }

  std::shared_ptr<tw_library> library_;
};

}  // namespace v1
}  // namespace tw

#endif

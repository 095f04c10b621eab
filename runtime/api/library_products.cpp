// Enqueues products for an open library.
#include <algorithm>
#include <utility>

#include "runtime/api/library.hpp"
#include "runtime/call/gemv_problem.hpp"
#include "runtime/call/opencl_error.hpp"

namespace tilewright {
namespace {

// Maximum number of products of a batch, on an out-of-order queue, that are in flight with their
// own temporaries.
constexpr std::size_t kPackedAtOnce = 4;

bool is_empty(const GemmProblem& problem) {
  return problem.shape.m == 0 || problem.shape.n == 0;
}

}  // namespace

// Commands that were enqueued before a plan failed may write C, but only if beta is 0. The next
// plan waits for them.
cl::Event Library::enqueue_in_memory(const cl::CommandQueue& queue, const GemmProblem& planned,
                                     std::shared_ptr<const PlannedRoute> route,
                                     const GemmProblem& problem,
                                     std::span<const cl::Event> wait_list) {
  std::vector<cl::Event> waits;  // of a plan that is not the first one
  while (true) {
    try {
      return enqueue(executor_, &temporaries_, queue, route->route, problem,
                     waits.empty() ? wait_list : waits);
    } catch (const Error& error) {
      const std::uint64_t bytes = temporary_bytes(route->route.plan);
      if (!lacks_memory(error.opencl_code()) || bytes == 0) throw;
      auto smaller = smaller_route(planned, bytes);
      if (smaller == nullptr) throw;
      route = std::move(smaller);
      waits.assign(wait_list.begin(), wait_list.end());
      waits.push_back(enqueue_marker(queue, {}));
    }
  }
}

cl::Event Library::gemm(const cl::CommandQueue& queue, const GemmProblem& problem,
                        const std::vector<cl::Event>& wait_list) {
  if (problem.complex) return gemm_batches(queue, {problem}, wait_list);
  check(queue, wait_list);
  if (is_empty(problem)) return enqueue_marker(queue, wait_list);
  return enqueue_in_memory(queue, problem, route(problem), problem, wait_list);
}

GemmProblem Library::checked(const GemmCall& call, const Matrix& a, const Matrix& b,
                             const Matrix& c) const {
  GemmProblem problem = resolve(call, a, b, c);
  check_buffers(call, a, b, c, executor_.context()());
  return problem;
}

cl::Event Library::complex_batches(const cl::CommandQueue& queue,
                                   const std::vector<GemmProblem>& batches,
                                   const std::vector<cl::Event>& wait_list) {
  // Finds missing kernels before anything is enqueued.
  require_type(batches.front().precision);
  for (const GemmProblem& batch : batches) {
    load_kernels(complex_kernels_, batch, false, temporaries_.largest_buffer());
    for (const GemmProblem& real : real_parts(temporaries_, batch))
      route(planning_representative(real));
  }
  const ComplexHost host{executor_, temporaries_, complex_kernels_,
                         [&](const GemmProblem& real, const std::vector<cl::Event>& waits) {
                           return gemm_batches(queue, {real}, waits);
                         },
                         [&](const cl::CommandQueue& on) { return enqueue_marker(on, {}); }};
  std::vector<cl::Event> written;
  for (const GemmProblem& batch : batches) {
    for (cl::Event& part : enqueue_complex(host, queue, batch, wait_list)) {
      written.push_back(std::move(part));
    }
  }
  return written.size() == 1 ? written.front() : joined_event(queue, written);
}

cl::Event Library::gemv(const cl::CommandQueue& queue, const GemvCall& call, const Matrix& a,
                        const Vector& x, const Vector& y, const std::vector<cl::Event>& wait_list) {
  const GemmProblem problem = resolve(call, a, x, y);
  check_buffers(call, a, x, y, executor_.context()());
  return gemm(queue, problem, wait_list);
}

cl::Event Library::gemm_strided_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                        const StridedMatrices& a, const StridedMatrices& b,
                                        const StridedMatrices& c, std::size_t count,
                                        const std::vector<cl::Event>& wait_list) {
  // The extents of empty products cannot show that a count is too large; one product is enough.
  if (count > 1 && c.stride != 0 && (call.m == 0 || call.n == 0)) count = 1;
  require_apart(c, count);
  if (count == 0) return gemm_batches(queue, {}, wait_list);
  const auto check_product = [&](const Product& product) {
    return checked(product.call, product.a, product.b, product.c);
  };
  // The last product has the largest offsets. If it is inside its buffers, all are.
  check_product(strided_product(call, a, b, c, count - 1));
  if (const auto one = folded_batch(call, a, b, c, count)) {
    return gemm(queue, one->call, one->a, one->b, one->c, wait_list);
  }
  const GemmProblem first = check_product(strided_product(call, a, b, c, 0));
  return gemm_batches(queue, {strided_problem(first, call, a, b, c, count)}, wait_list);
}

cl::Event Library::gemm_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                const ListedMatrices& a, const ListedMatrices& b,
                                const ListedMatrices& c, const BatchScalars& scalars,
                                const std::vector<cl::Event>& wait_list) {
  std::vector<GemmProblem> problems;
  for (const Product& one : listed_batch(call, a, b, c, scalars)) {
    problems.push_back(checked(one.call, one.a, one.b, one.c));
  }
  return gemm_batches(queue, coalesce(problems), wait_list);
}

// Enqueues one launch for each batch if only a batched kernel runs, and otherwise one for each
// product. Returns one event for all of them.
cl::Event Library::gemm_batches(const cl::CommandQueue& queue,
                                const std::vector<GemmProblem>& batches,
                                const std::vector<cl::Event>& wait_list) {
  check(queue, wait_list);
  if (batches.empty() || is_empty(batches.front())) return enqueue_marker(queue, wait_list);
  if (batches.front().complex) return complex_batches(queue, batches, wait_list);
  // Finds missing kernels before anything is enqueued.
  std::vector<std::shared_ptr<const PlannedRoute>> routes;
  for (const GemmProblem& batch : batches) routes.push_back(route(planning_representative(batch)));
  std::vector<cl::Event> written;
  // Products with packing share temporaries, so they wait for one another, also on an out-of-order
  // queue.
  const bool in_order = is_in_order(queue);
  std::vector<cl::Event> waits = wait_list;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const std::size_t count = batches[i].batch.count;
    const bool whole = does_batches(routes[i]->route);
    const std::size_t most = whole ? kMaxProductsPerLaunch : 1;
    for (std::size_t first = 0; first < count; first += most) {
      waits.resize(wait_list.size());
      if (!whole && !in_order && written.size() >= kPackedAtOnce) {
        waits.push_back(written[written.size() - kPackedAtOnce]);
      }
      written.push_back(
          enqueue_in_memory(queue, planning_representative(batches[i]), routes[i],
                            slice_batch(batches[i], first, std::min(most, count - first)), waits));
    }
  }
  return written.size() == 1 ? written.front() : joined_event(queue, written);
}

cl::Event Library::joined_event(const cl::CommandQueue& queue,
                                const std::vector<cl::Event>& parts) {
  cl::Event all = enqueue_marker(queue, parts);
  temporaries_.join(parts, all);
  return all;
}

}  // namespace tilewright

// How does a C++ program multiply matrices on an OpenCL device that has a tilewright profile?
//
//   auto library = tilewright::Library::open(context, device);
//   cl::Event done =
//       library.sgemm(queue, {.m = m, .n = n, .k = k}, {a, 0, k}, {b, 0, n}, {c, 0, n});
//   done.wait();
//
// All failures are tilewright::Error (error.hpp), thrown before anything is enqueued unless OpenCL
// itself fails half-way.
#pragma once

#ifndef CL_HPP_TARGET_OPENCL_VERSION
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#endif
#include <CL/opencl.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/error.hpp>

namespace tilewright {

enum class Order { kRowMajor = TW_ROW_MAJOR, kColumnMajor = TW_COLUMN_MAJOR };
enum class Transpose { kNo = TW_NO_TRANS, kYes = TW_TRANS };

// C = alpha op(A) op(B) + beta C, where op(A) is m x k, op(B) is k x n and C is m x n; op(X) is X
// or, with Transpose::kYes, its transpose. beta = 0 never reads C; alpha = 0 or k = 0 never reads A
// or B.
struct GemmCall {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  Transpose trans_a = Transpose::kNo;
  Transpose trans_b = Transpose::kNo;
  Order order = Order::kRowMajor;
};

// A matrix in a buffer. Offset and leading dimension count elements (floats); the leading dimension
// is the distance of rows (row-major) or columns (column-major) as stored.
struct Matrix {
  cl::Buffer buffer;
  std::size_t offset = 0;
  std::size_t ld = 0;
};

// Equally large matrices in one buffer: the i-th starts at offset + i * stride. A stride of 0 is
// one matrix for all products, which is right for A and B alone. Counts elements.
struct StridedMatrices {
  cl::Buffer buffer;
  std::size_t offset = 0;
  std::size_t ld = 0;
  std::size_t stride = 0;
};

// Equally large matrices in one buffer: the i-th starts at offsets[i]. Counts elements.
struct ListedMatrices {
  cl::Buffer buffer;
  std::vector<std::size_t> offsets;
  std::size_t ld = 0;
};

// The scalars of each product of a batch; an empty list stands for the call's own, for all of them.
struct BatchScalars {
  std::vector<float> alphas;
  std::vector<float> betas;
};

// The factors of a product.
enum class Operand { kA, kB };

class Plan;  // <tilewright/plan.hpp>

// Where Library::open takes its profile from.
class TW_API ProfileSource {
 public:
  // $TILEWRIGHT_PROFILE, else by device identity $XDG_DATA_HOME/tilewright/profiles and the
  // installed profiles, else the built-in one.
  static ProfileSource automatic() { return {Kind::kAutomatic, ""}; }
  static ProfileSource file(std::string path) { return {Kind::kFile, std::move(path)}; }
  // The text of a profile, for programs that carry one inside.
  static ProfileSource text(std::string profile) { return {Kind::kText, std::move(profile)}; }
  static ProfileSource builtin() { return {Kind::kBuiltin, ""}; }

  enum class Kind { kAutomatic, kFile, kText, kBuiltin };
  Kind kind() const { return kind_; }
  const std::string& value() const { return value_; }

 private:
  ProfileSource(Kind kind, std::string value) : kind_(kind), value_(std::move(value)) {}
  Kind kind_;
  std::string value_;
};

// SGEMM for one device of one context. Thread-safe: one Library serves many threads, each with its
// own queue. Copies share one state; work that is enqueued outlives the last copy.
class TW_API Library {
 public:
  // Throws Error: TW_NO_PROFILE, TW_BAD_PROFILE, TW_WRONG_DEVICE for a profile that was named, and
  // TW_INVALID_VALUE for a null context or device. Compiles nothing.
  static Library open(const cl::Context& context, const cl::Device& device,
                      const ProfileSource& source = ProfileSource::automatic());

  // Which profile is served from, and why: a sentence.
  const std::string& profile_origin() const;

  // Enqueues the product after the events of wait_list and returns the event that completes when C
  // is written. C must not overlap A or B. The first use of a kernel compiles it. A and B may be
  // null buffers where they are not read.
  cl::Event sgemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                  const Matrix& b, const Matrix& c, const std::vector<cl::Event>& wait_list = {});

  // `count` products of one call's shape, each of the i-th matrices: enqueues all of them after the
  // events of wait_list and returns the one event that completes when every C is written. All are
  // checked, as sgemm checks, before the first is enqueued. No C may overlap another C, an A or a
  // B: the products run in any order (TW_INVALID_VALUE if the stride of C is 0). No products (count
  // 0) are an event after wait_list.
  cl::Event sgemm_strided_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                  const StridedMatrices& a, const StridedMatrices& b,
                                  const StridedMatrices& c, std::size_t count,
                                  const std::vector<cl::Event>& wait_list = {});

  // The same with lists of offsets, whose length is the number of products. Throws TW_INVALID_VALUE
  // if the lists, or scalars that are not empty, differ in length.
  cl::Event sgemm_batched(const cl::CommandQueue& queue, const GemmCall& call,
                          const ListedMatrices& a, const ListedMatrices& b, const ListedMatrices& c,
                          const BatchScalars& scalars = {},
                          const std::vector<cl::Event>& wait_list = {});

  // How products of this shape are served, for packing operands once and multiplying many times:
  // plan.hpp. Loads the kernels. Of the matrices only offset and leading dimension are looked at;
  // without them they have neither offsets nor gaps. Of the call's alpha and beta only whether beta
  // is 0, as a hint. Throws Error: TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, _B, _C,
  // TW_BUILD_FAILURE.
  Plan plan(const GemmCall& call);
  Plan plan(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);

  // The name of the kernel that sgemm would use for this call on matrices without offsets and gaps,
  // with the reason and the predicted times; then, a line each, what else could serve.
  std::string explain(const GemmCall& call);

  // Names of the kernels that sgemm would then enqueue, in order: packing, the product, and what
  // brings its result into C.
  std::vector<std::string> kernels_for(const GemmCall& call);

 private:
  class State;
  explicit Library(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace tilewright

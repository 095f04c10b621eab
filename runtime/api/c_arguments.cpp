#include "runtime/api/c_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/plan/batch.hpp"

namespace tilewright {
namespace {

static_assert(TW_FLOAT == static_cast<int>(ElementType::kFloat) &&
              TW_DOUBLE == static_cast<int>(ElementType::kDouble) &&
              TW_HALF == static_cast<int>(ElementType::kHalf) &&
              TW_COMPLEX_FLOAT == static_cast<int>(ElementType::kComplexFloat) &&
              TW_COMPLEX_DOUBLE == static_cast<int>(ElementType::kComplexDouble));

TW_ENDS_WITH(tw_options, log_free);
TW_ENDS_WITH(tw_gemm_desc, reserved);

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr tw_matrix kNoMatrix = {};
// Larger structures are not initialised.
constexpr std::size_t kMaxStructSize = 4096;

const tw_matrix& matrix_or_none(const tw_matrix* matrix) {
  return matrix == nullptr ? kNoMatrix : *matrix;
}

bool has_ld(const tw_matrix* matrix) {
  return matrix != nullptr && matrix->ld != 0;
}

bool is_listed(const tw_matrix* matrix) {
  return matrix != nullptr && matrix->offsets != nullptr;
}

// The offset of one matrix of a batch. Offsets that exceed size_t are set to its maximum, for which
// no buffer is large enough.
std::size_t product_offset(const tw_matrix& matrix, std::size_t index) {
  const bool overflows =
      matrix.offsets == nullptr && matrix.stride != 0 && index > kMaxSize / matrix.stride;
  if (overflows) return kMaxSize;
  const std::size_t relative =
      matrix.offsets != nullptr ? matrix.offsets[index] : index * matrix.stride;
  return relative > kMaxSize - matrix.offset ? kMaxSize : matrix.offset + relative;
}

// The number of products whose lists are read. Each product has a C of its own, so a valid batch
// has not more products than the buffer of C has bytes; without this limit, a wrong batch_count
// would make the copies of lists huge. One product is enough to check a batch whose C are empty, or
// whose C has no usable buffer.
std::size_t listed_count(const tw_gemm_desc& desc, const Matrix& c) {
  std::size_t bytes = 0;
  if (desc.m == 0 || desc.n == 0 || c.buffer() == nullptr ||
      clGetMemObjectInfo(c.buffer(), CL_MEM_SIZE, sizeof(bytes), &bytes, nullptr) != CL_SUCCESS) {
    return std::min<std::size_t>(desc.batch_count, 1);
  }
  if (desc.batch_count <= bytes) return desc.batch_count;
  throw Error(TW_INSUFFICIENT_BUFFER_C,
              fmt::format("batch_count is {}, but the buffer of C has only {} bytes",
                          desc.batch_count, bytes));
}

// The part of a matrix of a batch that all products share.
tw_matrix without_list(const tw_matrix* matrix) {
  tw_matrix shared = matrix_or_none(matrix);
  shared.offsets = nullptr;
  return shared;
}

ListedMatrices to_listed(const tw_matrix* matrix, const Matrix& first, std::size_t count) {
  const tw_matrix& given = matrix_or_none(matrix);
  ListedMatrices listed{first.buffer, {}, first.ld};
  listed.offsets.reserve(count);
  for (std::size_t i = 0; i < count; ++i) listed.offsets.push_back(product_offset(given, i));
  return listed;
}

StridedMatrices to_strided(const tw_matrix* matrix, const Matrix& first) {
  return {first.buffer, first.offset, first.ld, matrix_or_none(matrix).stride};
}

std::vector<std::complex<double>> to_scalars(const tw_scalar* scalars, std::size_t count) {
  std::vector<std::complex<double>> all;
  if (scalars == nullptr) return all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) all.push_back(to_scalar(scalars[i]));
  return all;
}

}  // namespace

void copy_struct(const std::string& name, const void* given, std::size_t size, std::size_t min_size,
                 void* copy, std::size_t copy_size) {
  // No header ends inside a member.
  constexpr std::size_t kMultiple = alignof(std::size_t);
  if (size < min_size || size > kMaxStructSize || size % kMultiple != 0) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("the size of {} is {}, but must be a multiple of {} between {} and {}; "
                            "use tw_make_... to initialise it",
                            name, size, kMultiple, min_size, kMaxStructSize));
  }
  const auto* bytes = static_cast<const unsigned char*>(given);
  const auto is_set = [](unsigned char byte) { return byte != 0; };
  if (size > copy_size && std::any_of(bytes + copy_size, bytes + size, is_set)) {
    throw Error(
        TW_INVALID_VALUE,
        fmt::format("{} has members that this version of the library does not support", name));
  }
  std::memcpy(copy, given, std::min(size, copy_size));
}

tw_gemm_desc read_desc(const tw_gemm_desc* desc) {
  constexpr std::size_t kMinSize = offsetof(tw_gemm_desc, betas) + sizeof(desc->betas);
  const tw_gemm_desc copy =
      read_struct("desc", desc, kMinSize, tw_make_gemm_desc(TW_FLOAT, 0, 0, 0));
  require(copy.reserved == 0, "the reserved member of desc is not 0");
  return copy;
}

tw_gemm_desc read_desc_of_one(const tw_gemm_desc* desc) {
  tw_gemm_desc copy = read_desc(desc);
  require(copy.batch_count == 1, "batch_count is not 1, but this function is for one product");
  if (copy.alphas != nullptr) copy.alpha = copy.alphas[0];
  if (copy.betas != nullptr) copy.beta = copy.betas[0];
  copy.alphas = nullptr;
  copy.betas = nullptr;
  return copy;
}

GemmCall to_gemm_call(const tw_gemm_desc& desc) {
  return {desc.m,
          desc.n,
          desc.k,
          to_scalar(desc.alpha),
          to_scalar(desc.beta),
          static_cast<Transpose>(desc.trans_a),
          static_cast<Transpose>(desc.trans_b),
          static_cast<Order>(desc.layout),
          static_cast<ElementType>(desc.type)};
}

Matrix to_matrix(const char* name, const tw_matrix* matrix, std::size_t dense_ld) {
  const tw_matrix& given = matrix_or_none(matrix);
  if (given.packed != nullptr) {
    throw Error(TW_INVALID_VALUE,
                std::string(name) + " is packed, but only A and B of tw_execute may be packed");
  }
  return {retained<cl::Buffer>(given.buffer), product_offset(given, 0),
          given.ld == 0 ? dense_ld : given.ld};
}

Matrices to_matrices(const GemmCall& call, const tw_matrix* a, const tw_matrix* b,
                     const tw_matrix* c) {
  const bool all_have_ld = has_ld(a) && has_ld(b) && has_ld(c);
  const Matrices dense = all_have_ld ? Matrices{} : dense_matrices(call);
  return {to_matrix("A", a, dense.a.ld), to_matrix("B", b, dense.b.ld),
          to_matrix("C", c, dense.c.ld)};
}

Workspace to_workspace(const tw_memory* memory) {
  if (memory == nullptr) return {};
  return {retained<cl::Buffer>(memory->buffer), memory->offset};
}

cl::Event enqueue_products(Library& library, const cl::CommandQueue& queue,
                           const tw_gemm_desc& desc, const tw_matrix* a, const tw_matrix* b,
                           const tw_matrix* c, const std::vector<cl::Event>& wait_list) {
  const GemmCall call = to_gemm_call(desc);
  // With batch_count 0, lists have no elements.
  const tw_matrix shared[] = {without_list(a), without_list(b), without_list(c)};
  const Matrices first = to_matrices(call, &shared[0], &shared[1], &shared[2]);
  const bool has_scalars = desc.alphas != nullptr || desc.betas != nullptr;
  if (has_scalars || is_listed(a) || is_listed(b) || is_listed(c)) {
    if (!is_listed(c)) require_apart(to_strided(c, first.c), desc.batch_count);
    const std::size_t count = listed_count(desc, first.c);
    return library.gemm_batched(queue, call, to_listed(a, first.a, count),
                                to_listed(b, first.b, count), to_listed(c, first.c, count),
                                {to_scalars(desc.alphas, count), to_scalars(desc.betas, count)},
                                wait_list);
  }
  if (desc.batch_count == 1) return library.gemm(queue, call, first.a, first.b, first.c, wait_list);
  return library.gemm_strided_batched(queue, call, to_strided(a, first.a), to_strided(b, first.b),
                                      to_strided(c, first.c), desc.batch_count, wait_list);
}

}  // namespace tilewright

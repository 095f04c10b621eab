// Tests all combinations of layout, transposes, extents, leading dimensions, offsets and scalars
// from a few values: each call must give the correct product or the correct error, and write no
// other element.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "api/c_open.hpp"
#include "catch.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kValues[] = {7, 64};  // for m, n, k and leading dimensions
constexpr float kGuard = 77.0f;
constexpr float kNanOfGrid = std::numeric_limits<float>::quiet_NaN();

// The other values of the grid.
struct Grid {
  std::vector<std::size_t> offsets;  // for each of A, B and C
  std::vector<float> scalars;        // for alpha and beta
};

struct Group {
  tw_layout layout;
  tw_transpose ta, tb;
  std::size_t m, n, k;
};

// A matrix as stored, without gaps.
struct Dense {
  std::size_t lines, length;
  bool by_rows;  // each line is a row of op(X)
  std::vector<float> values;
  float at(std::size_t i, std::size_t j) const {
    return by_rows ? values[i * length + j] : values[j * length + i];
  }
  std::size_t elements(std::size_t ld) const { return (lines - 1) * ld + length; }
};

Dense random_matrix(const Group& g, std::size_t rows, std::size_t columns, tw_transpose transpose,
                    std::mt19937& random) {
  const bool by_rows = (g.layout == TW_ROW_MAJOR) == (transpose == TW_NO_TRANS);
  Dense dense{by_rows ? rows : columns, by_rows ? columns : rows, by_rows, {}};
  std::uniform_real_distribution<float> between(-1.0f, 1.0f);
  for (std::size_t i = 0; i < rows * columns; ++i) dense.values.push_back(between(random));
  return dense;
}

// The sums of the products and of their absolute values, which all calls of a group share.
struct HostProduct {
  std::vector<double> sum, magnitude;
  HostProduct(const Group& g, const Dense& a, const Dense& b) {
    for (std::size_t i = 0; i < g.m; ++i) {
      for (std::size_t j = 0; j < g.n; ++j) {
        double s = 0.0, absolute = 0.0;
        for (std::size_t p = 0; p < g.k; ++p) {
          const double term = static_cast<double>(a.at(i, p)) * b.at(p, j);
          s += term;
          absolute += std::abs(term);
        }
        sum.push_back(s);
        magnitude.push_back(absolute);
      }
    }
  }
};

// Alignment of the start of a sub-buffer, in floats; also the length of guards.
std::size_t alignment_of_sub_buffers(const TestDevice& d) {
  return std::max<std::size_t>(32, d.device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 32);
}

cl::Buffer make_sub_buffer(cl::Buffer whole, std::size_t begin, std::size_t floats) {
  const cl_buffer_region region{begin * sizeof(float), floats * sizeof(float)};
  cl_int code = CL_SUCCESS;
  cl::Buffer part =
      whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  REQUIRE(code == CL_SUCCESS);
  return part;
}

// Copies the lines of a matrix to their positions.
void scatter(const Dense& dense, float* to, std::size_t ld) {
  for (std::size_t i = 0; i < dense.lines; ++i) {
    std::copy_n(dense.values.begin() + static_cast<std::ptrdiff_t>(i * dense.length), dense.length,
                to + i * ld);
  }
}

// A or B in a buffer that ends with its last element, and in one that ends one element earlier.
// Everything that is not an element is NaN.
struct Placed {
  std::size_t offset, ld;
  cl::Buffer exact, less;
  Placed(const TestDevice& d, const Dense& dense, std::size_t at, std::size_t ld_of)
      : offset(at), ld(ld_of) {
    const std::size_t guard = alignment_of_sub_buffers(d);
    const std::size_t floats = offset + dense.elements(ld);
    std::vector<float> host(2 * guard + floats, kNanOfGrid);
    scatter(dense, host.data() + guard + offset, ld);
    const cl::Buffer whole(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                           host.size() * sizeof(float), host.data());
    exact = make_sub_buffer(whole, guard, floats);
    less = make_sub_buffer(whole, guard, floats - 1);
  }
};

struct Call {
  const Placed *a, *b;
  float alpha, beta;
};

tw_status sgemm(tw_library* library, const TestDevice& d, const Group& g, const Call& call,
                const cl::Buffer& a, const cl::Buffer& b, const cl::Buffer& c, std::size_t offset_c,
                std::size_t ldc) {
  return tw_sgemm(library, d.queue(), g.layout, g.ta, g.tb, g.m, g.n, g.k, call.alpha, a(),
                  call.a->offset, call.a->ld, b(), call.b->offset, call.b->ld, call.beta, c(),
                  offset_c, ldc, 0, nullptr, nullptr);
}

// The C matrices of many calls, one after the other in one buffer with guards in between.
class ManyC {
 public:
  ManyC(const TestDevice& d, const Group& g, const Dense& before, std::size_t offset,
        std::size_t ld, const std::vector<Call>& calls)
      : d_(d), g_(g), before_(before), offset_(offset), ld_(ld), calls_(calls) {
    guard_ = alignment_of_sub_buffers(d);
    floats_ = offset + before.elements(ld);
    apart_ = (floats_ + 2 * guard_ - 1) / guard_ * guard_;
    host_.assign(guard_ + calls.size() * apart_, kGuard);
    Dense nothing = before;
    std::fill(nothing.values.begin(), nothing.values.end(), kNanOfGrid);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      scatter(calls[i].beta == 0.0f ? nothing : before, &host_[begin(i) + offset], ld);
    }
    buffer_ = cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         host_.size() * sizeof(float), host_.data());
  }

  // Checks that buffers that are one element too small are rejected, then enqueues the call.
  // Returns the number of wrong statuses.
  int enqueue(tw_library* library) const {
    int wrong = 0;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Call& call = calls_[i];
      const cl::Buffer c = make_sub_buffer(buffer_, begin(i), floats_);
      const cl::Buffer less = make_sub_buffer(buffer_, begin(i), floats_ - 1);
      const auto status = [&](const cl::Buffer& a, const cl::Buffer& b, const cl::Buffer& to) {
        return sgemm(library, d_, g_, call, a, b, to, offset_, ld_);
      };
      if (call.alpha != 0.0f) {  // otherwise A and B are not read
        wrong += status(call.a->less, call.b->exact, c) != TW_INSUFFICIENT_BUFFER_A;
        wrong += status(call.a->exact, call.b->less, c) != TW_INSUFFICIENT_BUFFER_B;
      }
      wrong += status(call.a->exact, call.b->exact, less) != TW_INSUFFICIENT_BUFFER_C;
      wrong += status(call.a->exact, call.b->exact, c) != TW_SUCCESS;
    }
    return wrong;
  }

  // Returns the first error in the results, or "".
  std::string verdict(const HostProduct& product) {
    std::vector<float> got(host_.size());
    d_.queue.enqueueReadBuffer(buffer_, CL_TRUE, 0, got.size() * sizeof(float), got.data());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      for (std::size_t row = 0; row < g_.m; ++row) {
        for (std::size_t column = 0; column < g_.n; ++column) {
          const std::size_t line = before_.by_rows ? row : column;
          const std::size_t at = begin(i) + offset_ + line * ld_ + (before_.by_rows ? column : row);
          const std::size_t in_product = row * g_.n + column;
          if (!is_right(calls_[i], product, in_product, before_.at(row, column), got[at])) {
            return "C(" + std::to_string(row) + ", " + std::to_string(column) + ") is " +
                   std::to_string(got[at]) + ": " + described(calls_[i]);
          }
          got[at] = host_[at];
        }
      }
    }
    const bool untouched = std::memcmp(got.data(), host_.data(), got.size() * sizeof(float)) == 0;
    return untouched ? "" : "something outside of C was written: " + described(calls_.front());
  }

 private:
  std::size_t begin(std::size_t call) const { return guard_ + call * apart_; }

  bool is_right(const Call& call, const HostProduct& product, std::size_t at, float before,
                float got) const {
    double expected = call.alpha * product.sum[at];
    double magnitude = std::abs(call.alpha) * product.magnitude[at];
    if (call.beta != 0.0f) {
      expected += call.beta * static_cast<double>(before);
      magnitude += std::abs(call.beta * static_cast<double>(before));
    }
    const double bound = static_cast<double>(g_.k + 4) * std::ldexp(magnitude, -24) + 1e-37;
    return std::abs(got - expected) <= bound;  // false for NaN
  }

  std::string described(const Call& call) const {
    std::string text = "layout, transposes, m, n, k, alpha, offset and ld of A, B, beta, of C:";
    for (const double value : std::initializer_list<double>{
             double(g_.layout), double(g_.ta), double(g_.tb), double(g_.m), double(g_.n),
             double(g_.k), call.alpha, double(call.a->offset), double(call.a->ld),
             double(call.b->offset), double(call.b->ld), call.beta, double(offset_), double(ld_)}) {
      text.append(" ").append(std::to_string(value));
    }
    return text;
  }

  const TestDevice& d_;
  const Group& g_;
  const Dense& before_;
  std::size_t offset_, ld_;
  const std::vector<Call>& calls_;
  std::size_t guard_ = 0, floats_ = 0, apart_ = 0;  // floats
  std::vector<float> host_;
  cl::Buffer buffer_;
};

// The matrix at all positions that are in the grid and that BLAS allows.
std::vector<Placed> places(const TestDevice& d, const Grid& grid, const Dense& dense) {
  std::vector<Placed> result;
  for (const std::size_t ld : kValues) {
    for (const std::size_t offset : grid.offsets) {
      if (ld >= dense.length) result.emplace_back(d, dense, offset, ld);
    }
  }
  return result;
}

// Checks that leading dimensions that are less than the length of a line are rejected, with the
// status of the first invalid one. Returns the number of wrong statuses. `buffer` is large enough
// for any matrix.
int refuse_leading_dimensions(tw_library* library, const TestDevice& d, const Grid& grid,
                              const Group& g, const cl::Buffer& buffer, std::size_t length_a,
                              std::size_t length_b, std::size_t length_c) {
  int wrong = 0;
  const auto status = [&](std::size_t lda, std::size_t ldb, std::size_t ldc, std::size_t offset,
                          float alpha, float beta) {
    return tw_sgemm(library, d.queue(), g.layout, g.ta, g.tb, g.m, g.n, g.k, alpha, buffer(),
                    offset, lda, buffer(), offset, ldb, beta, buffer(), offset, ldc, 0, nullptr,
                    nullptr);
  };
  for (const std::size_t lda : kValues) {
    for (const std::size_t ldb : kValues) {
      for (const std::size_t ldc : kValues) {
        if (lda >= length_a && ldb >= length_b && ldc >= length_c) continue;
        const tw_status expected = lda < length_a   ? TW_INVALID_LD_A
                                   : ldb < length_b ? TW_INVALID_LD_B
                                                    : TW_INVALID_LD_C;
        for (const std::size_t offset : grid.offsets) {
          for (const float alpha : grid.scalars) {
            for (const float beta : grid.scalars) {
              wrong += status(lda, ldb, ldc, offset, alpha, beta) != expected;
            }
          }
        }
      }
    }
  }
  return wrong;
}

struct Counts {
  std::size_t products = 0;
  int wrong_statuses = 0;
};

void check_group(tw_library* library, const TestDevice& d, const Grid& grid, const Group& g,
                 const cl::Buffer& large, Counts& counts) {
  std::mt19937 random(static_cast<unsigned>(g.m + 3 * g.n + 5 * g.k));
  const Dense a = random_matrix(g, g.m, g.k, g.ta, random);
  const Dense b = random_matrix(g, g.k, g.n, g.tb, random);
  const Dense c = random_matrix(g, g.m, g.n, TW_NO_TRANS, random);
  counts.wrong_statuses +=
      refuse_leading_dimensions(library, d, grid, g, large, a.length, b.length, c.length);
  const HostProduct product(g, a, b);
  const std::vector<Placed> all_a = places(d, grid, a);
  const std::vector<Placed> all_b = places(d, grid, b);
  std::vector<Call> calls;
  for (const Placed& in_a : all_a) {
    for (const Placed& in_b : all_b) {
      for (const float alpha : grid.scalars) {
        for (const float beta : grid.scalars) calls.push_back({&in_a, &in_b, alpha, beta});
      }
    }
  }
  for (const std::size_t ldc : kValues) {
    if (ldc < c.length) continue;
    for (const std::size_t offset : grid.offsets) {
      ManyC many(d, g, c, offset, ldc, calls);
      counts.wrong_statuses += many.enqueue(library);
      CHECK(many.verdict(product) == "");
      counts.products += calls.size();
    }
  }
}

Counts check_grid(tw_library* library, const TestDevice& d, const Grid& grid) {
  Counts counts;
  const cl::Buffer large(d.context, CL_MEM_READ_WRITE, 2 * 64 * 64 * sizeof(float));
  for (const tw_layout layout : {TW_ROW_MAJOR, TW_COLUMN_MAJOR}) {
    for (const tw_transpose ta : {TW_NO_TRANS, TW_TRANS}) {
      for (const tw_transpose tb : {TW_NO_TRANS, TW_TRANS}) {
        for (const std::size_t m : kValues) {
          for (const std::size_t n : kValues) {
            for (const std::size_t k : kValues) {
              check_group(library, d, grid, {layout, ta, tb, m, n, k}, large, counts);
            }
          }
        }
      }
    }
  }
  CHECK(counts.wrong_statuses == 0);
  return counts;
}

TEST_CASE("the grid of arguments with the kernels of the built-in profile") {
  const TestDevice d;
  const std::string path = TILEWRIGHT_DATA "/generic.toml";
  const OpenLibrary open(d, options_with_path(path));
  const Counts counts = check_grid(open.library, d, {{0, 10}, {0.0f, 1.0f, -3.14f}});
  // Of 64 combinations of extents and leading dimensions, 27 are long enough for TT, and 30
  // otherwise.
  CHECK(counts.products == std::size_t{2} * (3 * 30 + 27) * 8 * 9);
}

TEST_CASE("a grid of arguments with kernels that require A and B in panels") {
  const TestDevice d;
  const std::string profile = make_profile_text(d, panels());
  const OpenLibrary open(d, options_with_text(profile));
  CHECK(check_grid(open.library, d, {{10}, {1.0f, 3.14f}}).products > 0);
}

}  // namespace
}  // namespace tilewright

// Stores the matrices X and Y of a network layer in tests, and launches a kernel from X to Y or in
// place.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernel_case.hpp"

namespace tilewright {

// The matrices are row-major, unless `dense` with padding and gaps. Everything that is not an
// element of X is NaN, including X's padding; all of Y is NaN.
struct LayerCase {
  std::int64_t m;
  std::int64_t n;
  std::int64_t padded_m;
  std::int64_t padded_n;
  bool in_place;
  HostMatrix x;
  HostMatrix y;

  LayerCase(std::int64_t rows, std::int64_t columns, bool dense, bool place, std::mt19937& random)
      : m(rows),
        n(columns),
        padded_m(padded(rows, dense, random)),
        padded_n(padded(columns, dense, random)),
        in_place(place),
        x(matrix(dense, random)),
        y(matrix(dense, random)) {}

  // Stores `element(i, j)` in X (in place: also in Y).
  template <class Element>
  void fill(Element&& element) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) x.at(i, j) = element(i, j);
    }
  }

  // The contents of Y's buffer after the kernel has run; `more` are the arguments after ldy.
  template <class... More>
  std::vector<float> run(const TestDevice& d, const cl::Kernel& kernel, const KernelRecord& record,
                         std::array<std::int64_t, 2> range, const More&... more) {
    if (in_place) y = x;
    const cl::Buffer to = upload(d, y.data);
    const cl::Buffer from = in_place ? to : upload(d, x.data);
    launch(d, kernel, record, range[0], range[1], static_cast<int>(m), static_cast<int>(n),
           static_cast<int>(padded_m), static_cast<int>(padded_n), from,
           static_cast<cl_ulong>(x.offset), static_cast<int>(x.ld), to,
           static_cast<cl_ulong>(y.offset), static_cast<int>(y.ld), more...);
    if (!in_place) before_ = same_bits(download(d, from), x.data);
    return download(d, to);
  }

  // Checks that Y has the elements that `right(i, j, got)` accepts, zeros in its padding, and that
  // nothing else has changed. Returns "" or the error.
  template <class Right>
  std::string wrong(std::vector<float> got, Right&& right) {
    if (!before_) return "X was written";
    const bool launched = padded_m > 0 && padded_n > 0;
    for (std::int64_t i = 0; launched && i < padded_m; ++i) {
      for (std::int64_t j = 0; j < padded_n; ++j) {
        const auto place = static_cast<std::size_t>(y.offset + y.layout.index(i, j, y.ld));
        const bool inside = i < m && j < n;
        if (inside ? !right(i, j, got[place]) : !(got[place] == 0.0f)) {
          return "Y(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                 std::to_string(got[place]);
        }
        got[place] = y.data[place];
      }
    }
    return same_bits(got, y.data) ? "" : "something outside of Y was written";
  }

 private:
  static std::int64_t padded(std::int64_t extent, bool dense, std::mt19937& random) {
    return dense ? extent : extent + static_cast<std::int64_t>(random() % 3);
  }
  HostMatrix matrix(bool dense, std::mt19937& random) const {
    const auto some = [&] { return static_cast<std::int64_t>(random() % 7); };
    return {Layout::R(), padded_m, padded_n, some(), dense ? 0 : some(), 64};
  }

  bool before_ = true;
};

}  // namespace tilewright

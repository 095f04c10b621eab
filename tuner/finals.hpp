// Which of the best candidates wins on each shape?
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tuner/screening.hpp"

namespace tilewright {

struct Finalist {
  Screened screened;
  std::unique_ptr<LoadedKernel> kernel;
  std::vector<std::vector<double>> samples;  // per shape, ns of one launch
};

// The finalists that a screening leaves: the best by cost, the best on each screening shape, and
// the best general one, without repeats.
std::vector<Screened> choose_finalists(const std::vector<Screened>& screened);

// Does the kernel take any offset, leading dimension and extent, as its caller has them?
bool is_general(const ParameterPoint& point);
// Index of the best general finalist by cost; nullopt if there is none that works.
std::optional<std::size_t> best_general(const std::vector<Finalist>& finalists);

// Measures the finalists on all shapes in rounds: a round goes over all shapes and takes one sample
// of each finalist there, in random order, so that whatever the machine does for seconds meets all
// alike. Who is clearly behind on a shape after the first round leaves it, and so does who cannot
// take its extents. At least two rounds, then more while the time lasts. Finalists that fail are
// left with the samples they have.
void run_finals(const Executor& executor, const cl::CommandQueue& queue, Op op,
                const std::vector<GemmShape>& shapes, std::vector<Finalist>& finalists,
                double seconds, std::uint64_t seed);

// Index of the winner on a shape: the least median; of those that tie with it, the simplest point.
// Finalists without at least two samples there cannot win. Throws std::runtime_error if nobody can.
std::size_t winner(const std::vector<Finalist>& finalists, std::size_t shape);

}  // namespace tilewright

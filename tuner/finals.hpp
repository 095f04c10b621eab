// Which of the best candidates wins on each shape?
#pragma once

#include <memory>
#include <vector>

#include "tuner/screening.hpp"

namespace tilewright {

struct Finalist {
  Screened screened;
  std::unique_ptr<LoadedKernel> kernel;
  std::vector<std::vector<double>> samples;  // per shape, ns of one launch
};

// The finalists that a screening leaves: the best by cost, and the best on each screening shape,
// without repeats.
std::vector<Screened> choose_finalists(const std::vector<Screened>& screened);

// Measures the finalists on all shapes in rounds: a round goes over all shapes and takes one sample
// of each finalist there, in random order, so that whatever the machine does for seconds meets all
// alike. Who is clearly behind on a shape after the first round leaves it. At least two rounds,
// then more while the time lasts. Finalists that fail are left with the samples they have.
void run_finals(const Executor& executor, const cl::CommandQueue& queue, Op op,
                const std::vector<GemmShape>& shapes, std::vector<Finalist>& finalists,
                double seconds, std::uint64_t seed);

// Index of the winner on a shape: the least median; of those that tie with it, the simplest point.
// Finalists without at least two samples there cannot win. Throws std::runtime_error if nobody can.
std::size_t winner(const std::vector<Finalist>& finalists, std::size_t shape);

}  // namespace tilewright

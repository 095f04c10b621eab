// Evaluates the choices of a profile on products that were not tuned.
//
// Random products are measured as whole calls, alternately with the chosen plan, the next best
// predicted plans, and the plan that runs without the profile. The measurements go into the models,
// and kernels are chosen again. At the end, other products show how good the choices are. These
// functions do not access a device.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/select/selection.hpp"

namespace tilewright {

struct RandomProduct {
  Op op;
  GemmShape shape;
};

// Returns random products from the distribution for which a tuning without --shapes is made, the
// same number for each op of the tuning. Each `draw` gives different products.
std::vector<RandomProduct> random_products(const JournalHeader& header, std::size_t count,
                                           std::size_t draw);

// Returns one large square for each op of the tuning: a quarter of what --max-dispatch allows, at
// the best rate that a kernel has reached. The shapes for which kernels are searched are smaller,
// so only this product shows what caches that overflow cost. None if the shapes of the tuning
// contain products of this size, or nothing was measured.
std::vector<RandomProduct> large_products(const JournalContents& contents);

// Returns the products of one draw, after `tried` products were tried: random ones, and at the end
// of the first draw the large ones, which are at most half of it. `count` is the number of
// products.
std::vector<RandomProduct> products_of_draw(const JournalContents& contents, std::size_t count,
                                            std::size_t tried);

// Returns how much slower the chosen plans are than the best known ones, as a geometric mean: 0.02
// means 2 %. Only plans that are faster beyond the noise of the measurement count. 0 for no
// products.
double regret(std::span<const ValidatedProduct> products);

// Returns the times of product kernels on the products that are not held out, and of the built-in
// kernel that runs without the profile. Launches and auxiliary kernels are subtracted, and times
// are converted to those of the finals, as the models need them. The results have name, op, shape
// and median.
std::vector<ShapeResult> validated_results(const JournalContents& contents);

// The smallest number of products that were held out from which a figure follows.
inline constexpr std::size_t kMinHeldOut = 12;

// Summarizes the products that were held out; nullopt if fewer than kMinHeldOut were measured with
// and without the profile. Another profile is compared if as many were measured with it, too.
std::optional<Validation> summarize_validation(const JournalContents& contents);

// Returns a sentence about the products of summarize_validation(): their extents, and the speeds of
// narrow ones and of the others over that with the built-in kernels. Kernels for narrow products
// gain more, so a figure of all products depends on how many of them are narrow. Empty if these are
// fewer than kMinHeldOut.
std::string held_out_line(const JournalContents& contents);

// Returns sentences for people.
std::vector<std::string> validation_lines(const Validation& validation);

}  // namespace tilewright

#include "tuner/tuning/stages/validation_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "tuner/select/selection.hpp"
#include "tuner/select/validation.hpp"
#include "tuner/tuning/stages/product_trials.hpp"

namespace tilewright {
namespace {

using End = ProductTrials::End;

constexpr std::size_t kProductsOfDraw = 24;
constexpr std::size_t kHeldOut = 60;
constexpr double kGoodRegret = 0.01;  // up to this the validation stops early
constexpr double kBadRegret = 0.03;   // from this on the validation gets more time,
constexpr double kLessRegret = 0.8;   // as long as each draw reduces the regret to this part of it
constexpr std::size_t kHeldOutDraw = ~std::size_t{0} - 1;  // no draw of products that count
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Measures the products with the profile of what the journal holds now.
End measure_products(TuneContext& context, std::vector<RandomProduct>& left, bool held_out,
                     double until_s) {
  const TuneOptions& options = context.options;
  const End end =
      ProductTrials(context, make_profile(context.journal.contents(), options.max_kernels,
                                          options.command_line, options.joins))
          .run(left, held_out, until_s);
  context.journal.append_time_spent(kOnValidation);
  return end;
}

std::string validation_text(const JournalContents& contents) {
  const std::vector<ValidatedProduct> known = validated_products(contents);
  if (known.empty()) return "validation on random products";
  return fmt::format("validation: {} products, chosen plans at {:.0f} % of the best", known.size(),
                     100.0 / (1.0 + regret(known)));
}

// True if nothing but large products is left: there was no time for these.
bool has_only_large(const std::vector<RandomProduct>& left, const JournalContents& contents) {
  const std::vector<RandomProduct> large = large_products(contents);
  return std::all_of(left.begin(), left.end(), [&](const RandomProduct& product) {
    return !large.empty() && product.shape == large.front().shape;
  });
}

// The products that are held out and have no line in the journal.
std::vector<RandomProduct> left_to_hold_out(const JournalContents& contents, std::size_t count) {
  std::vector<RandomProduct> products = random_products(contents.header, count, kHeldOutDraw);
  std::erase_if(products, [&](const RandomProduct& product) {
    return std::ranges::any_of(contents.products, [&](const ValidatedProduct& other) {
      return other.held_out && other.op == product.op && other.shape == product.shape;
    });
  });
  return products;
}

}  // namespace

double product_s(const JournalContents& contents) {
  if (contents.products.empty()) return 0.0;
  return contents.spent.on(kOnValidation) / static_cast<double>(contents.products.size());
}

bool validate(TuneContext& context, ValidationTimes times) {
  if (!is_validated(context.options)) return true;
  const JournalContents& contents = context.journal.contents();
  const auto wanted = static_cast<std::size_t>(context.options.validate);
  if (wanted > 0) times = {kInfinity, kInfinity};
  double last_regret = kInfinity;
  while (context.journal.now_s() < times.until_s) {
    const auto tried = static_cast<std::size_t>(
        std::ranges::count(contents.products, false, &ValidatedProduct::held_out));
    if (wanted > 0 && tried >= wanted) return true;
    const std::size_t before = validated_products(contents).size();
    context.progress.stage(validation_text(contents));
    const std::size_t count =
        wanted > 0 ? std::min(kProductsOfDraw, wanted - tried) : kProductsOfDraw;
    std::vector<RandomProduct> left = products_of_draw(contents, count, tried);
    End end = End::kChooseAgain;
    while (end == End::kChooseAgain) {
      end = measure_products(context, left, false, times.until_s);
    }
    if (end == End::kStopped) return false;
    if (end == End::kTime && !has_only_large(left, contents)) return true;
    const std::vector<ValidatedProduct> known = validated_products(contents);
    if (known.size() == before) return true;
    const double now = regret(std::span(known).subspan(before));
    if (wanted == 0 && now < kGoodRegret) return true;
    // What does not shrink is noise, or a limit of the models.
    if (now > kBadRegret && now < kLessRegret * last_regret) times.until_s = times.latest_s;
    last_regret = now;
  }
  return true;
}

bool hold_out(TuneContext& context, double until_s) {
  const JournalContents& contents = context.journal.contents();
  const auto wanted = static_cast<std::size_t>(context.options.validate);
  // The choice of kernels in a part of a tuning is not that of the merged journals.
  if (context.options.shards > 1) return true;
  if (wanted > 0) until_s = kInfinity;
  // Fewer products than count would be in vain.
  const std::size_t missing =
      kMinHeldOut - std::min(kMinHeldOut, held_out_products(contents).size());
  const double needed_s = product_s(contents) * static_cast<double>(missing);
  if (wanted == 0 && context.journal.now_s() + needed_s > until_s) return true;
  context.progress.stage("measuring what the profile gains");
  while (true) {
    std::vector<RandomProduct> left = left_to_hold_out(contents, wanted > 0 ? wanted : kHeldOut);
    if (left.empty()) return true;
    const End end = measure_products(context, left, true, until_s);
    if (end == End::kStopped) return false;
    if (end != End::kChooseAgain) return true;
  }
}

}  // namespace tilewright

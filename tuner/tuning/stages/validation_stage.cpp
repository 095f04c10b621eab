#include "tuner/tuning/stages/validation_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

#include "profiles/base/write_file.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/bench/benchmark.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kProductsOfDraw = 24;
constexpr std::size_t kHeldOut = 60;
constexpr std::size_t kPlans = 5;     // number of plans per product, the best predicted ones
constexpr double kSeconds = 0.15;     // minimal time per product; nine rounds may take longer
constexpr double kGoodRegret = 0.01;  // up to this the validation stops early
constexpr double kBadRegret = 0.03;   // from this on the validation gets more time
constexpr std::size_t kHeldOutDraw = ~std::size_t{0} - 1;  // no draw of products that count

// While it exists, builds and launches are not recorded in the journal as those of candidates.
class WithoutPhases {
 public:
  explicit WithoutPhases(DeviceWorker& worker)
      : worker_(worker), on_phase_(std::exchange(worker.on_phase, nullptr)) {}
  WithoutPhases(const WithoutPhases&) = delete;
  WithoutPhases& operator=(const WithoutPhases&) = delete;
  ~WithoutPhases() { worker_.on_phase = std::move(on_phase_); }

 private:
  DeviceWorker& worker_;
  std::function<void(const WorkerActivity&)> on_phase_;
};

// A file with the profile, which the worker reads. It is removed by the destructor.
class CandidateFile {
 public:
  CandidateFile(const std::string& journal, const Profile& profile)
      : path_(journal + ".candidate") {
    write_file_atomically(path_, write_profile(profile));
  }
  CandidateFile(const CandidateFile&) = delete;
  CandidateFile& operator=(const CandidateFile&) = delete;
  ~CandidateFile() { std::remove(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Products {
 public:
  Products(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options)
      : worker_(worker),
        record_(record),
        options_(options),
        profile_(make_profile(record.contents(), options.max_kernels, options.command_line,
                              options.joins)),
        built_in_(built_in_profile(worker.facts())),
        file_(record.path(), profile_) {
    worker_.abandon();  // a worker process does not reopen the profile
  }

  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  ~Products() { worker_.abandon(); }  // frees the buffers of the process, too

  // Returns false if a stop was requested. Products that cannot be measured are reported to
  // `progress`.
  bool measure(const std::vector<RandomProduct>& products, bool held_out, double until_s,
               TuneProgress& progress);

 private:
  DeviceWorker& worker_;
  TuningJournal& record_;
  const TuneOptions& options_;
  Profile profile_;
  Profile built_in_;
  CandidateFile file_;
};

bool Products::measure(const std::vector<RandomProduct>& products, bool held_out, double until_s,
                       TuneProgress& progress) {
  const WithoutPhases without_phases(worker_);
  BenchReport report;
  double longest_s = 0.0;  // longest time of a product so far
  for (const auto& [op, shape] : products) {
    if (StopSignal::requested()) return false;
    const double start_s = record_.now_s();
    if (start_s + longest_s > until_s) break;
    BenchRequest request;
    request.profile = file_.path();
    request.competitors = {"builtin"};
    request.precision = options_.precision;
    request.seconds = kSeconds;
    request.seed = options_.seed;
    request.op = op;
    request.shape = shape;
    request.all_plans = true;
    request.max_plans = kPlans;
    request.max_dispatch_ns = options_.measure.max_dispatch_ns;
    const std::size_t known = report.results.size();
    try {
      run_benchmark(worker_, {request}, report, [](const BenchReport&) {});
    } catch (const std::runtime_error&) {
      if (StopSignal::requested()) return false;
      throw;
    }
    for (const std::string& why : report.missing) {
      progress.note(fmt::format("validation: {} {}: {}", to_text(op), to_text(shape), why));
    }
    report.missing.clear();
    if (report.results.size() == known) continue;
    auto product = validated_product(report.results.back(), {&profile_, &built_in_});
    if (!product) continue;
    product->held_out = held_out;
    record_.append(*std::move(product));
    longest_s = std::max(longest_s, record_.now_s() - start_s);
  }
  return !StopSignal::requested();
}

// Returns the 10th percentile of the rounds, because on a busy CPU the median of a few short
// samples may be wrong by a factor.
double undisturbed_ns(const BenchFigure& figure) {
  return figure.is_measured() ? figure.ns().low : 0.0;
}

// Returns the product kernel among the kernels of a plan; null if no profile contains it.
const KernelRecord* product_kernel(const std::vector<std::string>& kernels,
                                   const std::vector<const Profile*>& profiles) {
  for (const Profile* profile : profiles) {
    for (const std::string& name : kernels) {
      const KernelRecord* kernel = find_kernel(*profile, name);
      if (kernel != nullptr && is_product(kernel->role)) return kernel;
    }
  }
  return nullptr;
}

}  // namespace

bool is_validated(const TuneOptions& options) {
  return options.designed > 0 && !options.b_prepacked && options.candidates == 0 &&
         options.rounds == 0;
}

std::optional<ValidatedProduct> validated_product(const BenchResult& result,
                                                  const std::vector<const Profile*>& profiles) {
  ValidatedProduct product;
  product.op = result.op;
  product.shape = result.shape;
  const auto add = [&](const BenchFigure& figure) {
    const KernelRecord* kernel = product_kernel(figure.kernels, profiles);
    if (kernel == nullptr || !figure.is_measured()) return;
    const KernelId id = parse_kernel(kernel->point);
    const auto same = std::find_if(product.plans.begin(), product.plans.end(),
                                   [&](const ValidatedPlan& plan) { return plan.kernel == id; });
    if (same == product.plans.end()) {
      product.plans.push_back({id, undisturbed_ns(figure), figure.predicted_ns});
    } else if (same->predicted_ns == 0.0) {
      // The chosen plan is also the best predicted one and was measured twice. The time of the
      // library's call counts.
      same->predicted_ns = figure.predicted_ns;
    }
  };
  const BenchFigure& own = result.figure(FigureKind::kOwn);
  add(own);
  if (product.plans.empty()) return std::nullopt;
  for (const BenchFigure* plan : result.all(FigureKind::kPlan)) add(*plan);
  product.built_in_ns = undisturbed_ns(result.figure(FigureKind::kCompetitor, "builtin"));
  product.launch_ns = undisturbed_ns(result.figure(FigureKind::kLaunchFloor));
  return product;
}

bool validate(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
              TuneProgress& progress, double until_s, double latest_s) {
  while (record.now_s() < until_s) {
    const std::vector<ValidatedProduct>& known = record.contents().validated;
    const std::size_t before = known.size();
    progress.stage(fmt::format("validation, {} products measured", before));
    const auto products = random_products(record.contents().header, kProductsOfDraw, before);
    Products draw(worker, record, options);
    if (!draw.measure(products, false, until_s, progress)) return false;
    if (known.size() == before) return true;  // no time for another product
    const double now = regret(std::span(known).subspan(before));
    if (now < kGoodRegret) return true;
    if (now > kBadRegret) until_s = latest_s;
  }
  return true;
}

bool hold_out(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
              TuneProgress& progress, double until_s) {
  progress.stage("measuring what the profile gains");
  const std::vector<RandomProduct> products =
      unmeasured(random_products(record.contents().header, kHeldOut, kHeldOutDraw),
                 record.contents().held_out);
  if (products.empty()) return true;
  return Products(worker, record, options).measure(products, true, until_s, progress);
}

}  // namespace tilewright

// Fits the models of all kernels that may be chosen, and evaluates these kernels on shapes that
// were not measured.
//
// If the shapes of a tuning come from a design, they represent all shapes that users may need. A
// choice of kernels is then evaluated on the predicted times for random shapes, too. These
// functions do not access a device.
#pragma once

#include "tuner/select/selection.hpp"

namespace tilewright {

// Returns the result of a kernel on a shape, as profiles store it. `ns` is the estimate from the
// samples.
ShapeResult shape_result(const KernelRecord& kernel, const GemmShape& shape,
                         const std::vector<double>& samples_ns, double ns, double max_error);

// Returns a profile of the kernels of the standings that have not failed: their results on every
// shape on which they were measured, and models that are fitted to these and to
// validated_results(). With `joined`, the profile also has its kernels and results, and the models
// are fitted to these, too; models of types that were not tuned again are those of `joined`. Only
// kernels that `joined` has, too, have a source.
Profile fitted_profile(const JournalContents& contents, const Standings& standings,
                       const std::optional<Profile>& joined = std::nullopt);

// Adds 400 random shapes for each op as problems. On these, a plan takes the time that its kernel's
// model predicts (MeasuredTimes::kernel_ns()). `fitted` is the fitted_profile() of the standings.
// Together they have twice the weight of the measured shapes of the design, and a shape that the
// user asked for has four times the weight of one of the design. Without a design the standings are
// returned unchanged.
Standings over_distribution(Standings standings, const JournalContents& contents,
                            const Profile& fitted);

// Sets the weights of the problems of standings(): a shape that the user asked for has four times
// the weight of one of the design.
void weigh_measured(Standings& standings, const JournalHeader& header);

// Returns the kernels that a profile would contain, at most `max_kernels` (0: as many as improve
// it). `joined` is the profile to which the tuning is added.
Portfolio make_portfolio(const JournalContents& contents, const Standings& standings,
                         int max_kernels, const std::optional<Profile>& joined = std::nullopt);

}  // namespace tilewright

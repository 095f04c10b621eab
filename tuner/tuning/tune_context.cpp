#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

std::variant<Outcomes, Stopped, OutOfTime> measure(TuneContext& context,
                                                   const MeasureRequest& request) {
  auto measured = context.worker.run(request);
  if (auto* outcomes = std::get_if<Outcomes>(&measured)) {
    for (Outcome& outcome : *outcomes) {
      if (request.one_process && context.worker.lost_process()) outcome.shapes.clear();
    }
    context.journal.append(*outcomes);
  }
  // What was running when the time was over is not to blame for a later reboot.
  context.journal.append_idle();
  return measured;
}

}  // namespace tilewright

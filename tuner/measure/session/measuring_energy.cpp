// Measures the energy of kernels.
#include <algorithm>

#include "runtime/call/opencl_error.hpp"
#include "tuner/energy/energy_sample.hpp"
#include "tuner/measure/device/device_sensors.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/measure/session/measuring.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {

void Measuring::measure_energy(std::vector<KernelRun*> runs, std::size_t shape) {
  const SensorChoice sensors = find_device_sensors(session_.device, request_.sensors);
  std::shuffle(runs.begin(), runs.end(), session_.random_);
  for (KernelRun* run : runs) {
    if (run->out || run->samples.ns.empty()) continue;
    if (sensors.missing.empty()) {
      sample_joules(sensors, *run, shape);
    } else {
      run->samples.no_energy = sensors.missing;
    }
    reopen_after(*run);
  }
}

// Launches the kernel back to back, as samples of its time do.
void Measuring::sample_joules(const SensorChoice& sensors, KernelRun& runner, std::size_t shape) {
  const std::optional<PreparedRun> ready = prepare(runner, shape);
  if (!ready) return;
  const auto& [part, expected_ns, scale] = ready->part;
  EnergyRule rule;
  rule.min_s = request_.energy_s;
  rule.max_calls_at_once = kMaxLaunchesOfBatch;
  const double call_s = 1e-9 * expected_ns;
  const Launch launch = ready->job.launch(part);
  const auto run = [&](int launches) {
    for (int i = 0; i < launches; ++i) {
      const Launched launched = launch();
      const auto* error = std::get_if<KernelError>(&launched);
      if (error != nullptr) throw Error(TW_OPENCL_ERROR, error->reason);
    }
    check_opencl(session_.queue().finish(), "clFinish");
  };
  try {
    announce_launch(runner, expected_sample_s(rule, call_s));
    warm_up_sensors(sensors.sensors, rule, call_s, run, steady_now_s);
    EnergyMeter meter(sensors.sensors);
    const EnergySampled sampled = sample_energy(meter, rule, call_s, run, steady_now_s);
    if (const auto* why = std::get_if<std::string>(&sampled)) {
      runner.samples.no_energy = *why;
      return;
    }
    const auto& sample = std::get<EnergySample>(sampled);
    runner.samples.joules.push_back(sample.joules / sample.calls * scale);
  } catch (const Error& error) {
    fail(runner, OutcomeClass::kLaunch, error.what());
  }
}

}  // namespace tilewright

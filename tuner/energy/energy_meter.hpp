// Counts the joules that one or several sensors measure.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {

// How often power is sampled.
inline constexpr std::chrono::milliseconds kPowerSamplePeriod{10};

// Reads energy counters when asked. If a sensor measures power instead, a thread samples it and
// integrates it by the trapezoidal rule.
class EnergyMeter {
 public:
  // Starts counting. Throws std::system_error if the thread cannot be started.
  explicit EnergyMeter(std::vector<EnergySensor> sensors,
                       std::chrono::milliseconds period = kPowerSamplePeriod);
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  // Returns the joules of all sensors together since the constructor, or why a sensor can no longer
  // be read. After a failure it returns that failure. Must be called more often than a counter
  // restarts at 0 (a RAPL counter at 200 W: after about 20 minutes). Thread-safe.
  SensorReading joules();
  // True if a sensor measures power. Then joules() is new at each reading, even if it is equal.
  bool samples_power() const { return samples_power_; }

 private:
  using Clock = std::chrono::steady_clock;
  // A sensor, and what it has measured so far.
  struct Channel {
    EnergySensor sensor;
    double last = 0.0;  // the latest joules or watts
    Clock::time_point last_at = {};
    double joules = 0.0;
  };

  // These need the mutex. read() adds what the sensor has measured since its last reading.
  bool start(Channel& channel);
  bool read(Channel& channel);
  bool fail(const Channel& channel, const std::string& why);
  void sample_power();

  std::chrono::milliseconds period_;
  bool samples_power_ = false;
  std::mutex mutex_;
  std::vector<Channel> channels_;
  std::string failure_;
  bool is_over_ = false;
  std::condition_variable over_;
  std::thread sampler_;
};

}  // namespace tilewright

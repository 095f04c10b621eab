#include "tuner/energy/energy_meter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {

EnergyMeter::EnergyMeter(std::vector<EnergySensor> sensors, std::chrono::milliseconds period)
    : period_(period) {
  for (EnergySensor& sensor : sensors) {
    samples_power_ = samples_power_ || !sensor.info.counts_energy;
    channels_.push_back({std::move(sensor)});
  }
  for (Channel& channel : channels_) {
    if (!start(channel)) return;
  }
  if (samples_power_) sampler_ = std::thread([this] { sample_power(); });
}

EnergyMeter::~EnergyMeter() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  if (sampler_.joinable()) sampler_.join();
}

SensorReading EnergyMeter::joules() {
  const std::lock_guard lock(mutex_);
  double sum = 0.0;
  for (Channel& channel : channels_) {
    if (!failure_.empty() || !read(channel)) return failure_;
    sum += channel.joules;
  }
  return sum;
}

bool EnergyMeter::fail(const Channel& channel, const std::string& why) {
  failure_ =
      fmt::format("the sensor {} cannot be read any more: {}", channel.sensor.info.name, why);
  return false;
}

bool EnergyMeter::start(Channel& channel) {
  const SensorReading first = channel.sensor.read();
  if (const auto* why = std::get_if<std::string>(&first)) return fail(channel, *why);
  channel.last = std::get<double>(first);
  channel.last_at = Clock::now();
  return true;
}

bool EnergyMeter::read(Channel& channel) {
  const SensorReading reading = channel.sensor.read();
  if (const auto* why = std::get_if<std::string>(&reading)) return fail(channel, *why);
  const double value = std::get<double>(reading);
  const Clock::time_point now = Clock::now();
  if (channel.sensor.info.counts_energy) {
    double difference = value - channel.last;
    if (difference < 0.0) difference += channel.sensor.wraps_at_j;
    if (difference < 0.0) return fail(channel, "its energy counter went backwards");
    channel.joules += difference;
  } else {
    const double seconds = std::chrono::duration<double>(now - channel.last_at).count();
    channel.joules += 0.5 * (value + channel.last) * seconds;
  }
  channel.last = value;
  channel.last_at = now;
  return true;
}

// Runs in the thread until the meter is destroyed or a sensor fails.
void EnergyMeter::sample_power() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, period_, [this] { return is_over_; })) {
    for (Channel& channel : channels_) {
      if (!failure_.empty()) return;
      if (!channel.sensor.info.counts_energy) read(channel);
    }
  }
}

}  // namespace tilewright

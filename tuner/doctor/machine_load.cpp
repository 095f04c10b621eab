#include "tuner/doctor/machine_load.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tuner/doctor/board_files.hpp"

namespace tilewright {
namespace {

constexpr double kBusyShare = 0.2;  // of the cores; less disturbs measurements little
constexpr auto kGlance = std::chrono::milliseconds(200);

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double own_s() {
  double sum_s = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum_s += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum_s;
}

}  // namespace

std::optional<ProcessorTime> processor_time(const std::string& root) {
  const BoardFiles files(root);
  ProcessorTime time;
  for (const std::string& line : files.lines("/proc/stat")) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() < 9 || !words[0].starts_with("cpu")) break;
    if (words[0] != "cpu") {
      ++time.cores;
      continue;
    }
    // user, nice, system, irq, softirq and steal, without idle and iowait
    for (const std::size_t place : {1, 2, 3, 6, 7, 8}) {
      time.used_s +=
          std::strtod(words[place].c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
  }
  if (time.cores == 0) return std::nullopt;
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  time.at_s = now.count();
  time.own_s = own_s();
  time.load_average = std::strtod(files.line("/proc/loadavg").c_str(), nullptr);
  return time;
}

std::string busy_text(const std::optional<ProcessorTime>& from,
                      const std::optional<ProcessorTime>& to) {
  if (!from || !to || to->at_s <= from->at_s) return "";
  const double others_s = (to->used_s - from->used_s) - (to->own_s - from->own_s);
  const double cores = others_s / (to->at_s - from->at_s);
  if (cores < kBusyShare * to->cores) return "";
  return fmt::format("other programs use {:.1f} of {} core{} (load {:.1f})", cores, to->cores,
                     to->cores == 1 ? "" : "s", to->load_average);
}

LoadWatch::LoadWatch() : before_(processor_time()) {
  std::this_thread::sleep_for(kGlance);
  start_ = processor_time();
}

std::string LoadWatch::at_start() const {
  const std::string busy = busy_text(before_, start_);
  return busy.empty() ? "" : fmt::format("warning: {}; figures are unreliable", busy);
}

std::string LoadWatch::at_end(const std::vector<Summary>& times) const {
  const std::string busy = busy_text(start_, processor_time());
  if (busy.empty()) return "";
  const double spread = typical_spread(times);
  return fmt::format("warning: {}{}; figures are unreliable", busy,
                     spread > 0.0 ? fmt::format(", times vary by {:.0f} %", 100.0 * spread) : "");
}

double typical_spread(const std::vector<Summary>& times) {
  std::vector<double> spreads;
  for (const Summary& time : times) {
    if (time.samples > 1) spreads.push_back((time.high - time.low) / time.median);
  }
  return spreads.empty() ? 0.0 : quantile(std::move(spreads), 0.5);
}

}  // namespace tilewright

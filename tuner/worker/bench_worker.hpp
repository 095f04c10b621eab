// How does `bench` survive the kernels that it measures?
//
// A kernel of a profile may crash or hang, and takes its process along. So a worker process
// (worker_process.hpp) does all of the measuring, and says what it is about to do and what is to be
// printed; this process prints, and when the worker is lost it can tell in which kernel.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/records/worker_protocol.hpp"
#include "tuner/worker/worker_lines.hpp"

namespace tilewright {

// What the command line says.
struct BenchArguments {
  std::string device;
  std::string profile;
  std::string shapes = "paper";
  std::string ops = "nn,nt,tn";
  std::vector<std::string> rivals;
  std::string points;
  std::string seconds;
  std::string launch_deadline = "10s";
  bool packs = false;
  bool all_plans = false;
  bool json = false;
  std::string command_line;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BenchArguments, device, profile, shapes, ops, rivals, points,
                                   seconds, launch_deadline, packs, all_plans, json, command_line)

// What the worker tells while it measures.
struct BenchTalk {
  std::function<void(const PrintLine&)> print;
  Announce announce;
};

// Measures, in the process that calls it.
void run_bench(const BenchArguments& arguments, const BenchTalk& talk);

// Measures in a worker process, and prints what it says. Throws what the measuring throws, and
// std::runtime_error if the worker dies or hangs; what it measured before is printed then.
void bench_in_worker(const BenchArguments& arguments);

}  // namespace tilewright

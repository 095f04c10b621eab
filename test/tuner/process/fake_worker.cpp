// A worker without a device, which follows the protocol and misbehaves on request.
//
// --device determines how it starts and whether it is healthy, --cache-dir names a file in which it
// records what it did, and the kernel determines what happens to it (kernel_ways.hpp).
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "kernel_ways.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/call/error.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/worker_channel.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

struct Fake {
  std::string device;
  std::string log;
  int channel = -1;
  int starts = 0;  // of all workers with this log

  void note(const std::string& what) const { std::ofstream(log, std::ios::app) << what << '\n'; }
  void print(const std::string& text) const {
    if (::write(channel, text.data(), text.size()) < 0) std::_Exit(9);
  }
};

[[noreturn]] void die_by_signal(int number) {
  std::signal(number, SIG_DFL);  // otherwise sanitizers would handle it
  std::raise(number);
  std::_Exit(9);
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

[[noreturn]] void spin() {
  volatile bool running = true;
  while (running) {
  }
  std::_Exit(9);
}

void flood() {
  const std::string line(1023, 'x');
  for (int i = 0; i < 8192; ++i) std::fprintf(stderr, "%s\n", line.c_str());
}

void start_child_that_stays(const Fake& fake) {
  const pid_t child = ::fork();
  if (child == 0) sleep_for_ever();
  fake.note("child " + std::to_string(child));
}

void misbehave(const std::string& how, const Fake& fake) {
  if (how == "segv") die_by_signal(SIGSEGV);
  if (how == "kill") die_by_signal(SIGKILL);
  if (how == "abort") {
    std::fprintf(stderr, "driver: assertion failed\n");
    die_by_signal(SIGABRT);
  }
  if (how == "exit") std::_Exit(3);
  if (how == "sleep") sleep_for_ever();
  if (how == "spin") spin();
  if (how == "garbage") fake.print("Segmentation fault\n");
  if (how == "list") fake.print("[1, 2]\n");
  if (how == "broken-activity") fake.print("{\"activity\": {\"kind\": \"nap\"}}\n");
  if (how == "half") {
    fake.print("{\"reply\": {\"po");
    std::_Exit(0);
  }
  if (how == "half-sleep") {
    fake.print("{\"reply\": {\"po");
    sleep_for_ever();
  }
  if (how == "close") {
    ::close(fake.channel);
    sleep_for_ever();
  }
  if (how == "flood") flood();
  if (how == "flood-abort") {
    flood();
    std::fprintf(stderr, "the end\n");
    die_by_signal(SIGABRT);
  }
  if (how == "child-segv") {
    start_child_that_stays(fake);
    die_by_signal(SIGSEGV);
  }
  if (how == "noise") std::printf("the driver says hello\n");
  if (how == "error") throw Error(TW_OPENCL_ERROR, "clFinish: CL_OUT_OF_RESOURCES", -5);
  if (how == "usage") throw UsageError("no such device");
  if (how == "memory") throw std::bad_alloc();
}

// "segv@build" misbehaves before "build" is finished.
void misbehave_at(const std::string& where, const std::string& way, const Fake& fake) {
  const std::size_t at = way.find('@');
  if (at != std::string::npos && way.substr(at + 1) == where) {
    misbehave(way.substr(0, at), fake);
  }
}

json try_candidate(const std::string& point, const std::string& reference, const Fake& fake,
                   WorkerChannel& channel) {
  const std::string way = kernel_way(point);
  misbehave_at("start", way, fake);
  if (fake.starts == 1) misbehave_at("first-start", way, fake);
  if (!reference.empty()) channel.announce({WorkerActivityKind::kBuild, reference, 0.0});
  channel.announce({WorkerActivityKind::kBuild, point, 0.0, "", true});
  fake.note("build " + way);
  misbehave_at("build", way, fake);
  if (!reference.empty()) channel.announce({WorkerActivityKind::kLaunch, reference, 0.0});
  for (int i = 0; i < 3; ++i) {
    channel.announce({WorkerActivityKind::kLaunch, point, 0.001, "", true});
    fake.note("launch " + way);
    misbehave_at("launch", way, fake);
    if (fake.starts == 1) misbehave_at("first-launch", way, fake);
  }
  Outcome outcome;
  outcome.max_error = 0.25;
  json reply = outcome;
  reply["point"] = point;  // the requested text need not be a kernel
  return reply;
}

// Returns the number after this word; 1 if there is none.
int number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? 1 : std::atoi(text.c_str() + at + word.size());
}

// Returns the time of a kernel: by its number if it has a way, otherwise computed from its tile.
double fake_time_ns(const std::string& kernel, int request, const Fake& fake) {
  const int place = kernel_way(kernel) != kernel
                        ? kernel_number(parse_kernel(kernel))
                        : 10 * number_after(kernel, "tile_n=") + number_after(kernel, "tile_m=");
  // Kernels that are sometimes up to a tenth slower, in some workers permanently, remain uncertain.
  if (fake.device == "noisy") {
    const int of_tile = number_after(kernel, "tile_m=") / 4;
    const int round = request + 5 * fake.starts;
    return 100.0 + (round * 31 + of_tile * 17) % 11 + (fake.starts * 13 + of_tile * 5) % 7;
  }
  return 100.0 * (place + 1);
}

// Measures the kernels one after the other. With "segv-in-third", the second worker (the first one
// of a final) dies in the second kernel of its third request.
Outcomes measure(const MeasureRequest& request, int requests, const Fake& fake,
                 WorkerChannel& channel) {
  Outcomes outcomes = requested_outcomes(request);
  const std::string first = kernel_way(request.kernels.at(0).text());
  misbehave_at("start", first, fake);
  if (fake.starts == 1) misbehave_at("first-start", first, fake);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Outcome& outcome = outcomes[i];
    const std::string& kernel = outcome.kernel.text();
    const std::string way = kernel_way(kernel);
    if (way == "cannot") {
      outcome.result = OutcomeClass::kLimits;
      outcome.reason = "cannot";
      continue;
    }
    channel.announce({WorkerActivityKind::kBuild, kernel, 0.0, "", request.is_new});
    misbehave_at("build", way, fake);
    channel.announce({WorkerActivityKind::kLaunch, kernel, 0.0, "", request.is_new});
    misbehave_at("launch", way, fake);
    if (fake.starts == 1) misbehave_at("first-launch", way, fake);
    const std::size_t in_third = fake.device.find("-in-third");
    if (in_third != std::string::npos && fake.starts == 2 && requests == 3 && i == 1) {
      misbehave(fake.device.substr(0, in_third), fake);
    }
    outcome.shapes.emplace_back();
    outcome.shapes[0].shape = request.shapes.at(0);
    outcome.shapes[0].ns = {fake_time_ns(kernel, requests, fake)};
  }
  return outcomes;
}

OpenedDevice fake_device(const Fake& fake) {
  DeviceInfo facts;
  facts.identity.name = fake.device == "other" && fake.starts > 1 ? "another" : "fake";
  facts.kind = DeviceKind::kCpu;
  return {facts};
}

// With "health-segv" every health check dies, with "health2-segv" the first two.
void check_health(const Fake& fake) {
  const bool twice = fake.device.rfind("health2-", 0) == 0;
  if (fake.device.rfind("health-", 0) == 0 || (twice && fake.starts <= 3)) {
    misbehave(fake.device.substr(fake.device.find('-') + 1), fake);
  }
}

json answer(const json& message, const Fake& fake, WorkerChannel& channel) {
  const std::string what = message.at("do");
  fake.note(what);
  if (what == "hello") return fake_device(fake);
  if (what == "measure") {
    static int requests = 0;
    ++requests;
    const json& request = message.at("request");
    if (request.contains("shapes")) {
      return {{"outcomes", measure(request.get<MeasureRequest>(), requests, fake, channel)}};
    }
    const json outcome =
        try_candidate(request.at("kernels").at(0), request.value("reference", ""), fake, channel);
    return {{"outcomes", json::array({outcome})}};
  }
  if (what == "rates") {
    misbehave_at("rates", fake.device, fake);
    MeasuredRates reply;
    reply.peak_gflops = 7.0;
    return reply;
  }
  if (what == "health") {
    check_health(fake);
    return true;
  }
  throw std::runtime_error("what is '" + what + "'?");
}

int run(const Fake& fake) {
  fake.note("start");
  if (fake.device.rfind("again-", 0) == 0 && fake.starts > 1) {
    misbehave(fake.device.substr(6), fake);
  }
  WorkerChannel channel(fake.channel);
  channel.serve([&](const json& message) {
    if (fake.device.rfind("first-", 0) == 0) misbehave(fake.device.substr(6), fake);
    return answer(message, fake, channel);
  });
  return 0;
}

int starts_in(const std::string& log) {
  std::ifstream file(log);
  int starts = 0;
  for (std::string line; std::getline(file, line);) starts += line == "start" ? 1 : 0;
  return starts;
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 2; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  tilewright::Fake fake;
  fake.device = options["--device"];
  fake.log = options["--cache-dir"];
  fake.channel = std::atoi(options["--channel"].c_str());
  fake.starts = tilewright::starts_in(fake.log) + 1;
  return tilewright::run(fake);
}

// A worker without a device: speaks the protocol, and misbehaves as it is asked to.
//
// --device says how it starts and how healthy it is, --cache-dir names a file in which it notes
// what it did, a candidate (and a finalist, and a demand) what becomes of it: kernel_ways.hpp.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "kernel_ways.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/terminal/usage_error.hpp"
#include "tuner/worker/worker_channel.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

struct Fake {
  std::string device;
  std::string log;
  int channel = -1;
  int starts = 0;  // of all workers with this log

  void note(const std::string& what) const { std::ofstream(log, std::ios::app) << what << '\n'; }
  void say(const std::string& text) const {
    if (::write(channel, text.data(), text.size()) < 0) std::_Exit(9);
  }
};

[[noreturn]] void die_of(int number) {
  std::signal(number, SIG_DFL);  // sanitizers would take it for theirs
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
  if (how == "segv") die_of(SIGSEGV);
  if (how == "kill") die_of(SIGKILL);
  if (how == "abort") {
    std::fprintf(stderr, "driver: assertion failed\n");
    die_of(SIGABRT);
  }
  if (how == "exit") std::_Exit(3);
  if (how == "sleep") sleep_for_ever();
  if (how == "spin") spin();
  if (how == "garbage") fake.say("Segmentation fault\n");
  if (how == "list") fake.say("[1, 2]\n");
  if (how == "broken-phase") fake.say("{\"phase\": {\"kind\": \"nap\"}}\n");
  if (how == "half") {
    fake.say("{\"reply\": {\"po");
    std::_Exit(0);
  }
  if (how == "half-sleep") {
    fake.say("{\"reply\": {\"po");
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
    die_of(SIGABRT);
  }
  if (how == "child-segv") {
    start_child_that_stays(fake);
    die_of(SIGSEGV);
  }
  if (how == "noise") std::printf("the driver says hello\n");
  if (how == "error") throw Error(TW_OPENCL_ERROR, "clFinish: CL_OUT_OF_RESOURCES", -5);
  if (how == "usage") throw UsageError("no such device");
  if (how == "memory") throw std::bad_alloc();
}

// "segv@build" misbehaves before "build" is done.
void misbehave_at(const std::string& where, const std::string& way, const Fake& fake) {
  const std::size_t at = way.find('@');
  if (at != std::string::npos && way.substr(at + 1) == where) {
    misbehave(way.substr(0, at), fake);
  }
}

json try_candidate(const std::string& point, const std::string& reference, const Fake& fake,
                   WorkerChannel& channel) {
  const std::string way = way_of(point);
  misbehave_at("start", way, fake);
  if (fake.starts == 1) misbehave_at("first-start", way, fake);
  if (!reference.empty()) channel.announce({PhaseKind::kBuild, reference, 0.0});
  channel.announce({PhaseKind::kBuild, point, 0.0});
  fake.note("build " + way);
  if (point == "talks") {
    channel.print({PrintLine::To::kDraft, "so far"});
    channel.print({PrintLine::To::kOut, "a line\nand another\n"});
    channel.print({PrintLine::To::kError, "a warning"});
  }
  misbehave_at("build", way, fake);
  if (!reference.empty()) channel.announce({PhaseKind::kLaunch, reference, 0.0});
  for (int i = 0; i < 3; ++i) {
    channel.announce({PhaseKind::kLaunch, point, 0.001});
    fake.note("launch " + way);
    misbehave_at("launch", way, fake);
    if (fake.starts == 1) misbehave_at("first-launch", way, fake);
  }
  Outcome outcome;
  outcome.max_error = 0.25;
  json reply = outcome;
  reply["point"] = point;  // what was asked for need not be a kernel
  return reply;
}

RoundReply measure_round(const RoundRequest& request, const Lineup& lineup, const Fake& fake,
                         WorkerChannel& channel) {
  RoundReply reply;
  reply.round.shape = request.shape;
  reply.round.round = request.round;
  reply.round.block = request.block;
  const auto way = [&](std::size_t index) { return way_of(lineup.finalists.at(index).text()); };
  const auto run = [&](std::size_t index) {
    channel.announce({PhaseKind::kLaunch, std::to_string(index), 0.0});
    misbehave_at("launch", way(index), fake);
    if (fake.starts == 1) misbehave_at("first-launch", way(index), fake);
    const auto place = static_cast<int>(index);
    // Of finalists that are up to a tenth slower now and then, and in some workers all the time,
    // little is ever known.
    if (fake.device == "noisy") {
      return 100.0 + (request.round * 31 + place * 17) % 11 + (request.block * 13 + place * 5) % 7;
    }
    return 100.0 * (place + 1);
  };
  misbehave_at("start", way(0), fake);
  for (const std::size_t index : request.runs) {
    if (way(index) == "cannot") {
      reply.failures[index] = "cannot";
    } else {
      reply.round.ns[index] = run(index);
    }
  }
  return reply;
}

DeviceFacts facts_of(const Fake& fake) {
  DeviceFacts facts;
  facts.identity.name = fake.device == "other" && fake.starts > 1 ? "another" : "fake";
  facts.type = "cpu";
  return facts;
}

// "health-segv": every health check dies; "health2-segv": the first two do.
void check_health(const Fake& fake) {
  const bool twice = fake.device.rfind("health2-", 0) == 0;
  if (fake.device.rfind("health-", 0) == 0 || (twice && fake.starts <= 3)) {
    misbehave(fake.device.substr(fake.device.find('-') + 1), fake);
  }
}

json answer(const json& message, Lineup& lineup, const Fake& fake, WorkerChannel& channel) {
  const std::string what = message.at("do");
  fake.note(what);
  if (what == "hello") return facts_of(fake);
  if (what == "trial") {
    const json& request = message.at("request");
    return try_candidate(request.at("point"), request.value("reference", ""), fake, channel);
  }
  if (what == "prepare") {
    return try_candidate(message.at("request").at("point"), "", fake, channel);
  }
  if (what == "round") {
    const auto request = message.at("request").get<RoundRequest>();
    if (!request.lineup.finalists.empty()) lineup = request.lineup;
    return measure_round(request, lineup, fake, channel);
  }
  if (what == "pack") {
    const auto request = message.at("request").get<PackRequest>();
    channel.announce({PhaseKind::kLaunch, "pack", 0.0});
    const std::string way = way_of(to_text(request.demand));
    misbehave_at("launch", way, fake);
    if (!request.excluded.empty()) fake.note("without " + request.excluded.back().text());
    if (fake.starts == 1) misbehave_at("first-start", way, fake);
    return PackReply{parse_kernel(kFoundPack), 0.5};
  }
  if (what == "rates") {
    misbehave_at("rates", fake.device, fake);
    RatesReply reply;
    reply.rates.peak_gflops = 7.0;
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
  Lineup lineup;
  WorkerChannel channel(fake.channel);
  while (const auto message = channel.next_request()) {
    try {
      if (fake.device.rfind("first-", 0) == 0) misbehave(fake.device.substr(6), fake);
      channel.reply(answer(*message, lineup, fake, channel));
    } catch (const SupervisorGone&) {
      return 0;
    } catch (const std::exception&) {
      channel.reply_current_exception();
    }
  }
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

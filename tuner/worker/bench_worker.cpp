#include "tuner/worker/bench_worker.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tuner/records/shapes.hpp"
#include "tuner/terminal/say.hpp"
#include "tuner/worker/worker_process.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

std::string at_work(const Phase& phase) {
  if (phase.what.empty()) return "before it was at work";
  const char* doing = phase.kind == PhaseKind::kStart   ? "preparing"
                      : phase.kind == PhaseKind::kBuild ? "building or checking"
                                                        : "running";
  return fmt::format("while it was {} {}", doing, phase.what);
}

std::string sentence(const WorkerLost& lost) {
  std::string text = fmt::format("bench is over: the process that measures {} {}. ", lost.how,
                                 at_work(lost.phase));
  const std::string words = last_words_sentence(lost.last_words);
  if (!words.empty()) text += words.substr(1) + ". ";
  return text +
         "What was measured before is printed; `tilewright verify` tells which kernels of a "
         "profile do not work";
}

}  // namespace

void bench_in_worker(const BenchArguments& arguments) {
  Deadlines deadlines;
  deadlines.launch_s = parse_duration("--launch-deadline", arguments.launch_deadline);
  WorkerProcess worker("", {"worker"}, deadlines);
  std::string draft;
  worker.on_print = [&](const PrintLine& line) {
    if (line.to == PrintLine::To::kDraft) {
      draft = line.text;
      return;
    }
    std::FILE* const stream = line.to == PrintLine::To::kOut ? stdout : stderr;
    say_lines(stream, line.text);
    std::fflush(stream);
  };
  worker.send({{"do", "bench"}, {"request", arguments}});
  for (;;) {
    WorkerProcess* const processes[] = {&worker};
    wait_for_any(processes, 1.0);
    const std::optional<WorkerAnswer> answer = worker.poll();
    if (!answer) continue;
    if (const auto* lost = std::get_if<WorkerLost>(&*answer)) {
      say_lines(draft);
      std::fflush(stdout);  // before the sentence that says why no more follows
      throw std::runtime_error(sentence(*lost));
    }
    const json& message = std::get<json>(*answer);
    say_lines(stderr, worker.last_words());  // of drivers and rivals
    if (message.contains("error")) throw_error(message["error"]);
    return;
  }
}

}  // namespace tilewright

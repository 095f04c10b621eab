#include "tuner/journal/journal_starts.hpp"

#include <string_view>

namespace tilewright {
namespace {

bool is_auxiliary(std::string_view what) {
  const std::string_view codelet = what.substr(0, what.find(' '));
  return codelet == "pack" || codelet == "reduce";
}

}  // namespace

JournalStarts::Started& JournalStarts::find_or_add(const std::string& what) {
  const auto [place, is_new] = places_.emplace(what, started_.size());
  if (is_new) started_.push_back({what});
  return started_[place->second];
}

void JournalStarts::start(const std::string& what, WorkerActivityKind kind) {
  Started& started = find_or_add(what);
  started.kind = kind;
  const auto alone = [](const Started& each) { return each.tried || is_auxiliary(each.what); };
  if (alone(started)) {
    for (Started& other : started_) {
      if (alone(other)) other.in_flight = false;
    }
    started.proves = true;
  }
  started.in_flight = true;
}

void JournalStarts::idle(const std::string& what) {
  const auto place = places_.find(what);
  if (place != places_.end()) started_[place->second].in_flight = false;
}

void JournalStarts::outcome(const KernelId& kernel) {
  find_or_add(kernel.text()) = {kernel.text(), WorkerActivityKind::kLaunch, true};
}

void JournalStarts::came_back() {
  for (Started& started : started_) {
    if (started.proves) started = {started.what, started.kind, started.tried};
    started.in_flight = false;
  }
}

void JournalStarts::end_of_session(bool rebooted) {
  for (Started& started : started_) {
    started.proves = false;
    if (!started.in_flight) continue;
    started.in_flight = false;
    started.left = true;
    if (rebooted) ++started.deaths;
  }
}

std::vector<std::string> JournalStarts::in_progress() const {
  std::vector<std::string> list;
  for (const Started& started : started_) {
    if (started.in_flight) list.push_back(started.what);
  }
  return list;
}

std::vector<Unfinished> JournalStarts::left(bool tried) const {
  std::vector<Unfinished> list;
  for (const Started& started : started_) {
    if (!(started.left || started.in_flight) || started.tried != tried) continue;
    list.push_back({started.what, started.deaths, started.kind});
  }
  return list;
}

}  // namespace tilewright

#include "tuner/commands/command_bench_table.hpp"

#include <cstdio>

#include "tuner/terminal/say.hpp"

namespace tilewright {

int run_bench_table(const std::string& name, TableRequest request, bool json) {
  if (name == "list") {
    say_lines(list_of_tables());
    return 0;
  }
  const SeedTable& table = choose_table(name);
  request.told = [](const std::string& text) { say(stderr, "{}\n", text); };
  TableBench bench(std::move(request));
  const TableReport report = bench.run(table);
  say_lines(json ? to_json(table, report) + "\n" : to_text(table, report));
  if (report.crashes == 0) return 0;
  say(stderr, "tilewright: {} kernels crashed, as the notes say\n", report.crashes);
  return 1;
}

}  // namespace tilewright

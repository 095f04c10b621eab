// bench --table: a table of theirs, with what stands beside it here.
#pragma once

#include <string>

#include "tuner/tables/table_bench.hpp"

namespace tilewright {

// Prints the table, or the list of them where the name is "list". Answers the exit code.
int run_bench_table(const std::string& name, TableRequest request, bool json);

}  // namespace tilewright

#include "tuner/measure/device/cpu_driver.hpp"

#include <sched.h>
#include <stdlib.h>

#include "catch.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

TEST_CASE(
    "there is a warning for PoCL unless its threads are pinned, and none for other platforms") {
  const std::string pocl = "Portable Computing Language, OpenCL 3.0 PoCL 3.1";
  {
    const ScopedVariable unset("POCL_AFFINITY", nullptr);
    CHECK(thread_warning(pocl).find("POCL_AFFINITY=1") != std::string::npos);
    CHECK(thread_warning("ARM Platform, OpenCL 1.2").empty());
  }
  {
    const ScopedVariable off("POCL_AFFINITY", "0");
    CHECK_FALSE(thread_warning(pocl).empty());
  }
  const ScopedVariable pinned("POCL_AFFINITY", "1");
  CHECK(thread_warning(pocl).empty());
}

TEST_CASE("PoCL's threads are pinned unless the user has decided otherwise") {
  {
    const ScopedVariable off("POCL_AFFINITY", "0");
    pin_driver_threads();
    CHECK(std::string(::getenv("POCL_AFFINITY")) == "0");
  }
  const ScopedVariable unset("POCL_AFFINITY", nullptr);
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  bool first_cores = true;
  for (int i = 0; i < CPU_COUNT(&before); ++i) first_cores = first_cores && CPU_ISSET(i, &before);
  pin_driver_threads();
  CHECK((::getenv("POCL_AFFINITY") != nullptr) == first_cores);
  if (!first_cores || CPU_COUNT(&before) < 2) return;
  ::unsetenv("POCL_AFFINITY");
  cpu_set_t without_first = before;
  CPU_CLR(0, &without_first);
  REQUIRE(::sched_setaffinity(0, sizeof without_first, &without_first) == 0);
  pin_driver_threads();
  const std::string warning = thread_warning("Portable Computing Language, OpenCL 3.0 PoCL 3.1");
  ::sched_setaffinity(0, sizeof before, &before);
  // Setting the variable would pin threads to a core that the process may not use.
  CHECK(warning.find("taskset") != std::string::npos);
  CHECK(warning.find("set POCL_AFFINITY=1") == std::string::npos);
  CHECK(::getenv("POCL_AFFINITY") == nullptr);
}

}  // namespace
}  // namespace tilewright

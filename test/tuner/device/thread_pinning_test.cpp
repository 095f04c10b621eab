#include "tuner/device/thread_pinning.hpp"

#include "catch.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

TEST_CASE("PoCL is warned of unless its threads are pinned, others never") {
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

}  // namespace
}  // namespace tilewright

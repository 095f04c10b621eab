#include "runtime/device/processor.hpp"

#include <fstream>
#include <map>
#include <string>

#include "catch.hpp"

namespace tilewright {
namespace {

std::string arm_core(int number, const std::string& part, const std::string& revision = "4") {
  return "processor\t: " + std::to_string(number) +
         "\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd evtstrm aes\nCPU implementer\t: 0x41\n"
         "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: " +
         part + "\nCPU revision\t: " + revision + "\n\n";
}

#if defined(__x86_64__) || defined(__i386__)
TEST_CASE("an x86 processor is its vendor, family and model") {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> first;  // the value of the first line with each key
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    first.emplace(line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1),
                  line.substr(colon + 2));
  }
  if (first["vendor_id"].empty()) SKIP_CASE("/proc/cpuinfo does not describe the processor");
  CHECK(host_processor() ==
        first["vendor_id"] + " family " + first["cpu family"] + " model " + first["model"]);
}
#endif

TEST_CASE("an ARM processor is the implementers and parts of its cores") {
  CHECK(parse_cpuinfo(arm_core(0, "0xd03")) == "implementer 0x41 part 0xd03");
  CHECK(parse_cpuinfo(arm_core(0, "0xd03") + arm_core(1, "0xd03", "5")) ==
        "implementer 0x41 part 0xd03");
  // big.LITTLE, in whatever order the cores are numbered.
  const std::string both = "implementer 0x41 part 0xd03, implementer 0x41 part 0xd09";
  const std::string both_cores = arm_core(0, "0xd03") + arm_core(1, "0xd09");
  CHECK(parse_cpuinfo(both_cores + arm_core(2, "0xd03")) == both);
  CHECK(parse_cpuinfo(arm_core(0, "0xd09") + arm_core(1, "0xd03")) == both);
  // Only the beginning of a long file is read. A part that is cut is no part.
  CHECK(parse_cpuinfo(both_cores + "CPU implementer\t: 0x41\nCPU part\t: 0xd0") == both);
}

TEST_CASE("a 32-bit ARM kernel describes the processor alike") {
  const std::string board =
      "Hardware\t: BCM2835\nRevision\t: a02082\nSerial\t\t: 00000000deadbeef\n";
  CHECK(parse_cpuinfo("processor\t: 0\nmodel name\t: ARMv7 Processor rev 4 (v7l)\n" +
                      arm_core(1, "0xd03") + board) == "implementer 0x41 part 0xd03");
  // Linux 3.10 describes one core.
  CHECK(parse_cpuinfo("Processor\t: ARMv7 Processor rev 3 (v7l)\nprocessor\t: 0\n\n"
                      "processor\t: 1\n\nFeatures\t: swp half neon\nCPU implementer\t: 0x41\n"
                      "CPU architecture: 7\nCPU variant\t: 0x0\nCPU part\t: 0xc07\n"
                      "CPU revision\t: 3\n\n" +
                      board) == "implementer 0x41 part 0xc07");
}

TEST_CASE("other texts describe no known processor") {
  CHECK(parse_cpuinfo("").empty());
  CHECK(parse_cpuinfo("processor\t: 0\nhart\t: 0\nisa\t: rv64imafdc\nmmu\t: sv39\n").empty());
  CHECK(parse_cpuinfo("CPU part\t: 0xd03\n").empty());
  CHECK(parse_cpuinfo("no colon\n:\n::\n\n").empty());
  CHECK(parse_cpuinfo("CPU implementer: 0x41\nCPU part: \x1b[2J\n") ==
        "implementer 0x41 part \\x1b[2J");
}

}  // namespace
}  // namespace tilewright

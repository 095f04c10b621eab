#include "runtime/device/processor.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

std::string x86_core(int number, const std::string& stepping) {
  return "processor\t: " + std::to_string(number) +
         "\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
         "model name\t: AMD EPYC\nstepping\t: " +
         stepping + "\ncpu MHz\t\t: 2596.136\nflags\t\t: fpu vme de\npower management:\n\n";
}

std::string arm_core(int number, const std::string& part, const std::string& revision = "4") {
  return "processor\t: " + std::to_string(number) +
         "\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd evtstrm aes\nCPU implementer\t: 0x41\n"
         "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: " +
         part + "\nCPU revision\t: " + revision + "\n\n";
}

TEST_CASE("an x86 processor is its vendor, family and model") {
  const std::string expected = "AuthenticAMD family 25 model 17";
  CHECK(parse_cpuinfo(x86_core(0, "1") + x86_core(1, "1")) == expected);
  CHECK(parse_cpuinfo(x86_core(0, "2")) == expected);
  // Only the beginning of the file is read.
  CHECK(parse_cpuinfo(x86_core(0, "1") + x86_core(1, "1").substr(0, 70)) == expected);
  CHECK(parse_cpuinfo("vendor_id: GenuineIntel\ncpu family: 6\nmodel: 143\nstepping: 8") ==
        "GenuineIntel family 6 model 143");
}

TEST_CASE("an ARM processor is the implementers and parts of its cores") {
  CHECK(parse_cpuinfo(arm_core(0, "0xd03")) == "implementer 0x41 part 0xd03");
  CHECK(parse_cpuinfo(arm_core(0, "0xd03") + arm_core(1, "0xd03", "5")) ==
        "implementer 0x41 part 0xd03");
  // big.LITTLE, in whatever order the cores are numbered.
  const std::string both = "implementer 0x41 part 0xd03, implementer 0x41 part 0xd09";
  CHECK(parse_cpuinfo(arm_core(0, "0xd03") + arm_core(1, "0xd09") + arm_core(2, "0xd03")) == both);
  CHECK(parse_cpuinfo(arm_core(0, "0xd09") + arm_core(1, "0xd03")) == both);
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
  CHECK(parse_cpuinfo("vendor_id\t: AuthenticAMD\ncpu family\t: 25\n").empty());
  CHECK(parse_cpuinfo("vendor_id\t: \ncpu family\t: 25\nmodel\t: 1\n").empty());
  CHECK(parse_cpuinfo("CPU part\t: 0xd03\n").empty());
  CHECK(parse_cpuinfo("no colon\n:\n::\n\n").empty());
  CHECK(parse_cpuinfo("CPU implementer: 0x41\nCPU part: \x1b[2J\n") ==
        "implementer 0x41 part \\x1b[2J");
}

}  // namespace
}  // namespace tilewright

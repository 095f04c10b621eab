#include "tuner/cli/device_list.hpp"

#include <cstdio>
#include <set>

#include "tuner/cli/print.hpp"

namespace tilewright {

void print_failures(const std::vector<std::string>& failures) {
  static std::set<std::string> printed;  // several workers meet the same failures
  for (const std::string& failure : failures) {
    if (!printed.insert(failure).second) continue;
    print(stderr, "tilewright: {} (run tilewright doctor to find the cause)\n", failure);
  }
}

DeviceList list_devices() {
  DeviceList list = enumerate_devices();
  print_failures(list.failures);
  return list;
}

}  // namespace tilewright

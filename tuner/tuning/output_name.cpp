#include "tuner/tuning/output_name.hpp"

#include <fmt/format.h>

#include <cctype>

#include "profiles/hardware_name.hpp"

namespace tilewright {

std::string default_output(const DeviceInfo& device) {
  std::string file;
  for (const unsigned char c : hardware_name(device.identity.name)) {
    if (std::isalnum(c) != 0) {
      file += static_cast<char>(std::tolower(c));
    } else if (!file.empty() && file.back() != '-') {
      file += '-';
    }
  }
  while (!file.empty() && file.back() == '-') file.pop_back();
  if (file.empty()) file = "device";
  if (device.name_is_shared) file += fmt::format("-{}cu", device.identity.compute_units);
  return file + ".toml";
}

}  // namespace tilewright

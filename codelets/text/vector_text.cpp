#include "codelets/text/vector_text.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

// "pointer + offset" is "pointer[offset]".
std::string dereference(const std::string& address) {
  const std::size_t plus = address.find(" + ");
  if (plus == std::string::npos) return "*" + address;
  return fmt::format("{}[{}]", address.substr(0, plus), address.substr(plus + 3));
}

}  // namespace

std::string float_type(int width) {
  return width == 1 ? "float" : fmt::format("float{}", width);
}

std::string half_type(int width) {
  return width == 1 ? "half" : fmt::format("half{}", width);
}

std::string float_zero(int width) {
  return width == 1 ? "0.0f" : fmt::format("(float{})(0.0f)", width);
}

std::string float_lane(const std::string& name, int width, int lane) {
  return width == 1 ? name : fmt::format("{}.s{:x}", name, lane);
}

std::string float_vector(const std::vector<std::string>& lanes) {
  return lanes.size() == 1 ? lanes[0]
                           : fmt::format("(float{})({})", lanes.size(), fmt::join(lanes, ", "));
}

std::string float_load(int width, const std::string& address) {
  return width == 1 ? dereference(address) : fmt::format("vload{}(0, {})", width, address);
}

std::string float_store(int width, const std::string& value, const std::string& address) {
  return width == 1 ? fmt::format("{} = {};", dereference(address), value)
                    : fmt::format("vstore{}({}, 0, {});", width, value, address);
}

}  // namespace tilewright

#include "codelets/text/vector_text.hpp"

#include <fmt/ranges.h>

namespace tilewright {
namespace {

std::string vector_name(const char* name, int width) {
  return width == 1 ? name : fmt::format("{}{}", name, width);
}

// Text of the element at the address: "pointer + offset" becomes "pointer[offset]".
std::string dereference(const std::string& address) {
  const std::size_t plus = address.find(" + ");
  if (plus == std::string::npos) return "*" + address;
  return fmt::format("{}[{}]", address.substr(0, plus), address.substr(plus + 3));
}

}  // namespace

std::string real_type(int width) {
  return vector_name("REAL", width);
}

std::string half_type(int width) {
  return vector_name("half", width);
}

std::string real_zero(int width) {
  return width == 1 ? "0.0f" : fmt::format("({})(0.0f)", real_type(width));
}

std::string lane_text(const std::string& name, int width, int lane) {
  return width == 1 ? name : fmt::format("{}.s{:x}", name, lane);
}

std::string real_vector(const std::vector<std::string>& lanes) {
  return lanes.size() == 1 ? lanes[0]
                           : fmt::format("({})({})", real_type(static_cast<int>(lanes.size())),
                                         fmt::join(lanes, ", "));
}

std::string matrix_load(int width, const std::string& address, bool aligned) {
  const char* name = aligned && width > 1 ? "LOAD_ALIGNED" : "LOAD";
  return fmt::format("{}({})", vector_name(name, width), address);
}

std::string matrix_store(int width, const std::string& value, const std::string& address,
                         bool aligned) {
  const char* name = aligned && width > 1 ? "STORE_ALIGNED" : "STORE";
  return fmt::format("{}({}, {});", vector_name(name, width), value, address);
}

std::string plain_load(int width, const std::string& address) {
  return width == 1 ? dereference(address) : fmt::format("vload{}(0, {})", width, address);
}

std::string plain_store(int width, const std::string& value, const std::string& address) {
  return width == 1 ? fmt::format("{} = {};", dereference(address), value)
                    : fmt::format("vstore{}({}, 0, {});", width, value, address);
}

std::string aligned_load(int width, const std::string& type, const char* space,
                         const std::string& address) {
  if (width == 1) return plain_load(1, address);
  return fmt::format("*({} const {} *){}", space, type, parenthesized(address));
}

}  // namespace tilewright

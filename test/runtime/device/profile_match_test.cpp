// Which profiles match a device, and which of them is preferred.
#include "catch.hpp"
#include "profile_folder.hpp"

namespace tilewright {
namespace {

TEST_CASE(
    "a profile for the same driver is preferred, and one for another driver is used with a note") {
  const ProfileFolder folder("driver");
  DeviceIdentity older = board();
  older.driver = "r10p0";
  const std::string stale = folder.write("a.toml", make_profile_text(older));
  const SearchPath path{"", {folder.path.string()}};
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.origin == stale + " (matches the device); tuned with other software");
  CHECK(found.remarks.find("r10p0") != std::string::npos);
  const std::string exact = folder.write("b.toml", make_profile_text(board()));
  CHECK(find_profile(ProfileSource::automatic(), path, board()).path == exact);
}

// A Mali-T628 consists of two devices that differ only in their number of cores.
TEST_CASE("each half of a device uses its own profile if there is one, and otherwise the other's") {
  const ProfileFolder folder("halves");
  const SearchPath path{"", {folder.path.string()}};
  const auto half = [](int compute_units, const std::string& driver) {
    DeviceIdentity device = board();
    device.compute_units = compute_units;
    device.driver = driver;
    return device;
  };
  const auto serving = [&](const DeviceIdentity& device) {
    return find_profile(ProfileSource::automatic(), path, device);
  };
  const std::string four = folder.write("a-4cu.toml", make_profile_text(half(4, "r12p0")));
  CHECK(serving(half(2, "r12p0")).origin.find(four) == 0);
  CHECK(serving(half(2, "r12p0")).remarks.find("compute_units is '2'") != std::string::npos);
  CHECK(serving(half(2, "r12p0")).under_other_software);
  const std::string two = folder.write("b-2cu.toml", make_profile_text(half(2, "r12p0")));
  for (const char* driver : {"r12p0", "r14p0"}) {  // the same after an update of the driver
    CHECK(serving(half(4, driver)).origin.find(four) == 0);
    CHECK(serving(half(2, driver)).origin.find(two) == 0);
  }
  CHECK_FALSE(serving(half(2, "r12p0")).under_other_software);
}

TEST_CASE(
    "a profile of the same processor with other names by another driver is used if there is no "
    "better") {
  const ProfileFolder folder("relatives");
  DeviceIdentity mesa = board();
  mesa.vendor = "Mesa";
  mesa.opencl_c_version = "OpenCL C 1.2";
  const SearchPath path{"", {folder.path.string()}};
  const std::string file = folder.write("b.toml", make_profile_text(mesa));
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.path == file);
  CHECK(found.under_other_software);
  CHECK(found.origin == file + " (matches the device); tuned under another driver");
  CHECK(found.remarks.find("vendor is") != std::string::npos);
  CHECK(found.remarks.find("first use") != std::string::npos);
  // It comes after all profiles of this device, including those for another number of units.
  DeviceIdentity half = board();
  half.compute_units = 2;
  const std::string own = folder.write("c.toml", make_profile_text(half));
  CHECK(find_profile(ProfileSource::automatic(), path, board()).path == own);
  // If it is named, it still counts as a profile of another device.
  CHECK(thrown_status(ProfileSource::file(file), {}) == TW_WRONG_DEVICE);
}

TEST_CASE("a profile of another processor of the same name is only used if it is named") {
  const ProfileFolder folder("processors");
  const SearchPath path{"", {folder.path.string()}};
  DeviceIdentity here = board();
  here.processor = "AuthenticAMD family 26 model 2";
  DeviceIdentity other = here;
  other.processor = "AuthenticAMD family 25 model 17";
  const std::string file = folder.write("a.toml", make_profile_text(other));
  const auto find = [&](const DeviceIdentity& device) {
    return find_profile(ProfileSource::automatic(), path, device);
  };
  CHECK(find(here).profile.kind == ProfileKind::kGeneric);
  CHECK(find(here).remarks.find("; not used: " + file + " was tuned on the processor '" +
                                other.processor + "', and this is '" + here.processor + "'") !=
        std::string::npos);
  CHECK(find(other).origin == file + " (matches the device)");
  // Not a relative either, as under another vendor.
  DeviceIdentity relative = here;
  relative.vendor = "Mesa";
  CHECK(find(relative).path.empty());
  // A device whose processor is unknown uses it, and one whose profile has none uses that.
  CHECK(find(board()).path == file);
  const std::string unknown = folder.write("b.toml", make_profile_text(board()));
  CHECK(find(here).origin == unknown + " (matches the device)");
  const FoundProfile named = find_profile(ProfileSource::file(file), {}, here);
  CHECK(named.path == file);
  CHECK(named.under_other_software);
  CHECK(named.origin == file + "; tuned on another processor");
  CHECK(named.remarks.find("processor is '" + here.processor) != std::string::npos);
}

TEST_CASE("a profile is still used after an update changes the software in the device's name") {
  const ProfileFolder folder("updates");
  DeviceIdentity before = board();
  before.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  DeviceIdentity after = before;
  after.name = "llvmpipe (LLVM 19.1.7, 256 bits)";
  const std::string file = folder.write("a.toml", make_profile_text(before));
  const SearchPath path{"", {folder.path.string()}};
  for (const ProfileSource& source : {ProfileSource::automatic(), ProfileSource::file(file)}) {
    const FoundProfile found = find_profile(source, path, after);
    CHECK(found.path == file);
    CHECK(found.under_other_software);
    CHECK(found.origin.ends_with("; tuned with other software"));
    CHECK(found.remarks.find("'llvmpipe (LLVM 19.1.7, 256 bits)'") != std::string::npos);
  }
  // A profile that was tuned after the update takes precedence.
  const std::string exact = folder.write("b.toml", make_profile_text(after));
  CHECK(find_profile(ProfileSource::automatic(), path, after).path == exact);
  DeviceIdentity other = after;
  other.name = "llvmpipe (LLVM 19.1.7, 128 bits)";
  CHECK(thrown_status(ProfileSource::file(file), {}) == TW_WRONG_DEVICE);
  CHECK(find_profile(ProfileSource::automatic(), path, other).path.empty());
}

TEST_CASE("a profile of the same hardware must have sufficient limits and the same registers") {
  const ProfileFolder folder("strangers");
  DeviceIdentity wide = board();
  wide.name = "pthread-skylake-avx512-AMD EPYC";
  const SearchPath path{"", {folder.path.string()}};
  const std::string file = folder.write("a.toml", make_profile_text(wide));
  const auto is_used = [&](const DeviceIdentity& device) {
    return find_profile(ProfileSource::automatic(), path, device).path == file;
  };
  DeviceIdentity device = wide;
  device.vendor = "Mesa";
  CHECK(is_used(device));
  device.limits.max_work_group_size = 128;
  CHECK_FALSE(is_used(device));
  device = wide;
  device.vendor = "Mesa";
  device.name = "pthread-haswell-AMD EPYC";
  CHECK_FALSE(is_used(device));
}

TEST_CASE(
    "a predicted profile is used until there is a measured one, by the device's name and units") {
  const ProfileFolder folder("predicted");
  folder.write("a-g52.toml", make_predicted_text("Mali-G52", 4));
  folder.write("b-damaged-g52.toml", make_predicted_text("Mali-G52", 4) + "x");
  folder.write("c-two.toml", make_predicted_text("Mali-T628", 2));
  const std::string four = folder.write("d-four.toml", make_predicted_text("Mali-T62?", 4));
  folder.write("e-again.toml", make_predicted_text("Mali-T628", 4));
  folder.write("0-another.toml", make_predicted_text("Mali-T62", 4));  // board() is a Mali-T628
  const SearchPath path{"", {folder.path.string()}};
  const auto find = [&] { return find_profile(ProfileSource::automatic(), path, board()); };
  CHECK(find().origin.find(four + " (matches the device); predicted, not measured") == 0);
  CHECK(find().remarks.find("predicted for 'Mali-T62?'") != std::string::npos);
  CHECK(find().profile.kind == ProfileKind::kPredicted);
  CHECK(find().under_other_software);
  // A measured profile takes precedence, even for another driver.
  DeviceIdentity older = board();
  older.driver = "r10p0";
  const std::string stale = folder.write("f.toml", make_profile_text(older));
  CHECK(find().origin.find(stale + " (matches the device); tuned with other software") == 0);
  // A device for which the driver reports another name.
  DeviceIdentity renamed = board();
  renamed.name = "Mali-LODX r0p0";
  const std::string alias = folder.write("g.toml", make_predicted_text("Mali-G610|Mali-LODX", 4));
  CHECK(find_profile(ProfileSource::automatic(), path, renamed).origin.find(alias) == 0);
  // A device with lower limits than the kernels need.
  DeviceIdentity small = board();
  small.limits.max_work_group_size = 32;
  CHECK(find_profile(ProfileSource::automatic(), path, small).profile.kind ==
        ProfileKind::kGeneric);
  // If it is named, it must be for this device, too.
  const std::string other = (folder.path / "a-g52.toml").string();
  CHECK(thrown_status(ProfileSource::file(other), {}) == TW_WRONG_DEVICE);
  CHECK(thrown_status(ProfileSource::file(four), {}) == TW_SUCCESS);
}

}  // namespace
}  // namespace tilewright

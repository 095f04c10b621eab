#include "runtime/device/profile_search.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "deadline.hpp"
#include "profiles/built_in.hpp"
#include "profiles/digest.hpp"
#include "profiles/profile_text.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

DeviceIdentity board() {
  DeviceIdentity device;
  device.vendor = "ARM";
  device.name = "Mali-T628";
  device.opencl_c_version = "OpenCL C 1.1 ";
  device.limits = {256, {256, 256}, 32768, false, true};
  device.platform = "ARM Platform, OpenCL 1.1";
  device.driver = "r12p0";
  device.compute_units = 4;
  device.max_clock_mhz = 5;
  return device;
}

// The built-in kernels as a profile of `device`.
std::string make_profile_text(const DeviceIdentity& device) {
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kTuned;
  profile.device = device;
  return write_profile(profile);
}

struct Folder {
  fs::path path;
  explicit Folder(const std::string& name)
      : path(fs::temp_directory_path() /
             ("tilewright-search-" + std::to_string(::getpid()) + "-" + name)) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

tw_status thrown_status(const ProfileSource& source, const SearchPath& path) {
  try {
    find_profile(source, path, board());
    return TW_SUCCESS;
  } catch (const Error& error) {
    return error.status();
  }
}

TEST_CASE("a named profile must be readable, complete and for this device") {
  const Folder folder("named");
  DeviceIdentity other = board();
  other.name = "Mali-G52";
  const std::string good = folder.write("good.toml", make_profile_text(board()));
  const std::string wrong = folder.write("wrong.toml", make_profile_text(other));
  const std::string bad = folder.write("bad.toml", make_profile_text(board()).substr(0, 500));
  const std::string missing = (folder.path / "missing.toml").string();
  CHECK(thrown_status(ProfileSource::file(good), {}) == TW_SUCCESS);
  CHECK(thrown_status(ProfileSource::file(wrong), {}) == TW_WRONG_DEVICE);
  CHECK(thrown_status(ProfileSource::file(bad), {}) == TW_BAD_PROFILE);
  CHECK(thrown_status(ProfileSource::file(missing), {}) == TW_NO_PROFILE);
  CHECK(thrown_status(ProfileSource::file(folder.path.string()), {}) == TW_BAD_PROFILE);
  // A profile in TILEWRIGHT_PROFILE counts as named and takes precedence over the folders.
  CHECK(thrown_status(ProfileSource::automatic(), {wrong, {folder.path.string()}}) ==
        TW_WRONG_DEVICE);
  CHECK(thrown_status(ProfileSource::automatic(), {missing, {folder.path.string()}}) ==
        TW_NO_PROFILE);
  CHECK(find_profile(ProfileSource::automatic(), {good, {}}, board()).origin ==
        good + " (named by TILEWRIGHT_PROFILE)");
}

TEST_CASE("a profile given as text is checked like a file") {
  CHECK(thrown_status(ProfileSource::text(make_profile_text(board())), {}) == TW_SUCCESS);
  CHECK(thrown_status(ProfileSource::text("format = 1"), {}) == TW_BAD_PROFILE);
}

// Anybody who can write into a folder of profiles could block every program that opens a library.
TEST_CASE("a pipe or a device instead of a profile is skipped and reported, without blocking") {
  const Deadline deadline;
  const Folder folder("pipes");
  const std::string pipe = (folder.path / "a.toml").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", folder.path / "b.toml");
  fs::create_directory(folder.path / "c.toml");
  const SearchPath path{"", {folder.path.string()}};
  const FoundProfile none = find_profile(ProfileSource::automatic(), path, board());
  CHECK(none.origin.find("built-in (") == 0);
  for (const char* name : {"a.toml", "b.toml", "c.toml"}) {
    CHECK(none.origin.find((folder.path / name).string() + ": is not a regular file") !=
          std::string::npos);
  }
  const std::string good = folder.write("d.toml", make_profile_text(board()));
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.origin.find(good + " (matches the device); skipped a damaged profile: ") == 0);
  CHECK(thrown_status(ProfileSource::file(pipe), {}) == TW_BAD_PROFILE);
  CHECK(thrown_status(ProfileSource::automatic(), {pipe, {}}) == TW_BAD_PROFILE);
  CHECK(thrown_status(ProfileSource::file("/dev/zero"), {}) == TW_BAD_PROFILE);
}

TEST_CASE("a profile that others can have written is skipped, but may be named") {
  const Folder folder("shared");
  const std::string file = folder.write("a.toml", make_profile_text(board()));
  const SearchPath path{"", {folder.path.string()}};
  const auto origin = [&] {
    return find_profile(ProfileSource::automatic(), path, board()).origin;
  };
  CHECK(origin() == file + " (matches the device)");
  for (const std::string& shared : {file, folder.path.string()}) {
    INFO(shared);
    REQUIRE(::chmod(shared.c_str(), 0777) == 0);
    CHECK(origin().find("built-in (") == 0);
    CHECK(origin().find("; skipped a damaged profile: " + file + ": " + shared +
                        " can be written by other users") != std::string::npos);
    CHECK(thrown_status(ProfileSource::file(file), {}) == TW_SUCCESS);
    CHECK(thrown_status(ProfileSource::automatic(), {file, {}}) == TW_SUCCESS);
    REQUIRE(::chmod(shared.c_str(), 0755) == 0);
  }
  CHECK(origin() == file + " (matches the device)");
}

TEST_CASE("a profile of another user is skipped", "[may_skip]") {
  const Folder folder("foreign");
  const std::string file = folder.write("a.toml", make_profile_text(board()));
  const SearchPath path{"", {folder.path.string()}};
  if (::chown(file.c_str(), 12345, 12345) != 0) SKIP_CASE("only root gives files away");
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.origin.find("built-in (") == 0);
  CHECK(found.origin.find(file + " belongs to another user") != std::string::npos);
}

TEST_CASE("relative folders of the environment are ignored") {
  const ScopedVariable home("HOME", "/home/h");
  const ScopedVariable xdg("XDG_DATA_HOME", "data");
  CHECK(default_search_path().folders.at(0) == "/home/h/.local/share/tilewright/profiles");
  const ScopedVariable absolute("XDG_DATA_HOME", "/x");
  CHECK(default_search_path().folders.at(0) == "/x/tilewright/profiles");
  const ScopedVariable relative("HOME", "home");
  const ScopedVariable unset("XDG_DATA_HOME", nullptr);
  const std::vector<std::string> folders = default_search_path().folders;
  CHECK_FALSE(folders.empty());
  for (const std::string& folder : folders) CHECK(fs::path(folder).is_absolute());
}

TEST_CASE("a file that is too large for a profile is rejected before it is read into memory") {
  const Folder folder("large");
  const std::string large = folder.write("a.toml", "");
  fs::resize_file(large, std::uintmax_t{1} << 40);
  const SearchPath path{"", {folder.path.string()}};
  CHECK(find_profile(ProfileSource::automatic(), path, board())
            .origin.find("a.toml: is larger than 64 MiB") != std::string::npos);
  CHECK(thrown_status(ProfileSource::file(large), {}) == TW_BAD_PROFILE);
}

TEST_CASE("folders are searched by device identity, in order") {
  const Folder first("first");
  const Folder second("second");
  DeviceIdentity other = board();
  other.limits.max_work_group_size = 512;  // kernels may rely on higher limits than this board has
  first.write("a-other.toml", make_profile_text(other));
  first.write("notes.txt", "not a profile");
  const std::string good = second.write("b.toml", make_profile_text(board()));
  second.write("c.toml", make_profile_text(board()));
  const SearchPath path{"", {first.path.string(), "/no/such/folder", second.path.string()}};
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.origin == good + " (matches the device)");
  CHECK(found.profile.device == board());
}

TEST_CASE(
    "a profile for the same driver is preferred, and one for another driver is used with a note") {
  const Folder folder("driver");
  DeviceIdentity older = board();
  older.driver = "r10p0";
  const std::string stale = folder.write("a.toml", make_profile_text(older));
  const SearchPath path{"", {folder.path.string()}};
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.origin.find(stale + " (matches the device); tuned with other software: ") == 0);
  CHECK(found.origin.find("r10p0") != std::string::npos);
  const std::string exact = folder.write("b.toml", make_profile_text(board()));
  CHECK(find_profile(ProfileSource::automatic(), path, board()).origin ==
        exact + " (matches the device)");
}

TEST_CASE("the next profile of the device is for products that the first one does not cover") {
  const Folder own("own");
  const Folder shipped("shipped");
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kTuned;
  profile.device = board();
  const std::string without_baseline = write_profile(profile);
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  profile.failing_built_in = {
      {generic.kernels.back().name, compute_code_digest(generic.kernels.back()), true}};
  std::erase_if(profile.kernels, [&](const KernelRecord& kernel) {
    return kernel.name == generic.kernels.back().name;
  });
  std::erase_if(profile.models, [&](const KernelModel& model) {
    return model.kernel == generic.kernels.back().name;
  });
  const std::string with_baseline = write_profile(profile);
  const std::string first = own.write("a.toml", with_baseline);
  const std::string second = shipped.write("b.toml", with_baseline);
  const SearchPath path{"", {own.path.string(), shipped.path.string()}};
  FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.path == first);
  REQUIRE(found.fallback.size() == 1);
  CHECK(found.fallback[0].path == second);
  CHECK(found.origin ==
        first + " (matches the device); for products that it does not cover: " + second);
  // A profile that is named is used alone.
  CHECK(find_profile(ProfileSource::file(first), path, board()).fallback.empty());
  // Without a baseline nobody knows what a profile covers.
  shipped.write("b.toml", without_baseline);
  CHECK(find_profile(ProfileSource::automatic(), path, board()).fallback.empty());
}

TEST_CASE("the origin says that built-in kernels have changed since a tuning") {
  const Folder folder("other-code");
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  Profile profile;
  profile.device = board();
  profile.device.limits = {1 << 20, {1 << 20, 1 << 20}, 1 << 20, true, true};
  profile.kernels = {built_in_kernel(generic, generic.kernels[0].name).value()};
  const std::string path = folder.write("a.toml", write_profile(profile));
  CHECK(find_profile(ProfileSource::file(path), {}, profile.device).origin.find("changed") ==
        std::string::npos);
  std::string text = write_profile(profile);
  const std::string digest = compute_code_digest(profile.kernels[0]);
  text.replace(text.find(digest), digest.size(), "xxh3-0");
  text.resize(text.find("[digest]"));
  folder.write("a.toml", text + "[digest]\nprofile = \"" + digest_bytes(text) + "\"\n");
  const FoundProfile found = find_profile(ProfileSource::file(path), {}, profile.device);
  CHECK(found.profile.kernels.empty());
  CHECK(found.origin.find("1 of the built-in kernels that it measured have changed") !=
        std::string::npos);
}

// A Mali-T628 consists of two devices that differ only in their number of cores.
TEST_CASE("each half of a device uses its own profile if there is one, and otherwise the other's") {
  const Folder folder("halves");
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
  CHECK(serving(half(2, "r12p0"))
            .origin.find("compute_units is '2' on this device, but '4' in the "
                         "profile") != std::string::npos);
  CHECK(serving(half(2, "r12p0")).under_other_software);
  const std::string two = folder.write("b-2cu.toml", make_profile_text(half(2, "r12p0")));
  for (const char* driver : {"r12p0", "r14p0"}) {  // the same after an update of the driver
    CHECK(serving(half(4, driver)).origin.find(four) == 0);
    CHECK(serving(half(2, driver)).origin.find(two) == 0);
  }
  CHECK_FALSE(serving(half(2, "r12p0")).under_other_software);
}

std::string predicted_for(const std::string& name, int compute_units) {
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kPredicted;
  profile.device = {};
  profile.device.name = name;
  profile.device.limits = {64, {64, 64}, 0, false, false};
  profile.device.compute_units = compute_units;
  return write_profile(profile);
}

TEST_CASE(
    "a profile of the same processor with other names by another driver is used if there is no "
    "better") {
  const Folder folder("relatives");
  DeviceIdentity mesa = board();
  mesa.vendor = "Mesa";
  mesa.opencl_c_version = "OpenCL C 1.2";
  const SearchPath path{"", {folder.path.string()}};
  const std::string file = folder.write("b.toml", make_profile_text(mesa));
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.path == file);
  CHECK(found.under_other_software);
  CHECK(found.origin.find(
            file + " (matches the device); it was tuned under another driver: vendor ") == 0);
  CHECK(found.origin.find("each kernel is verified at first use") != std::string::npos);
  // It comes after all profiles of this device, including those for another number of units.
  DeviceIdentity half = board();
  half.compute_units = 2;
  const std::string own = folder.write("c.toml", make_profile_text(half));
  CHECK(find_profile(ProfileSource::automatic(), path, board()).path == own);
  // If it is named, it still counts as a profile of another device.
  CHECK(thrown_status(ProfileSource::file(file), {}) == TW_WRONG_DEVICE);
}

TEST_CASE("a profile of another processor of the same name is only used if it is named") {
  const Folder folder("processors");
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
  CHECK(find(here).origin.find("; not used: " + file + " was tuned on the processor '" +
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
  CHECK(named.origin.find("; tuned on another processor: processor is '" + here.processor) !=
        std::string::npos);
}

TEST_CASE("a profile is still used after an update changes the software in the device's name") {
  const Folder folder("updates");
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
    CHECK(found.origin.find("; tuned with other software: name is 'llvmpipe (LLVM 19.1.7, 256 "
                            "bits)' on this device") != std::string::npos);
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
  const Folder folder("strangers");
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

TEST_CASE("profiles of other hardware are skipped after their first lines") {
  const Folder folder("heads");
  DeviceIdentity other = board();
  other.name = "Mali-G52";
  // They are not parsed; otherwise their damage would be reported.
  folder.write("a.toml", make_profile_text(other) + "x");
  folder.write("b.toml", predicted_for("Mali-G52", 4) + "x");
  folder.write("c.toml", std::string(generic_profile_text()) + "x");
  const SearchPath path{"", {folder.path.string()}};
  const auto origin = [&] {
    return find_profile(ProfileSource::automatic(), path, board()).origin;
  };
  CHECK(origin().find("damaged") == std::string::npos);
  const std::string own = folder.write("d.toml", make_profile_text(board()) + "x");
  CHECK(origin().find("skipped a damaged profile: " + own) != std::string::npos);
}

TEST_CASE("a predicted profile's name is escaped before it is printed") {
  DeviceIdentity hostile = board();
  hostile.name = "Mali\x1b[2J\x07%n";
  const ProfileSource source = ProfileSource::text(predicted_for("\x1b[2J\x07%n", 4));
  const FoundProfile found = find_profile(source, {"", {}}, hostile);
  CHECK(found.origin.find("predicted for '\\x1b[2J\\x07%n', not measured") != std::string::npos);
  for (const char c : found.origin) CHECK((c >= ' ' && c <= '~'));
}

TEST_CASE(
    "a predicted profile is used until there is a measured one, by the device's name and units") {
  const Folder folder("predicted");
  folder.write("a-g52.toml", predicted_for("Mali-G52", 4));
  folder.write("b-damaged-g52.toml", predicted_for("Mali-G52", 4) + "x");
  folder.write("c-two.toml", predicted_for("Mali-T628", 2));
  const std::string four = folder.write("d-four.toml", predicted_for("Mali-T62?", 4));
  folder.write("e-again.toml", predicted_for("Mali-T628", 4));
  folder.write("0-another.toml", predicted_for("Mali-T62", 4));  // board() is a Mali-T628
  const SearchPath path{"", {folder.path.string()}};
  const auto find = [&] { return find_profile(ProfileSource::automatic(), path, board()); };
  CHECK(find().origin ==
        four +
            " (matches the device); predicted for 'Mali-T62?', not measured; run tilewright tune; "
            "each kernel is verified at first use");
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
  const std::string alias = folder.write("g.toml", predicted_for("Mali-G610|Mali-LODX", 4));
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

TEST_CASE("without a matching profile the built-in one is used, with the reason") {
  const Folder folder("none");
  const std::string damaged = folder.write("damaged.toml", make_profile_text(board()) + "x");
  const FoundProfile found =
      find_profile(ProfileSource::automatic(), {"", {folder.path.string()}}, board());
  CHECK(found.profile.kind == ProfileKind::kGeneric);
  CHECK(found.origin.find("built-in (no profile for 'Mali-T628' in " + folder.path.string()) == 0);
  CHECK(found.origin.find("run tilewright tune") != std::string::npos);
  CHECK(found.origin.find("skipped a damaged profile: " + damaged) != std::string::npos);
  CHECK(find_profile(ProfileSource::builtin(), {}, board()).origin ==
        "built-in (chosen by the program)");
}

}  // namespace
}  // namespace tilewright

// Tests of `tilewright net` that need no device: usage errors, invalid files, info, convert.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include "catch.hpp"
#include "cli_checks.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

void check_net_refused(const std::string& arguments, const std::string& message,
                       int exit_code = 2) {
  INFO(arguments);
  const ProgramResult result = run_program("net " + arguments);
  CHECK(result.exit_code == exit_code);
  CHECK(result.out.empty());
  INFO(result.error);
  CHECK(contains(result.error, message));
}

// Returns a folder for one test.
std::string folder(const std::string& name) {
  const std::string path = scratch_folder() + "/" + name;
  fs::create_directories(path);
  return path;
}

TEST_CASE("net is also called mlp") {
  const ProgramResult former = run_program("mlp info preset:full-mnist");
  CHECK(former.exit_code == 0);
  CHECK(former.out == run_program("net info preset:full-mnist").out);
}

TEST_CASE("usage errors of net name the wrong argument") {
  check_net_refused("", "subcommand is required");
  check_net_refused("forward", "forward");
  check_net_refused("info", "MODEL is required");
  check_net_refused("info preset:full", "'full'");
  check_net_refused("convert preset:full-mnist", "OUTPUT is required");
  check_net_refused("run preset:partial-cifar", "--input is required");
  check_net_refused("run preset:partial-cifar --input x.npy", "--output or --labels");
  check_net_refused("run preset:partial-cifar --input x.npy --output y.npy --batch 0",
                    "--batch: '0'");
  check_net_refused("run preset:partial-cifar --input x.npy --output y.npy --batch 1,2",
                    "--batch: expected one");
  check_net_refused("bench preset:partial-cifar --batch 1,x", "--batch: 'x'");
  check_net_refused("bench preset:partial-cifar --batch ''", "--batch");
  check_net_refused("bench preset:partial-cifar --compare mkl", "--compare: 'mkl'");
  check_net_refused("bench preset:partial-cifar --seconds soon", "--seconds: 'soon'");
}

TEST_CASE("invalid files are named with the reason before a device is opened") {
  const std::string at = folder("wrong");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(at + "/" + name) << text;
    return at + "/" + name;
  };
  const std::string net = "run preset:partial-cifar --output " + at + "/y.npy --input ";
  check_net_refused(net + "/no/such/x.npy", "'/no/such/x.npy': ", 1);
  check_net_refused(net + write("x.txt", "1"), "extension '.txt'", 1);
  check_net_refused(net + write("x.npy", "not NumPy's"), at + "/x.npy': ", 1);
  check_net_refused(net + write("torn.csv", "1,2\n3\n"), "torn.csv': line 2: has 1 numbers", 1);
  check_net_refused(net + write("narrow.csv", "1,2,3\n"), "narrow.csv': has 3 columns", 1);
  check_net_refused(net + write("index.csv", ",a,b\n0,1,2\n"), "index.csv': line 1", 1);
  // The extension shows that the output cannot be written.
  check_net_refused("run preset:partial-cifar --input x.npy --output y.xls", "extension '.xls'", 1);
  write_npy({2, 256, std::vector<float>(512)}, at + "/two.npy");
  const std::string labels = "run preset:partial-cifar --input " + at + "/two.npy --labels ";
  check_net_refused(labels + write("three.csv", "1,2,3\n"), "2 labels", 1);
  check_net_refused(labels + write("big.csv", "1\n10\n"), "label 2 is 10", 1);
  check_net_refused("info " + write("net.json", "{\"layers\": [{\"layer\": \"Convolution\"}]}"),
                    at + "/net.json': ", 1);
  check_net_refused("info " + write("net.txt", ""), "net.txt': has the extension", 1);
  CHECK_FALSE(fs::exists(at + "/y.npy"));
}

TEST_CASE("a network with one output has no largest output") {
  const std::string at = folder("one");
  write_network_model({{AffineLayer{"", 2, 1, {1, 1}, {}}}}, at + "/one.json");
  write_npy({1, 2, {1, 1}}, at + "/x.npy");
  check_net_refused("run " + at + "/one.json --input " + at + "/x.npy --labels " + at + "/x.npy",
                    "--labels");
}

TEST_CASE("info prints the layers of a network") {
  const ProgramResult table = run_program("net info preset:partial-mnist");
  CHECK(table.exit_code == 0);
  CHECK(contains(table.out, "preset:partial-mnist: 3 layers, widths 640, 150, 10"));
  const auto json = nlohmann::json::parse(run_program("net info preset:partial-mnist --json").out);
  CHECK(json["parameters"] == 640 * 150 + 150 + 150 * 10 + 10);
  CHECK(json["layers"].size() == 3);
}

TEST_CASE("convert writes a network in another format, and prints its path") {
  const std::string at = folder("convert");
  const ProgramResult json = run_program("net convert preset:partial-cifar " + at + "/net.json");
  INFO(json.error);
  REQUIRE(json.exit_code == 0);
  CHECK(json.out == at + "/net.json\n");
  CHECK(read_network_model(at + "/net.json") == preset_model("partial-cifar", 1));

  // In a folder, the file has the name of the network. A missing folder is created.
  CHECK(run_program("net convert preset:partial-cifar " + at).out == at + "/partial-cifar.json\n");
  const ProgramResult made = run_program("net convert " + at + "/net.json " + at + "/new/");
  CHECK(made.out == at + "/new/net.json\n");
  CHECK(read_network_model(at + "/new/net.json") == preset_model("partial-cifar", 1));

  const ProgramResult onnx = run_program("net convert " + at + "/net.json " + at + "/net.onnx");
  INFO(onnx.error);
  REQUIRE(onnx.exit_code == 0);
  const ProgramResult back = run_program("net convert " + at + "/net.onnx " + at + "/back.json");
  REQUIRE(back.exit_code == 0);
  CHECK(nlohmann::json::parse(run_program("net info --json " + at + "/back.json").out)["bytes"] ==
        nlohmann::json::parse(run_program("net info --json " + at + "/net.json").out)["bytes"]);
  check_net_refused("convert preset:partial-cifar " + at + "/net.h5", "net.h5': has the extension",
                    1);
  check_net_refused("convert preset:partial-cifar /no/such/folder/net.json", "/no/such/folder", 1);
}

}  // namespace
}  // namespace tilewright

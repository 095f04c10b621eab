// Tests of `tilewright net run` on a device.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include "catch.hpp"
#include "cli_checks.hpp"
#include "net_cli_case.hpp"
#include "run_program.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

TEST_CASE("every row is processed, whatever the batch size") {
  const NetworkModel model = all_layers();
  write_network_model(model, file("all.json"));
  const FloatMatrix x = samples(13, 7);
  const std::vector<double> right = host_forward(model, x.values, 13);
  write_npy(x, file("x.npy"));
  write_csv(x, file("x.csv"));
  for (const char* how :
       {"x.npy --batch 5", "x.npy --batch 13", "x.csv --batch 1", "x.npy --batch 1000", "x.npy"}) {
    for (const char* output : {"y.npy", "y.csv"}) {
      INFO(how);
      const ProgramResult run = run_program("net run " + file("all.json") + " --device 0 --input " +
                                            file(how) + " --output " + file(output));
      INFO(run.error);
      REQUIRE(run.exit_code == 0);
      CHECK(contains(run.out, "13 rows in "));
      const FloatMatrix y = read_matrix(file(output));
      CHECK(y.rows == 13);
      CHECK(y.columns == 3);
      CHECK(largest_difference(y.values, right) < 1e-5);
      std::filesystem::remove(file(output));
    }
  }
  const ProgramResult three = run_program("net run " + file("all.json") + " --device 0 --input " +
                                          file("x.npy --batch 5 --output ") + file("y.npy"));
  CHECK(contains(three.out, "13 rows in 3 batches"));
}

// As NumPy writes an array of shape (n,), which write_npy() does not.
void write_one_dimensional(const std::vector<float>& values, const std::string& path) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size()) + ",), }";
  header.resize(117, ' ');
  std::ofstream stream(path, std::ios::binary);
  stream << std::string("\x93NUMPY\x01\0\x76\0", 10) << header << '\n';
  stream.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
}

TEST_CASE("for a network with one input, a one-dimensional array has one sample per element") {
  write_network_model({{AffineLayer{"", 1, 1, {2.0f}, {}}}}, file("one.json"));
  write_one_dimensional({1, 2, 3, 4}, file("four.npy"));
  const std::string command = "net run " + file("one.json") +
                              " --device 0 --profile builtin --output " + file("doubled.npy") +
                              " --input ";
  const ProgramResult run = run_program(command + file("four.npy"));
  INFO(run.error);
  REQUIRE(run.exit_code == 0);
  CHECK(read_matrix(file("doubled.npy")) == FloatMatrix{4, 1, {2, 4, 6, 8}});
  // A matrix with one row is one sample with four inputs.
  for (const char* row : {"row.npy", "row.csv"}) {
    write_matrix({1, 4, {1, 2, 3, 4}}, file(row));
    const ProgramResult refused = run_program(command + file(row));
    CHECK(refused.exit_code == 1);
    CHECK(contains(refused.error, "has 4 columns"));
  }
}

TEST_CASE("inputs with more digits than a float are standardised in double precision") {
  const auto operation = [](NetworkOperation what, double constant) {
    return OperationLayer{"", what, {{}, {kPreviousValue, {constant}}}, {}};
  };
  const NetworkModel model{{operation(NetworkOperation::kSubtract, 1.7e9),
                            operation(NetworkOperation::kDivide, 1e5),
                            AffineLayer{"", 1, 2, {1.0f, -2.0f}, {}}}};
  write_network_model(model, file("time.onnx"));
  std::ofstream(file("time.csv")) << "time\n1700000123.5\n1700000001.25\n1699999999.75\n";
  const std::vector<std::vector<double>> x = {{1700000123.5, 1700000001.25, 1699999999.75}};
  const std::vector<double> right = host_forward_all(model, x, 3).front();
  const std::string command = "net run " + file("time.onnx") + " --device 0 --profile builtin" +
                              " --output " + file("y.npy") + " --input ";
  for (const char* precision : {"s", "h"}) {
    INFO(precision);
    const ProgramResult run = run_program(command + file("time.csv") + " --precision " + precision);
    INFO(run.error);
    REQUIRE(run.exit_code == 0);
    CHECK(contains(run.out, "double precision"));
    // The largest output is 2.5e-3.
    CHECK(largest_difference(read_matrix(file("y.npy")).values, right) <
          (*precision == 's' ? 2.5e-8 : 5e-6));
  }
  // Nothing is gained for inputs that are floats.
  write_npy({1, 1, {1.7e9f}}, file("float.npy"));
  const ProgramResult run = run_program(command + file("float.npy"));
  REQUIRE(run.exit_code == 0);
  CHECK_FALSE(contains(run.out, "double precision"));
}

// Two inputs and two outputs.
NetworkModel actor_critic() {
  NetworkModel model;
  model.inputs = {{"state", 3}, {"goal", 2}};
  AffineLayer actions = affine(5, 3, true);
  AffineLayer value = affine(3, 1, true);
  value.input = 0;
  model.layers = {OperationLayer{"", NetworkOperation::kConcat, {{0, {}}, {1, {}}}, {}}, actions,
                  value};
  model.outputs = {{"actions", 3}, {"value", 4}};
  return model;
}

TEST_CASE("networks with several inputs and outputs") {
  write_network_model(actor_critic(), file("actor.onnx"));
  const FloatMatrix state = samples(4, 3);
  const FloatMatrix goal = samples(4, 2);
  const auto right = host_forward_all(
      actor_critic(),
      {{state.values.begin(), state.values.end()}, {goal.values.begin(), goal.values.end()}}, 4);
  write_npy(state, file("state.npy"));
  write_npy(goal, file("goal.npy"));
  write_npz({{"goal", goal}, {"state", state}}, file("both.npz"));
  write_npz({{"arr_0", state}, {"arr_1", goal}}, file("numbered.npz"));
  FloatMatrix joined{4, 5, {}};
  for (std::ptrdiff_t i = 0; i < 4; ++i) {
    const auto x = state.values.begin() + 3 * i;
    const auto y = goal.values.begin() + 2 * i;
    joined.values.insert(joined.values.end(), x, x + 3);
    joined.values.insert(joined.values.end(), y, y + 2);
  }
  write_npy(joined, file("joined.npy"));
  const std::string command = "net run " + file("actor.onnx") + " --device 0 --profile builtin";
  const std::string files = " --input " + file("state.npy") + " " + file("goal.npy");
  const std::string named =
      " --input " + file("goal.npy") + " " + file("state.npy") + " --input-name goal state";
  for (const std::string& inputs :
       {files, named, " --input " + file("joined.npy"), " --input " + file("both.npz"),
        " --input " + file("numbered.npz")}) {
    INFO(inputs);
    const ProgramResult run = run_program(command + inputs + " --output " + file("y.npz"));
    INFO(run.error);
    REQUIRE(run.exit_code == 0);
    CHECK(contains(run.out, "y.npz: 'actions' (4 x 3), 'value' (4 x 1)"));
    CHECK_FALSE(contains(run.out, "selects another"));
    const auto outputs = read_npz(file("y.npz"));
    REQUIRE(outputs.size() == 2);
    CHECK(outputs[1].name == "value");
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(largest_difference(outputs[i].matrix.values, right[i]) < 1e-5);
    }
  }
  // One output: the first one, or that which is named.
  const ProgramResult first = run_program(command + files + " --output " + file("y.npy"));
  CHECK(contains(first.out, "'actions'; --output-name selects"));
  CHECK(largest_difference(read_matrix(file("y.npy")).values, right[0]) < 1e-5);
  const ProgramResult value = run_program(command + " --input " + file("state.npy") +
                                          " --output-name value --output " + file("v.npz"));
  INFO(value.error);
  REQUIRE(value.exit_code == 0);
  CHECK(read_npz(file("v.npz")).front().name == "value");
  CHECK(largest_difference(read_matrix(file("v.npz")).values, right[1]) < 1e-5);

  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const ProgramResult run = run_program(command + arguments + " --output " + file("no.npz"));
    INFO(arguments << "\n" << run.error);
    CHECK(run.exit_code != 0);
    CHECK(contains(run.error, message));
    CHECK_FALSE(std::filesystem::exists(file("no.npz")));
  };
  refused(files + " --output-name none", "no output 'none'");
  refused(files + " --input-name state", "one name");
  refused(files + " --input-name state x", "no input 'x'");
  refused(files + " --input-name state state", "has 2 columns, but input 'state'");
  refused(" --input " + file("state.npy"), "each of its 2 inputs");
  refused(files + " " + file("goal.npy"), "2 inputs");
  write_npz({{"state", state}, {"label", goal}}, file("other.npz"));
  refused(" --input " + file("other.npz"), "array 'label'");
  write_npy(samples(3, 2), file("goal.npy"));
  refused(files, "has 3 rows");
}

// y = a + 10 b + 100 c, of three inputs with one column each.
void write_three_inputs(const std::string& path) {
  NetworkModel model;
  model.inputs = {{"a", 1}, {"b", 1}, {"c", 1}};
  model.layers = {OperationLayer{"", NetworkOperation::kConcat, {{0, {}}, {1, {}}, {2, {}}}, {}},
                  AffineLayer{"", 3, 1, {1, 10, 100}, {}}};
  model.outputs = {{"y", 4}};
  write_network_model(model, path);
}

TEST_CASE("the header of a CSV file assigns its columns to inputs") {
  write_three_inputs(file("three.onnx"));
  const std::string command =
      "net run " + file("three.onnx") + " --device 0 --profile builtin --output " + file("y.npy");
  const auto run_on = [&](const std::vector<std::string>& contents, const std::string& names = "") {
    std::string arguments = " --input";
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const std::string name = file("x" + std::to_string(i) + ".csv");
      std::ofstream(name) << contents[i];
      arguments += " " + name;
    }
    return run_program(command + arguments + names);
  };
  const auto result = [&](const std::vector<std::string>& contents, const std::string& names = "") {
    std::filesystem::remove(file("y.npy"));
    const ProgramResult run = run_on(contents, names);
    INFO(contents[0] << run.error);
    REQUIRE(run.exit_code == 0);
    const bool has_names = contents[0].find_first_of("abc") != std::string::npos;
    CHECK(contains(run.error, "names of the columns") == has_names);
    return read_matrix(file("y.npy")).values;
  };
  CHECK(result({"1,2,3\n"}) == std::vector<float>{321});
  CHECK(result({"c,b,a\n3,2,1\n6,5,4\n"}) == std::vector<float>{321, 654});
  CHECK(result({"a,b,c\n1,2,3\n"}) == std::vector<float>{321});
  CHECK(result({"b\n2\n", "c\n3\n", "a\n1\n"}, " --input-name b c a") == std::vector<float>{321});
  CHECK(result({"first_a\n1\n", "2\n", "3\n"}) == std::vector<float>{321});
  const auto refused = [&](const std::vector<std::string>& contents, const std::string& message,
                           const std::string& names = "") {
    const ProgramResult run = run_on(contents, names);
    INFO(contents[0] << run.error);
    CHECK(run.exit_code != 0);
    CHECK(contains(run.error, message));
  };
  for (const char* header : {"c,b,b", "c,b,d", "x1,x2,x3"}) {
    refused({header + std::string("\n1,2,3\n")}, "x0.csv': its header");
  }
  refused({"b\n2\n", "a\n1\n", "c\n3\n"}, "x0.csv': its column");
  refused({"NA,NA,NA\n1,2,3\n"}, "x0.csv': line 1: 'NA'");
  // A file that is named for one input has the columns of this input only.
  refused({"1,2,3\n"}, "x0.csv': has 3 columns, but input 'b' has 1", " --input-name b");
}

TEST_CASE("info describes what one output of a network needs") {
  write_network_model(actor_critic(), file("actor.onnx"));
  const std::string command = "net info " + file("actor.onnx") + " --json --output-name ";
  const ProgramResult value = run_program(command + "value");
  INFO(value.error);
  REQUIRE(value.exit_code == 0);
  const auto json = nlohmann::json::parse(value.out);
  CHECK(json["parameters"] == 3 + 1);
  REQUIRE(json["output_ports"].size() == 1);
  CHECK(json["output_ports"][0]["name"] == "value");
  const ProgramResult none = run_program(command + "none");
  CHECK(none.exit_code == 2);
  CHECK(contains(none.error, "--output-name: the network has no output 'none'"));
}

TEST_CASE("another output than the first one is computed only if it is named") {
  write_network_model(actor_critic(), file("actor.onnx"));
  std::string bytes;
  {
    std::ifstream stream(file("actor.onnx"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  }
  // 'actions' becomes an output that cannot be computed.
  bytes.replace(bytes.find("Concat"), 6, "Absent");
  std::ofstream(file("absent.onnx"), std::ios::binary) << bytes;
  write_npy(samples(4, 3), file("state.npy"));
  const std::string command = "net run " + file("absent.onnx") + " --device 0 --profile builtin" +
                              " --input " + file("state.npy") + " --output " + file("value.npy");
  const auto refused = [&](const std::string& option, const std::string& message) {
    const ProgramResult run = run_program(command + option);
    INFO(run.error);
    CHECK(run.exit_code != 0);
    CHECK(contains(run.error, message));
    CHECK(contains(run.error, "'Absent'"));
    CHECK(contains(run.error, ": 'value'"));
    CHECK_FALSE(std::filesystem::exists(file("value.npy")));
  };
  refused("", "--output-name: the first output, 'actions'");
  refused(" --output-name actions", "--output-name: the output 'actions'");
  CHECK(run_program(command + " --output-name value").exit_code == 0);
  CHECK(read_matrix(file("value.npy")).columns == 1);
}

TEST_CASE("labels are numbers or rows with a 1") {
  write_npy(samples(3, 256), file("three.npy"));
  const std::string command = "net run preset:partial-cifar --device 0 --profile builtin --input " +
                              file("three.npy") + " --labels ";
  write_csv({3, 1, {4, 0, 9}}, file("numbers.csv"));
  FloatMatrix one_hot{3, 10, std::vector<float>(30, 0.0f)};
  for (const std::size_t one : {4, 10, 29}) one_hot.values[one] = 1.0f;
  write_csv(one_hot, file("rows.csv"));
  const auto after_first_line = [](const std::string& text) {
    return text.substr(text.find("\n  row"));
  };
  const ProgramResult numbers = run_program(command + file("numbers.csv"));
  const ProgramResult rows = run_program(command + file("rows.csv"));
  INFO(rows.error);
  REQUIRE(numbers.exit_code == 0);
  REQUIRE(rows.exit_code == 0);
  CHECK(after_first_line(rows.out) == after_first_line(numbers.out));
  one_hot.values[12] = 1.0f;
  write_csv(one_hot, file("rows.csv"));
  CHECK(contains(run_program(command + file("rows.csv")).error, "rows.csv': label 2"));
}

TEST_CASE("an input without rows gives an output without rows") {
  write_network_model(all_layers(), file("all.json"));
  write_npy({0, 7, {}}, file("none.npy"));
  const std::string command =
      "net run " + file("all.json") + " --device 0 --input " + file("none.npy") + " --output ";
  const ProgramResult run = run_program(command + file("none_out.npy"));
  INFO(run.error);
  REQUIRE(run.exit_code == 0);
  const FloatMatrix y = read_matrix(file("none_out.npy"));
  CHECK(y.rows == 0);
  CHECK(y.columns == 3);
  const ProgramResult csv = run_program(command + file("none_out.csv"));
  CHECK(csv.exit_code == 1);
  CHECK(contains(csv.error, "none_out.csv': a matrix of 0 x 3"));
}

TEST_CASE("an output that cannot be written leaves no files") {
  write_npy(samples(2, 256), file("two.npy"));
  const ProgramResult run = run_program("net run preset:partial-cifar --device 0 --input " +
                                        file("two.npy") + " --output /no/such/folder/y.npy");
  CHECK(run.exit_code == 1);
  CHECK(contains(run.error, "/no/such/folder/y.npy"));
}

}  // namespace
}  // namespace tilewright

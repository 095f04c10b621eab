// Tests of `tilewright net run` on a device with the classifier of handwritten digits and its
// labels.
#include <string>

#include "catch.hpp"
#include "cli_checks.hpp"
#include "net_cli_case.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

const std::string kDigits = TILEWRIGHT_DIGITS "/digits";

// Compares the classifier from scripts/train_digits.py with the results of scikit-learn.
void check_digits(const std::string& model, const std::string& batch) {
  INFO(model << " " << batch);
  const ProgramResult run = run_program("net run " + model + " --device 0 --batch " + batch +
                                        " --input " + kDigits + ".npy --labels " + kDigits +
                                        ".predictions.npy --output " + file("digits_out.npy"));
  INFO(run.error);
  REQUIRE(run.exit_code == 0);
  CHECK(contains(run.out, "1797 of 1797 predictions equal "));
  const FloatMatrix right = read_matrix(kDigits + ".probabilities.npy");
  CHECK(right.rows == 1797);
  const FloatMatrix got = read_matrix(file("digits_out.npy"));
  CHECK(got.columns == 10);
  CHECK(largest_difference(got.values, {right.values.begin(), right.values.end()}) <= 1e-5);
}

TEST_CASE("all 1,797 handwritten digits are classified as by scikit-learn") {
  check_digits(kDigits + ".json", "100");
  check_digits(kDigits + ".json", "1797");
  check_digits(kDigits + ".onnx", "100");
  CHECK(read_network_model(kDigits + ".onnx").layers.size() == 4);
}

// Probabilities are in half precision, so they differ at least by its rounding error.
TEST_CASE("in half precision, too, all 1,797 digits are classified as by scikit-learn") {
  const FloatMatrix right = read_matrix(kDigits + ".probabilities.npy");
  for (const char* batch : {"100", "1797"}) {
    const ProgramResult run = run_program(
        "net run " + kDigits + ".json --precision h --device 0 --batch " + batch + " --input " +
        kDigits + ".npy --labels " + kDigits + ".predictions.npy --output " + file("half.npy"));
    INFO(run.error);
    REQUIRE(run.exit_code == 0);
    CHECK(contains(run.out, "half precision"));
    CHECK(contains(run.out, "1797 of 1797 predictions equal "));
    const FloatMatrix got = read_matrix(file("half.npy"));
    const double off = largest_difference(got.values, {right.values.begin(), right.values.end()});
    CHECK(off <= 4e-3);
    CHECK(off > 1e-5);
  }
}

TEST_CASE("networks use single or half precision, and rows with other labels are listed") {
  const std::string net = "net run " + kDigits + ".json --device 0 --input " + kDigits + ".npy";
  const ProgramResult doubles =
      run_program(net + " --precision d --labels " + kDigits + ".labels.npy");
  CHECK(doubles.exit_code == 2);
  CHECK(contains(doubles.error, "--precision: networks"));
  FloatMatrix wrong = read_matrix(kDigits + ".predictions.npy");
  const float first = wrong.values[0];
  wrong.values[0] = first == 9.0f ? 8.0f : 9.0f;
  write_npy(wrong, file("wrong.npy"));
  const ProgramResult run = run_program(net + " --labels " + file("wrong.npy"));
  INFO(run.error);
  REQUIRE(run.exit_code == 0);
  CHECK(contains(run.out, "1796 of 1797 predictions equal "));
  const std::string line =
      "  row 1: class " + std::to_string(static_cast<int>(first)) + " leads by ";
  CHECK(contains(run.out, line));
}

TEST_CASE("predictions that differ from the labels are counted") {
  const ProgramResult run = run_program("net run " + kDigits + ".json --device 0 --input " +
                                        kDigits + ".npy --labels " + kDigits + ".labels.npy");
  INFO(run.error);
  REQUIRE(run.exit_code == 0);
  const FloatMatrix predictions = read_matrix(kDigits + ".predictions.npy");
  const FloatMatrix labels = read_matrix(kDigits + ".labels.npy");
  int equal = 0;
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    equal += predictions.values[i] == labels.values[i];
  }
  CHECK(equal < 1797);
  CHECK(equal > 1700);
  CHECK(contains(run.out, std::to_string(equal) + " of 1797 predictions equal "));
}

}  // namespace
}  // namespace tilewright

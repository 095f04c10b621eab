#include <cmath>
#include <random>

#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

FloatMatrix read_csv_text(const std::string& content) {
  const TemporaryFolder folder;
  return read_csv(written(folder, "x.csv", content));
}

// Enough zeros to leave the range of double, as digits before or after the decimal point.
const std::string kManyZeros(400, '0');

std::string csv_said(const std::string& content) {
  return refusal<MatrixFileError>([&] { read_csv_text(content); });
}

TEST_CASE("commas, spaces and tabs separate numbers, and each line is a row") {
  const FloatMatrix expected{2, 3, {1, -2.5f, 3e2f, 4, 5, 6}};
  CHECK(read_csv_text("1,-2.5,3e2\n4,5,6\n") == expected);
  CHECK(read_csv_text("1, -2.5 ,3e2\n4,\t5,6") == expected);
  CHECK(read_csv_text("1 -2.5\t 3e2  \n  4 5 6\n") == expected);
  CHECK(read_csv_text("1,-2.5,3e2\r\n4,5,6\r\n") == expected);
  CHECK(read_csv_text("# made by numpy.savetxt\n\n1 -2.5 3.00e+02\n  \n# more\n4 5 +6\n\n") ==
        expected);
  CHECK(read_csv_text("7") == FloatMatrix{1, 1, {7}});
}

TEST_CASE("files written by spreadsheets and pandas are read") {
  const FloatMatrix expected{2, 3, {1, -2.5f, 3e2f, 4, 5, 6}};
  const std::string rows = "1,-2.5,3e2\n4,5,6\n";
  CHECK(read_csv_text("\xef\xbb\xbf" + rows) == expected);
  CHECK(read_csv_text("1,-2.5,3e2\r4,5,6\r") == expected);
  CHECK(read_csv_text("1;-2.5;3e2\n4; 5 ;6\n") == expected);
  // The first line contains column names.
  for (const char* header :
       {"f1,f2,f3\n", "\xef\xbb\xbf_a,b,c\r\n", "f1 f2 f3\n", "first width,\"b, c\",\xc3\xa4\n",
        "a;b;c\n", "# note\n\na\tb\tc\n", "Na,K,Fe\n", "NA,\"1\",c\n"}) {
    INFO(header);
    CHECK(read_csv_text(header + rows) == expected);
    CHECK(read_csv_text(header + rows).column_names.size() == 3);
  }
  CHECK(read_csv_text("a,\"b, \"\"c\"\"\", d\n1,2,3\n").column_names ==
        std::vector<std::string>{"a", "b, \"c\"", "d"});
  CHECK(read_csv_text(rows).column_names.empty());
  CHECK(read_csv_text("nan,inf\n").rows == 1);  // numbers, not names
}

TEST_CASE("a first row of missing values or of numbers in quotes is not a line of names") {
  using Catch::Matchers::ContainsSubstring;
  for (const char* const row :
       {"NA,NA,NA", "NULL,n/a,None", "\"NA\",\"NA\",\"\"", "\"1\",\"2\",\"3\"", "#N/A,1,2",
        "\"1,5\";\"+2\";\"-3e2\"", "NA,\"1\",null", "\"0\",\"1\",\"2\"", "\"nan\",NA,NA"}) {
    INFO(row);
    CHECK_THAT(csv_said(row + std::string("\n1,2,3\n")), ContainsSubstring("x.csv': line 1: "));
  }
  CHECK(read_csv_text("#NA\n1,2\n").rows == 1);
}

TEST_CASE("numbers are rounded to the nearest float") {
  CHECK(read_csv_text("0.1,1e-46,1e-300,16777217,1.17549435e-38,-0\n").values ==
        std::vector<float>{0.1f, 0.0f, 0.0f, 16777216.0f, 1.17549435e-38f, -0.0f});
  // Also numbers below the range of double.
  const std::string far = "0." + kManyZeros;
  const std::vector<float> zeros =
      read_csv_text("1e-400,-1e-400,+1E-400,12.5e-99999999999999999999," + far + "1,-" + far +
                    "1e5\n")
          .values;
  CHECK(zeros == std::vector<float>(6, 0.0f));
  const auto is_negative = [&](std::size_t i) { return std::signbit(zeros.at(i)); };
  CHECK((!is_negative(0) && is_negative(1) && !is_negative(2) && is_negative(5)));
  // Many zeros and a large exponent can cancel.
  CHECK(read_csv_text(far + "1e401\n").values == std::vector<float>{1.0f});
  CHECK(read_csv_text("1" + kManyZeros + "e-400\n").values == std::vector<float>{1.0f});
  const FloatMatrix odd = read_csv_text("nan,inf,-inf\n");
  CHECK(std::isnan(odd.values[0]));
  CHECK(odd.values[1] == INFINITY);
  CHECK(odd.values[2] == -INFINITY);
}

TEST_CASE("written CSV is read as the same floats") {
  const TemporaryFolder folder;
  const std::string path = folder.file("y.csv");
  FloatMatrix matrix{50, 20, {}};
  std::mt19937 engine(1);
  while (matrix.values.size() < 1000) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
    if (!std::isnan(value)) matrix.values.push_back(value);
  }
  write_csv(matrix, path);
  CHECK(read_csv(path) == matrix);
  write_csv({1, 2, {0.1f, NAN}}, path);
  CHECK(read_content(path) == "0.1,nan\n");
  CHECK_THROWS_AS(write_csv({2, 2, {1.0f}}, path), std::invalid_argument);
  // A file without lines cannot store the number of columns.
  CHECK_THROWS_AS(write_csv({0, 2, {}}, path), MatrixFileError);
  CHECK(read_content(path) == "0.1,nan\n");
}

TEST_CASE("errors in CSV are reported with the line") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(csv_said("1,2\n\n3\n"), ContainsSubstring("x.csv': line 3: has 1 numbers"));
  CHECK_THAT(csv_said("1,2\n3,4,5\n"), ContainsSubstring("line 2: has 3 numbers"));
  CHECK_THAT(csv_said("a,2\n1,2\n"), ContainsSubstring("line 1: 'a'"));
  CHECK_THAT(csv_said("a,b\nc,d\n1,2\n"), ContainsSubstring("line 2: 'c'"));
  CHECK_THAT(csv_said("a,b\n1,2,3\n"), ContainsSubstring("line 2: has 3 numbers"));
  CHECK_THAT(csv_said("a,b\n"), ContainsSubstring("has no rows"));
  CHECK_THAT(csv_said("1,2\na,b\n"), ContainsSubstring("line 2: 'a'"));
  CHECK_THAT(csv_said(",f1,f2\n0,1,2\n"),
             ContainsSubstring("before the first separator") && ContainsSubstring("index=False"));
  CHECK_THAT(csv_said("1,5;2,5\n"), ContainsSubstring("commas and semicolons"));
  CHECK_THAT(csv_said("1;2;\n"), ContainsSubstring("last semicolon"));
  CHECK_THAT(csv_said(std::string("\xff\xfe"
                                  "1\0",
                                  4)),
             ContainsSubstring("UTF-16"));
  CHECK_THAT(csv_said("1\r\r2,3\r"), ContainsSubstring("line 3: has 2 numbers"));
  CHECK_THAT(csv_said("1,2x\n"), ContainsSubstring("line 1: '2x'"));
  CHECK_THAT(csv_said("1\n0x10\n"), ContainsSubstring("line 2: '0x10'"));
  CHECK_THAT(csv_said("1,,2\n"), ContainsSubstring("line 1: a number is missing"));
  CHECK_THAT(csv_said(",1\n"), ContainsSubstring("line 1: a number is missing"));
  CHECK_THAT(csv_said("1,2,\n"), ContainsSubstring("last comma"));
  CHECK_THAT(csv_said("1:2\n"), ContainsSubstring("'1:2' is not a number"));
  CHECK_THAT(csv_said("+-1\n"), ContainsSubstring("'+-1' is not a number"));
  CHECK_THAT(csv_said("1e39\n"), ContainsSubstring("'1e39' is out of range"));
  CHECK_THAT(csv_said("-1e999\n"), ContainsSubstring("out of range"));
  CHECK_THAT(csv_said("1e400\n"), ContainsSubstring("'1e400' is out of range"));
  CHECK_THAT(csv_said("1e99999999999999999999\n"), ContainsSubstring("out of range"));
  // The greatest exponent of 64 bits: adding the position of a digit to it would overflow.
  CHECK_THAT(csv_said("2e9223372036854775807\n"), ContainsSubstring("out of range"));
  CHECK_THAT(csv_said("1" + kManyZeros + "e-20\n"), ContainsSubstring("out of range"));
  CHECK_THAT(csv_said("1e-400x\n"), ContainsSubstring("'1e-400x'"));
  CHECK_THAT(csv_said(std::string("1\0002\n", 4)), ContainsSubstring("'1\\x002' is not a number"));
  CHECK_THAT(csv_said(""), ContainsSubstring("has no rows"));
  CHECK_THAT(csv_said("\n# nothing\n"), ContainsSubstring("has no rows"));
}

}  // namespace
}  // namespace tilewright

#include <cmath>
#include <limits>
#include <system_error>
#include <type_traits>

#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Reads a .npy file with this content; throws the error of read_npy.
FloatMatrix read_npy_bytes(const std::string& content) {
  const TemporaryFolder folder;
  return read_npy(written(folder, "x.npy", content));
}

std::string npy_said(const std::string& content) {
  return refusal<MatrixFileError>([&] { read_npy_bytes(content); });
}

std::string six_floats() {
  return float_bytes({1, 2, 3, 4, 5, 6});
}

TEST_CASE(
    "arrays in C and Fortran order, of one and two dimensions, in versions 1.0 and 2.0 are read") {
  const FloatMatrix two_rows{2, 3, {1, 2, 3, 4, 5, 6}};
  for (const int version : {1, 2}) {
    CHECK(read_npy_bytes(npy_file_text("<f4", "False", "(2, 3)", six_floats(), version)) ==
          two_rows);
    CHECK(read_npy_bytes(npy_file_text("<f4", "True", "(2, 3)", float_bytes({1, 4, 2, 5, 3, 6}),
                                       version)) == two_rows);
  }
  const FloatMatrix one_row{1, 6, {1, 2, 3, 4, 5, 6}};
  CHECK(read_npy_bytes(npy_file_text("<f4", "False", "(6,)", six_floats())) == one_row);
  // A vector is in both orders. NumPy writes False for it; other programs may write True.
  CHECK(read_npy_bytes(npy_file_text("<f4", "True", "(6,)", six_floats())) == one_row);
  CHECK(read_npy_bytes(npy_file_text("<f4", "False", "(1, 6)", six_floats())) == one_row);
  CHECK(read_npy_bytes(npy_file_text("<f4", "True", "(6, 1)", six_floats())).rows == 6);
  for (const char* order : {"False", "True"}) {
    CHECK(read_npy_bytes(npy_file_text("<f4", order, "(6,)", six_floats())).is_one_dimensional);
    CHECK_FALSE(
        read_npy_bytes(npy_file_text("<f4", order, "(1, 6)", six_floats())).is_one_dimensional);
    CHECK_FALSE(
        read_npy_bytes(npy_file_text("<f4", order, "(6, 1)", six_floats())).is_one_dimensional);
  }
  CHECK(read_npy_bytes(npy_file_text("<f4", "False", "(0, 7)", "")) == FloatMatrix{0, 7, {}});
  CHECK(read_npy_bytes(npy_file_text("<f4", "True", "(7, 0)", "")) == FloatMatrix{7, 0, {}});
}

TEST_CASE("an array with more dimensions has one row per sample") {
  std::vector<float> numbers(24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const FloatMatrix expected{2, 12, numbers};
  CHECK(read_npy_bytes(npy_file_text("<f4", "False", "(2, 3, 4)", float_bytes(numbers))) ==
        expected);
  CHECK(read_npy_bytes(npy_file_text("<f4", "False", "(2, 1, 3, 4, 1)", float_bytes(numbers))) ==
        expected);
  // In Fortran order the first index changes fastest.
  std::vector<float> fortran;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) fortran.push_back(static_cast<float>((i * 3 + j) * 4 + k));
    }
  }
  CHECK(read_npy_bytes(npy_file_text("<f4", "True", "(2, 3, 4)", float_bytes(fortran))) ==
        expected);
  CHECK(read_npy_bytes(npy_file_text("<f4", "True", "(2, 1, 3, 4)", float_bytes(fortran))) ==
        expected);
  CHECK(read_npy_bytes(npy_file_text("<f4", "True", "(2, 0, 4)", "")) == FloatMatrix{2, 0, {}});
  CHECK_THAT(npy_said(npy_file_text("<f4", "False", "(2, 3, 4)", six_floats())),
             ContainsSubstring("2 x 12 elements"));
}

TEST_CASE("numbers in half precision are read") {
  std::string data;
  for (const int bits :
       {0x0000, 0x8000, 0x3c00, 0xc000, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x7c00, 0xfc00, 0x3555}) {
    data += little_endian(static_cast<std::uint64_t>(bits), 2);
  }
  const std::vector<float> values =
      read_npy_bytes(npy_file_text("<f2", "False", "(11,)", data)).values;
  CHECK(values == std::vector<float>{0.0f, -0.0f, 1.0f, -2.0f, 0x1p-24f, 1023 * 0x1p-24f, 0x1p-14f,
                                     65504.0f, INFINITY, -INFINITY, 0.333251953125f});
  CHECK(std::signbit(values[1]));
  CHECK(std::isnan(
      read_npy_bytes(npy_file_text("<f2", "False", "(1,)", little_endian(0x7e00, 2))).values[0]));
}

TEST_CASE("headers of NumPy 1, NumPy under Python 2 and others are read") {
  const FloatMatrix expected{2, 1, {1, 2}};
  const std::string data = float_bytes({1, 2});
  CHECK(read_npy_bytes(npy_file_text(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L), }        ", data)) ==
        expected);
  CHECK(read_npy_bytes(npy_file_text("{\"shape\":(2,1),\"fortran_order\":False,\"descr\":\"<f4\"}",
                                     data)) == expected);
}

template <typename T>
void check_type(const std::string& type, const std::vector<T>& values) {
  std::string data;
  for (const T value : values) {
    std::uint64_t bits = 0;
    if constexpr (std::is_same_v<T, double>) {
      bits = std::bit_cast<std::uint64_t>(value);
    } else {
      bits = static_cast<std::uint64_t>(value);
    }
    data += little_endian(bits, sizeof(T));
  }
  CAPTURE(type);
  const FloatMatrix matrix = read_npy_bytes(
      npy_file_text(type, "False", "(1, " + std::to_string(values.size()) + ")", data));
  REQUIRE(matrix.values.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(matrix.values[i] == static_cast<float>(values[i]));
  }
}

template <typename T>
std::vector<T> extremes() {
  return {std::numeric_limits<T>::min(), 0, 1, 100, std::numeric_limits<T>::max()};
}

TEST_CASE("every type of number is rounded to the nearest float") {
  check_type<std::int8_t>("|i1", extremes<std::int8_t>());
  check_type<std::uint8_t>("|u1", extremes<std::uint8_t>());
  check_type<std::int16_t>("<i2", extremes<std::int16_t>());
  check_type<std::uint16_t>("<u2", extremes<std::uint16_t>());
  check_type<std::int32_t>("<i4", extremes<std::int32_t>());
  check_type<std::uint32_t>("<u4", extremes<std::uint32_t>());
  check_type<std::int64_t>("<i8", extremes<std::int64_t>());
  check_type<std::uint64_t>("<u8", extremes<std::uint64_t>());
  check_type<double>("<f8",
                     {-0.1, 0.0, 1.0 / 3.0, 1e-50, 3e38, std::numeric_limits<double>::infinity()});
  CHECK(read_npy_bytes(npy_file_text("|b1", "False", "(3,)", std::string("\0\1\2", 3))).values ==
        std::vector<float>{0, 1, 1});
  CHECK(std::isnan(
      read_npy_bytes(npy_file_text("<f4", "False", "(1,)", float_bytes({NAN}))).values[0]));
}

TEST_CASE("a written file is read as the same matrix, and equals that of NumPy") {
  const TemporaryFolder folder;
  const std::string path = folder.file("y.npy");
  const FloatMatrix matrix{3, 2, {0.1f, -2.5f, 1e-42f, 3e38f, -0.0f, INFINITY}};
  write_npy(matrix, path);
  CHECK(read_npy(path) == matrix);
  const std::string content = read_content(path);
  CHECK(content.substr(0, 8) == std::string("\x93NUMPY\1\0", 8));
  CHECK(content.size() % 64 == sizeof(float) * 6);
  CHECK(content.substr(10, 59) == "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }");
  CHECK(content[content.size() - sizeof(float) * 6 - 1] == '\n');
  CHECK(content.substr(content.size() - sizeof(float) * 6) == float_bytes(matrix.values));
  for (const FloatMatrix& empty : {FloatMatrix{0, 5, {}}, FloatMatrix{5, 0, {}}}) {
    write_npy(empty, path);
    CHECK(read_npy(path) == empty);
  }
  // Matrices with more digits in their shape, so the header has another length.
  const FloatMatrix wide{1, 1000000, std::vector<float>(1000000, 0.5f)};
  write_npy(wide, path);
  CHECK(read_npy(path) == wide);
  CHECK_THROWS_AS(write_npy(FloatMatrix{2, 2, {1.0f}}, path), std::invalid_argument);
  CHECK_THROWS_AS(write_npy(FloatMatrix{-1, -1, {1.0f}}, path), std::invalid_argument);
}

TEST_CASE("a truncated file and a file that is too long are refused") {
  const std::string whole = npy_file_text("<f4", "False", "(2, 3)", six_floats());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(read_npy_bytes(whole.substr(0, length)), MatrixFileError);
  }
  CHECK_THAT(npy_said(whole.substr(0, whole.size() - 1)), ContainsSubstring("23 bytes follow"));
  CHECK_THAT(npy_said(whole + "x"), ContainsSubstring("1 bytes after"));
}

TEST_CASE("headers that do not match the file are refused before memory is allocated") {
  for (const char* const shape :
       {"(1048576, 1048576)", "(1099511627776,)", "(18446744073709551615, 18446744073709551615)",
        "(4294967296, 4294967296)", "(2, 4294967296, 4294967296)", "(0, 4294967296, 4294967296)",
        "(18446744073709551616, 1)", "(9223372036854775808, 0)"}) {
    CAPTURE(shape);
    CHECK(npy_said(npy_file_text("<f4", "False", shape, six_floats())).find("x.npy': ") !=
          std::string::npos);
    CHECK_THROWS_AS(read_npy_bytes(npy_file_text("|u1", "True", shape, six_floats())),
                    MatrixFileError);
  }
  const std::string claims_header = std::string("\x93NUMPY\2\0", 8) + "\xff\xff\xff\xff{}";
  CHECK_THAT(npy_said(claims_header), ContainsSubstring("4294967295"));
}

TEST_CASE("invalid headers are refused with the reason") {
  const auto said = [](const std::string& header) { return npy_said(npy_file_text(header, "")); };
  CHECK_THAT(said(""), ContainsSubstring("has no '{'"));
  CHECK_THAT(said("{'descr': '<f4', 'fortran_order': False}"), ContainsSubstring("no key 'shape'"));
  CHECK_THAT(said("{'descr': '<f4', 'shape': (1,)}"), ContainsSubstring("no key 'fortran_order'"));
  CHECK_THAT(said("{'fortran_order': True, 'shape': (1,)}"), ContainsSubstring("no key 'descr'"));
  CHECK_THAT(said("{'descr': '<f4', 'descr': '<f4'}"), ContainsSubstring("'descr' twice"));
  CHECK_THAT(said("{'descr': '<f4', 'x': 1}"), ContainsSubstring("unknown key 'x'"));
  CHECK_THAT(said("{'descr': '<f4'} {"), ContainsSubstring("after its end"));
  CHECK_THAT(said("{'descr': '>f4'}"), ContainsSubstring("big-endian"));
  CHECK_THAT(said("{'descr': '<c8'}"), ContainsSubstring("has the type '<c8'"));
  CHECK_THAT(said("{'descr': '<f3'}"), ContainsSubstring("has the type '<f3'"));
  CHECK_THAT(said("{'descr': '|O'}"), ContainsSubstring("type '|O'"));
  CHECK_THAT(said("{'descr': ''}"), ContainsSubstring("type ''"));
  CHECK_THAT(said("{'descr': [('a', '<f4')]}"), ContainsSubstring("records"));
  CHECK_THAT(said("{'descr': '<f4"), ContainsSubstring("a string without end"));
  CHECK_THAT(said("{'fortran_order': 1}"), ContainsSubstring("neither True nor False"));
  CHECK_THAT(said("{'shape': ()}"), ContainsSubstring("has no dimensions"));
  std::string extents;
  for (int i = 0; i < 65; ++i) extents += "1, ";
  CHECK_THAT(said("{'shape': (" + extents + ")}"), ContainsSubstring("more than 64 dimensions"));
  CHECK_THAT(said("{'shape': (-1, 2)}"), ContainsSubstring("has no extent"));
  CHECK_THAT(said("{'shape': (1 2)}"), ContainsSubstring("has no ')'"));
  CHECK_THAT(npy_said("PK\3\4 no array at all"), ContainsSubstring(".npy file"));
  CHECK_THAT(npy_said(npy_file_text("<f4", "False", "(1,)", "1234", 3)),
             ContainsSubstring("version 3.0"));
}

TEST_CASE("files that cannot be opened are reported") {
  const TemporaryFolder folder;
  const auto said = [](const std::string& path) {
    return refusal<MatrixFileError>([&] { read_matrix(path); });
  };
  CHECK_THAT(said(folder.file("none.npy")), ContainsSubstring("none.npy': cannot be opened"));
  CHECK_THAT(said("/dev/zero.npy"), ContainsSubstring("cannot be opened"));
  std::filesystem::create_directory(folder.file("folder.npy"));
  CHECK_THAT(said(folder.file("folder.npy")), ContainsSubstring("regular file"));
  CHECK_THAT(said(folder.file("x.txt")), ContainsSubstring("'.txt'"));
  CHECK_THROWS_AS(write_matrix(FloatMatrix{1, 1, {1}}, folder.file("x")), MatrixFileError);
  CHECK_THROWS_AS(write_matrix(FloatMatrix{1, 1, {1}}, folder.file("no/x.npy")), std::system_error);
}

TEST_CASE("the extension selects the format, in upper or lower case") {
  const TemporaryFolder folder;
  const FloatMatrix matrix{1, 2, {1, 2}};
  write_matrix(matrix, folder.file("a.NPY"));
  write_matrix(matrix, folder.file("a.Csv"));
  CHECK(read_content(folder.file("a.NPY")).substr(1, 5) == "NUMPY");
  CHECK(read_content(folder.file("a.Csv")) == "1,2\n");
  CHECK(read_matrix(folder.file("a.NPY")) == matrix);
  CHECK(read_matrix(folder.file("a.Csv")) == matrix);
}

}  // namespace
}  // namespace tilewright

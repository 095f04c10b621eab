#include <fstream>

#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Files that Python's zipfile wrote as numpy.savez and numpy.savez_compressed call it, in
// hexadecimal: x is {{1, 2}, {3, 4}} and y is {{5}}.
const std::string kSaved(
    "504b03042d0000000000000021000c11e9b7ffffffffffffffff05001400782e6e7079010010005600000000"
    "0000005600000000000000934e554d505901003c007b276465736372273a20273c6634272c2027666f727472"
    "616e5f6f72646572273a2046616c73652c20277368617065273a2028322c2032292c207d0a0000803f000000"
    "400000404000008040504b03042d000000000000002100b510361fffffffffffffffff05001400792e6e7079"
    "010010004a000000000000004a00000000000000934e554d505901003c007b276465736372273a20273c6634"
    "272c2027666f727472616e5f6f72646572273a2046616c73652c20277368617065273a2028312c2031292c20"
    "7d0a0000a040504b01022d032d0000000000000021000c11e9b7560000005600000005000000000000000000"
    "0000800100000000782e6e7079504b01022d032d000000000000002100b510361f4a0000004a000000050000"
    "00000000000000000080018d000000792e6e7079504b05060000000002000200660000000e0100000000");
const std::string kCompressed(
    "504b03042d0000000800000021000c11e9b7ffffffffffffffff05001400782e6e7079010010005600000000"
    "00000050000000000000009bec17ea1b10c9c860c350ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f5452"
    "9498179f5f94920a12774bcc294e058a17672416a402f91a463a0a469a3a0ab55c0c0c0df60c0c0c0e4004c4"
    "0d0e00504b03042d000000080000002100b510361fffffffffffffffff05001400792e6e7079010010004a00"
    "00000000000047000000000000009bec17ea1b10c9c860c350ad9e925a9c5ca46ea5a06e9366a2aea3a09e96"
    "5f54529498179f5f94920a12774bcc294e058a17672416a402f91a863a0a869a3a0ab55c0c0c0b1c00504b01"
    "022d032d0000000800000021000c11e9b7500000005600000005000000000000000000000080010000000078"
    "2e6e7079504b01022d032d000000080000002100b510361f470000004a000000050000000000000000000000"
    "800187000000792e6e7079504b0506000000000200020066000000050100000000");

std::string from_hexadecimal(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::vector<NamedMatrix<float>> read_npz_bytes(const std::string& content) {
  const TemporaryFolder folder;
  return read_npz(written(folder, "x.npz", content));
}

std::string npz_said(const std::string& content) {
  return refusal<MatrixFileError>([&] { read_npz_bytes(content); });
}

TEST_CASE("arrays that NumPy saved together") {
  const auto arrays = read_npz_bytes(from_hexadecimal(kSaved));
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].name == "x");
  CHECK(arrays[0].matrix == FloatMatrix{2, 2, {1, 2, 3, 4}});
  CHECK(arrays[1].name == "y");
  CHECK(arrays[1].matrix == FloatMatrix{1, 1, {5}});
  CHECK_THAT(npz_said(from_hexadecimal(kCompressed)), ContainsSubstring("'x.npy' is compressed"));
}

TEST_CASE("arrays that are written together are read again") {
  const TemporaryFolder folder;
  const std::string path = folder.file("y.npz");
  write_npz({{"actions", {2, 3, {1, 2, 3, 4, 5, 6}}}, {"value", {0, 1, {}}}}, path);
  const auto arrays = read_npz<double>(path);
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].name == "actions");
  CHECK(arrays[0].matrix == DoubleMatrix{2, 3, {1, 2, 3, 4, 5, 6}});
  CHECK(arrays[1].matrix == DoubleMatrix{0, 1, {}});
  CHECK_THAT(refusal<MatrixFileError>([&] { read_matrix(path); }),
             ContainsSubstring("2 arrays: 'actions', 'value'"));
  // One array is a matrix.
  write_matrix({1, 2, {7, 8}}, path);
  CHECK(read_matrix(path) == FloatMatrix{1, 2, {7, 8}});
  CHECK(read_npz(path).front().name == "arr_0");
  for (const char* name : {"", "again"}) {
    CHECK_THROWS_AS(write_npz({{"again", {}}, {name, {}}}, path), MatrixFileError);
  }
  CHECK_THROWS_AS(write_npz({{"x", {1, 2, {}}}}, path), std::invalid_argument);
}

TEST_CASE("damaged files of several arrays are refused") {
  const std::string right = from_hexadecimal(kSaved);
  CHECK_THAT(npz_said(""), ContainsSubstring("truncated"));
  CHECK_THAT(npz_said("text that is no archive, but as long as one"),
             ContainsSubstring(".npz file"));
  for (std::size_t bytes = 0; bytes < right.size(); bytes += 7) {
    CHECK_THAT(npz_said(right.substr(0, bytes)), ContainsSubstring("x.npz"));
  }
  // A bit of an element: the checksum shows it.
  std::string wrong = right;
  wrong[right.find("NUMPY") + 72] ^= 1;
  CHECK_THAT(npz_said(wrong), ContainsSubstring("'x.npy' is damaged"));
  // Each other bit: refused or read, but nothing worse.
  for (std::size_t i = 0; i < right.size(); ++i) {
    wrong = right;
    wrong[i] = static_cast<char>(wrong[i] ^ 0x41);
    try {
      const auto arrays = read_npz_bytes(wrong);
      CHECK(arrays.size() <= 2);
    } catch (const MatrixFileError&) {
    }
  }
  // A name without the extension.
  wrong = right;
  for (std::size_t at = wrong.find("x.npy"); at != std::string::npos; at = wrong.find("x.npy")) {
    wrong.replace(at, 5, "x.txt");
  }
  CHECK_THAT(npz_said(wrong), ContainsSubstring("'x.txt' is not"));
}

}  // namespace
}  // namespace tilewright

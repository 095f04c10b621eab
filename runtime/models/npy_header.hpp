// What does the header of a .npy file say?
//
// The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Magic and version,
// the header's length, then a Python dictionary as text, then the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct NpyHeader {
  char kind = 'f';                   // f: float, i: signed, u: unsigned integer, b: bool
  std::size_t element_bytes = 4;     // 1, 2, 4 or 8
  bool fortran_order = false;        // the first index runs fastest
  std::vector<std::uint64_t> shape;  // at least one extent
  std::size_t data_offset = 0;       // where in the file the elements begin
};

// The header at the beginning of a file. `file` is only used in errors. Throws MatrixFileError.
NpyHeader parse_npy_header(std::string_view content, const std::string& file);

}  // namespace tilewright

// Parses the header of a .npy file.
//
// Format (numpy.org/doc/stable/reference/generated/numpy.lib.format.html): magic and version, the
// length of the header, a Python dictionary as text, then the elements.
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
  bool fortran_order = false;        // column-major: the first index varies fastest
  std::vector<std::uint64_t> shape;  // at least one extent
  std::size_t data_offset = 0;       // offset of the elements in the file, bytes
};

// Parses the header of a file with this content. `file` is only used in messages. Throws
// MatrixFileError.
NpyHeader parse_npy_header(std::string_view content, const std::string& file);

}  // namespace tilewright

// Functions that all readers of matrix files share.
#include <fmt/format.h>

#include "matrix/matrix_text.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {

MatrixFileError::MatrixFileError(const std::string& file, const std::string& reason)
    : std::runtime_error(fmt::format("'{}': {}", printable(file), reason)),
      file_(file),
      reason_(reason) {}

}  // namespace tilewright

// Did all that the program said on standard output arrive?
#pragma once

#include <string>

namespace tilewright {

// Before any file is opened. A program may be started with standard descriptors closed (`>&-`); the
// first file that it opens, be it a journal, would then take what is printed. Afterwards what is
// printed there is lost, and known to be.
void occupy_standard_descriptors();

// At the end, when all is printed: why it did not arrive, such as "No space left on device"; "": it
// did.
std::string lost_standard_output();

}  // namespace tilewright

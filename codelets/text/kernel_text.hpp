// What do the texts of all kernels have in common?
//
// Internal to codelets. A codelet fills the parts, in the order in which they are read; the
// signature follows from the record, so that what is launched is what was written.
#pragma once

#include <string>
#include <vector>

#include "codelets/text/compile_forms.hpp"
#include "codelets/text/source_text.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// What names of a body stand for, a clause.
struct Meaning {
  std::vector<std::string> names;
  std::string meaning;
};

struct KernelParts {
  KernelParts() { body.open(); }

  std::vector<std::string> purpose;    // what it computes: lines of the comment on top
  std::vector<Meaning> legend;         // of the body's names; others are left out of the comment
  SourceText functions;                // what its body calls
  std::vector<std::string> arguments;  // lines of the signature, but for those of the epilogue
  SourceText body;                     // open()ed
  GroupSize group_size = GroupSize::kRequired;
};

// The local size along dimensions 0 and 1 of so many work-items along m and n.
std::array<int, 2> work_group_of(IdOrder, int along_m, int along_n);

// May the kernel be `batched`? Dimension 2 must be free, and matrices be buffers.
bool may_be_batched(const KernelRecord& record);
// The begin of a batched kernel's body: A, B and C become those of the work-item's own product.
void write_own_product(SourceText& body);

// Writes record.source; all else that a launch needs is in the record already.
void write_source(KernelRecord& record, KernelParts parts);

}  // namespace tilewright

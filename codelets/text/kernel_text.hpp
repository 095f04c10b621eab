// Assembles the source text of a kernel from its parts.
//
// Internal to codelets. A generator fills KernelParts. The signature is derived from the record, so
// that the launch always matches the source.
#pragma once

#include <string>
#include <vector>

#include "codelets/text/compile_forms.hpp"
#include "codelets/text/source_text.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Explanation (a clause) of some variables of a kernel's body.
struct Meaning {
  std::vector<std::string> names;
  std::string meaning;
};

// The parts of a kernel's source, in the order in which they appear in it.
struct KernelParts {
  KernelParts() { body.open(); }

  std::vector<std::string> purpose;  // lines of the comment at the top: what the kernel computes
  // Explanations of names; those that do not occur in the body are left out.
  std::vector<Meaning> legend;
  SourceText functions;  // the functions that the body calls
  // Lines of the signature, without the arguments of the epilogue.
  std::vector<std::string> arguments;
  SourceText body;  // the constructor has written the opening brace
  GroupSize group_size = GroupSize::kRequired;
};

// Local size in dimensions 0 and 1 for the given number of work-items along m and n.
std::array<int, 2> work_group_shape(IdOrder, int along_m, int along_n);

// True if the kernel can be `batched`. This requires that dimension 2 is unused and that all
// matrices are buffers.
bool may_be_batched(const KernelRecord& record);
// Writes the start of a batched kernel's body, which moves A, B and C to the product of the
// work-item.
void write_own_product(SourceText& body);

// Whether a kernel's source contains the legend, after the lines about its purpose.
enum class Legend { kNone, kWritten };

// Writes record.source. All other fields of the record must be complete.
void write_source(KernelRecord& record, KernelParts parts, Legend legend = Legend::kNone);

}  // namespace tilewright

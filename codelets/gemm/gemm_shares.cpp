#include "codelets/gemm/gemm_shares.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "codelets/gemm/gemm_loop.hpp"
#include "codelets/text/arithmetic_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Elements per sum of a work-item at the end of its share of k: vectors of C for rank-1 updates,
// otherwise single elements.
int sum_width(const GemmFacts& f) {
  return f.outer ? f.point.vector_width : 1;
}

std::vector<std::string> sum_names(const GemmFacts& f) {
  const char* name = f.point.inner == Inner::kPartial ? "s" : "c";
  std::vector<std::string> sums;
  for (int i = 0; i < f.point.tile_m; ++i) {
    for (int v = 0; v < f.point.tile_n / sum_width(f); ++v) {
      sums.push_back(fmt::format("{}{}_{}", name, i, v));
    }
  }
  return sums;
}

// Position of a sum in local memory. The vectors of neighbouring work-items are adjacent.
std::string place(const GemmFacts& f, const std::string& share, int sum, int sums) {
  const std::string line = sum_text(times(share, sums), sum);
  return fmt::format("sums[{}]",
                     sum_text(times(parenthesized(line), f.work_items()), "item_of_share"));
}

}  // namespace

void declare_shared_sums(SourceText& out, const GemmFacts& f) {
  const int floats = f.point.work_group_k / 2 * f.work_items() * f.point.tile_m * f.point.tile_n;
  out.line("__local {} sums[{}];", real_type(sum_width(f)), floats / sum_width(f));
}

void emit_sum_of_shares(SourceText& out, const GemmFacts& f) {
  const bool nm = f.point.id_order == IdOrder::kNM;
  const std::vector<std::string> sums = sum_names(f);
  const int count = static_cast<int>(sums.size());
  out.line("// The partial sums of the parts of k are added up in a binary tree.");
  out.line("const uint share = get_local_id(2);");
  out.line("const uint item_of_share = {} + get_local_id(0);",
           times("get_local_id(1)", nm ? f.point.work_group_n : f.point.work_group_m));
  out.open("for (uint shares = {}; shares > 0; shares >>= 1)", f.point.work_group_k / 2);
  out.open("if (share >= shares && share < 2 * shares)");
  out.line("const uint other = share - shares;");
  for (int s = 0; s < count; ++s) {
    out.line("{} = {};", place(f, "other", s, count), sums[static_cast<std::size_t>(s)]);
  }
  out.close();
  out.line("{}", kBarrier);
  out.open("if (share < shares)");
  for (int s = 0; s < count; ++s) {
    out.line("{} += {};", sums[static_cast<std::size_t>(s)], place(f, "share", s, count));
  }
  out.close();
  out.line("{}", kBarrier);
  out.close();
}

}  // namespace tilewright

#include "codelets/gemv/gemv_store.hpp"

#include "codelets/gemv/gemv_shape.hpp"
#include "codelets/text/epilogue_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Writes the code from the accumulators to C.
class StoreWriter {
 public:
  StoreWriter(SourceText& out, const GemvPoint& point)
      : out_(out), p_(point), s_(gemv_shape(point)) {}

  void write();

 private:
  void fold();
  void share_sums();
  void store_sums();
  void store_registers();
  std::string sum_name(int w, int t) const;
  std::string first_and(int w) const { return sum_text(s_.first(), w); }
  std::string store_call(const std::string& value, const std::string& i,
                         const std::string& j) const;

  SourceText& out_;
  GemvPoint p_;
  GemvShape s_;
};

void StoreWriter::write() {
  if (s_.x_along_k && p_.vector_width > 1) fold();
  if (p_.work_group_k > 1) {
    share_sums();
    out_.line("// Store.");
    store_sums();
  } else {
    out_.line("// Store.");
    store_registers();
  }
}

// Adds up the lanes of each sum: the two halves of a vector are added until one lane is left.
void StoreWriter::fold() {
  out_.line("// Add up the lanes of each sum.");
  for (int w = 0; w < p_.tile_wide; ++w) {
    for (int t = 0; t < p_.tile_narrow; ++t) {
      std::string sum = fmt::format("c{}_{}", w, t);
      for (int width = p_.vector_width; width > 2; width /= 2) {
        const std::string next = fmt::format("c{}_{}_{}", w, t, width / 2);
        out_.line("const {} {} = {}.lo + {}.hi;", real_type(width / 2), next, sum, sum);
        sum = next;
      }
      out_.line("const REAL s{}_{} = {}.s0 + {}.s1;", w, t, sum, sum);
    }
  }
}

// Name of one of a work-item's sums.
std::string StoreWriter::sum_name(int w, int t) const {
  if (!s_.x_along_k) {
    return lane_text(fmt::format("c{}_{}", w / p_.vector_width, t), p_.vector_width,
                     w % p_.vector_width);
  }
  return fmt::format("{}{}_{}", p_.vector_width > 1 ? "s" : "c", w, t);
}

// Adds up the sums of the work-items that share k. This is a tree: each level halves the number of
// parts.
void StoreWriter::share_sums() {
  const int items = gemv_work_items(p_);
  out_.line("// The partial sums of the parts of k are added up.");
  out_.line("const int id = (int)get_local_id(1) * {} + (int)get_local_id(0);",
            p_.k_first ? p_.work_group_k : p_.work_group_wide);
  for (int i = 0; i < s_.tile_m; ++i) {
    for (int j = 0; j < s_.tile_n; ++j) {
      out_.line("sums[{}] = {};", sum_text("id", (i * s_.tile_n + j) * items),
                s_.narrow_n ? sum_name(i, j) : sum_name(j, i));
    }
  }
  const int sums = s_.tile_m * s_.tile_n;
  out_.open("for (int parts = {}; parts > 0; parts >>= 1)", p_.work_group_k / 2);
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.open("for (int e = id; part < parts && e < {}; e += {})", sums * items, items);
  out_.line("sums[e] += sums[e + parts{}];",
            p_.k_first ? "" : fmt::format(" * {}", p_.work_group_wide));
  out_.close();
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
}

// The work-items that share k also share the stores.
void StoreWriter::store_sums() {
  const std::string sum =
      p_.k_first ? "id - part" : fmt::format("id - part * {}", p_.work_group_wide);
  out_.open("for (int e = part; e < {}; e += {})", s_.tile_m * s_.tile_n, p_.work_group_k);
  const bool one_column = s_.tile_n == 1;
  const std::string i = one_column ? "e" : fmt::format("e / {}", s_.tile_n);
  const std::string j = one_column ? "0" : fmt::format("e % {}", s_.tile_n);
  out_.line("const int i = {}{};", s_.narrow_n ? "row + " : "", i);
  out_.line("const int j = {}{};", s_.narrow_n ? "" : "col + ", j);
  out_.line("if (i < m && j < n) {}",
            store_call(fmt::format("sums[e * {} + {}]", gemv_work_items(p_), sum), "i", "j"));
  out_.close();
}

void StoreWriter::store_registers() {
  for (int i = 0; i < s_.tile_m; ++i) {
    for (int j = 0; j < s_.tile_n; ++j) {
      const int w = s_.narrow_n ? i : j;
      const int t = s_.narrow_n ? j : i;
      std::string own = fmt::format("{} < {}", first_and(w), s_.wide_extent());
      if (t > 0) own += fmt::format(" && {} < {}", t, s_.narrow_extent());
      out_.line("if ({}) {}", own,
                store_call(sum_name(w, t), s_.narrow_n ? first_and(i) : std::to_string(i),
                           s_.narrow_n ? std::to_string(j) : first_and(j)));
    }
  }
}

std::string StoreWriter::store_call(const std::string& value, const std::string& i,
                                    const std::string& j) const {
  std::string more;
  if (p_.bias == Dimension::kM) more += fmt::format(", bias[offset_bias + {}]", i);
  if (p_.bias == Dimension::kN) more += fmt::format(", bias[offset_bias + {}]", j);
  more += activation_parameters(p_.activation, "");
  std::string to = "C + offset_c";
  const bool is_name = i.find(' ') == std::string::npos;
  if (i != "0") to += fmt::format(" + (size_t){} * ldc", is_name ? i : "(" + i + ")");
  if (j != "0") to += " + " + j;
  return fmt::format("store({}, alpha, beta, {}{});", value, to, more);
}

}  // namespace

void write_gemv_store_function(SourceText& out, const GemvPoint& p) {
  const char* bias = p.bias == Dimension::kNone ? "" : ", const float bias";
  const std::string more = activation_parameters(p.activation, "const float ");
  out.line("// Stores an element of C. With beta = 0, C is not read.");
  out.line("void store(const REAL sum, const REAL alpha, const REAL beta,");
  out.line("    __global ELEMENT *to{}{})", bias, more);
  out.open();
  out.line("REAL x = alpha * sum;");
  out.line("if (beta != 0.0f) x += beta * {};", matrix_load(1, "to"));
  if (p.bias != Dimension::kNone) out.line("x += bias;");
  out.line("{}", matrix_store(1, activation_text(p.activation, "x", 1, p.exp), "to"));
  out.close();
  out.blank();
}

void write_gemv_stores(SourceText& out, const GemvPoint& p) {
  StoreWriter(out, p).write();
}

}  // namespace tilewright

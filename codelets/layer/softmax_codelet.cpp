#include "codelets/point/emitters.hpp"
#include "codelets/text/layout_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Writes one kernel, which traverses a row three times: to find its maximum; to compute the
// exponentials, which it keeps in Y, and their sum; and to divide. For logSoftmax it keeps the
// exponents in Y instead and subtracts the logarithm of the sum. The work-items of a row process
// vectors in turns. Each work-item processes the same vectors every time, so that only the maximum
// and the sum are exchanged. X and Y may be the same matrix, so neither of them is `restrict`.
class SoftmaxWriter {
 public:
  explicit SoftmaxWriter(const SoftmaxPoint& point) : p_(point) {}

  KernelParts write() &&;

 private:
  void heading();
  void place();
  void find_largest();
  void add_exponentials();
  void divide();
  void pad();
  void open_whole();
  void open_rest(const std::string& from, const char* to);
  void fold(const std::string& name, const char* combine);
  void share(const std::string& name, const char* combine);

  bool logarithm() const { return p_.activation == Activation::kLogSoftmax; }
  bool shared() const { return p_.work_group_n > 1; }
  // Text that combines two scalars or vectors.
  static std::string combined(const char* combine, const std::string& a, const std::string& b) {
    return *combine == '+' ? fmt::format("{} + {}", a, b)
                           : fmt::format("{}({}, {})", combine, a, b);
  }

  SoftmaxPoint p_;
  KernelParts parts_;
  SourceText& out_ = parts_.body;
};

KernelParts SoftmaxWriter::write() && {
  heading();
  place();
  out_.blank();
  out_.line("// Find the largest element of the row.");
  find_largest();
  out_.blank();
  out_.line("// {}", logarithm() ? "Store the exponents and add up the exponentials."
                                 : "Store the exponentials and add them up.");
  add_exponentials();
  out_.blank();
  out_.line("// {}", logarithm() ? "Subtract the logarithm of the sum." : "Divide by the sum.");
  divide();
  out_.line("// Store zeros in the padding.");
  pad();
  return std::move(parts_);
}

void SoftmaxWriter::heading() {
  parts_.purpose = {
      fmt::format("Y = {}softmax of each row of X, m x n by rows, with zeros up to padded_m x "
                  "padded_n.",
                  logarithm() ? "log " : ""),
      "X and Y may be the same matrix."};
  parts_.legend = {{{"x", "y"}, "the row in X and in Y"},
                   {{"columns"}, "elements in the row, 0 after the last row"},
                   {{"whole"}, "elements in whole vectors"},
                   {{"part"}, "number of this work-item in the row"},
                   {{"id"}, "number of this work-item in the work-group"},
                   {{"meeting"}, "a value of each work-item, to combine them"},
                   {{"largest", "sum"}, "of the row"},
                   {{"e"}, "exponentials"},
                   {{"d"}, "exponents"}};
  parts_.arguments = {"const int m, const int n", "const int padded_m, const int padded_n",
                      "__global const ELEMENT *X, const ulong offset_x, const int ldx",
                      "__global ELEMENT *Y, const ulong offset_y, const int ldy"};
}

// Work-items of rows outside the matrix execute the barriers, but process no columns.
void SoftmaxWriter::place() {
  out_.line("const int row = (int)get_global_id(1);");
  if (shared()) {
    out_.line("__local REAL meeting[{}];", p_.work_group_m * p_.work_group_n);
    out_.line("const int part = (int)get_local_id(0);");
    out_.line(
        "const int id = {}part;",
        p_.work_group_m == 1 ? "" : fmt::format("(int)get_local_id(1) * {} + ", p_.work_group_n));
  } else {
    out_.line("if (row >= padded_m) return;");
  }
  out_.line("__global const ELEMENT *x = X + offset_x + {};",
            row_offset_text(Layout::R(), "row", "ldx"));
  out_.line("__global ELEMENT *y = Y + offset_y + {};", row_offset_text(Layout::R(), "row", "ldy"));
  out_.line("const int columns = row < m ? n : 0;");
  if (p_.vector_width > 1) out_.line("const int whole = columns - columns % {};", p_.vector_width);
}

// Opens the loop over the work-item's vectors.
void SoftmaxWriter::open_whole() {
  const int iteration_n = p_.work_group_n * p_.vector_width;
  out_.open("for (int col = {}; col < whole; col += {})",
            shared() ? times("part", p_.vector_width) : "0", iteration_n);
}

// Opens the loop over the remaining columns, one at a time.
void SoftmaxWriter::open_rest(const std::string& from, const char* to) {
  const std::string first = shared() ? sum_text(from, "part") : from.empty() ? "0" : from;
  out_.open("for (int col = {}; col < {}; {})", first, to,
            shared() ? fmt::format("col += {}", p_.work_group_n) : "++col");
}

// Reduces the vector `name` to a scalar `name`: the two halves are combined until one lane is left.
void SoftmaxWriter::fold(const std::string& name, const char* combine) {
  std::string all = fmt::format("{}{}", name, p_.vector_width);
  for (int width = p_.vector_width / 2; width > 1; width /= 2) {
    const std::string half = fmt::format("{}{}", name, width);
    out_.line("const {} {} = {};", real_type(width), half,
              combined(combine, all + ".lo", all + ".hi"));
    all = half;
  }
  out_.line("REAL {} = {};", name, combined(combine, all + ".s0", all + ".s1"));
}

// Combines the values of the work-items of a row. This is a tree: each level halves the number of
// parts.
void SoftmaxWriter::share(const std::string& name, const char* combine) {
  out_.line("meeting[id] = {};", name);
  out_.open("for (int parts = {}; parts > 0; parts >>= 1)", p_.work_group_n / 2);
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line("if (part < parts) meeting[id] = {};",
            combined(combine, "meeting[id]", "meeting[id + parts]"));
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line("{} = meeting[id - part];", name);
}

// Starts with -FLT_MAX, because devices of the embedded profile may have no infinity.
void SoftmaxWriter::find_largest() {
  const int width = p_.vector_width;
  if (width > 1) {
    out_.line("{} largest{} = ({})(-FLT_MAX);", real_type(width), width, real_type(width));
    open_whole();
    out_.line("largest{} = fmax(largest{}, {});", width, width, matrix_load(width, "x + col"));
    out_.close();
    fold("largest", "fmax");
  } else {
    out_.line("REAL largest = -FLT_MAX;");
  }
  open_rest(width > 1 ? "whole" : "", "columns");
  out_.line("largest = fmax(largest, {});", matrix_load(1, "x + col"));
  out_.close();
  if (shared()) share("largest", "fmax");
}

void SoftmaxWriter::add_exponentials() {
  const int width = p_.vector_width;
  const auto add = [&](int lanes, const std::string& sum) {
    if (logarithm()) {
      out_.line("const {} d = {} - largest;", real_type(lanes), matrix_load(lanes, "x + col"));
      out_.line("{}", matrix_store(lanes, "d", "y + col"));
      out_.line("{} += {}(d);", sum, exponential_function(p_.exp));
      return;
    }
    out_.line("const {} e = {}({} - largest);", real_type(lanes), exponential_function(p_.exp),
              matrix_load(lanes, "x + col"));
    out_.line("{}", matrix_store(lanes, "e", "y + col"));
    out_.line("{} += e;", sum);
  };
  if (width > 1) {
    const std::string sums = fmt::format("sum{}", width);
    out_.line("{} {} = {};", real_type(width), sums, real_zero(width));
    open_whole();
    add(width, sums);
    out_.close();
    fold("sum", "+");
  } else {
    out_.line("REAL sum = 0.0f;");
  }
  open_rest(width > 1 ? "whole" : "", "columns");
  add(1, "sum");
  out_.close();
  if (!shared()) return;
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  share("sum", "+");
}

void SoftmaxWriter::divide() {
  const int width = p_.vector_width;
  if (logarithm()) out_.line("const REAL logarithm = log(sum);");
  const auto quotient = [&](int lanes) {
    const char* by_sum = logarithm() ? " - logarithm" : " / sum";
    out_.line("{}", matrix_store(lanes, matrix_load(lanes, "y + col") + by_sum, "y + col"));
  };
  if (width > 1) {
    open_whole();
    quotient(width);
    out_.close();
  }
  open_rest(width > 1 ? "whole" : "", "columns");
  quotient(1);
  out_.close();
}

void SoftmaxWriter::pad() {
  if (shared()) out_.line("if (row >= padded_m) return;");
  open_rest("columns", "padded_n");
  out_.line("{}", matrix_store(1, "0.0f", "y + col"));
  out_.close();
}

}  // namespace

KernelRecord describe_kernel(const SoftmaxPoint& p) {
  KernelRecord record = make_record(Role::kSoftmax, p);
  if (p.work_group_n > 1) {
    record.local_bytes = static_cast<std::int64_t>(p.work_group_m) * p.work_group_n *
                         static_cast<std::int64_t>(sizeof(float));
  }
  record.tile = {1, p.vector_width, 1};
  record.layout_a = record.layout_c = Layout::R();
  record.epilogue = Epilogue::kNone;
  return record;
}

KernelParts write_kernel(const SoftmaxPoint& p) {
  return SoftmaxWriter(p).write();
}

}  // namespace tilewright

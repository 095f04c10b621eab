#include "profiles/kernel_record.hpp"

#include <charconv>

#include "profiles/digest.hpp"
#include "source_rules.hpp"

namespace tilewright {
namespace {

// One enumerator and its word. The lists below are the only place where these words are written.
template <class Enum>
struct Word {
  Enum value;
  std::string_view text;
};

constexpr std::array<Word<Role>, 6> kRoles = {{{Role::kGemm, "gemm"},
                                               {Role::kGemv, "gemv"},
                                               {Role::kPack, "pack"},
                                               {Role::kReduce, "reduce"},
                                               {Role::kActivation, "activation"},
                                               {Role::kSoftmax, "softmax"}}};
constexpr std::array<Word<Op>, 4> kOps = {
    {{Op::kNN, "NN"}, {Op::kNT, "NT"}, {Op::kTN, "TN"}, {Op::kTT, "TT"}}};
constexpr std::array<Word<IdOrder>, 3> kIdOrders = {
    {{IdOrder::kNM, "nm"}, {IdOrder::kMN, "mn"}, {IdOrder::kFlat, "flat"}}};
constexpr std::array<Word<Epilogue>, 2> kEpilogues = {
    {{Epilogue::kNone, "none"}, {Epilogue::kAlphaBeta, "alpha_beta"}}};
constexpr std::array<Word<Dimension>, 3> kDimensions = {
    {{Dimension::kNone, "none"}, {Dimension::kM, "m"}, {Dimension::kN, "n"}}};
constexpr std::array<Word<Precision>, 3> kPrecisionWords = {
    {{Precision::kSingle, "s"}, {Precision::kDouble, "d"}, {Precision::kHalf, "h"}}};
constexpr std::array<Word<Precision>, 3> kElementWords = {{{Precision::kSingle, "single precision"},
                                                           {Precision::kDouble, "double precision"},
                                                           {Precision::kHalf, "half precision"}}};
constexpr std::array<Word<Edges>, 2> kEdges = {
    {{Edges::kGuarded, "guarded"}, {Edges::kPadded, "padded"}}};

constexpr std::string_view kWholeKWord = "all";

template <class Enum, std::size_t N>
std::string_view word_text(const std::array<Word<Enum>, N>& words, Enum value) {
  for (const Word<Enum>& word : words) {
    if (word.value == value) return word.text;
  }
  return {};  // not an enumerator: an empty word, which no parser accepts
}

template <class Enum, std::size_t N>
std::optional<Enum> find_word(const std::array<Word<Enum>, N>& words, std::string_view text) {
  for (const Word<Enum>& word : words) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(Role role) {
  return word_text(kRoles, role);
}
std::string_view to_text(Op op) {
  return word_text(kOps, op);
}
std::string_view to_text(IdOrder order) {
  return word_text(kIdOrders, order);
}
std::string_view to_text(Epilogue epilogue) {
  return word_text(kEpilogues, epilogue);
}

std::string_view to_text(Dimension dimension) {
  return word_text(kDimensions, dimension);
}
std::string_view to_text(Activation activation) {
  if (!is_known(activation)) return {};  // an empty word, which no parser accepts
  const ActivationDescription& described = describe_activation(activation);
  if (described.kernel_name.empty()) return described.name;
  return described.kernel_name == "-" ? std::string_view() : described.kernel_name;
}
std::string_view to_text(Edges edges) {
  return word_text(kEdges, edges);
}
std::string_view to_text(Precision precision) {
  return word_text(kPrecisionWords, precision);
}
std::string_view elements_text(Precision precision) {
  return word_text(kElementWords, precision);
}
std::string to_text(const Images& images) {
  return std::string(images.a ? "a" : "") + (images.b ? "b" : "") + (images.c ? "c" : "");
}

std::string half_sums_text(int accumulate_k) {
  return accumulate_k == kWholeK ? std::string(kWholeKWord) : std::to_string(accumulate_k);
}

std::optional<Role> parse_role(std::string_view text) {
  return find_word(kRoles, text);
}
std::optional<Op> parse_op(std::string_view text) {
  return find_word(kOps, text);
}
std::optional<IdOrder> parse_id_order(std::string_view text) {
  return find_word(kIdOrders, text);
}
std::optional<Epilogue> parse_epilogue(std::string_view text) {
  return find_word(kEpilogues, text);
}

std::optional<Dimension> parse_dimension(std::string_view text) {
  return find_word(kDimensions, text);
}
std::optional<Activation> parse_activation(std::string_view text) {
  for (const ActivationDescription& each : kActivations) {
    if (!text.empty() && to_text(each.activation) == text) return each.activation;
  }
  return std::nullopt;
}

std::string list_activation_words() {
  std::string words;
  for (const ActivationDescription& each : kActivations) {
    const std::string_view word = to_text(each.activation);
    if (word.empty()) continue;
    words += words.empty() ? "" : ", ";
    words += word;
  }
  return words;
}
std::optional<Edges> parse_edges(std::string_view text) {
  return find_word(kEdges, text);
}
std::optional<Precision> parse_precision(std::string_view text) {
  return find_word(kPrecisionWords, text);
}
std::optional<Images> parse_images(std::string_view text) {
  for (int bits = 0; bits < 8; ++bits) {
    const Images images{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    if (to_text(images) == text) return images;
  }
  return std::nullopt;
}

std::optional<int> parse_half_sums(std::string_view text) {
  if (text == kWholeKWord) return kWholeK;
  int steps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || steps < 1 || steps == kWholeK) return std::nullopt;
  return steps;
}

Op op_from_layouts(const Layout& a, const Layout& b) {
  if (a == Layout::C()) return b == Layout::C() ? Op::kTT : Op::kTN;
  return b == Layout::C() ? Op::kNT : Op::kNN;
}

Layout op_layout_a(Op op) {
  return op == Op::kNN || op == Op::kNT ? Layout::R() : Layout::C();
}

Layout op_layout_b(Op op) {
  return op == Op::kNN || op == Op::kTN ? Layout::R() : Layout::C();
}

std::string_view required_extension(const KernelRecord& record) {
  return record.accumulate_k > 0 ? kHalfArithmetic : required_extension(record.precision);
}

bool may_ignore_nan(const KernelRecord& record) {
  return record.build_options.find("-cl-fast-relaxed-math") != std::string::npos;
}

std::string compute_digest(const KernelRecord& record) {
  return digest_bytes(record.build_options + '\n' + record.source);
}

std::string compute_code_digest(const KernelRecord& record) {
  std::string code;
  bool blank = false;  // white space is pending
  for (const char c : without_comments(record.source)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (!is_blank && blank && !code.empty()) code += ' ';
    if (!is_blank) code += c;
    blank = is_blank;
  }
  return digest_bytes(record.build_options + '\n' + code);
}

}  // namespace tilewright

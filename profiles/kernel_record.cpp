#include "profiles/kernel_record.hpp"

#include "profiles/digest.hpp"

namespace tilewright {
namespace {

// One enumerator and its word. Each list below is the only place where its words are spelled.
template <class Enum>
struct Word {
  Enum value;
  std::string_view text;
};

constexpr std::array<Word<Role>, 2> kRoles = {{{Role::kGemm, "gemm"}, {Role::kPack, "pack"}}};
constexpr std::array<Word<Op>, 4> kOps = {
    {{Op::kNN, "NN"}, {Op::kNT, "NT"}, {Op::kTN, "TN"}, {Op::kTT, "TT"}}};
constexpr std::array<Word<Layout>, 2> kLayouts = {{{Layout::kR, "R"}, {Layout::kC, "C"}}};
constexpr std::array<Word<IdOrder>, 2> kIdOrders = {{{IdOrder::kNM, "nm"}, {IdOrder::kMN, "mn"}}};
constexpr std::array<Word<Epilogue>, 2> kEpilogues = {
    {{Epilogue::kNone, "none"}, {Epilogue::kAlphaBeta, "alpha_beta"}}};

template <class Enum, std::size_t N>
std::string_view text_of(const std::array<Word<Enum>, N>& words, Enum value) {
  for (const Word<Enum>& word : words) {
    if (word.value == value) return word.text;
  }
  return {};  // not an enumerator: no word, which no parser accepts
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const std::array<Word<Enum>, N>& words, std::string_view text) {
  for (const Word<Enum>& word : words) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(Role role) {
  return text_of(kRoles, role);
}
std::string_view to_text(Op op) {
  return text_of(kOps, op);
}
std::string_view to_text(Layout layout) {
  return text_of(kLayouts, layout);
}
std::string_view to_text(IdOrder order) {
  return text_of(kIdOrders, order);
}
std::string_view to_text(Epilogue epilogue) {
  return text_of(kEpilogues, epilogue);
}

std::optional<Role> parse_role(std::string_view text) {
  return value_of(kRoles, text);
}
std::optional<Op> parse_op(std::string_view text) {
  return value_of(kOps, text);
}
std::optional<Layout> parse_layout(std::string_view text) {
  return value_of(kLayouts, text);
}
std::optional<IdOrder> parse_id_order(std::string_view text) {
  return value_of(kIdOrders, text);
}
std::optional<Epilogue> parse_epilogue(std::string_view text) {
  return value_of(kEpilogues, text);
}

Op op_of(Layout a, Layout b) {
  if (a == Layout::kR) return b == Layout::kR ? Op::kNN : Op::kNT;
  return b == Layout::kR ? Op::kTN : Op::kTT;
}

Layout layout_a_of(Op op) {
  return op == Op::kNN || op == Op::kNT ? Layout::kR : Layout::kC;
}

Layout layout_b_of(Op op) {
  return op == Op::kNN || op == Op::kTN ? Layout::kR : Layout::kC;
}

std::string digest_of(const KernelRecord& record) {
  return digest_of_bytes(record.build_options + '\n' + record.source);
}

}  // namespace tilewright

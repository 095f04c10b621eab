#include "profiles/retyped.hpp"

#include <algorithm>
#include <map>

#include "profiles/digest.hpp"
#include "profiles/type_prelude.hpp"

namespace tilewright {
namespace {

// Replaces the first occurrence of `what` by `by`.
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// Removes from a point's text the parameters in which kernels of one family differ.
std::string text_without_epilogue(std::string point) {
  for (const char* parameter : {" bias=", " activation=", " exp="}) {
    const std::size_t at = point.find(parameter);
    if (at != std::string::npos) point.erase(at, point.find(' ', at + 1) - at);
  }
  return point;
}

// The type definitions in a source: consecutive lines, the first of which defines a name.
struct Prelude {
  std::size_t begin = 0;
  std::size_t end = 0;  // past the end, including the empty line after it
};

std::optional<Prelude> find_prelude(std::string_view source) {
  const std::size_t before = source.find("\n#define ");
  if (before == std::string_view::npos) return std::nullopt;
  const std::size_t last = source.find("\n\n", before);
  if (last == std::string_view::npos) return std::nullopt;
  return Prelude{before + 1, last + 2};
}

// The source of a single-precision kernel, converted to the precision, point and entry of `other`.
std::string retyped_source(const KernelRecord& kernel, const Prelude& prelude,
                           const KernelRecord& other) {
  const std::string definitions = kernel.source.substr(prelude.begin, prelude.end - prelude.begin);
  return replaced(kernel.source.substr(0, prelude.begin), kernel.point, other.point) +
         type_prelude(other, defined_names(definitions)) +
         replaced(kernel.source.substr(prelude.end), kernel.entry + "(", other.entry + "(");
}

}  // namespace

std::optional<KernelRecord> retyped(const KernelRecord& kernel, Precision precision) {
  const bool layer = kernel.role == Role::kActivation || kernel.role == Role::kSoftmax;
  const bool is_for_networks =
      layer || kernel.bias != Dimension::kNone || kernel.activation != Activation::kIdentity;
  const bool plain = kernel.images == Images{} && !(is_for_networks && !is_network_type(precision));
  const bool known = kernel.precision == Precision::kSingle && !kernel.point.empty();
  const std::optional<Prelude> prelude = find_prelude(kernel.source);
  // There are no non-temporal stores of half precision.
  const bool streams = kernel.point.find(" streaming=yes") != std::string::npos;
  if (!plain || !known || !prelude) return std::nullopt;
  if (streams && precision == Precision::kHalf) return std::nullopt;
  KernelRecord wide = kernel;
  wide.precision = precision;
  wide.local_bytes *= floats_per_sum(precision);
  // "gemm tile_m=4" becomes "gemm precision=d tile_m=4". Names of product kernels already start
  // with a letter.
  const std::string letter(to_text(precision));
  wide.point.insert(std::min(kernel.point.find(' '), kernel.point.size()), " precision=" + letter);
  wide.name = letter + kernel.name.substr(is_product(kernel.role) ? 1 : 0);
  wide.entry = wide.name;
  wide.family = digest_bytes(text_without_epilogue(wide.point));
  wide.source = retyped_source(kernel, *prelude, wide);
  return wide;
}

Profile retyped(const Profile& profile, Precision precision, const RetypeKernel& retype) {
  if (precision == Precision::kSingle) return profile;
  Profile result = profile;
  result.kernels.clear();
  std::map<std::string_view, std::string> names;  // the kernels' new names, by their old ones
  const auto add = [&](const KernelRecord& kernel, const std::optional<KernelRecord>& record) {
    if (!record || find_kernel(result, record->name) != nullptr) return;
    names[kernel.name] = record->name;
    result.kernels.push_back(*record);
  };
  // Kernels that already have this precision come first, so that their own results are kept.
  for (const KernelRecord& kernel : profile.kernels) {
    if (kernel.precision == precision) add(kernel, kernel);
  }
  for (const KernelRecord& kernel : profile.kernels) add(kernel, retype(kernel));
  const auto rename = [&](auto& all) {
    std::erase_if(all, [&](const auto& one) { return !names.contains(one.kernel); });
    for (auto& one : all) one.kernel = names[one.kernel];
  };
  rename(result.results);
  rename(result.pack_results);
  rename(result.models);
  return result;
}

Profile retyped(const Profile& profile, Precision precision) {
  return retyped(profile, precision,
                 [&](const KernelRecord& kernel) { return retyped(kernel, precision); });
}

}  // namespace tilewright

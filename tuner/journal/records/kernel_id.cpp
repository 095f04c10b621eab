#include "tuner/journal/records/kernel_id.hpp"

#include <mutex>
#include <optional>
#include <stdexcept>

#include "codelets/space/emit.hpp"

namespace tilewright {

struct KernelId::Shared {
  explicit Shared(const ParameterPoint& of) : point(of), text(to_text(of)) {}

  ParameterPoint point;
  std::string text;
  mutable std::mutex describing;
  mutable std::optional<KernelRecord> facts;  // never changes once it is set
};

KernelId::KernelId(const ParameterPoint& point) : facts_(std::make_shared<const Shared>(point)) {}

const KernelId::Shared& KernelId::shared() const {
  if (empty()) throw std::logic_error("a kernel needs a point or a record");
  return *facts_;
}

const std::string& KernelId::text() const {
  static const std::string none;
  return empty() ? none : facts_->text;
}

const ParameterPoint& KernelId::point() const {
  return shared().point;
}

const KernelRecord& KernelId::facts() const {
  const Shared& of = shared();
  const std::lock_guard lock(of.describing);
  if (!of.facts) of.facts = describe(of.point);
  return *of.facts;
}

KernelId parse_kernel(std::string_view text) {
  return text.empty() ? KernelId() : KernelId(parse_point(text));
}

}  // namespace tilewright

#include "tuner/measure/rates/copy_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/launch.hpp"
#include "tuner/measure/rates/device_rates_kernels.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kGroup = 64;
constexpr int kWidths[] = {1, 2, 4, 8, 16};

}  // namespace

std::string copy_name(int vector_width) {
  return fmt::format("copy by vectors of {}", vector_width);
}

std::optional<int> copy_width(const std::string& name) {
  for (const int width : kWidths) {
    if (name == copy_name(width)) return width;
  }
  return std::nullopt;
}

KernelRecord copy_record(int vector_width) {
  KernelRecord record;
  record.name = copy_name(vector_width);
  record.role = Role::kPack;
  record.entry = "copy";
  record.source = copy_source(vector_width, true);
  record.work_group = {static_cast<int>(kGroup), 1};
  record.layout_a = Layout::R();
  record.layout_c = Layout::R();
  return record;
}

std::variant<LaunchJob, KernelError> copy_job(OperandPool& pool, LoadedKernel& kernel,
                                              int vector_width, const GemmShape& shape) {
  PooledPack pooled = pool.packing(kernel.record(), shape.m, shape.n);
  if (auto* failure = std::get_if<KernelError>(&pooled)) return std::move(*failure);
  return LaunchJob{
      fmt::format("{} of {}x{}", kernel.record().name, shape.m, shape.n),
      shape,
      {std::max<std::int64_t>(1, kGroup * vector_width / shape.n + 1), shape.n},
      [&pool, &kernel, vector_width,
       pooled = std::move(std::get<Pooled<PackProblem>>(pooled))](const GemmShape& part) {
        const std::int64_t groups =
            std::max<std::int64_t>(1, part.m * part.n / vector_width / kGroup);
        KernelLaunch launch({static_cast<std::size_t>(groups * kGroup), 1});
        launch.matrix(pooled.problem.from).matrix(pooled.problem.to);
        return again(pool.executor(), pool.queue(), kernel, launch);
      }};
}

}  // namespace tilewright

// Tables of what a device is, and of how its driver orders work-groups.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "runtime/call/opencl_error.hpp"
#include "runtime/device/executor.hpp"
#include "runtime/device/own_buffer.hpp"
#include "tuner/tables/table_bench.hpp"

namespace tilewright {
namespace {

std::string operating_system() {
  utsname name{};
  return ::uname(&name) == 0 ? fmt::format("{} {}", name.sysname, name.release) : "-";
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "-";
}

std::string ram_bytes() {
  return std::to_string(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        ::sysconf(_SC_PAGESIZE));
}

std::string item_sizes(const cl::Device& device) {
  return fmt::format("{}", fmt::join(device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>(), ", "));
}

// A fact of the device or machine by the name that the data calls it.
std::string fact(const std::string& name, const ListedDevice& listed) {
  const cl::Device& d = listed.device;
  const auto line = std::max<std::uint64_t>(1, d.getInfo<CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE>());
  const auto cache = d.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
  const auto text = [](auto value) { return std::to_string(value); };
  const std::map<std::string, std::string> facts = {
      {"global_bytes", text(d.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>())},
      {"cache_bytes", text(cache)},
      {"cacheline_bytes", text(line)},
      {"cachelines", text(cache / line)},
      {"local_bytes", text(d.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>())},
      {"vector_char", text(d.getInfo<CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR>())},
      {"vector_short", text(d.getInfo<CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT>())},
      {"vector_int", text(d.getInfo<CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT>())},
      {"vector_long", text(d.getInfo<CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG>())},
      {"vector_float", text(d.getInfo<CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT>())},
      {"vector_double", text(d.getInfo<CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE>())},
      {"clock_mhz", text(listed.identity.max_clock_mhz)},
      {"compute_units", text(listed.identity.compute_units)},
      {"max_work_group_size", text(listed.identity.limits.max_work_group_size)},
      {"work_item_sizes", item_sizes(d)},
      {"vendor", listed.identity.vendor},
      {"name", listed.identity.name},
      {"driver", listed.identity.driver},
      {"os", operating_system()},
      {"cpu", cpu_model()},
      {"ram_bytes", ram_bytes()}};
  return facts.at(name);
}

// After the thesis' description: what is not zero yet has not been written.
KernelRecord counting_kernel() {
  KernelRecord record;
  record.name = record.entry = "count_written";
  record.role = Role::kActivation;
  record.arguments = "m n c";
  record.id_order = IdOrder::kMN;
  record.work_group = {1, 1};
  record.source =
      "__kernel void count_written(uint rows, uint cols, volatile __global float *c)\n"
      "{\n"
      "  size_t at = get_global_id(0) * cols + get_global_id(1);\n"
      "  uint written = 0;\n"
      "  for (uint i = 0; i < rows * cols; ++i) if (c[i] != 0.0f) ++written;\n"
      "  c[at] = written + 1;\n"
      "}\n";
  return record;
}

template <class Value>
Value value_of(std::variant<Value, Rejection> made) {
  if (auto* rejection = std::get_if<Rejection>(&made)) {
    throw Error(TW_OPENCL_ERROR, rejection->reason);
  }
  return std::move(std::get<Value>(made));
}

std::vector<float> count_written(const cl::Device& device, std::int64_t extent) {
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const Executor executor(context, device);
  std::vector<float> counts(static_cast<std::size_t>(extent * extent), 0.0f);
  const cl::Buffer buffer = own_buffer(context, CL_MEM_READ_WRITE, counts, "counts");
  const auto kernel = value_of(executor.load(counting_kernel()));
  ActivationProblem problem;
  problem.m = problem.padded_m = problem.n = problem.padded_n = extent;
  problem.x = problem.y = {buffer(), 0, static_cast<std::size_t>(extent)};
  const cl::Event done = value_of(executor.launch(queue, *kernel, problem, {}));
  check_opencl(read_floats(queue, buffer, counts, {done}), "reading the counts");
  return counts;
}

// How much greater the count is `step` elements on, by the median of all.
std::string step_text(const std::vector<float>& counts, std::int64_t extent, bool along_rows) {
  std::vector<float> steps;
  for (std::int64_t i = 0; i < extent; ++i) {
    for (std::int64_t j = 0; j + 1 < extent; ++j) {
      const auto at = [&](std::int64_t a, std::int64_t b) {
        return counts[static_cast<std::size_t>(along_rows ? b * extent + a : a * extent + b)];
      };
      steps.push_back(at(i, j + 1) - at(i, j));
    }
  }
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return fmt::format("{:g}", *middle);
}

}  // namespace

TableReport device_table(const SeedTable& table, TableBench& bench) {
  Grid grid{{"what", "theirs", "here"}, {}};
  for (const auto& row : table.data.at("rows")) {
    grid.rows.push_back({row[0], row[1], fact(row[0], bench.device())});
  }
  return {{grid}, {}, conditions_of(bench.device().identity, bench.request().command), 0};
}

TableReport order_table(const SeedTable& table, TableBench& bench) {
  const std::int64_t extent = table.data.at("extent");
  const std::vector<float> counts = count_written(bench.device().device, extent);
  const auto& rows = table.data.at("rows");
  const Grid grid{{"steps of the count", "theirs", "here"},
                  {{rows[0][0], rows[0][1], step_text(counts, extent, true)},
                   {rows[1][0], rows[1][1], step_text(counts, extent, false)}}};
  return {{grid}, {}, conditions_of(bench.device().identity, bench.request().command), 0};
}

}  // namespace tilewright

// Prints the rate of a team and of each of its members alone, for products of matrices in host
// memory.
//
//   bench_team MEMBER,MEMBER,... [SHAPE,SHAPE,...] [ROUNDS] [s|d]
//
// A member is the number of a device (as `tilewright devices` prints it), N/U for a sub-device of U
// compute units of device N, or a CBLAS library such as libopenblas.so.0. Two members 0/1,0/1 are
// two sub-devices of device 0. Each round runs the team and each member once, in turns; medians
// with the quartiles are printed. The order in a round is random (with a fixed seed), so that no
// competitor always finds the caches as the same predecessor has left them. The team measures its
// members before the first round.
#include <fmt/format.h>
#include <tilewright/team.h>
#include <CL/opencl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "c_team_setup.hpp"

namespace {

[[noreturn]] void fail(const std::string& message) {
  throw std::runtime_error(message);
}

void check(tw_status status) {
  if (status != TW_SUCCESS) fail(tw_last_error());
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<cl::Device> all_devices() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> here;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &here);
    devices.insert(devices.end(), here.begin(), here.end());
  }
  return devices;
}

// A member, and a team of it alone.
struct Member {
  std::string name;
  cl::Context context;
  cl::CommandQueue queue;
  tw_library* library = nullptr;
  tw_team_member entry = {};
  tw_team* alone = nullptr;
};

tw_team* make_team(const std::vector<tw_team_member>& members) {
  tw_team* team = nullptr;
  check(tilewright::create_team(members, &team));
  return team;
}

// Sub-devices are created together, so that they do not overlap.
std::map<std::string, std::vector<cl::Device>> divide(const std::vector<std::string>& names) {
  std::map<std::string, std::vector<cl_device_partition_property>> units;
  for (const std::string& name : names) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos || name.find_first_not_of("0123456789/") != std::string::npos) {
      continue;
    }
    auto& counts = units[name.substr(0, slash)];
    if (counts.empty()) counts.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
    counts.push_back(std::atoi(name.c_str() + slash + 1));
  }
  std::map<std::string, std::vector<cl::Device>> parts;
  std::vector<cl::Device> devices = all_devices();
  for (auto& [device, counts] : units) {
    const auto index = static_cast<std::size_t>(std::atoi(device.c_str()));
    counts.insert(counts.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
    if (index >= devices.size() ||
        devices[index].createSubDevices(counts.data(), &parts[device]) != CL_SUCCESS) {
      fail("device " + device + " cannot be divided like this");
    }
    std::reverse(parts[device].begin(), parts[device].end());
  }
  return parts;
}

std::vector<Member> open_members(const std::vector<std::string>& names) {
  std::map<std::string, std::vector<cl::Device>> parts = divide(names);
  const std::vector<cl::Device> devices = all_devices();
  std::vector<Member> members;
  for (const std::string& name : names) {
    Member member;
    member.name = name;
    if (name.find_first_not_of("0123456789/") != std::string::npos) {
      member.entry = tilewright::cblas_member(name.c_str());
    } else {
      std::vector<cl::Device>& divided = parts[name.substr(0, name.find('/'))];
      const auto index = static_cast<std::size_t>(std::atoi(name.c_str()));
      const bool is_whole = name.find('/') == std::string::npos;
      if (is_whole && !divided.empty()) fail("device " + name + " is named whole and in parts");
      if (divided.empty() && index >= devices.size()) fail("there is no device " + name);
      const cl::Device device = divided.empty() ? devices[index] : divided.back();
      if (!divided.empty()) divided.pop_back();
      member.context = cl::Context(device);
      member.queue = cl::CommandQueue(member.context, device);
      check(tw_open_for_queue(member.queue(), nullptr, &member.library));
      member.entry = tilewright::device_member(member.library, member.queue());
      std::printf("%s: %s; profile: %s\n", name.c_str(), device.getInfo<CL_DEVICE_NAME>().c_str(),
                  tw_profile_origin(member.library));
    }
    member.alone = make_team({member.entry});
    members.push_back(member);
  }
  return members;
}

// Page-aligned, as zero-copy drivers require.
struct HostMatrix {
  void* data = nullptr;
  HostMatrix(std::size_t elements, std::size_t bytes_each) {
    data = std::aligned_alloc(4096, (elements * bytes_each + 4095) / 4096 * 4096);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < elements; ++i) {
      const double value = static_cast<double>(random() % 1000) / 1000.0 - 0.5;
      if (bytes_each == sizeof(double)) {
        static_cast<double*>(data)[i] = value;
      } else {
        static_cast<float*>(data)[i] = static_cast<float>(value);
      }
    }
  }
  ~HostMatrix() { std::free(data); }
  HostMatrix(const HostMatrix&) = delete;
  HostMatrix& operator=(const HostMatrix&) = delete;
};

struct Samples {
  std::vector<double> gflops;
  double at(double quantile) {
    std::sort(gflops.begin(), gflops.end());
    return gflops[static_cast<std::size_t>(quantile * static_cast<double>(gflops.size() - 1) +
                                           0.5)];
  }
};

void bench(tw_team* team, const std::vector<Member>& members, const tw_gemm_desc& product,
           int rounds) {
  const std::size_t bytes = product.type == TW_DOUBLE ? sizeof(double) : sizeof(float);
  const HostMatrix a(product.m * product.k, bytes);
  const HostMatrix b(product.k * product.n, bytes);
  const HostMatrix c(product.m * product.n, bytes);
  const double flops = 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) *
                       static_cast<double>(product.k);
  const auto gflops = [&](tw_team* on) {
    // Threads of a CBLAS may spin for a while after a product.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const auto start = std::chrono::steady_clock::now();
    check(tw_team_gemm(on, &product, a.data, 0, b.data, 0, c.data, 0));
    return flops / 1e9 /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  gflops(team);
  for (const Member& member : members) gflops(member.alone);
  Samples together;
  std::vector<Samples> alone(members.size());
  std::vector<std::size_t> order(1 + members.size());  // 0: the team, 1 + i: member i
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(1);
  for (int i = 0; i < rounds; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t turn : order) {
      Samples& samples = turn == 0 ? together : alone[turn - 1];
      samples.gflops.push_back(gflops(turn == 0 ? team : members[turn - 1].alone));
    }
  }
  fmt::print("{}x{}x{}: team {:.2f} GFLOPS [{:.2f}, {:.2f}]", product.m, product.n, product.k,
             together.at(0.5), together.at(0.25), together.at(0.75));
  double sum = 0.0;
  double best = 0.0;
  for (std::size_t j = 0; j < members.size(); ++j) {
    const double median = alone[j].at(0.5);
    fmt::print("; {} {:.2f} [{:.2f}, {:.2f}]", members[j].name, median, alone[j].at(0.25),
               alone[j].at(0.75));
    sum += median;
    best = std::max(best, median);
  }
  char* text = nullptr;
  check(tw_team_explain(team, &product, &text));
  fmt::print("\n  {:.0f} % of the sum, {:.2f} x the best member\n{}",
             100.0 * together.at(0.5) / sum, together.at(0.5) / best, text);
  std::fflush(stdout);
  tw_text_free(text);
}

int run(int argc, char** argv) {
  if (argc < 2) fail("usage: bench_team MEMBER,MEMBER,... [SHAPE,SHAPE,...] [ROUNDS] [s|d]");
  const std::vector<std::string> names = split_list(argv[1]);
  const std::vector<std::string> shapes =
      split_list(argc > 2 ? argv[2] : "256x256x256,512x512x512,1024x1024x1024,2048x2048x2048");
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 7;
  if (rounds < 1) fail("ROUNDS must be at least 1");
  const tw_type type = argc > 4 && argv[4][0] == 'd' ? TW_DOUBLE : TW_FLOAT;
  const std::vector<Member> members = open_members(names);
  std::vector<tw_team_member> entries;
  for (const Member& member : members) entries.push_back(member.entry);
  tw_team* team = make_team(entries);
  const auto start = std::chrono::steady_clock::now();
  check(tw_team_measure(team, type));
  fmt::print("the members were measured in {:.2f} s\n",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  for (const std::string& shape : shapes) {
    std::size_t m = 0, n = 0, k = 0;
    if (std::sscanf(shape.c_str(), "%zux%zux%zu", &m, &n, &k) != 3) fail("not a shape: " + shape);
    bench(team, members, tw_make_gemm_desc(type, m, n, k), rounds);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (*tw_team_drop_reason(team, i) != '\0') fail(tw_team_drop_reason(team, i));
  }
  tw_team_free(team);
  for (const Member& member : members) {
    tw_team_free(member.alone);
    tw_close(member.library);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_team: %s\n", error.what());
    return 1;
  }
}

#include "profiles/built_in.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "catch.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

DeviceInfo make_device(DeviceKind kind, int vector_width, bool dedicated, int units, int mhz) {
  DeviceInfo device;
  device.kind = kind;
  device.native_vector_width = vector_width;
  device.identity.limits.local_memory_is_dedicated = dedicated;
  device.identity.compute_units = units;
  device.identity.max_clock_mhz = mhz;
  return device;
}

DeviceInfo cpu(int width) {
  return make_device(DeviceKind::kCpu, width, false, 4, 2500);
}

DeviceInfo gpu(bool dedicated) {
  return make_device(DeviceKind::kGpu, 1, dedicated, 16, 1500);
}

TEST_CASE("the class of a device follows from its kind, vector width and local memory") {
  CHECK(likeliest_class(cpu(16)) == DeviceClass::kCpu16);
  CHECK(likeliest_class(cpu(8)) == DeviceClass::kCpu8);
  CHECK(likeliest_class(gpu(true)) == DeviceClass::kGpuLocal);
  CHECK(likeliest_class(gpu(false)) == DeviceClass::kGpu);
  CHECK(likeliest_class(make_device(DeviceKind::kOther, 8, true, 4, 1000)) == std::nullopt);
}

TEST_CASE("CPUs with short vectors, or whose work-items are the lanes, get kernels for CPUs") {
  for (const int width : {0, 1, 4}) CHECK(likeliest_class(cpu(width)) == DeviceClass::kCpu8);
}

TEST_CASE("two classes are likely if the driver's facts do not decide") {
  using Classes = std::vector<DeviceClass>;
  DeviceInfo small = gpu(true);
  small.identity.compute_units = 12;
  CHECK(likely_classes(small) == Classes{DeviceClass::kGpuLocal, DeviceClass::kGpu});
  CHECK(likeliest_class(small) == DeviceClass::kGpuLocal);
  CHECK(built_in_profile(small, DeviceClass::kGpu).kernels == built_in_profile(gpu(false)).kernels);
  DeviceInfo large = gpu(true);
  large.identity.compute_units = 132;
  CHECK(likely_classes(large) == Classes{DeviceClass::kGpuLocal});
  CHECK(likely_classes(gpu(false)) == Classes{DeviceClass::kGpu});
  CHECK(likely_classes(cpu(16)) == Classes{DeviceClass::kCpu16});
  CHECK(likely_classes(cpu(4)) == Classes{DeviceClass::kCpu8, DeviceClass::kGpu});
  CHECK(likely_classes(make_device(DeviceKind::kOther, 8, true, 4, 1000)).empty());
}

TEST_CASE("lists of classes are parsed as they are written") {
  const DeviceClasses all = {DeviceClass::kCpu8, DeviceClass::kCpu16, DeviceClass::kGpuLocal,
                             DeviceClass::kGpu};
  CHECK(to_text(all) == "cpu-8 cpu-16 gpu-local gpu");
  CHECK(parse_device_classes(to_text(all)) == all);
  for (const char* wrong : {"", "cpu", "gpu cpu-8", "gpu gpu", "gpu ", " gpu", "gpu  gpu"}) {
    INFO(wrong);
    CHECK(parse_device_classes(wrong) == std::nullopt);
  }
}

const std::vector<DeviceInfo> kDevices = {cpu(8), cpu(16), gpu(true), gpu(false)};

// The single-precision kernels of the built-in profile.
std::vector<KernelRecord> kernels_of_floats(const DeviceInfo& device) {
  std::vector<KernelRecord> kernels = built_in_profile(device).kernels;
  std::erase_if(kernels, [](const auto& kernel) { return kernel.precision != Precision::kSingle; });
  return kernels;
}

TEST_CASE(
    "single-precision kernels also exist in half precision, and products in double precision if supported") {
  for (const bool has_double : {false, true}) {
    for (DeviceInfo device : kDevices) {
      device.has_double = has_double;
      const Profile profile = built_in_profile(device);
      const auto products = [&](Precision precision) {
        return std::count_if(profile.kernels.begin(), profile.kernels.end(),
                             [&](const KernelRecord& kernel) {
                               return is_product(kernel.role) && kernel.precision == precision;
                             });
      };
      CHECK(products(Precision::kHalf) == products(Precision::kSingle));
      const auto layers = [&](Precision precision) {
        return std::count_if(
            profile.kernels.begin(), profile.kernels.end(), [&](const KernelRecord& kernel) {
              const bool layer = kernel.role == Role::kActivation || kernel.role == Role::kSoftmax;
              return layer && kernel.precision == precision;
            });
      };
      CHECK(layers(Precision::kSingle) == 15);
      CHECK(layers(Precision::kHalf) == 15);
      CHECK(layers(Precision::kDouble) == 0);
      CHECK(products(Precision::kDouble) == (has_double ? products(Precision::kSingle) : 0));
    }
  }
}

// A tile of 8 x 48 doubles is 48 vectors, but a CPU has 32 registers for them.
TEST_CASE("on devices with long vectors, doubles use the panels of shorter vectors") {
  DeviceInfo device = cpu(16);
  device.has_double = true;
  const Profile profile = built_in_profile(device);
  const auto panels = [&](Precision precision) {
    std::vector<std::string> layouts;
    for (const KernelRecord& kernel : profile.kernels) {
      if (kernel.role != Role::kGemm || kernel.precision != precision) continue;
      if (!kernel.layout_b->is_plain()) layouts.push_back(to_text(*kernel.layout_b));
    }
    return layouts;
  };
  CHECK(panels(Precision::kSingle) == std::vector<std::string>{"C 1 48 R"});
  CHECK(panels(Precision::kHalf) == panels(Precision::kSingle));
  CHECK(panels(Precision::kDouble) == std::vector<std::string>{"C 1 32 R"});
  CHECK(std::any_of(profile.kernels.begin(), profile.kernels.end(), [](const auto& kernel) {
    return kernel.role == Role::kPack && kernel.precision == Precision::kDouble &&
           to_text(kernel.layout_c) == "C 1 32 R";
  }));
}

TEST_CASE("a device gets the kernels of its class, followed by those for every device") {
  const Profile text = parse_profile(generic_profile_text(), "built-in");
  const auto basics = static_cast<std::size_t>(
      std::count_if(text.kernels.begin(), text.kernels.end(),
                    [](const KernelRecord& kernel) { return kernel.classes.empty(); }));
  CHECK(kernels_of_floats({}).size() == basics);
  CHECK(built_in_profile({}).models.empty());
  for (const DeviceInfo& device : kDevices) {
    const std::vector<KernelRecord> kernels = kernels_of_floats(device);
    INFO(to_text(*likeliest_class(device)));
    CHECK(kernels.size() > basics);
    const auto own = static_cast<std::ptrdiff_t>(kernels.size() - basics);
    const bool first =
        std::all_of(kernels.begin(), kernels.begin() + own, [&](const KernelRecord& kernel) {
          return std::count(kernel.classes.begin(), kernel.classes.end(),
                            *likeliest_class(device)) == 1;
        });
    CHECK(first);
  }
}

TEST_CASE("each class has a model for each of its product kernels") {
  for (const DeviceInfo& device : kDevices) {
    const Profile profile = built_in_profile(device);
    std::set<std::string> modelled;
    for (const KernelModel& model : profile.models) {
      modelled.insert(model.kernel);
      CHECK(find_kernel(profile, model.kernel) != nullptr);
    }
    for (const KernelRecord& kernel : profile.kernels) {
      if (!is_product(kernel.role) || kernel.classes.empty()) continue;
      INFO(kernel.name);
      CHECK(modelled.count(kernel.name) == 1);
    }
  }
}

// Kernels that pack the operands of a class's products into panels, and that add up a split k.
TEST_CASE("each class has the auxiliary kernels that it needs, without alignment requirements") {
  for (const DeviceInfo& device : kDevices) {
    const Profile profile = built_in_profile(device);
    const auto has = [&](const auto& can) {
      return std::any_of(profile.kernels.begin(), profile.kernels.end(), can);
    };
    for (const KernelRecord& kernel : profile.kernels) {
      INFO(kernel.name);
      CHECK(kernel.alignment == 1);
      if (kernel.role != Role::kGemm) continue;
      CHECK((kernel.split_k == 1 ||
             has([](const KernelRecord& other) { return other.role == Role::kReduce; })));
      for (const Layout& layout : {kernel.layout_a, *kernel.layout_b}) {
        for (const Layout& from : {Layout::R(), Layout::C()}) {
          CHECK((layout.is_plain() || has([&](const KernelRecord& other) {
                   return other.role == Role::kPack && other.layout_a == from &&
                          other.layout_c == layout;
                 })));
        }
      }
    }
  }
}

TEST_CASE(
    "guessed times decrease with the clock, and for memory traffic with the number of units") {
  const auto model = [](const DeviceInfo& device) {
    return built_in_profile(device).models.front();
  };
  DeviceInfo device = gpu(true);
  const KernelModel before = model(device);
  device.identity.max_clock_mhz *= 2;
  device.identity.compute_units *= 2;
  const KernelModel after = model(device);
  CHECK(after.fixed_ns == before.fixed_ns);
  CHECK(after.even_ps == Approx(before.even_ps / 2));
  CHECK(after.group_ps == Approx(before.group_ps / 2));
  CHECK(after.byte_ps == Approx(before.byte_ps / 4));
  CHECK(built_in_profile(device).device.compute_units == 32);
}

TEST_CASE("built-in kernels that failed in a tuning are left out") {
  const DeviceInfo device = gpu(true);
  const Profile all = built_in_profile(device);
  Profile tuned;
  tuned.failing_built_in = {{all.kernels[0].name, "xxh3-0", true}};
  const Profile rest = built_in_profile(device, tuned);
  CHECK(rest.kernels.size() == all.kernels.size() - 1);
  CHECK(find_kernel(rest, all.kernels[0].name) == nullptr);
  CHECK(built_in_profile(device, Profile{}) == all);
}

TEST_CASE("a clock that is impossible for the class is ignored") {
  DeviceInfo device = gpu(false);
  device.identity.max_clock_mhz = 5;  // as some drivers of Mali GPUs report
  const double even_ps = built_in_profile(device).models.front().even_ps;
  device.identity.max_clock_mhz = 0;
  CHECK(built_in_profile(device).models.front().even_ps == even_ps);
  device.identity.max_clock_mhz = 600;
  CHECK(built_in_profile(device).models.front().even_ps != even_ps);
}

TEST_CASE("only a generic profile has classes, and its models were never measured") {
  Profile profile = built_in_profile(gpu(true));
  CHECK_NOTHROW(write_profile(profile));
  profile.kind = ProfileKind::kPredicted;
  profile.device.name = "G";
  profile.device.limits = {1024, {1024, 1024}, 65536, true, true};
  profile.models.clear();
  profile.rates = {};
  CHECK_THROWS_WITH(write_profile(profile), Catch::Matchers::ContainsSubstring("classes"));
}

TEST_CASE("copies of the generic profile share what was parsed") {
  const GenericProfile generic;
  const GenericProfile copy = generic;
  CHECK(&copy.get() == &generic.get());
  CHECK(generic.get() == parse_profile(generic_profile_text(), "built-in"));
}

}  // namespace
}  // namespace tilewright

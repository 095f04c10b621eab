#include "profiles/hardware_name.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("names that differ in software name the same hardware") {
  struct Update {
    const char* before;
    const char* after;
    const char* hardware;
  };
  const Update updates[] = {
      {"llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe (LLVM 19.1.7, 256 bits)",
       "llvmpipe (256 bits)"},
      {"AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7, DRM 3.54, 6.1.0-13-amd64)",
       "AMD Radeon RX 6600 (radeonsi, navi23, LLVM 19.1.7, DRM 3.61, 6.12.9-1-default)",
       "AMD Radeon RX 6600 (navi23)"},
      {"AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7, DRM 3.54, 6.1.0-13-amd64)",
       "AMD Radeon RX 6600 (radeonsi, navi23, ACO, DRM 3.57, 6.8.0-31-generic)",
       "AMD Radeon RX 6600 (navi23)"},
      {"Radeon RX 580 Series (POLARIS10 / DRM 3.23.0 / 4.15.0-45-generic, LLVM 6.0.0)",
       "Radeon RX 580 Series (polaris10, LLVM 15.0.7, DRM 3.49, 6.2.0-39-generic)",
       "Radeon RX 580 Series (polaris10)"},
      {"AMD NAVI10 (DRM 3.35.0, 5.4.0-42-generic, LLVM 9.0.0)",
       "AMD NAVI10 (DRM 3.40.0, 5.10.0-8-amd64, LLVM 11.0.1)", "AMD NAVI10"},
      {"pthread-skylake-avx512-AMD EPYC", "cpu-znver4-AMD EPYC", "AMD EPYC (512 bits)"},
      {"pthread-haswell-AMD EPYC", "cpu-znver3-AMD EPYC", "AMD EPYC (256 bits)"},
      {"pthread-skylake-Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
       "cpu-haswell-Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
       "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz (256 bits)"},
      {"basic-cortex-a72", "cpu-minimal-cortex-a72", "cortex-a72"},
      {"GeForce RTX 2080 Ti", "NVIDIA GeForce RTX 2080 Ti", "NVIDIA GeForce RTX 2080 Ti"},
      {"A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB"},
      {"gfx906+sram-ecc", "gfx906:sramecc+:xnack-", "gfx906"},
      {"Mali-G52 r1", "Mali-G52 r1 (Panfrost)", "Mali-G52 r1"},
  };
  for (const Update& update : updates) {
    CHECK(hardware_name(update.before) == update.hardware);
    CHECK(hardware_name(update.after) == update.hardware);
  }
}

TEST_CASE("names without software stay as they are") {
  for (const char* name : {"Mali-G610 r0p0",
                           "Mali-T628",
                           "Mali-LODX r0p0",
                           "Mali-T86x MP4 r2p0 0x0860",
                           "NVIDIA H200",
                           "NVIDIA H100 80GB HBM3",
                           "Tesla V100-SXM2-16GB",
                           "Quadro RTX 6000",
                           "Intel(R) UHD Graphics [0x9bc4]",
                           "Intel(R) UHD Graphics 620",
                           "Mesa Intel(R) UHD Graphics 620 (KBL GT2)",
                           "QUALCOMM Adreno(TM) 730",
                           "V3D 4.2",
                           "PowerVR Rogue GE8320",
                           "gfx1030",
                           "Apple M1 (G13G B1)",
                           "(",
                           ")(",
                           "()",
                           "a (b",
                           ""}) {
    CHECK(hardware_name(name) == name);
  }
}

TEST_CASE("names of different hardware stay different") {
  const char* const names[] = {
      "llvmpipe (LLVM 15.0.6, 128 bits)",
      "llvmpipe (LLVM 15.0.6, 256 bits)",
      "pthread-skylake-avx512-AMD EPYC",
      "pthread-haswell-AMD EPYC",
      "pthread-ivybridge-AMD EPYC",
      "pthread-skylake-avx512-Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz",
      "pthread-cortex-a72",
      "pthread-cortex-a76",
      "AMD Radeon Graphics (radeonsi, renoir, LLVM 15.0.7, DRM 3.54, 6.1.0-13-amd64)",
      "AMD Radeon Graphics (radeonsi, raphael_mendocino, LLVM 15.0.7, DRM 3.54, 6.1.0-13-amd64)",
      "Intel(R) UHD Graphics [0x9bc4]",
      "Intel(R) UHD Graphics [0x9bc5]",
      "Mali-G52 r1 (Panfrost)",
      "Mali-G57 (Panfrost)",
      "gfx90a:sramecc+:xnack-",
      "gfx906:sramecc+:xnack-",
  };
  for (const char* a : names) {
    for (const char* b : names) {
      INFO(a << " and " << b);
      CHECK((hardware_name(a) == hardware_name(b)) == (a == b));
    }
  }
}

}  // namespace
}  // namespace tilewright

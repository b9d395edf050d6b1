// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Gpu.h"

#include <fmt/format.h>

#include <dlfcn.h>

namespace heddle::build {
namespace {

/// A function of the driver; nothing where there is none.
template <class Function> Function *driverFunction(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto *init = driver ? reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit")) : nullptr;
  return init && init(0) == 0 ? reinterpret_cast<Function *>(dlsym(driver, name)) : nullptr;
}

constexpr int capabilityMajor = 75, capabilityMinor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*

} // namespace

std::string whyNoGpu() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return "libcuda.so.1 cannot be loaded";
  auto *init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto *count = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  if (!init || !count)
    return "libcuda.so.1 is not NVIDIA's driver";
  if (int error = init(0))
    return fmt::format("cuInit fails with error {}", error);
  int devices = 0;
  return count(&devices) == 0 && devices > 0 ? "" : "the driver has no device";
}

std::string gpuName() {
  auto *name = driverFunction<int(char *, int, int)>("cuDeviceGetName");
  char text[256] = {};
  return name && name(text, sizeof text - 1, 0) == 0 ? text : "";
}

unsigned gpuCount() {
  auto *count = driverFunction<int(int *)>("cuDeviceGetCount");
  int devices = 0;
  return count && count(&devices) == 0 ? unsigned(devices) : 0;
}

std::optional<ComputeCapability> gpuCapability() {
  auto *attribute = driverFunction<int(int *, int, int)>("cuDeviceGetAttribute");
  ComputeCapability capability;
  const bool isKnown = attribute && attribute(&capability.major, capabilityMajor, 0) == 0 &&
                       attribute(&capability.minor, capabilityMinor, 0) == 0 && capability.major > 0;
  return isKnown ? std::optional(capability) : std::nullopt;
}

} // namespace heddle::build

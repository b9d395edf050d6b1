// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Gpu.h"

#include <fmt/format.h>

#include <dlfcn.h>

namespace heddle::build {

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

} // namespace heddle::build

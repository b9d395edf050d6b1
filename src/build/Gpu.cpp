// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Gpu.h"

#include <dlfcn.h>

namespace heddle::build {

bool hasGpu() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return false;
  auto *init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto *count = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  return init && count && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

} // namespace heddle::build

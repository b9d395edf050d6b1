// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/preload/Real.h"

namespace heddle::trace {

/// A function of the CUDA driver: looked up in what the program is linked with (on the simulator the driver is in the same
/// library as the runtime), then in libcuda.so.1. Null where there is none.
template <class Function> Function *driverFunction(const char *name) {
  if (auto *linked = real<Function>(name))
    return linked;
  static void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return driver ? reinterpret_cast<Function *>(dlsym(driver, name)) : nullptr;
}

} // namespace heddle::trace

#define DRIVER(name, ...)                                                                                    \
  [] {                                                                                                       \
    static auto *function = heddle::trace::driverFunction<int(__VA_ARGS__)>(#name);                          \
    return function;                                                                                         \
  }()

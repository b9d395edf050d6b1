// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver for machines without a GPU (libcuda.so.1), as much of it as `heddle tune` asks: there is one
// device. HEDDLE_TEST_GPU names it; empty: there is none. HEDDLE_TEST_CAPABILITY ("80") is its compute capability.
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSuccess = 0, kInvalid = 1, kNoDevice = 100;

const char *deviceName() {
  const char *name = std::getenv("HEDDLE_TEST_GPU");
  return name ? name : "Test GPU";
}

bool isThere() { return *deviceName() != 0; }

} // namespace

extern "C" {

int cuInit(unsigned) { return isThere() ? kSuccess : kNoDevice; }
int cuDeviceGetCount(int *count) {
  *count = isThere();
  return kSuccess;
}
int cuDeviceGetName(char *name, int length, int device) {
  if (device != 0 || !isThere())
    return kNoDevice;
  std::strncpy(name, deviceName(), size_t(length));
  return kSuccess;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  const char *capability = std::getenv("HEDDLE_TEST_CAPABILITY");
  constexpr int kMajor = 75, kMinor = 76;
  if (!capability || (attribute != kMajor && attribute != kMinor))
    return kInvalid;
  *value = attribute == kMajor ? std::atoi(capability) / 10 : std::atoi(capability) % 10;
  return kSuccess;
}
}

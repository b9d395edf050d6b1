// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Driver.h"

#include <dlfcn.h>

namespace heddle::replay {
namespace {

template <class Function> void take(void *library, const char *name, Function *&to, bool isNeeded) {
  to = reinterpret_cast<Function *>(dlsym(library, name));
  if (!to && isNeeded)
    throw ReplayError(std::string("the CUDA driver has no ") + name + ": it is too old (CUDA 11.2 or later)");
}

} // namespace

Driver::Driver(const std::string &library) {
  const std::string file = library.empty() ? "libcuda.so.1" : library;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    throw ReplayError("the CUDA driver cannot be loaded: " + std::string(why ? why : file));
  }
#define HEDDLE_CU(member, name, parameters) take(handle, name, member, true);
#define HEDDLE_CU_MAYBE(member, name, parameters) take(handle, name, member, false);
#include "replay/Functions.def"
#undef HEDDLE_CU
#undef HEDDLE_CU_MAYBE
  take(handle, "__heddleWarpInstructions", warpInstructions, false);
  take(handle, "__heddleWriteCounters", countersWriter, false);

  int count = 0;
  check(init(0), "the CUDA driver cannot be initialized");
  check(deviceGetCount(&count), "devices cannot be counted");
  if (count == 0)
    throw ReplayError("there is no CUDA device");
  check(deviceGet(&device, 0), "device 0 cannot be used");
  cu::Context context = nullptr;
  check(primaryRetain(&context, device), "device 0 cannot be used");
  check(setCurrent(context), "device 0 cannot be used");
  char text[256] = "";
  check(deviceGetName(text, sizeof text, device), "the device has no name");
  name = isSimulator() ? "simulator" : text;
  architecture = "sm_" + std::to_string(attribute(cu::CapabilityMajor) * 10 + attribute(cu::CapabilityMinor));
  if (!attribute(cu::VirtualMemory))
    throw ReplayError(name +
                      " has no virtual memory management (cuMemMap): memory cannot be put to the addresses "
                      "that it had");
}

std::string Driver::describe(Result result) const {
  const char *symbol = nullptr, *text = nullptr;
  getErrorName(result, &symbol);
  getErrorString(result, &text);
  return (symbol ? symbol : "error " + std::to_string(result)) + (text ? " (" + std::string(text) + ")" : "");
}

void Driver::check(Result result, const std::string &what) const {
  if (result != cu::Success)
    throw CudaError(result, what + ": " + describe(result));
}

void Driver::writeCounters(const std::string &file) const {
  if (!countersWriter)
    throw ReplayError("launches are counted on the simulator only");
  if (!countersWriter(file.c_str()))
    throw ReplayError("the counters cannot be written to " + file + "; HEDDLE_COUNTERS must be set, too");
}

int Driver::attribute(cu::DeviceAttribute attribute) const {
  int value = 0;
  return deviceGetAttribute(&value, attribute, device) == cu::Success ? value : 0;
}

} // namespace heddle::replay

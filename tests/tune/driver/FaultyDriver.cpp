// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator as a driver (libcuda.so.1) that fails when a test wants it to. What is not here is the simulator's, which this
// library is linked with.
//
//     HEDDLE_TEST_FAULTS=2:kill,4:reset   at the second candidate that is loaded, and at the fourth
//     HEDDLE_TEST_STATE=FOLDER            counts them across processes
//
// kill: the process that loads it is killed, as by `kill -9`. reset: as if the GPU was reset: this process has lost it, and the
// next ones do not find one, three times.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr int kNoDevice = 100, kLaunchFailed = 719;
constexpr unsigned kTimesGone = 3;
bool isLost = false;

template <class Function> Function *simulators(const char *name) {
  static void *const library = dlopen(HEDDLE_TEST_SIMULATOR, RTLD_NOW);
  return reinterpret_cast<Function *>(dlsym(library, name));
}

/// One byte each time.
fs::path stateFile(const char *name) {
  const char *folder = std::getenv("HEDDLE_TEST_STATE");
  return folder ? fs::path(folder) / name : fs::path();
}
size_t countIn(const char *name) {
  std::error_code none;
  const auto bytes = fs::file_size(stateFile(name), none);
  return none ? 0 : size_t(bytes);
}
void addTo(const char *name) { std::ofstream(stateFile(name), std::ios::app) << '.'; }

std::string faultOf(size_t number) {
  const char *faults = std::getenv("HEDDLE_TEST_FAULTS");
  std::istringstream list(faults ? faults : "");
  for (std::string each; std::getline(list, each, ',');)
    if (const size_t colon = each.find(':'); each.substr(0, colon) == std::to_string(number))
      return each.substr(colon + 1);
  return {};
}

} // namespace

extern "C" {

int cuInit(unsigned flags) {
  if (countIn("gone") > 0 && countIn("gone") <= kTimesGone) {
    addTo("gone");
    return kNoDevice;
  }
  return simulators<int(unsigned)>("cuInit")(flags);
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  if (std::strstr(static_cast<const char *>(image), "_Z4work")) {
    addTo("modules");
    const std::string fault = faultOf(countIn("modules"));
    if (fault == "kill")
      raise(SIGKILL);
    if (fault == "reset") {
      addTo("gone");
      isLost = true;
    }
  }
  if (isLost)
    return kLaunchFailed;
  return simulators<int(void **, const void *, unsigned, int *, void **)>("cuModuleLoadDataEx")(
      module, image, count, options, values);
}

int cuCtxSynchronize() { return isLost ? kLaunchFailed : simulators<int()>("cuCtxSynchronize")(); }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a kernel's code must not be taken for that of a kernel that is loaded later, at the same address.
#include "cudart/LaunchWatch.h"

#include "TestPaths.h"
#include "counts/Facts.h"
#include "support/Paths.h"
#include "support/StartedProcess.h"
#include "vm/Runner.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <dlfcn.h>

namespace heddle::cudart {
namespace {

struct Seen {
  uint64_t number = 0;
};
struct SeenProgram {
  std::vector<Seen> launches;
  std::map<std::string, unsigned> skipped;
  bool complete = false;
};
struct Watcher {
  Watcher(const vm::Kernel &, const int &code) : code(code) {}
  Seen take(unsigned) const { return {}; }
  const int code;
};

/// What is known of a kernel's code: how often that was computed.
class CountingWatch final : public LaunchWatch<Watcher, int, SeenProgram> {
public:
  explicit CountingWatch(const arch::Arch &arch) : LaunchWatch(arch, 100) {}
  mutable int computed = 0;

private:
  int codeOf(const vm::Kernel &) const override { return ++computed; }
  void writeAll(SeenProgram &) const override {}
};

TEST(LaunchWatch, CodeIsComputedOnceUntilItIsForgotten) {
  vm::test::Runner runner(".visible .entry k() { ret; }\n");
  const arch::Arch arch;
  CountingWatch watch(arch);
  vm::LaunchRequest request;
  request.kernel = runner.kernel();
  EXPECT_EQ(watch.watch(request)->code, 1);
  EXPECT_EQ(watch.watch(request)->code, 1);
  watch.forgetCode();
  EXPECT_EQ(watch.watch(request)->code, 2);
}

/// A module whose kernel has so many additions.
std::string moduleWith(int additions) {
  std::string text = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
                     ".reg .b32 %r<3>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [data];\nmov.u32 %r1, "
                     "0;\nmov.u32 %r2, %tid.x;\n";
  for (int i = 0; i < additions; ++i)
    text += "add.u32 %r1, %r1, %r2;\n";
  return text + "st.global.u32 [%rd1], %r1;\nret;\n}\n";
}

/// Loads, launches and unloads modules one after the other, as a copy of this process does it. What is wrong, or nothing. The driver's functions
/// are called as C declares them to a program without cuda.h, with int for CUresult, which the sanitizer takes for another type.
[[clang::no_sanitize("function")]] std::string runModules(const std::vector<int> &additions,
                                                          const std::string &countersFile) {
  setenv("HEDDLE_COUNTERS", countersFile.c_str(), 1);
  setenv("HEDDLE_DATA", HEDDLE_SOURCE_DIR, 1);
  void *library = dlopen(HEDDLE_BUILD_DIR "/lib/libheddle_cudart.so", RTLD_NOW | RTLD_LOCAL);
  const auto function = [&](const char *name) { return library ? dlsym(library, name) : nullptr; };
  auto *init = reinterpret_cast<int (*)(unsigned)>(function("cuInit"));
  auto *retain = reinterpret_cast<int (*)(void **, int)>(function("cuDevicePrimaryCtxRetain"));
  auto *use = reinterpret_cast<int (*)(void *)>(function("cuCtxSetCurrent"));
  auto *allocate = reinterpret_cast<int (*)(uint64_t *, size_t)>(function("cuMemAlloc_v2"));
  auto *load = reinterpret_cast<int (*)(void **, const void *)>(function("cuModuleLoadData"));
  auto *find = reinterpret_cast<int (*)(void **, void *, const char *)>(function("cuModuleGetFunction"));
  auto *launch = reinterpret_cast<int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                          unsigned, void *, void **, void **)>(function("cuLaunchKernel"));
  auto *unload = reinterpret_cast<int (*)(void *)>(function("cuModuleUnload"));
  if (!init || !retain || !use || !allocate || !load || !find || !launch || !unload)
    return "a function is not there";
  void *context = nullptr;
  uint64_t data = 0;
  if (init(0) || retain(&context, 0) || use(context) || allocate(&data, 64))
    return "there is no device";
  for (int each : additions) {
    void *module = nullptr, *kernel = nullptr, *arguments[] = {&data};
    const std::string text = moduleWith(each);
    if (load(&module, text.c_str()) || find(&kernel, module, "k"))
      return "a module cannot be loaded";
    if (launch(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr))
      return "a launch failed";
    if (unload(module))
      return "a module cannot be unloaded";
  }
  auto *write = reinterpret_cast<bool (*)(const char *)>(function("__heddleWriteCounters"));
  return write && write(countersFile.c_str()) ? "" : "counters cannot be written";
}

int64_t instructionsOf(const counts::LaunchFacts &launch) {
  int64_t sum = 0;
  for (const auto &[latency, count] : launch.instructions)
    sum += int64_t(count);
  return sum;
}

TEST(LaunchWatch, KernelsThatAreLoadedOneAfterTheOtherAreCountedByTheirOwnCode) {
  TemporaryFolder folder;
  const std::string file = (folder.path() / "counters.json").string();
  const std::vector<int> additions = {1, 40, 3, 80, 1, 20};
  const ProcessResult done = runInCopy(60, [&] { return runModules(additions, file); });
  ASSERT_TRUE(done.succeeded()) << whyFailed(done);
  ASSERT_EQ(done.standardOutput, "");
  counts::ProgramCounters counters;
  ASSERT_TRUE(counts::readCounters(file, counters));
  ASSERT_EQ(counters.launches.size(), additions.size());
  for (size_t i = 1; i < additions.size(); ++i)
    EXPECT_EQ(instructionsOf(counters.launches[i]) - instructionsOf(counters.launches[0]),
              additions[i] - additions[0])
        << i;
}

} // namespace
} // namespace heddle::cudart

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/GpuMeasurer.h"

#include "build/Build.h"
#include "support/CudaToolkit.h"
#include "tune/CachedCompile.h"
#include "tune/Maker.h"

#include <dlfcn.h>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

runner::Manifest manifestOf(const Problem &problem) {
  runner::Manifest manifest;
  manifest.program = problem.file.filename().string();
  manifest.arch = problem.arch;
  manifest.flags =
      build::errorsInNvccsWords(build::withoutArchFlags(flagsFor(problem, {}, build::Compiler::Nvcc)));
  if (fs::path ours = dataFolder("runtime"); !ours.empty())
    manifest.flags.push_back("-I" + ours.string());
  manifest.arguments = problem.arguments;
  manifest.compileSeconds = problem.limits.compile;
  manifest.runSeconds = problem.limits.run;
  manifest.comparesCopies = problem.comparesCopies;
  manifest.tolerance = problem.tolerance;
  return manifest;
}

runner::Toolchain toolchain() {
  const fs::path library = build::libraryFolder() / "libheddle_timing.so";
  return {"", library.string(), ""};
}

/// A function of the driver, which is only asked about devices; nothing where there is none.
template <class Function> Function *driverFunction(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto *init = driver ? reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit")) : nullptr;
  return init && init(0) == 0 ? reinterpret_cast<Function *>(dlsym(driver, name)) : nullptr;
}

} // namespace

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

GpuMeasurer::GpuMeasurer(const Problem &problem)
    : problem(problem), measurer(manifestOf(problem), fs::current_path(), scratch.path(), toolchain()),
      name(gpuName()) {
  const fs::path other = problem.fileWithOtherFlags();
  if (name.empty())
    whyNot = "there is no GPU here";
  else if (!findNvcc())
    whyNot = "nvcc is not installed, and candidates for a GPU are compiled by nvcc";
  else if (!other.empty())
    whyNot = whyOneCommandIsWrong(problem, other);
  else
    whyNot = measurer.prepare();
  measurer.runCompiler = [cache = build::CompileCache::ofUser(build::SourcePlace::Ignored)](
                             const runner::CompileCommand &command) { return compileCached(cache, command); };
}

runner::Result GpuMeasurer::measureBaseline(const Candidate &baseline) {
  return measureIn(ofBaseline.path(), baseline);
}

runner::Result GpuMeasurer::measure(const Candidate &candidate) {
  TemporaryFolder folder;
  return measureIn(folder.path(), candidate);
}

std::optional<fs::path> GpuMeasurer::buildProgram(const std::string &text, std::string &error) {
  Candidate program;
  program.id = "captured";
  program.files = {{problem.file.filename().string(), text, true}};
  TemporaryFolder folder;
  runner::Candidate wanted{program.id, "", {}, {}, {}};
  for (const fs::path &file : writeFiles(program, problem, folder.path()))
    wanted.files.push_back(file.string());
  const runner::Compiled compiled = measurer.compile(wanted);
  error = compiled.failure.reason;
  if (compiled.program.empty())
    return std::nullopt;
  built = Built{text, compiled};
  return compiled.program;
}

/// A program of that text, if it was built before.
const runner::Compiled *GpuMeasurer::builtFor(const Candidate &candidate) const {
  const bool isSame = built && candidate.isBaseline() && candidate.flags.empty() &&
                      candidate.files.size() == 1 && candidate.files.front().text == built->text;
  return isSame ? &built->compiled : nullptr;
}

runner::Result GpuMeasurer::measureIn(const fs::path &folder, const Candidate &candidate) {
  runner::Candidate wanted{candidate.id, candidate.configuration.str(), {}, candidate.flags, {}};
  for (const fs::path &file : writeFiles(candidate, problem, folder))
    wanted.files.push_back(file.string());
  const runner::Compiled *known = builtFor(candidate);
  runner::Result result = known ? measurer.measure(wanted, *known) : measurer.compileAndMeasure(wanted);
  // Whatever became of it: a search looks results up by the name that it was given.
  result.device = name;
  return result;
}

} // namespace heddle::tune

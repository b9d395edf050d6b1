// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GpuProfile.h"

#include "ProgramWords.h"
#include "Verbs.h"
#include "analysis/TrueRegisters.h"
#include "build/Gpu.h"
#include "build/RelocatableCode.h"
#include "instrument/Assemble.h"
#include "support/CudaToolkit.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <iostream>

namespace heddle::cli {
namespace {

constexpr const char *noNvcc = "nvcc is not on this machine";
constexpr const char *unknownGpu = "the driver does not report which GPU this is";
constexpr const char *withoutGpu = "--device sim needs neither a GPU nor a toolkit";

/// What ptxas gives to the kernels as they are: counters need more.
std::map<std::string, unsigned> registersOf(const std::string &ptx, const std::string &arch,
                                            const std::filesystem::path &nvcc) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "program.ptx";
  writeFileOrThrow(file, ptx);
  const ProcessResult done = runProcess({(std::filesystem::canonical(nvcc).parent_path() / "ptxas").string(),
                                         "-v", "--gpu-name", arch, file.string(), "-o", "/dev/null"});
  std::map<std::string, unsigned> registers;
  for (const auto &[kernel, needs] : analysis::parsePtxasOutput(done.standardError + done.standardOutput))
    registers[kernel] = needs.registers;
  return registers;
}

} // namespace

bool prepareGpuProfile(build::ProgramOptions &options, Session &session) {
  if (!hasDevice(options, session))
    return false;
  const std::optional<build::ComputeCapability> capability = build::gpuCapability();
  if (!findNvcc() || !capability) {
    complain(session, capability ? noNvcc : unknownGpu, withoutGpu, ExitRefused);
    return false;
  }
  if (build::linksDeviceCode(options.sources.allFlags())) {
    complain(session, "device code that is linked (-rdc=true, -dc) cannot be instrumented",
             "--device sim profiles it on the simulator", ExitRefused);
    return false;
  }
  // An architecture with a letter ("sm_90a") keeps it: the program may need its instructions.
  const std::string here = fmt::format("sm_{}{}", capability->major, capability->minor);
  if (!options.arch.starts_with(here))
    options.arch = here;
  options.keepsPtx = true;
  return true;
}

std::optional<instrument::Measured> measureOnGpu(const build::Program &program,
                                                 const build::ProgramOptions &options, bool showsOutput,
                                                 Session &session) {
  const std::optional<std::filesystem::path> found = findNvcc();
  const std::optional<build::ComputeCapability> capability = build::gpuCapability();
  if (!found || !capability) {
    complain(session, capability ? noNvcc : unknownGpu, withoutGpu, ExitRefused);
    return std::nullopt;
  }
  const std::filesystem::path &nvcc = *found;
  instrument::MeasureRequest request;
  request.run = [&](const std::vector<std::string> &environment) {
    ProcessResult run = program.run(session.programArguments, environment, build::Output::Captured).execution;
    if (showsOutput)
      std::cerr << run.standardOutput;
    return run;
  };
  request.assemble = [&](const std::string &ptx, Diagnostics &diagnostics) {
    return instrument::assemble(ptx, options.arch, nvcc, diagnostics);
  };
  request.registersOf = [&](const std::string &ptx) { return registersOf(ptx, options.arch, nvcc); };
  request.smVersion = unsigned(10 * capability->major + capability->minor);
  Diagnostics diagnostics;
  std::optional<instrument::Measured> measured = instrument::measure(request, diagnostics);
  complain(diagnostics, session, ExitRefused);
  return measured;
}

} // namespace heddle::cli

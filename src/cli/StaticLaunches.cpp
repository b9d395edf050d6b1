// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StaticLaunches.h"

#include "SourceOptions.h"
#include "source/Program.h"
#include "source/ProgramFiles.h"

namespace heddle::cli {

verify::LaunchTable launchesIn(const build::ProgramOptions &program, const std::string &compiler,
                               std::string &whyNot) {
  source::CompileOptions options;
  options.userArguments =
      build::withoutArchFlags(program.sources.flagsOf(program.sources.files.front(), build::Compiler::Clang));
  options.arch = archForClang(program.arch, options.arch);
  if (compiler == "clang")
    options.cudaPath = "none";
  auto result = source::Program::parse(program.sources.files.front(), options);
  if (auto *parsed = std::get_if<std::unique_ptr<source::Program>>(&result))
    return verify::LaunchTable(**parsed);
  whyNot = source::firstError(std::get<source::ParseFailure>(result).compilerMessages);
  return {};
}

report::KernelVerdict uncheckedLaunch(const std::string &kernel, const SourceLocation &launch,
                                      const std::string &why, const std::string &hint) {
  report::KernelVerdict verdict{kernel, {}};
  for (unsigned i = 0; i < check::Properties; ++i)
    verdict.result.properties.push_back({check::Property(i), check::Decision::Undecided, why, {}});
  verdict.result.undecided.push_back({launch, why, {}, hint, check::AllProperties});
  return verdict;
}

} // namespace heddle::cli

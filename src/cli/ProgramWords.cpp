// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramWords.h"

#include "Verbs.h"

#include <CLI/CLI.hpp>

namespace heddle::cli {

void addProgramOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words,
                       Session &session) {
  verb.fallthrough(false)->allow_extras();
  verb.add_option("--compiler", words.compiler, "nvcc, clang (needs no toolkit), or auto: nvcc where it is")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  verb.add_option("--arch", options.arch, "the GPU generation that the machine stands for");
  verb.add_option("--timeout", options.timeoutSeconds, "seconds after which a kernel is stopped");
  session.verbsThatCompile.insert(verb.get_name());
}

void addDeviceOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words) {
  verb.add_option("--device", words.device, "vm (our machine), gpu, or auto: the GPU where there is one")
      ->check(CLI::IsMember({"vm", "gpu", "auto"}));
  verb.add_option("--cores", options.cores, "host cores that execute blocks; 0 is all");
}

void readProgramOptions(const CLI::App &verb, const ProgramWords &words, const Session &session,
                        build::ProgramOptions &options, Diagnostics &diagnostics) {
  build::readChoices(words.device, words.compiler, options, diagnostics);
  options.sources = build::splitArguments(verb.remaining());
  options.sources.flags.insert(options.sources.flags.end(), session.compilerArguments.begin(),
                               session.compilerArguments.end());
}

} // namespace heddle::cli

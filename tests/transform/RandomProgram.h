// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a program of random kernels, for the property tests: it prints "done", or which kernel differs.
#pragma once

#include "build/Program.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace heddle::transform {

inline uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// A failure where the program does not end with "done", with what `about` says of the kernel that it names.
inline void expectDone(const std::string &text, const std::vector<std::string> &flags, unsigned seconds,
                       const std::function<std::string(size_t)> &about) {
  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "random.cu";
  std::ofstream(file) << text;
  if (const char *keep = std::getenv("HEDDLE_KEEP"))
    std::filesystem::copy_file(file, keep, std::filesystem::copy_options::overwrite_existing);

  build::ProgramOptions options;
  options.sources.files = {file};
  options.sources.flags = flags;
  options.compiler = build::Compiler::Clang;
  options.timeoutSeconds = seconds;
  Diagnostics diagnostics;
  build::Program program(options, diagnostics);
  ASSERT_TRUE(program.ok()) << program.messages();
  build::ProgramRun run = program.run({}, {}, build::Output::Captured);
  const std::string &output = run.execution.output;
  if (output == "done\n")
    return;
  size_t number = output.find_first_of("0123456789");
  ADD_FAILURE() << output
                << (number == std::string::npos ? "" : about(std::strtoul(&output[number], nullptr, 10)));
}

} // namespace heddle::transform

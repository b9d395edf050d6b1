// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/FileKernels.h"

#include "source/Program.h"
#include "support/KernelPattern.h"

#include <algorithm>
#include <sstream>

namespace heddle::tune {

bool FileKernel::isNamed(const std::string &name) const {
  return name == plain || name == whole || isMeant(mangled, name);
}

StartedCopy readingKernels(const Problem &problem) {
  return StartedCopy(problem.limits.make, [&problem] {
    auto parsed = source::Program::parseText(problem.file.string(), problem.text, problem.compile);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    std::string lines = program ? "read\n" : "";
    if (program)
      for (const auto &kernel : (*program)->kernels())
        lines += kernel->plainName + "\n" + kernel->name + "\n" + kernel->mangledName + "\n";
    return lines;
  });
}

std::optional<std::vector<FileKernel>> fileKernels(const Problem &problem) {
  return kernelsFrom(readingKernels(problem).result());
}

std::optional<std::vector<FileKernel>> kernelsFrom(const ProcessResult &answer) {
  std::istringstream lines(answer.standardOutput);
  std::string word;
  if (!answer.succeeded() || !std::getline(lines, word))
    return std::nullopt;
  std::vector<FileKernel> kernels;
  for (FileKernel each; std::getline(lines, each.plain) && std::getline(lines, each.whole) &&
                        std::getline(lines, each.mangled);)
    kernels.push_back(each);
  return kernels;
}

std::optional<std::string> kernelMeantBy(const std::string &wanted, const std::vector<FileKernel> &kernels) {
  const auto found =
      std::ranges::find_if(kernels, [&](const FileKernel &each) { return each.isNamed(wanted); });
  if (found == kernels.end())
    return std::nullopt;
  return wanted == found->whole ? wanted : found->plain;
}

std::vector<std::string> plainNames(const std::vector<FileKernel> &kernels) {
  std::vector<std::string> names;
  for (const FileKernel &each : kernels)
    if (std::ranges::find(names, each.plain) == names.end())
      names.push_back(each.plain);
  return names;
}

} // namespace heddle::tune

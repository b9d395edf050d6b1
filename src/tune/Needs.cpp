// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Needs.h"

#include "analysis/TrueRegisters.h"
#include "build/CompileCache.h"
#include "support/Files.h"
#include "support/Paths.h"

namespace heddle::tune {
namespace {

struct SortedFlags {
  std::vector<std::string> forAssembler; ///< as ptxas takes them
  std::vector<std::string> others;
};

SortedFlags sorted(const std::vector<std::string> &flags) {
  SortedFlags sorted;
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string &flag = flags[i];
    const bool isLimit = flag.starts_with("-maxrregcount") || flag.starts_with("--maxrregcount");
    if (isLimit && flag.find('=') != std::string::npos)
      sorted.forAssembler.push_back(flag);
    else if ((isLimit || flag == "-Xptxas") && i + 1 < flags.size())
      sorted.forAssembler.push_back(isLimit ? flag + "=" + flags[++i] : flags[++i]);
    else if (flag.starts_with("-Xptxas="))
      sorted.forAssembler.push_back(flag.substr(std::string("-Xptxas=").size()));
    else
      sorted.others.push_back(flag);
  }
  return sorted;
}

} // namespace

std::map<std::string, KernelNeeds> needsOf(const Problem &problem, const std::vector<std::string> &flags,
                                           const std::string &ptx, const std::filesystem::path &module) {
  std::map<std::string, KernelNeeds> needs;
  std::optional<source::Toolkit> toolkit = source::findToolkit(problem.compile.cudaPath);
  if (!toolkit)
    return needs;
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "candidate.ptx";
  writeFileOrThrow(file, ptx);
  std::vector<std::string> command = {
      (toolkit->root / "bin" / "ptxas").string(),    "-v", "--gpu-name", problem.arch, file.string(), "-o",
      module.empty() ? "/dev/null" : module.string()};
  for (const std::string &flag : sorted(flags).forAssembler)
    command.push_back(flag);
  const ProcessResult done =
      build::CompileCache::ofUser(build::SourcePlace::Ignored).run({command, file, module, {}, false});
  if (done.succeeded()) // PTX of our own headers may call what only the simulator has
    for (const auto &[kernel, is] : analysis::parsePtxasOutput(done.standardError + done.standardOutput))
      needs[kernel] = {is.registers, std::max(is.spillStoreBytes, is.spillLoadBytes), is.staticSharedBytes,
                       false};
  return needs;
}

std::vector<std::string> assemblerFlags(const std::vector<std::string> &flags) {
  return sorted(flags).forAssembler;
}

std::vector<std::string> withoutAssemblerFlags(const std::vector<std::string> &flags) {
  return sorted(flags).others;
}

} // namespace heddle::tune

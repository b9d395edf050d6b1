// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/TrueRegisters.h"

#include "analysis/PtxRegisters.h"
#include "ptx/Parser.h"
#include "support/ClangProgram.h"
#include "support/Files.h"
#include "support/HeaderCache.h"
#include "support/OpeningHeaders.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::analysis {
namespace {

/// A file of CUDA samples' size takes seconds; a generated one of 20,000 lines minutes. That is the limit.
constexpr double timeoutSeconds = 300;

std::string firstLines(const std::string &text) {
  std::istringstream in(text);
  std::string line, result;
  for (int i = 0; i < 3 && std::getline(in, line); ++i)
    result += (result.empty() ? "" : "; ") + line;
  return result;
}

unsigned numberBefore(const std::string &line, const std::string &words) {
  std::smatch match;
  return std::regex_search(line, match, std::regex("([0-9]+) " + words)) ? unsigned(std::stoul(match[1])) : 0;
}

/// Why there is none, or nothing.
std::string compileToPtx(const fs::path &file, const source::CompileOptions &options,
                         const std::optional<source::Toolkit> &toolkit, const fs::path &ptx) {
  std::optional<fs::path> clang = findClang();
  if (!clang)
    return "Clang is not on the PATH";
  std::vector<std::string> arguments = source::clangArguments(options, toolkit, source::Side::Device);
  // Parsing does without libdevice; code for expf and similar functions is needed here.
  if (toolkit)
    std::erase(arguments, "-nocudalib");
  std::vector<std::string> command{clang->string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"-O3", "-w", "-S"});
  const OpeningHeaders opening = openingHeaders(contentsOf(file), file.parent_path(), command);
  command = withCachedHeaders(std::move(command), opening);
  command.insert(command.end(), {"-o", ptx.string(), file.string()});
  ProcessResult compiled = runProcess(command, {}, timeoutSeconds);
  return compiled.succeeded() ? "" : "Clang made no PTX: " + firstLines(compiled.standardError);
}

std::map<std::string, unsigned> likelyRegisters(const fs::path &ptx, unsigned atFullOccupancy) {
  std::map<std::string, unsigned> likely;
  Diagnostics ignored;
  const ptx::Module module = ptx::parse(contentsOf(ptx), ptx.string(), ignored);
  if (!ignored.has(Severity::Error))
    for (const ptx::Function &function : module.functions)
      if (function.isEntry && function.isDefined)
        likely[function.name] = registersLikely(function, atFullOccupancy);
  return likely;
}

} // namespace

std::map<std::string, KernelResources> parsePtxasOutput(const std::string &text) {
  std::map<std::string, KernelResources> kernels;
  std::istringstream in(text);
  static const std::regex entry("Compiling entry function '([^']+)'"),
      properties("Function properties for (\\S+)"), constants("([0-9]+) bytes cmem");
  std::string current, described;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_search(line, match, entry))
      current = match[1];
    else if (line.find("'setmaxnreg' ignored") != std::string::npos)
      kernels[current].keepsRegisters = true;
    else if (std::regex_search(line, match, properties))
      described = match[1]; // also for device functions that were not inlined: their frames are theirs
    else if (line.find("bytes stack frame") != std::string::npos && described == current &&
             !current.empty()) {
      KernelResources &kernel = kernels[current];
      kernel.stackBytes = numberBefore(line, "bytes stack frame");
      kernel.spillStoreBytes = numberBefore(line, "bytes spill stores");
      kernel.spillLoadBytes = numberBefore(line, "bytes spill loads");
    } else if (line.find("Used ") != std::string::npos && !current.empty()) {
      KernelResources &kernel = kernels[current];
      kernel.registers = numberBefore(line, "registers");
      kernel.barriers = numberBefore(line, "barriers");
      kernel.staticSharedBytes = numberBefore(line, "bytes smem");
      for (auto at = std::sregex_iterator(line.begin(), line.end(), constants); at != std::sregex_iterator();
           ++at)
        kernel.constantBytes += unsigned(std::stoul((*at)[1]));
    }
  }
  return kernels;
}

TrueRegisters registersOfPtx(const fs::path &ptx, const std::string &arch, const fs::path &ptxas) {
  ProcessResult run = runProcess({ptxas.string(), "-v", "--gpu-name", arch, ptx.string(), "-o", "/dev/null"},
                                 {}, timeoutSeconds);
  TrueRegisters result;
  if (run.timedOut)
    result.whyNot = fmt::format("ptxas took longer than {} s", timeoutSeconds);
  else if (!run.succeeded())
    result.whyNot = "ptxas failed: " + firstLines(run.standardError + run.standardOutput);
  else
    result.kernels = parsePtxasOutput(run.standardError + run.standardOutput);
  return result;
}

TrueRegisters trueRegisters(const fs::path &file, const source::CompileOptions &options,
                            const RegistersAsked &asked) {
  TrueRegisters result;
  const std::optional<source::Toolkit> toolkit = source::findToolkit(options.cudaPath);
  const fs::path ptxas = toolkit ? toolkit->root / "bin" / "ptxas" : fs::path();
  std::error_code ignored;
  if (!toolkit)
    result.whyNot = "no CUDA toolkit, so no ptxas";
  else if (!fs::exists(ptxas, ignored))
    result.whyNot = fmt::format("the toolkit has no {}", ptxas.string());
  else if (!asked.ofPtxas)
    result.whyNot = "ptxas was not asked for";
  const bool hasPtxas = result.whyNot.empty();
  if (!hasPtxas && !asked.atFullOccupancy)
    return result;

  TemporaryFolder folder;
  const fs::path ptx = folder.path() / "kernels.ptx";
  if (const std::string failure = compileToPtx(file, options, toolkit, ptx); !failure.empty()) {
    if (hasPtxas)
      result.whyNot = failure;
    return result;
  }
  if (hasPtxas)
    result = registersOfPtx(ptx, options.arch, ptxas);
  if (asked.atFullOccupancy)
    result.likely = likelyRegisters(ptx, asked.atFullOccupancy);
  return result;
}

} // namespace heddle::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/TriedText.h"

#include "source/Unit.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <clang/Basic/SourceManager.h>

namespace heddle::transform {

namespace {

analysis::TrueRegisters registersOf(const source::Program &program, source::CompileOptions options,
                                    const std::string &text, const analysis::RegistersAsked &asked) {
  TemporaryFolder folder;
  std::filesystem::path given = program.file(), file = folder.path() / given.filename();
  writeFileOrThrow(file, text);
  // Its #include "..." are meant from where the user's file lies; emitted code may use the launch helpers.
  options.userArguments.push_back("-I" + std::filesystem::absolute(given).parent_path().string());
  options.userArguments.push_back("-I" + dataFolder("runtime").string());
  return analysis::trueRegisters(file, options, asked);
}

} // namespace

std::optional<analysis::KernelResources> compiledResources(const source::Program &program,
                                                           const source::CompileOptions &compile,
                                                           const std::string &text,
                                                           const std::string &mangledName) {
  if (!program.toolkit())
    return std::nullopt;
  const analysis::TrueRegisters answer = registersOf(program, compile, text, {});
  const auto found = answer.kernels.find(mangledName);
  return found == answer.kernels.end() ? std::nullopt : std::optional(found->second);
}

std::optional<unsigned> likelyRegisters(const source::Program &program, const source::CompileOptions &compile,
                                        const std::string &text, const std::string &mangledName,
                                        unsigned atFullOccupancy) {
  const analysis::TrueRegisters answer = registersOf(program, compile, text, {false, atFullOccupancy});
  const auto found = answer.likely.find(mangledName);
  return found == answer.likely.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> changedText(const source::Edits &edits) {
  auto applied = edits.apply();
  auto *files = std::get_if<0>(&applied);
  return files && files->size() == 1 ? std::optional(files->begin()->second) : std::nullopt;
}

std::string textOfFile(const Context &context) {
  const clang::SourceManager &sources = context.device().sources();
  return sources.getBufferData(sources.getMainFileID()).str();
}

} // namespace heddle::transform

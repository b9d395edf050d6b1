// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/TriedText.h"

#include "source/Unit.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <clang/Basic/SourceManager.h>

namespace heddle::transform {

std::optional<analysis::KernelResources> compiledResources(const source::Program &program,
                                                           const source::CompileOptions &compile,
                                                           const std::string &text,
                                                           const std::string &mangledName) {
  if (!program.toolkit())
    return std::nullopt;
  TemporaryFolder folder;
  std::filesystem::path given = program.file(), file = folder.path() / given.filename();
  writeFileOrThrow(file, text);
  source::CompileOptions options = compile;
  // Its #include "..." are meant from where the user's file lies; emitted code may use the launch helpers.
  options.userArguments.push_back("-I" + std::filesystem::absolute(given).parent_path().string());
  options.userArguments.push_back("-I" + dataFolder("runtime").string());
  analysis::TrueRegisters answer = analysis::trueRegisters(file, options);
  auto found = answer.kernels.find(mangledName);
  return found == answer.kernels.end() ? std::nullopt : std::optional(found->second);
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

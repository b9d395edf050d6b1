// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/HeaderStep.h"

#include "support/Files.h"
#include "support/HeaderCache.h"
#include "support/OpeningHeaders.h"

namespace heddle::build {

CompileStep stepWithCachedHeaders(const std::vector<std::string> &command,
                                  const std::vector<std::string> &rest, const std::filesystem::path &source,
                                  const std::filesystem::path &output) {
  const auto joined = [rest](std::vector<std::string> words) {
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
  };
  CompileStep step{joined(command), source, output, {}};
  step.faster = [=] {
    return joined(
        withCachedHeaders(command, openingHeaders(contentsOf(source), source.parent_path(), command)));
  };
  return step;
}

} // namespace heddle::build

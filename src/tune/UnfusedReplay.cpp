// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/UnfusedReplay.h"

#include "verify/Fusion.h"

#include <algorithm>
#include <fstream>

namespace heddle::tune {
namespace {

namespace fs = std::filesystem;

/// Where nothing differs, there is no file.
bool haveSameContents(const fs::path &a, const fs::path &b) {
  std::error_code ignored;
  if (!fs::exists(a, ignored) || !fs::exists(b, ignored))
    return fs::exists(a, ignored) == fs::exists(b, ignored);
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

} // namespace

bool UnfusedReplay::replayInto(Configuration configuration, const fs::path &differences) {
  const bool isNvcc =
      problem.compiler != build::Compiler::Clang && source::findToolkit(problem.compile.cudaPath).has_value();
  for (const std::string &flag : verify::unfusedFlags(isNvcc ? "nvcc" : "clang"))
    configuration.flags.push_back(flag);
  const Made made = maker.make(configuration);
  return made.candidate && made.candidate->replay.launch && replay(*made.candidate, differences);
}

bool UnfusedReplay::isSame(const Configuration &configuration) {
  const fs::path ofBaseline = folder.path() / "baseline", own = folder.path() / "candidate";
  if (!hasBaseline)
    hasBaseline = replayInto({}, ofBaseline);
  const bool isSame = *hasBaseline && replayInto(configuration, own) && haveSameContents(ofBaseline, own);
  std::error_code ignored;
  fs::remove(own, ignored);
  return isSame;
}

} // namespace heddle::tune

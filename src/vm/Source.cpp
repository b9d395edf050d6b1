// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/Source.h"

#include "ptx/Module.h"

namespace heddle::vm {
namespace {

constexpr int DeepestInlining = 64;

bool isOfToolkit(const std::string &path) {
  for (const char *part : {"/targets/", "/cuda/include/", "runtime/cuda/", "/cooperative_groups", "/cccl/",
                           "/lib/clang/", "/libcudacxx/", "__clang_cuda", "/cuda/std/"})
    if (path.find(part) != std::string::npos)
      return true;
  return false;
}

} // namespace

SourceLocation sourceOf(const ptx::Module &module, const ptx::Instr &instr) {
  SourceLocation innermost;
  uint32_t loc = instr.loc;
  for (int hops = 0; loc != ptx::kNone && hops < DeepestInlining; ++hops) {
    const ptx::SourceLoc &at = module.locs[loc];
    if (at.file != ptx::kNone) {
      SourceLocation location{module.files[at.file].path, at.line, at.column, 0, {}};
      if (!isOfToolkit(location.file))
        return location;
      if (!innermost.isKnown())
        innermost = location;
    }
    loc = at.inlinedAt;
  }
  return innermost;
}

} // namespace heddle::vm

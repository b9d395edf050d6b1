// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
}

namespace heddle::source {

class Unit;

/// One `__global__` function as it is executed: a plain one, or one instantiation of a template.
///
/// Facts are drawn from `function` (the instantiation: types and constants are known there); edits go to the
/// text of the pattern, which the instantiation's source locations point at as well.
struct Kernel {
  std::string name;        ///< as a person writes it: "scan", "ns::scan<int, 4>"
  std::string plainName;   ///< without template arguments: "ns::scan"
  std::string mangledName; ///< the same on both sides
  const clang::FunctionDecl *function = nullptr;
  const Unit *unit = nullptr; ///< the side `function` belongs to (the device's)
  SourceLocation location;
  bool isInstantiation = false;
  unsigned maxThreads = 0; ///< __launch_bounds__' first argument, 0 where there is none
  unsigned minBlocks = 0;  ///< its second
};

/// A kernel template that nothing in the file instantiates.
struct UninstantiatedKernel {
  std::string name;
  SourceLocation location;
};

/// The name that PTX and the loader know a kernel by; the same from either side's declaration.
std::string mangledKernelName(const clang::FunctionDecl *function);

std::vector<std::unique_ptr<Kernel>> findKernels(const Unit &device,
                                                 std::vector<UninstantiatedKernel> &uninstantiated);

} // namespace heddle::source

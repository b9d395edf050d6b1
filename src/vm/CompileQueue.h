// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that was found to be hot is compiled by one thread, while others go on interpreting it.
#pragma once

#include "vm/Compiled.h"

namespace heddle::vm {

/// What is to be compiled: the first part of a Code for a shape of launch, or another part or version of one that was compiled for it.
struct CompileJob {
  const Kernel *kernel = nullptr;
  const Code *code = nullptr;
  CompiledFor launch;
  bool forAllLanes = true; ///< the version
  uint32_t part = 0;
};

/// Compiles the part if that was not done yet, and lets the code have it. Why not, if that failed.
std::string compileNow(Compiler &compiler, const CompileJob &job);

/// Has it compiled by the thread, which is started for the first one.
void compileLater(const CompileJob &job);

/// Returns when everything that was asked for is compiled. For tests: nobody else has to know.
void awaitCompiled();

/// Nothing of the kernel is compiled any more when this returns; it is about to be destroyed.
void stopCompiling(const Kernel &kernel);

} // namespace heddle::vm

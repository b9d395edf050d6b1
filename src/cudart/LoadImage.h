// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/Runtime.h"

#include <string>

/// Device code that a program loads at run time, for the driver API (cuModule*, cuLibrary*) and the runtime API
/// (cudaLibrary*). `log` gets what is wrong.
namespace heddle::cudart {

/// The PTX in an image: text, or a container. A cubin is an error that is reported.
cudaError_t ptxOfImage(Runtime &runtime, const void *image, std::string &text, std::string &log);
cudaError_t ptxOfFile(Runtime &runtime, const char *path, std::string &text, std::string &log);

cudaError_t loadPtx(Runtime &runtime, std::string text, RegisteredModule *&module, std::string &log);
cudaError_t unloadModule(Runtime &runtime, RegisteredModule *module);
cudaError_t kernelNamed(Runtime &runtime, RegisteredModule *module, const char *name, KernelEntry *&kernel);
cudaError_t variableNamed(Runtime &runtime, RegisteredModule *module, const char *name,
                          const vm::Variable *&variable);

} // namespace heddle::cudart

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/TrueRegisters.h"
#include "transform/Context.h"

namespace heddle::transform {

/// What ptxas reports for a kernel in another text of the program's file, found by its mangled name. Nothing where there is
/// no ptxas, or it does not know the kernel.
std::optional<analysis::KernelResources> compiledResources(const source::Program &program,
                                                           const source::CompileOptions &compile,
                                                           const std::string &text,
                                                           const std::string &mangledName);

/// The estimate from PTX for a kernel in another text of the program's file. Nothing where Clang makes none.
std::optional<unsigned> likelyRegisters(const source::Program &program, const source::CompileOptions &compile,
                                        const std::string &text, const std::string &mangledName,
                                        unsigned atFullOccupancy);

/// The one file that edits change, as they leave it; nothing where they cannot be made, or change several.
std::optional<std::string> changedText(const source::Edits &edits);
/// The file as it is.
std::string textOfFile(const Context &context);

} // namespace heddle::transform

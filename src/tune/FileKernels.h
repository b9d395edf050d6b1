// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/StartedProcess.h"
#include "tune/Problem.h"

namespace heddle::tune {

/// A kernel of the tuned file, by its names.
struct FileKernel {
  std::string plain;   ///< "ns::scan", as directives have it
  std::string whole;   ///< "ns::scan<int, 4>"
  std::string mangled; ///< as captures have it

  /// By any of them, by "scan", or with its parameters: "scan(int*)".
  bool isNamed(const std::string &name) const;
};

/// Begins to read the file for its kernels, in a copy of this process.
StartedCopy readingKernels(const Problem &problem);
/// What that came to: the kernels of the file, in its order, each instantiation of a template by itself. Nothing where the file
/// does not compile.
std::optional<std::vector<FileKernel>> kernelsFrom(const ProcessResult &answer);
/// Both.
std::optional<std::vector<FileKernel>> fileKernels(const Problem &problem);

/// How directives call the kernel that a person means by `wanted`: `wanted` itself where it is a plain or a whole name, else the
/// plain one. Nothing where the file has no such kernel.
std::optional<std::string> kernelMeantBy(const std::string &wanted, const std::vector<FileKernel> &kernels);

/// Plain names, each once.
std::vector<std::string> plainNames(const std::vector<FileKernel> &kernels);

} // namespace heddle::tune

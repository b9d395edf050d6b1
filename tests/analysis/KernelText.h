// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"
#include "source/Kernel.h"
#include "source/Unit.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace heddle::analysis {

/// One kernel given as text. Read with nothing but the language's own words and threadIdx, which takes a few
/// milliseconds; what else a kernel calls it declares itself.
class KernelText {
public:
  explicit KernelText(const std::string &text, LaunchFacts launch = {}) {
    std::vector<std::string> arguments = {"-x",
                                          "cuda",
                                          "--cuda-gpu-arch=sm_90",
                                          "--cuda-device-only",
                                          "-nocudainc",
                                          "-nocudalib",
                                          "-std=c++17",
                                          "-include",
                                          "__clang_cuda_builtin_vars.h"};
    for (const char *word : {"global", "shared", "device", "constant"})
      arguments.push_back(fmt::format("-D__{0}__=__attribute__(({0}))", word));
    source::Unit::Result parsed = source::Unit::parse("kernel.cu", arguments, source::Side::Device, &text);
    unit = std::move(parsed.unit);
    std::vector<source::UninstantiatedKernel> ignored;
    if (unit)
      kernels = source::findKernels(*unit, ignored);
    if (kernels.empty()) {
      ADD_FAILURE() << "no kernel in the text; " << parsed.messages;
      std::abort(); // nothing below makes sense without one
    }
    accesses = Accesses::of(kernel(), launch);
  }

  const source::Kernel &kernel() const { return *kernels.front(); }

  /// The n-th access to the array.
  const Access &at(const std::string &array, unsigned n = 0) const {
    for (const Access &access : accesses->all())
      if (access.array->name == array && n-- == 0)
        return access;
    ADD_FAILURE() << "no such access to " << array;
    static Access none;
    return none;
  }
  std::string subscript(const std::string &array, unsigned n = 0) const {
    const Access &access = at(array, n);
    std::string text;
    for (const Affine &one : access.subscripts)
      text += "[" + one.str() + "]";
    return text;
  }

  std::unique_ptr<source::Unit> unit;
  std::vector<std::unique_ptr<source::Kernel>> kernels;
  std::unique_ptr<Accesses> accesses;
};

inline LaunchFacts blockOf(int64_t x, int64_t y = 1, int64_t z = 1) {
  return {.block = {x, y, z}, .grid = {}};
}

} // namespace heddle::analysis

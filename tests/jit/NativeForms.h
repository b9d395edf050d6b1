// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/Forms.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace heddle::jit::test {

/// Reads lanes `first`... of each source and writes those of each result. Values are side by side, predicates as bytes.
using NativeOperation = void (*)(const void *const *sources, void *const *results, uint64_t first);

/// See vm::callCompiled.
[[clang::no_sanitize("function")]] inline void callNative(NativeOperation native, const void *const *sources,
                                                          void *const *results, uint64_t first) {
  native(sources, results, first);
}

/// The lane counts that a form is compiled for (1: scalars); each the usual ones, some also those of other hosts. `number`: in its batch.
std::vector<unsigned> laneCountsOf(size_t number, const TestForm &form);

/// Forms as native code: for each one function for every lane count.
class NativeCode {
public:
  explicit NativeCode(const std::vector<const TestForm *> &forms);
  ~NativeCode();
  NativeOperation function(size_t form, unsigned lanes) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace heddle::jit::test

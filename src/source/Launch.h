// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class CallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace heddle::source {

class Unit;
struct Kernel;

/// An integer of the launch: its value where the compiler can know it, and the text it was written as.
struct LaunchNumber {
  std::optional<int64_t> value;
  std::string text;       ///< as written; for a dim3 the component's text where it has one
  std::string whyUnknown; ///< for a person, when there is no value: "'n' is a parameter of 'main'"
};

/// The three numbers of a dim3.
struct LaunchShape {
  std::array<LaunchNumber, 3> xyz;
  std::string text; ///< the whole argument as written
  const clang::Expr *expr = nullptr;

  bool isKnown() const { return xyz[0].value && xyz[1].value && xyz[2].value; }
  /// x*y*z where all three are known.
  std::optional<int64_t> total() const;
};

/// One place that launches a kernel.
struct Launch {
  enum class Form {
    TripleChevron,
    LaunchKernel,
    LaunchCooperative,
    LaunchKernelEx,
    Delegated, ///< heddle::delegate: by persistent warps; the block is one warp's
    Regrouped, ///< heddle::regroup: threads do each other's work
  } form = Form::TripleChevron;
  const Kernel *kernel = nullptr; ///< null where the callee is a pointer whose target is not known
  std::string kernelName;         ///< as found, also where `kernel` is null
  const clang::CallExpr *call = nullptr;
  const Unit *unit = nullptr; ///< the host side
  SourceLocation location;
  LaunchShape grid, block;
  LaunchNumber dynamicSharedBytes;
  std::string stream; ///< as written, empty for the default
  bool insideMacro = false;
};

/// A function of runtime/heddle, in the namespace of that name.
bool isOfRuntime(const clang::FunctionDecl *function);

std::vector<Launch> findLaunches(const Unit &host, const std::vector<std::unique_ptr<Kernel>> &kernels);

} // namespace heddle::source

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::analysis::walk {

/// The pieces of memory that a kernel reaches, each described once, in the order in which they were first
/// asked for. What is returned stays where it is, so arrays are compared by their address.
class ArrayTable {
public:
  ArrayTable(const clang::ASTContext &context, const LaunchFacts &facts) : context(context), facts(facts) {}

  /// The memory of a variable: a __shared__, __device__ or __constant__ one, or a local array. All
  /// `extern __shared__` variables are one array.
  const Array *of(const clang::VarDecl *variable);
  /// What a pointer that the kernel was given points to; `path` is ".a.b" for a member of a parameter.
  const Array *behind(const clang::VarDecl *parameter, const std::string &path, clang::QualType type);
  /// Memory of a pointer that is not followed, for this reason. The same reason is the same array.
  const Array *unknown(const std::string &reason, Array::Space space = Array::Space::Unknown);

  /// The arrays in order; the table is empty afterwards.
  std::vector<std::unique_ptr<Array>> take() { return std::move(list); }

private:
  const Array *add(Array array);

  const clang::ASTContext &context;
  const LaunchFacts &facts;
  std::vector<std::unique_ptr<Array>> list;
  std::map<const clang::VarDecl *, const Array *> byVariable;
  std::map<std::string, const Array *> byName;
};

} // namespace heddle::analysis::walk

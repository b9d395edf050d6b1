// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <string_view>

namespace heddle::analysis::walk {

/// What a function of the toolkit does to memory, and what its result depends on (KnownCalls.def).
enum class CallEffect { None, Atomic, Load, Store, Copy, GroupCopy, ByThread, Pure };

/// None where the table has no row for the name.
CallEffect effectOf(std::string_view name);

/// Which functions have a barrier of the whole block inside, themselves or in what they call.
class BlockBarriers {
public:
  explicit BlockBarriers(const clang::ASTContext &context) : context(context) {}
  bool areIn(const clang::FunctionDecl *function);

private:
  const clang::ASTContext &context;
  std::map<const clang::FunctionDecl *, bool> known;
};

} // namespace heddle::analysis::walk

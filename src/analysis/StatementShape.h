// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace heddle::analysis {

/// A statement without the attributes that `#pragma unroll` and similar pragmas put around it.
const clang::Stmt *plainStatement(const clang::Stmt *statement);

bool isLoop(const clang::Stmt *statement);

/// The body of a for, while or do; null for others.
const clang::Stmt *bodyOf(const clang::Stmt *loop);

/// What is evaluated by a loop, branch or switch itself, not by what is inside; some may be null.
std::vector<const clang::Stmt *> headerOf(const clang::Stmt *statement);

/// Jumps in a statement that lead out of it.
struct Jumps {
  bool leavesLoop = false; ///< break or continue of something around the statement
  bool returns = false;

  bool any() const { return leavesLoop || returns; }
};
Jumps jumpsOf(const clang::Stmt *statement);

/// The breaks (continues) in a statement that lead out of it, in the order of the text.
std::vector<const clang::Stmt *> breaksOut(const clang::Stmt *statement);
std::vector<const clang::Stmt *> continuesOut(const clang::Stmt *statement);

/// The variables that a statement declares, in order; none where it is null or no declaration.
std::vector<const clang::VarDecl *> declaredBy(const clang::Stmt *statement);

/// The variable that an expression names, perhaps in parentheses or implicitly converted; null for others.
const clang::VarDecl *namedVariable(const clang::Stmt *expression);

/// `a = b`, `a += b`, `++a` and so on.
bool assigns(const clang::Stmt *statement);

/// `a[i]`, `*p`, `p->x`.
bool goesToMemory(const clang::Stmt *expression);

/// What a constant expression of integers comes to; nothing for others.
std::optional<int64_t> constantValue(const clang::Expr *expression, const clang::ASTContext &context);

} // namespace heddle::analysis

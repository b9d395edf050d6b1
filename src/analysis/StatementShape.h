// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace clang {
class Stmt;
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

} // namespace heddle::analysis

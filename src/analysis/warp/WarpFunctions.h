// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and assembly through which threads of a warp speak with each other, or that ask, unknown to the compiler, which
// thread they are in. Known by name: what they do is not written in C++.
#pragma once

#include "source/Kernel.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

namespace clang {
class FunctionDecl;
class GCCAsmStmt;
class Stmt;
} // namespace clang

namespace heddle::analysis {

/// One of these names; a pattern that ends in * represents all that begin so.
bool isOneOf(llvm::StringRef name, llvm::ArrayRef<const char *> patterns);

/// It is declared in a namespace of this name, or in one inside of it.
bool isOfNamespace(const clang::FunctionDecl *function, llvm::StringRef name);

/// Shuffles, votes, __syncwarp() and similar functions, also by Clang's names for them.
bool isWarpFunction(const clang::FunctionDecl *function);

/// Clang's functions for the special registers of threadIdx and similar variables.
bool readsIndexItself(const clang::FunctionDecl *function);

/// The first of these words that the assembly has; null for none.
const char *firstWordIn(const clang::GCCAsmStmt *assembly, llvm::ArrayRef<const char *> words);

/// Assembly that reads such a register, or that exchanges values with other lanes.
bool readsIndex(const clang::GCCAsmStmt *assembly);
bool readsLanes(const clang::GCCAsmStmt *assembly);

/// A statement of the kernel, or of a function it calls, through which threads of a warp speak with each
/// other; null where there is none.
const clang::Stmt *findWarpFunction(const source::Kernel &kernel);

} // namespace heddle::analysis

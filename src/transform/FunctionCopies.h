// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Mentions.h"
#include "transform/Context.h"
#include "transform/Names.h"

#include <map>
#include <set>

namespace heddle::transform {

// Device functions that a kernel needs in another form. Instantiations of one template share their text, so
// functions are distinguished by source::Mentions::key.

/// The kernel, and those of the functions that only it and others of these use, and that are declared once: they
/// may be changed in place. One that must be copied keeps its original, which goes on calling what it called; so
/// that is not used by these alone either, to a fixed point.
std::set<unsigned> usedOnlyFor(const source::Unit &unit, const clang::FunctionDecl *kernel,
                               const std::vector<const clang::FunctionDecl *> &functions);

/// What copies of functions are called, and which there are already.
class CopyNames {
public:
  CopyNames(Names &names, std::string ending) : names(names), ending(std::move(ending)) {}

  /// The function's name with the ending, or another that is free.
  const std::string &of(const clang::FunctionDecl *function);
  /// False where its text, that of another instantiation, is copied already.
  bool isFirstCopy(const clang::FunctionDecl *function);

private:
  Names &names;
  std::string ending;
  std::map<unsigned, std::string> known;
  std::set<unsigned> copied;
};

/// Puts a copy of a function after it, with these parts replaced. False, with a refusal, where its text
/// cannot be had.
bool insertCopy(Context &context, const source::Unit &unit, const clang::FunctionDecl *function,
                const std::vector<source::Replacement> &parts);

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uses.h"
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
std::set<unsigned> usedOnlyFor(const Unit &unit, const clang::FunctionDecl *kernel,
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

/// Calls that are to go to another function, with further arguments in front.
struct CallChange {
  std::string name;      ///< of the function to call instead
  std::string arguments; ///< put in front of the others: "threadX, threadY"; empty for none
};
using CallChanges = std::map<const clang::FunctionDecl *, CallChange>;

/// The changes to the calls in some code.
std::vector<Replacement> changedCalls(const Unit &unit, const Uses &uses, const CallChanges &calls);

/// The changes to a function's head: another name, and parameters in front of its own.
std::vector<Replacement> changedHead(const Unit &unit, const clang::FunctionDecl *function,
                                     const std::string &name, const std::string &parameters);

/// False, with a refusal, where a function that asks for something cannot be given it by a parameter.
bool mayTakeParameter(Context &context, const Unit &unit, const clang::FunctionDecl *function,
                      const char *asked);

/// The replacement that puts `text` in front of what a parenthesis right behind `callee` holds.
std::optional<Replacement> inFrontOfArguments(const Unit &unit, clang::SourceRange callee,
                                              const std::string &text);

/// Makes changes in place.
void replaceParts(Context &context, const Unit &unit, const std::vector<Replacement> &parts);

/// Puts a copy of a function after it, with these parts replaced. False, with a refusal, where its text
/// cannot be had.
bool insertCopy(Context &context, const Unit &unit, const clang::FunctionDecl *function,
                const std::vector<Replacement> &parts);

} // namespace heddle::transform

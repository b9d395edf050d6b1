// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <map>
#include <set>

namespace clang {
class FunctionDecl;
}

namespace heddle::source {

class Unit;

/// Who mentions which functions, by place in the text: instantiations of one template count as one.
class Mentions {
public:
  explicit Mentions(const Unit &unit);

  /// The functions (by place) that mention this one; 0 for code outside of functions.
  const std::set<unsigned> &of(const clang::FunctionDecl *function) { return users[key(function)]; }
  static unsigned key(const clang::FunctionDecl *function);

private:
  std::map<unsigned, std::set<unsigned>> users;
};

/// From the first word of the declaration (`template`, `__device__`) to the closing brace. Clang's own
/// range leaves out attributes in front.
clang::SourceRange wholeDefinition(const Unit &unit, const clang::FunctionDecl *function);

} // namespace heddle::source

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/Join.h"

#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis::walk {

Value joined(const Environment::Key &key, const Value &left, const Value &right, const Condition &decision,
             const SourceLocation &location, ArrayTable &arrays, const ValueScope &scope) {
  Value both;
  std::string name = key.first ? key.first->getNameAsString() + key.second : key.second;
  if (left.integer == right.integer) {
    both.integer = left.integer;
  } else if (left.integer && right.integer && !left.integer->dependsOnThread() &&
             !right.integer->dependsOnThread() && decision.isUniform()) {
    // All threads of the block took the same way, so they agree on the value, whichever it is.
    bool nonNegative = left.integer->isNonNegative() && right.integer->isNonNegative();
    const Symbol *symbol =
        scope.symbols.uniform(fmt::format("{}@{}", name, location.line), nonNegative, scope.loops());
    both.integer = Polynomial(symbol);
  } else {
    both.integer = !left.integer ? left.integer
                   : !right.integer
                       ? right.integer
                       : Affine::not_(fmt::format("two definitions of '{}' reach", name), location);
  }
  if (left.truth && right.truth && *left.truth == *right.truth)
    both.truth = left.truth;
  if (left.pointer && right.pointer) {
    const PointerValue &a = *left.pointer, &b = *right.pointer;
    PointerValue pointer = a;
    if (a.array != b.array || a.scalar != b.scalar) {
      pointer = PointerValue{.array = arrays.unknown(fmt::format("'{}' may point to '{}' or to '{}'", name,
                                                                 a.array ? a.array->name : "a local",
                                                                 b.array ? b.array->name : "a local"),
                                                     a.array && b.array && a.array->space == b.array->space
                                                         ? a.array->space
                                                         : Array::Space::Unknown),
                             .offset = Affine::not_("the pointer is not known", location),
                             .inner = Affine::not_("the pointer is not known", location),
                             .pointee = a.pointee};
    } else if (!(a.offset == b.offset)) {
      pointer.offset = pointer.inner =
          Affine::not_(fmt::format("two definitions of '{}' reach", name), location);
      pointer.outer.clear();
    }
    both.pointer = pointer;
  }
  return both;
}

Environment::Changes joined(const Environment::Changes &left, const Environment::Changes &right,
                            const Condition &decision, const SourceLocation &location, ArrayTable &arrays,
                            const ValueScope &scope) {
  Environment::Changes both;
  auto joinOne = [&](const Environment::Key &key, const Environment::Change &a,
                     const Environment::Change &b) {
    Environment::Change change{a.before, std::nullopt};
    if (a.after && b.after)
      change.after = joined(key, *a.after, *b.after, decision, location, arrays, scope);
    else if ((a.after || b.after) && isa<ParmVarDecl>(key.first)) // elsewhere it has what the caller gave it
      change.after = Value::unknown("set on one way of a branch", location);
    both.emplace(key, std::move(change));
  };
  for (const auto &[key, change] : left) {
    auto other = right.find(key);
    joinOne(key, change,
            other != right.end() ? other->second : Environment::Change{change.before, change.before});
  }
  for (const auto &[key, change] : right)
    if (!left.count(key))
      joinOne(key, Environment::Change{change.before, change.before}, change);
  return both;
}

} // namespace heddle::analysis::walk

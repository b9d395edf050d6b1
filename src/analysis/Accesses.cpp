// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Accesses.h"

#include "analysis/SymbolicWalk.h"

namespace heddle::analysis {

const char *nameOf(Array::Space space) {
  switch (space) {
  case Array::Space::Shared: return "shared";
  case Array::Space::Global: return "global";
  case Array::Space::Constant: return "constant";
  case Array::Space::Local: return "local";
  case Array::Space::Unknown: return "unknown";
  }
  return "";
}

const char *nameOf(Access::Kind kind) {
  switch (kind) {
  case Access::Kind::Read: return "read";
  case Access::Kind::Write: return "write";
  case Access::Kind::Atomic: return "atomic";
  }
  return "";
}

Accesses::~Accesses() = default;

std::unique_ptr<Accesses> Accesses::of(const source::Kernel &kernel, const LaunchFacts &launch) {
  std::unique_ptr<Accesses> result(new Accesses);
  result->owner = &kernel;
  result->facts = launch;
  SymbolicWalk::fill(*result, SymbolicWalk::follow(kernel, result->facts, *result->table));
  return result;
}

const Loop *Accesses::loopOf(const clang::Stmt *statement) const {
  for (const std::unique_ptr<Loop> &loop : loopList)
    if (loop->statement == statement)
      return loop.get();
  return nullptr;
}

const Affine *Accesses::valueOf(const clang::Expr *expression) const {
  auto at = values.find(expression);
  return at == values.end() ? nullptr : &at->second;
}

const Condition *Accesses::conditionOf(const clang::Expr *expression) const {
  auto at = conditions.find(expression);
  return at == conditions.end() ? nullptr : &at->second;
}

bool Accesses::usesThreadDimension(unsigned dimension) const {
  return facts.block[dimension] ? *facts.block[dimension] > 1 : usedDimensions[dimension];
}

} // namespace heddle::analysis

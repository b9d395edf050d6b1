// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/CallTable.h"

#include "analysis/Barriers.h"
#include "analysis/ThreadBuiltins.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <set>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

struct KnownCall {
  std::string_view pattern;
  CallEffect effect;
};
constexpr KnownCall knownCalls[] = {
#define CALL(pattern, effect) {pattern, CallEffect::effect},
#include "analysis/KnownCalls.def"
#undef CALL
};

class BarrierFinder : public DynamicRecursiveASTVisitor {
public:
  BarrierFinder(std::set<const FunctionDecl *> &theSeen, const ASTContext &theContext)
      : seen(theSeen), context(theContext) {}
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = calleeOf(call);
    auto barrier = barrierAt(call, context);
    found |= barrier && barrier->ordersBlock();
    if (callee && !found && callee->hasBody(callee) && seen.insert(callee).second)
      TraverseStmt(callee->getBody());
    return !found;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *assembly) override {
    auto barrier = barrierAt(assembly, context);
    found |= barrier && barrier->ordersBlock();
    return !found;
  }
  bool found = false;

private:
  std::set<const FunctionDecl *> &seen;
  const ASTContext &context;
};

} // namespace

CallEffect effectOf(std::string_view name) {
  for (const KnownCall &known : knownCalls) {
    bool isPrefix = known.pattern.ends_with('*');
    std::string_view stem = known.pattern.substr(0, known.pattern.size() - isPrefix);
    if (isPrefix ? name.starts_with(stem) : name == stem)
      return known.effect;
  }
  return CallEffect::None;
}

bool BlockBarriers::areIn(const FunctionDecl *function) {
  auto [at, isNew] = known.try_emplace(function, false);
  const FunctionDecl *definition = nullptr;
  if (isNew && function->hasBody(definition)) {
    std::set<const FunctionDecl *> seen{definition};
    BarrierFinder finder(seen, context);
    finder.TraverseStmt(definition->getBody());
    at->second = finder.found;
  }
  return at->second;
}

} // namespace heddle::analysis::walk

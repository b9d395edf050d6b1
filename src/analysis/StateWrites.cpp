// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of namespace scope a kernel may write, with all that it calls.
//
// A load of a __device__ variable is the same for all threads only if no thread of the launch writes it. The
// kernel's own pointers are traced by MemoryRoots; this looks at the functions that it reaches (Reach), where
// pointers come from callers:
//
// 1. A mention of such a variable that is not a plain read counts as a write.
// 2. A store through a parameter, or through a sum of one with a number, is up to the caller, which is looked
//    at too. A store through any other pointer may be to anything: `isUnknown`.
// 3. Pointers that are passed on for writing are treated like stores through them.
//
// __constant__, constexpr and __shared__ variables are not counted: the first two cannot be written, the last
// is another question. Cost: two passes over all code that the kernel reaches.
#include "analysis/StateWrites.h"

#include "analysis/Execution.h"
#include "analysis/StatementShape.h"
#include "analysis/ThreadBuiltins.h"
#include "source/FlowGraph.h"
#include "source/LocalWrites.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <unordered_map>

using namespace clang;

namespace heddle::analysis {
namespace {

/// A variable that outlives the functions that mention it and that all threads see.
const VarDecl *stateOf(const Expr *expression) {
  const VarDecl *variable = namedVariable(expression);
  bool isState = variable && variable->hasGlobalStorage() && !variable->hasAttr<CUDASharedAttr>() &&
                 !variable->isConstexpr() && !variable->hasAttr<CUDAConstantAttr>();
  return isState ? variable->getCanonicalDecl() : nullptr;
}

/// What is written by `*p = ...`, `p[i] = ...`, `p->x = ...`: the pointer; null where no pointer is followed.
const Expr *pointerBehind(const Expr *lvalue) {
  for (const Expr *e = lvalue->IgnoreParenImpCasts();;) {
    if (auto *member = dyn_cast<MemberExpr>(e)) {
      const Expr *base = member->getBase()->IgnoreParenImpCasts();
      if (isa<CXXThisExpr>(base))
        return nullptr; // the object itself, which the caller knows
      if (member->isArrow())
        return base;
      e = base;
    } else if (auto *element = dyn_cast<ArraySubscriptExpr>(e)) {
      const Expr *base = element->getBase()->IgnoreParenImpCasts();
      if (!base->getType()->isArrayType())
        return base;
      e = base;
    } else if (auto *unary = dyn_cast<UnaryOperator>(e); unary && unary->getOpcode() == UO_Deref) {
      return unary->getSubExpr()->IgnoreParenImpCasts();
    } else {
      return nullptr;
    }
  }
}

/// Parameters, and sums of them with numbers: where those point to is up to the caller, who is asked.
bool isOfParameter(const Expr *pointer) {
  for (;;) {
    pointer = pointer->IgnoreParenCasts();
    if (auto *sum = dyn_cast<BinaryOperator>(pointer); sum && sum->isAdditiveOp())
      pointer = sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS();
    else if (auto *unary = dyn_cast<UnaryOperator>(pointer);
             unary && (unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf)) {
      const Expr *inner = unary->getSubExpr()->IgnoreParenImpCasts();
      if (unary->getOpcode() == UO_AddrOf && source::localPlace(inner))
        return true;
      pointer = pointerBehind(inner) ? pointerBehind(inner) : inner;
    } else
      break;
  }
  auto *reference = dyn_cast<DeclRefExpr>(pointer);
  auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && (isa<ParmVarDecl>(variable) || variable->hasAttr<CUDASharedAttr>() ||
                      variable->getType()->isArrayType() || variable->hasGlobalStorage());
}

class WriteFinder {
public:
  WriteFinder(StateWrites &writes, bool isKernel) : writes(writes), isKernel(isKernel) {}

  void look(const Stmt *code) {
    source::forEachEvaluated(code, [&](const Stmt *part) {
      for (const Stmt *child : source::evaluatedChildren(part))
        parents.emplace(child, part);
      return true;
    });
    source::forEachEvaluated(code, [&](const Stmt *part) {
      if (auto *expression = dyn_cast<Expr>(part); expression && threadBuiltin(expression))
        return false;
      lookAt(part);
      return true;
    });
  }

private:
  void lookAt(const Stmt *part) {
    auto parentOf = [&](const Stmt *statement) {
      auto found = parents.find(statement);
      return found == parents.end() ? nullptr : found->second;
    };
    if (auto *reference = dyn_cast<DeclRefExpr>(part))
      if (const VarDecl *variable = stateOf(reference))
        if (source::mentionOf(reference, parentOf) != source::Mention::Read)
          writes.variables.insert(variable);
    if (isKernel)
      return; // its own pointers are traced (MemoryRoots)
    const Expr *target = nullptr;
    if (auto *binary = dyn_cast<BinaryOperator>(part); binary && binary->isAssignmentOp())
      target = binary->getLHS();
    else if (auto *unary = dyn_cast<UnaryOperator>(part); unary && unary->isIncrementDecrementOp())
      target = unary->getSubExpr();
    if (const Expr *pointer = target ? pointerBehind(target) : nullptr)
      writes.isUnknown |= !isOfParameter(pointer);
    if (auto *call = dyn_cast<CallExpr>(part))
      lookAtCall(call);
  }

  /// A pointer that is handed on for writing.
  void lookAtCall(const CallExpr *call) {
    const FunctionDecl *callee = calleeOf(call);
    unsigned shift = isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(callee) ? 1 : 0;
    for (unsigned i = shift; callee && i < call->getNumArgs() && i - shift < callee->getNumParams(); ++i) {
      QualType type = callee->getParamDecl(i - shift)->getType();
      if (type->isPointerType() && !type->getPointeeType().isConstQualified() &&
          !type->getPointeeType()->isFunctionType())
        writes.isUnknown |= !isOfParameter(call->getArg(i));
    }
  }

  StateWrites &writes;
  const bool isKernel;
  std::unordered_map<const Stmt *, const Stmt *> parents;
};

} // namespace

StateWrites StateWrites::of(const source::Kernel &kernel) {
  StateWrites writes;
  const Reach reach = Reach::of(kernel.function, *kernel.unit);
  writes.isUnknown = !reach.unknown().empty();
  for (const Reached &reached : reach.all())
    if (!reached.isLibrary)
      for (const Stmt *code : reached.code())
        WriteFinder(writes, !reached.from).look(code);
  return writes;
}

} // namespace heddle::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which work is the same for all threads of a block, and which values are cheaper to recompute than to keep.
//
// When several threads are merged into one, statements that compute the same for each of them need not be
// repeated for each work item:
//
//     int row = blockIdx.y * pitch;       executed once: all threads agree on it
//     int i = threadIdx.x + row;          executed for each item
//
// `isUniformWork`: every local variable that the statement sets gets only values that are uniform at the
// level asked for (Uniformity decides, per definition), every branch in it is taken alike, calls are pure
// functions of numbers, and nothing has an effect outside the thread's locals: no stores, assembly, volatile
// accesses or destructors. A statement that is never reached has no facts and is not uniform.
//
// `isCheapAndStable`: a variable that is set once, from thread indices, constants and other such variables,
// by a few operations without a load. Between regions of a kernel it is recomputed (rematerialized) rather
// than stored for each item; `mostOperations` is about what an address of a three-dimensional array costs.
//
// Both are sound only for what ReachingDefinitions tracks; a variable whose address escapes is neither. Cost:
// linear in the statement, plus the bodies of pure functions down to `mostCalls`.
#include "analysis/UniformWork.h"

#include "analysis/CallEffects.h"
#include "analysis/ThreadBuiltins.h"
#include "model/Thresholds.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

using source::ReachingDefinitions;

namespace {

/// More than this is no longer cheaper than a register: about what an address of a 3-D array takes.
constexpr unsigned mostRecomputed = model::threshold::loops::mostRecomputed;
/// How far calls of small functions are looked into.
constexpr int mostCallsInWork = 3;

bool isPlainNumber(QualType type) { return type->isArithmeticType() || type->isEnumeralType(); }

bool isConstantGlobal(const VarDecl *variable) {
  return !variable->hasLocalStorage() && (variable->isConstexpr() || variable->getType().isConstQualified());
}

/// `dim3 size = blockDim;`: for Clang a call that turns one type into another.
bool isAsWhole(const Stmt *part) {
  auto *call = dyn_cast<CXXMemberCallExpr>(part);
  return call && isa_and_nonnull<CXXConversionDecl>(call->getMethodDecl()) &&
         threadBuiltin(call->getImplicitObjectArgument()->IgnoreParenImpCasts());
}

} // namespace

UniformWork::UniformWork(const KernelFacts &facts, Level agreed) : facts(facts), agreed(agreed) {
  using Kind = source::Definition::Kind;
  for (const source::Definition &definition : facts.uniformity->definitions().definitions()) {
    // The flow graph takes `int a, b;` apart, so a declaration is known by its variable.
    bool isDeclared = definition.kind == Kind::Declaration || definition.kind == Kind::Uninitialized;
    definitionsBy[isDeclared ? static_cast<const void *>(definition.variable) : definition.statement]
        .push_back(&definition);
  }
}

/// Code that is never reached has no facts, and is not uniform: it goes along with what is around it.
bool UniformWork::isReached(const Stmt *statement) const {
  return facts.uniformity->definitions().graph().extent(statement).has_value();
}

bool UniformWork::agreeOn(const Stmt *branch) const {
  return facts.uniformity->branchLevel(branch) <= agreed && isReached(branch);
}

/// A function of plain numbers that touches nothing else.
bool UniformWork::isPureCall(const Expr *expression, int depth) const {
  auto *call = dyn_cast<CallExpr>(expression);
  const FunctionDecl *callee = call ? calleeOf(call) : nullptr;
  if (!callee || depth > mostCallsInWork || isa<CXXMethodDecl>(callee) ||
      !isPlainNumber(callee->getReturnType()))
    return false;
  for (const ParmVarDecl *parameter : callee->parameters())
    if (!isPlainNumber(parameter->getType().getNonReferenceType()) ||
        (parameter->getType()->isReferenceType() &&
         !parameter->getType()->getPointeeType().isConstQualified()))
      return false;
  if (!callee->hasBody() || !facts.uniformity->unit().isUserCode(callee->getLocation()))
    return effectOf(callee).value_or(CallEffect{}).kind == CallEffect::Kind::Arguments;
  bool pure = true;
  source::forEachEvaluated(callee->getBody(), [&](const Stmt *part) {
    if (auto *reference = dyn_cast<DeclRefExpr>(part))
      if (auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
        pure &= variable->hasLocalStorage() || isConstantGlobal(variable);
    if (isa<CallExpr>(part))
      pure &= isPureCall(cast<CallExpr>(part), depth + 1);
    if (auto *construction = dyn_cast<CXXConstructExpr>(part))
      pure &= construction->getConstructor()->isTrivial();
    if (auto *declarations = dyn_cast<DeclStmt>(part))
      for (const Decl *declaration : declarations->decls())
        if (auto *variable = dyn_cast<VarDecl>(declaration))
          pure &= !variable->needsDestruction(variable->getASTContext());
    pure &= !isa<AsmStmt, LambdaExpr, CXXNewExpr, CXXThrowExpr, CXXBindTemporaryExpr>(part);
    return pure;
  });
  return pure;
}

bool UniformWork::isUniform(const source::Definition &definition) const {
  const ReachingDefinitions &definitions = facts.uniformity->definitions();
  if (definition.kind == source::Definition::Kind::Opaque || definitions.addressEscapes(definition.variable))
    return false;
  return std::ranges::all_of(definitions.valuesOf(definition), [&](ReachingDefinitions::ValueId value) {
    return facts.uniformity->levelOfValue(value) <= agreed;
  });
}

/// Every value that a local variable is given by this statement (or declaration of a variable) is agreed on.
bool UniformWork::definesUniform(const void *statement) const {
  auto found = definitionsBy.find(statement);
  return found == definitionsBy.end() ||
         std::ranges::all_of(found->second, [&](const auto *definition) { return isUniform(*definition); });
}

/// Looks at one part of a statement; its children are looked at by themselves.
bool UniformWork::isAllowed(const Stmt *part) const {
  if (isa<IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt, ConditionalOperator>(part))
    return agreeOn(part);
  if (isa<AsmStmt, LambdaExpr, CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, CXXForRangeStmt, GotoStmt,
          IndirectGotoStmt, AtomicExpr>(part))
    return false;
  if (isa<CXXBindTemporaryExpr>(part))
    return false; // its destructor
  if (auto *construction = dyn_cast<CXXConstructExpr>(part))
    return construction->getConstructor()->isTrivial() ||
           (construction->getConstructor()->isConstexpr() && // dim3's
            !facts.uniformity->unit().isUserCode(construction->getConstructor()->getLocation()));
  if (auto *call = dyn_cast<CallExpr>(part))
    return isPureCall(call, 0) && facts.uniformity->level(call) <= agreed;
  auto *binary = dyn_cast<BinaryOperator>(part);
  auto *unary = dyn_cast<UnaryOperator>(part);
  const Expr *target = binary && binary->isAssignmentOp()         ? binary->getLHS()
                       : unary && unary->isIncrementDecrementOp() ? unary->getSubExpr()
                                                                  : nullptr;
  if (target) {
    std::optional<source::LocalPlace> place = source::localPlace(target);
    return place && facts.uniformity->definitions().isTracked(place->variable) && definesUniform(part);
  }
  if (binary && binary->isLogicalOp())
    return agreeOn(part);
  auto *expression = dyn_cast<Expr>(part);
  return !expression || !expression->getType().isVolatileQualified();
}

bool UniformWork::isUniformWork(const Stmt *statement) const {
  if (!statement)
    return true;
  bool uniform = isReached(statement) || isa<DeclStmt>(statement);
  source::forEachEvaluated(statement, [&](const Stmt *part) {
    if (auto *expression = dyn_cast<Expr>(part))
      if (std::optional<ThreadBuiltin> builtin = threadBuiltin(expression)) {
        bool isIndex = builtin->kind == ThreadBuiltin::Kind::ThreadIdx ||
                       (builtin->kind == ThreadBuiltin::Kind::BlockIdx && agreed == Level::Grid);
        uniform &= !isIndex;
        return false;
      }
    if (auto *declarations = dyn_cast<DeclStmt>(part)) {
      for (const Decl *declaration : declarations->decls())
        if (auto *variable = dyn_cast<VarDecl>(declaration)) {
          // A group of cooperative threads is a handle: it says the same to all.
          if (groupKind(variable->getType()) != GroupKind::None)
            return false;
          if (!variable->hasLocalStorage() || variable->hasAttr<CUDASharedAttr>())
            return false;
          uniform &= !variable->getType()->isReferenceType() && !variable->getType().isVolatileQualified();
          uniform &= !variable->needsDestruction(variable->getASTContext());
          uniform &= definesUniform(variable);
        }
      return uniform;
    }
    uniform &= isAsWhole(part) || isAllowed(part);
    return uniform;
  });
  return uniform;
}

/// `isAddress`: the place of an lvalue is asked for, not what is read from it.
bool UniformWork::isStable(const Expr *expression, bool isAddress, unsigned &operations) const {
  const Expr *e = expression->IgnoreParens();
  auto stable = [&](const Expr *part, bool address = false) { return isStable(part, address, operations); };
  if (++operations > mostRecomputed * 3) // parts of expressions: an operation has about three
    return false;
  if (threadBuiltin(e))
    return true;
  if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr, CXXNullPtrLiteralExpr,
          UnaryExprOrTypeTraitExpr>(e))
    return true;
  if (auto *substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(e))
    return stable(substituted->getReplacement());
  if (auto *constant = dyn_cast<ConstantExpr>(e))
    return stable(constant->getSubExpr());
  if (auto *reference = dyn_cast<DeclRefExpr>(e)) {
    auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (!variable)
      return isa<EnumConstantDecl>(reference->getDecl());
    if (isAddress && !variable->getType()->isReferenceType())
      return true;
    if (variable->getType()->isReferenceType())
      return variable->hasLocalStorage() && isAddress && isCheapAndStable(variable);
    return isConstantGlobal(variable) || (facts.uniformity->definitions().isTracked(variable) &&
                                          facts.uniformity->definitions().isNeverReassigned(variable));
  }
  if (auto *cast = dyn_cast<CastExpr>(e)) {
    const Expr *inner = cast->getSubExpr();
    switch (cast->getCastKind()) {
    case CK_LValueToRValue: {
      // Reading a variable, or a member of one, is no load from memory.
      const Expr *from = inner->IgnoreParens();
      while (isa<MemberExpr>(from) && !llvm::cast<MemberExpr>(from)->isArrow())
        from = llvm::cast<MemberExpr>(from)->getBase()->IgnoreParens();
      return isa<DeclRefExpr>(from) && stable(from);
    }
    case CK_ArrayToPointerDecay: return stable(inner, true);
    case CK_NoOp: return stable(inner, isAddress);
    case CK_UserDefinedConversion:
    case CK_ConstructorConversion: return false;
    default: return stable(inner);
    }
  }
  if (auto *binary = dyn_cast<BinaryOperator>(e))
    return !binary->isAssignmentOp() && binary->getOpcode() != BO_Comma && stable(binary->getLHS()) &&
           stable(binary->getRHS());
  if (auto *unary = dyn_cast<UnaryOperator>(e)) {
    if (unary->getOpcode() == UO_AddrOf)
      return stable(unary->getSubExpr(), true);
    if (unary->getOpcode() == UO_Deref)
      return isAddress && stable(unary->getSubExpr());
    return !unary->isIncrementDecrementOp() && stable(unary->getSubExpr());
  }
  if (auto *element = dyn_cast<ArraySubscriptExpr>(e))
    return isAddress && stable(element->getBase()) && stable(element->getIdx());
  if (auto *member = dyn_cast<MemberExpr>(e))
    return isAddress && !member->isArrow() && stable(member->getBase(), true);
  if (auto *choice = dyn_cast<ConditionalOperator>(e))
    return stable(choice->getCond()) && stable(choice->getTrueExpr()) && stable(choice->getFalseExpr());
  return false;
}

bool UniformWork::isCheapAndStable(const VarDecl *variable) const {
  QualType type = variable->getType();
  bool isReference = type->isReferenceType();
  if (!variable->getInit() || !(isReference || isPlainNumber(type) || type->isPointerType()) ||
      type.isVolatileQualified())
    return false;
  const ReachingDefinitions &definitions = facts.uniformity->definitions();
  if (!isReference && !(definitions.isTracked(variable) && definitions.isNeverReassigned(variable)))
    return false;
  if (isReference && variable->getInit()->isPRValue())
    return false;
  if (isa<ExprWithCleanups, MaterializeTemporaryExpr>(variable->getInit()))
    return false;
  unsigned operations = 0;
  return isStable(variable->getInit(), isReference, operations);
}

} // namespace heddle::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables a pointer may be derived from, and what kind of memory they are.
//
// Uniformity needs to know of a load whether another thread may write what it reads. Pointers are traced back
// to their roots: parameters, __shared__ and __constant__ variables, globals, local arrays.
//
//     const float *row = in + y * w;  if (flip) row = other;  row[x]          roots {in, other}
//
// 1. `addRoots` follows a pointer through arithmetic, casts, both sides of ?: and every definition of a local
//    variable that ReachingDefinitions knows; a null root means "anything". Definitions are not distinguished
//    by where they reach, so the set is larger than need be, never smaller.
// 2. `findWrites` collects the roots of all stores, and of all pointers and references that calls,
//    constructors and inline assembly may write through.
// 3. A root is read-only if nothing written may be the same memory: distinct variables are distinct,
//    `__restrict__` parameters overlap with nothing, and element types that C++ lets no program alias do not
//    (char and structs may alias all).
//
// Memory that another function writes counts through StateWrites, where it is given. Not handled: pointers
// that are loaded from memory (a null root). Cost: linear in the function, times the definitions of each
// pointer.
#include "analysis/MemoryRoots.h"

#include "analysis/StateWrites.h"
#include "source/LocalWrites.h"

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

MemoryRoots::MemoryRoots(const source::ReachingDefinitions &definitions, std::vector<Memory> parameters,
                         const StateWrites *state)
    : definitions(definitions), parameterMemory(std::move(parameters)), state(state) {
  findWrites();
}

Roots MemoryRoots::rootsOf(const Expr *pointer) const {
  Roots roots;
  std::set<const VarDecl *> seen;
  addRoots(pointer, roots, seen);
  return roots;
}

Roots MemoryRoots::rootsOfLvalue(const Expr *lvalue) const {
  Roots roots;
  std::set<const VarDecl *> seen;
  addLvalueRoots(lvalue, roots, seen);
  return roots;
}

void MemoryRoots::addRoots(const Expr *pointer, Roots &roots, std::set<const VarDecl *> &seen) const {
  const Expr *e = pointer->IgnoreParens();
  if (auto *cast = dyn_cast<CastExpr>(e)) {
    if (cast->getCastKind() == CK_ArrayToPointerDecay)
      return addLvalueRoots(cast->getSubExpr(), roots, seen);
    return addRoots(cast->getSubExpr(), roots, seen);
  }
  if (auto *unary = dyn_cast<UnaryOperator>(e)) {
    if (unary->getOpcode() == UO_AddrOf)
      return addLvalueRoots(unary->getSubExpr(), roots, seen);
    if (unary->isIncrementDecrementOp())
      return addRoots(unary->getSubExpr(), roots, seen);
  }
  if (auto *binary = dyn_cast<BinaryOperator>(e)) {
    if (binary->isAdditiveOp())
      return addRoots(binary->getLHS()->getType()->isPointerType() ? binary->getLHS() : binary->getRHS(),
                      roots, seen);
    if (binary->isAssignmentOp() || binary->getOpcode() == BO_Comma)
      return addRoots(binary->getRHS(), roots, seen);
  }
  if (auto *choice = dyn_cast<ConditionalOperator>(e)) {
    addRoots(choice->getTrueExpr(), roots, seen);
    return addRoots(choice->getFalseExpr(), roots, seen);
  }
  auto *reference = dyn_cast<DeclRefExpr>(e);
  auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || !definitions.isTracked(variable) || definitions.addressEscapes(variable)) {
    roots.insert(nullptr);
    return;
  }
  if (!seen.insert(variable).second)
    return;
  for (const source::Definition *definition : definitions.definitionsOf(variable)) {
    using Kind = source::Definition::Kind;
    if (definition->kind == Kind::Entry)
      roots.insert(variable);
    else if (definition->kind == Kind::Opaque)
      roots.insert(nullptr);
    else if ((definition->kind == Kind::Declaration || definition->kind == Kind::Assignment) &&
             definition->value)
      addRoots(definition->value, roots, seen);
  }
}

void MemoryRoots::addLvalueRoots(const Expr *lvalue, Roots &roots, std::set<const VarDecl *> &seen) const {
  const Expr *e = lvalue->IgnoreParens();
  if (auto *cast = dyn_cast<CastExpr>(e))
    return addLvalueRoots(cast->getSubExpr(), roots, seen);
  if (auto *member = dyn_cast<MemberExpr>(e))
    return member->isArrow() ? addRoots(member->getBase(), roots, seen)
                             : addLvalueRoots(member->getBase(), roots, seen);
  if (auto *subscript = dyn_cast<ArraySubscriptExpr>(e))
    return addRoots(subscript->getBase(), roots, seen);
  if (auto *unary = dyn_cast<UnaryOperator>(e); unary && unary->getOpcode() == UO_Deref)
    return addRoots(unary->getSubExpr(), roots, seen);
  auto *reference = dyn_cast<DeclRefExpr>(e);
  auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable && variable->getType()->isReferenceType() && !isa<ParmVarDecl>(variable)) {
    if (variable->getInit() && seen.insert(variable).second)
      addLvalueRoots(variable->getInit(), roots, seen);
    return;
  }
  roots.insert(variable);
}

/// Every store that is not to a local variable, and every pointer handed to a call that may write through it.
void MemoryRoots::findWrites() {
  auto add = [&](const Roots &roots) { written.insert(roots.begin(), roots.end()); };
  const source::FlowGraph &graph = definitions.graph();
  for (unsigned block : graph.reversePostorder())
    for (const Stmt *element : graph.elements(block)) {
      if (auto *binary = dyn_cast<BinaryOperator>(element); binary && binary->isAssignmentOp())
        add(rootsOfLvalue(binary->getLHS()));
      else if (auto *unary = dyn_cast<UnaryOperator>(element); unary && unary->isIncrementDecrementOp())
        add(rootsOfLvalue(unary->getSubExpr()));
      else if (auto *call = dyn_cast<CallExpr>(element)) {
        const FunctionDecl *callee =
            call->getDirectCallee(); // for its parameters: any overrider has the same
        auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
        unsigned shift = isa<CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
        if (shift && !method->isConst())
          add(rootsOfLvalue(call->getArg(0)));
        if (auto *member = dyn_cast<CXXMemberCallExpr>(call); member && method && !method->isConst())
          if (const Expr *object = member->getImplicitObjectArgument(); object->isGLValue())
            add(rootsOfLvalue(object));
        for (unsigned i = shift; i < call->getNumArgs(); ++i) {
          QualType type = callee && i - shift < callee->getNumParams()
                              ? callee->getParamDecl(i - shift)->getType()
                              : call->getArg(i)->getType();
          if (type->isPointerType() && !type->getPointeeType().isConstQualified())
            add(rootsOf(call->getArg(i)));
          else if (type->isReferenceType() && !type->getPointeeType().isConstQualified())
            add(rootsOfLvalue(call->getArg(i)));
        }
      } else if (auto *construction = dyn_cast<CXXConstructExpr>(element)) {
        const CXXConstructorDecl *constructor = construction->getConstructor();
        for (unsigned i = 0; i < construction->getNumArgs() && i < constructor->getNumParams(); ++i) {
          QualType type = constructor->getParamDecl(i)->getType();
          if (type->isPointerType() && !type->getPointeeType().isConstQualified())
            add(rootsOf(construction->getArg(i)));
          else if (type->isReferenceType() && !type->getPointeeType().isConstQualified())
            add(rootsOfLvalue(construction->getArg(i)));
        }
      } else if (auto *assembly = dyn_cast<GCCAsmStmt>(element)) {
        for (unsigned i = 0; i < assembly->getNumInputs(); ++i)
          if (const Expr *input = assembly->getInputExpr(i); input->getType()->isPointerType())
            add(rootsOf(input));
      }
    }
}

Memory MemoryRoots::memoryOf(const Roots &roots) const {
  if (roots.empty())
    return Memory::Unknown;
  Memory result = memoryOf(*roots.begin());
  for (const VarDecl *root : roots)
    if (memoryOf(root) != result)
      return Memory::Unknown;
  return result;
}

Memory MemoryRoots::memoryOf(const VarDecl *root) const {
  if (!root)
    return Memory::Unknown;
  if (root->hasAttr<CUDASharedAttr>())
    return Memory::Shared;
  if (root->hasAttr<CUDAConstantAttr>() || root->isConstexpr())
    return Memory::ReadOnly;
  auto *parameter = dyn_cast<ParmVarDecl>(root);
  if (parameter && (parameter->getType()->isPointerType() || parameter->getType()->isReferenceType())) {
    unsigned index = parameter->getFunctionScopeIndex();
    if (index < parameterMemory.size())
      return parameterMemory[index];
    return mayBeWritten(root) ? Memory::Written : Memory::ReadOnly;
  }
  if (definitions.isTracked(root))
    return Memory::Local;
  if (root->getType().isConstQualified())
    return Memory::ReadOnly;
  return mayBeWritten(root) ? Memory::Written : Memory::ReadOnly;
}

static bool isRestrictParameter(const VarDecl *variable) {
  return isa<ParmVarDecl>(variable) && variable->getType().isRestrictQualified();
}

/// The type of what is stored there, for strict aliasing: two arrays of different element types are not the
/// same.
static QualType elementType(const VarDecl *variable) {
  QualType type = variable->getType();
  if (type->isPointerType() || type->isReferenceType())
    type = type->getPointeeType();
  while (const ArrayType *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType();
  return type.getCanonicalType().getUnqualifiedType();
}

bool MemoryRoots::mayBeWritten(const VarDecl *root) const {
  if (isRestrictParameter(root) && root->getType()->getPointeeType().isConstQualified())
    return false;
  if (state && (state->isUnknown || state->variables.contains(root->getCanonicalDecl())))
    return true;
  return std::any_of(written.begin(), written.end(), [&](const VarDecl *other) {
    if (!other || other == root)
      return true;
    if (other->hasAttr<CUDASharedAttr>() ||
        (definitions.isTracked(other) && !other->getType()->isPointerType()))
      return false;
    bool bothVariables = !isa<ParmVarDecl>(other) && !isa<ParmVarDecl>(root);
    if (bothVariables || isRestrictParameter(root) || isRestrictParameter(other))
      return false;
    QualType a = elementType(root), b = elementType(other);
    return a == b || a->isCharType() || b->isCharType() || a->isRecordType() || b->isRecordType();
  });
}

} // namespace heddle::analysis

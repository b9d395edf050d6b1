// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where local variables are written, seen from both ends: what an expression writes (appendDefinitions), and
// what a mention of a variable does to it (mentionOf). The two must agree: a mention that some expression
// writes to in a way that appendDefinitions does not see has to count as an escape, else the write would be
// lost. That is why mentionOf keeps `indirect`, set as soon as it climbs through something that localPlace
// does not look through.
#include "source/LocalWrites.h"

#include <llvm/ADT/DenseMap.h>

using namespace clang;

namespace heddle::source {

bool isThreadLocal(const ValueDecl *declaration) {
  auto *variable = dyn_cast_or_null<VarDecl>(declaration);
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
         !variable->hasAttr<CUDASharedAttr>();
}

namespace {

bool isArray(const Expr *e) { return e->getType()->isArrayType(); }

/// `a` of an `a` that decays to a pointer where it is; null for a pointer of its own.
const Expr *decayedArray(const Expr *e) {
  e = e->IgnoreParenImpCasts();
  return isArray(e) ? e : nullptr;
}

} // namespace

std::optional<LocalPlace> localPlace(const Expr *lvalue) {
  LocalPlace place;
  const Expr *e = lvalue;
  while (e) {
    e = e->IgnoreParens();
    if (auto *cast = dyn_cast<CastExpr>(e)) {
      switch (cast->getCastKind()) {
      case CK_LValueBitCast: place.isWhole = false; [[fallthrough]];
      case CK_NoOp:
      case CK_DerivedToBase:
      case CK_UncheckedDerivedToBase: e = cast->getSubExpr(); continue;
      default: return std::nullopt;
      }
    }
    if (auto *member = dyn_cast<MemberExpr>(e)) {
      auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
      if (!field || member->isArrow())
        return std::nullopt;
      if (place.field || field->isBitField())
        place.isWhole = false;
      place.field = field;
      e = member->getBase();
      continue;
    }
    if (auto *element = dyn_cast<ExtVectorElementExpr>(e); element && !element->isArrow()) {
      place.isWhole = false;
      e = element->getBase();
      continue;
    }
    const Expr *array = nullptr;
    if (auto *subscript = dyn_cast<ArraySubscriptExpr>(e))
      array = decayedArray(subscript->getBase());
    else if (auto *unary = dyn_cast<UnaryOperator>(e); unary && unary->getOpcode() == UO_Deref)
      array = decayedArray(unary->getSubExpr());
    if (array) {
      place.isWhole = false;
      place.field = nullptr;
      e = array;
      continue;
    }
    break;
  }
  auto *reference = dyn_cast_or_null<DeclRefExpr>(e);
  if (!reference)
    return std::nullopt;
  const ValueDecl *declaration = reference->getDecl();
  if (auto *binding = dyn_cast<BindingDecl>(declaration)) {
    declaration = binding->getDecomposedDecl();
    place.field = nullptr;
    place.isWhole = false;
  }
  if (!isThreadLocal(declaration))
    return std::nullopt;
  place.reference = reference;
  place.variable = cast<VarDecl>(declaration);
  return place;
}

std::optional<LocalPlace> localPointee(const Expr *pointer) {
  for (const Expr *e = pointer->IgnoreParens();;) {
    if (auto *cast = dyn_cast<CastExpr>(e)) {
      if (cast->getCastKind() == CK_ArrayToPointerDecay) {
        std::optional<LocalPlace> place = localPlace(cast->getSubExpr());
        if (place)
          place->isWhole = false;
        return place;
      }
      e = cast->getSubExpr()->IgnoreParens();
      if (!e->getType()->isPointerType() && !isArray(e))
        return std::nullopt;
      continue;
    }
    if (auto *unary = dyn_cast<UnaryOperator>(e); unary && unary->getOpcode() == UO_AddrOf)
      return localPlace(unary->getSubExpr());
    auto *sum = dyn_cast<BinaryOperator>(e);
    if (!sum || !sum->isAdditiveOp())
      return std::nullopt;
    e = (sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS())->IgnoreParens();
    if (!e->getType()->isPointerType())
      return std::nullopt;
  }
}

namespace {

bool pointsToConst(QualType type) {
  return type->isPointerType() && type->getPointeeType().isConstQualified();
}

/// Whether a lambda may write a variable it holds by reference.
bool lambdaMayWrite(const LambdaExpr *lambda, const ValueDecl *variable) {
  llvm::DenseMap<const Stmt *, const Stmt *> parents;
  std::vector<const DeclRefExpr *> mentions;
  bool nested = false;
  forEachEvaluated(lambda->getBody(), [&](const Stmt *statement) {
    for (const Stmt *child : evaluatedChildren(statement))
      parents[child] = statement;
    if (auto *reference = dyn_cast<DeclRefExpr>(statement); reference && reference->getDecl() == variable)
      mentions.push_back(reference);
    nested |= isa<LambdaExpr>(statement);
    return true;
  });
  if (nested)
    return true;
  for (const DeclRefExpr *reference : mentions)
    if (mentionOf(reference, [&](const Stmt *s) { return parents.lookup(s); }) != Mention::Read)
      return true;
  return false;
}

/// The object has a member that may go on pointing to what its constructor is given.
bool keepsAddress(const CXXRecordDecl *record) {
  auto keeps = [](QualType type) {
    if (type->isPointerType() || type->isReferenceType())
      return true;
    const CXXRecordDecl *inner = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return inner && keepsAddress(inner);
  };
  if (!record->hasDefinition())
    return true;
  return llvm::any_of(record->fields(), [&](const FieldDecl *field) { return keeps(field->getType()); }) ||
         llvm::any_of(record->bases(), [&](const CXXBaseSpecifier &base) { return keeps(base.getType()); });
}
bool keepsAddress(const CXXConstructExpr *construction) {
  return !construction->getConstructor()->isCopyOrMoveConstructor() &&
         keepsAddress(construction->getConstructor()->getParent());
}

/// How far calls are looked into for what becomes of an address.
constexpr unsigned deepestWrite = 4;

bool keepsAddress(const CallExpr *call, const Expr *argument, bool isUsed, unsigned depth);

/// The value of the expression is not used.
bool isDropped(const Stmt *parent) {
  return !parent || isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt, CaseStmt, DefaultStmt,
                        LabelStmt, AttributedStmt>(parent);
}

/// What is returned leads to something that can be written.
bool leadsOut(QualType result) {
  return (result->isPointerType() || result->isReferenceType()) &&
         !result->getPointeeType().isConstQualified();
}

/// Climbs from a mention of a variable to what is done with it.
class MentionClimber {
public:
  MentionClimber(const DeclRefExpr *reference, const ParentOf &parentOf, unsigned depth)
      : reference(reference), parentOf(parentOf), at(reference), depth(depth) {}
  /// From a pointer to the variable, whatever it came from.
  MentionClimber(const Expr *pointer, const DeclRefExpr *reference, const ParentOf &parentOf, unsigned depth)
      : reference(reference), parentOf(parentOf), at(pointer), isPointer(true), depth(depth) {}

  Mention climb() {
    for (;;) {
      const Stmt *up = parentOf(at);
      if (!up)
        return Mention::Read;
      std::optional<Mention> verdict = isPointer ? stepAsPointer(up) : stepAsLvalue(up);
      if (verdict)
        return *verdict;
      at = up;
    }
  }

private:
  std::optional<Mention> written(Mention how) const { return indirect ? Mention::Escapes : how; }

  /// `at` represents (a part of) the variable itself. Nothing: go on climbing.
  std::optional<Mention> stepAsLvalue(const Stmt *up) {
    if (isa<ParenExpr, ExprWithCleanups, ConstantExpr, ExtVectorElementExpr, SubstNonTypeTemplateParmExpr>(
            up))
      return std::nullopt;
    if (auto *member = dyn_cast<MemberExpr>(up)) {
      if (isa<FieldDecl>(member->getMemberDecl()))
        return std::nullopt;
      auto *method = dyn_cast<CXXMethodDecl>(member->getMemberDecl());
      if (!method || method->isConst() || method->isStatic())
        return Mention::Read;
      return resultEscapes(parentOf(member), method) ? Mention::Escapes : written(Mention::ReadWritten);
    }
    if (isa<ArraySubscriptExpr>(up))
      return std::nullopt;
    if (auto *cast = dyn_cast<CastExpr>(up))
      return stepThroughCast(cast);
    if (auto *unary = dyn_cast<UnaryOperator>(up)) {
      if (unary->isIncrementDecrementOp())
        return written(Mention::ReadWritten);
      isPointer = unary->getOpcode() == UO_AddrOf;
      return isPointer ? std::nullopt : std::optional(Mention::Read);
    }
    if (auto *binary = dyn_cast<BinaryOperator>(up)) {
      if (binary->getOpcode() == BO_Comma)
        return goOnFrom(binary->getRHS() == at);
      if (!binary->isAssignmentOp() || binary->getLHS() != at)
        return Mention::Read;
      return written(binary->isCompoundAssignmentOp() ? Mention::ReadWritten : Mention::Written);
    }
    if (isa<ConditionalOperator>(up)) {
      indirect = true;
      return goOnFrom(cast<Expr>(up)->isGLValue());
    }
    if (auto *assign = dyn_cast<CXXOperatorCallExpr>(up);
        assign && assign->getOperator() == OO_Equal && assign->getArg(0) == at)
      return written(Mention::Written);
    if (auto *construction = dyn_cast<CXXConstructExpr>(up); construction && keepsAddress(construction))
      return Mention::Escapes;
    if (auto *call = dyn_cast<CallExpr>(up); call && callKeeps(call))
      return Mention::Escapes;
    if (isa<CallExpr, CXXConstructExpr, GCCAsmStmt>(up))
      return written(Mention::ReadWritten); // appendDefinitions looks at the parameter's type
    if (auto *lambda = dyn_cast<LambdaExpr>(up))
      return lambdaMayWrite(lambda, reference->getDecl()) ? Mention::Escapes : Mention::Read;
    if (auto *declaration = dyn_cast<DeclStmt>(up))
      return bindsWritable(declaration) ? Mention::Escapes : Mention::Read;
    if (isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt, CaseStmt, DefaultStmt, LabelStmt,
            AttributedStmt>(up))
      return Mention::Read; // its value is dropped
    return Mention::Escapes;
  }

  std::optional<Mention> stepThroughCast(const CastExpr *cast) {
    switch (cast->getCastKind()) {
    case CK_LValueToRValue:
    case CK_ToVoid: return Mention::Read;
    case CK_ArrayToPointerDecay: isPointer = true; return std::nullopt;
    case CK_NoOp:
      if (cast->getType().isConstQualified())
        return Mention::Read;
      return std::nullopt;
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
    case CK_LValueBitCast: return std::nullopt;
    default: return Mention::Escapes;
    }
  }

  /// `at` is a pointer into the variable.
  std::optional<Mention> stepAsPointer(const Stmt *up) {
    auto *pointer = cast<Expr>(at);
    if (isa<ParenExpr, ExprWithCleanups, ConstantExpr>(up))
      return std::nullopt;
    if (auto *cast = dyn_cast<CastExpr>(up)) {
      indirect |= cast->getCastKind() != CK_NoOp;
      return goOnFrom(cast->getType()->isPointerType());
    }
    if (auto *subscript = dyn_cast<ArraySubscriptExpr>(up))
      return backToLvalue(subscript->getBase() == at);
    if (auto *unary = dyn_cast<UnaryOperator>(up))
      return backToLvalue(unary->getOpcode() == UO_Deref);
    if (auto *member = dyn_cast<MemberExpr>(up)) {
      indirect = true;
      if (!isa<FieldDecl>(member->getMemberDecl()))
        return Mention::Escapes;
      return backToLvalue(true);
    }
    if (auto *binary = dyn_cast<BinaryOperator>(up)) {
      indirect = true;
      if (binary->isAdditiveOp())
        return goOnFrom(binary->getType()->isPointerType());
      if (binary->isComparisonOp() || binary->isLogicalOp())
        return Mention::Read;
    }
    if (auto *construction = dyn_cast<CXXConstructExpr>(up);
        construction && keepsAddress(construction) && !pointsToConst(pointer->getType()))
      return Mention::Escapes;
    if (auto *call = dyn_cast<CallExpr>(up); call && !pointsToConst(pointer->getType()) && callKeeps(call))
      return Mention::Escapes;
    if (isa<CallExpr, CXXConstructExpr>(up))
      return pointsToConst(pointer->getType()) ? Mention::Read : Mention::ReadWritten;
    if (depth > 0 && isDropped(up))
      return Mention::Read;
    return pointsToConst(pointer->getType()) ? Mention::Read : Mention::Escapes;
  }

  std::optional<Mention> backToLvalue(bool really) {
    isPointer = false;
    return goOnFrom(really);
  }
  static std::optional<Mention> goOnFrom(bool yes) {
    return yes ? std::nullopt : std::optional(Mention::Read);
  }

  bool callKeeps(const CallExpr *call) const {
    auto *method =
        isa<CXXOperatorCallExpr>(call) ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
    if (method && method->isInstance() && call->getArg(0) == at) // `v[i]`, of which a reference is kept
      return !method->isConst() && resultEscapes(call, method);
    return keepsAddress(call, cast<Expr>(at), !isDropped(parentOf(call)), depth);
  }

  /// A method gives out a pointer or reference to its object, or to a part of it, and that goes somewhere:
  /// `float &first = v[0];`
  bool resultEscapes(const Stmt *call, const CXXMethodDecl *method) const {
    auto *value = dyn_cast_or_null<CallExpr>(call);
    if (!value || !leadsOut(method->getReturnType()) || isDropped(parentOf(call)))
      return false;
    MentionClimber further = *this;
    further.at = value;
    further.isPointer = method->getReturnType()->isPointerType();
    return further.climb() == Mention::Escapes;
  }

  bool bindsWritable(const DeclStmt *statement) const {
    for (const Decl *declaration : statement->decls())
      if (auto *variable = dyn_cast<VarDecl>(declaration); variable && variable->getInit() == at)
        return variable->getType()->isReferenceType() &&
               !variable->getType().getNonReferenceType().isConstQualified();
    return false;
  }

  const DeclRefExpr *reference;
  const ParentOf &parentOf;
  const Stmt *at;
  bool isPointer = false;
  bool indirect = false;
  unsigned depth = 0; ///< calls that were looked into on the way here
};

/// A mention of a pointer parameter: whether the pointer itself goes somewhere.
bool pointerEscapes(const DeclRefExpr *mention, const ParentOf &parentOf, unsigned depth) {
  const Stmt *up = parentOf(mention);
  while (up && isa<ParenExpr>(up))
    up = parentOf(up);
  if (auto *cast = dyn_cast_or_null<CastExpr>(up); cast && cast->getCastKind() == CK_LValueToRValue)
    return MentionClimber(cast, mention, parentOf, depth).climb() == Mention::Escapes;
  if (auto *unary = dyn_cast_or_null<UnaryOperator>(up); unary && unary->isIncrementDecrementOp())
    return MentionClimber(unary, mention, parentOf, depth).climb() == Mention::Escapes;
  auto *binary = dyn_cast_or_null<BinaryOperator>(up); // `p = q`, `p += 4`
  const bool isTarget = binary && binary->isAssignmentOp() && binary->getLHS()->IgnoreParens() == mention;
  return up && !(isTarget && isDropped(parentOf(binary)));
}

/// After the call, something may still lead to what the argument points or refers to: the function returned
/// it, or stored it somewhere. Functions of libraries keep nothing but what they return.
bool keepsAddress(const CallExpr *call, const Expr *argument, bool isUsed, unsigned depth) {
  const FunctionDecl *callee = call->getDirectCallee(), *definition = nullptr;
  if (!callee)
    return true;
  auto *method = dyn_cast<CXXMethodDecl>(callee);
  const unsigned shift = isa<CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
  const auto given = llvm::find(call->arguments(), argument);
  if (given == call->arg_end())
    return false; // the object, or what is called
  const unsigned number = unsigned(given - call->arg_begin()) - shift;
  const SourceManager &sources = callee->getASTContext().getSourceManager();
  if (!callee->hasBody(definition) || sources.isInSystemHeader(definition->getLocation()))
    return isUsed && callee->getReturnType()->isPointerType() && leadsOut(callee->getReturnType());
  if (number >= definition->getNumParams())
    return true; // a variable number of arguments
  const ParmVarDecl *parameter = definition->getParamDecl(number);
  const bool isReference = parameter->getType()->isReferenceType();
  if (!isReference && !parameter->getType()->isPointerType())
    return false;
  if (parameter->getType()->getPointeeType().isConstQualified())
    return false;
  if (depth >= deepestWrite)
    return true;
  llvm::DenseMap<const Stmt *, const Stmt *> parents;
  std::vector<const DeclRefExpr *> mentions;
  forEachEvaluated(definition->getBody(), [&](const Stmt *statement) {
    for (const Stmt *child : evaluatedChildren(statement))
      parents[child] = statement;
    if (auto *reference = dyn_cast<DeclRefExpr>(statement); reference && reference->getDecl() == parameter)
      mentions.push_back(reference);
    return true;
  });
  const ParentOf parentOf = [&](const Stmt *s) { return parents.lookup(s); };
  return llvm::any_of(mentions, [&](const DeclRefExpr *mention) {
    return isReference ? MentionClimber(mention, parentOf, depth + 1).climb() == Mention::Escapes
                       : pointerEscapes(mention, parentOf, depth + 1);
  });
}

} // namespace

Mention mentionOf(const DeclRefExpr *reference, const ParentOf &parentOf) {
  return MentionClimber(reference, parentOf, 0).climb();
}

namespace {

void append(std::vector<Definition> &list, Definition::Kind kind, const LocalPlace &place,
            const Stmt *statement, const Expr *target, const Expr *value) {
  Definition definition;
  definition.kind = kind;
  definition.variable = place.variable;
  definition.field = place.field;
  definition.statement = statement;
  definition.value = value;
  definition.target = target;
  definition.mayKeepOld = !place.isWhole || kind == Definition::Kind::Opaque;
  list.push_back(definition);
}

void appendDeclarations(const DeclStmt *statement, std::vector<Definition> &list) {
  for (const Decl *declaration : statement->decls()) {
    auto *variable = dyn_cast<VarDecl>(declaration);
    if (!isThreadLocal(variable))
      continue;
    Definition definition;
    definition.kind = variable->getInit() ? Definition::Kind::Declaration : Definition::Kind::Uninitialized;
    definition.variable = variable;
    definition.statement = statement;
    definition.value = variable->getInit();
    list.push_back(definition);
  }
}

/// A parameter of a call that lets the callee write what is handed in. `type` is null for the `...` of
/// printf.
bool mayWriteThrough(QualType type) {
  if (type.isNull())
    return false;
  if (type->isReferenceType())
    return !type->getPointeeType().isConstQualified();
  return type->isPointerType() && !type->getPointeeType().isConstQualified();
}

void appendArgument(const Stmt *call, const Expr *argument, QualType parameter,
                    std::vector<Definition> &list) {
  if (!mayWriteThrough(parameter))
    return;
  std::optional<LocalPlace> place =
      parameter->isReferenceType() ? localPlace(argument) : localPointee(argument);
  if (place)
    append(list, Definition::Kind::Opaque, *place, call, argument, nullptr);
}

QualType parameterType(const FunctionDecl *callee, unsigned index) {
  return callee && index < callee->getNumParams() ? callee->getParamDecl(index)->getType() : QualType();
}

void appendCall(const CallExpr *call, std::vector<Definition> &list) {
  const FunctionDecl *callee = call->getDirectCallee();
  auto *operatorCall = dyn_cast<CXXOperatorCallExpr>(call);
  auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
  bool objectIsArgument = operatorCall && method && method->isInstance();
  if (operatorCall && operatorCall->getOperator() == OO_Equal && objectIsArgument)
    if (std::optional<LocalPlace> place = localPlace(call->getArg(0)))
      return append(list, Definition::Kind::Assignment, *place, call, call->getArg(0), call->getArg(1));
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    const Expr *argument = call->getArg(i);
    if (objectIsArgument && i == 0) {
      if (std::optional<LocalPlace> place = localPlace(argument); place && !method->isConst())
        append(list, Definition::Kind::Opaque, *place, call, argument, nullptr);
      continue;
    }
    appendArgument(call, argument, parameterType(callee, objectIsArgument ? i - 1 : i), list);
  }
  if (auto *memberCall = dyn_cast<CXXMemberCallExpr>(call); memberCall && method && !method->isConst())
    if (std::optional<LocalPlace> place = localPlace(memberCall->getImplicitObjectArgument()))
      append(list, Definition::Kind::Opaque, *place, call, memberCall->getImplicitObjectArgument(), nullptr);
}

void appendAssembly(const GCCAsmStmt *assembly, std::vector<Definition> &list) {
  for (unsigned i = 0; i < assembly->getNumOutputs(); ++i)
    if (std::optional<LocalPlace> place = localPlace(assembly->getOutputExpr(i)))
      append(list, Definition::Kind::Opaque, *place, assembly, assembly->getOutputExpr(i), nullptr);
}

} // namespace

bool isChanged(const DeclRefExpr *reference, const FlowGraph &graph) {
  return mentionOf(reference, [&](const Stmt *statement) { return graph.parent(statement); }) !=
         Mention::Read;
}

void appendDefinitions(const Stmt *element, std::vector<Definition> &list) {
  if (auto *declarations = dyn_cast<DeclStmt>(element))
    return appendDeclarations(declarations, list);
  if (auto *binary = dyn_cast<BinaryOperator>(element)) {
    if (!binary->isAssignmentOp())
      return;
    if (std::optional<LocalPlace> place = localPlace(binary->getLHS()))
      append(list,
             binary->isCompoundAssignmentOp() ? Definition::Kind::Compound : Definition::Kind::Assignment,
             *place, binary, binary->getLHS(), binary->getRHS());
    return;
  }
  if (auto *unary = dyn_cast<UnaryOperator>(element); unary && unary->isIncrementDecrementOp()) {
    if (std::optional<LocalPlace> place = localPlace(unary->getSubExpr()))
      append(list, Definition::Kind::Increment, *place, unary, unary->getSubExpr(), nullptr);
    return;
  }
  if (auto *call = dyn_cast<CallExpr>(element))
    return appendCall(call, list);
  if (auto *construct = dyn_cast<CXXConstructExpr>(element)) {
    for (unsigned i = 0; i < construct->getNumArgs(); ++i)
      appendArgument(construct, construct->getArg(i), parameterType(construct->getConstructor(), i), list);
    return;
  }
  if (auto *assembly = dyn_cast<GCCAsmStmt>(element))
    appendAssembly(assembly, list);
}

} // namespace heddle::source

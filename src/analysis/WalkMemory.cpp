// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lvalues, arrays and accesses in the symbolic walk.
#include "analysis/SymbolicWalk.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecordLayout.h>

using namespace clang;

namespace heddle::analysis {
namespace {

void describeElement(Array &array, QualType type, const ASTContext &context) {
  while (const auto *dimension = context.getAsConstantArrayType(type)) {
    array.extents.push_back(int64_t(dimension->getZExtSize()));
    type = dimension->getElementType();
  }
  if (const auto *open = context.getAsIncompleteArrayType(type))
    type = open->getElementType();
  array.elementType = type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
  array.elementBytes = type->isIncompleteType() || type->isDependentType()
                           ? 0
                           : context.getTypeSizeInChars(type).getQuantity();
}

Array::Space spaceOf(const VarDecl *variable) {
  if (variable->hasAttr<CUDASharedAttr>())
    return Array::Space::Shared;
  if (variable->hasAttr<CUDAConstantAttr>() ||
      (variable->hasGlobalStorage() && variable->getType().isConstQualified()))
    return Array::Space::Constant;
  return variable->hasGlobalStorage() ? Array::Space::Global : Array::Space::Local;
}

} // namespace

int64_t SymbolicWalk::sizeOf(QualType type) const {
  if (type.isNull() || type->isIncompleteType() || type->isDependentType() || type->isFunctionType())
    return 0;
  return context.getTypeSizeInChars(type.getNonReferenceType()).getQuantity();
}

const Array *SymbolicWalk::arrayOf(const VarDecl *variable) {
  variable = variable->getCanonicalDecl();
  if (auto at = variableArrays.find(variable); at != variableArrays.end())
    return at->second;
  Array array;
  array.space = spaceOf(variable);
  array.name = variable->getNameAsString();
  array.decl = variable;
  array.isReadOnly = array.space == Array::Space::Constant;
  array.isDynamic = array.space == Array::Space::Shared && variable->hasExternalStorage();
  if (array.isDynamic) // every `extern __shared__` of a kernel is the same memory
    if (auto at = namedArrays.find("dynamic shared"); at != namedArrays.end())
      return variableArrays[variable] = at->second;
  describeElement(array, variable->getType(), context);
  result.arrayList.push_back(std::make_unique<Array>(std::move(array)));
  const Array *made = result.arrayList.back().get();
  if (made->isDynamic)
    namedArrays["dynamic shared"] = made;
  return variableArrays[variable] = made;
}

const Array *SymbolicWalk::pointerArray(const VarDecl *variable, const std::string &path, QualType type) {
  std::string name = variable->getNameAsString() + path;
  const Array *&known = namedArrays["parameter " + name];
  if (known)
    return known;
  Array array;
  array.space = Array::Space::Global;
  array.name = name;
  array.decl = variable;
  array.isParameter = true;
  if (path.empty())
    array.parameter = cast<ParmVarDecl>(variable)->getFunctionScopeIndex();
  array.apart = result.facts.pointers;
  array.isReadOnly = type->getPointeeType().isConstQualified();
  // A pointer that was read has lost its own qualifiers; the parameter's declaration has them.
  array.isRestrict =
      type.isRestrictQualified() || (path.empty() && variable->getType().isRestrictQualified());
  describeElement(array, type->getPointeeType(), context);
  result.arrayList.push_back(std::make_unique<Array>(std::move(array)));
  return known = result.arrayList.back().get();
}

const Array *SymbolicWalk::unknownArray(const std::string &reason, Array::Space space) {
  const Array *&known = namedArrays[fmt::format("unknown {} {}", nameOf(space), reason)];
  if (!known) {
    Array array;
    array.space = space;
    array.name = reason;
    result.arrayList.push_back(std::make_unique<Array>(std::move(array)));
    known = result.arrayList.back().get();
  }
  return known;
}

// --- Finding what an lvalue names
// ------------------------------------------------------------------------------

LValue SymbolicWalk::locate(const Expr *expression) {
  expression = expression->IgnoreParens();
  if (const auto *cast = dyn_cast<CastExpr>(expression)) {
    switch (cast->getCastKind()) {
    case CK_NoOp:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
    case CK_AddressSpaceConversion:
    case CK_LValueBitCast: {
      LValue inner = locate(cast->getSubExpr());
      if (cast->getCastKind() == CK_LValueBitCast && inner.kind == LValue::Kind::Memory) {
        inner.memory.outer.clear();
        inner.memory.inner = Affine::not_("seen as another type", placeOf(expression));
      }
      return inner;
    }
    default: evaluate(expression); return {};
    }
  }
  switch (expression->getStmtClass()) {
  case Stmt::DeclRefExprClass: {
    const auto *variable = dyn_cast<VarDecl>(cast<DeclRefExpr>(expression)->getDecl());
    return variable ? locateVariable(variable, expression) : LValue{};
  }
  case Stmt::MemberExprClass: return locateMember(cast<MemberExpr>(expression));
  case Stmt::ArraySubscriptExprClass: {
    const auto *subscript = cast<ArraySubscriptExpr>(expression);
    Value base = evaluate(subscript->getBase());
    Value index = evaluate(subscript->getIdx());
    if (!base.pointer)
      return pointedAt(base, expression);
    return pointedAt(moved(*base.pointer, index.integer, placeOf(subscript->getIdx())), expression);
  }
  case Stmt::UnaryOperatorClass: {
    const auto *unary = cast<UnaryOperator>(expression);
    if (unary->getOpcode() == UO_Deref)
      return pointedAt(evaluate(unary->getSubExpr()), expression);
    if (unary->isIncrementDecrementOp()) {
      evaluate(unary);
      return locate(unary->getSubExpr());
    }
    if (unary->getOpcode() == UO_Extension)
      return locate(unary->getSubExpr());
    return {};
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: {
    const auto *binary = cast<BinaryOperator>(expression);
    evaluate(binary);
    bool wasSilent = std::exchange(silent, true);
    LValue target = locate(binary->isCommaOp() ? binary->getRHS() : binary->getLHS());
    silent = wasSilent;
    return target;
  }
  case Stmt::ExprWithCleanupsClass: return locate(cast<ExprWithCleanups>(expression)->getSubExpr());
  case Stmt::MaterializeTemporaryExprClass: {
    const Expr *inner = cast<MaterializeTemporaryExpr>(expression)->getSubExpr();
    evaluate(inner);
    return {};
  }
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass: {
    evaluateCall(cast<CallExpr>(expression));
    if (auto place = std::exchange(frames.back().returnedPlace, std::nullopt))
      return *place;
    return {};
  }
  case Stmt::ConditionalOperatorClass: {
    const auto *choice = cast<ConditionalOperator>(expression);
    Condition decision = evaluateCondition(choice->getCond());
    LValue yes = locate(choice->getTrueExpr()), no = locate(choice->getFalseExpr());
    if (decision.isAlways(true))
      return yes;
    if (decision.isAlways(false))
      return no;
    return {};
  }
  default: evaluateChildren(expression, "not followed"); return {};
  }
}

LValue SymbolicWalk::locateVariable(const VarDecl *variable, const Expr *expression) {
  if (variable->getType()->isReferenceType()) {
    auto at = now.references.find(variable);
    return at == now.references.end() ? LValue{} : at->second;
  }
  QualType type = variable->getType();
  if (!variable->hasGlobalStorage() && !type->isArrayType())
    return {.kind = LValue::Kind::Variable, .variable = variable, .expression = expression};
  return {.kind = LValue::Kind::Memory,
          .memory = {.array = arrayOf(variable), .pointee = type},
          .expression = expression};
}

LValue SymbolicWalk::locateMember(const MemberExpr *expression) {
  const auto *field = dyn_cast<FieldDecl>(expression->getMemberDecl());
  if (!field) {
    if (const auto *variable = dyn_cast<VarDecl>(expression->getMemberDecl())) // a static member
      return locateVariable(variable, expression);
    evaluateChildren(expression, "a member function");
    return {};
  }
  LValue base = expression->isArrow() ? pointedAt(evaluate(expression->getBase()), expression)
                                      : locate(expression->getBase());
  if (base.kind == LValue::Kind::Variable) {
    base.path += "." + field->getNameAsString();
    return base;
  }
  if (base.kind == LValue::Kind::Memory) {
    const RecordDecl *record = field->getParent();
    int64_t offset =
        record->isInvalidDecl() || field->isBitField()
            ? 0
            : int64_t(context.getASTRecordLayout(record).getFieldOffset(field->getFieldIndex()) / 8);
    base.memory.offset = add(base.memory.offset, Affine(offset), placeOf(expression));
    base.memory.pointee = field->getType();
  }
  return base;
}

LValue SymbolicWalk::pointedAt(const Value &pointer, const Expr *expression) {
  if (!pointer.pointer) {
    Place place = placeOf(expression);
    PointerValue anywhere{
        .array = unknownArray(pointer.integer ? "computed address" : pointer.integer.why().str()),
        .offset = Affine::not_("the pointer is not known", place),
        .inner = Affine::not_("the pointer is not known", place),
        .pointee = expression->getType()};
    return {.kind = LValue::Kind::Memory, .memory = anywhere, .expression = expression};
  }
  if (pointer.pointer->scalar)
    return {.kind = LValue::Kind::Variable, .variable = pointer.pointer->scalar, .expression = expression};
  LValue place{.kind = LValue::Kind::Memory, .memory = *pointer.pointer, .expression = expression};
  place.memory.outer.push_back(place.memory.inner);
  place.memory.inner = 0;
  return place;
}

Value SymbolicWalk::moved(const PointerValue &pointer, const Affine &elements, const Place &place) {
  PointerValue there = pointer;
  if (there.scalar)
    return {Affine::not_("a pointer", place), there, nullptr};
  there.inner = add(pointer.inner, elements, place);
  there.offset = add(pointer.offset, multiply(elements, Affine(sizeOf(pointer.pointee)), place), place);
  return {Affine::not_("a pointer", place), there, nullptr};
}

Value SymbolicWalk::addressOf(const LValue &lvalue, QualType type) {
  Place place = lvalue.expression ? placeOf(lvalue.expression) : Place{};
  if (lvalue.kind == LValue::Kind::Variable) {
    PointerValue pointer{.array = nullptr, .pointee = type, .scalar = lvalue.variable};
    return {Affine::not_("a pointer", place), pointer, nullptr};
  }
  if (lvalue.kind == LValue::Kind::Unknown)
    return Value::unknown("address of something not followed", place);
  PointerValue pointer = lvalue.memory;
  // `&a[i]`: the last subscript is open again. The decay of `a[i]` to a row opens a new one.
  if (!pointer.outer.empty() && context.hasSameUnqualifiedType(pointer.pointee, type)) {
    pointer.inner = pointer.outer.back();
    pointer.outer.pop_back();
  }
  pointer.pointee = type;
  return {Affine::not_("a pointer", place), pointer, nullptr};
}

// --- Loads and stores
// ------------------------------------------------------------------------------------------

Value SymbolicWalk::initialValue(const VarDecl *variable, const std::string &path, QualType type) {
  const bool isKernelParameter = isa<ParmVarDecl>(variable) && variable->getDeclContext() == kernel.function;
  std::string name = variable->getNameAsString() + path;
  if (!isKernelParameter) {
    if (now.has({variable, ""}) && !path.empty())
      return Value::unknown(fmt::format("'{}' is not followed", name), placeOf(statementNow));
    return Value::unknown(fmt::format("'{}' has no known value", name), placeOf(statementNow));
  }
  if (type->isPointerType()) {
    PointerValue pointer{.array = pointerArray(variable, path, type), .pointee = type->getPointeeType()};
    return {Affine::not_("a pointer", {}), pointer, nullptr};
  }
  if (type->isBooleanType())
    return {Affine::not_("a truth value", {}), std::nullopt,
            std::make_shared<Condition>(
                Condition::compare(Polynomial(symbols.parameter(name, true)), "!=", Polynomial()))};
  if (type->isIntegralOrEnumerationType())
    return {Polynomial(symbols.parameter(name, type->isUnsignedIntegerType())), std::nullopt, nullptr};
  return Value::unknown("not a whole number", {});
}

Value SymbolicWalk::load(const LValue &from, QualType type, const Expr *expression) {
  if (from.kind == LValue::Kind::Variable) {
    const Value *value = now.find({from.variable, from.path});
    return value ? *value : initialValue(from.variable, from.path, type);
  }
  Place place = placeOf(expression);
  if (from.kind == LValue::Kind::Unknown)
    return Value::unknown("not followed", place);
  record(Access::Kind::Read, from, type, expression);
  const PointerValue &where = from.memory;
  if (type->isPointerType()) {
    std::string reason = fmt::format("a pointer loaded from '{}'", where.array->name);
    PointerValue anywhere{.array = unknownArray(reason),
                          .offset = Affine::not_(reason, place),
                          .inner = 0,
                          .pointee = type->getPointeeType()};
    // Loaded from one place in constant memory it is one pointer: accesses through it can be compared.
    if (where.array->isReadOnly && where.offset && !where.offset->dependsOnThread() &&
        !where.offset->dependsOnLoop()) {
      anywhere.array = unknownArray(fmt::format("{}[{}]", where.array->name, where.offset->str()));
      anywhere.offset = 0;
    }
    return {Affine::not_("a pointer", place), anywhere, nullptr};
  }
  if (!type->isIntegralOrEnumerationType())
    return Value::unknown("not a whole number", place);
  // All threads that load the same element get the same value: from memory nobody writes, or from shared
  // memory between two barriers (a kernel without races).
  const bool isShared = where.array->space == Array::Space::Shared;
  if ((where.array->isReadOnly || isShared) && where.offset && !where.offset->dependsOnThread()) {
    std::string text = expression ? textOf(expression->IgnoreParenImpCasts()) : where.array->name;
    std::string name =
        fmt::format("{}{}", where.array->name,
                    where.offset->isZero() ? "" : fmt::format("[byte {}]", where.offset->str()));
    if (where.array->elementBytes && !where.outer.empty() && where.outer.back())
      name = text;
    if (isShared) // another value after another barrier
      name += fmt::format("@{}", place.line);
    bool varies = isShared || where.offset->dependsOnLoop();
    if (type->isBooleanType())
      return {Affine::not_("a truth value", place), std::nullopt,
              std::make_shared<Condition>(Condition::compare(
                  Polynomial(
                      symbols.uniform(name, true, varies ? enclosingLoops() : std::vector<const Loop *>{})),
                  "!=", Polynomial()))};
    return {Polynomial(symbols.uniform(name, type->isUnsignedIntegerType(),
                                       varies ? enclosingLoops() : std::vector<const Loop *>{})),
            std::nullopt, nullptr};
  }
  return Value::unknown(fmt::format("loaded from '{}'", where.array->name), place);
}

void SymbolicWalk::store(const LValue &to, const Value &value, QualType type, const Expr *expression,
                         Access::Kind kind) {
  if (to.kind == LValue::Kind::Variable) {
    if (to.path.empty() && type->isRecordType())
      now.clear(to.variable);
    now.set({to.variable, to.path}, value);
  } else if (to.kind == LValue::Kind::Memory) {
    record(kind, to, type, expression);
  }
}

void SymbolicWalk::copyMembers(const VarDecl *to, const Expr *from) {
  from = from->IgnoreParenImpCasts();
  if (const auto *cleanups = dyn_cast<ExprWithCleanups>(from))
    from = cleanups->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *construction = dyn_cast<CXXConstructExpr>(from)) {
    if (construction->getNumArgs() == 1 && construction->getConstructor()->isCopyOrMoveConstructor())
      copyMembers(to, construction->getArg(0));
    return;
  }
  const auto *list = dyn_cast<InitListExpr>(from);
  const auto *record = to->getType()->getAsRecordDecl();
  if (list && record && !record->isUnion()) {
    unsigned i = 0;
    for (const FieldDecl *field : record->fields()) {
      if (i >= list->getNumInits())
        break;
      bool wasSilent = std::exchange(silent, true); // the list itself was evaluated before
      now.set({to, "." + field->getNameAsString()}, evaluate(list->getInit(i++)));
      silent = wasSilent;
    }
    return;
  }
  const auto *reference = dyn_cast<DeclRefExpr>(from);
  const auto *source = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!source || source->hasGlobalStorage() || source->getType()->isReferenceType())
    return;
  std::map<Environment::Key, Value> copies;
  for (auto &[path, value] : now.members(source))
    copies[{to, path}] = value;
  if (isa<ParmVarDecl>(source) && source->getDeclContext() == kernel.function && record)
    for (const FieldDecl *field : record->fields()) {
      std::string path = "." + field->getNameAsString();
      copies.try_emplace({to, path}, initialValue(source, path, field->getType()));
    }
  for (auto &[key, value] : copies)
    now.set(key, value);
}

void SymbolicWalk::forget(const VarDecl *variable, const std::string &reason, const Place &place) {
  now.clear(variable);
  now.set({variable, ""}, Value::unknown(reason, place));
}

void SymbolicWalk::record(Access::Kind kind, const LValue &where, QualType type, const Expr *expression) {
  if (silent)
    return;
  const PointerValue &memory = where.memory;
  if (memory.array->space == Array::Space::Local && memory.array->extents.empty() && memory.array->decl)
    return; // a scalar, seen through a pointer
  Access access;
  access.kind = kind;
  access.array = memory.array;
  access.elementType = type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
  access.bytes = sizeOf(type);
  const Expr *written = where.expression ? where.expression : expression;
  access.text = written ? textOf(written) : memory.array->name;
  access.subscripts = memory.outer;
  access.address = memory.offset;
  access.loop = loop;
  access.guards = guards;
  access.region = currentRegion();
  access.expression = written;
  access.statement = statementNow;
  access.place = placeOf(written);
  access.calls = callPlaces;
  result.accessList.push_back(std::move(access));
}

} // namespace heddle::analysis

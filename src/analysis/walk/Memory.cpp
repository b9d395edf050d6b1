// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/Memory.h"

#include "analysis/walk/Expressions.h"
#include "analysis/walk/Loads.h"
#include "analysis/walk/Pointers.h"

#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis::walk {

Value initialValue(const VarDecl *variable, const std::string &member, QualType type, const Path &path) {
  const bool isKernelParameter =
      isa<ParmVarDecl>(variable) && variable->getDeclContext() == path.kernel.function;
  if (isKernelParameter)
    return parameterValue(variable, member, type, path.arrays, path.symbols);
  std::string name = variable->getNameAsString() + member;
  if (path.now.has({variable, ""}) && !member.empty())
    return Value::unknown(fmt::format("'{}' is not analyzed", name), path.location(path.statement));
  return Value::unknown(fmt::format("'{}' has no known value", name), path.location(path.statement));
}

Value load(const LValue &from, QualType type, const Expr *expression, Path &path) {
  if (from.kind == LValue::Kind::Variable) {
    const Value *value = path.now.find({from.variable, from.path});
    return value ? *value : initialValue(from.variable, from.path, type, path);
  }
  SourceLocation location = path.location(expression);
  if (from.kind == LValue::Kind::Unknown)
    return Value::unknown("not followed", location);
  record(Access::Kind::Read, from, type, expression, path);
  return loadedValue(from.memory, type, expression, path.arrays, path.scope());
}

void store(const LValue &to, const Value &value, QualType type, const Expr *expression, Path &path) {
  if (to.kind == LValue::Kind::Variable) {
    if (to.path.empty() && type->isRecordType())
      path.now.clear(to.variable);
    path.now.set({to.variable, to.path}, value);
  } else if (to.kind == LValue::Kind::Memory) {
    record(Access::Kind::Write, to, type, expression, path);
  }
}

void copyMembers(const VarDecl *to, const Expr *from, Path &path) {
  from = from->IgnoreParenImpCasts();
  if (const auto *cleanups = dyn_cast<ExprWithCleanups>(from))
    from = cleanups->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *construction = dyn_cast<CXXConstructExpr>(from)) {
    if (construction->getNumArgs() == 1 && construction->getConstructor()->isCopyOrMoveConstructor())
      copyMembers(to, construction->getArg(0), path);
    return;
  }
  const auto *list = dyn_cast<InitListExpr>(from);
  const auto *record = to->getType()->getAsRecordDecl();
  if (list && record && !record->isUnion()) {
    unsigned i = 0;
    for (const FieldDecl *field : record->fields()) {
      if (i >= list->getNumInits())
        break;
      Silence silence(path); // the list itself was evaluated before
      path.now.set({to, "." + field->getNameAsString()}, evaluate(list->getInit(i++), path));
    }
    return;
  }
  const auto *reference = dyn_cast<DeclRefExpr>(from);
  const auto *source = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!source || source->hasGlobalStorage() || source->getType()->isReferenceType())
    return;
  std::map<Environment::Key, Value> copies;
  for (auto &[member, value] : path.now.members(source))
    copies[{to, member}] = value;
  if (isa<ParmVarDecl>(source) && source->getDeclContext() == path.kernel.function && record)
    for (const FieldDecl *field : record->fields()) {
      std::string member = "." + field->getNameAsString();
      copies.try_emplace({to, member}, initialValue(source, member, field->getType(), path));
    }
  for (auto &[key, value] : copies)
    path.now.set(key, value);
}

void forget(const VarDecl *variable, const std::string &reason, const SourceLocation &location, Path &path) {
  path.now.clear(variable);
  path.now.set({variable, ""}, Value::unknown(reason, location));
}

void record(Access::Kind kind, const LValue &where, QualType type, const Expr *expression, Path &path,
            std::optional<int64_t> bytes) {
  if (path.isSilent)
    return;
  const PointerValue &memory = where.memory;
  if (memory.array->space == Array::Space::Local && memory.array->extents.empty() && memory.array->decl)
    return; // a scalar, seen through a pointer
  Access access;
  access.kind = kind;
  access.array = memory.array;
  access.elementType = type.getUnqualifiedType().getAsString(path.context.getPrintingPolicy());
  access.bytes = bytes.value_or(bytesOf(type, path.context));
  const Expr *written = where.expression ? where.expression : expression;
  access.text = written ? textOf(written, path.context) : memory.array->name;
  access.subscripts = memory.outer;
  access.address = memory.offset;
  access.loop = path.loop;
  access.guards = path.guards;
  access.region = currentRegion(path);
  access.expression = written;
  access.statement = path.statement;
  access.location = path.location(written);
  access.calls = path.calls;
  path.found.accesses.push_back(std::move(access));
}

} // namespace heddle::analysis::walk

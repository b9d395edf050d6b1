// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/ArrayTable.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis::walk {
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

Array::Space memoryOf(const VarDecl *variable) {
  if (variable->hasAttr<CUDASharedAttr>())
    return Array::Space::Shared;
  if (variable->hasAttr<CUDAConstantAttr>() ||
      (variable->hasGlobalStorage() && variable->getType().isConstQualified()))
    return Array::Space::Constant;
  return variable->hasGlobalStorage() ? Array::Space::Global : Array::Space::Local;
}

} // namespace

const Array *ArrayTable::add(Array array) {
  list.push_back(std::make_unique<Array>(std::move(array)));
  return list.back().get();
}

const Array *ArrayTable::of(const VarDecl *variable) {
  variable = variable->getCanonicalDecl();
  if (auto at = byVariable.find(variable); at != byVariable.end())
    return at->second;
  Array array;
  array.space = memoryOf(variable);
  array.name = variable->getNameAsString();
  array.decl = variable;
  array.isReadOnly = array.space == Array::Space::Constant;
  array.isDynamic = array.space == Array::Space::Shared && variable->hasExternalStorage();
  if (array.isDynamic) // every `extern __shared__` of a kernel is the same memory
    if (auto at = byName.find("dynamic shared"); at != byName.end())
      return byVariable[variable] = at->second;
  describeElement(array, variable->getType(), context);
  const Array *made = add(std::move(array));
  if (made->isDynamic)
    byName["dynamic shared"] = made;
  return byVariable[variable] = made;
}

const Array *ArrayTable::behind(const VarDecl *parameter, const std::string &path, QualType type) {
  std::string name = parameter->getNameAsString() + path;
  const Array *&known = byName["parameter " + name];
  if (known)
    return known;
  Array array;
  array.space = Array::Space::Global;
  array.name = name;
  array.decl = parameter;
  array.isParameter = true;
  if (path.empty())
    array.parameter = cast<ParmVarDecl>(parameter)->getFunctionScopeIndex();
  array.apart = facts.pointers;
  array.isReadOnly = type->getPointeeType().isConstQualified();
  // A pointer that was read has lost its own qualifiers; the parameter's declaration has them.
  array.isRestrict =
      type.isRestrictQualified() || (path.empty() && parameter->getType().isRestrictQualified());
  describeElement(array, type->getPointeeType(), context);
  return known = add(std::move(array));
}

const Array *ArrayTable::unknown(const std::string &reason, Array::Space space) {
  const Array *&known = byName[fmt::format("unknown {} {}", nameOf(space), reason)];
  if (!known) {
    Array array;
    array.space = space;
    array.name = reason;
    known = add(std::move(array));
  }
  return known;
}

} // namespace heddle::analysis::walk

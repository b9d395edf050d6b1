// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared arrays and their uses, as the text has them.
//
// Registers have no addresses. So an array can become registers only where every mention of it is one element
// that is read or written:
//
//     tile[threadIdx.x] = a[i];        a store                     f(tile)          its address: no
//     x += tile[threadIdx.x + 1];      a load                      &tile[3]         an address: no
//     float *t = tile;  ... t[3]       another name, a load        tile[i].x = 0    a part of an element: a store
//
// From the mention the tree is followed upwards: first through as many subscripts as the array has
// dimensions, then through members, to the operator that says what is done with the element.
//
// Not handled: arrays whose size the launch gives, elements that are not trivially copyable, arrays declared
// in a loop (shared memory keeps its values from one iteration to the next, registers declared there do not).
// Cost: the depth of the tree for each mention.
#include "analysis/StatementShape.h"
#include "analysis/warp/SharedSteps.h"
#include "source/DeclaredType.h"
#include "source/Kernel.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <fmt/format.h>

#include <functional>

using namespace clang;

namespace heddle::analysis {
namespace {

class SharedCollector : public DynamicRecursiveASTVisitor {
public:
  KernelMentions found;

  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->hasAttr<CUDASharedAttr>())
      found.arrays.push_back(variable);
    else if (variable->getType()->isPointerType() && variable->getInit())
      found.pointers.push_back(variable);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *mention) override {
    found.mentions.push_back(mention);
    return true;
  }
  bool VisitStmt(Stmt *statement) override {
    if (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(statement))
      found.jumps.push_back(statement);
    return true;
  }
};

const Stmt *declarationOf(const VarDecl *variable, const KernelReading &in) {
  const Stmt *found = nullptr;
  std::function<void(const Stmt *)> search = [&](const Stmt *statement) {
    if (auto *declaration = dyn_cast<DeclStmt>(statement))
      if (llvm::is_contained(declaration->decls(), variable))
        found = declaration;
    for (const Stmt *child : statement->children())
      if (child && !found)
        search(child);
  };
  search(in.kernel.function->getBody());
  return found;
}

/// Why the array cannot be registers, whatever is done with it. Fills in its type and extents.
std::optional<std::string> whyNotDescribed(SharedArray &array, const KernelReading &in) {
  QualType type = array.decl->getType();
  if (array.decl->hasExternalStorage() || type->isIncompleteArrayType())
    return "its size is known only at run time";
  for (; auto *level = in.context().getAsConstantArrayType(type); type = level->getElementType())
    array.extents.push_back(int64_t(level->getSize().getZExtValue()));
  if (array.extents.empty())
    return "it is not an array";
  if (type->isUnionType() || !type.isTriviallyCopyableType(in.context()))
    return "its elements cannot be copied word by word";
  const std::optional<std::string> element = source::elementTypeOf(*in.kernel.unit, array.decl);
  if (!element)
    return "the type of its elements has no name";
  array.elementType = *element;
  array.elementBytes = in.context().getTypeSizeInChars(type).getQuantity();
  // Shared memory keeps its values when a loop comes around; a register that is declared in it does not.
  for (const Stmt *at = declarationOf(array.decl, in); at; at = in.parent(at))
    if (isLoop(at))
      return "it is declared in a loop and keeps its values from one iteration to the next";
  return std::nullopt;
}

bool isAliasDeclaration(const DeclRefExpr *mention, const SharedArray &array) {
  return llvm::any_of(array.aliases, [&](const VarDecl *alias) {
    return alias->getInit()->IgnoreParenImpCasts() == mention;
  });
}

/// The expression of one element that begins with this mention of the array.
const Expr *elementAt(const DeclRefExpr *mention, size_t dimensions, std::vector<const Expr *> &subscripts,
                      const KernelReading &in) {
  const Stmt *at = mention;
  while (subscripts.size() < dimensions) {
    const Stmt *up = in.parent(at);
    if (up && isa<ImplicitCastExpr, ParenExpr>(up)) {
      at = up;
      continue;
    }
    auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(up);
    if (!subscript || subscript->getBase() != at)
      return nullptr;
    subscripts.push_back(subscript->getIdx());
    at = subscript;
  }
  return cast<Expr>(at);
}

/// False where what is done with the element cannot be seen.
bool findUse(const Stmt *part, StripedAccess &access, const KernelReading &in) {
  const Stmt *up = in.parent(part);
  // `c ? a[i] : a[j]` is itself an element that is read.
  for (const Stmt *at = part; up && isa<ParenExpr, ConditionalOperator>(up); at = up, up = in.parent(up))
    if (auto *choice = dyn_cast<ConditionalOperator>(up); choice && choice->getCond() == at)
      return false;
  if (auto *read = dyn_cast_or_null<ImplicitCastExpr>(up)) {
    // `const T &r = a[i];` sees what is written to the element later; an argument does not.
    const bool isBoundForNow = read->getCastKind() == CK_NoOp && read->getType().isConstQualified() &&
                               !isa_and_nonnull<DeclStmt>(in.parent(read));
    return access.isLoad = read->getCastKind() == CK_LValueToRValue || isBoundForNow;
  }
  if (up != in.parent(part))
    return false;
  if (auto *op = dyn_cast_or_null<BinaryOperator>(up); op && op->isAssignmentOp() && op->getLHS() == part) {
    access.isLoad = op->isCompoundAssignmentOp();
    return access.isStore = true;
  }
  if (auto *op = dyn_cast_or_null<UnaryOperator>(up); op && op->isIncrementDecrementOp())
    return access.isLoad = access.isStore = true;
  if (auto *op = dyn_cast_or_null<CXXOperatorCallExpr>(up);
      op && op->getOperator() == OO_Equal && op->getArg(0) == part)
    return access.isStore = true;
  return false;
}

} // namespace

KernelMentions mentionsIn(const source::Kernel &kernel) {
  SharedCollector collector;
  collector.TraverseStmt(kernel.function->getBody());
  return std::move(collector.found);
}

SharedArray describedArray(const VarDecl *decl, const KernelReading &in) {
  SharedArray array{decl, decl->getNameAsString()};
  if (std::optional<std::string> why = whyNotDescribed(array, in)) {
    array.whyNot = in.stays(array.name, decl->getLocation(), *why);
    return array;
  }
  if (array.extents.size() == 1)
    for (const VarDecl *pointer : in.text.pointers) {
      auto *named = dyn_cast<DeclRefExpr>(pointer->getInit()->IgnoreParenImpCasts());
      if (named && named->getDecl() == array.decl && in.indices.neverChanges(pointer))
        array.aliases.push_back(pointer);
    }
  return array;
}

const Stmt *outermostPart(const Stmt *element, const KernelReading &in) {
  for (;;) {
    const Stmt *up = in.parent(element);
    auto *member = dyn_cast_or_null<MemberExpr>(up);
    if (!up ||
        !(isa<ParenExpr>(up) || (member && !member->isArrow() && isa<FieldDecl>(member->getMemberDecl()))))
      return element;
    element = up;
  }
}

ElementUse elementUse(const DeclRefExpr *mention, const SharedArray &array, const KernelReading &in) {
  StripedAccess access;
  const Expr *element = elementAt(mention, array.extents.size(), access.indices, in);
  if (!element && isAliasDeclaration(mention, array))
    return {};
  if (!element)
    return {std::nullopt, in.stays(array.name, mention->getBeginLoc(),
                                   "it is not used element by element here: its address is taken")};
  access.expression = element;
  if (!findUse(outermostPart(element, in), access, in))
    return {std::nullopt, in.stays(array.name, element->getBeginLoc(),
                                   fmt::format("the address of '{}' is taken", in.textOf(element)))};
  return {access, std::nullopt};
}

} // namespace heddle::analysis

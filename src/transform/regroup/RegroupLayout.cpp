// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that threads touch by their own number alone can be permuted together with the threads. An array qualifies where
//
// 1. every mention is `array[i]`, i equal to blockIdx.x * blockDim.x + threadIdx.x as a polynomial, its address not taken;
// 2. every path beyond the kernel's first guards mentions it, so that the element exists for every thread that does work;
// 3. no other pointer may lead to the same memory.
//
//     if (i >= n) return;      `in` and `out` qualify; `table`, indexed by data, does not, nor would an array
//     out[i] = table[in[i]];   that only one side of a branch mentions.
//
// One that each thread overwrites without reading need not be copied in.
#include "transform/regroup/RegroupLayout.h"

#include "analysis/PointersApart.h"
#include "analysis/StatementShape.h"
#include "source/Unit.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ParentMap.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::jumpsOf;

namespace {

class OwnArrayFinder {
public:
  explicit OwnArrayFinder(const KernelFacts &facts)
      : facts(facts), body(facts.kernel->function->getBody()), uses(Uses::of(body)),
        parents(const_cast<Stmt *>(body)) {}

  std::vector<OwnArray> run() {
    std::vector<OwnArray> found;
    for (unsigned i = 0; i < facts.kernel->function->getNumParams(); ++i) {
      const ParmVarDecl *parameter = facts.kernel->function->getParamDecl(i);
      const QualType type = parameter->getType();
      if (!type->isPointerType() || type->getPointeeType().isVolatileQualified() ||
          type->getPointeeType()->isVoidType())
        continue;
      OwnArray array{i, parameter->getNameAsString(), isWrittenOnly(parameter), {}};
      if (takesOwnOnly(parameter, array) && comesBy(body, parameter) && isApart(parameter))
        found.push_back(std::move(array));
    }
    return found;
  }

private:
  bool takesOwnOnly(const ParmVarDecl *parameter, OwnArray &array) {
    for (const DeclRefExpr *mention : uses.locals) {
      if (mention->getDecl() != parameter)
        continue;
      const ArraySubscriptExpr *element = elementOf(mention);
      if (!element || !isOwnNumber(element->getIdx()) || isAddressTaken(element))
        return false;
      array.subscripts.push_back(element->getIdx()->getSourceRange());
    }
    return !array.subscripts.empty();
  }

  /// Whole elements, and nothing is read: every thread that reaches it has written it.
  bool isWrittenOnly(const ParmVarDecl *parameter) const {
    const std::vector<analysis::Access> &all = facts.accesses->all();
    bool isWritten = false;
    for (const analysis::Access &access : all) {
      if (access.array->decl != parameter)
        continue;
      if (access.kind != analysis::Access::Kind::Write || access.bytes != access.array->elementBytes)
        return false;
      isWritten = true;
    }
    return isWritten && facts.accesses->isComplete();
  }

  /// No other pointer leads to the array, which would find it in another order.
  bool isApart(const ParmVarDecl *parameter) const {
    const auto touches = [&](const analysis::Access &access) { return access.array->decl == parameter; };
    const std::vector<analysis::Access> &all = facts.accesses->all();
    const auto own = std::ranges::find_if(all, touches);
    if (own == all.end() || !facts.accesses->isComplete())
      return false;
    const bool isWritten = std::ranges::any_of(
        all, [&](const analysis::Access &access) { return touches(access) && access.isWrite(); });
    return std::ranges::none_of(all, [&](const analysis::Access &access) {
      return !touches(access) && (isWritten || access.isWrite()) &&
             analysis::reasonToOverlap(*access.array, *own->array);
    });
  }

  const ArraySubscriptExpr *elementOf(const DeclRefExpr *mention) const {
    const Stmt *around = parents.getParentIgnoreParenImpCasts(const_cast<DeclRefExpr *>(mention));
    auto *element = dyn_cast_or_null<ArraySubscriptExpr>(around);
    return element && element->getBase()->IgnoreParenImpCasts() == mention ? element : nullptr;
  }

  bool isAddressTaken(const ArraySubscriptExpr *element) const {
    const Stmt *around = parents.getParentIgnoreParens(const_cast<ArraySubscriptExpr *>(element));
    auto *unary = dyn_cast_or_null<UnaryOperator>(around);
    return unary && unary->getOpcode() == UO_AddrOf;
  }

  /// blockIdx.x * blockDim.x + threadIdx.x, by whatever way.
  bool isOwnNumber(const Expr *index) const {
    using analysis::Polynomial;
    const analysis::Affine *value = facts.accesses->valueOf(index);
    if (!value)
      value = facts.accesses->valueOf(index->IgnoreParenImpCasts());
    if (!value || !*value)
      return false;
    analysis::SymbolTable &symbols = facts.accesses->symbols();
    const std::optional<int64_t> &width = facts.launch.block[0];
    const Polynomial block = width ? Polynomial(*width) : Polynomial(symbols.blockDim(0));
    return **value == Polynomial(symbols.blockIdx(0)) * block + Polynomial(symbols.threadIdx(0));
  }

  // Threads that do not return at once use it
  // -----------------------------------------------------------------------------------------------------

  /// Every way through this code comes by the parameter, or leaves the kernel by its first guards.
  bool comesBy(const Stmt *code, const ParmVarDecl *parameter) const {
    if (!Uses::of(code).mentions(parameter))
      return false;
    if (auto *block = dyn_cast<CompoundStmt>(code))
      return oneComesBy({block->body_begin(), block->body_end()}, parameter, block == body);
    if (auto *branch = dyn_cast<IfStmt>(code)) {
      const bool both =
          branch->getElse() && comesBy(branch->getThen(), parameter) && comesBy(branch->getElse(), parameter);
      return both || comesBy(branch->getCond(), parameter);
    }
    if (auto *choice = dyn_cast<SwitchStmt>(code))
      return comesBy(choice->getCond(), parameter) || everyCaseComesBy(choice, parameter);
    if (auto *loop = dyn_cast<ForStmt>(code))
      return comesBy(loop->getInit(), parameter) || comesBy(loop->getCond(), parameter);
    if (auto *loop = dyn_cast<WhileStmt>(code))
      return comesBy(loop->getCond(), parameter);
    if (auto *loop = dyn_cast<DoStmt>(code))
      return comesBy(loop->getBody(), parameter);
    if (auto *conditional = dyn_cast<ConditionalOperator>(code))
      return comesBy(conditional->getCond(), parameter) || (comesBy(conditional->getTrueExpr(), parameter) &&
                                                            comesBy(conditional->getFalseExpr(), parameter));
    if (auto *binary = dyn_cast<BinaryOperator>(code); binary && binary->isLogicalOp())
      return comesBy(binary->getLHS(), parameter);
    if (auto *label = dyn_cast<SwitchCase>(code))
      return comesBy(label->getSubStmt(), parameter);
    if (isa<DeclRefExpr>(code))
      return true; // it mentions the parameter, so it is one
    return std::any_of(code->child_begin(), code->child_end(),
                       [&](const Stmt *part) { return comesBy(part, parameter); });
  }

  /// `isFirst`: guards at the start of the kernel let go threads that have no element, and an `if` around all
  /// the rest does, too.
  bool oneComesBy(llvm::ArrayRef<const Stmt *> statements, const ParmVarDecl *parameter, bool isFirst) const {
    bool atStart = isFirst;
    for (const Stmt *statement : statements) {
      if (comesBy(statement, parameter))
        return true;
      auto *branch = dyn_cast<IfStmt>(statement);
      const bool isLast = statement == statements.back();
      if (atStart && isLast && branch && !branch->getElse())
        return isFirst && comesBy(branch->getThen(), parameter);
      const bool mayGuard = atStart && branch && !branch->getElse();
      if (jumpsOf(statement).any() && !mayGuard)
        return false;
      atStart &= isa<DeclStmt>(statement) || mayGuard;
    }
    return false;
  }

  bool everyCaseComesBy(const SwitchStmt *choice, const ParmVarDecl *parameter) const {
    auto *block = dyn_cast<CompoundStmt>(choice->getBody());
    bool hasDefault = false;
    for (const SwitchCase *label = choice->getSwitchCaseList(); label; label = label->getNextSwitchCase())
      hasDefault |= isa<DefaultStmt>(label);
    if (!block || !hasDefault)
      return false;
    // From one label to the next; a case that falls through must come by on its own.
    bool comes = true;
    for (const Stmt *statement : block->body()) {
      if (isa<SwitchCase>(statement)) {
        if (!comes)
          return false;
        comes = false;
      }
      comes |= comesBy(statement, parameter);
    }
    return comes;
  }

  const KernelFacts &facts;
  const Stmt *body;
  const Uses uses;
  const ParentMap parents;
};

} // namespace

std::vector<OwnArray> findOwnArrays(const KernelFacts &facts) { return OwnArrayFinder(facts).run(); }

} // namespace heddle::transform

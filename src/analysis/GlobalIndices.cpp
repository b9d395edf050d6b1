// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every mention of a built-in must be part of one of two sums:
//
//     ... + blockIdx.d * blockDim.d + ... + threadIdx.d + ...        gridDim.d * blockDim.d
//
// each factor as it is, converted to another integer of 32 bits or more, or read from a local that is set to
// it once and never again. Wrapping does no harm: both ways of cutting the grid give the same number before
// it is reduced.
#include "analysis/GlobalIndices.h"

#include "analysis/ThreadBuiltins.h"
#include "analysis/Uses.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Expr.h>

#include <functional>
#include <map>
#include <set>

using namespace clang;

namespace heddle::analysis {

namespace {

using BuiltinKind = ThreadBuiltin::Kind;

/// Through parentheses and conversions that keep all that a built-in can be.
const Expr *withoutWideCasts(const Expr *expression, const ASTContext &context) {
  for (;;) {
    expression = expression->IgnoreParens();
    auto *cast = dyn_cast<CastExpr>(expression);
    if (!cast)
      return expression;
    const bool isInteger = cast->getType()->isIntegerType() && !cast->getType()->isBooleanType();
    if (cast->getCastKind() != CK_LValueToRValue && (!isInteger || context.getTypeSize(cast->getType()) < 32))
      return expression;
    expression = cast->getSubExpr();
  }
}

/// One function's mentions of built-ins, and those of them that are part of a sum that may be.
class IndexCollector : public DynamicRecursiveASTVisitor {
public:
  IndexCollector(const source::Unit &unit, const FunctionDecl *function) : unit(unit) {
    const Uses uses = Uses::of(function->getBody());
    for (const DeclRefExpr *reference : uses.locals)
      mentionsOf[cast<VarDecl>(reference->getDecl())].push_back(reference);
    for (const Stmt *statement : uses.statements)
      noteRead(statement);
    ShouldVisitTemplateInstantiations = true;
    TraverseStmt(function->getBody());
  }

  /// Outer sums come first: a thread's index that one of them took is not to be taken again by a part of it.
  bool VisitBinaryOperator(BinaryOperator *sum) override {
    if (sum->getOpcode() == BO_Add && !partsOfSums.contains(sum))
      checkSum(sum);
    else if (sum->getOpcode() == BO_Mul)
      checkExtent(sum);
    return true;
  }

  /// The first mention that is not accounted for.
  std::optional<Diagnostic::Note> firstLeft(const FunctionDecl *function,
                                            const std::array<bool, 3> &shrinks) const {
    for (const Uses::Builtin &builtin : Uses::of(function->getBody()).builtins) {
      const unsigned d = builtin.what.dimension;
      const bool matters = builtin.what.kind != BuiltinKind::WarpSize && (d == 3 || shrinks[d]);
      if (matters && !isAccountedFor(builtin.range.getBegin()))
        return Diagnostic::Note{
            unit.location(builtin.range.getBegin()),
            fmt::format("'{}' is used here without the rest of the global index", builtin.what.name())};
    }
    return std::nullopt;
  }

private:
  /// A mention of a built-in, by itself or through a local that always holds it.
  struct Factor {
    ThreadBuiltin what;
    clang::SourceLocation mention;
    const DeclRefExpr *reference = nullptr; ///< of the local
  };
  /// blockIdx.d * blockDim.d or gridDim.d * blockDim.d.
  struct Product {
    Factor index, extent;
    const DeclRefExpr *reference = nullptr; ///< of the local that holds it
  };

  void noteRead(const Stmt *statement) {
    auto *cast = dyn_cast<ImplicitCastExpr>(statement);
    if (cast && cast->getCastKind() == CK_LValueToRValue)
      if (auto *reference = dyn_cast<DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
        reads.insert(reference);
  }

  /// The value of a local that has only ever this one.
  const Expr *valueOf(const DeclRefExpr *reference) const {
    auto *local = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!local || !local->hasLocalStorage() || isa<ParmVarDecl>(local) || !local->getInit() ||
        !local->getType()->isIntegerType() || unit.context().getTypeSize(local->getType()) < 32)
      return nullptr;
    auto mentions = mentionsOf.find(local);
    if (mentions == mentionsOf.end())
      return nullptr;
    for (const DeclRefExpr *each : mentions->second)
      if (!reads.contains(each))
        return nullptr;
    return withoutWideCasts(local->getInit(), unit.context());
  }

  std::optional<Factor> builtinAt(const Expr *expression) const {
    expression = withoutWideCasts(expression, unit.context());
    std::optional<ThreadBuiltin> builtin = threadBuiltin(expression);
    if (isa<CastExpr>(expression) || !builtin || builtin->dimension == 3)
      return std::nullopt;
    return Factor{*builtin, expression->getBeginLoc()};
  }

  std::optional<Factor> factorOf(const Expr *expression) const {
    if (std::optional<Factor> factor = builtinAt(expression))
      return factor;
    auto *reference = dyn_cast<DeclRefExpr>(withoutWideCasts(expression, unit.context()));
    const Expr *value = valueOf(reference);
    std::optional<Factor> factor = value ? builtinAt(value) : std::nullopt;
    if (factor)
      factor->reference = reference;
    return factor;
  }

  std::optional<Product> productAt(const Expr *expression, BuiltinKind first) const {
    auto *product = dyn_cast<BinaryOperator>(withoutWideCasts(expression, unit.context()));
    if (!product || product->getOpcode() != BO_Mul)
      return std::nullopt;
    std::optional<Factor> a = factorOf(product->getLHS()), b = factorOf(product->getRHS());
    if (!a || !b || a->what.dimension != b->what.dimension)
      return std::nullopt;
    if (b->what.kind == first)
      std::swap(a, b);
    if (a->what.kind != first || b->what.kind != BuiltinKind::BlockDim)
      return std::nullopt;
    return Product{*a, *b};
  }

  std::optional<Product> productOf(const Expr *expression, BuiltinKind first) const {
    if (std::optional<Product> product = productAt(expression, first))
      return product;
    auto *reference = dyn_cast<DeclRefExpr>(withoutWideCasts(expression, unit.context()));
    const Expr *value = valueOf(reference);
    std::optional<Product> product = value ? productAt(value, first) : std::nullopt;
    if (product && (product->index.reference || product->extent.reference))
      return std::nullopt; // a local of locals
    if (product)
      product->reference = reference;
    return product;
  }

  void accept(const Factor &factor, const DeclRefExpr *reference) {
    if (!reference) {
      accepted.insert(factor.mention.getRawEncoding());
      return;
    }
    auto *local = cast<VarDecl>(reference->getDecl());
    heldBy[factor.mention.getRawEncoding()] = local;
    acceptedUses[local].insert(reference);
  }
  void accept(const Factor &factor) { accept(factor, factor.reference); }
  void accept(const Product &product) {
    accept(product.index, product.reference ? product.reference : product.index.reference);
    accept(product.extent, product.reference ? product.reference : product.extent.reference);
  }

  void termsOf(const Expr *sum, std::vector<const Expr *> &terms) {
    const Expr *plain = withoutWideCasts(sum, unit.context());
    auto *addition = dyn_cast<BinaryOperator>(plain);
    if (!addition || addition->getOpcode() != BO_Add)
      return terms.push_back(sum);
    partsOfSums.insert(addition);
    termsOf(addition->getLHS(), terms);
    termsOf(addition->getRHS(), terms);
  }

  void checkSum(const BinaryOperator *sum) {
    std::vector<const Expr *> terms;
    termsOf(sum, terms);
    for (const Expr *&term : terms) {
      std::optional<Product> first = term ? productOf(term, BuiltinKind::BlockIdx) : std::nullopt;
      for (const Expr *&other : terms) {
        std::optional<Factor> thread = first && other && other != term ? factorOf(other) : std::nullopt;
        if (!thread || thread->what.kind != BuiltinKind::ThreadIdx ||
            thread->what.dimension != first->index.what.dimension)
          continue;
        accept(*first);
        accept(*thread);
        term = other = nullptr;
        break;
      }
    }
  }

  void checkExtent(const BinaryOperator *expression) {
    if (std::optional<Product> extent = productAt(expression, BuiltinKind::GridDim))
      accept(*extent);
  }

  /// Part of a sum, or the value of a local that is mentioned in such sums alone.
  bool isAccountedFor(clang::SourceLocation mention) const {
    if (accepted.contains(mention.getRawEncoding()))
      return true;
    auto held = heldBy.find(mention.getRawEncoding());
    return held != heldBy.end() && acceptedUses.at(held->second).size() == mentionsOf.at(held->second).size();
  }

  const source::Unit &unit;
  std::map<const VarDecl *, std::vector<const DeclRefExpr *>> mentionsOf;
  std::set<const DeclRefExpr *> reads;
  std::set<const Expr *> partsOfSums;
  std::set<unsigned> accepted; ///< mentions, by place
  std::map<unsigned, const VarDecl *> heldBy;
  std::map<const VarDecl *, std::set<const DeclRefExpr *>> acceptedUses;
};

} // namespace

std::optional<Diagnostic::Note> mentionOfBlocks(const source::Kernel &kernel,
                                                const std::array<bool, 3> &shrinks) {
  std::set<const FunctionDecl *> seen;
  std::function<std::optional<Diagnostic::Note>(const FunctionDecl *)> look =
      [&](const FunctionDecl *function) -> std::optional<Diagnostic::Note> {
    if (!seen.insert(function).second)
      return std::nullopt;
    if (auto left = IndexCollector(*kernel.unit, function).firstLeft(function, shrinks))
      return left;
    for (const CallExpr *call : Uses::of(function->getBody()).calls) {
      const FunctionDecl *callee = calleeOf(call);
      if (callee && callee->hasBody() && kernel.unit->isUserCode(callee->getLocation()))
        if (auto left = look(callee))
          return left;
    }
    return std::nullopt;
  };
  return look(kernel.function);
}

} // namespace heddle::analysis

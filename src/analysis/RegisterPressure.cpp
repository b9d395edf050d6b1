// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live ranges come from Liveness. An expression's own need is that of Sethi and Ullman: operands that need
// more are computed first, so that fewer finished ones wait; a variable or literal needs nothing, being where
// it is already. A device function needs, where it is called, what it needs itself on top of what is alive
// around the call.
#include "analysis/RegisterPressure.h"

#include "analysis/Liveness.h"
#include "model/Thresholds.h"
#include "source/Unit.h"

#include <algorithm>
#include <map>
#include <set>

using namespace clang;

namespace heddle::analysis {
namespace {

constexpr unsigned wordBytes = 4;
namespace threshold = model::threshold::registers;

struct Need {
  unsigned peak = 0; ///< while computing
  unsigned held = 0; ///< for the result, afterwards
};

class Estimator {
public:
  Estimator(const source::Kernel &theKernel, const Accesses &theAccesses)
      : kernel(theKernel), accesses(theAccesses), context(theKernel.unit->context()) {
    findIndexedArrays();
  }

  RegisterEstimate run() {
    RegisterEstimate estimate;
    source::withDeepStack([&] {
      estimate.byLiveRange = peakOf(kernel.function, &estimate);
      estimate.byScope = byScope(kernel.function);
    });
    for (const VarDecl *array : spilled)
      estimate.inLocalMemory.push_back(array->getNameAsString());
    std::sort(estimate.inLocalMemory.begin(), estimate.inLocalMemory.end());
    return estimate;
  }

private:
  unsigned words(QualType type) const {
    type = type.getNonReferenceType();
    if (type->isBooleanType() || type->isVoidType() || type->isIncompleteType() || type->isDependentType() ||
        type->isFunctionType())
      return 0;
    int64_t bytes = context.getTypeSizeInChars(type).getQuantity();
    return bytes > threshold::largestHeld ? 0 : unsigned((bytes + wordBytes - 1) / wordBytes);
  }

  /// Local arrays with a subscript that stays unknown after unrolling go to local memory.
  void findIndexedArrays() {
    auto isFixed = [](const Affine &subscript) {
      return subscript && !subscript->mentionsAny([](const Symbol &s) {
        return !s.numerator && !(s.kind == SymbolKind::Iteration && s.loop->trips &&
                                 *s.loop->trips <= threshold::longestUnrolled);
      });
    };
    for (const Access &access : accesses.all())
      if (access.array->space == Array::Space::Local && access.array->decl)
        if (!isFixed(access.address))
          spilled.insert(cast<VarDecl>(access.array->decl));
  }

  unsigned weight(const VarDecl *variable, const source::ReachingDefinitions &definitions) {
    if (variable->getType()->isReferenceType())
      return 0;
    if (variable->getType()->isArrayType() && spilled.count(variable->getCanonicalDecl()))
      return 0;
    bool isKernels = variable->getDeclContext() == kernel.function && isa<ParmVarDecl>(variable);
    if (isKernels && definitions.isNeverReassigned(variable))
      return 0;
    return words(variable->getType());
  }

  unsigned peakOf(const FunctionDecl *function, RegisterEstimate *report = nullptr) {
    auto [at, isNew] = peaks.try_emplace(function, 0);
    if (!isNew) // also what ends recursion
      return at->second;
    auto definitions = source::ReachingDefinitions::of(function);
    if (!definitions)
      return 0;
    Liveness liveness(*definitions);
    std::vector<unsigned> weights;
    for (const VarDecl *variable : liveness.variables())
      weights.push_back(weight(variable, *definitions));
    unsigned most = 0;
    liveness.forEachWhole(
        [&](const Stmt *element, const llvm::BitVector &before, const llvm::BitVector &after) {
          const auto *parent = definitions->graph().parent(element);
          if (parent && isa<Expr>(parent))
            return; // part of an expression that is looked at as a whole
                    // What is assigned here comes to be when the expression's own registers are free again.
          auto wordsOf = [&](const llvm::BitVector &alive) {
            unsigned total = 0;
            for (unsigned variable : alive.set_bits())
              total += weights[variable];
            return total;
          };
          unsigned during = wordsOf(before) + needOf(element).peak, behind = wordsOf(after);
          const llvm::BitVector &alive = during >= behind ? before : after;
          unsigned total = std::max(during, behind);
          if (total <= most)
            return;
          most = total;
          if (!report)
            return;
          report->location = kernel.unit->location(element);
          report->alive.clear();
          for (unsigned variable : alive.set_bits())
            if (weights[variable])
              report->alive.push_back(liveness.variables()[variable]->getNameAsString());
        });
    return peaks[function] = most;
  }

  /// Operands in the best order: the one that needs most beyond what it leaves behind goes first.
  static Need combined(std::vector<Need> operands, unsigned result) {
    std::stable_sort(operands.begin(), operands.end(),
                     [](const Need &a, const Need &b) { return a.peak - a.held > b.peak - b.held; });
    Need total{0, result};
    unsigned waiting = 0;
    for (const Need &operand : operands) {
      total.peak = std::max(total.peak, waiting + std::max(operand.peak, operand.held));
      waiting += operand.held;
    }
    total.peak = std::max(total.peak, result);
    return total;
  }

  Need needOf(const Stmt *statement) {
    if (!statement)
      return {};
    if (const auto *declaration = dyn_cast<DeclStmt>(statement)) {
      Need most;
      for (const Decl *one : declaration->decls())
        if (const auto *variable = dyn_cast<VarDecl>(one); variable && variable->getInit())
          most.peak = std::max(most.peak, needOf(variable->getInit()).peak);
      return {most.peak, 0};
    }
    const auto *expression = dyn_cast<Expr>(statement);
    if (!expression) {
      Need most;
      if (const auto *result = dyn_cast<ReturnStmt>(statement))
        most = needOf(result->getRetValue());
      return {most.peak, 0};
    }
    expression = expression->IgnoreParens();
    if (isa<DeclRefExpr, IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr, CXXThisExpr, StringLiteral>(
            expression))
      return {};
    if (isa<PseudoObjectExpr>(expression)) // threadIdx.x and similar variables: read from a special register
      return {1, 1};
    if (const auto *cast = dyn_cast<CastExpr>(expression)) {
      Need inner = needOf(cast->getSubExpr());
      bool isLoad = cast->getCastKind() == CK_LValueToRValue && reachesMemory(cast->getSubExpr());
      unsigned result = words(cast->getType());
      if (isLoad)
        return {std::max(inner.peak, result), result};
      bool converts = cast->getCastKind() == CK_IntegralToFloating ||
                      cast->getCastKind() == CK_FloatingToIntegral || cast->getCastKind() == CK_FloatingCast;
      return converts ? Need{std::max(inner.peak, result), result} : inner;
    }
    std::vector<Need> operands;
    if (const auto *call = dyn_cast<CallExpr>(expression)) {
      for (const Expr *argument : call->arguments())
        operands.push_back(needOf(argument));
      const FunctionDecl *definition = nullptr;
      if (const FunctionDecl *callee = call->getDirectCallee();
          callee && callee->hasBody(definition) && kernel.unit->isUserCode(definition->getLocation()))
        operands.push_back({peakOf(definition), 0});
      return combined(std::move(operands), words(call->getType()));
    }
    for (const Stmt *child : expression->children())
      if (const auto *part = dyn_cast_or_null<Expr>(child))
        operands.push_back(needOf(part));
    if (const auto *binary = dyn_cast<BinaryOperator>(expression); binary && binary->isAssignmentOp())
      return {combined(std::move(operands), 0).peak, 0};
    if (isa<ArraySubscriptExpr>(expression))
      return combined(std::move(operands), isShared(expression) ? 1 : 2);
    if (isa<MemberExpr>(expression))
      return operands.empty() ? Need{} : operands.front();
    if (expression->isGLValue())
      return combined(std::move(operands), reachesMemory(expression) ? 2 : 0);
    return combined(std::move(operands), words(expression->getType()));
  }

  /// The lvalue is in memory rather than in a local variable.
  static bool reachesMemory(const Expr *lvalue) {
    lvalue = lvalue->IgnoreParenImpCasts();
    while (const auto *member = dyn_cast<MemberExpr>(lvalue)) {
      if (member->isArrow())
        return true;
      lvalue = member->getBase()->IgnoreParenImpCasts();
    }
    if (const auto *reference = dyn_cast<DeclRefExpr>(lvalue)) {
      const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
      return variable && variable->hasGlobalStorage();
    }
    return true;
  }

  static bool isShared(const Expr *lvalue) {
    lvalue = lvalue->IgnoreParenImpCasts();
    while (const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue))
      lvalue = subscript->getBase()->IgnoreParenImpCasts();
    const auto *reference = dyn_cast<DeclRefExpr>(lvalue);
    return reference && reference->getDecl()->hasAttr<CUDASharedAttr>();
  }

  unsigned byScope(const FunctionDecl *function) {
    auto definitions = source::ReachingDefinitions::of(function);
    if (!definitions)
      return 0;
    // `x = y` makes one register of both: follow each variable to the one it was copied from.
    std::map<const VarDecl *, const VarDecl *> copyOf;
    std::function<const VarDecl *(const VarDecl *)> root = [&](const VarDecl *variable) {
      auto at = copyOf.find(variable);
      return at == copyOf.end() ? variable : root(at->second);
    };
    for (const source::Definition &definition : definitions->definitions()) {
      if (!definition.value || definition.field || definition.mayKeepOld)
        continue;
      const auto *right = dyn_cast<DeclRefExpr>(definition.value->IgnoreParenImpCasts());
      const auto *from = right ? dyn_cast<VarDecl>(right->getDecl()) : nullptr;
      if (from && definitions->isTracked(from) && root(from) != root(definition.variable))
        copyOf[root(definition.variable)] = root(from);
    }
    std::map<const VarDecl *, unsigned> classes;
    for (const VarDecl *variable : definitions->variables()) {
      unsigned &most = classes[root(variable)];
      most = std::max(most, weight(variable, *definitions));
    }
    unsigned total = 0;
    for (const auto &one : classes)
      total += one.second;
    return total + reusedReferences();
  }

  /// One register for each element that is read more than once by a thread, or again in each iteration of a
  /// loop.
  unsigned reusedReferences() const {
    std::map<std::string, std::pair<unsigned, unsigned>> reads; // how often, and words
    for (const Access &access : accesses.all()) {
      if (!access.isRead() || !access.address || access.array->space == Array::Space::Local)
        continue;
      auto &entry = reads[fmt::format("{} {} {}", static_cast<const void *>(access.array), access.region,
                                      access.address.str())];
      bool isInvariant =
          access.loop && !access.address->mentions(access.loop->counter) && !access.address->dependsOnLoop();
      entry.first += isInvariant ? 2 : 1;
      entry.second = unsigned((access.bytes + wordBytes - 1) / wordBytes);
    }
    unsigned total = 0;
    for (const auto &one : reads)
      if (one.second.first > 1)
        total += one.second.second;
    return total;
  }

  const source::Kernel &kernel;
  const Accesses &accesses;
  ASTContext &context;
  std::map<const FunctionDecl *, unsigned> peaks;
  std::set<const VarDecl *> spilled;
};

} // namespace

unsigned RegisterEstimate::registers() const {
  return fromPtx.value_or(byLiveRange + model::threshold::registers::overhead);
}

RegisterEstimate estimateRegisters(const source::Kernel &kernel, const Accesses &accesses) {
  return Estimator(kernel, accesses).run();
}

} // namespace heddle::analysis

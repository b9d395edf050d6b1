// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two pointers that a kernel is launched with do not overlap where each comes from an allocation of its own:
//
//     float *in, *out;
//     cudaMalloc(&in, bytes);
//     cudaMalloc(&out, bytes);
//     for (...) {
//       blur<<<grid, block>>>(out, in + offset, n);
//       std::swap(in, out);
//     }
//
// The order of statements is not looked at. A variable *owns* its memory where every value that it ever gets
// is a new allocation, a null pointer, or what `std::swap` gives it from another one that owns. Then no two
// of them point into the same allocation at any time: a new allocation is disjoint from all that are alive,
// a swap exchanges two owners, and moving a pointer (`p + n`, `++p`, `&p[n]`) stays inside of its allocation
// by the rules of C++.
//
//   1. Every mention of a pointer variable in host code is put into one of these classes: read, new
//      allocation (`cudaMalloc(&p, ...)`, `p = new float[n]`, a function of the user's that does the same),
//      swap, moved; anything else could give it any value.
//   2. An argument of a launch is followed through casts and arithmetic to a variable. A parameter of the
//      function around the launch is followed to the arguments of all calls of that function, where all of
//      them are in the file. Memory that the function itself allocates is disjoint from what it was given.
//
// Not followed: pointers in structures, arrays and containers; a second variable that holds the same pointer;
// launches by address (cudaLaunchKernel).
#include "source/LaunchArguments.h"

#include "source/Kernel.h"
#include "source/Launch.h"
#include "source/OtherLaunches.h"
#include "source/Program.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

using namespace clang;

namespace heddle::source {
namespace {

/// Functions that store the address of new memory where their first argument points.
constexpr std::array allocators = {
    "cudaMalloc",    "cudaMallocManaged", "cudaMallocAsync",        "cudaMallocHost",
    "cudaHostAlloc", "cudaMallocPitch",   "cudaMallocFromPoolAsync"};
/// Functions that return it.
constexpr std::array returners = {"malloc", "calloc", "aligned_alloc"};

/// Calls within calls that are looked into, of allocating functions as of launching ones.
constexpr unsigned deepestCall = 4;

template <size_t n> bool isNamed(const FunctionDecl *function, const std::array<const char *, n> &names) {
  return function && function->getIdentifier() &&
         std::ranges::any_of(names, [&](const char *name) { return function->getName() == name; });
}

const FunctionDecl *bodyOf(const FunctionDecl *function) {
  const FunctionDecl *defined = nullptr;
  return function && function->hasBody(defined) ? defined : nullptr;
}

// Collect
// ---------------------------------------------------------------------------------------------------------

/// Every mention of pointer variables, call and launch in host code of the user's.
class HostCode : public DynamicRecursiveASTVisitor {
public:
  explicit HostCode(const Unit &unit) : unit(unit) {
    ShouldVisitTemplateInstantiations = true;
    TraverseDecl(unit.context().getTranslationUnitDecl());
  }
  bool TraverseDecl(Decl *decl) override {
    const bool isTopLevel =
        decl && decl->getDeclContext() && isa<TranslationUnitDecl>(decl->getDeclContext());
    if (isTopLevel && !unit.isUserCode(decl->getLocation()) && !isa<NamespaceDecl, LinkageSpecDecl>(decl))
      return true;
    auto *function = dyn_cast_or_null<FunctionDecl>(decl);
    if (function && function->isDependentContext())
      return true; // its instantiations are what runs
    return DynamicRecursiveASTVisitor::TraverseDecl(decl);
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    if (auto *variable = dyn_cast<VarDecl>(reference->getDecl());
        variable && variable->getType().getNonReferenceType()->isPointerType())
      mentions[variable->getCanonicalDecl()].push_back(reference);
    if (auto *function = dyn_cast<FunctionDecl>(reference->getDecl()))
      ++named[function->getCanonicalDecl()];
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    if (const FunctionDecl *callee = call->getDirectCallee(); callee && !isa<CUDAKernelCallExpr>(call))
      calls[callee->getCanonicalDecl()].push_back(call);
    return true;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *call) override {
    launches.push_back(call);
    return true;
  }

  const Unit &unit;
  std::map<const VarDecl *, std::vector<const DeclRefExpr *>> mentions;
  std::map<const FunctionDecl *, std::vector<const CallExpr *>> calls;
  std::map<const FunctionDecl *, unsigned> named; ///< how often, calls included
  std::vector<const CUDAKernelCallExpr *> launches;
};

// Decide
// ---------------------------------------------------------------------------------------------------------

/// Which variables own their memory.
class Owners {
public:
  Owners(const HostCode &code, bool isWhole) : code(code), isWhole(isWhole) {}

  bool owns(const VarDecl *variable) {
    variable = variable->getCanonicalDecl();
    if (auto at = known.find(variable); at != known.end())
      return at->second;
    if (!inProgress.insert(variable).second)
      return false; // a function that calls itself
    // Variables that are swapped with each other own together or not at all.
    std::vector<const VarDecl *> group = {variable};
    bool all = true;
    for (size_t next = 0; all && next < group.size(); ++next)
      all = isOwner(group[next], group);
    inProgress.erase(variable);
    for (const VarDecl *member : group)
      known[member] = all;
    return all;
  }

  /// A parameter, or another variable, that is read and moved, but never given another value.
  bool isOnlyRead(const VarDecl *variable) const {
    return std::ranges::all_of(mentionsOf(variable), [&](const DeclRefExpr *mention) {
      const Use use = useOf(mention, 0);
      return use.kind == Use::Kind::Read || use.kind == Use::Kind::Moved;
    });
  }

  /// A new allocation, or no memory at all.
  bool isNew(const Expr *value, unsigned depth = 0) {
    value = value->IgnoreParenCasts();
    if (auto *cleanups = dyn_cast<ExprWithCleanups>(value))
      return isNew(cleanups->getSubExpr(), depth);
    if (isNull(value))
      return true;
    if (auto *made = dyn_cast<CXXNewExpr>(value))
      return made->getNumPlacementArgs() == 0;
    if (auto *choice = dyn_cast<ConditionalOperator>(value))
      return isNew(choice->getTrueExpr(), depth) && isNew(choice->getFalseExpr(), depth);
    auto *call = dyn_cast<CallExpr>(value);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return isNamed(callee, returners) || (callee && depth < deepestCall && returnsNew(callee, depth));
  }

  bool isNull(const Expr *value) const {
    return value->IgnoreParenCasts()->isNullPointerConstant(code.unit.context(),
                                                            Expr::NPC_ValueDependentIsNotNull);
  }

private:
  struct Use {
    enum class Kind { Read, Moved, Allocated, Swapped, Assigned, Other } kind = Kind::Other;
    const Expr *value = nullptr;      ///< Assigned
    const VarDecl *partner = nullptr; ///< Swapped
  };

  const std::vector<const DeclRefExpr *> &mentionsOf(const VarDecl *variable) const {
    static const std::vector<const DeclRefExpr *> none;
    auto at = code.mentions.find(variable->getCanonicalDecl());
    return at == code.mentions.end() ? none : at->second;
  }

  /// Apart from what swaps give it; its partners join the group.
  bool isOwner(const VarDecl *variable, std::vector<const VarDecl *> &group) {
    if (isa<ParmVarDecl>(variable) || !variable->getType()->isPointerType())
      return false;
    if (variable->isExternallyVisible() && !isWhole)
      return false; // another file may set it
    if (const Expr *first = variable->getAnyInitializer(); first && !isNew(first))
      return false;
    return std::ranges::all_of(mentionsOf(variable), [&](const DeclRefExpr *mention) {
      const Use use = useOf(mention, 0);
      switch (use.kind) {
      case Use::Kind::Read:
      case Use::Kind::Moved:
      case Use::Kind::Allocated: return true;
      case Use::Kind::Assigned: return isNew(use.value);
      case Use::Kind::Swapped:
        if (std::ranges::find(group, use.partner) == group.end())
          group.push_back(use.partner);
        return true;
      case Use::Kind::Other: return false;
      }
      return false;
    });
  }

  /// What becomes of the variable where it is mentioned.
  Use useOf(const DeclRefExpr *mention, unsigned depth) const {
    const Expr *at = mention;
    for (;;) {
      const Stmt *parent = parentOf(at);
      const auto *around = dyn_cast_or_null<Expr>(parent);
      if (!around)
        return {};
      if (isa<ParenExpr>(around)) {
        at = around;
        continue;
      }
      return useIn(around, at, depth);
    }
  }

  Use useIn(const Expr *around, const Expr *at, unsigned depth) const {
    if (auto *cast = dyn_cast<CastExpr>(around)) {
      if (cast->getCastKind() == CK_LValueToRValue)
        return {Use::Kind::Read};
      return cast->getCastKind() == CK_NoOp ? useOfLvalue(cast, depth) : Use{};
    }
    if (isa<UnaryExprOrTypeTraitExpr>(around))
      return {Use::Kind::Read};
    if (auto *choice = dyn_cast<ConditionalOperator>(around)) { // `c ? p : q`, of which the value is taken
      const auto *further = dyn_cast_or_null<CastExpr>(parentOf(choice));
      return {further && further->getCastKind() == CK_LValueToRValue ? Use::Kind::Read : Use::Kind::Other};
    }
    if (auto *binary = dyn_cast<BinaryOperator>(around); binary && binary->getLHS()->IgnoreParens() == at) {
      if (binary->getOpcode() == BO_Assign)
        return {Use::Kind::Assigned, binary->getRHS()};
      return {binary->isCompoundAssignmentOp() ? Use::Kind::Moved : Use::Kind::Other};
    }
    if (auto *unary = dyn_cast<UnaryOperator>(around)) {
      if (unary->isIncrementDecrementOp())
        return {Use::Kind::Moved};
      return unary->getOpcode() == UO_AddrOf ? useOfAddress(unary, depth) : Use{};
    }
    auto *call = dyn_cast<CallExpr>(around);
    return call ? useAsReference(call, at, depth) : Use{};
  }

  /// `static_cast<T *&>(p)` and similar calls, of the same type: a reference, or its value after all.
  Use useOfLvalue(const CastExpr *cast, unsigned depth) const {
    const auto *around = dyn_cast_or_null<Expr>(parentOf(cast));
    return around ? useIn(around, cast, depth) : Use{};
  }

  /// `&p`, handed to a call through whatever casts.
  Use useOfAddress(const Expr *address, unsigned depth) const {
    const Expr *at = address;
    const Stmt *parent = parentOf(at);
    while (parent && isa<CastExpr, ParenExpr>(parent)) {
      at = cast<Expr>(parent);
      parent = parentOf(at);
    }
    auto *call = dyn_cast_or_null<CallExpr>(parent);
    return call ? useAsArgument(call, at, depth) : Use{};
  }

  static std::optional<unsigned> numberOf(const CallExpr *call, const Expr *argument) {
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      if (call->getArg(i) == argument || call->getArg(i)->IgnoreParens() == argument)
        return i;
    return std::nullopt;
  }

  Use useAsArgument(const CallExpr *call, const Expr *argument, unsigned depth) const {
    const FunctionDecl *callee = call->getDirectCallee();
    const std::optional<unsigned> number = numberOf(call, argument);
    if (!callee || !number || *number >= callee->getNumParams() || isa<CXXOperatorCallExpr>(call))
      return {};
    if (*number == 0 && isNamed(callee, allocators))
      return {Use::Kind::Allocated};
    const QualType type = callee->getParamDecl(*number)->getType();
    if (type->isPointerType() && type->getPointeeType().isConstQualified())
      return {Use::Kind::Read};
    return allocatesThrough(callee, *number, depth) ? Use{Use::Kind::Allocated} : Use{};
  }

  /// `std::swap(p, q)`, or a function that takes the pointer by reference.
  Use useAsReference(const CallExpr *call, const Expr *argument, unsigned depth) const {
    const FunctionDecl *callee = call->getDirectCallee();
    const std::optional<unsigned> number = numberOf(call, argument);
    if (!callee || !number || *number >= callee->getNumParams() || isa<CXXOperatorCallExpr>(call))
      return {};
    if (callee->isInStdNamespace() && callee->getIdentifier() && callee->getName() == "swap" &&
        call->getNumArgs() == 2) {
      auto *other = dyn_cast<DeclRefExpr>(call->getArg(1 - *number)->IgnoreParens());
      auto *partner = other ? dyn_cast<VarDecl>(other->getDecl()) : nullptr;
      return partner ? Use{Use::Kind::Swapped, nullptr, partner->getCanonicalDecl()} : Use{};
    }
    const QualType type = callee->getParamDecl(*number)->getType();
    if (type->isLValueReferenceType() && type->getPointeeType().isConstQualified())
      return {Use::Kind::Read};
    return allocatesThrough(callee, *number, depth) ? Use{Use::Kind::Allocated} : Use{};
  }

  /// A function of the user's that puts new memory where its parameter points, or refers to, and does nothing
  /// else with it but look at what is there.
  bool allocatesThrough(const FunctionDecl *callee, unsigned number, unsigned depth) const {
    const FunctionDecl *function = bodyOf(callee);
    if (!function || depth >= deepestCall || number >= function->getNumParams())
      return false;
    const ParmVarDecl *parameter = function->getParamDecl(number);
    bool allocates = false;
    for (const DeclRefExpr *mention : mentionsOf(parameter)) {
      const Use use = parameter->getType()->isReferenceType() ? useOf(mention, depth + 1)
                                                              : useOfHandle(mention, depth + 1);
      if (use.kind == Use::Kind::Allocated)
        allocates = true;
      else if (use.kind != Use::Kind::Read)
        return false;
    }
    return allocates;
  }

  /// A mention of a pointer to the pointer: handed on as it is, or `*pp` read.
  Use useOfHandle(const DeclRefExpr *mention, unsigned depth) const {
    const Expr *at = mention;
    const Stmt *parent = parentOf(at);
    while (parent && isa<CastExpr, ParenExpr>(parent)) {
      at = cast<Expr>(parent);
      parent = parentOf(at);
    }
    if (auto *call = dyn_cast_or_null<CallExpr>(parent))
      return useAsArgument(call, at, depth);
    auto *unary = dyn_cast_or_null<UnaryOperator>(parent);
    if (!unary || unary->getOpcode() != UO_Deref)
      return {};
    auto *load = dyn_cast_or_null<CastExpr>(parentOf(unary));
    return {load && load->getCastKind() == CK_LValueToRValue ? Use::Kind::Read : Use::Kind::Other};
  }

  /// Every `return` gives new memory, directly or by a local variable that owns it.
  bool returnsNew(const FunctionDecl *callee, unsigned depth) {
    const FunctionDecl *function = bodyOf(callee);
    if (!function || !code.unit.isUserCode(function->getLocation()))
      return false;
    struct Returns : DynamicRecursiveASTVisitor {
      bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
      bool VisitReturnStmt(ReturnStmt *statement) override {
        found.push_back(statement->getRetValue());
        return true;
      }
      std::vector<const Expr *> found;
    } returns;
    returns.TraverseStmt(function->getBody());
    return !returns.found.empty() && std::ranges::all_of(returns.found, [&](const Expr *value) {
      if (!value)
        return false;
      auto *named = dyn_cast<DeclRefExpr>(value->IgnoreParenCasts());
      auto *local = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
      return local ? local->hasLocalStorage() && owns(local) : isNew(value, depth + 1);
    });
  }

  const Stmt *parentOf(const Expr *expression) const {
    DynTypedNodeList parents = code.unit.context().getParents(*expression);
    return parents.empty() ? nullptr : parents[0].get<Stmt>();
  }

  const HostCode &code;
  bool isWhole;
  std::map<const VarDecl *, bool> known;
  std::set<const VarDecl *> inProgress;
};

/// Compares the arguments of launches.
class ArgumentComparer {
public:
  ArgumentComparer(const HostCode &code, bool isWhole)
      : code(code), isWhole(isWhole), owners(code, isWhole) {}

  bool areDisjoint(const Expr *a, const Expr *b, unsigned depth = 0) {
    const Root one = rootOf(a), other = rootOf(b);
    if (one.isNull || other.isNull)
      return true;
    if (!one.variable || !other.variable || one.variable == other.variable)
      return false;
    const auto *p = dyn_cast<ParmVarDecl>(one.variable), *q = dyn_cast<ParmVarDecl>(other.variable);
    if (p && q)
      return p->getDeclContext() == q->getDeclContext() && isGiven(p) && isGiven(q) &&
             atEveryCall(p, depth, [&](const CallExpr *call) {
               return areDisjoint(call->getArg(p->getFunctionScopeIndex()),
                                  call->getArg(q->getFunctionScopeIndex()), depth + 1);
             });
    if (p || q) { // what a function allocates itself is not what it was given
      const ParmVarDecl *given = p ? p : q;
      const VarDecl *own = (p ? other : one).variable;
      return isGiven(given) && own->hasLocalStorage() && own->getDeclContext() == given->getDeclContext() &&
             owners.owns(own);
    }
    return owners.owns(one.variable) && owners.owns(other.variable);
  }

  bool isAllocated(const Expr *argument, unsigned depth = 0) {
    const Root root = rootOf(argument);
    if (root.isNull)
      return true;
    auto *p = dyn_cast_or_null<ParmVarDecl>(root.variable);
    if (!p)
      return root.variable && owners.owns(root.variable);
    return isGiven(p) && atEveryCall(p, depth, [&](const CallExpr *call) {
             return isAllocated(call->getArg(p->getFunctionScopeIndex()), depth + 1);
           });
  }

private:
  struct Root {
    const VarDecl *variable = nullptr;
    bool isNull = false;
  };

  /// The variable that a pointer is made from, by casts and arithmetic.
  Root rootOf(const Expr *pointer) const {
    for (;;) {
      pointer = pointer->IgnoreParenCasts();
      if (owners.isNull(pointer))
        return {nullptr, true};
      if (auto *sum = dyn_cast<BinaryOperator>(pointer); sum && sum->isAdditiveOp()) {
        pointer = sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS();
        continue;
      }
      auto *unary = dyn_cast<UnaryOperator>(pointer);
      auto *element = unary && unary->getOpcode() == UO_AddrOf
                          ? dyn_cast<ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens())
                          : nullptr;
      if (element && element->getBase()->IgnoreParenCasts()->getType()->isPointerType()) {
        pointer = element->getBase();
        continue;
      }
      auto *named = dyn_cast<DeclRefExpr>(pointer);
      auto *variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
      const bool isPointer = variable && variable->getType()->isPointerType();
      return {isPointer ? variable->getCanonicalDecl() : nullptr, false};
    }
  }

  bool isGiven(const ParmVarDecl *parameter) const { return owners.isOnlyRead(parameter); }

  /// All calls of the parameter's function, where all of them are seen.
  template <class Holds> bool atEveryCall(const ParmVarDecl *parameter, unsigned depth, const Holds &holds) {
    auto *function = dyn_cast<FunctionDecl>(parameter->getDeclContext());
    if (!function || depth >= deepestCall || isa<CXXMethodDecl>(function) ||
        (function->isExternallyVisible() && !isWhole))
      return false;
    function = function->getCanonicalDecl();
    auto calls = code.calls.find(function);
    auto named = code.named.find(function);
    if (named == code.named.end())
      return true; // it is not called: what it launches is never launched
    if (calls == code.calls.end() || named->second != calls->second.size())
      return false; // its address goes elsewhere
    return std::ranges::all_of(calls->second, [&](const CallExpr *call) {
      return call->getNumArgs() == function->getNumParams() && holds(call);
    });
  }

  const HostCode &code;
  bool isWhole;
  Owners owners;
};

bool isLaunchOf(const CUDAKernelCallExpr *launch, const Kernel &kernel) {
  const FunctionDecl *callee = launch->getDirectCallee();
  return callee && mangledKernelName(callee) == kernel.mangledName;
}

} // namespace

DisjointArguments disjointArguments(const Program &program, const Kernel &kernel, bool isSaidToBeWhole) {
  const HostCode code(program.host());
  std::vector<const CUDAKernelCallExpr *> launches;
  for (const CUDAKernelCallExpr *launch : code.launches)
    if (isLaunchOf(launch, kernel))
      launches.push_back(launch);
  // Launches in other forms do not show their arguments.
  const bool areShown = std::ranges::all_of(program.launchesOf(kernel), [&](const Launch *launch) {
    return std::ranges::find(launches, launch->call) != launches.end();
  });
  DisjointArguments found;
  if (!areShown || launches.empty())
    return found;
  ArgumentComparer comparer(code, isSaidToBeWhole || isWholeProgram(program));
  const auto atEveryLaunch = [&](const auto &holds) { return std::ranges::all_of(launches, holds); };
  const unsigned count = kernel.function->getNumParams();
  const auto isPointer = [&](unsigned i) {
    return kernel.function->getParamDecl(i)->getType()->isPointerType();
  };
  for (unsigned i = 0; i < count; ++i) {
    if (!isPointer(i))
      continue;
    if (atEveryLaunch(
            [&](const CUDAKernelCallExpr *launch) { return comparer.isAllocated(launch->getArg(i)); }))
      found.allocated.insert(i);
    for (unsigned j = i + 1; j < count; ++j)
      if (isPointer(j) && atEveryLaunch([&](const CUDAKernelCallExpr *launch) {
            return comparer.areDisjoint(launch->getArg(i), launch->getArg(j));
          }))
        found.pairs.insert({i, j});
  }
  return found;
}

} // namespace heddle::source

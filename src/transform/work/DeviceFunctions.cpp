// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions that read an index which work items replace get it as a parameter:
//
//     __device__ int row() { return threadIdx.y; }     =>   __device__ int row(unsigned threadY) { return threadY; }
//
// 1. Collect the functions that read such an index, or call one that does, callees first.
// 2. A function that only this kernel and others of these use is changed in place; else it is copied under a new name, and
//    what the original calls is no longer used by this kernel alone: to a fixed point.
// 3. Each gets the indices that it, or one that it calls, mentions; calls pass them on.
//
// Refused: member functions, functions made by a macro, lambdas inside. Instantiations of one template share one text.
#include "transform/work/DeviceFunctions.h"

#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/FunctionCopies.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <functional>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

class FunctionChanger {
public:
  FunctionChanger(Context &context, const Kernel &kernel, const ItemIndices &indices, Names &names)
      : context(context), kernel(kernel), unit(*kernel.unit), indices(indices), names(names),
        copies(names, "For" + kernel.function->getNameAsString()) {}

  std::optional<CallChanges> run() {
    gather(Uses::of(kernel.function->getBody()));
    if (needing.empty())
      return changes;
    const std::set<unsigned> ours = usedOnlyFor(unit, kernel.function, needing);
    for (const FunctionDecl *function : needing) {
      if (!check(function))
        return std::nullopt;
      bool isOurs = ours.contains(source::Mentions::key(function));
      inPlace[function] = isOurs;
      std::string name = function->getNameAsString();
      changes[function] = {isOurs ? name : copies.of(function), listOf(function, &ItemIndices::Passed::name)};
    }
    for (const FunctionDecl *function : needing)
      if (!(inPlace[function] ? changeInPlace(function) : addCopy(function)))
        return std::nullopt;
    return changes;
  }

private:
  /// Fills `needing`, callees before callers.
  bool gather(const Uses &uses) {
    bool needs = std::ranges::any_of(uses.builtins, [&](const Uses::Builtin &builtin) {
      return indices.replacementFor(builtin.what).has_value();
    });
    for (const FunctionDecl *callee : calledFunctions(unit, uses)) {
      if (!seen.contains(callee)) {
        seen[callee] = false;
        usesOf[callee] = Uses::of(callee->getBody());
        if (gather(usesOf[callee])) {
          seen[callee] = true;
          needing.push_back(callee);
        }
      }
      needs |= seen[callee];
    }
    return needs;
  }

  bool check(const FunctionDecl *function) {
    if (!mayTakeParameter(context, unit, function, "thread's index"))
      return false;
    const Stmt *lambda = usesOf[function].lambda;
    return !lambda ||
           context.refuse(unit.location(lambda), "a lambda in a function that reads the thread's index");
  }

  /// What this function, or one it calls, must be given.
  std::vector<ItemIndices::Passed> passedTo(const FunctionDecl *function) {
    std::string texts;
    std::set<const FunctionDecl *> visited;
    std::function<void(const FunctionDecl *)> visit = [&](const FunctionDecl *each) {
      if (!visited.insert(each).second)
        return;
      for (const Uses::Builtin &builtin : usesOf[each].builtins)
        texts += indices.replacementFor(builtin.what).value_or("") + " ";
      for (const FunctionDecl *callee : calledFunctions(unit, usesOf[each]))
        if (seen[callee])
          visit(callee);
    };
    visit(function);
    std::vector<ItemIndices::Passed> wanted;
    for (ItemIndices::Passed &each : indices.passed())
      if (mentionsWord(texts, each.name))
        wanted.push_back(std::move(each));
    return wanted;
  }

  std::string listOf(const FunctionDecl *function, std::string ItemIndices::Passed::*part) {
    std::vector<std::string> list;
    for (const ItemIndices::Passed &each : passedTo(function))
      list.push_back(each.*part);
    return llvm::join(list, ", ");
  }

  std::vector<Replacement> editsOf(const FunctionDecl *function) {
    std::vector<Replacement> parts = replacementsIn(unit, usesOf[function], indices, changes);
    llvm::append_range(parts, changedHead(unit, function, changes[function].name,
                                          listOf(function, &ItemIndices::Passed::declaration)));
    return parts;
  }

  bool changeInPlace(const FunctionDecl *function) {
    replaceParts(context, unit, editsOf(function));
    return true;
  }

  /// The instantiations of a kernel template share their text, and the copies that it calls.
  bool isCopiedForEarlierInstance(const FunctionDecl *function) {
    for (const Kernel *instance : context.target.instances) {
      if (instance == &kernel)
        return false;
      FunctionChanger earlier(context, *instance, indices, names);
      earlier.gather(Uses::of(instance->function->getBody()));
      for (const FunctionDecl *each : earlier.needing)
        if (source::Mentions::key(each) == source::Mentions::key(function))
          return true;
    }
    return false;
  }

  bool addCopy(const FunctionDecl *function) {
    const bool isThere = !copies.isFirstCopy(function) || // another instantiation of the same template
                         isCopiedForEarlierInstance(function);
    return isThere || insertCopy(context, unit, function, editsOf(function));
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const ItemIndices &indices;
  Names &names;
  CopyNames copies;
  std::map<const FunctionDecl *, bool> seen, inPlace;
  std::map<const FunctionDecl *, Uses> usesOf;
  std::vector<const FunctionDecl *> needing;
  CallChanges changes;
};

} // namespace

std::optional<CallChanges> changeDeviceFunctions(Context &context, const Kernel &kernel,
                                                 const ItemIndices &indices, Names &names) {
  return FunctionChanger(context, kernel, indices, names).run();
}

} // namespace heddle::transform

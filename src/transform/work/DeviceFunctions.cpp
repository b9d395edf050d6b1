// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/DeviceFunctions.h"

#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/Mentions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>
#include <functional>
#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::Uses;

namespace {

/// Functions of the user's with a body that a piece of code calls.
std::vector<const FunctionDecl *> calleesIn(const source::Unit &unit, const Uses &uses) {
  std::vector<const FunctionDecl *> found;
  for (const CallExpr *call : uses.calls) {
    const FunctionDecl *callee = analysis::calleeOf(call);
    if (callee && callee->hasBody() && unit.isUserCode(callee->getLocation()))
      found.push_back(callee);
  }
  return found;
}

class FunctionChanger {
public:
  FunctionChanger(Context &context, const source::Kernel &kernel, const ItemIndices &indices, Names &names)
      : context(context), kernel(kernel), unit(*kernel.unit), indices(indices), names(names) {}

  std::optional<CallChanges> run() {
    gather(Uses::of(kernel.function->getBody()));
    if (needing.empty())
      return changes;
    const std::set<unsigned> ours = onlyOurs();
    for (const FunctionDecl *function : needing) {
      if (!check(function))
        return std::nullopt;
      bool isOurs = ours.contains(Mentions::key(function));
      inPlace[function] = isOurs;
      std::string name = function->getNameAsString();
      changes[function] = {isOurs ? name : nameOfCopy(function), argumentsOf(function)};
    }
    for (const FunctionDecl *function : needing)
      if (!(inPlace[function] ? changeInPlace(function) : addCopy(function)))
        return std::nullopt;
    return changes;
  }

private:
  /// Fills `needing`, callees before callers.
  bool gather(const Uses &uses) {
    bool needs = std::any_of(uses.builtins.begin(), uses.builtins.end(), [&](const Uses::Builtin &builtin) {
      return indices.replacementFor(builtin.what).has_value();
    });
    for (const FunctionDecl *callee : calleesIn(unit, uses)) {
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
    if (isa<CXXMethodDecl>(function) || !function->getIdentifier()) {
      context.refuse(
          unit.place(function->getLocation()),
          fmt::format("'{}' asks for the thread's index and is a member function, which cannot be given "
                      "another parameter",
                      function->getNameAsString()));
      return false;
    }
    if (usesOf[function].lambda) {
      context.refuse(unit.place(usesOf[function].lambda),
                     "a lambda in a function that asks for the thread's index");
      return false;
    }
    if (function->getLocation().isMacroID()) {
      context.refuse(unit.place(function->getLocation()),
                     fmt::format("'{}' asks for the thread's index and is made by a macro",
                                 function->getNameAsString()));
      return false;
    }
    return true;
  }

  /// The kernel, and functions that only it and others of these use: they may be changed in place. A function
  /// that must be copied keeps its original, which goes on calling what it called: so that is not only ours
  /// either.
  std::set<unsigned> onlyOurs() const {
    Mentions mentions(unit);
    std::set<unsigned> ours = {Mentions::key(kernel.function)};
    for (const FunctionDecl *each : needing)
      ours.insert(Mentions::key(each));
    auto hasOtherUsers = [&](const FunctionDecl *function) {
      const auto &users = mentions.of(function);
      const bool isDeclaredOnce = function->getFirstDecl() == function->getMostRecentDecl();
      return !isDeclaredOnce || !std::includes(ours.begin(), ours.end(), users.begin(), users.end());
    };
    for (bool removes = true; removes;) {
      removes = false;
      for (const FunctionDecl *each : needing)
        if (ours.contains(Mentions::key(each)) && hasOtherUsers(each))
          removes = ours.erase(Mentions::key(each)) > 0;
    }
    return ours;
  }

  std::string nameOfCopy(const FunctionDecl *function) {
    std::string &name = copyNames[Mentions::key(function)];
    if (name.empty())
      name = names.fresh(function->getNameAsString() + "For" + kernel.function->getNameAsString());
    return name;
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
      for (const FunctionDecl *callee : calleesIn(unit, usesOf[each]))
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

  std::string argumentsOf(const FunctionDecl *function) {
    std::string list;
    for (const ItemIndices::Passed &each : passedTo(function))
      list += (list.empty() ? "" : ", ") + each.name;
    return list;
  }
  std::string parametersOf(const FunctionDecl *function) {
    std::string list;
    for (const ItemIndices::Passed &each : passedTo(function))
      list += (list.empty() ? "" : ", ") + each.declaration;
    return list;
  }

  std::vector<source::Replacement> editsOf(const FunctionDecl *function) {
    std::vector<source::Replacement> parts = replacementsIn(unit, usesOf[function], indices, changes);
    SourceLocation name = function->getLocation();
    if (changes[function].name != function->getNameAsString())
      parts.push_back({SourceRange(name, name), changes[function].name});
    if (std::string list = parametersOf(function); !list.empty())
      if (auto part = inFrontOfArguments(unit, SourceRange(name, name), list))
        parts.push_back(*part);
    return parts;
  }

  bool changeInPlace(const FunctionDecl *function) {
    for (const source::Replacement &part : editsOf(function))
      context.edits.replace(unit, part.part, part.text);
    return true;
  }

  /// The instantiations of a kernel template share their text, and the copies that it calls.
  bool isCopiedForEarlierInstance(const FunctionDecl *function) {
    for (const source::Kernel *instance : context.target.instances) {
      if (instance == &kernel)
        return false;
      FunctionChanger earlier(context, *instance, indices, names);
      earlier.gather(Uses::of(instance->function->getBody()));
      for (const FunctionDecl *each : earlier.needing)
        if (Mentions::key(each) == Mentions::key(function))
          return true;
    }
    return false;
  }

  bool addCopy(const FunctionDecl *function) {
    if (!copied.insert(Mentions::key(function)).second)
      return true; // another instantiation of the same template
    if (isCopiedForEarlierInstance(function))
      return true;
    return insertCopy(context, unit, function, editsOf(function));
  }

  Context &context;
  const source::Kernel &kernel;
  const source::Unit &unit;
  const ItemIndices &indices;
  Names &names;
  std::map<const FunctionDecl *, bool> seen, inPlace;
  std::map<const FunctionDecl *, Uses> usesOf;
  std::vector<const FunctionDecl *> needing;
  std::map<unsigned, std::string> copyNames;
  std::set<unsigned> copied;
  CallChanges changes;
};

} // namespace

std::optional<CallChanges> changeDeviceFunctions(Context &context, const source::Kernel &kernel,
                                                 const ItemIndices &indices, Names &names) {
  return FunctionChanger(context, kernel, indices, names).run();
}

} // namespace heddle::transform

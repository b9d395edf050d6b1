// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions of a kernel whose blocks become tasks: they mean the task's block, not the hardware's. See the header for the
// example.
//
// 1. Collect called functions that read blockIdx or gridDim, or declare shared memory, or call such a function; callees first.
// 2. Functions that others use too, or that are declared more than once, are copied; the others are changed in place.
// 3. Those that need the task get it as first parameter, and calls pass it on.
//
// Refused: member functions and functions made by a macro. Recursion is followed once.
#include "transform/tasks/TaskFunctions.h"

#include "source/Unit.h"
#include "transform/FunctionCopies.h"

#include <clang/AST/ASTLambda.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

class TaskFunctionChanger {
public:
  TaskFunctionChanger(Context &context, const TaskShape &shape, Names &names)
      : context(context), kernel(context.target.first()), unit(*kernel.unit), shape(shape),
        copies(names, "Of" + kernel.function->getNameAsString()) {}

  std::optional<std::vector<Replacement>> run() {
    Uses own;
    for (const Kernel *instance : context.target.instances)
      own.add(instance->function->getBody());
    gather(own);
    if (!changing.empty() && !change())
      return std::nullopt;
    return callsIn(own);
  }

private:
  struct Function {
    TaskUses uses;
    bool changes = false; ///< it, or one that it calls
    bool needsTask = false;
    std::string name; ///< what it is called from now on
    bool isCopied = false;
  };

  /// Fills `functions` and `changing`, callees first. A function that calls itself is changed for its own
  /// sake only; its calls are seen to all the same.
  void gather(const Uses &uses) {
    for (const FunctionDecl *callee : calledFunctions(unit, uses)) {
      if (functions.contains(callee))
        continue;
      functions[callee].uses = TaskUses::of(callee);
      gather(functions[callee].uses.uses);
      Function &function = functions[callee];
      function.changes = function.uses.needsChange(shape);
      function.needsTask = function.uses.needsTask(shape);
      function.name = callee->getNameAsString();
      for (const FunctionDecl *inner : calledFunctions(unit, function.uses.uses)) {
        function.changes |= functions[inner].changes;
        function.needsTask |= functions[inner].needsTask;
      }
      if (function.changes)
        changing.push_back(callee);
    }
  }

  bool change() {
    const std::set<unsigned> ours = usedOnlyFor(unit, kernel.function, changing);
    for (const FunctionDecl *each : changing) {
      if (!mayTakeParameter(context, unit, each, shape.isItem ? "thread" : "block"))
        return false;
      functions[each].isCopied = shape.keepsFunctions || !ours.contains(source::Mentions::key(each));
      if (functions[each].isCopied)
        functions[each].name = copies.of(each);
    }
    return std::ranges::all_of(changing, [&](const FunctionDecl *each) { return rewrite(each); });
  }

  std::vector<Replacement> callsIn(const Uses &uses) {
    CallChanges changes;
    for (const auto &[function, known] : functions)
      changes[function] = {known.name, known.needsTask ? shape.task : ""};
    return changedCalls(unit, uses, changes);
  }

  bool rewrite(const FunctionDecl *function) {
    const Function &known = functions[function];
    std::vector<Replacement> parts = taskEditsIn(unit, function, known.uses, shape);
    llvm::append_range(parts, callsIn(known.uses.uses));
    llvm::append_range(parts,
                       changedHead(unit, function, known.name, known.needsTask ? shape.parameter() : ""));
    if (!known.isCopied) {
      replaceParts(context, unit, parts);
      return true;
    }
    return !copies.isFirstCopy(function) || insertCopy(context, unit, function, parts);
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const TaskShape &shape;
  CopyNames copies;
  std::map<const FunctionDecl *, Function> functions;
  std::vector<const FunctionDecl *> changing;
};

} // namespace

std::optional<std::vector<Replacement>> changeTaskFunctions(Context &context, const TaskShape &shape,
                                                            Names &names) {
  return TaskFunctionChanger(context, shape, names).run();
}

} // namespace heddle::transform

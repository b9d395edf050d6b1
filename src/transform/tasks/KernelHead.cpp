// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/tasks/KernelHead.h"

#include "source/Mentions.h"
#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/work/ItemIndices.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

/// Columns that a line should not go beyond.
constexpr size_t longestHead = 110;

bool mentionsName(const Unit &unit, const FunctionDecl *function, const std::string &name) {
  const source::TokenEdit range = source::tokensOf(unit, source::wholeDefinition(unit, function));
  auto tokens = unit.tokens().expandedTokens().slice(range.begin, range.end - range.begin);
  return llvm::any_of(tokens, [&](const syntax::Token &token) { return token.text(unit.sources()) == name; });
}

} // namespace

const FunctionDecl *patternOf(const FunctionDecl *function) {
  const FunctionDecl *found = function->getTemplateInstantiationPattern();
  return found ? found : function;
}

std::string templateArgumentsOf(const FunctionDecl *function) {
  const FunctionTemplateDecl *described = patternOf(function)->getDescribedFunctionTemplate();
  if (!described)
    return {};
  std::vector<std::string> list;
  for (const NamedDecl *parameter : *described->getTemplateParameters())
    list.push_back(parameter->getNameAsString() + (parameter->isTemplateParameterPack() ? "..." : ""));
  return "<" + llvm::join(list, ", ") + ">";
}

std::vector<const FunctionDecl *> functionsOf(const Kernel &kernel) {
  std::vector<const FunctionDecl *> found = {kernel.function};
  for (size_t next = 0; next < found.size(); ++next)
    for (const FunctionDecl *callee : calledFunctions(*kernel.unit, Uses::of(found[next]->getBody())))
      if (std::ranges::find(found, callee) == found.end())
        found.push_back(callee);
  return found;
}

std::string nameFreeIn(const Kernel &kernel, const std::string &wanted) {
  const std::vector<const FunctionDecl *> functions = functionsOf(kernel);
  std::string name = wanted;
  auto isTaken = [&] {
    return std::ranges::any_of(
        functions, [&](const FunctionDecl *function) { return mentionsName(*kernel.unit, function, name); });
  };
  for (unsigned number = 2; isTaken(); ++number)
    name = wanted + std::to_string(number);
  return name;
}

std::optional<Replacement> inFrontOfParameters(const Kernel &kernel, const std::string &more,
                                               const std::string &parameter) {
  const clang::SourceLocation name = kernel.function->getLocation();
  const SourceLocation location = kernel.unit->location(name);
  const bool isLong = location.sourceLine.size() + more.size() + parameter.size() > longestHead;
  const Code below = Code::blankLine().add("    " + parameter);
  return inFrontOfArguments(*kernel.unit, SourceRange(name, name),
                            isLong ? below.str(source::Rewriter(*kernel.unit).indentOf(name)) : parameter);
}

void giveDeclarations(Context &context, const std::string &type) {
  const Kernel &kernel = context.target.first();
  for (const FunctionDecl *declared : patternOf(kernel.function)->redecls()) {
    if (declared->doesThisDeclarationHaveABody())
      continue;
    const SourceRange name(declared->getLocation(), declared->getLocation());
    if (auto part = inFrontOfArguments(*kernel.unit, name, type))
      context.edits.replace(*kernel.unit, part->part, part->text);
  }
}

bool mayBeGivenParameter(Context &context, const Kernel &kernel) {
  if (kernel.function->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    return context.refuse(
        kernel.location,
        "a parameter cannot be added to an explicit specialization without its primary template");
  for (const auto &other : context.program.kernels())
    if (other->plainName == kernel.plainName &&
        other->function->getLocation() != kernel.function->getLocation())
      return context.refuse(
          other->location,
          "there is another kernel called '{}', so that its name alone does not say which one to launch",
          kernel.plainName);
  return true;
}

} // namespace heddle::transform

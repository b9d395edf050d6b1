// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlining on the text: a block with the parameters as variables and the function's body as the user wrote
// it.
//
//   1. Collect the calls to functions with barriers (the view of regions has them).
//   2. Decide: the function must return at its end only, the call must be a statement, or the whole of what a
//      statement assigns, and no name of the kernel's may hide what the function means.
//   3. Edit: parameters and variables that share a name with one of the kernel's get another. Shared arrays
//   of a function that is
//      called more than once are declared before all calls, as there is one of them for all.
//
// Calls inside the function are met when the text is read again.
#include "transform/InlineCalls.h"

#include "analysis/CallEffects.h"
#include "analysis/RegionView.h"
#include "source/DeclaredType.h"
#include "source/ReachingDefinitions.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/Names.h"
#include "transform/SeparateNames.h"
#include "transform/tasks/KernelHead.h"
#include "transform/work/ItemIndices.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <map>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

struct CallSite {
  const CallExpr *call = nullptr;
  const Stmt *statement = nullptr;
};

/// The calls to functions that hold barriers, in the order of the text.
std::vector<CallSite> sitesIn(const analysis::KernelTree &tree) {
  std::vector<CallSite> sites;
  analysis::RegionView(tree).forEach([&](const analysis::RegionStep &step) {
    if (step.kind == analysis::RegionStep::Kind::Call)
      sites.push_back({step.point->call, step.point->statement});
  });
  return sites;
}

const Expr *withoutWrappers(const Expr *expression) {
  for (;;) {
    const Expr *inner = expression->IgnoreParenImpCasts();
    if (auto *cleanups = dyn_cast<ExprWithCleanups>(inner))
      inner = cleanups->getSubExpr();
    else if (auto *temporary = dyn_cast<MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    else if (auto *cast = dyn_cast<ExplicitCastExpr>(inner))
      inner = cast->getSubExpr();
    if (inner == expression)
      return inner;
    expression = inner;
  }
}

bool isWholeStatement(const CallSite &site) {
  auto *expression = dyn_cast<Expr>(site.statement);
  return expression && withoutWrappers(expression) == site.call;
}

/// `x = f(...)`, `x += f(...)`, `T x = f(...)`: the call can be made before the statement.
bool isWholeValue(const CallSite &site) {
  if (auto *declaration = dyn_cast<DeclStmt>(site.statement)) {
    auto *variable = declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
    return variable && variable->getInit() && withoutWrappers(variable->getInit()) == site.call;
  }
  auto *expression = dyn_cast<Expr>(site.statement);
  auto *assignment = expression ? dyn_cast<BinaryOperator>(withoutWrappers(expression)) : nullptr;
  return assignment && assignment->isAssignmentOp() && withoutWrappers(assignment->getRHS()) == site.call &&
         Uses::of(assignment->getLHS()).calls.empty();
}

/// A return that is the last thing the function does; null where it falls off its end.
const ReturnStmt *lastReturn(const FunctionDecl *function) {
  auto *body = dyn_cast<CompoundStmt>(function->getBody());
  return body && !body->body_empty() ? dyn_cast<ReturnStmt>(body->body_back()) : nullptr;
}

/// The names of the kernel's own variables.
std::set<std::string> localNames(const FunctionDecl *kernel) {
  std::set<std::string> names;
  for (const ParmVarDecl *parameter : kernel->parameters())
    names.insert(parameter->getNameAsString());
  for (const VarDecl *variable : Uses::of(kernel->getBody()).declared())
    names.insert(variable->getNameAsString());
  return names;
}

/// Where the text of a template's definition, from its name on, mentions one of its parameters.
class TemplateMentions : public DynamicRecursiveASTVisitor {
public:
  TemplateMentions(const FunctionDecl *instantiation, const NamedDecl *parameter) : parameter(parameter) {
    if (const FunctionDecl *pattern = instantiation->getTemplateInstantiationPattern())
      TraverseStmt(pattern->getBody());
  }
  std::set<clang::SourceLocation> locations;

  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    if (reference->getDecl() == parameter)
      locations.insert(reference->getLocation());
    return true;
  }
  bool VisitTemplateTypeParmTypeLoc(TemplateTypeParmTypeLoc type) override {
    if (type.getDecl() == parameter)
      locations.insert(type.getNameLoc());
    return true;
  }

private:
  const NamedDecl *parameter;
};

class Inliner {
public:
  Inliner(Context &context, const Kernel &kernel)
      : isInstantiatedOften(context.target.instances.size() > 1), kernel(kernel), unit(*kernel.unit),
        facts(context.facts(kernel)), text(unit), names(unit), ofKernel(localNames(kernel.function)) {}

  source::Edits run() {
    const std::vector<CallSite> sites = sitesIn(*facts.tree);
    std::map<const FunctionDecl *, unsigned> count;
    for (const CallSite &site : sites)
      ++count[calleeOf(site)];
    for (const CallSite &site : sites)
      if (!reasonNotToInline(facts, site.call, site.statement))
        tryAt(site, count[calleeOf(site)] > 1);
    return std::move(edits);
  }

private:
  static const FunctionDecl *calleeOf(const CallSite &site) {
    const FunctionDecl *callee = analysis::calleeOf(site.call), *defined = nullptr;
    return callee && callee->hasBody(defined) ? defined : callee;
  }

  /// A call some of whose text cannot be had is left as it is, without a trace of the attempt.
  void tryAt(const CallSite &site, bool isRepeated) {
    text.failure.reset();
    source::Edits before = edits;
    const std::set<const FunctionDecl *> sharedBefore = shared;
    if (inlineAt(site, isRepeated) && !text.failure)
      return;
    edits = std::move(before);
    shared = sharedBefore;
  }

  bool inlineAt(const CallSite &site, bool isRepeated) {
    const FunctionDecl *callee = calleeOf(site);
    std::string value;
    Code code;
    std::vector<Replacement> parts;
    const ReturnStmt *last = lastReturn(callee);
    if (!callee->getReturnType()->isVoidType() && !isWholeStatement(site)) {
      value = names.fresh(callee->getNameAsString() + "Value");
      std::optional<std::string> type = returnType(callee, value);
      if (!type)
        return false;
      code.add(*type + ";");
      parts.push_back({SourceRange(last->getReturnLoc(), last->getReturnLoc()), value + " ="});
    } else if (last) {
      bool hasValue = last->getRetValue() != nullptr; // called for its effect
      parts.push_back({hasValue ? SourceRange(last->getReturnLoc(), last->getReturnLoc())
                                : source::wholeStatement(unit, last),
                       hasValue ? "(void)" : ""});
    }
    taken = ofKernel; // and what the arguments mean must not be hidden by the parameters
    for (const Expr *argument : site.call->arguments())
      for (const NamedDecl *each : mentionedFromOutside(argument))
        taken.insert(each->getNameAsString());
    aliasNames.clear();
    Code inside = aliases(site, callee, parts);
    std::optional<Code> parameters = declareParameters(site, callee, parts);
    if (!parameters)
      return false;
    renameLocals(callee, parts);
    if (isRepeated)
      shareArrays(callee, parts);
    Code body = bodyText(callee, parts);
    if (body.empty())
      return false;
    code.add("{ // " + callee->getNameAsString()).add(inside.add(*parameters).deeper()).add(body);
    if (!value.empty())
      code.add(text.statement(site.statement, {{site.call->getSourceRange(), value}}));
    const bool needsBraces = !isa<DeclStmt>(site.statement) && !value.empty() && !isInBlock(site.statement);
    if (needsBraces)
      code = Code("{ ").join(code).join(" }");
    text.replace(edits, source::wholeStatement(unit, site.statement), code);
    return true;
  }

  /// The body of a function without its opening brace; nothing where it cannot be had.
  Code bodyText(const FunctionDecl *callee, const std::vector<Replacement> &parts) {
    const SourceRange range = callee->getBody()->getSourceRange();
    std::variant<source::EditText, Diagnostic> rendered = source::renderLines(unit, range, parts);
    auto *whole = std::get_if<source::EditText>(&rendered);
    if (!whole || !llvm::StringRef(whole->text).starts_with("{"))
      return {};
    whole->text.erase(0, 1);
    const std::string indent = text.indentOf(callee->getOuterLocStart());
    // What was taken out leaves empty lines; what followed the brace gets a line of its own.
    Code body = Code::written(*whole, indent);
    const bool isOnBrace = !llvm::StringRef(body.all().front().text).trim().empty();
    return isOnBrace ? Code(llvm::StringRef(whole->text).ltrim().str()).deeper() : body.withoutBlankStart();
  }

  bool isInBlock(const Stmt *statement) const {
    const Stmt *parent = facts.uniformity->definitions().graph().parent(statement);
    return !parent || isa<CompoundStmt>(parent);
  }

  /// What the template's own names represent at this call. Text that the call gives is taken as it is: in a
  /// kernel that is a template itself it may be different things. A name that the kernel, or the text of the
  /// call, has another meaning for is replaced by a fresh one: `f<N + 1>(t + N)`.
  Code aliases(const CallSite &site, const FunctionDecl *callee, std::vector<Replacement> &parts) {
    Code lines;
    const TemplateArgumentList *arguments = callee->getTemplateSpecializationArgs();
    const TemplateParameterList *parameters = parametersOf(callee);
    if (!arguments || !parameters)
      return lines;
    auto *name = dyn_cast<DeclRefExpr>(site.call->getCallee()->IgnoreParenImpCasts());
    for (unsigned i = 0; i < arguments->size() && i < parameters->size(); ++i) {
      const NamedDecl *parameter = parameters->getParam(i);
      std::string meant = name && i < name->getNumTemplateArgs()
                              ? text.text(name->getTemplateArgs()[i].getSourceRange())
                              : printed(arguments->get(i));
      const std::string own = parameter->getNameAsString();
      if (meant == own || !isMentioned(parameter, callee))
        continue;
      std::string alias = own;
      if (hasOtherMeaning(own, site)) {
        alias = aliasNames[own] = names.fresh(own);
        for (clang::SourceLocation at : TemplateMentions(callee, parameter).locations)
          parts.push_back({at, alias});
      }
      if (auto *number = dyn_cast<NonTypeTemplateParmDecl>(parameter))
        lines.addf("constexpr {} = {};", source::declareType(unit, number->getType(), alias).value_or(""),
                   meant);
      else
        lines.addf("using {} = {};", alias, meant);
    }
    return lines;
  }

  /// The parameters with the names that the function's text has for them.
  static const TemplateParameterList *parametersOf(const FunctionDecl *callee) {
    const FunctionTemplateDecl *described = patternOf(callee)->getDescribedFunctionTemplate();
    if (!described)
      described = callee->getPrimaryTemplate();
    return described ? described->getTemplateParameters() : nullptr;
  }

  bool hasOtherMeaning(const std::string &name, const CallSite &site) {
    if (taken.contains(name) || mentionsWord(text.text(site.call->getSourceRange()), name))
      return true;
    const FunctionTemplateDecl *described = patternOf(kernel.function)->getDescribedFunctionTemplate();
    return described && llvm::any_of(*described->getTemplateParameters(),
                                     [&](const NamedDecl *each) { return each->getNameAsString() == name; });
  }

  /// A declaration's text with the fresh names of template parameters.
  std::string withAliases(std::string declared) const {
    auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    for (const auto &[name, alias] : aliasNames)
      for (size_t at = declared.find(name); at != std::string::npos;
           at = declared.find(name, at + alias.size())) {
        const size_t end = at + name.size();
        const bool isWord =
            (at == 0 || (!isPart(declared[at - 1]) && declared[at - 1] != ':' && declared[at - 1] != '.')) &&
            (end == declared.size() || !isPart(declared[end]));
        if (isWord)
          declared.replace(at, name.size(), alias);
      }
    return declared;
  }

  bool isMentioned(const NamedDecl *parameter, const FunctionDecl *callee) {
    // From its name on: in front of it is the list of the template's parameters.
    return mentionsWord(text.text(SourceRange(callee->getLocation(), callee->getBody()->getEndLoc())),
                        parameter->getNameAsString());
  }
  std::string printed(const TemplateArgument &argument) const {
    std::string name;
    llvm::raw_string_ostream out(name);
    PrintingPolicy policy(unit.context().getLangOpts());
    policy.SuppressTagKeyword = true;
    argument.print(policy, out, false);
    return name;
  }

  std::optional<std::string> returnType(const FunctionDecl *callee, const std::string &name) {
    bool isTemplate = callee->getPrimaryTemplate() != nullptr;
    if (isTemplate && kernel.isInstantiation && isInstantiatedOften) {
      std::string written = text.text(callee->getReturnTypeSourceRange());
      return written.empty() ? std::nullopt : std::optional(written + " " + name);
    }
    return source::declareType(unit, callee->getReturnType().getUnqualifiedType(), name);
  }

  /// The parameters as variables; mentions of those that get another name are replaced.
  std::optional<Code> declareParameters(const CallSite &site, const FunctionDecl *callee,
                                        std::vector<Replacement> &parts) {
    Code lines;
    Uses inside = Uses::of(callee->getBody());
    for (unsigned i = 0; i < callee->getNumParams() && i < site.call->getNumArgs(); ++i) {
      const ParmVarDecl *parameter = callee->getParamDecl(i);
      const Expr *argument = site.call->getArg(i);
      bool isDefault = isa<CXXDefaultArgExpr>(argument);
      std::string given = text.text(isDefault ? parameter->getDefaultArgRange() : argument->getSourceRange());
      if (given.empty() || (!inside.mentions(parameter) && Uses::of(argument).calls.empty()))
        continue;
      const std::string own = renamed(parameter, inside, parts);
      std::optional<std::string> declared = source::redeclare(unit, parameter, own);
      if (!declared)
        return std::nullopt;
      lines.addf("{} = {};", withAliases(*declared), given);
    }
    return lines;
  }

  /// A name that nothing of the kernel's has: work loops may bring the kernel's variables into this block.
  std::string renamed(const VarDecl *variable, const Uses &inside, std::vector<Replacement> &parts) {
    std::string name = variable->getNameAsString();
    if (!taken.contains(name))
      return name;
    name = names.fresh(name);
    for (const DeclRefExpr *reference : inside.locals)
      if (reference->getDecl() == variable)
        parts.push_back({reference->getSourceRange(), name});
    if (!isa<ParmVarDecl>(variable))
      parts.push_back({SourceRange(variable->getLocation(), variable->getLocation()), name});
    return name;
  }

  void renameLocals(const FunctionDecl *callee, std::vector<Replacement> &parts) {
    Uses inside = Uses::of(callee->getBody());
    for (const VarDecl *variable : inside.declared())
      if (variable->hasLocalStorage())
        renamed(variable, inside, parts);
  }

  /// Shared arrays are one for all calls: declared at the kernel's top, and no longer in the function's text.
  void shareArrays(const FunctionDecl *callee, std::vector<Replacement> &parts) {
    bool isFirst = shared.insert(callee).second;
    Code lines;
    for (const Stmt *statement : Uses::of(callee->getBody()).statements) {
      auto *declaration = dyn_cast<DeclStmt>(statement);
      auto *variable = declaration ? dyn_cast<VarDecl>(*declaration->decl_begin()) : nullptr;
      if (!variable || !variable->hasAttr<CUDASharedAttr>())
        continue;
      parts.push_back({declaration->getSourceRange(), ""});
      lines.add(text.text(declaration->getSourceRange()));
    }
    auto *body = cast<CompoundStmt>(kernel.function->getBody());
    if (isFirst && !lines.empty())
      text.insertAtTop(edits, body, lines);
  }

  const bool isInstantiatedOften;
  const Kernel &kernel;
  const Unit &unit;
  const KernelFacts &facts;
  source::Rewriter text;
  source::Edits edits;
  Names names;
  const std::set<std::string> ofKernel;
  std::set<std::string> taken; ///< names that nothing may have in the block that takes the call's place
  std::map<std::string, std::string> aliasNames; ///< fresh names of the template's parameters at this call
  std::set<const FunctionDecl *> shared;
};

} // namespace

/// What the function means by its names is not what the kernel means by them.
static std::optional<std::string> whyNamesChange(const FunctionDecl *kernel, const FunctionDecl *callee,
                                                 const CallExpr *call) {
  const std::set<std::string> hidden = localNames(kernel);
  std::vector<const NamedDecl *> meant = mentionedFromOutside(callee);
  for (const Expr *argument : call->arguments())
    if (auto *byDefault = dyn_cast<CXXDefaultArgExpr>(argument))
      for (const NamedDecl *each : mentionedFromOutside(byDefault->getExpr()))
        meant.push_back(each);
  for (const NamedDecl *each : meant) {
    const DeclContext *scope = each->getDeclContext()->getRedeclContext();
    if (scope->isFunctionOrMethod())
      continue;
    if (hidden.contains(each->getNameAsString()))
      return fmt::format("its '{}' differs from the kernel's", each->getNameAsString());
    while (isa<EnumDecl>(scope))
      scope = scope->getParent()->getRedeclContext();
    auto *space = dyn_cast<NamespaceDecl>(scope);
    const bool isSeen = !space || space->isInline() || space->isAnonymousNamespace() ||
                        scope->Encloses(kernel) || !scope->Encloses(callee);
    if (!isSeen)
      return fmt::format("'{}' is a name of namespace '{}', which the kernel is not in",
                         each->getNameAsString(), space->getNameAsString());
  }
  return std::nullopt;
}

/// Its value cannot be kept in a variable that is declared before and assigned to.
static std::optional<std::string> whyNoValue(const FunctionDecl *callee) {
  const QualType type = callee->getReturnType();
  if (type->isReferenceType())
    return "it returns a reference";
  if (callee->getDeclaredReturnType()->getContainedAutoType() && callee->getPrimaryTemplate())
    return "what it returns is deduced for each instantiation";
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  const bool isMadeFreely =
      record && (record->hasTrivialDefaultConstructor() ||
                 (record->hasConstexprDefaultConstructor() && record->needsImplicitDefaultConstructor()));
  const bool isDim = record && record->getDeclName().isIdentifier() && record->getName() == "dim3";
  if (record && !isDim && !(isMadeFreely && record->isTriviallyCopyable()))
    return "its return type is not trivially copyable or not default constructible";
  return std::nullopt;
}

std::optional<std::string> reasonNotToInline(const KernelFacts &facts, const CallExpr *call,
                                             const Stmt *statement) {
  const Unit &unit = facts.uniformity->unit();
  const FunctionDecl *callee = analysis::calleeOf(call), *defined = nullptr;
  if (!callee || !callee->hasBody(defined))
    return "its body is not known";
  callee = defined;
  if (!unit.isUserCode(callee->getLocation()))
    return "it belongs to a library";
  if (isa<CXXMethodDecl>(callee))
    return "it is a member function";
  if (callee->isVariadic())
    return "it is a variadic function";
  if (isa<CXXOperatorCallExpr>(call))
    return "it is an overloaded operator";
  if (callee->getLocation().isMacroID())
    return "it is defined by a macro";
  CallSite site{call, statement};
  if (!isWholeStatement(site) && !isWholeValue(site))
    return "the call is part of a larger statement";
  Uses inside = Uses::of(callee->getBody());
  if (inside.lambda)
    return "there is a lambda in it";
  const ReturnStmt *last = lastReturn(callee);
  for (const ReturnStmt *each : inside.returns)
    if (each != last)
      return fmt::format("it returns before its end, in line {}", unit.location(each).line);
  for (const CallExpr *each : inside.calls)
    if (analysis::calleeOf(each) &&
        analysis::calleeOf(each)->getCanonicalDecl() == callee->getCanonicalDecl())
      return "it calls itself";
  if (std::optional<std::string> why = whyNamesChange(facts.kernel->function, callee, call))
    return why;
  if (std::optional<std::string> why = isWholeStatement(site) ? std::nullopt : whyNoValue(callee))
    return why;
  bool takesDeducedTypes = callee->getPrimaryTemplate() && facts.kernel->isInstantiation;
  auto *name = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
  if (takesDeducedTypes &&
      (!name || name->getNumTemplateArgs() < callee->getPrimaryTemplate()->getTemplateParameters()->size()))
    return "its template arguments are deduced: write them at the call";
  const bool sharesArrays = llvm::any_of(
      inside.declared(), [](const VarDecl *variable) { return variable->hasAttr<CUDASharedAttr>(); });
  if (takesDeducedTypes && sharesArrays)
    return "it is a template with shared arrays of its own";
  return std::nullopt;
}

std::optional<Needs> inlineCallsWithBarriers(Context &context, const Kernel &kernel) {
  return neededEdits("inline-calls", Inliner(context, kernel).run());
}

} // namespace heddle::transform

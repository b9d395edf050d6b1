// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Launch.h"

#include "source/Kernel.h"
#include "source/LaunchValues.h"
#include "source/ReachingDefinitions.h"
#include "source/Render.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ASTLambda.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <set>

using namespace clang;

namespace heddle::source {
namespace {

/// Functions of user code with a body that is not a template's pattern: what really runs on the host.
class FunctionFinder : public DynamicRecursiveASTVisitor {
public:
  explicit FunctionFinder(const Unit &unit) : unit(unit) { ShouldVisitTemplateInstantiations = true; }
  bool TraverseStmt(Stmt *) override { return true; }

  bool TraverseDecl(Decl *decl) override {
    bool topLevel = decl && decl->getDeclContext() && isa<TranslationUnitDecl>(decl->getDeclContext());
    if (topLevel && !unit.isUserCode(decl->getLocation()) && !isa<NamespaceDecl, LinkageSpecDecl>(decl))
      return true;
    return DynamicRecursiveASTVisitor::TraverseDecl(decl);
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext() &&
        unit.isUserCode(function->getLocation()))
      functions.push_back(function);
    return true;
  }
  std::vector<const FunctionDecl *> functions;

private:
  const Unit &unit;
};

/// The launches of one function; those of its lambdas are left to them.
class LaunchCalls : public DynamicRecursiveASTVisitor {
public:
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    if (const FunctionTemplateDecl *pattern = lambda->getDependentCallOperator()) {
      for (const FunctionDecl *instance : pattern->specializations())
        lambdas.push_back(instance);
    } else {
      lambdas.push_back(lambda->getCallOperator());
    }
    return true;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *call) override {
    calls.push_back(call);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = isa<CUDAKernelCallExpr>(call) ? nullptr : call->getDirectCallee();
    if (callee && callee->getIdentifier() && (formOf(callee->getName()) || isOurs(callee)))
      calls.push_back(call);
    return true;
  }
  /// `heddle::delegate` of runtime/heddle/delegate.cuh, `heddle::regroup` of regroup.cuh.
  static bool isOurs(const FunctionDecl *callee) {
    return isOfRuntime(callee) && (callee->getName() == "delegate" ||
                                   callee->getName() == "launchDelegated" || callee->getName() == "regroup");
  }
  static std::optional<Launch::Form> formOf(llvm::StringRef name) {
    if (name == "cudaLaunchKernel")
      return Launch::Form::LaunchKernel;
    if (name == "cudaLaunchCooperativeKernel")
      return Launch::Form::LaunchCooperative;
    if (name == "cudaLaunchKernelExC" || name == "cudaLaunchKernelEx")
      return Launch::Form::LaunchKernelEx;
    return std::nullopt;
  }
  std::vector<const CallExpr *> calls;
  std::vector<const FunctionDecl *> lambdas;
};

/// The function an expression names: directly, by address, through casts, or through a pointer with one
/// value.
const FunctionDecl *functionNamed(const Expr *expr, const LaunchValues &values, int depth = 0) {
  expr = expr->IgnoreParenCasts();
  if (const auto *unary = dyn_cast<UnaryOperator>(expr); unary && unary->getOpcode() == UO_AddrOf)
    expr = unary->getSubExpr()->IgnoreParenCasts();
  const auto *use = dyn_cast<DeclRefExpr>(expr);
  if (!use)
    return nullptr;
  if (const auto *function = dyn_cast<FunctionDecl>(use->getDecl()))
    return function;
  const auto *variable = dyn_cast<VarDecl>(use->getDecl());
  const Definition *only = variable && depth < 8 ? values.onlyDefinition(use, variable) : nullptr;
  return only && only->isExact() ? functionNamed(only->value, values, depth + 1) : nullptr;
}

class LaunchReader {
public:
  LaunchReader(const Unit &unit, const std::vector<std::unique_ptr<Kernel>> &kernels,
               std::vector<LaunchValues::Scope> scopes)
      : unit(unit), kernels(kernels), values(unit, std::move(scopes)) {}

  Launch read(const CallExpr *call) const {
    Launch launch;
    launch.call = call;
    launch.unit = &unit;
    launch.location = unit.location(call->getSourceRange());
    launch.insideMacro = call->getBeginLoc().isMacroID();
    if (const auto *chevron = dyn_cast<CUDAKernelCallExpr>(call))
      readChevron(chevron, launch);
    else if (LaunchCalls::isOurs(call->getDirectCallee()))
      readOurs(call, launch);
    else
      readRuntimeCall(call, launch);
    return launch;
  }

private:
  void readChevron(const CUDAKernelCallExpr *call, Launch &launch) const {
    launch.form = Launch::Form::TripleChevron;
    const FunctionDecl *callee = call->getDirectCallee();
    nameKernel(call->getCallee(), callee ? callee : functionNamed(call->getCallee(), values), launch);
    readShape(call->getConfig()->getArg(0), call->getConfig()->getArg(1), call->getConfig()->getArg(2),
              call->getConfig()->getArg(3), launch);
  }

  void readOurs(const CallExpr *call, Launch &launch) const {
    const llvm::StringRef name = call->getDirectCallee()->getName();
    launch.form = name == "regroup" ? Launch::Form::Regrouped : Launch::Form::Delegated;
    const bool hasArguments = name == "launchDelegated";
    if (name == "regroup" && call->getNumArgs() == 6) { // with a kernel that counts
      nameKernel(call->getArg(0), functionNamed(call->getArg(0), values), launch);
      return readShape(call->getArg(2), call->getArg(3), call->getArg(4), call->getArg(5), launch);
    }
    nameKernel(call->getArg(0), functionNamed(call->getArg(0), values), launch);
    readShape(call->getArg(1), call->getArg(2), call->getArg(hasArguments ? 4 : 3),
              call->getArg(hasArguments ? 5 : 4), launch);
  }

  void readRuntimeCall(const CallExpr *call, Launch &launch) const {
    launch.form = *LaunchCalls::formOf(call->getDirectCallee()->getName());
    if (launch.form == Launch::Form::LaunchKernelEx) {
      // Grid and block sit in a cudaLaunchConfig_t that is filled member by member and passed by address.
      if (call->getNumArgs() > 1)
        nameKernel(call->getArg(1), functionNamed(call->getArg(1), values), launch);
      for (LaunchShape *shape : {&launch.grid, &launch.block})
        for (LaunchNumber &n : shape->xyz)
          n.whyUnknown = "it is set in a cudaLaunchConfig_t";
      launch.dynamicSharedBytes.whyUnknown = "it is set in a cudaLaunchConfig_t";
      return;
    }
    nameKernel(call->getArg(0), functionNamed(call->getArg(0), values), launch);
    readShape(call->getArg(1), call->getArg(2), call->getNumArgs() > 4 ? call->getArg(4) : nullptr,
              call->getNumArgs() > 5 ? call->getArg(5) : nullptr, launch);
  }

  void readShape(const Expr *grid, const Expr *block, const Expr *shared, const Expr *stream,
                 Launch &launch) const {
    launch.grid = values.shape(grid);
    launch.block = values.shape(block);
    launch.dynamicSharedBytes = shared ? values.number(shared) : LaunchNumber{0, {}, {}};
    if (stream && !isa<CXXDefaultArgExpr>(stream->IgnoreImplicit()))
      if (Rendered text = render(unit, stream->getSourceRange()); std::holds_alternative<std::string>(text))
        launch.stream = std::get<std::string>(text);
  }

  void nameKernel(const Expr *written, const FunctionDecl *function, Launch &launch) const {
    if (!function) {
      Rendered text = render(unit, written->getSourceRange());
      launch.kernelName = std::holds_alternative<std::string>(text) ? std::get<std::string>(text) : "?";
      return;
    }
    launch.kernelName = function->getQualifiedNameAsString();
    std::string mangled = mangledKernelName(function);
    for (const auto &kernel : kernels)
      if (kernel->mangledName == mangled)
        launch.kernel = kernel.get(), launch.kernelName = kernel->name;
  }

  const Unit &unit;
  const std::vector<std::unique_ptr<Kernel>> &kernels;
  LaunchValues values;
};

/// Reads the launches of a function and of the lambdas in it; `around` are the functions around it.
void readLaunches(const Unit &host, const std::vector<std::unique_ptr<Kernel>> &kernels,
                  const FunctionDecl *function, std::vector<LaunchValues::Scope> around,
                  std::vector<Launch> &launches) {
  LaunchCalls found;
  if (function->getBody())
    found.TraverseStmt(function->getBody());
  if (found.calls.empty() && found.lambdas.empty())
    return;
  std::unique_ptr<ReachingDefinitions> definitions = ReachingDefinitions::of(function);
  // A mutable lambda may change its own copy of a variable, which the function around it does not show.
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  if (method && isLambdaCallOperator(method) && !method->isConst())
    around.clear();
  around.insert(around.begin(), {function, definitions.get()});
  LaunchReader reader(host, kernels, around);
  for (const CallExpr *call : found.calls)
    launches.push_back(reader.read(call));
  for (const FunctionDecl *lambda : found.lambdas)
    readLaunches(host, kernels, lambda, around, launches);
}

} // namespace

std::optional<int64_t> LaunchShape::total() const {
  if (!isKnown())
    return std::nullopt;
  return *xyz[0].value * *xyz[1].value * *xyz[2].value;
}

std::vector<Launch> findLaunches(const Unit &host, const std::vector<std::unique_ptr<Kernel>> &kernels) {
  FunctionFinder finder(host);
  finder.TraverseDecl(host.context().getTranslationUnitDecl());

  std::vector<Launch> launches;
  for (const FunctionDecl *function : finder.functions)
    readLaunches(host, kernels, function, {}, launches);

  const SourceManager &sources = host.sources();
  std::stable_sort(launches.begin(), launches.end(), [&](const Launch &a, const Launch &b) {
    return sources.isBeforeInTranslationUnit(a.call->getBeginLoc(), b.call->getBeginLoc());
  });
  // Instantiations of one host template repeat a launch; only those that differ in kernel or block are news.
  using Numbers = std::array<std::optional<int64_t>, 3>;
  std::set<std::tuple<unsigned, std::string, Numbers>> seen;
  std::erase_if(launches, [&](const Launch &launch) {
    Numbers block;
    std::transform(launch.block.xyz.begin(), launch.block.xyz.end(), block.begin(),
                   [](const LaunchNumber &n) { return n.value; });
    // Overloads have one name.
    const std::string &kernel = launch.kernel ? launch.kernel->mangledName : launch.kernelName;
    return !seen.insert({launch.call->getBeginLoc().getRawEncoding(), kernel, block}).second;
  });
  return launches;
}

} // namespace heddle::source

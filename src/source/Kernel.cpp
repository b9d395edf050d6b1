// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Kernel.h"

#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Mangle.h>

using namespace clang;

namespace heddle::source {
namespace {

/// Collects kernels of user code. Instantiations are visited too, so a template yields each of them.
class KernelFinder : public DynamicRecursiveASTVisitor {
public:
  explicit KernelFinder(const Unit &unit) : unit(unit) { ShouldVisitTemplateInstantiations = true; }
  // Kernels are declared, never found inside statements: skipping bodies keeps a large file quick to search.
  bool TraverseStmt(Stmt *) override { return true; }

  // A kernel of user code instantiates no header's templates by being one: whole toolkit headers can be
  // passed by.
  bool TraverseDecl(Decl *decl) override {
    if (decl && !isa<TranslationUnitDecl>(decl) && isa<TranslationUnitDecl>(decl->getDeclContext()) &&
        !unit.isUserCode(decl->getLocation()) && !isa<NamespaceDecl, LinkageSpecDecl>(decl))
      return true;
    return DynamicRecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->hasAttr<CUDAGlobalAttr>() && function->doesThisDeclarationHaveABody() &&
        unit.isUserCode(function->getLocation()))
      (function->isDependentContext() ? patterns : kernels).push_back(function);
    return true;
  }

  std::vector<const FunctionDecl *> kernels, patterns;

private:
  const Unit &unit;
};

std::string nameOf(const FunctionDecl *function, bool withTemplateArguments) {
  std::string name;
  llvm::raw_string_ostream out(name);
  PrintingPolicy policy(function->getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.SuppressTagKeyword = true;
  function->printQualifiedName(out, policy);
  if (const auto *arguments = function->getTemplateSpecializationArgs(); arguments && withTemplateArguments)
    printTemplateArgumentList(out, arguments->asArray(), policy);
  return name;
}

unsigned evaluated(const Expr *expr, const ASTContext &context) {
  if (!expr || expr->isValueDependent())
    return 0;
  std::optional<llvm::APSInt> value = expr->getIntegerConstantExpr(context);
  return value ? unsigned(value->getZExtValue()) : 0;
}

std::unique_ptr<Kernel> describe(const FunctionDecl *function, const Unit &unit) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = nameOf(function, true);
  kernel->plainName = nameOf(function, false);
  kernel->mangledName = mangledKernelName(function);
  kernel->function = function;
  kernel->unit = &unit;
  kernel->location = unit.location(function->getLocation());
  kernel->isInstantiation = function->isTemplateInstantiation();
  if (const auto *bounds = function->getAttr<CUDALaunchBoundsAttr>()) {
    kernel->maxThreads = evaluated(bounds->getMaxThreads(), unit.context());
    kernel->minBlocks = evaluated(bounds->getMinBlocks(), unit.context());
  }
  return kernel;
}

} // namespace

std::string mangledKernelName(const FunctionDecl *function) {
  std::unique_ptr<MangleContext> mangler(function->getASTContext().createMangleContext());
  if (!mangler->shouldMangleDeclName(function))
    return function->getNameAsString();
  std::string name;
  llvm::raw_string_ostream out(name);
  mangler->mangleName(GlobalDecl(function, KernelReferenceKind::Kernel), out);
  return name;
}

std::vector<std::unique_ptr<Kernel>> findKernels(const Unit &device,
                                                 std::vector<UninstantiatedKernel> &uninstantiated) {
  KernelFinder finder(device);
  finder.TraverseDecl(device.context().getTranslationUnitDecl());

  std::vector<std::unique_ptr<Kernel>> kernels;
  for (const FunctionDecl *function : finder.kernels)
    kernels.push_back(describe(function, device));
  const SourceManager &sources = device.sources();
  std::stable_sort(kernels.begin(), kernels.end(), [&](const auto &a, const auto &b) {
    return sources.isBeforeInTranslationUnit(a->function->getLocation(), b->function->getLocation());
  });

  for (const FunctionDecl *pattern : finder.patterns) {
    bool used = std::any_of(kernels.begin(), kernels.end(), [&](const auto &kernel) {
      return kernel->function->getLocation() == pattern->getLocation();
    });
    if (!used)
      uninstantiated.push_back({nameOf(pattern, false), device.location(pattern->getLocation())});
  }
  return kernels;
}

} // namespace heddle::source

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is launched by its name, so code that can name it can launch it. Two things have to be known: every
// mention of it in the file, and whether other files can mention it.
//
//   1. Mentions. A mention is a launch that `Program::launches` lists, a question to the runtime (its
//      attributes, its occupancy), or the only value of a local pointer that is used for nothing but
//      launches. Everything else takes the kernel's address, and where that goes is not followed.
//   2. Device code may launch kernels too. The host's parse shows that, unless it is inside
//      `#ifdef __CUDA_ARCH__`: a mention that only the device's parse has counts as an address taken.
//   3. Other files. They can name what has external linkage. Where a header declares the kernel, or the file
//      instantiates it explicitly, they are likely to; otherwise they would have to declare it by hand, which
//      a transform can exclude by making the kernel static. A file that defines `main` and all that it uses
//      links alone: other files, where there are some, have no part in what it does.
#include "source/OtherLaunches.h"

#include "source/Kernel.h"
#include "source/Launch.h"
#include "source/Program.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::source {
namespace {

using Kind = OtherLaunches::Kind;

// Collect
// ---------------------------------------------------------------------------------------------------------

/// Visits user code, instantiations included.
class UserCodeVisitor : public DynamicRecursiveASTVisitor {
public:
  explicit UserCodeVisitor(const Unit &unit) : unit(unit) { ShouldVisitTemplateInstantiations = true; }
  bool TraverseDecl(Decl *decl) override {
    const bool isTopLevel =
        decl && decl->getDeclContext() && isa<TranslationUnitDecl>(decl->getDeclContext());
    if (isTopLevel && !unit.isUserCode(decl->getLocation()) && !isa<NamespaceDecl, LinkageSpecDecl>(decl))
      return true;
    return DynamicRecursiveASTVisitor::TraverseDecl(decl);
  }
  void run() { TraverseDecl(unit.context().getTranslationUnitDecl()); }

protected:
  const Unit &unit;
};

/// Functions that are asked about a kernel, or set how it is run: none of them launches it later. Those of
/// Heddle's own runtime are part of launches that were rewritten.
bool asksOnly(const FunctionDecl *callee) {
  if (!callee || !callee->getIdentifier())
    return false;
  const auto *space = dyn_cast<NamespaceDecl>(callee->getDeclContext()->getRedeclContext());
  if (space && space->getName() == "heddle")
    return true;
  const llvm::StringRef name = callee->getName();
  return name.starts_with("cudaFuncGetAttributes") || name.starts_with("cudaFuncSet") ||
         name.starts_with("cudaFuncGetName") || name.starts_with("cudaOccupancy");
}

/// Mentions of some kernels and of some variables by one side's code.
class MentionFinder : public UserCodeVisitor {
public:
  MentionFinder(const Unit &unit, const std::set<std::string> &kernels,
                const std::set<const CallExpr *> &launches, const std::set<const VarDecl *> &pointers)
      : UserCodeVisitor(unit), kernels(kernels), launches(launches), pointers(pointers) {
    run();
  }

  struct Mention {
    const DeclRefExpr *reference = nullptr;
    const VarDecl *initialized = nullptr; ///< it is (in) the initializer of this variable
    bool isHarmless = false;              ///< what is launched, or asked about
  };
  std::vector<Mention> ofKernels, ofPointers;

  bool TraverseCUDAKernelCallExpr(CUDAKernelCallExpr *call) override {
    return traverseParts(call, call->getCallee());
  }
  bool TraverseCallExpr(CallExpr *call) override {
    if (asksOnly(call->getDirectCallee()) || launches.contains(call))
      return harmlessly([&] { return UserCodeVisitor::TraverseCallExpr(call); });
    return UserCodeVisitor::TraverseCallExpr(call);
  }
  bool TraverseVarDecl(VarDecl *variable) override {
    const VarDecl *around = initialized;
    initialized = variable;
    const bool goOn = UserCodeVisitor::TraverseVarDecl(variable);
    initialized = around;
    return goOn;
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    if (auto *function = dyn_cast<FunctionDecl>(reference->getDecl())) {
      if (function->hasAttr<CUDAGlobalAttr>() && !function->isDependentContext() &&
          kernels.contains(mangledKernelName(function)))
        ofKernels.push_back({reference, initialized, isHarmless});
    } else if (auto *variable = dyn_cast<VarDecl>(reference->getDecl());
               variable && pointers.contains(variable)) {
      ofPointers.push_back({reference, initialized, isHarmless});
    }
    return true;
  }

private:
  template <class Traverse> bool harmlessly(const Traverse &traverse) {
    const bool before = std::exchange(isHarmless, true);
    const bool goOn = traverse();
    isHarmless = before;
    return goOn;
  }
  /// The callee is what is launched; a mention among the arguments is another matter.
  bool traverseParts(CUDAKernelCallExpr *call, Expr *callee) {
    const bool isNamed = isa<DeclRefExpr>(callee->IgnoreParenImpCasts());
    const bool goOn = isNamed ? harmlessly([&] { return TraverseStmt(callee); }) : TraverseStmt(callee);
    if (!goOn || !TraverseStmt(call->getConfig()))
      return false;
    for (Expr *argument : call->arguments())
      if (!TraverseStmt(argument))
        return false;
    return true;
  }

  const std::set<std::string> &kernels;
  const std::set<const CallExpr *> &launches;
  const std::set<const VarDecl *> &pointers;
  const VarDecl *initialized = nullptr;
  bool isHarmless = false;
};

/// A place in the text, the same for both sides.
std::pair<std::string, unsigned> locationInText(const Unit &unit, clang::SourceLocation location) {
  const SourceManager &sources = unit.sources();
  const clang::SourceLocation at = sources.getExpansionLoc(location);
  return {sources.getFilename(at).str(), sources.getFileOffset(at)};
}

/// What another file would have to define for this one to link.
class NeededElsewhere : public UserCodeVisitor {
public:
  explicit NeededElsewhere(const Unit &unit) : UserCodeVisitor(unit) { run(); }
  bool TraverseStmt(Stmt *) override { return true; } // Clang has marked what is used
  bool VisitFunctionDecl(FunctionDecl *function) override {
    hasMain |= function->isMain() && function->doesThisDeclarationHaveABody();
    const FunctionDecl *pattern = function->getTemplateInstantiationPattern();
    const bool isDefined = function->isDefined() || (pattern && pattern->isDefined());
    found |= function->isUsed(false) && !isDefined && !function->isDependentContext() &&
             !function->isPureVirtual() && !function->isDefaulted() && !function->isDeleted() &&
             !function->getBuiltinID() && unit.isUserCode(function->getLocation());
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    found |= variable->hasExternalStorage() && variable->isUsed(false) && !variable->getDefinition() &&
             !variable->hasAttr<CUDASharedAttr>() && unit.isUserCode(variable->getLocation());
    return true;
  }
  bool hasMain = false, found = false;
};

// Decide
// ---------------------------------------------------------------------------------------------------------

class OtherLaunchFinder {
public:
  OtherLaunchFinder(const Program &program, const std::vector<const Kernel *> &instances)
      : program(program), instances(instances), host(program.host()) {
    for (const Kernel *kernel : instances)
      names.insert(kernel->mangledName);
    for (const Launch &launch : program.launches())
      (launch.kernel && names.contains(launch.kernel->mangledName) ? ours : others).push_back(&launch);
  }

  std::optional<OtherLaunches> find(bool isSaidToBeWhole) {
    if (auto found = inThisFile())
      return found;
    if (isSaidToBeWhole || std::ranges::none_of(instances, &isVisibleElsewhere) || isWholeProgram(program))
      return std::nullopt;
    return inOtherFiles();
  }

private:
  OtherLaunches reason(Kind kind, SourceLocation location, std::string why) const {
    return {kind, std::move(location), why};
  }

  // In this file
  // -------------------------------------------------------------------------------------------------------

  std::optional<OtherLaunches> inThisFile() {
    if (auto found = launchOfSeveral())
      return found;
    std::set<const CallExpr *> calls;
    for (const Launch *launch : ours)
      calls.insert(launch->call);
    std::set<const VarDecl *> pointers = pointersLaunched();
    const MentionFinder mentions(host, names, calls, pointers);
    for (const MentionFinder::Mention &mention : mentions.ofPointers)
      if (!mention.isHarmless)
        pointers.erase(cast<VarDecl>(mention.reference->getDecl()));
    std::set<std::pair<std::string, unsigned>> seen;
    for (const MentionFinder::Mention &mention : mentions.ofKernels) {
      seen.insert(locationInText(host, mention.reference->getLocation()));
      if (!mention.isHarmless && !(mention.initialized && pointers.contains(mention.initialized)))
        return addressTaken(host, mention.reference);
    }
    const std::set<const CallExpr *> noCalls;
    const std::set<const VarDecl *> noPointers;
    const MentionFinder onDevice(program.device(), names, noCalls, noPointers);
    for (const MentionFinder::Mention &mention : onDevice.ofKernels)
      if (!seen.contains(locationInText(program.device(), mention.reference->getLocation())))
        return addressTaken(program.device(), mention.reference);
    return std::nullopt;
  }

  OtherLaunches addressTaken(const Unit &unit, const DeclRefExpr *reference) const {
    return reason(Kind::AddressTaken, unit.location(reference),
                  "the kernel's address is taken here, so launches of it may be missed");
  }

  /// Local pointers, initialized and known to hold the kernel, that launches of it go through.
  std::set<const VarDecl *> pointersLaunched() const {
    std::set<const VarDecl *> pointers;
    for (const Launch *launch : ours) {
      const bool isChevrons = isa<CUDAKernelCallExpr>(launch->call);
      const unsigned location = launch->form == Launch::Form::LaunchKernelEx ? 1 : 0;
      const Expr *launched = isChevrons                              ? launch->call->getCallee()
                             : location < launch->call->getNumArgs() ? launch->call->getArg(location)
                                                                     : nullptr;
      const auto *named = launched ? dyn_cast<DeclRefExpr>(launched->IgnoreParenCasts()) : nullptr;
      const auto *variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
      if (variable && variable->hasLocalStorage() && variable->hasInit())
        pointers.insert(variable);
    }
    return pointers;
  }

  /// `template <class T> void run() { k<T><<<4, 64>>>(); }` launches a specialization of k as well.
  std::optional<OtherLaunches> launchOfSeveral() const {
    std::set<clang::SourceLocation> locations;
    for (const Launch *launch : ours)
      locations.insert(launch->call->getBeginLoc());
    for (const Launch *launch : others)
      if (locations.contains(launch->call->getBeginLoc()))
        return reason(Kind::SharedLaunch, launch->location,
                      fmt::format("this launch is one of {}'{}' as well, and one text serves both",
                                  launch->kernelName == instances.front()->name ? "another overload of " : "",
                                  launch->kernelName));
    return std::nullopt;
  }

  // In other files
  // -------------------------------------------------------------------------------------------------------

  static bool isVisibleElsewhere(const Kernel *kernel) { return kernel->function->isExternallyVisible(); }

  std::optional<OtherLaunches> inOtherFiles() const {
    for (const Kernel *kernel : instances) {
      if (auto found = declaredForOthers(*kernel))
        return found;
      if (kernel->function->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition)
        return reason(
            Kind::Instantiated, kernel->unit->location(kernel->function->getPointOfInstantiation()),
            fmt::format("'{}' is instantiated for other files, whose launches are not seen", kernel->name));
    }
    const Kernel &first = *instances.front();
    if (ours.empty())
      return reason(
          Kind::NotLaunched, first.location,
          fmt::format("nothing in this file launches '{}', and launches in other files are not seen",
                      first.plainName));
    return reason(
        Kind::ExternalLinkage, first.location,
        fmt::format("another file may launch '{}', and launches there are not seen", first.plainName));
  }

  /// A declaration that the definition's own file does not hold, one that says `extern`, or C's linkage, by
  /// which drivers look kernels up.
  static std::optional<OtherLaunches> declaredForOthers(const Kernel &kernel) {
    const SourceManager &sources = kernel.unit->sources();
    const FunctionDecl *pattern = kernel.function->getTemplateInstantiationPattern();
    const FunctionDecl *definition = pattern ? pattern : kernel.function;
    // Files of a program that are read as one text are distinguished by its #line directives.
    const auto fileOf = [&](const FunctionDecl *function) {
      const clang::SourceLocation at = sources.getExpansionLoc(function->getLocation());
      return std::pair(sources.getFileID(at), std::string(sources.getPresumedLoc(at).getFilename()));
    };
    for (const FunctionDecl *declared : definition->redecls()) {
      if (fileOf(declared) != fileOf(definition) || declared->getStorageClass() == SC_Extern ||
          definition->isExternC())
        return OtherLaunches{Kind::Declared, kernel.unit->location(declared->getLocation()),
                             fmt::format("'{}' is declared here for other files, whose launches are not seen",
                                         kernel.plainName)};
    }
    return std::nullopt;
  }

  const Program &program;
  const std::vector<const Kernel *> &instances;
  const Unit &host;
  std::set<std::string> names;
  std::vector<const Launch *> ours, others;
};

} // namespace

std::optional<OtherLaunches>
otherLaunches(const Program &program, const std::vector<const Kernel *> &instances, bool isSaidToBeWhole) {
  return OtherLaunchFinder(program, instances).find(isSaidToBeWhole);
}

bool isWholeProgram(const Program &program) {
  const NeededElsewhere host(program.host()), device(program.device());
  return host.hasMain && !host.found && !device.found;
}

} // namespace heddle::source

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of a kernel whose grid becomes a list of tasks.
//
//     k<<<grid, block, bytes, stream>>>(a, n);      =>      heddle::delegate(k, grid, block, bytes, stream)(a, n);
//     cudaLaunchKernel(k, grid, block, args, ...);  =>      heddle::launchDelegated(k, grid, block, args, ...);
//
// Only the tokens around the configuration change, so that its text, macros and comments stay as written. The
// matching `>>>` is found by counting brackets, since a template argument list may be inside.
//
// A launch that is prepared before its arguments are known cannot deduce template arguments from them, so
// those that the launch does not state are written out; in a host template they may differ by instantiation,
// and that is refused. Refused as well: launches through pointers (the type of the kernel changes),
// cooperative ones (blocks that wait for each other must be resident together), cudaLaunchKernelEx, kernels
// that are persistent or regrouped already.
#include "transform/tasks/DelegateLaunches.h"

#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/LaunchEdits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <set>

using namespace clang;

namespace heddle::transform {
namespace {

class LaunchDelegator {
public:
  LaunchDelegator(Context &context, const LaunchHelper &helper)
      : context(context), unit(context.program.host()), helper(helper) {}

  bool rewrite(const source::Launch &launch) {
    using Form = source::Launch::Form;
    switch (launch.form) {
    case Form::TripleChevron: return rewriteChevrons(launch);
    case Form::LaunchKernel: return rewriteCall(launch);
    case Form::LaunchCooperative: return refuse(launch, "this launch is for blocks that wait for each other");
    case Form::LaunchKernelEx:
      return refuse(launch, "this launch takes its shape from a cudaLaunchConfig_t, which is not analyzed");
    case Form::Delegated: return refuse(launch, "the kernel is already persistent");
    case Form::Regrouped:
      return refuse(launch, "the kernel is already regrouped, and cannot be made persistent after that");
    }
    return false;
  }

private:
  bool refuse(const source::Launch &launch, const std::string &why) {
    return context.refuse(launch.location, why);
  }
  bool refuseText(const source::Launch &launch) {
    return context.refuse(launch.location, "the text of this launch is not understood")
        .withHint("launch the kernel with <<<grid, block>>>, outside of macros");
  }

  /// The shapes are not changed: only what is around them changes.
  bool rewriteChevrons(const source::Launch &launch) {
    auto *callee = dyn_cast<DeclRefExpr>(launch.call->getCallee()->IgnoreParenImpCasts());
    if (!callee || !isa<FunctionDecl>(callee->getDecl()))
      return refuse(
          launch,
          "this launch calls the kernel through a pointer, and the transformed kernel has another type");
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    const source::TokenEdit name = source::tokensOf(unit, callee->getSourceRange());
    size_t open = name.end;
    while (open < all.size() && all[open].kind() != tok::lesslessless)
      ++open;
    const size_t close = closingBehind(open);
    if (close + 1 >= all.size())
      return refuseText(launch);
    if (!nameKernel(launch, callee, helper.function + "("))
      return false;
    const std::string further = helper.behindKernel.empty() ? "" : helper.behindKernel + ", ";
    context.edits.replace(unit, SourceRange(all[open].location(), all[open].location()), ", " + further);
    context.edits.replace(unit, SourceRange(all[close].location(), all[close + 1].location()), ")(");
    return true;
  }

  /// The `>>>` that belongs to the `<<<` at `open`.
  size_t closingBehind(size_t open) const {
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    int depth = 0;
    for (size_t token = open + 1; token < all.size(); ++token) {
      const tok::TokenKind kind = all[token].kind();
      depth += kind == tok::l_paren || kind == tok::l_brace || kind == tok::l_square;
      depth -= kind == tok::r_paren || kind == tok::r_brace || kind == tok::r_square;
      if (kind == tok::greatergreatergreater && depth == 0)
        return token;
      if (depth < 0 || kind == tok::semi)
        break;
    }
    return all.size();
  }

  bool rewriteCall(const source::Launch &launch) {
    if (helper.byAddress.empty())
      return refuse(launch,
                    "this launch passes its arguments by address, from which keys cannot be computed");
    const Expr *first = launch.call->getArg(0);
    const Expr *named = first->IgnoreParenCasts();
    if (auto *unary = dyn_cast<UnaryOperator>(named); unary && unary->getOpcode() == UO_AddrOf)
      named = unary->getSubExpr()->IgnoreParenCasts();
    auto *kernel = dyn_cast<DeclRefExpr>(named);
    if (!kernel || !isa<FunctionDecl>(kernel->getDecl()))
      return refuse(
          launch,
          "this launch calls the kernel through a pointer, and the transformed kernel has another type");
    const std::string text = source::Rewriter(unit).text(kernel);
    if (text.empty())
      return refuseText(launch);
    context.edits.replace(unit, launch.call->getCallee()->getSourceRange(), helper.byAddress);
    context.edits.replace(unit, first->getSourceRange(), text);
    return true;
  }

  /// Where the kernel's template arguments follow from the launch's, they must be said: a launch that is
  /// prepared before its arguments are known cannot deduce them.
  bool nameKernel(const source::Launch &launch, const DeclRefExpr *callee, const std::string &before) {
    const auto *function = cast<FunctionDecl>(callee->getDecl());
    const FunctionTemplateDecl *primary = function->getPrimaryTemplate();
    const bool saysAll = !primary || (callee->hasExplicitTemplateArgs() &&
                                      callee->getNumTemplateArgs() >=
                                          primary->getTemplateParameters()->getMinRequiredArguments());
    if (saysAll) {
      if (prepared.insert(callee->getBeginLoc()).second) // once for all instantiations of a host template
        context.edits.insertBefore(unit, callee->getBeginLoc(), before);
      return true;
    }
    if (isInTemplate(launch))
      return refuse(
          launch,
          "the kernel's template arguments are deduced, in a function template: write them at this launch");
    context.edits.replace(unit, callee->getSourceRange(), before + launch.kernel->name);
    return true;
  }

  /// Instantiations of a host template share the launch's text.
  bool isInTemplate(const source::Launch &launch) const {
    unsigned kernels = 0;
    for (const source::Launch &other : context.program.launches())
      kernels += other.call->getBeginLoc() == launch.call->getBeginLoc();
    return kernels > 1;
  }

  Context &context;
  const Unit &unit;
  const LaunchHelper &helper;
  std::set<clang::SourceLocation> prepared; ///< kernels in launches that the helper's name precedes
};

} // namespace

bool launchThrough(Context &context, const LaunchHelper &helper, unsigned &launches) {
  LaunchDelegator delegator(context, helper);
  return changeLaunches(
      context, [&](const source::Launch &launch) { return delegator.rewrite(launch); }, launches);
}

bool delegateLaunches(Context &context, unsigned &launches) {
  return launchThrough(context, {"heddle::delegate", "heddle::launchDelegated", ""}, launches);
}

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/specialize/SpecializeLaunches.h"

#include "analysis/StatementShape.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/LaunchEdits.h"
#include "transform/StatedBlock.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::transform {
namespace {

class LaunchSpecializer {
public:
  LaunchSpecializer(Context &context, const RoleLaunch &wanted)
      : context(context), wanted(wanted), unit(context.program.host()) {}

  bool rewrite(const source::Launch &launch) {
    using Form = source::Launch::Form;
    const bool isChevrons = launch.form == Form::TripleChevron;
    if (!isChevrons && launch.form != Form::LaunchKernel && launch.form != Form::LaunchCooperative)
      return context.refuse(
          launch.location,
          "this launch takes its block from elsewhere (cudaLaunchConfig_t), and specialize must change it");
    const Expr *shared = isChevrons ? chevronArgument(launch, 2) : launch.call->getArg(4);
    if (isChevrons && !launch.block.expr)
      return context.refuse(launch.location, "the text of this launch is not understood")
          .withHint("launch the kernel with <<<grid, block>>>, outside of macros");
    std::string block = blockText(launch);
    const std::string bytes = sharedText(launch, shared);
    const bool isWritten = shared && !isa<CXXDefaultArgExpr>(shared);
    if (!bytes.empty() && !isWritten)
      block += ", " + bytes;
    context.edits.replace(unit, launch.block.expr->getSourceRange(), block);
    if (!bytes.empty() && isWritten)
      context.edits.replace(unit, shared->getSourceRange(), bytes);
    return true;
  }

private:
  static const Expr *chevronArgument(const source::Launch &launch, unsigned index) {
    auto *call = cast<CUDAKernelCallExpr>(launch.call);
    const CallExpr *config = call->getConfig();
    return index < config->getNumArgs() ? config->getArg(index) : nullptr;
  }

  std::string blockText(const source::Launch &launch) const {
    const RoleShape &shape = wanted.shape;
    const std::string compared = comparedBlock(context, launch.block);
    if (launch.block.isKnown() && compared.empty())
      return knownBlockText(launch);
    return fmt::format("heddle::blockWithRoles<{}, {}, {}>({}, {}, \"{}\")", shape.block[0], shape.block[1],
                       shape.block[2], compared.empty() ? writtenShape(context, launch.block) : compared,
                       shape.threads(), context.target.name);
  }

  /// A variable that the block was goes on being used, so that none is left over: block.x * block.y + 32.
  std::string knownBlockText(const source::Launch &launch) const {
    const RoleShape &shape = wanted.shape;
    const VarDecl *variable = analysis::namedVariable(writtenPart(launch.block.expr));
    const std::string name = variable ? source::Rewriter(unit).text(launch.block.expr) : "";
    const auto *record = variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
    const bool hasParts = record && (record->getName() == "dim3" || record->getName() == "uint3");
    if (name.empty() || (!hasParts && !variable->getType()->isIntegerType()))
      return std::to_string(shape.threads());
    std::string threads = name;
    if (hasParts) {
      threads.clear();
      for (unsigned d = 0; d < 3; ++d)
        if (d == 0 || shape.block[d] != 1)
          threads += fmt::format("{}{}.{}", d ? " * " : "", name, "xyz"[d]);
    }
    return fmt::format("{}{} + {}", threads,
                       shape.consumers == 1 ? "" : fmt::format(" * {}", shape.consumers),
                       shape.producerThreads());
  }

  /// Empty where nothing changes.
  std::string sharedText(const source::Launch &launch, const Expr *shared) const {
    const std::string kernel = kernelText(launch);
    if (wanted.dynamicBytes > 0)
      return fmt::format("heddle::sharedBytes({}, {}, \"{}\")", kernel, wanted.dynamicBytes,
                         context.target.name);
    if (!wanted.stagesDynamic || !shared || isa<CXXDefaultArgExpr>(shared))
      return {};
    return fmt::format("heddle::sharedBytes({}, heddle::forStages({}, {}), \"{}\")", kernel,
                       source::Rewriter(unit).text(shared), wanted.shape.buffers, context.target.name);
  }

  std::string kernelText(const source::Launch &launch) const {
    if (launch.form == source::Launch::Form::TripleChevron)
      return launch.kernel->isInstantiation ? launch.kernel->name
                                            : source::Rewriter(unit).text(launch.call->getCallee());
    return source::Rewriter(unit).text(launch.call->getArg(0)->IgnoreParenCasts());
  }

  Context &context;
  const RoleLaunch &wanted;
  const Unit &unit;
};

} // namespace

bool specializeLaunches(Context &context, const RoleLaunch &wanted, unsigned &launches) {
  LaunchSpecializer specializer(context, wanted);
  return changeLaunches(
      context, [&](const source::Launch &launch) { return specializer.rewrite(launch); }, launches);
}

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of a kernel whose blocks shrink. A shape that is a constant is divided where it is written, so that the text keeps
// the names it was made of; others are divided by a helper when the program runs, which also checks the remainder.
//
//     scale<<<n / 256, 256>>>(a)             =>   scale<<<n / 256, 256 / 2>>>(a)
//     scale<<<grid, block>>>(a)              =>   scale<<<grid, heddle::mergedBlock<2, 1, 1>(block, "scale")>>>(a)
//     scale<<<n, 256>>>(a)                   =>   scale<<<heddle::roundedGrid<2>(n), 256>>>(n, a), where blocks are merged
//
// A block must divide: threads would be left out otherwise. A grid is a number of problems, which seldom divides, so it is rounded up,
// and the kernel gets the number of blocks.
//
// 1. Every launch in the file is visited once, whatever its form; forms without a shape in the text are refused.
// 2. The kernel must not be launched from elsewhere (CloseKernel.h).
// 3. Helpers are included after the last #include before the kernel is first mentioned. The user's macros that would change their text
//    are not defined there (SetAsideMacros.h).
#include "transform/LaunchEdits.h"

#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/CloseKernel.h"
#include "transform/SetAsideMacros.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {
namespace {

std::string textOf(const Context &context, const Expr *expression) {
  return source::Rewriter(context.program.host()).text(expression);
}

/// An expression that needs no parentheses before `.x` or `/ 2`.
bool isSimple(const Expr *expression) {
  return isa<DeclRefExpr, IntegerLiteral, MemberExpr, ParenExpr, CallExpr, ArraySubscriptExpr>(
      expression->IgnoreImpCasts());
}

std::string over(const std::string &text, bool simple, unsigned by) {
  if (by == 1)
    return text;
  return simple ? fmt::format("{} / {}", text, by) : fmt::format("({}) / {}", text, by);
}

std::string ofParts(const Context &context, const CXXConstructExpr *construction,
                    const std::array<unsigned, 3> &by) {
  std::string parts;
  for (unsigned d = 0; d < construction->getNumArgs(); ++d) {
    const Expr *part = construction->getArg(d);
    if (isa<CXXDefaultArgExpr>(part))
      break;
    std::string text = textOf(context, part);
    if (text.empty())
      return {};
    parts += (d ? ", " : "") + over(text, isSimple(part), by[d]);
  }
  return "dim3(" + parts + ")";
}

/// A construction `dim3(a, b)` from numbers; null for other expressions.
const CXXConstructExpr *constructionOf(const Expr *written) {
  const CXXConstructExpr *construction = dyn_cast<CXXConstructExpr>(written);
  if (auto *cast = dyn_cast<CXXFunctionalCastExpr>(written))
    construction = dyn_cast<CXXConstructExpr>(cast->getSubExpr()->IgnoreImplicit());
  const bool isOfNumbers = construction && construction->getNumArgs() >= 1 &&
                           construction->getNumArgs() <= 3 &&
                           construction->getArg(0)->getType()->isIntegerType();
  return isOfNumbers ? construction : nullptr;
}

/// The text of a shape's first number.
std::string extentInX(const Context &context, const source::LaunchShape &shape) {
  const Expr *written = writtenPart(shape.expr);
  if (const CXXConstructExpr *construction = constructionOf(written))
    if (!isa<CXXDefaultArgExpr>(construction->getArg(0)))
      if (const std::string text = textOf(context, construction->getArg(0)); !text.empty())
        return text;
  const std::string text = textOf(context, written);
  if (written->getType()->isIntegerType())
    return text;
  return isSimple(written) ? text + ".x" : fmt::format("dim3({}).x", text);
}

/// "factors of 16 are possible: x=2, 4, 8 or 16"; empty where there are none.
std::string factorsText(int64_t extent, const std::string &key) {
  constexpr size_t mostFactors = 8; // the smallest are of use
  std::vector<std::string> factors;
  for (int64_t factor = 2; factor <= std::min<int64_t>(extent, 1024) && factors.size() < mostFactors;
       ++factor)
    if (extent % factor == 0)
      factors.push_back(std::to_string(factor));
  if (factors.empty())
    return fmt::format("there is one thread along {0}, and none to merge with it: leave {0} out", key);
  const std::string last = factors.back();
  factors.pop_back();
  const std::string others = fmt::format("{}", fmt::join(factors, ", "));
  return fmt::format("factors of {} are possible: {}={}{}{}", extent, key, others,
                     others.empty() ? "" : " or ", last);
}

class LaunchDivider {
public:
  LaunchDivider(Context &context, const LaunchDivision &division) : context(context), division(division) {}

  bool divide(const source::Launch &launch) {
    if (launch.form == source::Launch::Form::LaunchKernelEx)
      return context.refuse(launch.location,
                            "this launch takes its block from a cudaLaunchConfig_t, which is not analyzed");
    if (launch.form == source::Launch::Form::Delegated)
      return context.refuse(launch.location,
                            "the kernel is persistent: a block of it is a warp and cannot shrink");
    bool changesBlock = division.block != std::array<unsigned, 3>{1, 1, 1};
    return (!changesBlock || divideBlock(launch)) && (division.grid == 1 || divideGrid(launch));
  }

  bool needsHeader = false;

private:
  bool divideBlock(const source::Launch &launch) {
    const auto &by = division.block;
    bool isKnown = true;
    for (unsigned d = 0; d < 3; ++d) {
      if (by[d] == 1)
        continue;
      const std::optional<int64_t> extent = launch.block.xyz[d].value;
      isKnown &= extent.has_value();
      if (extent && (*extent % by[d] != 0 || *extent < by[d]))
        return context
            .refuse(launch.location, "the block of this launch is {} in {}, which is not divisible by {}",
                    *extent, std::string(1, "xyz"[d]), by[d])
            .withHint(factorsText(*extent, std::string(1, "xyz"[d])));
    }
    std::string text = isKnown ? dividedShape(context, launch.block, by) : std::string();
    if (text.empty())
      text = withHelper(fmt::format("mergedBlock<{}, {}, {}>({}, \"{}\")", by[0], by[1], by[2],
                                    writtenShape(context, launch.block), context.target.name));
    context.edits.replace(*launch.unit, launch.block.expr->getSourceRange(), text);
    return true;
  }

  bool divideGrid(const source::Launch &launch) {
    std::string text =
        division.roundsGridUp ? std::string() : dividedShape(context, launch.grid, {division.grid, 1, 1});
    if (text.empty())
      text =
          withHelper(fmt::format("roundedGrid<{}>({})", division.grid, writtenShape(context, launch.grid)));
    // Launches in a template are seen once for each instantiation.
    if (!divided.insert(launch.call->getBeginLoc().getRawEncoding()).second)
      return true;
    context.edits.replace(*launch.unit, launch.grid.expr->getSourceRange(), text);
    if (!division.gridParameter)
      return true;
    return repeatedShape(context, launch, launch.grid) &&
           addLaunchArgument(context, launch, *division.gridParameter, extentInX(context, launch.grid));
  }

  std::string withHelper(const std::string &call) {
    needsHeader = true;
    return "heddle::" + call;
  }

  Context &context;
  const LaunchDivision &division;
  std::set<unsigned> divided; ///< whose grid is changed, by their location
};

} // namespace

const Expr *writtenPart(const Expr *expression) {
  for (;;) {
    const Expr *e = expression->IgnoreImplicit();
    auto *construction = dyn_cast<CXXConstructExpr>(e);
    bool isConversion = construction && !isa<CXXTemporaryObjectExpr>(e) && construction->getNumArgs() >= 1 &&
                        !construction->getParenOrBraceRange().isValid();
    if (!isConversion)
      return e;
    expression = construction->getArg(0);
  }
}

std::string dividedShape(const Context &context, const source::LaunchShape &shape,
                         const std::array<unsigned, 3> &by) {
  const Expr *written = writtenPart(shape.expr);
  if (auto *call = dyn_cast<CallExpr>(written);
      call && call->getDirectCallee() && source::isOfRuntime(call->getDirectCallee()))
    return {}; // what it checks is checked once
  if (written->getType()->isIntegerType())
    return by[1] == 1 && by[2] == 1 ? over(textOf(context, written), isSimple(written), by[0])
                                    : std::string();
  if (const CXXConstructExpr *construction = constructionOf(written))
    return ofParts(context, construction, by);
  std::string text = textOf(context, written);
  if (!isSimple(written) || text.empty())
    return {};
  std::string parts;
  for (unsigned d = 0; d < 3; ++d)
    parts += (d ? ", " : "") + over(text + "." + "xyz"[d], true, by[d]);
  // What is known to be 1 need not be said.
  bool isFlat = shape.xyz[2].value == 1;
  return "dim3(" + (isFlat ? parts.substr(0, parts.rfind(", ")) : parts) + ")";
}

/// Where the file first mentions the kernel: what is included must precede it. Some files include others
/// at their end.
static unsigned firstMention(const Context &context, const Unit &unit) {
  const SourceManager &sources = unit.sources();
  unsigned first = ~0u;
  const auto take = [&](clang::SourceLocation location) {
    const clang::SourceLocation at = sources.getExpansionLoc(location);
    if (at.isValid() && sources.isWrittenInMainFile(at))
      first = std::min(first, sources.getFileOffset(at));
  };
  for (const Kernel *kernel : context.target.instances)
    if (kernel->unit == &unit)
      for (const FunctionDecl *declared : kernel->function->redecls())
        take(declared->getOuterLocStart());
  for (const source::Launch &launch : context.program.launches())
    if (launch.unit == &unit && launch.kernel == &context.target.first())
      take(launch.call->getBeginLoc());
  return first;
}

/// The first token of the file that follows its last #include before `limit`: directives leave no tokens.
static const syntax::Token *firstBehindIncludes(const Unit &unit, unsigned limit) {
  const SourceManager &sources = unit.sources();
  std::optional<unsigned> last;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
    if (!slot.isFile())
      continue;
    clang::SourceLocation from = slot.getFile().getIncludeLoc();
    if (from.isValid() && sources.isWrittenInMainFile(from) && sources.getFileOffset(from) < limit)
      last = std::max(last.value_or(0), sources.getFileOffset(from));
  }
  for (const syntax::Token &token : unit.tokens().expandedTokens()) {
    clang::SourceLocation at = sources.getExpansionLoc(token.location());
    const bool isBehind = !last || sources.getFileOffset(at) > *last;
    if (token.kind() != tok::eof && sources.isWrittenInMainFile(at) && isBehind)
      return &token;
  }
  return nullptr;
}

void includeHelper(Context &context, const std::string &header) {
  const Unit &host = context.program.host(), &device = context.program.device();
  const SourceManager &sources = host.sources();
  if (sources.getBufferData(sources.getMainFileID()).contains("<heddle/" + header + ">"))
    return;
  Code include = includeWithout(
      macrosThatChange("heddle/" + header, context.program, context.options.compile), "heddle/" + header);
  include.add(Code::blankLine());
  const unsigned limit = std::min(firstMention(context, host), firstMention(context, device));
  const syntax::Token *onHost = firstBehindIncludes(host, limit),
                      *onDevice = firstBehindIncludes(device, limit);
  if (!onHost)
    return;
  // `__global__` may be no token at all for the host.
  const auto lineOf = [](const Unit &unit, const syntax::Token *token) {
    return unit.sources().getExpansionLineNumber(token->location());
  };
  if (onDevice && lineOf(device, onDevice) == lineOf(host, onHost))
    source::Rewriter(device).insertOnLine(context.edits, onDevice->location(), include);
  else
    source::Rewriter(host).insertOnLine(context.edits, onHost->location(), include);
}

bool comesBeforeRegroup(Context &context) {
  for (const Kernel *instance : context.target.instances)
    for (const source::Launch *launch : context.facts(*instance).launches)
      if (launch->form == source::Launch::Form::Regrouped)
        return context
            .refuse(context.target.first().location,
                    "'{}' is already regrouped, and {} cannot follow regroup", context.target.name,
                    context.directive.name)
            .withHint(fmt::format("put {} before regroup", context.directive.name));
  return true;
}

bool isLaunched(Context &context) {
  return std::ranges::any_of(context.target.instances, [&](const Kernel *instance) {
    return !context.facts(*instance).launches.empty();
  });
}

std::string launchesText(unsigned launches, std::string_view otherwise) {
  return launches ? fmt::format("; {} rewritten", counted(launches, "launch", "launches"))
                  : fmt::format("; no launch of it in this file: launch it {}", otherwise);
}

std::string writtenShape(const Context &context, const source::LaunchShape &shape) {
  return textOf(context, writtenPart(shape.expr));
}

bool changeLaunches(Context &context, const std::function<bool(const source::Launch &)> &change,
                    unsigned &launches) {
  std::set<std::string> names;
  for (const Kernel *kernel : context.target.instances)
    names.insert(kernel->mangledName);
  std::set<unsigned> locations;
  for (const source::Launch &launch : context.program.launches()) {
    if (!launch.kernel || !names.contains(launch.kernel->mangledName))
      continue;
    if (!change(launch))
      return false;
    locations.insert(launch.call->getBeginLoc().getRawEncoding());
  }
  if (!closeKernel(context))
    return false;
  launches = unsigned(locations.size());
  return true;
}

bool divideLaunches(Context &context, const LaunchDivision &division, unsigned &launches) {
  LaunchDivider divider(context, division);
  if (!changeLaunches(
          context, [&](const source::Launch &launch) { return divider.divide(launch); }, launches))
    return false;
  if (divider.needsHeader)
    includeHelper(context, "launch.cuh");
  return !division.gridParameter || addParameter(context, *division.gridParameter);
}

} // namespace heddle::transform

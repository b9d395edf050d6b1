// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp specialization by kind of work.
//
// A warp whose lanes have work of k kinds goes through k arms of the branch, each with a part of its lanes.
// The block as a whole has about as many items of a kind as make up whole warps, so the block sorts its items
// by kind first and then each warp takes 32 of one kind:
//
//     warp 0: a b a c  warp 1: b a c a         warp 0: a a a a  warp 1: b b c c
//
//   1. Find (SpecializeBranchSite) the work of an item and the branch in it: an item is a thread, or an
//      iteration of a loop over items, such as one that strides over the grid.
//   2. Check (SpecializeBranchCheck) that any thread of the block may do it.
//   3. Plan (SpecializeBranchKinds) how to learn an item's kind before its work is done.
//   4. Write: the work becomes a lambda with its text as it was, the way to the kind another, and
//      runtime/heddle/kinds.cuh does the rest: counting by ballots, a queue in shared memory, warps that take
//      batches of 32 from it.
//
// Why a lambda with a parameter called threadIdx: the text stays as its author wrote it, macros and all, and
// `return` ends the work of the item, as it did. Where the item is an iteration the parameter is the loop's
// counter, and `continue` becomes `return`.
//
// What goes through the queue is the item's index alone, 4 bytes, and what was computed on the way to the
// branch is computed again by the thread that does the work: its loads hit the cache that the first ones filled. To
// hand values on would take shared memory for each of them, and its traffic.
//
// What it costs: three barriers, a ballot for each kind, loads in another order (still of the same lines,
// those of the block), and a batch that is not full for each kind and block. What it gains: a branch is taken
// with full warps. That pays where arms are long; where they are short, `branchless` is the better word.
//
// Where the branch depends on the block or on a range of whole warps only, warps are specialized already.
#include "transform/specialize/SpecializeBranch.h"

#include "analysis/StatementShape.h"
#include "arch/Common.h"
#include "source/DeclaredType.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/ActiveText.h"
#include "transform/LaunchEdits.h"
#include "transform/Names.h"
#include "transform/SeparateNames.h"
#include "transform/coarsen/CoarsenCheck.h"
#include "transform/specialize/SpecializeBranchCheck.h"
#include "transform/specialize/SpecializeBranchKinds.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

/// Rewrites the kernel.
class KindWriter {
public:
  KindWriter(const Kernel &kernel, const analysis::WorkSite &site, const KindPlan &plan, int64_t threads)
      : unit(*kernel.unit), site(site), plan(plan), threads(threads), names(unit), text(unit) {
    kindOf = names.fresh("kindOf");
    work = names.fresh("work");
    queues = names.fresh("queues");
  }

  /// Puts the changes into `edits`; a refusal where some text cannot be had.
  LegalityFailure write(source::Edits &edits) {
    if (site.loop)
      writeLoop(edits);
    else
      writeThreads(edits);
    return text.failure;
  }

private:
  // The two forms
  // -------------------------------------------------------------------------------------------------------

  void writeThreads(source::Edits &edits) {
    source::BlockText block = text.block(site.kernelBody);
    const auto isWork = [&](const source::BlockPart &part) { return part.statement == site.work.front(); };
    const auto begin = std::ranges::find_if(block.parts, isWork);
    Code body, worked;
    for (auto part = block.parts.begin(); part != begin; ++part)
      body.add(part->around(text.statement(part->statement)));
    const Code blank = begin->lead.takeBlankLines();
    if (begin != block.parts.begin())
      body.add(blank);
    for (auto part = begin; part != block.parts.end(); ++part)
      worked.add(part->around(text.statement(part->statement)));
    body.add(lambdas("const uint3 threadIdx", worked.add(block.end)))
        .addf("__shared__ heddle::KindQueues<heddle::ThreadItem, {}, {}> {};", plan.kinds, threads, queues)
        .addf("heddle::workByKind({}, heddle::ThreadItem::own(), {}(threadIdx), {});", queues, kindOf, work);
    text.replace(edits, site.kernelBody, nullptr,
                 Code::braces({}, body, text.stepOf(site.kernelBody, site.kernelBody)), false);
  }

  void writeLoop(source::Edits &edits) {
    const std::string step = text.stepOf(site.loop, site.loop->getBody());
    const std::string counter = site.counter->getNameAsString();
    const std::optional<std::string> declared = source::declareAs(unit, site.counter, counter),
                                     type = source::declareAs(unit, site.counter, "");
    if (!declared || !type) {
      text.failure = legalityFailure(unit.location(site.loop),
                                     "the type of the loop's counter has no name in source text");
      return;
    }
    const std::string condition = text.text(site.loop->getCond());
    const std::string hasItem = names.fresh("hasItem");
    const source::BlockText block = text.block(site.loop->getBody());
    Code worked;
    for (const source::BlockPart &part : block.parts)
      worked.add(part.around(text.statement(part.statement, replacedContinues(part.statement, "return"))));
    Code round = fmt::format("const bool {} = {};", hasItem, condition);
    round
        .addf("heddle::workByKind({0}, {1}, {2} ? {3}({1}) : heddle::noKind, {4});", queues, counter, hasItem,
              kindOf, work)
        .addf("if ({})", hasItem)
        .addDeeper(text.text(site.loop->getInc()) + ";", step);
    Code all = lambdas("const " + *declared, worked.add(block.end));
    all.addf("__shared__ heddle::KindQueues<{}, {}, {}> {};", llvm::StringRef(*type).rtrim().str(),
             plan.kinds, threads, queues)
        .add(Code::braces(fmt::format("for ({}; __syncthreads_or({});)",
                                      llvm::StringRef(text.text(site.loop->getInit())).rtrim(" ;").str(),
                                      condition),
                          round, step));
    text.replace(edits, site.loop->getSourceRange(), all);
  }

  Code lambdas(const std::string &parameter, const Code &body) {
    Code both = "// Warps take work of one kind at a time: this returns the kind of an item.";
    return both
        .add(Code::braces(fmt::format("const auto {} = [&]({}) -> int", kindOf, parameter), wayText(0)))
        .join(";")
        .add(Code::braces(fmt::format("const auto {} = [&]({})", work, parameter), body))
        .join(";");
  }

  // The kind of an item
  // -------------------------------------------------------------------------------------------------------

  static std::string returning(KindPlan::Kind kind) {
    return kind ? fmt::format("return {}", *kind) : "return heddle::noKind";
  }

  Code wayText(size_t level) {
    Code all;
    for (const Stmt *statement : plan.needed[level])
      all.add(neededText(statement));
    const bool isLast = level + 1 == site.way.size();
    if (isLast) {
      all.add(site.branch.isSwitch() ? switchText() : chainText());
    } else {
      auto *around = cast<IfStmt>(site.way[level].holder);
      all.add(Code::braces(text.code({around->getIfLoc(), around->getRParenLoc()}), wayText(level + 1)));
    }
    // Who took an arm has returned with its kind.
    const bool isEnd = level == 0 && !(isLast && site.branch.isComplete);
    return isEnd ? all.add(returning(plan.ofNone) + ";") : all;
  }

  Code neededText(const Stmt *statement) {
    if (std::optional<Code> part = neededDeclarations(statement))
      return *part;
    return text.statement(statement, exitsIn(statement));
  }

  /// Of `int a = f(), b = g();` what is needed: compilers warn of the others. Nothing where the whole has to
  /// stay.
  std::optional<Code> neededDeclarations(const Stmt *statement) {
    auto *declaration = dyn_cast<DeclStmt>(statement);
    if (!declaration || declaration->isSingleDecl())
      return std::nullopt;
    Code all;
    for (const Decl *one : declaration->decls()) {
      auto *variable = dyn_cast<VarDecl>(one);
      if (!variable || !variable->getInit() || variable->getInitStyle() != VarDecl::CInit)
        return std::nullopt;
      if (!plan.variables.contains(variable))
        continue;
      const std::optional<std::string> declared =
          source::redeclare(unit, variable, variable->getNameAsString());
      if (!declared)
        return std::nullopt;
      all.addf("{} = {};", *declared, text.text(variable->getInit()));
    }
    return all.from(text.lineOf(statement));
  }

  /// Each statement that ends the work of an item gives its kind.
  std::vector<Replacement> exitsIn(const Stmt *statement) const {
    const auto found = plan.ofExit.find(statement);
    if (found == plan.ofExit.end())
      return {};
    std::vector<Replacement> parts = replacedContinues(statement, returning(found->second));
    for (const ReturnStmt *exit : Uses::of(statement).returns)
      parts.push_back({exit->getSourceRange(), returning(found->second)});
    return parts;
  }

  Code switchText() {
    auto *choice = cast<SwitchStmt>(site.branch.statement);
    Code arms;
    for (size_t arm = 0; arm < site.branch.arms.size(); ++arm) {
      for (const SwitchCase *label : site.branch.arms[arm].labels)
        arms.add(labelText(label));
      arms.join(" " + returning(plan.ofArm[arm]) + ";");
    }
    return Code::braces(text.code({choice->getSwitchLoc(), choice->getRParenLoc()}), arms, "");
  }

  std::string labelText(const SwitchCase *label) {
    auto *value = dyn_cast<CaseStmt>(label);
    if (!value)
      return "default:";
    const std::string last = value->getRHS() ? " ... " + text.text(value->getRHS()) : std::string();
    return "case " + text.text(value->getLHS()) + last + ":";
  }

  Code chainText() {
    Code all;
    for (size_t arm = 0; arm < site.branch.arms.size(); ++arm) {
      const IfStmt *test = site.branch.arms[arm].test;
      const std::string kind = returning(plan.ofArm[arm]) + ";";
      if (test)
        all.add(Code(arm ? "else " : "").join(text.code({test->getIfLoc(), test->getRParenLoc()})))
            .addDeeper(kind);
      else
        all.add(kind);
    }
    return all;
  }

  // Text of statements
  // -------------------------------------------------------------------------------------------------------

  std::vector<Replacement> replacedContinues(const Stmt *statement, const std::string &by) const {
    std::vector<Replacement> parts;
    if (site.loop)
      for (const Stmt *jump : analysis::continuesOut(statement))
        parts.push_back({jump->getSourceRange(), by});
    return parts;
  }

  const Unit &unit;
  const analysis::WorkSite &site;
  const KindPlan &plan;
  int64_t threads;
  Names names;
  source::Rewriter text;
  std::string kindOf, work, queues;
};

/// How many threads a block of the kernel has at most, as far as that is known.
int64_t threadsOfGroup(const KernelFacts &facts) {
  const std::optional<int64_t> known = facts.threadsPerBlock();
  if (known && !facts.launchesDisagree)
    return *known;
  return facts.kernel->maxThreads ? int64_t(facts.kernel->maxThreads)
                                  : int64_t(arch::commonLimits().maxThreadsPerBlock);
}

/// Shared memory of the queues (runtime/heddle/kinds.cuh).
int64_t queueBytes(const analysis::WorkSite &site, const KindPlan &plan, const KernelFacts &facts) {
  const int64_t threads = threadsOfGroup(facts), warps = (threads + 31) / 32;
  const int64_t item =
      site.loop ? facts.kernel->unit->context().getTypeSizeInChars(site.counter->getType()).getQuantity() : 4;
  return threads * item + 4 * plan.kinds * (warps + 1);
}

LegalityFailure noCapacity(const analysis::WorkSite &site, const KindPlan &plan, const KernelFacts &facts) {
  const int64_t wanted = queueBytes(site, plan, facts), most = arch::commonLimits().staticSharedBytes;
  if (facts.staticSharedBytes + wanted <= most)
    return std::nullopt;
  return legalityFailure(
      facts.kernel->location,
      "the kernel has {} bytes of shared memory, and with {} more to sort its work it would have over {}",
      facts.staticSharedBytes, wanted, most);
}

/// Says why there is nothing to be done; true where that is no refusal.
bool withoutSite(Context &context, const Kernel &kernel, const analysis::SiteSearch &search) {
  const Unit &unit = *kernel.unit;
  if (search.uniform) {
    context.kept(unit.location(search.uniform), "this branch is uniform for each warp already");
    return true;
  }
  if (search.oneSided)
    context.refuse(unit.location(search.oneSided),
                   "only one case of this branch has work: there are no kinds to distinguish");
  else if (search.hidden)
    context
        .refuse(unit.location(search.hidden),
                "a work item does not execute this branch exactly once: it is inside a loop "
                "or another branch of the item's own")
        .withHint("a branch distinguishes kinds of work where an item executes it once: in the kernel's "
                  "body, in a loop over items, or in an 'if' without 'else' there");
  else
    context.refuse(kernel.location, "there is no switch and no if-chain with work on two sides or more");
  return false;
}

void report(Context &context, const Kernel &kernel, const analysis::WorkSite &site, const KindPlan &plan) {
  const unsigned line = kernel.unit->location(site.branch.statement).line;
  noteReordering(
      context,
      context.done(
          "warps of '{}' execute one kind of work at a time: {} by the {} at line {}{}", context.target.name,
          counted(plan.kinds, "kind"), site.branch.isSwitch() ? "switch" : "if", line,
          site.loop ? ", in rounds of the loop over '" + site.counter->getNameAsString() + "'" : ""));
}

/// One instantiation; `edits` where its text is to be changed.
bool specializeOne(Context &context, const Kernel &kernel, source::Edits *edits) {
  const KernelFacts &facts = context.facts(kernel);
  const analysis::SiteSearch search = analysis::findWorkSite(kernel.function->getBody(), *facts.uniformity);
  if (search.found.empty())
    return withoutSite(context, kernel, search);
  const analysis::WorkSite &site = search.found.front();
  if (LegalityFailure reason = whyNotByKind(site, facts))
    return context.refuse(*reason);
  const std::variant<KindPlan, Diagnostic> planned = planKinds(site, facts);
  if (auto *reason = std::get_if<Diagnostic>(&planned))
    return context.refuse(*reason);
  const KindPlan &plan = std::get<KindPlan>(planned);
  if (LegalityFailure reason = noCapacity(site, plan, facts))
    return context.refuse(*reason);
  if (!edits)
    return true;
  if (LegalityFailure reason = KindWriter(kernel, site, plan, threadsOfGroup(facts)).write(*edits))
    return context.refuse(*reason);
  includeHelper(context, "kinds.cuh");
  report(context, kernel, site, plan);
  return true;
}

} // namespace

PassResult specializeByBranch(Context &context) {
  const Kernel &first = context.target.first();
  for (const char *setting : {"copy", "barrier", "buffers", "producers", "consumers"})
    if (context.directive.has(setting))
      return context.refuse(first.location,
                            "'{}' is a setting of by=tiles: by=branch has no producer and consumer warps",
                            setting);
  if (std::optional<Needs> needed = firstNeeded(context, first, {separateNames, keepActiveText}))
    return *needed;
  for (const Kernel *kernel : context.target.instances)
    if (!specializeOne(context, *kernel, kernel == &first ? &context.edits : nullptr))
      return Refused();
  return context.edited();
}

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar replacement after Carr and Kennedy, for loops short enough to be unrolled:
//
//   1. Collect: the reads of each loop, in families that differ by a constant in one subscript only.
//   2. Decide: a family of offsets o1 < ... < on in a loop of F iterations touches F + (on - o1) elements and
//   reads
//      F * n. It is replaced where that is fewer, the array is not written in the loop, and every element is
//      inside the array whatever the thread: then reading it without its guard does no harm.
//   3. Edit: a window of registers before the loop, and its elements in the place of the reads.
#include "transform/loops/ScalarReplace.h"

#include "analysis/Execution.h"
#include "analysis/StatementShape.h"
#include "model/Thresholds.h"
#include "source/DeclaredType.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/Names.h"
#include "transform/SeparateNames.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

using analysis::Access;
using analysis::Affine;
using analysis::Array;
using analysis::Loop;
using analysis::Polynomial;
using analysis::Symbol;
using analysis::SymbolKind;

/// More would not stay in registers.
constexpr int64_t mostTrips = model::threshold::loops::mostReplacedTrips,
                  mostReplaced = model::threshold::loops::mostReplacedElements;

/// Reads of one array in one loop that differ by a constant in the subscript that the loop counts through.
struct Family {
  const Loop *loop = nullptr;
  const Array *array = nullptr;
  unsigned dimension = 0; ///< of the subscript that counts
  std::vector<const Access *> reads;
  int64_t least = 0, most = 0; ///< offsets
  int64_t elements() const { return *loop->trips + most - least; }
};

/// Why elements that a loop reads repeatedly stay in shared memory.
struct WhyKept {
  std::string text;
  std::string hint = {};
};

class ScalarReplacer {
public:
  ScalarReplacer(Context &context, const Kernel &kernel)
      : context(context), unit(*kernel.unit), facts(context.facts(kernel)), names(unit), rewriter(unit) {}

  void run() {
    for (const auto &loop : facts.accesses->loops())
      if (isShort(*loop))
        for (Family &family : familiesOf(*loop))
          if (isWorthIt(family))
            replaceIfSafe(family);
    removeUnused();
  }

  unsigned before = 0, after = 0;
  std::optional<WhyKept> firstKept; ///< of the first loop that would gain

private:
  // Collect
  // ----------------------------------------------------------------------------------------------------------

  bool isShort(const Loop &loop) const {
    return loop.trips && *loop.trips >= 2 && *loop.trips <= mostTrips && !loop.hasEarlyExit &&
           loop.start.constant() == 0 && loop.step.constant() == 1 && !loop.variable.empty() &&
           isa<ForStmt>(loop.statement);
  }

  /// The one subscript that the loop's counter moves by one; nothing where there are others or none.
  std::optional<unsigned> countedSubscript(const Access &access, const Loop &loop) const {
    std::optional<unsigned> found;
    for (unsigned i = 0; i < access.subscripts.size(); ++i) {
      if (!access.subscripts[i])
        return std::nullopt;
      std::optional<Polynomial> step = access.subscripts[i]->coefficient(loop.counter);
      if (!step || (!step->isZero() && (step->constant() != 1 || found)))
        return std::nullopt;
      if (!step->isZero())
        found = i;
    }
    return found;
  }

  std::vector<Family> familiesOf(const Loop &loop) const {
    std::map<std::string, Family> families;
    Uses inside = Uses::of(loop.statement);
    for (const Access &access : facts.accesses->all()) {
      bool isCandidate = access.loop == &loop && access.kind == Access::Kind::Read && access.calls.empty() &&
                         access.array->space == Array::Space::Shared && !access.array->extents.empty() &&
                         access.array->extents.size() == access.subscripts.size() &&
                         access.bytes == access.array->elementBytes &&
                         inside.statements.contains(access.expression);
      std::optional<unsigned> counted = isCandidate ? countedSubscript(access, loop) : std::nullopt;
      if (!counted)
        continue;
      std::string key = fmt::format("{} {}", static_cast<const void *>(access.array), *counted);
      for (unsigned i = 0; i < access.subscripts.size(); ++i)
        key += " [" +
               (*access.subscripts[i] - Polynomial(i == *counted ? access.subscripts[i]->constantTerm() : 0))
                   .str() +
               "]";
      int64_t offset = access.subscripts[*counted]->constantTerm();
      Family &family = families[key];
      if (family.reads.empty())
        family = {&loop, access.array, *counted, {}, offset, offset};
      family.reads.push_back(&access);
      family.least = std::min(family.least, offset);
      family.most = std::max(family.most, offset);
    }
    std::vector<Family> list;
    for (auto &[key, family] : families)
      list.push_back(std::move(family));
    return list;
  }

  // Decide
  // -----------------------------------------------------------------------------------------------------------

  static bool isWorthIt(const Family &family) {
    std::set<int64_t> offsets;
    for (const Access *read : family.reads)
      offsets.insert(read->subscripts[family.dimension]->constantTerm());
    return family.elements() <= mostReplaced &&
           family.elements() < *family.loop->trips * int64_t(offsets.size());
  }

  void replaceIfSafe(const Family &family) {
    std::optional<WhyKept> kept = whyKept(family);
    if (!kept)
      replace(family);
    else if (!firstKept)
      firstKept = std::move(kept);
  }

  std::optional<WhyKept> whyKept(const Family &family) const {
    const std::string loop = fmt::format("the loop at line {}", unit.location(family.loop->statement).line);
    Uses inside = Uses::of(family.loop->statement);
    for (const analysis::Barrier &barrier : facts.regions->barriers())
      if (inside.statements.contains(barrier.statement))
        return WhyKept{fmt::format("{} contains a barrier", loop)};
    if (callsUserCode(*family.loop, inside))
      return WhyKept{fmt::format("{} calls a function, which may write '{}'", loop, family.array->name)};
    if (mayBeWritten(family))
      return WhyKept{
          fmt::format("'{}' is written in {}, or between the same barriers", family.array->name, loop)};
    if (dependsOnUnknownBlock(family))
      return WhyKept{
          fmt::format("the block size of '{}' is not known, so that elements of '{}' which {} reads may be "
                      "outside of the array",
                      context.target.name, family.array->name, loop),
          "give it with --block X,Y,Z"};
    if (!isInside(family))
      return WhyKept{fmt::format("elements of '{}' that {} reads may be outside of the array",
                                 family.array->name, loop)};
    if (textOfBase(family).empty())
      return WhyKept{fmt::format(
          "the index of '{}' in {} has parts that are not threadIdx or a counter that begins at 0",
          family.array->name, loop)};
    return std::nullopt;
  }

  /// A function of the program may write the array.
  bool callsUserCode(const Loop &loop, const Uses &inside) const {
    for (const CallExpr *call : inside.calls)
      if (const FunctionDecl *callee = analysis::calleeOf(call); !callee || callee->hasBody())
        if (!callee || unit.isUserCode(callee->getLocation()))
          return true;
    return std::ranges::any_of(analysis::executedBy(loop.statement), [&](const analysis::Executed &each) {
      return each.isUnknown() ||
             (each.function && !each.function->isTrivial() && unit.isUserCode(each.function->getLocation()));
    });
  }

  bool mayBeWritten(const Family &family) const {
    for (const Access &access : facts.accesses->all()) {
      bool mayBeSame = access.array == family.array || !access.array->decl;
      bool isInLoop = access.loop && access.loop->isInside(family.loop);
      // Between the same barriers another thread's write would meet reads that their guard kept apart from
      // it.
      bool isInRegion = access.region == family.reads.front()->region;
      if (access.isWrite() && mayBeSame && (isInLoop || isInRegion))
        return true;
    }
    return false;
  }

  bool dependsOnUnknownBlock(const Family &family) const {
    for (const Affine &subscript : family.reads.front()->subscripts)
      for (const auto &[monomial, coefficient] : subscript->terms())
        for (const Symbol *symbol : monomial)
          if (symbol->kind == SymbolKind::ThreadIdx && !facts.launch.block[symbol->dimension])
            return true;
    return false;
  }

  /// Every element of the window lies in the array, for each thread of the block.
  bool isInside(const Family &family) const {
    const Access &read = *family.reads.front();
    for (unsigned i = 0; i < read.subscripts.size(); ++i) {
      Polynomial lowest = *read.subscripts[i];
      int64_t span = 0;
      if (i == family.dimension) {
        lowest = lowest - Polynomial(lowest.constantTerm()) + Polynomial(family.least);
        span = family.most - family.least;
      }
      std::optional<std::pair<int64_t, int64_t>> range = rangeOf(lowest);
      if (!range || range->first < 0 || range->second + span >= family.array->extents[i])
        return false;
    }
    return true;
  }

  /// The least and largest value over the threads of a block and the iterations of loops of known length.
  std::optional<std::pair<int64_t, int64_t>> rangeOf(const Polynomial &form) const {
    int64_t least = 0, largest = 0;
    for (const auto &[monomial, coefficient] : form.terms()) {
      int64_t most = 1;
      if (monomial.size() > 1)
        return std::nullopt;
      if (!monomial.empty()) {
        const Symbol &symbol = *monomial.front();
        std::optional<int64_t> count;
        if (symbol.kind == SymbolKind::ThreadIdx)
          count = facts.launch.block[symbol.dimension];
        else if (symbol.kind == SymbolKind::Iteration)
          count = symbol.loop->trips;
        if (!count)
          return std::nullopt;
        most = *count - 1;
      }
      (coefficient < 0 ? least : largest) += coefficient * most;
      if (monomial.empty()) // a constant counts at both ends
        (coefficient < 0 ? largest : least) += coefficient;
    }
    return std::pair(least, largest);
  }

  // Edit
  // -------------------------------------------------------------------------------------------------------------

  /// A form as C++ text; empty where something in it has no name at the loop.
  std::string textOf(const Polynomial &form, const Loop &loop) const {
    std::string text;
    for (const auto &[monomial, coefficient] : form.terms()) {
      std::string term;
      if (monomial.size() > 1)
        return {};
      if (!monomial.empty()) {
        const Symbol &symbol = *monomial.front();
        bool isAround = symbol.kind == SymbolKind::Iteration && symbol.loop != &loop &&
                        loop.isInside(symbol.loop) && symbol.loop->start.constant() == 0 &&
                        symbol.loop->step.constant() == 1;
        if (symbol.kind == SymbolKind::ThreadIdx)
          term = fmt::format("threadIdx.{}", "xyz"[symbol.dimension]);
        else if (isAround)
          term = symbol.loop->variable;
        else
          return {};
        if (coefficient != 1)
          term += fmt::format(" * {}", std::abs(coefficient));
      } else {
        term = std::to_string(std::abs(coefficient));
      }
      text += text.empty() ? (coefficient < 0 ? "-" : "") : coefficient < 0 ? " - " : " + ";
      text += term;
    }
    return text.empty() ? "0" : text;
  }

  /// "[threadIdx.y][threadIdx.x * 2 + " and "]", with the window's counter to be put between.
  std::vector<std::string> textOfBase(const Family &family) const {
    const Access &read = *family.reads.front();
    std::vector<std::string> parts = {""};
    for (unsigned i = 0; i < read.subscripts.size(); ++i) {
      Polynomial form = read.subscripts[i]->substituted(family.loop->counter, Polynomial(0));
      if (i == family.dimension)
        form = form - Polynomial(form.constantTerm()) + Polynomial(family.least);
      std::string text = textOf(form, *family.loop);
      if (text.empty())
        return {};
      if (i != family.dimension) {
        parts.back() += "[" + text + "]";
        continue;
      }
      parts.back() += text == "0" ? "[" : "[" + text + " + ";
      parts.push_back("]");
    }
    return parts;
  }

  /// As in the array's declaration: in a template that may be a parameter.
  std::string elementType(const Family &family) const {
    auto *declared = dyn_cast_or_null<VarDecl>(family.array->decl);
    const std::optional<std::string> written =
        declared ? source::elementTypeOf(unit, declared) : std::nullopt;
    return written.value_or(family.reads.front()->elementType);
  }

  void replace(const Family &family) {
    std::string window = names.fresh("near" + capitalized(family.array->name)), counter = names.fresh("j");
    std::vector<std::string> base = textOfBase(family);
    Code lines;
    lines.addf("{} {}[{}];", elementType(family), window, family.elements()).add("#pragma unroll");
    lines.addf("for (unsigned {0} = 0; {0} < {1}; ++{0})", counter, family.elements());
    lines.addf("  {}[{}] = {}{}{}{};", window, counter, family.array->name, base[0], counter, base[1]);
    rewriter.insertBefore(context.edits, family.loop->statement, lines);
    for (const Access *read : family.reads) {
      replaced.push_back(read->expression);
      int64_t offset = read->subscripts[family.dimension]->constantTerm() - family.least;
      context.edits.replace(unit, read->expression->getSourceRange(),
                            offset ? fmt::format("{}[{} + {}]", window, family.loop->variable, offset)
                                   : fmt::format("{}[{}]", window, family.loop->variable));
    }
    before += unsigned(family.reads.size() * size_t(*family.loop->trips));
    after += unsigned(family.elements());
    context.done("'{}' is read {} times instead of {} in the loop at line {}", family.array->name,
                 family.elements(), family.reads.size() * size_t(*family.loop->trips),
                 unit.location(family.loop->statement).line);
  }

  /// A variable that only the replaced subscripts mentioned would be unused.
  void removeUnused() {
    std::map<const VarDecl *, unsigned> mentions;
    for (const DeclRefExpr *reference : Uses::of(kernelBody()).locals)
      ++mentions[cast<VarDecl>(reference->getDecl())];
    auto forget = [&](const Stmt *code) {
      for (const DeclRefExpr *reference : Uses::of(code).locals)
        --mentions[cast<VarDecl>(reference->getDecl())];
    };
    std::set<clang::SourceLocation> seen; // a read may represent several accesses
    std::set<const VarDecl *> touched;
    auto touch = [&](const Stmt *code) {
      for (const VarDecl *variable : Uses::of(code).variables())
        touched.insert(variable);
    };
    for (const Expr *read : replaced) {
      if (!seen.insert(read->getBeginLoc()).second)
        continue;
      touch(read);
      forget(read);
    }
    std::vector<const DeclStmt *> declarations;
    for (const Stmt *statement : Uses::of(kernelBody()).statements)
      if (auto *declaration = dyn_cast<DeclStmt>(statement); declaration && declaration->isSingleDecl())
        declarations.push_back(declaration);
    std::ranges::sort(declarations, [](const DeclStmt *a, const DeclStmt *b) {
      return a->getBeginLoc().getRawEncoding() > b->getBeginLoc().getRawEncoding();
    });
    for (const DeclStmt *declaration : declarations) {
      auto *variable = dyn_cast<VarDecl>(declaration->getSingleDecl());
      if (!variable || !touched.contains(variable) || mentions[variable] || !variable->getInit() ||
          !isPure(variable->getInit()))
        continue;
      context.edits.replace(unit, declaration->getSourceRange(), "");
      touch(variable->getInit());
      forget(variable->getInit());
    }
  }
  /// Reading threadIdx is a call for Clang, and no effect for anyone.
  static bool isPure(const Expr *value) {
    Uses uses = Uses::of(value);
    return uses.calls.empty() && std::ranges::none_of(uses.statements, analysis::assigns);
  }
  const Stmt *kernelBody() const { return facts.kernel->function->getBody(); }

  Context &context;
  const Unit &unit;
  const KernelFacts &facts;
  Names names;
  source::Rewriter rewriter;
  std::vector<const Expr *> replaced;
};

/// What becomes of the files by looking at one instantiation; nothing of the try is left.
std::optional<std::map<std::filesystem::path, std::string>> triedOn(Context &context, const Kernel &kernel) {
  Diagnostics diagnostics;
  Context scratch(context.program, context.target, context.directive, context.options, diagnostics);
  ScalarReplacer(scratch, kernel).run();
  auto applied = scratch.edits.apply();
  auto *files = std::get_if<0>(&applied);
  return files ? std::optional(std::move(*files)) : std::nullopt;
}

/// All instantiations of a template ask for the same text.
bool instancesAgree(Context &context) {
  auto first = triedOn(context, context.target.first());
  for (const Kernel *instance : context.target.instances)
    if (!first || triedOn(context, *instance) != first)
      return false;
  return true;
}

} // namespace

PassResult scalarReplace(Context &context) {
  const Kernel &kernel = context.target.first();
  if (std::optional<Needs> needed = separateNames(context, kernel))
    return *needed;
  if (context.target.instances.size() > 1 && !instancesAgree(context)) {
    context.kept(kernel.location,
                 fmt::format("'{}' is a template: what one instantiation reads twice another does not",
                             context.target.name));
    return Unchanged();
  }
  ScalarReplacer replacer(context, kernel);
  replacer.run();
  if (!replacer.before && replacer.firstKept)
    context.kept(kernel.location, replacer.firstKept->text).hint = replacer.firstKept->hint;
  else if (!replacer.before)
    context.kept(kernel.location, fmt::format("no innermost loop of '{}' with a constant trip count up to {} "
                                              "reads an element of a shared array more than once",
                                              context.target.name, mostTrips));
  return context.edited();
}

} // namespace heddle::transform

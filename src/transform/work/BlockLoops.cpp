// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why the second form does what the first did: `first` takes the values that `i` takes in the thread with
// index 0, and is at most `i` in all others. So the loop of the block goes on as long as any thread's does,
// and a thread takes part exactly where its own condition holds. No number is computed that the first form
// did not compute in some thread: nothing overflows that did not before.
#include "transform/work/BlockLoops.h"

#include "analysis/MemoryHabits.h"
#include "analysis/StatementShape.h"
#include "analysis/UniformWork.h"
#include "source/DeclaredType.h"
#include "source/FlowGraph.h"
#include "source/ReachingDefinitions.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/Names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

using analysis::namedVariable;
using analysis::Polynomial;
using analysis::SymbolKind;

/// `for (T i = start; i < bound; i += step)`, taken apart.
struct Header {
  const VarDecl *counter = nullptr;
  const Expr *start = nullptr, *bound = nullptr, *step = nullptr;
  const BinaryOperator *condition = nullptr;
};

std::optional<Header> blockHeaderOf(const ForStmt *loop) {
  auto *declaration = dyn_cast_or_null<DeclStmt>(loop->getInit());
  auto *condition = dyn_cast_or_null<BinaryOperator>(loop->getCond());
  auto *increment = dyn_cast_or_null<CompoundAssignOperator>(loop->getInc());
  if (!declaration || !declaration->isSingleDecl() || !condition || !increment)
    return std::nullopt;
  auto *counter = dyn_cast<VarDecl>(declaration->getSingleDecl());
  const bool goesUp = (condition->getOpcode() == BO_LT || condition->getOpcode() == BO_LE) &&
                      increment->getOpcode() == BO_AddAssign;
  if (!counter || !counter->getInit() || !goesUp || namedVariable(condition->getLHS()) != counter ||
      namedVariable(increment->getLHS()) != counter)
    return std::nullopt;
  return Header{counter, counter->getInit(), condition->getRHS(), increment->getRHS(), condition};
}

/// What a sum is made of, in order.
void addTerms(const Expr *sum, std::vector<const Expr *> &terms) {
  auto *binary = dyn_cast<BinaryOperator>(sum->IgnoreParenImpCasts());
  if (!binary || binary->getOpcode() != BO_Add)
    return terms.push_back(sum->IgnoreImpCasts());
  addTerms(binary->getLHS(), terms);
  addTerms(binary->getRHS(), terms);
}

class BlockLoop {
public:
  BlockLoop(Context &context, const Kernel &kernel, const ForStmt *loop, Names &names, source::Edits &edits)
      : edits(edits), unit(*kernel.unit), text(unit), facts(context.facts(kernel)),
        uniform(facts, analysis::Level::Block), names(names), loop(loop) {}

  void make() {
    std::optional<Header> found = blockHeaderOf(loop);
    if (!found || loop->getBeginLoc().isMacroID() || loop->getBody()->getBeginLoc().isMacroID())
      return;
    header = *found;
    if (analysis::streams(facts, loop) && isReachedByAll() && hasOwnShare() && splitStart() && bodyStays())
      write();
  }

private:
  bool isReachedByAll() const {
    const source::FlowGraph &graph = facts.uniformity->definitions().graph();
    for (const Stmt *around = graph.parent(loop); around; around = graph.parent(around))
      if (!isa<CompoundStmt>(around) && !uniform.agreeOn(around))
        return false;
    return true;
  }

  /// The share begins at the thread's index and goes on by multiples of the block.
  bool hasOwnShare() const {
    const analysis::Loop *known = facts.accesses->loopOf(loop);
    if (!known || !known->start || !known->step)
      return false;
    const Polynomial &step = *known->step;
    const bool isOfBlock =
        !step.isZero() && step.isNonNegative() && !step.mentionsAny([](const auto &symbol) {
          return symbol.kind != SymbolKind::BlockDim && symbol.kind != SymbolKind::GridDim;
        });
    // An index of other width than the sum it begins with would not wrap around where the sum does.
    const ASTContext &ast = unit.context();
    const Expr *start = header.start->IgnoreParenImpCasts();
    return isOfBlock && ast.getTypeSize(header.counter->getType()) == ast.getTypeSize(start->getType()) &&
           uniform.isUniformWork(header.bound) && uniform.isUniformWork(header.step);
  }

  /// One term is the thread's index along x; the others are the same for the block.
  bool splitStart() {
    std::vector<const Expr *> terms;
    addTerms(header.start, terms);
    for (const Expr *term : terms) {
      if (uniform.isUniformWork(term)) {
        common.push_back(term);
        continue;
      }
      const analysis::Affine *value = facts.accesses->valueOf(term->IgnoreParenImpCasts());
      const bool isIndex = value && *value && (*value)->terms().size() == 1 &&
                           (*value)->terms().begin()->second == 1 && (*value)->degree() == 1 &&
                           (*value)->terms().begin()->first.front()->kind == SymbolKind::ThreadIdx;
      if (!isIndex || own)
        return false;
      own = term;
    }
    return own != nullptr;
  }

  /// It is the innermost, nothing leaves it from inside, and what its head reads is not changed there.
  bool bodyStays() const {
    Uses inside = Uses::of(loop->getBody());
    if (inside.lambda || inside.assembly || !inside.returns.empty())
      return false;
    for (const Stmt *statement : inside.statements)
      if (isa<BreakStmt, ContinueStmt, GotoStmt, LabelStmt, ForStmt, WhileStmt, DoStmt>(statement))
        return false;
    const source::ReachingDefinitions &definitions = facts.uniformity->definitions();
    std::vector<const VarDecl *> read = {header.counter};
    for (const Expr *part : {header.bound, header.step})
      llvm::append_range(read, Uses::of(part).variables());
    return std::ranges::all_of(read, [&](const VarDecl *variable) {
      return definitions.isTracked(variable) && !definitions.addressEscapes(variable) &&
             std::ranges::none_of(definitions.definitionsOf(variable), [&](const auto *definition) {
               return inside.statements.contains(definition->statement);
             });
    });
  }

  void write() {
    const std::string first = names.fresh("first"), name = header.counter->getNameAsString();
    std::optional<std::string> ofBlock = source::declareAs(unit, header.counter, first);
    std::optional<std::string> ofThread = source::redeclare(unit, header.counter, name);
    if (!ofBlock || !ofThread)
      return;
    std::vector<std::string> begin;
    for (const Expr *term : common)
      begin.push_back(text.text(term));
    const std::string bound = text.text(header.bound), step = text.text(header.step);
    const std::string compare = header.condition->getOpcodeStr().str();
    Code iteration = fmt::format("{} = {} + {};", *ofThread, first, text.text(own));
    iteration.add(guarded(fmt::format("if ({} {} {})", name, compare, bound)));
    const std::string head =
        fmt::format("for ({} = {}; {} {} {}; {} += {})", *ofBlock,
                    begin.empty() ? "0" : llvm::join(begin, " + "), first, compare, bound, first, step);
    if (!text.failure)
      text.replace(edits, source::wholeStatement(unit, loop), Code::braces(head, iteration));
  }

  /// The body after a guard. An `if` gets braces: its `else` must not look like ours.
  Code guarded(const Code &guard) {
    const Stmt *body = loop->getBody();
    if (isa<CompoundStmt>(body)) // it is as deep as the loop was
      return Code(guard).join(" ").join(text.code(body->getSourceRange()));
    return isa<IfStmt>(body) ? Code::braces(guard, text.statement(body))
                             : Code(guard).addDeeper(text.statement(body));
  }

  source::Edits &edits;
  const Unit &unit;
  source::Rewriter text;
  const KernelFacts &facts;
  const analysis::UniformWork uniform;
  Names &names;
  const ForStmt *loop;
  Header header;
  std::vector<const Expr *> common;
  const Expr *own = nullptr;
};

} // namespace

std::optional<Needs> makeLoopsOfTheBlock(Context &context, const Kernel &kernel) {
  const KernelFacts &facts = context.facts(kernel);
  Uses whole = Uses::of(kernel.function->getBody());
  // Where some threads leave the kernel, they do not go through loops together.
  if (!whole.returns.empty() || !facts.accesses->isComplete())
    return std::nullopt;
  Names names(*kernel.unit);
  source::Edits edits;
  for (const auto &known : facts.accesses->loops())
    if (auto *loop = dyn_cast<ForStmt>(known->statement); loop && whole.statements.contains(loop))
      BlockLoop(context, kernel, loop, names, edits).make();
  return neededEdits("block-loops", std::move(edits));
}

} // namespace heddle::transform

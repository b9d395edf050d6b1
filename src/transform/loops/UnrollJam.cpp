// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of the loop is a row of segments: stretches of straight statements, and loops to jam, whose bodies
// are rows of segments again. The copies for iterations i, i+1, ... i+F-1 go through the row together: a
// straight segment is done for the first copy, then for the second and so on; a loop to jam is one loop with
// the copies of its body inside.
//
// So of two copies a < b, something of b comes before something of a, which it did not before, exactly where
//   - it is in an earlier segment of the same row, or
//   - both are in one jammed loop and b's iteration of that loop is the earlier one.
// Those are the dependences that are asked for, at a distance of 1 to F-1 iterations. In everything else the
// order of two accesses stays, and with it the order of additions to each accumulator.
//
// Variables declared in the body get one name for each copy. One that is declared outside and changed may be
// used in a single straight segment only: there the copies follow each other as the iterations did.
#include "transform/loops/UnrollJam.h"

#include "analysis/StatementShape.h"
#include "source/DeclaredType.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/Names.h"
#include "transform/loops/LoopWork.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <memory>

using namespace clang;

namespace heddle::transform {

using analysis::CountedLoop;
using analysis::LoopStudy;

namespace {

struct Row;
struct Segment {
  std::vector<const Stmt *> straight;
  std::optional<CountedLoop> jam; ///< or a loop to jam, with its row
  std::unique_ptr<Row> inside;

  std::vector<const Stmt *> code() const {
    return jam ? std::vector<const Stmt *>{jam->statement} : straight;
  }
};
struct Row {
  const Stmt *body = nullptr;
  std::vector<Segment> segments;
};

// Collect
// -------------------------------------------------------------------------------------------------------------

/// Takes bodies apart; a loop that cannot be jammed is a straight statement, and the first reason is kept.
class RowMaker {
public:
  RowMaker(const LoopStudy &study, const CountedLoop &outer) : study(study), outer(outer) {}

  Row make(const Stmt *body, std::set<const VarDecl *> common) {
    Row row{body, {}};
    for (const Stmt *statement : analysis::statementsOf(body)) {
      if (std::optional<CountedLoop> loop = jammable(statement, common)) {
        std::set<const VarDecl *> further = common;
        further.insert(loop->variable);
        Segment segment{{}, loop, std::make_unique<Row>(make(loop->body(), further))};
        row.segments.push_back(std::move(segment));
        ++jammed;
      } else {
        if (row.segments.empty() || row.segments.back().jam)
          row.segments.emplace_back();
        row.segments.back().straight.push_back(statement);
      }
    }
    return row;
  }
  LegalityFailure whyNone;
  unsigned jammed = 0;

private:
  std::optional<CountedLoop> jammable(const Stmt *statement, const std::set<const VarDecl *> &common) {
    auto *loop = dyn_cast<ForStmt>(statement);
    if (!loop)
      return std::nullopt;
    std::variant<CountedLoop, Diagnostic> counted = study.counted(loop);
    LegalityFailure reason;
    if (auto *refusal = std::get_if<Diagnostic>(&counted)) {
      reason = *refusal;
    } else {
      std::set<const VarDecl *> known = common;
      known.insert(std::get<CountedLoop>(counted).variable);
      reason = study.whyHeadVaries(std::get<CountedLoop>(counted), outer.statement, known);
    }
    if (!reason)
      reason = analysis::exitOfLoop(study.unit, loop->getBody());
    if (!reason)
      return std::get<CountedLoop>(counted);
    if (!whyNone)
      whyNone = reason;
    return std::nullopt;
  }

  const LoopStudy &study;
  const CountedLoop &outer;
};

// Decide
// --------------------------------------------------------------------------------------------------------------

class JamLegality {
public:
  JamLegality(const LoopStudy &study, const CountedLoop &outer, int64_t factor)
      : study(study), outer(outer), factor(factor) {}

  LegalityFailure whyNot(const Row &row) {
    if (LegalityFailure exit = analysis::exitOfLoop(study.unit, outer.body()))
      return exit;
    if (LegalityFailure effect = analysis::reasonAgainstReordering(study.unit, outer.body()))
      return effect;
    if (LegalityFailure declared = oddDeclaration(row))
      return declared;
    if (LegalityFailure carried = carriedVariable(row))
      return carried;
    return turned(row, LoopStudy::around(outer.facts));
  }

private:
  LegalityFailure oddDeclaration(const Row &row) const {
    for (const Segment &segment : row.segments) {
      if (segment.inside)
        if (LegalityFailure inside = oddDeclaration(*segment.inside))
          return inside;
      for (const Stmt *statement : segment.straight)
        if (auto *declaration = dyn_cast<DeclStmt>(statement))
          for (const Decl *one : declaration->decls())
            if (auto *variable = dyn_cast<VarDecl>(one); !variable || isa<DecompositionDecl>(one) ||
                                                         !variable->hasLocalStorage() ||
                                                         variable->hasAttr<CUDASharedAttr>())
              return legalityFailure(study.unit.location(statement),
                                     "a copy of this declaration for each iteration would not be the same");
    }
    return std::nullopt;
  }

  LegalityFailure carriedVariable(const Row &row) const {
    for (const analysis::OuterVariable &variable : study.outerVariables(outer.body())) {
      if (!variable.write || variable.variable == outer.variable)
        continue;
      const Segment *home = nullptr;
      for (const DeclRefExpr *mention : variable.mentions) {
        const Segment *here = nullptr;
        for (const Segment &segment : row.segments)
          for (const Stmt *statement : segment.straight)
            if (analysis::partsOf(statement).contains(mention))
              here = &segment;
        if (!here || (home && home != here))
          return legalityFailure(study.unit.location(variable.write),
                                 "'{}' is carried from one iteration of '{}' to the next: jamming would "
                                 "change the order of its updates",
                                 variable.variable->getNameAsString(), outer.name());
        home = here;
      }
    }
    return std::nullopt;
  }

  LegalityFailure turned(const Row &row, std::vector<const analysis::Loop *> same) const {
    analysis::IterationsApart copies{outer.facts, outer.facts, 1, factor - 1};
    for (size_t u = 0; u < row.segments.size(); ++u) {
      std::vector<const analysis::Access *> late = study.accessesIn(row.segments[u].code());
      for (size_t v = 0; v < u; ++v)
        if (auto found = study.dependence(late, study.accessesIn(row.segments[v].code()), {same, {copies}},
                                          outer.statement))
          return analysis::refusalOf(
              *found, fmt::format("in an earlier iteration of '{}', and would come before it", outer.name()));
      if (!row.segments[u].jam)
        continue;
      const CountedLoop &inner = *row.segments[u].jam;
      analysis::IterationsApart earlier{inner.facts, inner.facts, {}, -1};
      std::vector<const analysis::Access *> inside = study.accessesIn(inner.body());
      if (auto found = study.dependence(inside, inside, {same, {copies, earlier}}, outer.statement))
        return analysis::refusalOf(
            *found,
            fmt::format("in an earlier iteration of '{}' and a later one of '{}', and would come before it",
                        outer.name(), inner.name()));
      std::vector<const analysis::Loop *> further = same;
      further.push_back(inner.facts);
      if (LegalityFailure below = turned(*row.segments[u].inside, further))
        return below;
    }
    return std::nullopt;
  }

  const LoopStudy &study;
  const CountedLoop &outer;
  int64_t factor;
};

/// How the loop goes on by F at a time: whether a remainder is left, and what tests for a whole group.
struct Stride {
  std::optional<int64_t> step;       ///< a constant one
  bool divides = false;              ///< nothing is ever left over
  std::optional<int64_t> wholeUntil; ///< the main loop's bound, where all is constant
};

bool isUnsigned(const Expr *value) { return value->IgnoreImpCasts()->getType()->isUnsignedIntegerType(); }

/// `i + 3 < n` must mean what three more steps and tests would have found.
std::variant<Stride, Diagnostic> strideOf(const LoopStudy &study, const CountedLoop &loop, int64_t factor) {
  auto refuse = [&](const std::string &reason) {
    return legalityFailure(study.unit.location(loop.statement), reason);
  };
  const analysis::Loop &facts = *loop.facts;
  Stride stride;
  // In a template another instantiation may have another step, unless it is written as a number.
  bool isWritten = !loop.step || isa<IntegerLiteral>(loop.step->IgnoreParenImpCasts());
  if (!study.kernel.isInstantiation || isWritten)
    stride.step = loop.constantStep();
  bool isUp = stride.step ? *stride.step > 0
                          : !loop.countsDown &&
                                ((facts.step && facts.step->isNonNegative()) || isUnsigned(loop.step));
  bool isDown = stride.step && *stride.step < 0;
  bool towards = (isUp && (loop.comparison == BO_LT || loop.comparison == BO_LE)) ||
                 (isDown && (loop.comparison == BO_GT || loop.comparison == BO_GE)) ||
                 (loop.comparison == BO_NE && (isUp || isDown));
  if (!towards)
    return refuse(fmt::format("it is not certain that '{}' is counted towards its bound", loop.name()));
  std::optional<int64_t> trips = study.kernel.isInstantiation ? std::nullopt : loop.trips();
  if (trips && *trips < factor)
    return refuse(fmt::format("the trip count of the loop is {}, less than the factor", *trips));
  if (trips && *trips % factor == 0) {
    stride.divides = true;
    return stride;
  }
  if (trips && facts.start.constant() && stride.step) {
    stride.wholeUntil = *facts.start.constant() + (*trips - *trips % factor) * *stride.step;
    return stride;
  }
  bool isSigned = loop.variable->getType()->isSignedIntegerType();
  std::optional<int64_t> bound = facts.bound ? facts.bound->constant() : std::nullopt;
  bool mixesSigns = isSigned == isUnsigned(loop.bound) && !(bound && *bound >= 0);
  if (mixesSigns && (isDown || (isSigned && !(facts.start && facts.start->isNonNegative()))))
    return refuse(
        fmt::format("'{}' may be negative where it is compared with an unsigned bound", loop.name()));
  if (loop.comparison != BO_NE)
    return stride;
  bool isByOne = stride.step && std::abs(*stride.step) == 1;
  bool isBounded = isSigned || (isUp && facts.start.constant() == 0) || (isDown && bound == 0);
  if (!isByOne || !isBounded)
    return refuse("with '!=' it is not certain that the loop ends where it should");
  return stride;
}

// Edit
// ----------------------------------------------------------------------------------------------------------------

class JamWriter {
public:
  JamWriter(const LoopTask &task, const CountedLoop &outer, const Stride &stride, int64_t factor)
      : task(task), study(task.study), unit(study.unit), outer(outer), stride(stride), factor(factor),
        text(unit), names(unit) {}

  LegalityFailure run(const Row &row) {
    step = text.stepOf(outer.statement, outer.body());
    nameCounters();
    nameCopies(row);
    bool hasRest = !stride.divides, declaresBefore = hasRest && !stride.wholeUntil;
    bool isAlone = isa_and_nonnull<CompoundStmt>(study.parent(outer.statement));
    Code loops;
    if (declaresBefore)
      loops.add(text.code(outer.statement->getInit()->getSourceRange()));
    loops.add(Code::braces(mainHead(), copiesBegin().add(rowText(row)), step));
    if (hasRest)
      loops.add(Code(restHead()).join(text.behindHead(outer.statement)));
    if (declaresBefore && isAlone && isTaken())
      loops = Code::braces({}, loops, step);
    if (text.failure)
      return text.failure;
    text.replace(task.context.edits, outer.statement, study.parent(outer.statement),
                 loops.from(text.lineOf(outer.statement)), hasRest);
    return std::nullopt;
  }

private:
  /// Another variable of that name is in sight, or would come into sight of it.
  bool isTaken() const {
    for (const ParmVarDecl *parameter : study.kernel.function->parameters())
      if (parameter->getName() == outer.variable->getName())
        return true;
    bool taken = false;
    const Stmt *block = study.parent(outer.statement);
    source::forEachEvaluated(study.kernel.function->getBody(), [&](const Stmt *part) {
      for (const VarDecl *variable : analysis::declaredBy(part))
        if (variable != outer.variable && variable->getName() == outer.variable->getName())
          taken |= study.parent(part) == block || isAround(study.parent(part));
      return true;
    });
    return taken;
  }
  bool isAround(const Stmt *scope) const {
    for (const Stmt *at = outer.statement; at; at = study.parent(at))
      if (at == scope)
        return true;
    return false;
  }

  // Names of the copies

  void nameCopies(const Row &row) {
    for (const Segment &segment : row.segments) {
      for (const Stmt *statement : segment.straight)
        for (const VarDecl *one : analysis::declaredBy(statement))
          for (int64_t k = 0; k < factor; ++k)
            copies[one].push_back(names.fresh(one->getNameAsString() + std::to_string(k)));
      if (segment.inside)
        nameCopies(*segment.inside);
    }
  }
  void nameCounters() {
    for (int64_t k = 1; k < factor && !stride.step; ++k)
      counters.push_back(names.fresh(outer.name() + std::to_string(k)));
  }

  /// With a step that is no constant each copy's counter gets a name: its type must stay what it was.
  Code copiesBegin() {
    Code lines;
    for (size_t k = 0; k < counters.size(); ++k) {
      std::string value = fmt::format("{} = {} + {}", counters[k], outer.name(), times(int64_t(k) + 1));
      lines.addf("const {};", source::declareAs(unit, outer.variable, value).value_or(""));
    }
    return lines;
  }

  /// "2 * stride", "stride" for once.
  std::string times(int64_t count) {
    std::string words = text.text(outer.step->getSourceRange());
    const Expr *plain = outer.step->IgnoreImpCasts();
    bool isSimple =
        isa<DeclRefExpr, ParenExpr, MemberExpr, CallExpr, PseudoObjectExpr, IntegerLiteral>(plain);
    if (!isSimple)
      words = "(" + words + ")";
    return count == 1 ? words : fmt::format("{} * {}", count, words);
  }

  std::string counterOf(int64_t copy, const DeclRefExpr *mention) {
    if (copy == 0)
      return outer.name();
    if (!stride.step)
      return counters[size_t(copy) - 1];
    int64_t distance = copy * *stride.step;
    std::string sum = fmt::format("{} {} {}", outer.name(), distance < 0 ? "-" : "+", std::abs(distance));
    return needsParens(mention) ? "(" + sum + ")" : sum;
  }

  bool needsParens(const DeclRefExpr *mention) const {
    if (mention->getLocation().isMacroID())
      return true;
    const Stmt *below = mention, *above = study.parent(mention);
    while (isa_and_nonnull<ImplicitCastExpr>(above))
      below = above, above = study.parent(above);
    if (isa_and_nonnull<ParenExpr, DeclStmt, InitListExpr, CXXFunctionalCastExpr, CXXStaticCastExpr>(above))
      return false;
    if (auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(above))
      return subscript->getIdx() != below;
    if (auto *call = dyn_cast_or_null<CallExpr>(above))
      return isa<CXXOperatorCallExpr>(call);
    auto *binary = dyn_cast_or_null<BinaryOperator>(above);
    if (!binary)
      return true;
    // x + i + 1 is x + (i + 1) for integers, also where they wrap around.
    if (binary->isAdditiveOp())
      return binary->getLHS() != below &&
             !(binary->getOpcode() == BO_Add && binary->getType()->isIntegerType());
    return !(binary->isComparisonOp() || (binary->isAssignmentOp() && binary->getRHS() == below));
  }

  std::vector<Replacement> replacements(const Stmt *statement, int64_t copy) {
    std::vector<Replacement> parts =
        renamed(statement, [&](const DeclRefExpr *mention) -> std::optional<std::string> {
          auto *variable = cast<VarDecl>(mention->getDecl());
          if (auto at = copies.find(variable); at != copies.end())
            return at->second[size_t(copy)];
          return variable == outer.variable && copy ? std::optional(counterOf(copy, mention)) : std::nullopt;
        });
    for (const VarDecl *one : analysis::declaredBy(statement))
      if (auto at = copies.find(one); at != copies.end())
        parts.push_back({one->getLocation(), at->second[size_t(copy)]});
    return parts;
  }

  // Text

  Code rowText(const Row &row) {
    Code result;
    source::BlockText block = text.block(row.body);
    auto partOf = [&](const Stmt *statement) -> const source::BlockPart & {
      return *std::ranges::find(block.parts, statement, &source::BlockPart::statement);
    };
    for (const Segment &segment : row.segments)
      for (int64_t copy = 0; copy < (segment.jam ? 1 : factor); ++copy)
        for (const Stmt *statement : segment.code()) {
          const source::BlockPart &part = partOf(statement);
          const Code now =
              segment.jam ? jammedText(segment) : text.statement(statement, replacements(statement, copy));
          if (copy) // comments appear once, what speaks to the compiler is with each copy
            result.add(part.lead.pragmas()).add(now);
          else
            result.add(part.around(now));
        }
    return result.add(block.end);
  }

  Code jammedText(const Segment &segment) {
    const ForStmt *loop = segment.jam->statement;
    return Code::braces(text.head(loop), rowText(*segment.inside), text.stepOf(loop, segment.jam->body()))
        .from(text.lineOf(loop));
  }

  /// "i += 4"
  std::string increment() {
    if (!stride.step)
      return fmt::format("{} += {}", outer.name(), times(factor));
    return fmt::format("{} {} {}", outer.name(),
                       *stride.step < 0 ? "-=" : "+=", factor * std::abs(*stride.step));
  }

  std::string mainHead() {
    std::string init = text.text(outer.statement->getInit()->getSourceRange());
    if (stride.divides)
      return fmt::format("for ({} {}; {})", init, text.text(outer.statement->getCond()->getSourceRange()),
                         increment());
    if (stride.wholeUntil)
      return fmt::format("for ({} {} {} {}; {})", init, outer.name(), *stride.step > 0 ? "<" : ">",
                         *stride.wholeUntil, increment());
    return fmt::format("for (; {}; {})", wholeGroup(), increment());
  }

  /// "i + 3LL < n": all F iterations are there. The sum must not wrap around, so 32 bits become 64.
  std::string wholeGroup() {
    QualType type = outer.variable->getType();
    bool isNarrow = unit.context().getIntWidth(type) <= 32, isDown = stride.step && *stride.step < 0;
    std::string bound = text.text(outer.bound->getSourceRange());
    const Expr *plain = outer.bound->IgnoreImpCasts();
    auto *operation = dyn_cast<BinaryOperator>(plain);
    if (isa<AbstractConditionalOperator>(plain) ||
        (operation && !operation->isAdditiveOp() && !operation->isMultiplicativeOp()))
      bound = "(" + bound + ")";
    std::string comparison = outer.comparison == BO_NE ? (isDown ? ">" : "<")
                                                       : BinaryOperator::getOpcodeStr(outer.comparison).str();
    const char *suffix = isNarrow ? "LL" : "";
    std::string reach = stride.step ? fmt::format("{}{}", (factor - 1) * std::abs(*stride.step), suffix)
                                    : fmt::format("{}{} * {}", factor - 1, suffix, times(1));
    if (!isDown)
      return fmt::format("{} + {} {} {}", outer.name(), reach, comparison, bound);
    if (isNarrow)
      return fmt::format("{} - {} {} {}", outer.name(), reach, comparison, bound);
    return fmt::format("{} {} {} + {}", outer.name(), comparison, bound,
                       reach); // unsigned must not go below 0
  }

  std::string restHead() {
    std::string go = fmt::format("{}; {})", text.text(outer.statement->getCond()->getSourceRange()),
                                 text.text(outer.statement->getInc()->getSourceRange()));
    if (!stride.wholeUntil)
      return "for (; " + go;
    return fmt::format(
        "for ({}; {}",
        source::declareAs(unit, outer.variable, fmt::format("{} = {}", outer.name(), *stride.wholeUntil))
            .value_or(""),
        go);
  }

  const LoopTask &task;
  const LoopStudy &study;
  const Unit &unit;
  const CountedLoop &outer;
  const Stride &stride;
  int64_t factor;
  source::Rewriter text;
  Names names;
  std::string step;
  std::map<const VarDecl *, std::vector<std::string>> copies;
  std::vector<std::string> counters; ///< of the second copy and so on, where they need names
};

LegalityFailure unrollJam(const LoopTask &task) {
  const LoopStudy &study = task.study;
  int64_t factor = task.context.directive.number("factor");
  std::variant<CountedLoop, Diagnostic> counted = countedSubject(task);
  if (auto *refusal = std::get_if<Diagnostic>(&counted))
    return *refusal;
  const CountedLoop &outer = std::get<CountedLoop>(counted);
  RowMaker maker(study, outer);
  Row row = maker.make(outer.body(), {});
  if (!maker.jammed)
    return maker.whyNone
               ? maker.whyNone
               : legalityFailure(study.unit.location(outer.statement), "there is no loop inside it to jam");
  if (LegalityFailure reason = JamLegality(study, outer, factor).whyNot(row))
    return reason;
  std::variant<Stride, Diagnostic> stride = strideOf(study, outer, factor);
  if (auto *refusal = std::get_if<Diagnostic>(&stride))
    return *refusal;
  if (!task.edits)
    return std::nullopt;
  if (LegalityFailure reason = JamWriter(task, outer, std::get<Stride>(stride), factor).run(row))
    return reason;
  task.context.done(
      "{} iterations of the loop over '{}' at line {} are unrolled, and their inner loops fused", factor,
      outer.name(), study.unit.location(outer.statement).line);
  return std::nullopt;
}

} // namespace

PassResult unrollAndJam(Context &context) { return carryOutOn(context, unrollJam); }

std::vector<const Stmt *> loopsToUnroll(const Kernel &kernel) {
  std::vector<const Stmt *> all = loopsOf(kernel);
  std::erase_if(all, [](const Stmt *loop) {
    std::vector<const Stmt *> inside = analysis::statementsOf(cast<ForStmt>(loop)->getBody());
    return std::ranges::none_of(inside, [](const Stmt *one) { return isa<ForStmt>(one); });
  });
  return all;
}

} // namespace heddle::transform

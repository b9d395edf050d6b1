// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices of a warp in closed form.
//
// When a block is one warp, an element of a shared array can become a register if its index is a sum that is
// known at compile time, up to the lane:
//
//     t[threadIdx.y * 8 + threadIdx.x + s + 1]        1*x + 8*y + 1*"s" + 1         (s counts a loop)
//
// 1. Locals that never change after their declaration represent what they were set to. `Changes` finds where
//    a variable changes or may change: assignments, increments, its address, references to it, lambdas.
// 2. A `for` loop is known where its counter changes only in the loop's increment, and the start, condition
//    and increment can be evaluated with the counter's value. The loop is then executed here, which gives the
//    values of the counter whatever the step is (`s >>= 1` as well as `++i`).
// 3. `formsOf` brings an expression to a sum of thread indices, terms and a constant. A term is an expression
//    of counters and constants, kept as written and compared by its text. `c ? a : b` has two forms, and sums
//    of such have the product of them.
// 4. `rangeOverLanes` bounds a form over all lanes for given counters, by the sign of each factor.
//
// Relied on: indices do not wrap around. Conversions that could cut an index off (to char, short, bool) and
// arithmetic that leaves 32 bits end the search, so a form is never made of a wrapped value that was seen.
// Not handled: division and remainder of thread indices, and anything loaded from memory. Cost: each loop is
// executed once, up to `mostIterations`; nested counters are combined up to `mostCombinations`.
#include "analysis/warp/WarpIndex.h"

#include "analysis/Barriers.h"
#include "analysis/StatementShape.h"
#include "analysis/ThreadBuiltins.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ParentMap.h>
#include <fmt/format.h>

#include <functional>

using namespace clang;

namespace heddle::analysis {
namespace {

/// Loops that run longer are not unrolled, so their counters need not be known.
constexpr size_t mostIterations = 1024;
/// Of counters of nested loops: as many copies of an access as unrolling them makes.
constexpr size_t mostCombinations = 8192;

/// Where each variable changes after its declaration, or may: its address is taken, or a reference to it.
class Changes : public DynamicRecursiveASTVisitor {
public:
  std::unordered_map<const VarDecl *, std::vector<const Stmt *>> found;

  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->isAssignmentOp())
      note(op->getLHS(), op);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    if (op->isIncrementDecrementOp() || op->getOpcode() == UO_AddrOf)
      note(op->getSubExpr(), op);
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getType()->isReferenceType() && variable->getInit())
      note(variable->getInit(), variable->getInit());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    // An argument that is not read here is bound to a reference.
    for (const Expr *argument : call->arguments())
      if (argument->isLValue() && !argument->getType().isConstQualified())
        note(argument, call);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *lambda) override {
    for (const LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == LCK_ByRef)
        if (auto *variable = dyn_cast<VarDecl>(capture.getCapturedVar()))
          found[variable].push_back(lambda);
    return true;
  }

private:
  void note(const Expr *location, const Stmt *by) {
    if (const VarDecl *variable = namedVariable(location))
      found[variable].push_back(by);
  }
};

class ForLoops : public DynamicRecursiveASTVisitor {
public:
  std::vector<const ForStmt *> found;
  bool VisitForStmt(ForStmt *loop) override {
    found.push_back(loop);
    return true;
  }
};

/// What a `#pragma unroll` before the loop asks for: 0 none, 1 not to, ~0u all, else how many times.
unsigned unrollHint(const ForStmt *loop, const ParentMap &parents, const ASTContext &context) {
  auto *attributed = dyn_cast_or_null<AttributedStmt>(parents.getParent(loop));
  if (!attributed)
    return 0;
  for (const Attr *attribute : attributed->getAttrs())
    if (auto *hint = dyn_cast<LoopHintAttr>(attribute)) {
      if (hint->getOption() == LoopHintAttr::Unroll)
        return hint->getState() == LoopHintAttr::Disable ? 1 : ~0u;
      if (hint->getOption() == LoopHintAttr::UnrollCount && hint->getValue())
        if (auto count = hint->getValue()->getIntegerConstantExpr(context))
          return unsigned(count->getZExtValue());
    }
  return 0;
}

/// A conversion that leaves indices as they are: fewer bits than an index needs would cut it off.
bool keepsValue(const CastExpr *cast) {
  if (cast->getCastKind() == CK_LValueToRValue || cast->getCastKind() == CK_NoOp)
    return true;
  const auto isWide = [](QualType type) {
    const BuiltinType *builtin = type->getAs<BuiltinType>();
    return builtin && builtin->isInteger() && builtin->getKind() != BuiltinType::Bool &&
           !type->isCharType() && !type->isSpecificBuiltinType(BuiltinType::Short) &&
           !type->isSpecificBuiltinType(BuiltinType::UShort);
  };
  const QualType from = cast->getSubExpr()->getType();
  return isWide(cast->getType()) && from->isIntegerType();
}

/// Arithmetic that would wrap around is left alone.
std::optional<int64_t> representable(int64_t value, QualType type) {
  const bool wraps = (type->isUnsignedIntegerType() && value < 0) || value > INT32_MAX || value < INT32_MIN;
  return wraps ? std::nullopt : std::optional(value);
}

std::string written(const Expr *expression, const ASTContext &context) {
  std::string text;
  llvm::raw_string_ostream out(text);
  PrintingPolicy policy(context.getLangOpts());
  expression->IgnoreParenImpCasts()->printPretty(out, nullptr, policy);
  return isa<DeclRefExpr>(expression->IgnoreParenImpCasts()) ? text : "(" + text + ")";
}

/// Prints an index that merging threads has introduced (work/ItemIndices.cpp) as what it replaced.
class IndicesOfSource : public PrinterHelper {
public:
  bool handledStmt(Stmt *statement, raw_ostream &out) override {
    auto *name = dyn_cast<DeclRefExpr>(statement);
    auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const std::string text = variable ? variable->getNameAsString() : "";
    if (text.size() != 7 || !text.starts_with("thread") || text.back() < 'X' || text.back() > 'Z')
      return false;
    const std::string builtin = std::string("threadIdx.") + char(text.back() - 'X' + 'x');
    if (!variable->getType().isConstQualified() || !variable->getType()->isUnsignedIntegerType() ||
        (variable->getInit() &&
         written(variable->getInit(), variable->getASTContext()).find(builtin) == std::string::npos))
      return false;
    out << builtin;
    return true;
  }
};

} // namespace

std::string textInSource(const Expr *expression, const ASTContext &context) {
  std::string text;
  llvm::raw_string_ostream out(text);
  IndicesOfSource helper;
  expression->IgnoreParenImpCasts()->printPretty(out, &helper, PrintingPolicy(context.getLangOpts()));
  return text;
}

// A form
// -----------------------------------------------------------------------------------------------------

WarpIndex &WarpIndex::add(const WarpIndex &other, int64_t times) {
  for (unsigned d = 0; d < 3; ++d)
    thread[d] += times * other.thread[d];
  for (const auto &[text, term] : other.terms) {
    Term &mine = terms.try_emplace(text, Term{0, term.value, term.loops}).first->second;
    mine.factor += times * term.factor;
    if (mine.factor == 0)
      terms.erase(text);
  }
  constant += times * other.constant;
  return *this;
}

std::optional<int64_t> WarpIndex::asConstant() const {
  return isUniform() && terms.empty() ? std::optional(constant) : std::nullopt;
}

bool WarpIndex::isMultipleOf(int64_t number) const {
  bool is = constant % number == 0;
  for (const auto &[text, term] : terms)
    is &= term.factor % number == 0;
  for (int64_t factor : thread)
    is &= factor % number == 0;
  return is;
}

std::set<const KnownLoop *> WarpIndex::loops() const {
  std::set<const KnownLoop *> all;
  for (const auto &[text, term] : terms)
    all.insert(term.loops.begin(), term.loops.end());
  return all;
}

std::string WarpIndex::str(int64_t divisor) const {
  std::string text;
  const auto append = [&](int64_t factor, const std::string &what) {
    if (factor == 0)
      return;
    const int64_t size = factor < 0 ? -factor : factor;
    text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    text += what.empty() ? std::to_string(size) : size == 1 ? what : fmt::format("{} * {}", what, size);
  };
  std::vector<std::pair<int64_t, std::string>> parts;
  for (const auto &[what, term] : terms)
    parts.emplace_back(term.factor / divisor, what);
  static const char *const names[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
  for (unsigned d = 0; d < 3; ++d)
    parts.emplace_back(thread[d] / divisor, names[d]);
  llvm::stable_sort(parts,
                    [](const auto &a, const auto &b) { return std::abs(a.first) > std::abs(b.first); });
  for (const auto &[factor, what] : parts)
    append(factor, what);
  append(constant / divisor, "");
  return text.empty() ? "0" : text;
}

// Loops
// -----------------------------------------------------------------------------------------------------

WarpIndices::WarpIndices(const source::Unit &unit, const FunctionDecl *kernel, const ParentMap &parents,
                         std::array<int64_t, 3> block)
    : unit(unit), parents(parents), block(block) {
  Changes visitor;
  visitor.TraverseStmt(kernel->getBody());
  changes = std::move(visitor.found);
  findLoops(kernel);
}

void WarpIndices::findLoops(const FunctionDecl *kernel) {
  ForLoops loops;
  loops.TraverseStmt(kernel->getBody());
  for (const ForStmt *loop : loops.found)
    if (std::optional<KnownLoop> found = counted(loop))
      loopList.push_back(std::make_unique<KnownLoop>(std::move(*found)));
}

bool WarpIndices::changesOnlyIn(const VarDecl *variable, const Stmt *part) const {
  auto found = changes.find(variable);
  if (found == changes.end())
    return false;
  return llvm::all_of(found->second, [&](const Stmt *change) {
    for (const Stmt *at = change; at; at = parents.getParent(const_cast<Stmt *>(at)))
      if (at == part)
        return true;
    return false;
  });
}

std::optional<KnownLoop> WarpIndices::counted(const ForStmt *loop) const {
  auto *declared = dyn_cast_or_null<DeclStmt>(loop->getInit());
  if (!declared || !loop->getCond() || !loop->getInc())
    return std::nullopt;
  for (const Decl *decl : declared->decls()) {
    auto *counter = dyn_cast<VarDecl>(decl);
    if (!counter || !counter->getInit() || !counter->getType()->isIntegerType() ||
        !changesOnlyIn(counter, loop->getInc()))
      continue;
    std::optional<int64_t> value = evaluate(counter->getInit(), {});
    KnownLoop found{loop, counter};
    while (value && found.values.size() <= mostIterations) {
      std::optional<int64_t> goesOn = evaluate(loop->getCond(), {{counter, *value}});
      if (!goesOn)
        break;
      if (!*goesOn) {
        const unsigned hint = unrollHint(loop, parents, unit.context());
        found.isUnrolled = hint != 1 && hint >= found.values.size() && hint != 0;
        found.unrollCount = found.isUnrolled ? 0 : hint;
        found.hasBarrier = holdsBarrier(loop->getBody(), unit.context());
        return found;
      }
      found.values.push_back(*value);
      value = evaluate(loop->getInc(), {{counter, *value}});
    }
  }
  return std::nullopt;
}

const KnownLoop *WarpIndices::countedLoop(const Stmt *loop) const {
  for (const auto &each : loopList)
    if (each->loop == loop)
      return each.get();
  return nullptr;
}

// Numbers
// -----------------------------------------------------------------------------------------------------

/// Of an expression of counters and constants; of an increment: the counter's next value.
std::optional<int64_t> WarpIndices::evaluate(const Expr *expression, const Counters &counters) const {
  Expr::EvalResult result;
  if (!expression->isValueDependent() && expression->EvaluateAsInt(result, unit.context()))
    return result.Val.getInt().getExtValue();
  if (auto *inner = dyn_cast<FullExpr>(expression))
    return evaluate(inner->getSubExpr(), counters);
  expression = expression->IgnoreParens();
  if (auto *cast = dyn_cast<CastExpr>(expression))
    return keepsValue(cast) ? evaluate(cast->getSubExpr(), counters) : std::nullopt;
  if (std::optional<ThreadBuiltin> builtin = threadBuiltin(expression))
    return builtin->kind == ThreadBuiltin::Kind::BlockDim && builtin->dimension < 3
               ? std::optional(block[builtin->dimension])
               : std::nullopt;
  if (const VarDecl *variable = namedVariable(expression)) {
    auto found = counters.find(variable);
    if (found != counters.end())
      return found->second;
    return variable->getInit() && variable->isLocalVarDecl() && neverChanges(variable)
               ? evaluate(variable->getInit(), counters)
               : std::nullopt;
  }
  if (auto *unary = dyn_cast<UnaryOperator>(expression)) {
    std::optional<int64_t> value = evaluate(unary->getSubExpr(), counters);
    if (!value)
      return std::nullopt;
    if (unary->isIncrementDecrementOp())
      return representable(*value + (unary->isIncrementOp() ? 1 : -1), unary->getType());
    return unary->getOpcode() == UO_Minus ? representable(-*value, unary->getType()) : std::nullopt;
  }
  std::optional<int64_t> value = evaluateBinary(expression, counters);
  return value ? representable(*value, expression->getType()) : std::nullopt;
}

std::optional<int64_t> WarpIndices::evaluateBinary(const Expr *expression, const Counters &counters) const {
  auto *op = dyn_cast<BinaryOperator>(expression);
  if (!op)
    return std::nullopt;
  if (op->getOpcode() == BO_Assign)
    return evaluate(op->getRHS(), counters);
  std::optional<int64_t> a = evaluate(op->getLHS(), counters), b = evaluate(op->getRHS(), counters);
  if (!a || !b)
    return std::nullopt;
  BinaryOperatorKind kind = op->isCompoundAssignmentOp()
                                ? BinaryOperator::getOpForCompoundAssignment(op->getOpcode())
                                : op->getOpcode();
  switch (kind) {
  case BO_Add: return *a + *b;
  case BO_Sub: return *a - *b;
  case BO_Mul: return *a * *b;
  case BO_Div: return *b ? std::optional(*a / *b) : std::nullopt;
  case BO_Rem: return *b ? std::optional(*a % *b) : std::nullopt;
  case BO_Shl: return *b >= 0 && *b < 32 ? std::optional(*a << *b) : std::nullopt;
  case BO_Shr: return *b >= 0 && *b < 32 ? std::optional(*a >> *b) : std::nullopt;
  case BO_And: return *a & *b;
  case BO_Or: return *a | *b;
  case BO_Xor: return *a ^ *b;
  case BO_LT: return *a < *b;
  case BO_GT: return *a > *b;
  case BO_LE: return *a <= *b;
  case BO_GE: return *a >= *b;
  case BO_NE: return *a != *b;
  default: return std::nullopt;
  }
}

std::optional<std::vector<WarpIndices::Counters>>
WarpIndices::combinations(const std::set<const KnownLoop *> &loops) {
  std::vector<Counters> all = {{}};
  for (const KnownLoop *loop : loops) {
    std::vector<Counters> longer;
    if (all.size() * loop->values.size() > mostCombinations)
      return std::nullopt;
    for (const Counters &each : all)
      for (int64_t value : loop->values) {
        longer.push_back(each);
        longer.back()[loop->counter] = value;
      }
    all = std::move(longer);
  }
  return all;
}

std::pair<int64_t, int64_t> WarpIndices::rangeOverLanes(const WarpIndex &index,
                                                        const Counters &counters) const {
  int64_t base = index.constant, least = 0, most = 0;
  for (const auto &[text, term] : index.terms)
    base += term.factor * evaluate(term.value, counters).value_or(0);
  for (unsigned d = 0; d < 3; ++d) {
    least += std::min<int64_t>(0, index.thread[d] * (block[d] - 1));
    most += std::max<int64_t>(0, index.thread[d] * (block[d] - 1));
  }
  return {base + least, base + most};
}

// Forms
// -----------------------------------------------------------------------------------------------------

WarpIndex WarpIndices::lane() const {
  WarpIndex lane;
  lane.thread = {1, block[0], block[0] * block[1]};
  for (unsigned d = 0; d < 3; ++d)
    if (block[d] == 1)
      lane.thread[d] = 0;
  return lane;
}

/// True where the expression holds counters and constants only.
bool WarpIndices::countersOf(const Expr *expression, std::set<const KnownLoop *> &loops) const {
  expression = expression->IgnoreParenCasts();
  if (evaluate(expression, {}))
    return true;
  if (const VarDecl *variable = namedVariable(expression)) {
    for (const auto &loop : loopList)
      if (loop->counter == variable)
        return loops.insert(loop.get()), true;
    return false;
  }
  if (!isa<BinaryOperator, UnaryOperator>(expression))
    return false;
  for (const Stmt *child : expression->children())
    if (!countersOf(cast<Expr>(child), loops))
      return false;
  return true;
}

std::optional<WarpIndex> WarpIndices::atom(const Expr *expression) const {
  WarpIndex::Term term{1, expression, {}};
  if (!countersOf(expression, term.loops) || term.loops.empty())
    return std::nullopt;
  WarpIndex index;
  index.terms[written(expression, unit.context())] = term;
  return index;
}

IndexForms WarpIndices::notFixed(const Expr *expression) const {
  return Diagnostic{Severity::Kept, unit.location(expression),
                    fmt::format("'{}' is known only at run time", textInSource(expression, unit.context()))};
}

IndexForms WarpIndices::ofVariable(const Expr *expression, const VarDecl *variable) const {
  if (std::optional<WarpIndex> counter = atom(expression))
    return std::vector{*counter};
  const bool representsItsInit = variable->isLocalVarDecl() && variable->getInit() &&
                                 neverChanges(variable) && variable->getType()->isIntegerType();
  if (!representsItsInit)
    return notFixed(expression);
  IndexForms forms = formsOf(variable->getInit());
  return std::holds_alternative<Diagnostic>(forms) ? notFixed(expression) : forms;
}

IndexForms WarpIndices::ofBinary(const Expr *expression) const {
  auto *op = dyn_cast<BinaryOperator>(expression);
  const bool isLinear = op && (op->getOpcode() == BO_Add || op->getOpcode() == BO_Sub ||
                               op->getOpcode() == BO_Mul || op->getOpcode() == BO_Shl);
  if (isLinear) {
    IndexForms left = formsOf(op->getLHS()), right = formsOf(op->getRHS());
    for (IndexForms *side : {&left, &right})
      if (std::holds_alternative<Diagnostic>(*side))
        return *side;
    std::vector<WarpIndex> forms;
    for (WarpIndex a : std::get<0>(left))
      for (WarpIndex b : std::get<0>(right)) {
        if (op->getOpcode() == BO_Mul && a.asConstant())
          std::swap(a, b);
        const std::optional<int64_t> by = b.asConstant();
        WarpIndex form;
        if (op->getOpcode() == BO_Add)
          form = a.add(b);
        else if (op->getOpcode() == BO_Sub)
          form = a.add(b, -1);
        else if (by && op->getOpcode() == BO_Mul)
          form.add(a, *by);
        else if (by && *by >= 0 && *by < 31)
          form.add(a, int64_t(1) << *by);
        else if (std::optional<WarpIndex> product = atom(expression))
          form = *product;
        else
          return notFixed(expression);
        if (!llvm::is_contained(forms, form))
          forms.push_back(form);
      }
    return forms;
  }
  if (std::optional<WarpIndex> counters = atom(expression))
    return std::vector{*counters};
  return notFixed(expression);
}

IndexForms WarpIndices::formsOf(const Expr *index) const {
  const Expr *e = index->IgnoreParens();
  if (auto *cast = dyn_cast<CastExpr>(e)) {
    return keepsValue(cast) ? formsOf(cast->getSubExpr()) : notFixed(e);
  }
  if (std::optional<int64_t> number = evaluate(e, {})) {
    WarpIndex constant;
    constant.constant = *number;
    return std::vector{constant};
  }
  std::optional<ThreadBuiltin> builtin = threadBuiltin(e);
  if (builtin && builtin->kind == ThreadBuiltin::Kind::ThreadIdx && builtin->dimension < 3) {
    WarpIndex thread;
    thread.thread[builtin->dimension] = block[builtin->dimension] > 1;
    return std::vector{thread};
  }
  if (auto *choice = dyn_cast<ConditionalOperator>(e)) {
    IndexForms one = formsOf(choice->getTrueExpr()), other = formsOf(choice->getFalseExpr());
    if (std::holds_alternative<Diagnostic>(one) || std::holds_alternative<Diagnostic>(other))
      return notFixed(e);
    std::vector<WarpIndex> forms = std::get<0>(one);
    for (const WarpIndex &form : std::get<0>(other))
      if (!llvm::is_contained(forms, form))
        forms.push_back(form);
    return forms;
  }
  if (const VarDecl *variable = namedVariable(e))
    return ofVariable(e, variable);
  if (auto *unary = dyn_cast<UnaryOperator>(e); unary && unary->getOpcode() == UO_Minus) {
    IndexForms forms = formsOf(unary->getSubExpr());
    if (auto *list = std::get_if<0>(&forms))
      for (WarpIndex &form : *list)
        form = WarpIndex().add(form, -1);
    return forms;
  }
  return ofBinary(e);
}

std::optional<WarpIndex> WarpIndices::formOf(const Expr *index) const {
  IndexForms forms = formsOf(index);
  auto *list = std::get_if<0>(&forms);
  return list && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
}

} // namespace heddle::analysis

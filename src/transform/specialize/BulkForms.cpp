// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bulk copy (cp.async.bulk) moves one contiguous row of bytes, and one thread issues it. A tiled kernel says the same
// element by element: each thread, in each iteration of the load's loops, stores one element.
//
//     for (int y = threadIdx.y; y < 32; y += 8)             rows 0..31, 32 elements each:
//       tile[y][threadIdx.x] = in[(top + y) * pitch + left + threadIdx.x];   =>   row y from in + (top + y) * pitch + left
//
// 1. Subscripts: each is a variable of the box (a loop of the load, or a thread's index), perhaps plus a constant, or the
//    quotient and remainder of one variable by the row's length. Together they cover whole rows.
// 2. Loops: every loop around the store is one of those, so that each element is stored once.
// 3. Alignment: rows begin and end at multiples of 16 bytes of the tile, in each stage. Of a pointer that is checked at run time.
// 4. Source: from one element of a row to the next the global index grows by one.
// 5. Guards: conjunctions of comparisons that are linear in each variable. Such a condition that holds at the corners of
//    the box holds inside of it, so emitted code tests the corners and else loads element by element.
//
// Not handled: tiles of three or more subscripts, strided rows, branches with an else.
#include "transform/specialize/BulkForms.h"

#include "analysis/StatementShape.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::constantValue;
using analysis::namedVariable;
using analysis::plainStatement;
using analysis::Uses;

namespace {

using BuiltinKind = analysis::ThreadBuiltin::Kind;

constexpr int64_t bulkBytes = 16; // size and alignment of a bulk copy are multiples of this

/// A subscript: a box variable plus a constant; or what is left (or the quotient) of one by a constant.
struct Subscript {
  BoxVariable variable;
  int64_t offset = 0;
  enum class Part { Whole, Quotient, Rest } part = Part::Whole;
  int64_t divisor = 1;
};

class BulkFinder {
public:
  BulkFinder(const RoleView &view, const RoleSplit &split, const CopyForm &form,
             const std::array<int64_t, 3> &block)
      : view(view), split(split), form(form), block(block), context(view.study.unit.context()) {}

  std::variant<BulkForm, std::string> find() {
    std::vector<const Expr *> subscripts = subscriptsOfTarget();
    if (subscripts.empty() || subscripts.size() > 2)
      return std::string("the tile does not consist of rows");
    std::vector<Subscript> parts;
    for (const Expr *subscript : subscripts) {
      std::optional<Subscript> part = readSubscript(subscript);
      if (!part)
        return fmt::format("a subscript of '{}' is neither a loop's variable nor a thread's index",
                           nameOfTile());
      parts.push_back(*part);
    }
    if (std::string why = takeRows(parts); !why.empty())
      return why;
    if (std::string why = checkLoops(); !why.empty())
      return why;
    if (std::string why = checkAlignment(); !why.empty())
      return why;
    const Expr *index = indexOfSource();
    std::optional<int64_t> slope = index ? slopeAlongRow(index) : std::nullopt;
    if (slope != 1)
      return std::string("adjacent elements of a tile row are not known to be adjacent in global memory");
    if (std::string why = takeGuards(); !why.empty())
      return why;
    return bulk;
  }

private:
  // The tile's side
  // -------------------------------------------------------------------------------------------------------

  std::vector<const Expr *> subscriptsOfTarget() {
    std::vector<const Expr *> found;
    const Expr *at = form.target->IgnoreParenImpCasts();
    while (auto *subscript = dyn_cast<ArraySubscriptExpr>(at)) {
      found.insert(found.begin(), subscript->getIdx());
      at = subscript->getBase()->IgnoreParenImpCasts();
    }
    base = dyn_cast<DeclRefExpr>(at);
    return base ? found : std::vector<const Expr *>();
  }
  std::string nameOfTile() const { return base->getDecl()->getNameAsString(); }

  /// Through parentheses, conversions, and variables that are set once, in the load.
  const Expr *resolved(const Expr *expression) const {
    for (;;) {
      expression = expression->IgnoreParenImpCasts();
      if (auto *cast = dyn_cast<ExplicitCastExpr>(expression); cast && cast->getType()->isIntegerType()) {
        expression = cast->getSubExpr();
        continue;
      }
      const VarDecl *variable = namedVariable(expression);
      const bool isSetOnce = variable && !isBox(variable) && view.isFixed(variable);
      if (!isSetOnce || constantValue(expression, context))
        return expression;
      expression = variable->getInit();
    }
  }

  /// The loop of the load, around the store, that counts with this variable.
  const Stmt *loopWith(const VarDecl *variable) const {
    const KernelNode *iteration = split.loopWithLoad(form.node)->body;
    for (const KernelNode *up = form.node->parent; up && up != iteration; up = up->parent)
      if (auto *loop = dyn_cast<ForStmt>(up->statement))
        if (auto *declaration = dyn_cast_or_null<DeclStmt>(loop->getInit());
            declaration && declaration->isSingleDecl() && declaration->getSingleDecl() == variable)
          return loop;
    return nullptr;
  }
  bool isBox(const VarDecl *variable) const { return loopWith(variable) != nullptr; }

  std::optional<Subscript> readSubscript(const Expr *expression) const {
    expression = resolved(expression);
    if (auto *binary = dyn_cast<BinaryOperator>(expression)) {
      std::optional<int64_t> by = constantValue(binary->getRHS(), context);
      const Expr *other = binary->getLHS();
      if (!by && binary->getOpcode() == BO_Add) {
        by = constantValue(binary->getLHS(), context);
        other = binary->getRHS();
      }
      if (!by)
        return std::nullopt;
      std::optional<Subscript> inner = readSubscript(other);
      if (!inner || inner->part != Subscript::Part::Whole)
        return std::nullopt;
      switch (binary->getOpcode()) {
      case BO_Add: inner->offset += *by; return inner;
      case BO_Sub: inner->offset -= *by; return inner;
      case BO_Div:
      case BO_Rem:
        if (inner->offset != 0 || inner->variable.least != 0 || *by <= 0)
          return std::nullopt;
        inner->part = binary->getOpcode() == BO_Div ? Subscript::Part::Quotient : Subscript::Part::Rest;
        inner->divisor = *by;
        return inner;
      default: return std::nullopt;
      }
    }
    std::optional<BoxVariable> variable = boxVariable(expression);
    return variable ? std::optional(Subscript{*variable}) : std::nullopt;
  }

  std::optional<BoxVariable> boxVariable(const Expr *expression) const {
    if (std::optional<analysis::ThreadBuiltin> builtin = analysis::threadBuiltin(expression);
        builtin && builtin->kind == BuiltinKind::ThreadIdx && builtin->dimension < 3)
      return BoxVariable{nullptr, builtin->dimension, 0, block[builtin->dimension]};
    const VarDecl *variable = namedVariable(expression);
    const Stmt *loop = variable ? loopWith(variable) : nullptr;
    if (!loop)
      return std::nullopt;
    if (std::optional<DistributedLoop> shared = distributedLoop(view, loop, block))
      return BoxVariable{variable, 0, 0, shared->count};
    auto counted = view.study.counted(cast<ForStmt>(loop));
    auto *plain = std::get_if<analysis::CountedLoop>(&counted);
    const std::optional<int64_t> start = plain ? constantValue(plain->start, context) : std::nullopt;
    if (!start || plain->constantStep() != 1 || !plain->trips())
      return std::nullopt;
    return BoxVariable{variable, 0, *start, *plain->trips()};
  }

  std::string takeRows(const std::vector<Subscript> &parts) {
    using Part = Subscript::Part;
    if (parts.size() == 1 && parts[0].part == Part::Whole) {
      bulk.variables = {parts[0].variable};
      bulk.rowElements = parts[0].variable.count;
      bulk.offsets = {parts[0].offset};
      return {};
    }
    if (parts.size() == 2 && parts[0].part == Part::Whole && parts[1].part == Part::Whole &&
        !(parts[0].variable == parts[1].variable)) {
      bulk.variables = {parts[0].variable, parts[1].variable};
      bulk.rows = parts[0].variable.count;
      bulk.rowElements = parts[1].variable.count;
      bulk.offsets = {parts[0].offset, parts[1].offset};
      return {};
    }
    const bool isCounted = parts.size() == 2 && parts[0].part == Part::Quotient &&
                           parts[1].part == Part::Rest && parts[0].variable == parts[1].variable &&
                           parts[0].divisor == parts[1].divisor &&
                           parts[0].variable.count % parts[0].divisor == 0;
    if (!isCounted)
      return "threads do not fill whole rows of the tile";
    bulk.variables = {parts[0].variable};
    bulk.isCounted = true;
    bulk.rowElements = parts[0].divisor;
    bulk.rows = parts[0].variable.count / parts[0].divisor;
    bulk.offsets = {0, 0};
    return {};
  }

  /// Every loop around the store is one that a subscript runs over.
  std::string checkLoops() const {
    const TileLoop &loop = *split.loopWithLoad(form.node);
    for (const KernelNode *up = form.node->parent; up && up != loop.body; up = up->parent)
      if (up->kind == KernelNode::Kind::Loop &&
          std::ranges::none_of(bulk.variables, [&](const BoxVariable &variable) {
            return variable.variable && loopWith(variable.variable) == up->statement;
          }))
        return "a loop of the load does not iterate over the tile's rows or columns";
    return {};
  }

  /// Rows begin at a multiple of 16 bytes, in each stage, and have whole 16 bytes.
  std::string checkAlignment() const {
    const int64_t size = context.getTypeSizeInChars(form.target->getType()).getQuantity();
    const std::string odd = "a row does not begin, or does not end, at a multiple of 16 bytes of the tile";
    const int64_t column = bulk.offsets.back() + (bulk.isCounted ? 0 : bulk.variables.back().least);
    if (bulk.rowElements * size % bulkBytes || column * size % bulkBytes)
      return odd;
    const ConstantArrayType *array = context.getAsConstantArrayType(base->getDecl()->getType());
    if (!array)
      return {}; // a pointer: looked at when the kernel runs
    if (context.getTypeSizeInChars(QualType(array, 0)).getQuantity() % bulkBytes)
      return odd;
    const bool hasRows = bulk.offsets.size() == 2;
    if (hasRows && context.getTypeSizeInChars(array->getElementType()).getQuantity() % bulkBytes)
      return odd;
    return {};
  }

  // The global side
  // -------------------------------------------------------------------------------------------------------

  const Expr *indexOfSource() const {
    auto *subscript = dyn_cast<ArraySubscriptExpr>(form.source->IgnoreParenImpCasts());
    // The pointer itself must not move with the element.
    return subscript && degree(subscript->getBase(), nullptr) == 0 ? subscript->getIdx() : nullptr;
  }

  /// The tile's subscripts name it: else an element would be stored several times, with different values.
  bool isKnown(const BoxVariable &variable) const {
    return std::ranges::find(bulk.variables, variable) != bulk.variables.end();
  }
  bool isColumn(const BoxVariable &variable) const { return variable == bulk.variables.back(); }

  /// How much the value grows from one element of a row to the next; nothing where that is not a constant.
  std::optional<int64_t> slopeAlongRow(const Expr *expression) const {
    expression = resolved(expression);
    if (std::optional<BoxVariable> variable = boxVariable(expression)) {
      if (!isKnown(*variable))
        return std::nullopt;
      return isColumn(*variable) ? 1 : 0;
    }
    if (constantValue(expression, context))
      return 0;
    if (auto *binary = dyn_cast<BinaryOperator>(expression)) {
      if (bulk.isCounted && isPartOfCounter(*binary))
        return binary->getOpcode() == BO_Rem ? 1 : 0;
      std::optional<int64_t> left = slopeAlongRow(binary->getLHS()), right = slopeAlongRow(binary->getRHS());
      if (!left || !right)
        return std::nullopt;
      switch (binary->getOpcode()) {
      case BO_Add: return *left + *right;
      case BO_Sub: return *left - *right;
      case BO_Mul:
        if (*left == 0 && *right == 0)
          return 0;
        if (std::optional<int64_t> by = constantValue(binary->getRHS(), context); by && *right == 0)
          return *left * *by;
        if (std::optional<int64_t> by = constantValue(binary->getLHS(), context); by && *left == 0)
          return *right * *by;
        return std::nullopt;
      default: return *left == 0 && *right == 0 ? std::optional<int64_t>(0) : std::nullopt;
      }
    }
    return mentionsBox(expression) ? std::nullopt : std::optional<int64_t>(0);
  }

  /// `i / 16` or `i % 16` for the tile that is counted through by i in rows of 16.
  bool isPartOfCounter(const BinaryOperator &binary) const {
    if (binary.getOpcode() != BO_Div && binary.getOpcode() != BO_Rem)
      return false;
    std::optional<BoxVariable> variable = boxVariable(resolved(binary.getLHS()));
    return variable && isColumn(*variable) && constantValue(binary.getRHS(), context) == bulk.rowElements;
  }

  bool mentionsBox(const Expr *expression) const {
    const Uses uses = Uses::of(expression);
    return uses.mentions(BuiltinKind::ThreadIdx) || uses.mentionsAny([&](const VarDecl *variable) {
      if (isBox(variable))
        return true;
      const bool isOwn =
          split.varyingVariables.contains(variable) || view.study.isInside(variable, loadStatement());
      return isOwn && (!variable->hasInit() || !view.definitions.isNeverReassigned(variable) ||
                       mentionsBox(variable->getInit()));
    });
  }

  const Stmt *loadStatement() const {
    const TileLoop &loop = *split.loopWithLoad(form.node);
    return loop.statement(*loop.indexOf(form.node))->statement;
  }

  // Guards
  // -------------------------------------------------------------------------------------------------------

  std::string takeGuards() {
    std::vector<const Expr *> conditions;
    if (form.condition)
      conditions.push_back(form.condition);
    const TileLoop &loop = *split.loopWithLoad(form.node);
    for (const KernelNode *up = form.node->parent, *from = form.node; up && up != loop.body;
         from = up, up = up->parent) {
      if (up->kind != KernelNode::Kind::Branch)
        continue;
      auto *branch = cast<IfStmt>(up->statement);
      if (up->children.size() > 1 || from != up->children[0].get() || branch->getInit())
        return "the load is a branch with two sides";
      conditions.push_back(branch->getCond());
    }
    for (const Expr *condition : conditions)
      if (!takeGuard(condition))
        return "a condition of the load is not a conjunction of comparisons of linear expressions";
    return {};
  }

  bool takeGuard(const Expr *condition) {
    condition = condition->IgnoreParenImpCasts();
    const Expr *value = isa<DeclRefExpr>(condition) ? resolved(condition) : condition;
    const bool isCondition = value == condition || value->getType()->isBooleanType();
    if (!isCondition || !checkGuard(value))
      return false;
    bulk.guards.push_back(condition);
    return true;
  }

  /// A conjunction of comparisons, each between sums: what holds at the corners holds between them.
  bool checkGuard(const Expr *condition) {
    condition = condition->IgnoreParenImpCasts();
    auto *binary = dyn_cast<BinaryOperator>(condition);
    if (!binary)
      return false;
    if (binary->getOpcode() == BO_LAnd)
      return checkGuard(binary->getLHS()) && checkGuard(binary->getRHS());
    if (!binary->isRelationalOp())
      return false;
    bool speaksOfRow = false, speaksOfColumn = false;
    for (size_t v = 0; v < bulk.variables.size(); ++v) {
      std::optional<unsigned> left = degree(binary->getLHS(), &bulk.variables[v]),
                              right = degree(binary->getRHS(), &bulk.variables[v]);
      if (!left || !right || *left > 1 || *right > 1)
        return false;
      if (*left > 0 && *right > 0 && (hasQuotient(binary->getLHS()) || hasQuotient(binary->getRHS())))
        return false;
      (v + 1 == bulk.variables.size() ? speaksOfColumn : speaksOfRow) |= *left + *right > 0;
    }
    bulk.isSkew |= speaksOfRow && speaksOfColumn;
    return true;
  }

  /// 0 where the value does not depend on the variable (null: on any of them), 1 where it is a sum with it;
  /// nothing for others.
  std::optional<unsigned> degree(const Expr *expression, const BoxVariable *variable) const {
    expression = resolved(expression);
    if (std::optional<BoxVariable> box = boxVariable(expression)) {
      if (!isKnown(*box))
        return std::nullopt;
      return !variable || *box == *variable ? 1 : 0;
    }
    auto *binary = dyn_cast<BinaryOperator>(expression);
    if (!binary)
      return mentionsBox(expression) ? std::nullopt : std::optional(0u);
    if (bulk.isCounted && isPartOfCounter(*binary))
      return 1;
    std::optional<unsigned> left = degree(binary->getLHS(), variable),
                            right = degree(binary->getRHS(), variable);
    if (!left || !right)
      return std::nullopt;
    // A quotient rises in steps: with what else depends on the variable it would not rise at all times.
    const bool both = *left > 0 && *right > 0;
    if (both && (hasQuotient(binary->getLHS()) || hasQuotient(binary->getRHS())))
      return std::nullopt;
    if (binary->isAdditiveOp())
      return std::max(*left, *right);
    if (binary->getOpcode() == BO_Div && *right == 0 &&
        constantValue(binary->getRHS(), context).value_or(0) > 0)
      return *left;
    if (binary->getOpcode() == BO_Mul && *left + *right <= 1)
      return *left + *right;
    return *left == 0 && *right == 0 ? std::optional(0u) : std::nullopt;
  }

  bool hasQuotient(const Expr *expression) const {
    auto *binary = dyn_cast<BinaryOperator>(resolved(expression));
    return binary &&
           (binary->getOpcode() == BO_Div || hasQuotient(binary->getLHS()) || hasQuotient(binary->getRHS()));
  }

  const RoleView &view;
  const RoleSplit &split;
  const CopyForm &form;
  const std::array<int64_t, 3> &block;
  const ASTContext &context;
  const DeclRefExpr *base = nullptr;
  BulkForm bulk;
};

} // namespace

std::variant<BulkForm, std::string> bulkForm(const RoleView &view, const RoleSplit &split,
                                             const CopyForm &form, const std::array<int64_t, 3> &block) {
  return BulkFinder(view, split, form, block).find();
}

std::optional<DistributedLoop> distributedLoop(const RoleView &view, const Stmt *statement,
                                               const std::array<int64_t, 3> &block) {
  auto *loop = dyn_cast<ForStmt>(plainStatement(statement));
  if (!loop)
    return std::nullopt;
  auto counted = view.study.counted(loop);
  auto *found = std::get_if<analysis::CountedLoop>(&counted);
  if (!found || found->countsDown || found->comparison != BO_LT)
    return std::nullopt;
  const ASTContext &context = view.study.unit.context();
  const std::optional<int64_t> bound = constantValue(found->bound, context);
  const std::optional<int64_t> step = found->constantStep();
  const analysis::Affine &start = found->facts->start;
  if (!bound || !step || !start)
    return std::nullopt;
  // start = x + width * y + ... over the dimensions that take part; step = the number of those threads.
  std::array<int64_t, 3> factors = {0, 0, 0};
  for (const auto &[monomial, coefficient] : start->terms()) {
    if (monomial.size() != 1 || monomial.front()->kind != analysis::SymbolKind::ThreadIdx)
      return std::nullopt;
    factors[monomial.front()->dimension] = coefficient;
  }
  int64_t threads = 1;
  bool takesPart = false;
  for (unsigned d = 0; d < 3; ++d) {
    if (factors[d] == 0)
      continue;
    if (factors[d] != threads)
      return std::nullopt;
    threads *= block[d];
    takesPart = true;
  }
  if (!takesPart || *step != threads)
    return std::nullopt;
  return DistributedLoop{*found, *bound};
}

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address and the guard of an element are written once, as lambdas over the variables of the tile (BulkForms), and asked for
// at the corners and at the beginning of each row. What the load computed for its index is recomputed inside them: the
// declarations that the expressions need, to a fixed point, in the order of the text.
#include "transform/specialize/BulkText.h"

#include "source/DeclaredType.h"
#include "source/Rewriter.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/StringExtras.h>

using namespace clang;

namespace heddle::transform {

using analysis::Uses;
namespace {

std::string plus(const std::string &text, int64_t number) {
  if (number == 0)
    return text;
  return number < 0 ? fmt::format("{} - {}", text, -number) : fmt::format("{} + {}", text, number);
}

class BulkText {
public:
  BulkText(const RolePlan &plan, const RoleNames &names, const RoleParts &parts, source::Rewriter &text,
           const std::vector<const CopyForm *> &forms, size_t first)
      : plan(plan), names(names), parts(parts), text(text), first(first) {
    std::set<std::string> taken;
    for (const CopyForm *form : forms) {
      const std::string tile = capitalized(tileOf(*form)->getDecl()->getNameAsString());
      std::string number;
      for (unsigned i = 2; !taken.insert(tile + number).second; ++i)
        number = std::to_string(i);
      rows.push_back({form, "from" + tile + number, "isIn" + tile + number});
    }
  }

  source::Code declarations() {
    source::Code lines;
    for (const Row &row : rows) {
      const BulkForm &bulk = *row.form->bulk;
      lines.add(function(*row.form, row.from, {row.form->source}, "&" + textOf(row.form->source)));
      if (bulk.guards.empty())
        continue;
      std::vector<std::string> all;
      all.reserve(bulk.guards.size());
      for (const Expr *guard : bulk.guards)
        all.push_back(textOf(guard));
      lines.add(function(*row.form, row.isIn, bulk.guards, llvm::join(all, " && ")));
    }
    return lines;
  }

  source::Code condition() {
    source::Code all;
    const auto also = [&](const std::string &what) {
      all.empty() ? all.add(what) : all.join(" &&").addDeeper(what, "    ");
    };
    for (const Row &row : rows) {
      const BulkForm &bulk = *row.form->bulk;
      if (!bulk.guards.empty()) {
        std::string corners = fmt::format("{0}({1}) && {0}({2})", row.isIn, corner(bulk, false, false),
                                          corner(bulk, true, true));
        // Counted through, the last element of the first row may be further out than the last of all.
        if (bulk.isCounted)
          corners += fmt::format(" && {0}({1}) && {0}({2})", row.isIn, bulk.rowElements - 1,
                                 (bulk.rows - 1) * bulk.rowElements);
        else if (bulk.isSkew)
          corners += fmt::format(" && {0}({1}) && {0}({2})", row.isIn, corner(bulk, false, true),
                                 corner(bulk, true, false));
        also(corners);
      }
      const std::string start = fmt::format("{}({})", row.from, at(bulk, "0"));
      also(bulk.rows > 1
               ? fmt::format("heddle::suitsBulk({0}, {1}({2}) - {0})", start, row.from, at(bulk, "1"))
               : fmt::format("heddle::suitsBulk({}, 0)", start));
      const DeclRefExpr *tile = tileOf(*row.form);
      if (tile->getDecl()->getType()->isPointerType())
        also(fmt::format("heddle::suitsBulk({}, 0)", textOf(tile)));
    }
    return all;
  }

  source::Code copies() {
    source::Code lines;
    unsigned number = 0;
    for (const Row &row : rows) {
      const BulkForm &bulk = *row.form->bulk;
      const std::string tile = textOf(tileOf(*row.form));
      if (bulk.rows == 1) {
        const int64_t column = bulk.offsets.back() + bulk.variables.back().least;
        const std::string to =
            bulk.offsets.size() == 2
                ? fmt::format("{}[{}][{}]", tile, bulk.offsets[0] + bulk.variables[0].least, column)
                : fmt::format("{}[{}]", tile, column);
        lines.addf("if ({}::rank() / 32 == {}) // one warp is enough", names.roles,
                   number++ % plan.shape.producers);
        lines.addf("  {}.copyRow(&{}, {}({}), {});", names.producer, to, row.from, at(bulk, "0"),
                   bulk.rowElements);
        continue;
      }
      const int64_t firstRow = bulk.isCounted ? 0 : bulk.variables[0].least + bulk.offsets[0];
      const int64_t column = bulk.isCounted ? 0 : bulk.variables[1].least + bulk.offsets[1];
      lines.addf("for (unsigned row = {0}::rank() / 32; row < {1}; row += {0}::producers / 32)", names.roles,
                 bulk.rows);
      lines.addf("  {}.copyRow(&{}[{}][{}], {}({}), {});", names.producer, tile, plus("row", firstRow),
                 column, row.from, at(bulk, "row"), bulk.rowElements);
    }
    return lines;
  }

private:
  const DeclRefExpr *tileOf(const CopyForm &form) const {
    const Expr *at = form.target->IgnoreParenImpCasts();
    while (auto *subscript = dyn_cast<ArraySubscriptExpr>(at))
      at = subscript->getBase()->IgnoreParenImpCasts();
    return cast<DeclRefExpr>(at);
  }

  std::string textOf(const Expr *expression) {
    return text.text(expression, parts.within(expression->getSourceRange()));
  }

  std::string nameOf(const BoxVariable &variable) const {
    if (variable.variable)
      return variable.variable->getNameAsString();
    const bool isLinear = plan.shape.isFlat() && !plan.shape.isOneToOne();
    return isLinear ? names.thread : names.threadIndex[variable.dimension];
  }

  std::string parameters(const BulkForm &bulk) const {
    std::vector<std::string> list;
    for (const BoxVariable &variable : bulk.variables) {
      const std::string name = nameOf(variable);
      list.push_back("unsigned " + name);
      if (variable.variable) // a lambda's parameter can do without a type
        list.back() =
            source::declareAs(plan.view.study.unit, variable.variable, name).value_or("auto " + name);
    }
    return llvm::join(list, ", ");
  }

  /// What must be computed for an expression, for the element in question: "const int at = start + i; "
  source::Code workedOut(const CopyForm &form, const std::vector<const Expr *> &expressions) {
    const TileLoop &loop = *plan.split.loopWithLoad(form.node);
    VariableSet wanted;
    for (const Expr *expression : expressions)
      for (const VarDecl *variable : Uses::of(expression).variables())
        wanted.insert(variable);
    const auto isOfLoad = [&](const KernelNode &node) {
      const bool isHere = loop.isInLoad(&node) && *loop.indexOf(&node) >= first;
      return isa<DeclStmt>(node.statement) && (isHere || plan.split.sunk.contains(&node));
    };
    source::Code lines;
    for (const KernelNode *node : plan.view.neededFor(wanted, isOfLoad)) {
      const SourceRange range = source::wholeStatement(plan.view.study.unit, node->statement);
      lines.add(text.statement(node->statement, parts.within(range)));
    }
    return lines;
  }

  source::Code function(const CopyForm &form, const std::string &name,
                        const std::vector<const Expr *> &expressions, const std::string &value) {
    source::Code body = workedOut(form, expressions);
    const std::string head = fmt::format("const auto {} = [&]({})", name, parameters(*form.bulk));
    if (body.empty())
      return fmt::format("{} {{ return {}; }};", head, value);
    return source::Code::braces(head, body.addf("return {};", value)).join(";");
  }

  std::string corner(const BulkForm &bulk, bool lastRow, bool lastColumn) const {
    if (bulk.variables.size() == 1)
      return std::to_string(bulk.variables[0].least + (lastColumn ? bulk.variables[0].count - 1 : 0));
    const BoxVariable &row = bulk.variables[0], &column = bulk.variables[1];
    return fmt::format("{}, {}", row.least + (lastRow ? row.count - 1 : 0),
                       column.least + (lastColumn ? column.count - 1 : 0));
  }

  /// The first element of a row, as arguments.
  std::string at(const BulkForm &bulk, const std::string &row) const {
    if (bulk.isCounted)
      return row == "0"   ? "0"
             : row == "1" ? std::to_string(bulk.rowElements)
                          : fmt::format("{} * {}", row, bulk.rowElements);
    if (bulk.variables.size() == 1)
      return std::to_string(bulk.variables[0].least);
    const int64_t least = bulk.variables[0].least;
    const bool isNumber = row == "0" || row == "1";
    return fmt::format("{}, {}", isNumber ? std::to_string(std::stoll(row) + least) : plus(row, least),
                       bulk.variables[1].least);
  }

  struct Row {
    const CopyForm *form = nullptr;
    std::string from, isIn; ///< names of the two functions
  };

  const RolePlan &plan;
  const RoleNames &names;
  const RoleParts &parts;
  source::Rewriter &text;
  std::vector<Row> rows;
  size_t first;
};

} // namespace

BulkLoad bulkLoad(const RolePlan &plan, const RoleNames &names, const RoleParts &parts,
                  source::Rewriter &text, const std::vector<const CopyForm *> &forms, size_t first) {
  BulkText bulk(plan, names, parts, text, forms, first);
  return {bulk.declarations(), bulk.condition(), bulk.copies()};
}

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Rewriter.h"
#include "transform/specialize/RoleNames.h"

namespace heddle::transform {

/// The text that brings tiles by bulk copies:
///
///     const auto fromTile = [&](int y, int x) { return &in[(top + y) * pitch + left + x]; };
///     const auto isInTile = [&](int y, int x) { return top + y < rows && left + x < columns; };
///     if (isInTile(0, 0) && isInTile(31, 31) && heddle::suitsBulk(fromTile(0, 0), ...)) {
///       for (unsigned row = ...; ...) producer.copyRow(&tile[stage][row][0], fromTile(row, 0), 32);
///
/// Where the tile is cut off at an edge, or memory is not aligned, elements are loaded one by one.
class BulkText {
public:
  /// `first`: the first statement of the iteration that is the load's.
  BulkText(const RolePlan &plan, const RoleNames &names, const RoleParts &parts, source::Rewriter &text,
           std::vector<const CopyForm *> forms, size_t first);

  source::Code declarations();
  /// Of an `if`, over several lines.
  source::Code condition();
  source::Code copies();

private:
  struct Row {
    const CopyForm *form = nullptr;
    std::string from, isIn; ///< names of the two functions
  };
  std::string parameters(const BulkForm &bulk) const;
  std::string nameOf(const BoxVariable &variable) const;
  /// What must be computed for an expression, for the element in question: "const int at = start + i; "
  source::Code workedOut(const CopyForm &form, const std::vector<const clang::Expr *> &expressions);
  source::Code function(const CopyForm &form, const std::string &name,
                        const std::vector<const clang::Expr *> &expressions, const std::string &value);
  std::string corner(const BulkForm &bulk, bool lastRow, bool lastColumn) const;
  std::string at(const BulkForm &bulk, const std::string &row) const;
  std::string textOf(const clang::Expr *expression);
  const clang::DeclRefExpr *tileOf(const CopyForm &form) const;

  const RolePlan &plan;
  const RoleNames &names;
  const RoleParts &parts;
  source::Rewriter &text;
  std::vector<Row> rows;
  size_t first;
};

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a striped array is written. Element e of the array is register e / 32 of lane e % 32, so the analysis' patterns become
// accessors of heddle::Striped (runtime/heddle/striped.cuh):
//
//     own element of row r      tile[r * 32 + lane]   =>   tile.own(r)
//     distance d from the lane  tile[lane + d]        =>   tile.ahead(d), a shuffle
//     any element of one row    tile[r * 32 + i]      =>   tile.in(r, i), a shuffle
//     one of two distances                            =>   both are read, and tile.which() selects
//
// 1. Shuffles that not all lanes would reach are read into a variable before the statement that the analysis found; equal
//    reads at the same place share the variable.
// 2. Loops whose counters are register numbers get `#pragma unroll`; a loop through all elements is split into an outer one
//    over rows, unrolled, and an inner one over the lanes of a row.
// 3. Declarations are replaced; indices that only dropped accesses mentioned are removed, to a fixed point.
//
// A declaration of several variables that cannot be written one by one is refused.
#include "transform/consolidate/RemapText.h"

#include "analysis/StatementShape.h"
#include "analysis/ThreadBuiltins.h"
#include "source/DeclaredType.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/LegalityFailure.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMap.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::transform {

using analysis::KnownLoop;
using analysis::SharedArray;
using analysis::StripedAccess;

namespace {

/// What the kernel declares, and where it mentions variables.
class NamesInKernel : public DynamicRecursiveASTVisitor {
public:
  explicit NamesInKernel(const FunctionDecl *kernel) { TraverseStmt(kernel->getBody()); }

  std::vector<const DeclStmt *> declarations;
  std::map<const VarDecl *, std::vector<const Stmt *>> mentions;

  bool VisitDeclStmt(DeclStmt *statement) override {
    declarations.push_back(statement);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *mention) override {
    if (auto *variable = dyn_cast<VarDecl>(mention->getDecl()))
      mentions[variable].push_back(mention);
    return true;
  }
};

/// Leaving out the expression changes nothing. Clang reads threadIdx.x by a call.
bool onlyReads(const Stmt *part) {
  auto *expression = dyn_cast<Expr>(part);
  if (expression && analysis::threadBuiltin(expression))
    return true;
  if (analysis::assigns(part) || !expression ||
      isa<CallExpr, CXXConstructExpr, CXXNewExpr, LambdaExpr, StmtExpr>(part))
    return false;
  return llvm::all_of(part->children(), [](const Stmt *child) { return !child || onlyReads(child); });
}

class StripedWriter {
public:
  StripedWriter(const source::Unit &unit, const FunctionDecl *kernel, const ParentMap &parents, Names &names,
                source::Edits &edits)
      : unit(unit), rewriter(unit), found(kernel), parents(parents), names(names), edits(edits) {}

  std::optional<Diagnostic> write(const std::vector<const SharedArray *> &arrays) {
    for (const SharedArray *array : arrays)
      for (const StripedAccess &access : array->accesses)
        noteLoops(access);
    for (const SharedArray *array : arrays)
      for (const StripedAccess &access : array->accesses)
        writeAccess(*array, access);
    findUnused(arrays);
    writeDeclarations(arrays);
    for (const auto &[statement, lines] : moved)
      putBefore(statement, lines);
    for (const auto &[loop, row] : split)
      splitLoop(*loop, row);
    for (const KnownLoop *loop : unrolled)
      rewriter.insertOnLine(edits, loop->loop->getBeginLoc(), "#pragma unroll");
    return trouble ? trouble : rewriter.failure;
  }

private:
  // Declarations
  // ---------------------------------------------------------------------------------------------------

  void writeDeclarations(const std::vector<const SharedArray *> &arrays) {
    for (const DeclStmt *statement : found.declarations) {
      std::string joined;
      bool isChanged = false, isWhole = true;
      for (const Decl *decl : statement->decls()) {
        std::optional<std::string> now = declaration(arrays, decl);
        isChanged |= now.has_value();
        if (!now)
          now = asItWas(decl);
        isWhole &= now.has_value();
        joined += (joined.empty() || !now || now->empty() ? "" : " ") + now.value_or("");
      }
      if (isChanged && isWhole)
        edits.replace(unit, source::wholeStatement(unit, statement), joined);
      else if (isChanged && llvm::any_of(statement->decls(),
                                         [](const Decl *decl) { return decl->hasAttr<CUDASharedAttr>(); }))
        fail(statement, "it is declared together with a variable that is not changed");
    }
  }

  std::optional<std::string> declaration(const std::vector<const SharedArray *> &arrays,
                                         const Decl *decl) const {
    for (const SharedArray *array : arrays) {
      if (decl == array->decl)
        return fmt::format("heddle::Striped<{}, {}> {};", array->elementType, array->elements(), array->name);
      if (llvm::is_contained(array->aliases, decl))
        return ""; // it is not used any more
    }
    return unused.contains(decl) ? std::optional<std::string>("") : std::nullopt;
  }

  /// What stays of a declaration of several, each by itself.
  std::optional<std::string> asItWas(const Decl *decl) const {
    auto *variable = dyn_cast<VarDecl>(decl);
    if (!variable || !variable->getInit() || variable->getInitStyle() != VarDecl::CInit)
      return std::nullopt;
    const std::optional<std::string> text = source::redeclare(unit, variable, variable->getNameAsString());
    const std::string value = source::Rewriter(unit).text(variable->getInit());
    return text && !value.empty() ? std::optional(fmt::format("{} = {};", *text, value)) : std::nullopt;
  }

  /// Indices that only accesses mentioned which do not name them any more: `const int cell = ...`.
  void findUnused(const std::vector<const SharedArray *> &arrays) {
    std::set<const Stmt *> gone;
    for (const SharedArray *array : arrays)
      for (const StripedAccess &access : array->accesses)
        if (access.kind != StripedAccess::Kind::Either && !access.hasRunTimeIndex)
          gone.insert(access.expression);
    for (bool isFound = true; isFound;) {
      isFound = false;
      for (const auto &[variable, mentions] : found.mentions) {
        const bool isPlain = variable->isLocalVarDecl() && variable->getType()->isIntegerType() &&
                             variable->getInit() && onlyReads(variable->getInit()) && !isCounter(variable);
        const bool isUnused =
            llvm::all_of(mentions, [&](const Stmt *mention) { return isIn(mention, gone); });
        if (isPlain && isUnused && unused.insert(variable).second) {
          gone.insert(variable->getInit());
          isFound = true;
        }
      }
    }
  }

  /// Declared in the head of a loop, whose text stays.
  bool isCounter(const VarDecl *variable) const {
    return llvm::any_of(found.declarations, [&](const DeclStmt *statement) {
      return llvm::is_contained(statement->decls(), variable) &&
             !isa<CompoundStmt>(parents.getParent(const_cast<DeclStmt *>(statement)));
    });
  }

  bool isIn(const Stmt *part, const std::set<const Stmt *> &locations) const {
    for (; part; part = parents.getParent(const_cast<Stmt *>(part)))
      if (locations.contains(part))
        return true;
    return false;
  }

  // Accesses
  // ---------------------------------------------------------------------------------------------------

  void noteLoops(const StripedAccess &access) {
    for (const KnownLoop *loop : access.loops()) {
      if (access.splits == loop)
        split.try_emplace(loop, "");
      else if (!loop->isUnrolled && !llvm::is_contained(unrolled, loop))
        unrolled.push_back(loop);
    }
    if (access.splits && split[access.splits].empty())
      split[access.splits] = names.fresh(access.splits->counter->getNameAsString() + "Row");
  }

  void writeAccess(const SharedArray &array, const StripedAccess &access) {
    using Kind = StripedAccess::Kind;
    std::string text;
    if (access.kind == Kind::Either)
      text =
          fmt::format("{}.which({}, {}, {}, {})", array.name, location(array, access), access.distance.str(),
                      read(array, access, access.distance), read(array, access, access.other));
    else if (access.kind == Kind::InRow)
      text = moveUp(array, access, inRow(array, access), "In");
    else
      text = read(array, access, access.distance);
    edits.replace(unit, access.expression->getSourceRange(), text);
  }

  std::string read(const SharedArray &array, const StripedAccess &access,
                   const analysis::WarpIndex &distance) {
    if (distance.isMultipleOf(32))
      return fmt::format("{}.own({})", array.name, distance.str(32));
    return moveUp(array, access, fmt::format("{}.ahead({})", array.name, distance.str()), "Ahead");
  }

  std::string inRow(const SharedArray &array, const StripedAccess &access) {
    if (access.hasRunTimeIndex)
      return fmt::format("{}.in(0, {})", array.name, location(array, access));
    return fmt::format("{}.in({}, {})", array.name, rowOf(access), access.location.str());
  }

  std::string rowOf(const StripedAccess &access) const {
    analysis::WarpIndex number = access.location;
    if (access.splits) {
      const int64_t rows = number.constant / 32;
      return split.at(access.splits) + (rows ? fmt::format(" + {}", rows) : "");
    }
    // Lanes agree on the row, so it can be computed for the first one.
    number.thread = {};
    if (analysis::WarpIndex whole = number;
        whole.constant = number.constant >> 5 << 5, whole.isMultipleOf(32))
      return whole.str(32);
    return fmt::format("int({}) >> 5", number.str());
  }

  /// The element's number as the user wrote it.
  std::string location(const SharedArray &array, const StripedAccess &access) {
    std::string text;
    for (size_t d = 0; d < access.indices.size(); ++d) {
      const std::string written = rewriter.text(access.indices[d]);
      int64_t stride = 1;
      for (size_t inner = d + 1; inner < array.extents.size(); ++inner)
        stride *= array.extents[inner];
      text += (d ? " + " : "") +
              (stride == 1 ? fmt::format("int({})", written) : fmt::format("int({}) * {}", written, stride));
    }
    return text;
  }

  // Shuffles that are moved up
  // ---------------------------------------------------------------------------------------------------

  /// The name of a variable that holds what `text` reads, where it is to be read earlier.
  std::string moveUp(const SharedArray &array, const StripedAccess &access, const std::string &text,
                     const char *suffix) {
    if (!access.before)
      return text;
    Moved *here = nullptr;
    for (auto &[statement, lines] : moved)
      if (statement == access.before)
        here = &lines;
    if (!here)
      here = &moved.emplace_back(access.before, Moved()).second;
    for (const auto &[name, reads] : *here)
      if (reads == text)
        return name;
    here->emplace_back(names.fresh(array.name + suffix), text);
    types[here->back().first] = array.elementType;
    return here->back().first;
  }

  using Moved = std::vector<std::pair<std::string, std::string>>; ///< name, what it reads

  void putBefore(const Stmt *statement, const Moved &lines) {
    auto *attributed = dyn_cast<AttributedStmt>(statement);
    const Stmt *first = attributed ? attributed->getSubStmt() : statement;
    source::Code code;
    const bool needsBlock = !isa<CompoundStmt>(parents.getParent(const_cast<Stmt *>(statement)));
    if (needsBlock)
      code.add("{");
    for (const auto &[name, reads] : lines)
      code.addf("const {} {} = {};", types.at(name), name, reads);
    if (needsBlock)
      rewriter.insertBehind(edits, source::wholeStatement(unit, first).getEnd(), "}", first->getBeginLoc());
    if (attributed)
      rewriter.insertBefore(edits, first, code);
    else
      rewriter.insertOnLine(edits, first->getBeginLoc(), code);
  }

  // Loops
  // ---------------------------------------------------------------------------------------------------

  void splitLoop(const KnownLoop &loop, const std::string &row) {
    const int64_t first = loop.values.front() / 32, rows = int64_t(loop.values.size()) / 32;
    const std::string counter = loop.counter->getNameAsString();
    const std::optional<std::string> declared = source::declareAs(unit, loop.counter, counter);
    if (!declared)
      return fail(loop.loop, "the type of the counter of this loop cannot be written");
    // The user's own pragma, if any, precedes the outer loop and unrolls all of it.
    source::Code heads = loop.unrollCount ? "" : "#pragma unroll";
    heads.addf("for (int {0} = {1}; {0} < {2}; ++{0})", row, first, first + rows)
        .add("#pragma unroll 8")
        .addf("for ({0} = {1} * 32; {2} < {1} * 32 + 32; ++{2})", *declared, row, counter);
    rewriter.replace(edits, {loop.loop->getForLoc(), loop.loop->getRParenLoc()}, heads);
  }

  void fail(const Stmt *statement, const std::string &why) {
    if (!trouble)
      trouble = legalityFailure(unit.location(statement->getBeginLoc()), why);
  }

  const source::Unit &unit;
  source::Rewriter rewriter;
  const NamesInKernel found;
  const ParentMap &parents;
  Names &names;
  source::Edits &edits;
  std::vector<std::pair<const Stmt *, Moved>> moved; ///< in the order of the accesses
  std::map<std::string, std::string> types;          ///< of the variables that hold what was moved up
  std::map<const KnownLoop *, std::string> split;    ///< loops to be cut into rows, and the rows' counters
  std::vector<const KnownLoop *> unrolled;
  std::set<const Decl *> unused; ///< locals that are not used any more
  std::optional<Diagnostic> trouble;
};

} // namespace

std::optional<Diagnostic> writeStriped(const source::Unit &unit, const FunctionDecl *kernel,
                                       const ParentMap &parents,
                                       const std::vector<const SharedArray *> &arrays, Names &names,
                                       source::Edits &edits) {
  return StripedWriter(unit, kernel, parents, names, edits).write(arrays);
}

} // namespace heddle::transform

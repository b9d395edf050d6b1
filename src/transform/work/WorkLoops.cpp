// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a kernel as planned. The user's text is marked statement by statement, with the mentions in it
// replaced, and put together again: what is done once stays at its indentation, what is done for each item
// goes one level deeper into a work loop.
//
//     #pragma unroll
//     for (unsigned kx = 0; kx < 2; ++kx) {
//       const unsigned threadX = threadIdx.x + kx * blockDim.x;
//       ...
//     }
//
// Comments and blank lines go with the statement they stand before; a comment behind a statement stays behind
// it.
#include "transform/work/WorkLoops.h"

#include "analysis/StatementShape.h"
#include "source/Unit.h"
#include "transform/DeclaredType.h"
#include "transform/MarkedText.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::breaksOut;
using analysis::DiscardedCode;
using analysis::discardedCode;
using analysis::Uses;

namespace {

using analysis::ThreadBuiltin;
using Role = Work::Role;
constexpr unsigned once = Work::once;

/// Longer work loops are not asked to be unrolled: their arrays would hold more registers than a thread has.
constexpr unsigned mostUnrolled = 32;

// Text
// -------------------------------------------------------------------------------------------------------------

std::string trimmedRight(std::string text) {
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

/// Every line but empty ones one level deeper.
std::string shifted(const std::string &text, const std::string &by, bool firstToo) {
  if (text.find("R\"") != std::string::npos)
    return (firstToo ? by : "") + text; // a raw string's lines are its own
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    bool isEmpty = text.find_first_not_of(" \t\r\n", begin) >= end;
    if (!isEmpty && (begin > 0 || firstToo))
      result += by;
    result += text.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

/// What stands between two statements: the rest of the first one's line, whole lines, and the second one's
/// indentation.
struct Gap {
  std::string sameLine, lines, indent;
  bool hasNewline = false;

  explicit Gap(const std::string &text) {
    size_t first = firstNewline(text);
    if (first == std::string::npos) {
      sameLine = text;
      return;
    }
    hasNewline = true;
    sameLine = trimmedRight(text.substr(0, first));
    size_t last = text.rfind('\n');
    lines = text.substr(first + 1, last - first);
    indent = text.substr(last + 1);
    if (last == first)
      lines.clear();
    // A comment right before the statement, on its line: it stays with the lines above.
    if (size_t word = indent.find_first_not_of(" \t"); word != std::string::npos) {
      lines += trimmedRight(indent) + "\n";
      indent.resize(word);
    }
  }

private:
  /// Not inside a comment that goes over several lines.
  static size_t firstNewline(const std::string &text) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n')
        return i;
      if (text.compare(i, 2, "//") == 0)
        return text.find('\n', i);
      if (text.compare(i, 2, "/*") == 0)
        i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
    }
    return std::string::npos;
  }
};

/// A statement's text with what belongs to it.
struct Chunk {
  std::string lines;    ///< comments and blank lines before it
  std::string indent;   ///< of its first line
  std::string text;     ///< from its first to its last token
  std::string sameLine; ///< what follows it on its line

  bool isEmpty() const { return text.empty() && sameLine.empty() && lines.empty(); }
};

// Writing
// -----------------------------------------------------------------------------------------------------------

class KernelWriter {
public:
  KernelWriter(const source::Kernel &kernel, const WorkPlan &plan, const ItemIndices &indices,
               const CallChanges &calls, Names &names)
      : kernel(kernel), unit(*kernel.unit), plan(plan), indices(indices), calls(calls), names(names),
        text(unit, kernel.function->getBody()->getSourceRange()) {}

  source::Rendered write() {
    chooseNames();
    markBody(plan.root());
    for (const KernelNode *node : plan.nodes)
      editNode(*node);
    for (const DiscardedCode &code : discardedCode(kernel.function))
      editPattern(code.uses);
    if (refused)
      return *refused;
    auto taken = text.take();
    if (auto *why = std::get_if<Diagnostic>(&taken))
      return *why;
    const MarkedPart &whole = *std::get<0>(taken);
    if (std::optional<Diagnostic> why = directiveIn(whole.str()))
      return *why;
    outerIndent = indentOfLine(kernel.function->getOuterLocStart());
    unitIndent = indentUnit(whole);
    return assemble(whole);
  }

private:
  // Names and declarations
  // -------------------------------------------------------------------------------------

  void chooseNames() {
    for (const ItemVariable &entry : plan.variables)
      if (!entry.declaredBy)
        parameterNames[entry.variable] = names.fresh(entry.variable->getNameAsString() + "Item");
    if (plan.needsActive) {
      activeName = names.fresh("active");
      leftName = names.fresh("itemsLeft");
    }
  }

  void refuse(const Stmt *where, std::string why, std::string hint = {}) {
    if (!refused)
      refused = Diagnostic{Voice::Refusal, unit.place(where), std::move(why), {}, std::move(hint)};
  }

  std::string nameOf(const ItemVariable &entry) const {
    auto renamed = parameterNames.find(entry.variable);
    return renamed == parameterNames.end() ? entry.variable->getNameAsString() : renamed->second;
  }

  std::string rendered(SourceRange range, const std::vector<source::Replacement> &parts) {
    source::Rendered result = source::render(unit, range, parts);
    if (auto *why = std::get_if<Diagnostic>(&result)) {
      if (!refused)
        refused = *why;
      return {};
    }
    return std::get<std::string>(result);
  }

  std::string renderedItem(const Expr *expression) {
    return rendered(expression->getSourceRange(), replacements(Uses::of(expression), false));
  }

  // Replacements
  // -------------------------------------------------------------------------------------------------

  std::vector<source::Replacement> replacements(const Uses &uses, bool inHeader) {
    std::vector<source::Replacement> parts = replacementsIn(unit, uses, indices, calls);
    std::set<unsigned> seen;
    for (const DeclRefExpr *reference : uses.locals) {
      const ItemVariable *entry = plan.find(cast<VarDecl>(reference->getDecl()));
      if (!entry || !seen.insert(reference->getLocation().getRawEncoding()).second)
        continue;
      if (!entry->declaredBy || entry->keep == Keep::Array)
        parts.push_back({reference->getSourceRange(),
                         mentionOf(*entry, inHeader ? indices.firstSubscripts() : indices.subscripts())});
    }
    return parts;
  }

  /// An item's own, in an expression.
  std::string mentionOf(const ItemVariable &entry, const std::string &subscripts) const {
    if (entry.keep != Keep::Array)
      return nameOf(entry);
    switch (entry.storage) {
    case ItemStorage::Elements: return nameOf(entry) + subscripts;
    case ItemStorage::Pointers: return "(*" + nameOf(entry) + subscripts + ")";
    case ItemStorage::Slots: return nameOf(entry) + subscripts + ".value";
    }
    return {};
  }

  /// True where `continue` would go on with a loop of the user's instead of the work loop.
  bool isInsideLoop(const Stmt *at, const KernelNode &node) const {
    bool found = false;
    std::function<bool(const Stmt *, bool)> search = [&](const Stmt *statement, bool inLoop) {
      if (!statement)
        return false;
      if (statement == at) {
        found = inLoop;
        return true;
      }
      bool loop = inLoop || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement);
      for (const Stmt *child : statement->children())
        if (search(child, loop))
          return true;
      return false;
    };
    search(node.statement, false);
    return found;
  }

  /// What a return of one work item becomes.
  std::string leaving(const ReturnStmt *statement, const KernelNode &node) {
    std::string jump = "continue;";
    if (isInsideLoop(statement, node)) {
      std::string &label = labels[plan.of(node).group];
      if (label.empty())
        label = names.fresh("nextItem");
      jump = "goto " + label + ";";
    }
    if (!plan.groups[plan.of(node).group].exits)
      return jump;
    return fmt::format("{{ {}{} = false; --{}; {} }}", activeName, indices.subscripts(), leftName, jump);
  }

  // Marks and edits
  // --------------------------------------------------------------------------------------------------

  void markBody(const WorkBody &body) {
    if (auto *compound = dyn_cast<CompoundStmt>(body.owner->statement))
      text.markBetween(compound->getLBracLoc(), compound->getRBracLoc(), plan.idOf(body));
    else
      text.mark(wholeStatement(unit, body.owner->written), plan.idOf(body));
    for (const KernelNode *node : body.nodes) {
      text.mark(plan.rangeOf(*node), node->id);
      for (const WorkBody *inner : plan.bodiesOf(*node))
        markBody(*inner);
    }
  }

  /// What `if constexpr` leaves out of this instantiation must suit the others.
  void editPattern(const Uses &uses) {
    for (const source::Replacement &part : replacementsIn(unit, uses, indices, calls))
      text.replace(part.part, part.text);
    for (const DeclRefExpr *reference : uses.locals)
      for (const ItemVariable &entry : plan.variables)
        if (entry.variable->getLocation() == reference->getDecl()->getLocation() &&
            (!entry.declaredBy || entry.keep == Keep::Array))
          text.replace(reference->getSourceRange(), mentionOf(entry, indices.subscripts()));
    if (!uses.returns.empty())
      refuse(uses.returns.front(), "a return that this instantiation leaves out");
  }

  void editNode(const KernelNode &node) {
    auto *declarations = dyn_cast<DeclStmt>(node.statement);
    if (plan.of(node).role == Role::Item && declarations && mustRewrite(*declarations, node)) {
      text.replace(plan.rangeOf(node), rewritten(*declarations, node));
      return;
    }
    if (const std::optional<BlockVote> &vote = plan.of(node).vote)
      return text.replace(vote->call->getSourceRange(), joinedVote(*vote));
    for (const source::Replacement &part :
         replacements(plan.usesOf(node), plan.of(node).role == Role::Structure))
      text.replace(part.part, part.text);
    if (plan.of(node).role != Role::Item)
      return;
    for (const Stmt *jump : breaksOut(node.statement)) // of a switch around the work loop
      text.replace(jump->getSourceRange(), "continue");
    for (const ReturnStmt *statement : plan.usesOf(node).returns)
      text.replace(wholeStatement(unit, statement), leaving(statement, node));
  }

  /// One vote of a thread for all its items. Threads that vote are counted, so items are counted one by one.
  std::string joinedVote(const BlockVote &vote) {
    const std::string function = rendered(vote.call->getCallee()->getSourceRange(), {});
    const std::string name = vote.vote->getNameAsString();
    const bool isCounted = vote.kind == BlockVote::Kind::Count;
    const bool isAlike = !plan.find(vote.vote), someDoNot = plan.needsActive || indices.presence(0);
    if (isAlike && (!isCounted || !someDoNot))
      return fmt::format("{}{}({})", isCounted ? fmt::format("{} * ", indices.items()) : "", function, name);
    const std::string between = isCounted ? " + " : vote.kind == BlockVote::Kind::Any ? " | " : " & ";
    const std::vector<std::string> all = indices.allSubscripts();
    std::string joined;
    for (unsigned item = 0; item < all.size(); ++item) {
      const std::string each = ofItem(vote, name + (isAlike ? "" : all[item]), all[item], item);
      joined += (joined.empty() ? "" : between) + (isCounted ? fmt::format("{}({})", function, each) : each);
    }
    return isCounted ? joined : fmt::format("{}({})", function, joined);
  }

  /// An item that has returned, or that there is none of, does not vote: what it left behind does not count.
  std::string ofItem(const BlockVote &vote, const std::string &value, const std::string &subscripts,
                     unsigned item) const {
    std::string votes;
    if (std::optional<std::string> presence = indices.presence(item))
      votes = *presence;
    if (plan.needsActive)
      votes += (votes.empty() ? "" : " && ") + activeName + subscripts;
    if (votes.empty())
      return value;
    return vote.kind == BlockVote::Kind::All ? fmt::format("(!({}) || {})", votes, value)
                                             : fmt::format("({} && {})", votes, value);
  }

  static bool isUsedIn(const ItemVariable &entry, unsigned group) {
    return std::find(entry.groups.begin(), entry.groups.end(), group) != entry.groups.end();
  }

  bool isMovedFrom(const VarDecl *variable, const KernelNode &node) const {
    const ItemVariable *entry = plan.find(variable);
    if (!entry)
      return isUniformLocal(variable);
    return entry->keep == Keep::Array ||
           (entry->keep == Keep::Recompute && !isUsedIn(*entry, plan.of(node).group));
  }

  /// One that is the same for all items although it is declared along with others that are not.
  bool isUniformLocal(const VarDecl *variable) const {
    return !plan.find(variable) && variable->hasLocalStorage() && !variable->hasAttr<CUDASharedAttr>() &&
           !variable->getInit(); // in code that is never reached nothing is known of the others
  }

  /// Some of the variables declared here become arrays, or are not needed in this work loop.
  bool mustRewrite(const DeclStmt &declarations, const KernelNode &node) const {
    for (const Decl *declaration : declarations.decls())
      if (auto *variable = dyn_cast<VarDecl>(declaration))
        if (isMovedFrom(variable, node))
          return true;
    return false;
  }

  /// The statement without what was moved elsewhere; arrays are declared before the work loop.
  std::string rewritten(const DeclStmt &declarations, const KernelNode &node) {
    std::vector<std::string> parts;
    for (const Decl *declaration : declarations.decls()) {
      auto *variable = dyn_cast<VarDecl>(declaration);
      const ItemVariable *entry = variable ? plan.find(variable) : nullptr;
      if (variable && isUniformLocal(variable))
        arrays[plan.of(node).group].push_back({node.id, declarationOf(variable)});
      if (!entry)
        continue;
      if (entry->keep == Keep::Array)
        becomeArray(*entry, node, parts);
      else if (entry->keep == Keep::Plain || isUsedIn(*entry, plan.of(node).group))
        parts.push_back(declarationOf(variable));
    }
    std::string result;
    for (const std::string &part : parts)
      result += (result.empty() ? "" : " ") + part;
    return result;
  }

  void becomeArray(const ItemVariable &entry, const KernelNode &node, std::vector<std::string> &parts) {
    std::string name = nameOf(entry);
    std::optional<std::string> declared = arrayOf(entry, name + indices.extents());
    if (!declared)
      return refuse(
          node.statement,
          fmt::format("the type of '{}' differs by instantiation and cannot be declared here", name),
          "give it a type instead of auto");
    if (entry.storage != ItemStorage::Elements) {
      arrays[plan.of(node).group].push_back({node.id, *declared + ";"});
      parts.push_back(entry.storage == ItemStorage::Pointers ? binding(entry) : construction(entry));
      return;
    }
    // What begins as zero can say so where it is declared.
    bool isZero = entry.variable->getInit() && isZeroLiteral(entry.variable->getInit());
    arrays[plan.of(node).group].push_back({node.id, *declared + (isZero ? " = {};" : ";")});
    if (isZero)
      return;
    if (std::string assigned = assignment(entry.variable, name + indices.subscripts(), node);
        !assigned.empty())
      parts.push_back(assigned);
  }

  /// The declaration of what the items have of a variable.
  std::optional<std::string> arrayOf(const ItemVariable &entry, const std::string &declarator) {
    if (entry.storage == ItemStorage::Pointers)
      return declarePointerTo(unit, entry.variable, declarator);
    if (entry.storage == ItemStorage::Elements)
      return declareAs(unit, entry.variable, declarator);
    // No constructor runs before that of the object itself, and none but that.
    std::optional<std::string> value = redeclare(unit, entry.variable, "value");
    const std::string slot = names.fresh(nameOf(entry) + "Slot");
    return value ? std::optional(fmt::format("union {0} {{ __device__ {0}() {{}} {1}; }} {2}", slot, *value,
                                             declarator))
                 : std::nullopt;
  }

  /// "p[kx] = &(s[threadX]);" of `float &p = s[threadIdx.x];`.
  std::string binding(const ItemVariable &entry) {
    return fmt::format("{}{} = &({});", nameOf(entry), indices.subscripts(),
                       renderedItem(entry.variable->getInit()));
  }

  /// "new (&p[kx].value) Point(1, 2);" of `Point p(1, 2);`.
  std::string construction(const ItemVariable &entry) {
    const VarDecl *variable = entry.variable;
    const std::string place = fmt::format("new ((void *)&{}) ", mentionOf(entry, indices.subscripts()));
    const std::string type = declareAs(unit, variable, "").value_or("");
    const Expr *value = variable->getInit();
    auto *made = value ? dyn_cast<CXXConstructExpr>(value->IgnoreImplicit()) : nullptr;
    const bool isCall = variable->getInitStyle() != VarDecl::CInit;
    if (!value || (made && made->getNumArgs() == 0 && variable->getInitStyle() == VarDecl::CallInit))
      return place + type + ";";
    if (isCall && made && made->getParenOrBraceRange().isValid())
      return place + type + rendered(made->getParenOrBraceRange(), replacements(Uses::of(value), false)) +
             ";";
    const std::string written = renderedItem(value);
    return written.starts_with("{") ? place + type + written + ";"
                                    : fmt::format("{}{}({});", place, type, written);
  }

  bool isZeroLiteral(const Expr *value) const {
    value = value->IgnoreParenImpCasts();
    if (auto *list = dyn_cast<InitListExpr>(value)) { // `= {}` of an array
      const InitListExpr *written = list->getSyntacticForm() ? list->getSyntacticForm() : list;
      return written->getNumInits() == 0 && list->getType()->isArrayType();
    }
    if (auto *number = dyn_cast<FloatingLiteral>(value))
      return number->getValue().isPosZero();
    auto *number = dyn_cast<IntegerLiteral>(value);
    auto *truth = dyn_cast<CXXBoolLiteralExpr>(value);
    return (number && number->getValue() == 0) || (truth && !truth->getValue()) ||
           isa<CXXNullPtrLiteralExpr>(value);
  }

  /// "x[kx] = 1;" of `int x = 1;`, nothing of `int x;`.
  std::string assignment(const VarDecl *variable, const std::string &target, const KernelNode &node) {
    const Expr *value = variable->getInit();
    if (!value)
      return {};
    auto *construction = dyn_cast<CXXConstructExpr>(value->IgnoreImplicit());
    if (construction && construction->getNumArgs() == 0 && variable->getInitStyle() == VarDecl::CallInit)
      return {}; // each element of the array is made the same way
    if (variable->getType()->isArrayType())
      return arrayAssignment(variable, target, node);
    bool isList = isa<InitListExpr>(value->IgnoreImplicit()) || variable->getInitStyle() == VarDecl::ListInit;
    if (isList || (construction && variable->getInitStyle() == VarDecl::CallInit)) {
      std::optional<std::string> type = declareAs(unit, variable, "");
      SourceRange written = value->getSourceRange();
      if (construction && construction->getParenOrBraceRange().isValid())
        written = construction->getParenOrBraceRange();
      std::string list = rendered(written, replacements(Uses::of(value), false));
      return target + " = " + trimmedRight(type.value_or("")) + list + ";";
    }
    return target + " = " + renderedItem(value) + ";";
  }

  std::string arrayAssignment(const VarDecl *variable, const std::string &target, const KernelNode &node) {
    auto *list = dyn_cast<InitListExpr>(variable->getInit()->IgnoreImplicit());
    auto *type = unit.context().getAsConstantArrayType(variable->getType());
    if (!list || !type || type->getElementType()->isArrayType()) {
      refuse(node.statement,
             fmt::format("the array '{}' lives across work loops and its first values cannot be "
                         "written one by one",
                         variable->getNameAsString()));
      return {};
    }
    std::string result;
    uint64_t size = type->getSize().getZExtValue();
    const InitListExpr *written = list->getSyntacticForm() ? list->getSyntacticForm() : list;
    for (unsigned i = 0; i < written->getNumInits(); ++i)
      result += fmt::format("{}{}[{}] = {};", i ? " " : "", target, i, renderedItem(written->getInit(i)));
    if (written->getNumInits() < size) {
      std::string counter = names.fresh("j");
      result += fmt::format("{}for (int {} = {}; {} < {}; ++{}) {}[{}] = {{}};", result.empty() ? "" : " ",
                            counter, written->getNumInits(), counter, size, counter, target, counter);
    }
    return result;
  }

  /// A declaration of this one variable, with its value.
  std::string declarationOf(const VarDecl *variable) {
    std::optional<std::string> declared = redeclare(unit, variable, variable->getNameAsString());
    if (!declared) {
      refused = Diagnostic{
          Voice::Refusal,
          unit.place(variable->getLocation()),
          fmt::format("the type of '{}' cannot be written down again", variable->getNameAsString()),
          {},
          "give it a type instead of auto"};
      return {};
    }
    if (!variable->getInit())
      return *declared + ";";
    std::string value = renderedItem(variable->getInit());
    if (variable->getInitStyle() == VarDecl::ListInit)
      return *declared + value + ";";
    return *declared + " = " + value + ";";
  }

  // Layout
  // ------------------------------------------------------------------------------------------------------------

  /// Text that the preprocessor switches on and off cannot be cut: what is off now is not seen here.
  std::optional<Diagnostic> directiveIn(const std::string &body) const {
    for (size_t begin = 0; begin < body.size();) {
      size_t end = std::min(body.find('\n', begin), body.size());
      llvm::StringRef line = llvm::StringRef(body).substr(begin, end - begin).ltrim(" \t\x01\x02\x03");
      if (line.consume_front("#") && !line.ltrim().starts_with("pragma"))
        return Diagnostic{
            Voice::Refusal,
            kernel.place,
            fmt::format("'#{}' inside the kernel: what is switched off now would be left as it is",
                        line.trim().str()),
            {},
            "run the preprocessor over the kernel first"};
      begin = end + 1;
    }
    return std::nullopt;
  }

  std::string indentOfLine(SourceLocation location) const {
    const SourceManager &sources = unit.sources();
    auto [file, offset] = sources.getDecomposedExpansionLoc(location);
    llvm::StringRef buffer = sources.getBufferData(file);
    size_t begin = buffer.rfind('\n', offset);
    begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
    return buffer.substr(begin).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }

  /// How far the kernel's own statements are indented.
  std::string indentUnit(const MarkedPart &whole) const {
    for (const MarkedPart::Piece &piece : whole.pieces)
      if (piece.part && !piece.part->pieces.empty()) {
        Gap gap(piece.part->pieces.front().text);
        if (gap.hasNewline && gap.indent.size() > outerIndent.size() && gap.indent.starts_with(outerIndent))
          return gap.indent.substr(outerIndent.size());
      }
    return "  ";
  }

  std::string assemble(const MarkedPart &whole) {
    std::string result;
    for (const MarkedPart::Piece &piece : whole.pieces)
      result += piece.part ? writeBody(plan.root(), *piece.part, outerIndent, true) : piece.text;
    return result;
  }

  /// What stands between the braces, the line ends next to them included.
  std::string writeBody(const WorkBody &body, const MarkedPart &part, const std::string &outer,
                        bool isRoot = false) {
    std::string inner = outer + unitIndent;
    std::map<unsigned, Chunk> chunks;
    std::string opening, closing, *sameLine = &opening;
    for (const MarkedPart::Piece &piece : part.pieces) {
      if (piece.part) {
        Chunk &chunk = chunks[piece.part->id];
        chunk.text = nodeText(*plan.tree->nodes()[piece.part->id], *piece.part,
                              chunk.indent.empty() ? inner : chunk.indent);
        sameLine = &chunk.sameLine;
        continue;
      }
      Gap gap(piece.text);
      *sameLine = trimmedRight(gap.sameLine);
      // The lines go with the next statement; where there is none, they stand before the closing brace.
      const MarkedPart::Piece *next = &piece + 1;
      bool isLast = next == part.pieces.data() + part.pieces.size();
      if (isLast) {
        closing = gap.lines;
      } else {
        chunks[next->part->id].lines = gap.lines;
        chunks[next->part->id].indent = gap.hasNewline ? gap.indent : inner;
      }
    }
    for (auto &[id, chunk] : chunks)
      if (chunk.indent.empty())
        chunk.indent = inner;

    std::string result = opening + "\n";
    if (isRoot)
      result += writePrologue(inner);
    for (const WorkBody::Segment &segment : body.segments) {
      if (segment.group == once)
        result += written(chunks[segment.nodes.front()->id]);
      else
        result += writeGroup(segment, chunks);
    }
    return result + closing + outer;
  }

  static std::string written(const Chunk &chunk) {
    if (chunk.text.empty())
      return ownComments(chunk.lines);
    return chunk.lines + chunk.indent + chunk.text + chunk.sameLine + "\n";
  }

  /// Of the lines before a statement that is gone: comments with a blank line between them and it.
  static std::string ownComments(const std::string &lines) {
    size_t comment = 0, end = 0;
    for (size_t begin = 0; begin < lines.size();) {
      size_t next = std::min(lines.find('\n', begin), lines.size() - 1) + 1;
      bool isBlank = lines.find_first_not_of(" \t\r\n", begin) >= next;
      if (isBlank)
        end = comment;
      else
        comment = next;
      begin = next;
    }
    return lines.substr(0, end);
  }

  /// A leaf's text is as marked; a structure's has its bodies written anew.
  std::string nodeText(const KernelNode &node, const MarkedPart &part, const std::string &indent) {
    const std::vector<const WorkBody *> bodies = plan.bodiesOf(node);
    if (bodies.empty())
      return part.str();
    std::string result;
    for (const MarkedPart::Piece &piece : part.pieces) {
      if (!piece.part) {
        result += piece.text;
        continue;
      }
      const WorkBody *body = nullptr;
      for (const WorkBody *each : bodies)
        if (plan.idOf(*each) == piece.part->id)
          body = each;
      if (body->isBraced()) {
        result += writeBody(*body, *piece.part, indent);
        continue;
      }
      result = trimmedRight(result);
      bool endsInComment = result.substr(result.rfind('\n') + 1).find("//") != std::string::npos;
      result += endsInComment ? "\n" + indent + "{" : " {";
      result += writeBody(*body, *piece.part, indent) + "}";
    }
    return result;
  }

  /// What the kernel needs before its first statement.
  std::string writePrologue(const std::string &indent) {
    std::string result;
    if (indices.block() && !indices.block()->prologue.empty())
      result += indent + indices.block()->prologue + "\n";
    std::vector<std::string> copies;
    for (const ItemVariable &entry : plan.variables) {
      if (entry.declaredBy || entry.keep != Keep::Array)
        continue;
      std::optional<std::string> declared =
          declareAs(unit, entry.variable, nameOf(entry) + indices.extents());
      result += indent + declared.value_or("") + ";\n";
      copies.push_back(
          fmt::format("{}{} = {};", nameOf(entry), indices.subscripts(), entry.variable->getNameAsString()));
    }
    if (plan.needsActive) {
      std::string all = "true";
      for (size_t i = indices.all().size(); i-- > 0;) {
        std::string row;
        for (unsigned k = 0; k < indices.all()[i].axis.factor; ++k)
          row += (k ? ", " : "") + all;
        all = "{" + row + "}";
      }
      result += fmt::format("{}bool {}{} = {};\n", indent, activeName, indices.extents(), all);
      result += fmt::format("{}int {} = {};\n", indent, leftName, itemsOfThread());
    }
    if (!copies.empty()) {
      std::string inner;
      for (const std::string &copy : copies)
        inner += indent + copy + "\n";
      result += loopAround(inner, indent, {});
    }
    return result;
  }

  /// The loop mostly ends before its bound: copies would be passed over, unless arrays must become registers.
  bool isToldBlock() const { return indices.block() && !indices.block()->parameter.empty(); }
  bool hasArrays() const {
    return plan.needsActive || std::ranges::any_of(plan.variables, [](const ItemVariable &entry) {
             return entry.keep == Keep::Array;
           });
  }

  std::string itemsOfThread() const {
    if (!indices.absence())
      return std::to_string(indices.items());
    const BlockForm &block = *indices.block();
    return fmt::format("({} + {} - threadIdx.x) / {}", block.threads, block.lanes[0] - 1, block.lanes[0]);
  }

  /// Work loops around some lines that are indented as they would be without.
  std::string loopAround(const std::string &lines, const std::string &indent, const std::string &label) {
    std::string open, close, deeper = indent;
    bool unroll = indices.items() <= mostUnrolled && (hasArrays() || !isToldBlock());
    std::string body = lines;
    for (const NamedAxis &axis : indices.all()) {
      if (unroll)
        open += deeper + "#pragma unroll\n";
      open += fmt::format("{}for (unsigned {} = 0; {} < {}; ++{}) {{\n", deeper, axis.counter, axis.counter,
                          axis.axis.factor, axis.counter);
      close = deeper + "}\n" + close;
      deeper += unitIndent;
      body = shifted(body, unitIndent, true);
      const std::optional<std::string> absence = indices.absence();
      if (absence || mentionsWord(lines, axis.index))
        open += fmt::format("{}const unsigned {} = {};\n", deeper, axis.index, indices.definitionOf(axis));
      if (absence)
        open += fmt::format("{}if ({})\n{}{}break;\n", deeper, *absence, deeper, unitIndent);
    }
    if (label.empty())
      return open + body + close;
    // Braces of its own: a jump must not pass over what the body declares.
    return open + deeper + "{\n" + shifted(body, unitIndent, true) + deeper + "}\n" + deeper + label +
           ":;\n" + close;
  }

  std::string writeGroup(const WorkBody::Segment &segment, std::map<unsigned, Chunk> &chunks) {
    const WorkPlan::Group &group = plan.groups[segment.group];
    Chunk &first = chunks[segment.nodes.front()->id];
    std::string indent = first.indent, result = blankLinesOf(first), lines;

    if (group.checksActive)
      lines += fmt::format("{}if (!{}{})\n{}{}continue;\n", indent, activeName, indices.subscripts(), indent,
                           unitIndent);
    for (const ItemVariable &entry : plan.variables) {
      bool isHere = isUsedIn(entry, segment.group);
      if (!entry.declaredBy && entry.keep == Keep::Plain && isHere)
        lines +=
            fmt::format("{}{} = {};\n", indent, redeclare(unit, entry.variable, nameOf(entry)).value_or(""),
                        entry.variable->getNameAsString());
      if (entry.keep == Keep::Recompute && isHere && entry.declaredIn != segment.group)
        lines += indent + declarationOf(entry.variable) + "\n";
    }
    result += writeMovedUp(segment.group, chunks, indent);
    std::string body;
    for (const KernelNode *node : segment.nodes) {
      Chunk &chunk = chunks[node->id];
      chunk.indent = indent;
      body += written(chunk);
    }
    if (std::all_of(segment.nodes.begin(), segment.nodes.end(),
                    [&](const KernelNode *node) { return chunks[node->id].text.empty(); }))
      return result + body; // all of it went elsewhere
    lines += body;
    lines.erase(0, lines.rfind('\n', lines.find_first_not_of(" \t\r\n")) + 1);
    result += loopAround(lines, indent, labels[segment.group]);
    if (group.exits)
      result += fmt::format("{}if ({} == 0)\n{}{}return;\n", indent, leftName, indent, unitIndent);
    return result;
  }

  /// What a work loop's statements declare before it. Where nothing else is left of a statement, its comments
  /// come along.
  std::string writeMovedUp(unsigned group, std::map<unsigned, Chunk> &chunks, const std::string &indent) {
    std::string result;
    for (const MovedUp &moved : arrays[group]) {
      Chunk &chunk = chunks[moved.node], none;
      Chunk &comments = chunk.text.empty() ? chunk : none;
      result += comments.lines + indent + moved.declaration + comments.sameLine + "\n";
      comments.lines.clear();
      comments.sameLine.clear();
    }
    return result;
  }

  /// Takes the blank lines off the front of what stands before a statement.
  static std::string blankLinesOf(Chunk &chunk) {
    size_t word = std::min(chunk.lines.find_first_not_of(" \t\r\n"), chunk.lines.size());
    size_t end = word == chunk.lines.size() ? word : chunk.lines.rfind('\n', word);
    end = end == std::string::npos ? 0 : std::min(end + 1, chunk.lines.size());
    std::string blank = chunk.lines.substr(0, end);
    chunk.lines.erase(0, end);
    return blank;
  }

  const source::Kernel &kernel;
  const source::Unit &unit;
  const WorkPlan &plan;
  const ItemIndices &indices;
  const CallChanges &calls;
  Names &names;
  MarkedText text;
  std::optional<Diagnostic> refused;
  std::map<const VarDecl *, std::string> parameterNames;
  struct MovedUp {
    unsigned node = 0; ///< that declares it in the user's text
    std::string declaration;
  };
  std::map<unsigned, std::vector<MovedUp>> arrays; ///< before the work loop, by its number
  std::map<unsigned, std::string> labels;          ///< behind the body, by work loop
  std::string activeName, leftName, outerIndent, unitIndent;
};

} // namespace

source::Rendered writeWorkLoops(const source::Kernel &kernel, const WorkPlan &plan,
                                const ItemIndices &indices, const CallChanges &calls, Names &names) {
  return KernelWriter(kernel, plan, indices, calls, names).write();
}

} // namespace heddle::transform

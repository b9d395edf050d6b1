// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a kernel as planned. The user's text is marked statement by statement, with the mentions in it
// replaced (ItemText), and put together again: what is done once stays at its depth, what is done for each
// item goes one level deeper into a work loop.
//
//     #pragma unroll
//     for (unsigned kx = 0; kx < 2; ++kx) {
//       const unsigned threadX = threadIdx.x + kx * blockDim.x;
//       ...
//     }
//
// Comments and blank lines go with the statement they precede; a comment after a statement stays after
// it.
#include "transform/work/WorkLoops.h"

#include "model/Thresholds.h"
#include "source/DeclaredType.h"
#include "source/MarkedText.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/Lines.h"
#include "transform/work/ItemText.h"

#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::discardedCode;

using analysis::DiscardedCode;
namespace {

using source::Gap;
using source::MarkedPart;

constexpr unsigned mostUnrolled = model::threshold::loops::mostUnrolled;

/// A statement's text with what belongs to it.
struct Chunk {
  std::string depth; ///< of its first line in the user's text
  Code lead;         ///< comments and blank lines before it
  Code text;         ///< from its first to its last token; empty where nothing is left of it
  Code sameLine;     ///< what follows it on its line

  Code all() const { return text.empty() ? ownComments() : Code(lead).add(Code(text).join(sameLine)); }

  /// Of the lines before a statement that is gone: comments with a blank line between them and it.
  Code ownComments() const {
    Code kept, since;
    for (const Code::Line &line : lead.all()) {
      if (line.text.empty() && !since.isBlank())
        kept.add(std::exchange(since, {}));
      since.add(line);
    }
    return kept;
  }
};
using Chunks = std::map<unsigned, Chunk>;

/// The body of a block: what follows the opening brace on its line, and the lines up to the closing one.
struct BodyText {
  Code opening;
  Code lines;
};

class WorkLoopWriter {
public:
  WorkLoopWriter(const Kernel &kernel, const WorkPlan &plan, const ItemIndices &indices,
                 const CallChanges &calls, Names &names)
      : kernel(kernel), unit(*kernel.unit), plan(plan), indices(indices),
        items(unit, plan, indices, calls, names), text(unit, kernel.function->getBody()->getSourceRange()) {}

  std::variant<WorkLoops, Diagnostic> write() {
    markBody(plan.root());
    for (const KernelNode *node : plan.nodes)
      replace(items.editsOf(*node));
    for (const DiscardedCode &code : discardedCode(kernel.function))
      replace(items.editsOfPattern(code.uses));
    if (items.refused)
      return *items.refused;
    auto taken = text.take();
    if (auto *why = std::get_if<Diagnostic>(&taken))
      return *why;
    const MarkedPart &whole = *std::get<0>(taken);
    if (std::optional<Diagnostic> why = directiveIn(whole.whole().text))
      return *why;
    outerIndent = source::Rewriter(unit).indentOf(kernel.function->getOuterLocStart());
    step = stepOf(whole);
    Code body = assemble(whole);
    if (items.refused)
      return *items.refused;
    return WorkLoops{std::move(body), loops};
  }

private:
  void markBody(const WorkBody &body) {
    const Stmt *owner = body.owner->statement;
    if (auto *compound = dyn_cast<CompoundStmt>(owner))
      text.markBetween(compound->getLBracLoc(), compound->getRBracLoc(), plan.idOf(body));
    else
      text.mark(source::wholeStatement(unit, owner), plan.idOf(body));
    for (const KernelNode *node : body.nodes) {
      text.mark(plan.rangeOf(*node), node->id);
      for (const WorkBody *inner : plan.bodiesOf(*node))
        markBody(*inner);
    }
  }

  void replace(const std::vector<Replacement> &parts) {
    for (const Replacement &part : parts)
      text.replace(part.part, part.text);
  }

  /// Text that the preprocessor switches on and off cannot be cut: what is off now is not seen here.
  std::optional<Diagnostic> directiveIn(const std::string &body) const {
    for (const std::string &line : splitAt(body, '\n'))
      if (const llvm::StringRef words = directiveOf(line); !words.empty() && !words.starts_with("pragma"))
        return legalityFailure(
                   kernel.location,
                   "'#{}' inside the kernel: code that the preprocessor skips now would not be transformed",
                   words.str())
            .withHint("run the preprocessor over the kernel first");
    return std::nullopt;
  }

  /// How far the kernel's own statements are indented.
  std::string stepOf(const MarkedPart &whole) const {
    for (const MarkedPart::Piece &piece : whole.pieces)
      if (piece.part && !piece.part->pieces.empty()) {
        const std::string indent = Gap(piece.part->pieces.front().text).indent;
        if (indent.size() > outerIndent.size() && indent.starts_with(outerIndent))
          return indent.substr(outerIndent.size());
      }
    return "  ";
  }

  // Blocks and statements
  // -----------------------------------------------------------------------------------------------------------

  Code assemble(const MarkedPart &whole) {
    Code result;
    for (const MarkedPart::Piece &piece : whole.pieces)
      if (piece.part)
        putBody(result, writeBody(plan.root(), *piece.part, outerIndent, {}, true));
      else
        putPiece(result, piece, outerIndent, &piece != &whole.pieces.front());
    return result;
  }

  /// After an opening brace.
  void putBody(Code &result, const BodyText &body) const {
    result.join(body.opening).addDeeper(body.lines, step);
  }

  /// What is between and around bodies; after one it begins with the closing brace.
  static void putPiece(Code &result, const MarkedPart::Piece &piece, const std::string &indent,
                       bool isBehindBody) {
    const Code code = Code::written(piece.text, indent);
    isBehindBody ? result.add(code) : result.join(code);
  }

  /// `outer`: how deep the block is in the user's text; `lead`: lines that belong to its only statement.
  BodyText writeBody(const WorkBody &body, const MarkedPart &part, const std::string &outer, const Code &lead,
                     bool isRoot = false) {
    const std::string inner = outer + step;
    Chunks chunks;
    BodyText result;
    Code closing;
    Code *sameLine = &result.opening;
    std::string before = outer, depth = inner;
    if (!lead.empty())
      chunks[part.pieces.front().part->id].lead = lead;
    for (const MarkedPart::Piece &piece : part.pieces) {
      if (piece.part) {
        Chunk &chunk = chunks[piece.part->id];
        chunk.depth = depth;
        chunk.text = nodeText(*plan.tree->nodes()[piece.part->id], *piece.part, depth);
        sameLine = &chunk.sameLine;
        before = depth;
        continue;
      }
      // The lines go with the next statement; where there is none, they precede the closing brace.
      const MarkedPart::Piece *next = &piece + 1;
      const bool isLast = next == part.pieces.data() + part.pieces.size();
      const Gap gap = isLast ? Gap(piece.text, before, depth) : Gap(piece.text, before);
      *sameLine = gap.sameLine;
      depth = gap.hasNewline && !gap.indent.empty() ? gap.indent : inner;
      (isLast ? closing : chunks[next->part->id].lead) = gap.lines;
    }

    if (isRoot)
      result.lines.add(writePrologue());
    for (const WorkBody::Segment &segment : body.segments)
      result.lines.add(segment.group == Work::once ? asWritten(chunks[segment.nodes.front()->id], inner)
                                                   : writeGroup(segment, chunks));
    result.lines.add(closing);
    return result;
  }

  /// At the depth that the user gave it: `case 1:` is where the `switch` does.
  static Code asWritten(const Chunk &chunk, const std::string &inner) {
    if (chunk.depth.starts_with(inner))
      return chunk.all().deeper(chunk.depth.substr(inner.size()));
    return inner.starts_with(chunk.depth) ? chunk.all().shallower(inner.size() - chunk.depth.size())
                                          : chunk.all();
  }

  /// A leaf's text is as marked; a structure's has its bodies rewritten.
  Code nodeText(const KernelNode &node, const MarkedPart &part, const std::string &indent) {
    const std::vector<const WorkBody *> bodies = plan.bodiesOf(node);
    if (bodies.empty())
      return Code::written(part.whole(), indent);
    Code result;
    bool isBehindBraces = false;
    for (const MarkedPart::Piece &piece : part.pieces) {
      if (!piece.part) {
        putPiece(result, piece, indent, isBehindBraces);
        continue;
      }
      const auto isThis = [&](const WorkBody *each) { return plan.idOf(*each) == piece.part->id; };
      const WorkBody &body = **std::ranges::find_if(bodies, isThis);
      isBehindBraces = body.isBraced();
      const Code lead = body.isBraced() ? Code() : openBraces(result);
      putBody(result, writeBody(body, *piece.part, indent, lead));
      if (!body.isBraced())
        result.add("}");
    }
    return result;
  }

  /// Around a body that had none; gives the pragmas before it, which belong to it.
  static Code openBraces(Code &head) {
    head.trimRight();
    const Code pragmas = head.takePragmasAtEnd();
    head.trimRight();
    const bool endsInComment = !head.empty() && head.all().back().text.find("//") != std::string::npos;
    endsInComment ? head.add("{") : head.join(" {");
    return pragmas;
  }

  // Work loops
  // -----------------------------------------------------------------------------------------------------------

  /// What the kernel needs before its first statement.
  Code writePrologue() {
    Code result, copies;
    if (indices.block())
      result.add(indices.block()->prologue);
    for (const ItemVariable &entry : plan.variables) {
      if (entry.declaredBy || entry.keep != Keep::Array)
        continue;
      const std::string name = items.nameOf(entry);
      result.addf("{};", source::declareAs(unit, entry.variable, name + indices.extents()).value_or(""));
      copies.addf("{}{} = {};", name, indices.subscripts(), entry.variable->getNameAsString());
    }
    if (plan.needsActive) {
      std::string all = "true";
      for (size_t i = indices.all().size(); i-- > 0;) {
        std::string row;
        for (unsigned k = 0; k < indices.all()[i].axis.factor; ++k)
          row += (k ? ", " : "") + all;
        all = "{" + row + "}";
      }
      result.addf("bool {}{} = {};", items.active(), indices.extents(), all);
      result.addf("int {} = {};", items.itemsLeft(), indices.itemsOfThread());
    }
    return copies.empty() ? result : result.add(loopAround(copies, {}));
  }

  /// The loop mostly ends before its bound: copies would be passed over, unless arrays must become registers.
  bool getsBlock() const { return indices.block() && !indices.block()->parameter.empty(); }
  bool hasArrays() const {
    return plan.needsActive || std::ranges::any_of(plan.variables, [](const ItemVariable &entry) {
             return entry.keep == Keep::Array;
           });
  }

  /// Work loops around some lines, the innermost made first.
  Code loopAround(const Code &lines, const std::string &label) {
    const bool unroll = indices.items() <= mostUnrolled && (hasArrays() || !getsBlock());
    const std::string mentioned = lines.str();
    Code body = lines;
    if (!label.empty()) // braces of its own: a jump must not pass over what the body declares
      body = Code::braces({}, lines, step).add(label + ":;");
    for (size_t i = indices.all().size(); i-- > 0;) {
      const NamedAxis &axis = indices.all()[i];
      const std::optional<std::string> absence = indices.absence(axis);
      Code inside;
      if (absence || mentionsWord(mentioned, axis.index))
        inside.addf("const unsigned {} = {};", axis.index, indices.definitionOf(axis));
      if (absence)
        inside.addf("if ({})", *absence).addDeeper("break;", step);
      const std::string head =
          fmt::format("for (unsigned {0} = 0; {0} < {1}; ++{0})", axis.counter, axis.axis.factor);
      body = Code(unroll ? "#pragma unroll" : "").add(Code::braces(head, inside.add(body), step));
    }
    ++loops;
    return body;
  }

  Code writeGroup(const WorkBody::Segment &segment, Chunks &chunks) {
    const WorkPlan::Group &group = plan.groups[segment.group];
    Code result = chunks[segment.nodes.front()->id].lead.takeBlankLines();
    Code lines = valuesOf(segment.group), body;
    result.add(writeMovedUp(segment.group, chunks));
    bool isAnythingLeft = false;
    for (const KernelNode *node : segment.nodes) {
      body.add(chunks[node->id].all());
      isAnythingLeft |= !chunks[node->id].text.empty();
    }
    if (!isAnythingLeft)
      return result.add(body);
    lines.add(body);
    lines.takeBlankLines();
    result.add(loopAround(lines, items.labelOf(segment.group)));
    if (group.exits)
      result.addf("if ({} == 0)", items.itemsLeft()).addDeeper("return;", step);
    return result;
  }

  /// What an item has to know before it does its part of a work loop.
  Code valuesOf(unsigned group) {
    Code lines;
    if (plan.groups[group].checksActive)
      lines.addf("if (!{}{})", items.active(), indices.subscripts()).addDeeper("continue;", step);
    for (const ItemVariable &entry : plan.variables) {
      if (!ItemText::isUsedIn(entry, group))
        continue;
      if (!entry.declaredBy && entry.keep == Keep::Plain)
        lines.addf("{} = {};", source::redeclare(unit, entry.variable, items.nameOf(entry)).value_or(""),
                   entry.variable->getNameAsString());
      if (entry.keep == Keep::Recompute && entry.declaredIn != group)
        lines.add(items.declarationOf(entry.variable));
    }
    return lines;
  }

  /// What a work loop's statements declare before it. Where nothing else is left of a statement, its comments
  /// come along.
  Code writeMovedUp(unsigned group, Chunks &chunks) {
    Code result;
    for (const ItemText::MovedUp &moved : items.movedUp(group)) {
      Chunk &chunk = chunks[moved.node];
      Code declaration = moved.declaration;
      if (chunk.text.empty()) {
        result.add(std::exchange(chunk.lead, {}));
        declaration.join(std::exchange(chunk.sameLine, {}));
      }
      result.add(declaration);
    }
    return result;
  }

  const Kernel &kernel;
  const Unit &unit;
  const WorkPlan &plan;
  const ItemIndices &indices;
  ItemText items;
  source::MarkedText text;
  std::string outerIndent, step;
  unsigned loops = 0;
};

} // namespace

std::variant<WorkLoops, Diagnostic> writeWorkLoops(const Kernel &kernel, const WorkPlan &plan,
                                                   const ItemIndices &indices, const CallChanges &calls,
                                                   Names &names) {
  return WorkLoopWriter(kernel, plan, indices, calls, names).write();
}

} // namespace heddle::transform

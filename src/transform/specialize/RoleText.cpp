// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's text is written twice, once for each role, each time with the statements of the other left
// out. What stays is the author's own text, comments included; only built-in variables, mentions of tiles and
// barriers are others.
//
// Producers are fewer than the threads whose loads they make, so what differs by thread stands in a loop over
// threads in each turn. Values that the author worked out once, before the loop over tiles, are worked out
// there: cheap, and it needs no arrays of them.
#include "transform/specialize/RoleText.h"

#include "analysis/StatementShape.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/MarkedText.h"
#include "transform/loops/LoopText.h"
#include "transform/specialize/BulkForms.h"
#include "transform/specialize/BulkText.h"
#include "transform/specialize/RoleNames.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::bodyOf;

namespace {

using Kind = KernelNode::Kind;

class RoleWriter {
public:
  RoleWriter(const RolePlan &plan, const RoleNames &names, bool isProducer)
      : plan(plan), view(plan.view), split(plan.split), shape(plan.shape), names(names),
        isProducer(isProducer), unit(plan.view.study.unit), text(unit), parts(unit, plan, names, isProducer) {
  }

  /// The statements of the role, each line at `indent`.
  std::string write(const std::set<const KernelNode *> &inHead, const std::string &indent) {
    head = &inHead;
    return statements(view.root(), indent);
  }

  std::optional<Diagnostic> failure() const { return text.failure; }
  /// Some of the text asks for the thread's index by one of our names.
  bool usesThreadNames() const { return parts.usesThreadNames(); }

private:
  bool isKept(const KernelNode &node) const {
    if (head->contains(&node) || split.aliases.contains(&node))
      return false;
    if (!(isProducer ? split.producer : split.consumer).contains(&node))
      return isProducer && split.meets.contains(&node);
    if (isProducer && !shape.isOneToOne() && split.sunk.contains(&node))
      return false;
    return true;
  }

  /// Nothing in it is left out or put in another way.
  bool isWhole(const KernelNode &node) const {
    return llvm::all_of(view.all(node), [&](const KernelNode *each) {
      const bool isPlain = each->kind != Kind::Barrier && !(isProducer && isa<ReturnStmt>(each->statement));
      return isKept(*each) && isPlain && !overrides(*each) && !plan.groups.firstGroupOnly.contains(each);
    });
  }

  // Statements
  // -------------------------------------------------------------------------------------------------------

  std::string line(const std::string &indent, const std::string &what) const { return indent + what + "\n"; }

  /// The statements of a block, without its braces.
  std::string statements(const KernelNode &block, const std::string &indent) {
    if (block.kind != Kind::Block)
      return isKept(block) ? line(indent, statement(block, indent)) : "";
    for (const TileLoop &loop : split.loops)
      if (loop.body == &block)
        return isProducer ? producersTurn(loop, indent) : consumersTurn(loop, indent);
    BlockText layout = text.block(block.statement);
    std::string out;
    for (size_t i = 0; i < block.children.size(); ++i)
      out += child(*block.children[i], layout.parts[i], indent);
    return out;
  }

  std::string child(const KernelNode &node, const BlockPart &layout, const std::string &indent) {
    if (!isKept(node) || (node.kind == Kind::Barrier && barrierText(node).empty()))
      return {};
    const std::string from = text.indentOf(node.statement);
    const std::string written = statement(node, indent);
    if (written.empty())
      return {};
    return syncIf(plan.order.before, node, indent) + movedLines(layout.lead, from, indent) + indent +
           written + layout.trail + "\n" + syncIf(plan.order.behind, node, indent);
  }

  /// Consumers have to meet before or behind a tile loop that they have come to, or in its turn.
  std::string syncIf(const std::set<const KernelNode *> &loops, const KernelNode &loop,
                     const std::string &indent) const {
    return isProducer || !loops.contains(&loop) ? "" : line(indent, names.roles + "::syncConsumers();");
  }

  /// The statement, its first line without indentation.
  std::string statement(const KernelNode &node, const std::string &indent) {
    if (!isProducer && plan.groups.firstGroupOnly.contains(&node))
      return fmt::format("if ({}::group() == 0)\n{}  {}", names.roles, indent, plain(node, indent + "  "));
    return plain(node, indent);
  }

  std::string plain(const KernelNode &node, const std::string &indent) {
    if (std::optional<std::string> other = overriding(node, indent))
      return *other;
    if (isWhole(node) || view.isStatement(node))
      return text.statement(node.statement, indent, parts.within(wholeStatement(unit, node.statement)));
    switch (node.kind) {
    case Kind::Barrier: return barrierText(node);
    case Kind::Jump: return jumpText(node, indent);
    case Kind::Block: return "{\n" + statements(node, indent + "  ") + indent + "}";
    case Kind::Loop: return loopText(node, indent);
    case Kind::Branch: return branchText(node, indent);
    case Kind::Switch:
    case Kind::Case:
    case Kind::Label:
    case Kind::Statement: break; // carried out as a whole
    }
    return {};
  }

  std::string barrierText(const KernelNode &node) const {
    const std::string &own = isProducer ? names.producer : names.consumer;
    if (split.meets.contains(&node))
      return own + ".meet();";
    return isProducer ? std::string() : names.roles + "::syncConsumers();";
  }

  std::string jumpText(const KernelNode &node, const std::string &indent) const {
    const bool isAlone = node.parent->kind != Kind::Block;
    if (isProducer && isa<ReturnStmt>(node.statement))
      return isAlone ? fmt::format("{{\n{0}  {1}.finish();\n{0}  return;\n{0}}}", indent, names.producer)
                     : fmt::format("{1}.finish();\n{0}return;", indent, names.producer);
    return isa<ReturnStmt>(node.statement)  ? "return;"
           : isa<BreakStmt>(node.statement) ? "break;"
                                            : "continue;";
  }

  /// "for (int i = 0; i < n; ++i)"
  std::string headOf(const Stmt *statement, const Stmt *inner) {
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    size_t last = source::tokensOf(unit, inner->getSourceRange()).begin - 1;
    if (all[last].kind() == tok::kw_else)
      --last;
    const SourceRange range(statement->getBeginLoc(), all[last].location());
    return text.range(range, parts.within(range));
  }

  /// A body with braces, also where the author's had none.
  std::string bodyText(const KernelNode &body, const std::string &indent) {
    return "{\n" + statements(body, indent + "  ") + indent + "}";
  }

  std::string loopText(const KernelNode &node, const std::string &indent) {
    const KernelNode &body = *node.children[0];
    if (auto *loop = dyn_cast<DoStmt>(node.statement)) {
      const SourceRange range = loop->getCond()->getSourceRange();
      return "do " + bodyText(body, indent) + " while (" + text.range(range, parts.within(range)) + ");";
    }
    return headOf(node.statement, bodyOf(node.statement)) + " " + bodyText(body, indent);
  }

  std::string branchText(const KernelNode &node, const std::string &indent) {
    auto *branch = cast<IfStmt>(node.statement);
    std::string out = headOf(branch, branch->getThen()) + " " + bodyText(*node.children[0], indent);
    if (node.children.size() > 1 && isKept(*node.children[1]))
      out += " else " + bodyText(*node.children[1], indent);
    return out;
  }

  // Loads
  // -------------------------------------------------------------------------------------------------------

  const CopyForm *formOf(const KernelNode &node) const {
    for (const CopyForm &form : plan.copies)
      if (form.node == &node)
        return &form;
    return nullptr;
  }

  bool overrides(const KernelNode &node) const {
    const CopyForm *form = formOf(node);
    return isProducer && form && shape.copy == RoleShape::Copy::CpAsync && form->whyNotAsync.empty();
  }

  std::string textOf(const Expr *expression) {
    const SourceRange range = expression->getSourceRange();
    return text.range(range, parts.within(range));
  }

  /// heddle::copyAsync(&tile[stage][i], &in[i], i < n);
  std::optional<std::string> overriding(const KernelNode &node, const std::string &indent) {
    if (!overrides(node))
      return std::nullopt;
    const CopyForm &form = *formOf(node);
    const std::string to = textOf(form.target), from = textOf(form.source);
    if (!form.condition)
      return fmt::format("heddle::copyAsync(&{}, &{});", to, from);
    const std::string when = textOf(form.condition);
    if (form.otherwiseIsZero && !form.sourceLoads)
      return fmt::format("heddle::copyAsync(&{}, &{}, {});", to, from, when);
    return fmt::format("if ({})\n{}  heddle::copyAsync(&{}, &{});\n{}else\n{}  {} = {};", when, indent, to,
                       from, indent, indent, to, textOf(form.otherwise));
  }

  // A turn of the tile loop
  // -------------------------------------------------------------------------------------------------------

  std::string aliasLines(const std::string &indent) {
    std::string out;
    for (const KernelNode *node : view.nodes())
      if (split.aliases.contains(node))
        out += line(indent, text.statement(node->statement, indent,
                                           parts.within(wholeStatement(unit, node->statement))));
    return out;
  }

  std::string consumersTurn(const TileLoop &loop, const std::string &indent) {
    BlockText layout = text.block(loop.body->statement);
    std::string out;
    for (size_t i = 0; i < loop.body->children.size(); ++i) {
      if (i == loop.fill)
        out += line(indent, fmt::format("const unsigned {} = {}.wait();", names.stage, names.consumer)) +
               syncIf(plan.order.atFill, *loop.loop, indent) + aliasLines(indent);
      else if (i == loop.release)
        out +=
            line(indent, names.consumer + ".release();") + syncIf(plan.order.atRelease, *loop.loop, indent);
      else if (i != loop.before)
        out += child(*loop.statement(i), layout.parts[i], indent);
    }
    if (loop.release == loop.body->children.size())
      out += line(indent, names.consumer + ".release();") + syncIf(plan.order.atRelease, *loop.loop, indent);
    return out;
  }

  std::string producersTurn(const TileLoop &loop, const std::string &indent) {
    BlockText layout = text.block(loop.body->statement);
    auto [first, last] = loadOf(loop);
    std::string out;
    for (size_t i = 0; i < loop.body->children.size(); ++i) {
      if (i == first) {
        out += line(indent, fmt::format("const unsigned {} = {}.acquire();", names.stage, names.producer)) +
               aliasLines(indent) + load(loop, first, last, layout, indent);
        i = last;
      } else if (i == loop.fill) {
        const bool isBulk = shape.copy == RoleShape::Copy::Bulk;
        out += line(indent, names.producer + (isBulk ? ".commitStored();" : ".commit();"));
      } else if (loop.statement(i)->kind != Kind::Barrier) {
        out += child(*loop.statement(i), layout.parts[i], indent);
      }
    }
    return out;
  }

  /// From the first statement that differs by thread, or stores to the tile, to the last.
  std::pair<size_t, size_t> loadOf(const TileLoop &loop) const {
    size_t first = loop.fill, last = loop.loadBegin;
    for (size_t i = loop.loadBegin; i < loop.fill; ++i)
      if (isOfThreads(*loop.statement(i))) {
        first = std::min(first, i);
        last = i;
      }
    return {first, last};
  }
  bool isOfThreads(const KernelNode &statement) const {
    return llvm::any_of(view.all(statement), [&](const KernelNode *node) {
      return isKept(*node) && (split.varying.contains(node) || formOf(*node));
    });
  }

  std::string load(const TileLoop &loop, size_t first, size_t last, const BlockText &layout,
                   const std::string &indent) {
    if (shape.copy != RoleShape::Copy::Bulk)
      return loadByThreads(loop, first, last, layout, indent);
    std::vector<const CopyForm *> forms;
    for (const CopyForm &form : plan.copies)
      if (loop.isInLoad(form.node))
        forms.push_back(&form);
    BulkText bulk(plan, names, parts, text, forms, first);
    const std::string inner = indent + "  ";
    return bulk.declarations(indent) + line(indent, "if (" + bulk.condition(indent + "    ") + ") {") +
           bulk.copies(inner) + line(indent, "} else {") + loadByThreads(loop, first, last, layout, inner) +
           line(indent, "}");
  }

  /// What is the same for all threads first, then loops that producers share out, then the rest, thread by
  /// thread. With a producer for each thread everything stays in its order.
  std::string loadByThreads(const TileLoop &loop, size_t first, size_t last, const BlockText &layout,
                            const std::string &indent) {
    std::string uniform, sharedOut, each;
    const std::string inner = indent + "  ";
    for (size_t i = first; i <= last; ++i) {
      const KernelNode &statement = *loop.statement(i);
      if (shape.isOneToOne() || !isOfThreads(statement))
        uniform += child(statement, layout.parts[i], indent);
      else if (parts.isSharedOut(statement.statement))
        sharedOut += child(statement, layout.parts[i], indent);
      else
        each += child(statement, layout.parts[i], inner);
    }
    if (each.empty())
      return uniform + sharedOut;
    return uniform + sharedOut +
           line(indent, fmt::format("for (unsigned {0} = {1}::rank(); {0} < {2}; {0} += {1}::producers) {{",
                                    names.thread, names.roles, shape.groupThreads())) +
           (shape.isFlat() ? std::string() : line(inner, names.threadIndices(names.thread, shape))) +
           sunkLines(loop, first, last, inner) + each + line(indent, "}");
  }

  /// What was worked out before the loop and is needed for these statements.
  std::string sunkLines(const TileLoop &loop, size_t first, size_t last, const std::string &indent) {
    VariableSet wanted;
    for (size_t i = first; i <= last; ++i)
      for (const KernelNode *node : view.all(*loop.statement(i)))
        if (isKept(*node))
          wanted.insert(view.facts(*node).reads.begin(), view.facts(*node).reads.end());
    std::string out;
    std::vector<const KernelNode *> chosen = neededOf(split.sunk, wanted);
    for (const KernelNode *node : chosen)
      out += line(indent, text.statement(node->statement, indent,
                                         parts.within(wholeStatement(unit, node->statement))));
    return out;
  }

  /// In the order of the text.
  std::vector<const KernelNode *> neededOf(const std::set<const KernelNode *> &from,
                                           VariableSet wanted) const {
    std::set<const KernelNode *> taken;
    for (bool changed = true; changed;) {
      changed = false;
      for (const KernelNode *node : from) {
        const bool isWanted =
            llvm::any_of(view.facts(*node).writes, [&](const VarDecl *v) { return wanted.contains(v); });
        if (!isWanted || !taken.insert(node).second)
          continue;
        wanted.insert(view.facts(*node).reads.begin(), view.facts(*node).reads.end());
        changed = true;
      }
    }
    std::vector<const KernelNode *> ordered;
    for (const KernelNode *node : view.nodes())
      if (taken.contains(node))
        ordered.push_back(node);
    return ordered;
  }

  const RolePlan &plan;
  const RoleView &view;
  const RoleSplit &split;
  const RoleShape &shape;
  const RoleNames &names;
  const bool isProducer;
  const source::Unit &unit;
  LoopText text;
  RoleParts parts;
  const std::set<const KernelNode *> *head = nullptr;
};

// The kernel
// ---------------------------------------------------------------------------------------------------------

const char *wordOf(RoleShape::Copy copy) {
  return copy == RoleShape::Copy::Ld ? "Ld" : copy == RoleShape::Copy::CpAsync ? "CpAsync" : "Bulk";
}

class KernelWriter {
public:
  KernelWriter(const RolePlan &plan, Names &fresh)
      : plan(plan), names(fresh), unit(plan.view.study.unit), text(unit) {}

  std::variant<std::string, Diagnostic> write() {
    const std::set<const KernelNode *> inHead = headNodes();
    RoleWriter producer(plan, names, true), consumer(plan, names, false);
    const std::string produced = producer.write(inHead, "    "), consumed = consumer.write(inHead, "  ");
    std::string out = "{\n" + aliases() + headText(inHead);
    out += fmt::format("\n  if ({}::isProducer()) {{\n", names.roles);
    if (plan.shape.producerRegisters)
      out += fmt::format("    heddle::giveRegisters<{}>();\n", plan.shape.producerRegisters);
    out += fmt::format("    {}::Producer {}({});\n", names.pipe, names.producer, names.barriers);
    if (plan.shape.isOneToOne() && producer.usesThreadNames())
      out += "    " + names.threadIndices(names.roles + "::rank()", plan.shape) + "\n";
    out += produced + fmt::format("    {}.finish();\n    return;\n  }}\n\n", names.producer);
    if (plan.shape.consumerRegisters)
      out += fmt::format("  heddle::takeRegisters<{}>();\n", plan.shape.consumerRegisters);
    out += fmt::format("  {}::Consumer {}({});\n", names.pipe, names.consumer, names.barriers);
    if (consumer.usesThreadNames())
      out += "  " + names.threadIndices(names.roles + "::rank()", plan.shape) + "\n";
    out += consumed + "}";
    for (std::optional<Diagnostic> failure : {producer.failure(), consumer.failure(), text.failure})
      if (failure)
        return *failure;
    return out;
  }

private:
  std::string aliases() const {
    const RoleShape &shape = plan.shape;
    return fmt::format("  using {} = heddle::Roles<{}, {}, {}>; // {} threads in {}, {} producer {}\n"
                       "  using {} = heddle::Pipeline<{}, {}, heddle::Copy::{}, heddle::Barrier::{}>;\n",
                       names.roles, shape.groupThreads(), shape.consumers, shape.producers,
                       shape.groupThreads(),
                       shape.consumers == 1 ? "a consumer group" : "each consumer group", shape.producers,
                       shape.producers == 1 ? "warp" : "warps", names.pipe, names.roles, shape.buffers,
                       wordOf(shape.copy), shape.barrier == RoleShape::Barrier::Named ? "Named" : "Mbarrier");
  }

  /// Types and constants that the tiles' declarations, or anything, may need.
  bool isConstant(const KernelNode &node) const {
    auto *declaration = dyn_cast<DeclStmt>(node.statement);
    if (!declaration || !node.parent || node.parent->parent)
      return false;
    return llvm::all_of(declaration->decls(), [&](const Decl *each) {
      auto *variable = dyn_cast<VarDecl>(each);
      return isa<TypeDecl, UsingDecl, UsingDirectiveDecl, StaticAssertDecl, EmptyDecl>(each) ||
             (variable &&
              (variable->isConstexpr() || variable->isUsableInConstantExpressions(unit.context())) &&
              variable->getType().isConstQualified() && !variable->hasAttr<CUDASharedAttr>());
    });
  }

  std::set<const KernelNode *> headNodes() const {
    std::set<const KernelNode *> found;
    for (const KernelNode *node : plan.view.nodes())
      if (plan.view.isStatement(*node) && (declaresOneOf(*node, plan.split.tiles) || isConstant(*node)))
        found.insert(node);
    return found;
  }

  std::string headText(const std::set<const KernelNode *> &inHead) {
    std::string out, members, references;
    for (const KernelNode *node : plan.view.nodes()) {
      if (!inHead.contains(node))
        continue;
      if (!declaresOneOf(*node, plan.split.tiles))
        out += "  " + text.statement(node->statement, "  ") + "\n";
      else if (plan.tilesAreDynamic)
        members += memberText(*node, references);
      else
        out += tileText(*node);
    }
    if (plan.tilesAreDynamic)
      out += fmt::format("  struct {0} {{ // more than the 48 KB that static shared memory can be\n{1}  }};\n"
                         "  extern __shared__ __align__(16) unsigned char {2}[];\n{3}",
                         names.tilesType, members, names.tilesMemory, references);
    return out +
           fmt::format("  __shared__ {0}::Barriers {1};\n  {0}::setUp({1});\n", names.pipe, names.barriers);
  }

  /// `__shared__ float tile[16][16];` once for each stage.
  std::string tileText(const KernelNode &node) {
    std::vector<source::Replacement> parts;
    bool isDynamic = false;
    for (const Decl *each : cast<DeclStmt>(node.statement)->decls()) {
      auto *variable = cast<VarDecl>(each);
      isDynamic |= variable->getType()->isIncompleteArrayType();
      if (plan.split.tiles.contains(variable) && !variable->getType()->isIncompleteArrayType())
        parts.push_back({SourceRange(variable->getLocation(), variable->getLocation()),
                         fmt::format("{}[{}::stages]", variable->getNameAsString(), names.pipe)});
    }
    const bool needsAlignment = plan.shape.copy == RoleShape::Copy::Bulk && !isDynamic;
    return "  " + std::string(needsAlignment ? "alignas(16) " : "") +
           text.statement(node.statement, "  ", parts) + "\n";
  }

  /// The tiles of a declaration as members of a struct, and references that go by their names.
  std::string memberText(const KernelNode &node, std::string &references) {
    std::string member = tileText(node);
    for (const char *word : {"alignas(16) ", "static ", "__shared__ "})
      if (size_t at = member.find(word); at != std::string::npos)
        member.erase(at, std::string(word).size());
    for (const Decl *each : cast<DeclStmt>(node.statement)->decls())
      references += fmt::format("  auto &{0} = reinterpret_cast<{1} *>({2})->{0};\n",
                                cast<VarDecl>(each)->getNameAsString(), names.tilesType, names.tilesMemory);
    return "    alignas(16) " + member.substr(member.find_first_not_of(' '));
  }

  const RolePlan &plan;
  RoleNames names;
  const source::Unit &unit;
  LoopText text;
};

} // namespace

std::variant<std::string, Diagnostic> specializedBody(const RolePlan &plan, Names &names) {
  return KernelWriter(plan, names).write();
}

} // namespace heddle::transform

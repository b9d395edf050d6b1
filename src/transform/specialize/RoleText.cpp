// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's text is written twice, once for each role, each time with the statements of the other left
// out. What stays is the author's own text, comments included; only built-in variables, mentions of tiles and
// barriers are others.
//
// Producers are fewer than the threads whose loads they make, so what differs by thread is in a loop over threads in each
// iteration. Values that the author computed once, before the loop over tiles, are computed
// there: cheap, and it needs no arrays of them.
#include "transform/specialize/RoleText.h"

#include "analysis/StatementShape.h"
#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
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

using NodeKind = KernelNode::Kind;
using source::Code;

class RoleWriter {
public:
  RoleWriter(const RolePlan &plan, const RoleNames &names, bool isProducer)
      : plan(plan), view(plan.view), split(plan.split), shape(plan.shape), names(names),
        isProducer(isProducer), unit(plan.view.study.unit), text(unit), parts(unit, plan, names, isProducer) {
  }

  /// The statements of the role.
  Code write(const std::set<const KernelNode *> &inHead) {
    head = &inHead;
    return statements(view.root());
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
      const bool isPlain =
          each->kind != NodeKind::Barrier && !(isProducer && isa<ReturnStmt>(each->statement));
      return isKept(*each) && isPlain && !overrides(*each) && !plan.groups.firstGroupOnly.contains(each);
    });
  }

  // Statements
  // -------------------------------------------------------------------------------------------------------

  /// The author's own text, but for what is another thing in this role.
  Code kept(const KernelNode &node) {
    return text.statement(node.statement, parts.within(source::wholeStatement(unit, node.statement)));
  }

  /// The statements of a block, without its braces.
  Code statements(const KernelNode &block) {
    if (block.kind != NodeKind::Block)
      return isKept(block) ? statement(block) : Code();
    for (const TileLoop &loop : split.loops)
      if (loop.body == &block)
        return isProducer ? producerIteration(loop) : consumerIteration(loop);
    source::BlockText layout = text.block(block.statement);
    Code out;
    for (size_t i = 0; i < block.children.size(); ++i)
      out.add(child(*block.children[i], layout.parts[i]));
    return out;
  }

  Code child(const KernelNode &node, const source::BlockPart &layout) {
    if (!isKept(node) || (node.kind == NodeKind::Barrier && barrierText(node).empty()))
      return {};
    const Code written = statement(node);
    if (written.empty())
      return {};
    return syncIf(plan.order.before, node).add(layout.around(written)).add(syncIf(plan.order.behind, node));
  }

  /// Consumers have to meet before or after a tile loop that they have reached, or in its iteration.
  Code syncIf(const std::set<const KernelNode *> &loops, const KernelNode &loop) const {
    return isProducer || !loops.contains(&loop) ? Code() : Code(names.roles + "::syncConsumers();");
  }

  Code statement(const KernelNode &node) {
    if (!isProducer && plan.groups.firstGroupOnly.contains(&node))
      return Code(fmt::format("if ({}::group() == 0)", names.roles)).addDeeper(plain(node));
    return plain(node);
  }

  Code plain(const KernelNode &node) {
    if (std::optional<Code> other = overriding(node))
      return *other;
    if (isWhole(node) || view.isStatement(node))
      return kept(node);
    switch (node.kind) {
    case NodeKind::Barrier: return barrierText(node);
    case NodeKind::Jump: return jumpText(node);
    case NodeKind::Block: return Code::braces({}, statements(node));
    case NodeKind::Loop: return loopText(node);
    case NodeKind::Branch: return branchText(node);
    case NodeKind::Switch:
    case NodeKind::Case:
    case NodeKind::Label:
    case NodeKind::Statement: break; // carried out as a whole
    }
    return {};
  }

  std::string barrierText(const KernelNode &node) const {
    const std::string &own = isProducer ? names.producer : names.consumer;
    if (split.meets.contains(&node))
      return own + ".meet();";
    return isProducer ? std::string() : names.roles + "::syncConsumers();";
  }

  Code jumpText(const KernelNode &node) const {
    if (isProducer && isa<ReturnStmt>(node.statement)) {
      const Code leaving = Code(names.producer + ".finish();").add("return;");
      return node.parent->kind == NodeKind::Block ? leaving : Code::braces({}, leaving);
    }
    return isa<ReturnStmt>(node.statement)  ? "return;"
           : isa<BreakStmt>(node.statement) ? "break;"
                                            : "continue;";
  }

  /// "for (int i = 0; i < n; ++i)"
  Code headOf(const Stmt *statement, const Stmt *inner) {
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    size_t last = source::tokensOf(unit, inner->getSourceRange()).begin - 1;
    if (all[last].kind() == tok::kw_else)
      --last;
    const SourceRange range(statement->getBeginLoc(), all[last].location());
    return text.code(range, parts.within(range));
  }

  Code loopText(const KernelNode &node) {
    const KernelNode &body = *node.children[0];
    if (auto *loop = dyn_cast<DoStmt>(node.statement))
      return Code::braces("do", statements(body)).join(fmt::format(" while ({});", textOf(loop->getCond())));
    return Code::braces(headOf(node.statement, bodyOf(node.statement)), statements(body));
  }

  Code branchText(const KernelNode &node) {
    auto *branch = cast<IfStmt>(node.statement);
    Code out = Code::braces(headOf(branch, branch->getThen()), statements(*node.children[0]));
    if (node.children.size() > 1 && isKept(*node.children[1]))
      out.join(Code::braces(" else", statements(*node.children[1])));
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
    return text.text(expression, parts.within(expression->getSourceRange()));
  }

  /// heddle::copyAsync(&tile[stage][i], &in[i], i < n);
  std::optional<Code> overriding(const KernelNode &node) {
    if (!overrides(node))
      return std::nullopt;
    const CopyForm &form = *formOf(node);
    const std::string to = textOf(form.target), from = textOf(form.source);
    if (!form.condition)
      return fmt::format("heddle::copyAsync(&{}, &{});", to, from);
    const std::string when = textOf(form.condition);
    if (form.otherwiseIsZero && !form.sourceLoads)
      return fmt::format("heddle::copyAsync(&{}, &{}, {});", to, from, when);
    Code choice = fmt::format("if ({})", when);
    choice.addf("  heddle::copyAsync(&{}, &{});", to, from).add("else");
    return choice.addf("  {} = {};", to, textOf(form.otherwise));
  }

  // An iteration of the tile loop
  // -------------------------------------------------------------------------------------------------------

  Code aliasLines() {
    Code out;
    for (const KernelNode *node : view.nodes())
      if (split.aliases.contains(node))
        out.add(kept(*node));
    return out;
  }

  Code consumerIteration(const TileLoop &loop) {
    source::BlockText layout = text.block(loop.body->statement);
    const Code release = Code(names.consumer + ".release();").add(syncIf(plan.order.atRelease, *loop.loop));
    Code out;
    for (size_t i = 0; i < loop.body->children.size(); ++i) {
      if (i == loop.fill)
        out.addf("const unsigned {} = {}.wait();", names.stage, names.consumer)
            .add(syncIf(plan.order.atFill, *loop.loop))
            .add(aliasLines());
      else if (i == loop.release)
        out.add(release);
      else if (i != loop.before)
        out.add(child(*loop.statement(i), layout.parts[i]));
    }
    return loop.release == loop.body->children.size() ? out.add(release) : out;
  }

  Code producerIteration(const TileLoop &loop) {
    source::BlockText layout = text.block(loop.body->statement);
    auto [first, last] = loadOf(loop);
    Code out;
    for (size_t i = 0; i < loop.body->children.size(); ++i) {
      if (i == first) {
        out.addf("const unsigned {} = {}.acquire();", names.stage, names.producer)
            .add(aliasLines())
            .add(load(loop, first, last, layout));
        i = last;
      } else if (i == loop.fill) {
        const bool isBulk = shape.copy == RoleShape::Copy::Bulk;
        out.add(names.producer + (isBulk ? ".commitStored();" : ".commit();"));
      } else if (loop.statement(i)->kind != NodeKind::Barrier) {
        out.add(child(*loop.statement(i), layout.parts[i]));
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

  Code load(const TileLoop &loop, size_t first, size_t last, const source::BlockText &layout) {
    if (shape.copy != RoleShape::Copy::Bulk)
      return loadByThreads(loop, first, last, layout);
    std::vector<const CopyForm *> forms;
    for (const CopyForm &form : plan.copies)
      if (loop.isInLoad(form.node))
        forms.push_back(&form);
    BulkLoad bulk = bulkLoad(plan, names, parts, text, forms, first);
    return bulk.declarations.add(Code::braces(Code("if (").join(bulk.condition).join(")"), bulk.copies))
        .join(Code::braces(" else", loadByThreads(loop, first, last, layout)));
  }

  /// What is the same for all threads first, then loops that producers distribute, then the rest, thread by
  /// thread. With a producer for each thread everything stays in its order.
  Code loadByThreads(const TileLoop &loop, size_t first, size_t last, const source::BlockText &layout) {
    Code uniform, distributed, each;
    for (size_t i = first; i <= last; ++i) {
      const KernelNode &statement = *loop.statement(i);
      const bool isUniform = shape.isOneToOne() || !isOfThreads(statement);
      Code &home = isUniform ? uniform : parts.isDistributed(statement.statement) ? distributed : each;
      home.add(child(statement, layout.parts[i]));
    }
    uniform.add(distributed);
    if (each.empty())
      return uniform;
    const std::string overItems =
        fmt::format("for (unsigned {0} = {1}::rank(); {0} < {2}; {0} += {1}::producers)", names.thread,
                    names.roles, shape.groupThreads());
    const Code indices = shape.isFlat() ? Code() : Code(names.threadIndices(names.thread, shape));
    return uniform.add(Code::braces(overItems, Code(indices).add(sunkLines(loop, first, last)).add(each)));
  }

  /// What was computed before the loop and is needed for these statements.
  Code sunkLines(const TileLoop &loop, size_t first, size_t last) {
    VariableSet wanted;
    for (size_t i = first; i <= last; ++i)
      for (const KernelNode *node : view.all(*loop.statement(i)))
        if (isKept(*node))
          wanted.insert(plan.view.facts(*node).reads.begin(), plan.view.facts(*node).reads.end());
    Code out;
    for (const KernelNode *node :
         view.neededFor(wanted, [&](const KernelNode &each) { return split.sunk.contains(&each); }))
      out.add(kept(*node));
    return out;
  }

  const RolePlan &plan;
  const RoleView &view;
  const RoleSplit &split;
  const RoleShape &shape;
  const RoleNames &names;
  const bool isProducer;
  const source::Unit &unit;
  source::Rewriter text;
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

  std::variant<Code, Diagnostic> write() {
    const std::set<const KernelNode *> inHead = headNodes();
    RoleWriter producer(plan, names, true), consumer(plan, names, false);
    const Code produced = producer.write(inHead), consumed = consumer.write(inHead);
    Code own; // the producer's
    if (plan.shape.producerRegisters)
      own.addf("heddle::giveRegisters<{}>();", plan.shape.producerRegisters);
    own.addf("{}::Producer {}({});", names.pipe, names.producer, names.barriers);
    if (plan.shape.isOneToOne() && producer.usesThreadNames())
      own.add(names.threadIndices(names.roles + "::rank()", plan.shape));
    own.add(produced).addf("{}.finish();", names.producer).add("return;");

    Code body = aliases().add(headText(inHead)).add(Code::blankLine());
    body.add(Code::braces(fmt::format("if ({}::isProducer())", names.roles), own)).add(Code::blankLine());
    if (plan.shape.consumerRegisters)
      body.addf("heddle::takeRegisters<{}>();", plan.shape.consumerRegisters);
    body.addf("{}::Consumer {}({});", names.pipe, names.consumer, names.barriers);
    if (consumer.usesThreadNames())
      body.add(names.threadIndices(names.roles + "::rank()", plan.shape));
    body.add(consumed);
    for (std::optional<Diagnostic> failure : {producer.failure(), consumer.failure(), text.failure})
      if (failure)
        return *failure;
    return Code::braces({}, body);
  }

private:
  Code aliases() const {
    const RoleShape &shape = plan.shape;
    Code lines =
        fmt::format("using {} = heddle::Roles<{}, {}, {}>; // {} threads in {}, {} producer {}", names.roles,
                    shape.groupThreads(), shape.consumers, shape.producers, shape.groupThreads(),
                    shape.consumers == 1 ? "a consumer group" : "each consumer group", shape.producers,
                    shape.producers == 1 ? "warp" : "warps");
    return lines.addf("using {} = heddle::Pipeline<{}, {}, heddle::Copy::{}, heddle::Barrier::{}>;",
                      names.pipe, names.roles, shape.buffers, wordOf(shape.copy),
                      shape.barrier == RoleShape::Barrier::Named ? "Named" : "Mbarrier");
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
      if (plan.view.isStatement(*node) &&
          (analysis::declaresOneOf(*node, plan.split.tiles) || isConstant(*node)))
        found.insert(node);
    return found;
  }

  Code headText(const std::set<const KernelNode *> &inHead) {
    Code out, members, references;
    for (const KernelNode *node : plan.view.nodes()) {
      if (!inHead.contains(node))
        continue;
      if (!analysis::declaresOneOf(*node, plan.split.tiles))
        out.add(text.statement(node->statement));
      else if (plan.tilesAreDynamic)
        members.add(memberText(*node, references));
      else
        out.add(tileText(*node));
    }
    if (plan.tilesAreDynamic)
      out.addf("struct {} {{ // more than the 48 KB that static shared memory can be", names.tilesType)
          .addDeeper(members)
          .add("};")
          .addf("extern __shared__ __align__(16) unsigned char {}[];", names.tilesMemory)
          .add(references);
    return out.addf("__shared__ {}::Barriers {};", names.pipe, names.barriers)
        .addf("{}::setUp({});", names.pipe, names.barriers);
  }

  /// `__shared__ float tile[16][16];` once for each stage.
  Code tileText(const KernelNode &node) {
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
    return Code(needsAlignment ? "alignas(16) " : "").join(text.statement(node.statement, parts));
  }

  /// The tiles of a declaration as members of a struct, and references that go by their names.
  Code memberText(const KernelNode &node, Code &references) {
    std::string member = tileText(node).str();
    for (const char *word : {"alignas(16) ", "static ", "__shared__ "})
      if (size_t at = member.find(word); at != std::string::npos)
        member.erase(at, std::string(word).size());
    for (const Decl *each : cast<DeclStmt>(node.statement)->decls())
      references.addf("auto &{0} = reinterpret_cast<{1} *>({2})->{0};",
                      cast<VarDecl>(each)->getNameAsString(), names.tilesType, names.tilesMemory);
    return "alignas(16) " + member;
  }

  const RolePlan &plan;
  RoleNames names;
  const source::Unit &unit;
  source::Rewriter text;
};

} // namespace

std::variant<source::Code, Diagnostic> specializedBody(const RolePlan &plan, Names &names) {
  return KernelWriter(plan, names).write();
}

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   1. Collect: the statements of the body. Declarations that only compute a number from the loop's variable
//      are set aside: each loop that needs one gets its own.
//   2. Decide: a graph with an edge from one statement to another where something of the first must come
//   before
//      something of the second: in the same iteration as the text has them, or in a later one. Variables that
//      cannot be kept apart tie their statements together both ways. Statements that reach each other are a
//      group (a strongly connected component); the groups are put in an order that follows all edges.
//   3. Edit: a loop for each group.
//
// After that every dependence goes from an earlier loop to a later one, or stays inside one.
#include "transform/loops/Distribute.h"

#include "analysis/StatementShape.h"
#include "graph/Components.h"
#include "model/Thresholds.h"
#include "source/DeclaredType.h"
#include "source/LocalWrites.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/Names.h"
#include "transform/loops/LoopWork.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::CountedLoop;
using analysis::declaredBy;
using analysis::LoopStudy;
using analysis::OuterVariable;

namespace {

/// More elements of a value that became an array would not stay in registers.
constexpr int64_t mostExpanded = model::threshold::loops::mostExpandedElements;

/// A value that goes from one loop to another.
struct Shared {
  const VarDecl *variable = nullptr;
  bool mayBeArray = false;
};

class Graph {
public:
  Graph(const LoopStudy &study, const CountedLoop &loop) : study(study), loop(loop) {
    for (const Stmt *statement : analysis::statementsOf(loop.body()))
      if (isRecomputable(statement))
        recomputed.push_back(cast<DeclStmt>(statement));
      else if (!isa<NullStmt>(statement))
        nodes.push_back(statement);
    size_t count = nodes.size();
    edges.assign(count, std::vector<bool>(count));
    why.assign(count, std::vector<LegalityFailure>(count));
  }

  void connect() {
    connectVariables();
    connectMemory();
  }

  /// Groups of statements in an order that follows all edges; of several that may come next, the one that
  /// begins first in the text.
  std::vector<std::vector<size_t>> groups() const {
    graph::Adjacency waiting = graph::components(successors());
    for (std::vector<unsigned> &group : waiting)
      std::ranges::sort(group);
    std::ranges::sort(waiting);
    std::vector<std::vector<size_t>> found;
    while (!waiting.empty()) {
      auto next = std::ranges::find_if(waiting, [&](const auto &group) { return isFree(group, waiting); });
      found.emplace_back(next->begin(), next->end());
      waiting.erase(next);
    }
    return found;
  }

  /// Why the statements hang together: an edge that goes against the order of the text.
  LegalityFailure reason() const {
    for (size_t u = 0; u < nodes.size(); ++u)
      for (size_t v = 0; v < u; ++v)
        if (edges[u][v] && why[u][v])
          return why[u][v];
    return std::nullopt;
  }

  std::vector<const VarDecl *> variablesOf(size_t node) const {
    std::vector<const VarDecl *> list;
    for (const Shared &one : shared)
      if (mentions(nodes[node], one.variable))
        list.push_back(one.variable);
    return list;
  }
  static bool mentions(const Stmt *code, const VarDecl *variable) {
    return Uses::of(code).mentions(variable) || llvm::is_contained(declaredBy(code), variable);
  }

  std::vector<const Stmt *> nodes;
  std::vector<const DeclStmt *> recomputed;
  std::vector<Shared> shared;

private:
  graph::Adjacency successors() const {
    graph::Adjacency all(nodes.size());
    for (size_t u = 0; u < nodes.size(); ++u)
      for (size_t v = 0; v < nodes.size(); ++v)
        if (edges[u][v])
          all[u].push_back(unsigned(v));
    return all;
  }
  /// True where no edge leads here from another group that is still waiting.
  bool isFree(const std::vector<unsigned> &group, const graph::Adjacency &waiting) const {
    auto leadsHere = [&](unsigned from) {
      return std::ranges::any_of(group, [&](unsigned to) { return edges[from][to]; });
    };
    return std::ranges::none_of(
        waiting, [&](const auto &other) { return other != group && std::ranges::any_of(other, leadsHere); });
  }

  /// Computes numbers from the loop's variable and what does not change: the same whenever it is done.
  bool isRecomputable(const Stmt *statement) const {
    auto *declaration = dyn_cast<DeclStmt>(statement);
    if (!declaration || !study.accessesIn(statement).empty())
      return false;
    std::vector<OuterVariable> inLoop = study.outerVariables(loop.body());
    for (const Decl *one : declaration->decls()) {
      auto *variable = dyn_cast<VarDecl>(one);
      if (!variable || !variable->getInit() || !variable->hasLocalStorage() ||
          !variable->getType()->isArithmeticType() || isWritten(variable))
        return false;
      if (Uses::of(variable->getInit()).mentionsAny([&](const VarDecl *v) { return !isFixed(v, inLoop); }))
        return false;
    }
    return true;
  }
  bool isFixed(const VarDecl *variable, const std::vector<OuterVariable> &inLoop) const {
    const auto declares = [&](const DeclStmt *earlier) {
      return llvm::is_contained(declaredBy(earlier), variable);
    };
    return std::ranges::any_of(recomputed, declares) ||
           std::ranges::any_of(inLoop, [&](const OuterVariable &outer) {
             return outer.variable == variable && !outer.write;
           });
  }
  bool isWritten(const VarDecl *variable) const {
    auto parentOf = [&](const Stmt *s) { return study.parent(s); };
    for (const DeclRefExpr *reference : Uses::of(loop.body()).locals)
      if (reference->getDecl() == variable && source::mentionOf(reference, parentOf) != source::Mention::Read)
        return true;
    return false;
  }

  bool mayBeArray(const DeclStmt *declaration, const VarDecl *variable) const {
    std::optional<int64_t> trips = study.kernel.isInstantiation ? std::nullopt : loop.trips();
    return declaration->isSingleDecl() && trips && *trips <= mostExpanded && loop.facts->start.constant() &&
           loop.constantStep() && variable->getType()->isArithmeticType() && variable->hasLocalStorage() &&
           (!variable->getInit() || variable->getInitStyle() == VarDecl::CInit);
  }

  void connectVariables() {
    for (const Stmt *node : nodes)
      for (const VarDecl *variable : declaredBy(node))
        shared.push_back({variable, mayBeArray(cast<DeclStmt>(node), variable)});
    for (const Shared &one : shared)
      connectMentions(
          one.variable, !one.mayBeArray,
          fmt::format("'{}' would need an element per iteration", one.variable->getNameAsString()));
    for (const OuterVariable &outer : study.outerVariables(loop.body()))
      if (outer.write && outer.variable != loop.variable)
        connectMentions(
            outer.variable, true,
            fmt::format("'{}' is carried from one iteration to the next", outer.variable->getNameAsString()));
  }
  void connectMentions(const VarDecl *variable, bool bothWays, const std::string &reason) {
    for (size_t u = 0; u < nodes.size(); ++u)
      for (size_t v = u + 1; v < nodes.size(); ++v)
        if (mentions(nodes[u], variable) && mentions(nodes[v], variable)) {
          edges[u][v] = true;
          if (!bothWays)
            continue;
          edges[v][u] = true;
          why[v][u] = legalityFailure(study.unit.location(nodes[v]), reason);
          why[v][u]->note(study.unit.location(nodes[u]), "it is also used here");
          why[v][u]->hint = fmt::format("a small constant number of iterations (up to {}) lets a value that "
                                        "is declared in the loop become an array",
                                        mostExpanded);
        }
  }

  void connectMemory() {
    std::vector<const analysis::Loop *> around = LoopStudy::around(loop.facts), here = around;
    here.push_back(loop.facts);
    analysis::Iterations later{around, {{loop.facts, loop.facts, 1, {}}}}, same{here, {}};
    std::vector<std::vector<const analysis::Access *>> accesses;
    for (const Stmt *node : nodes)
      accesses.push_back(study.accessesIn(node));
    for (size_t u = 0; u < nodes.size(); ++u)
      for (size_t v = 0; v < nodes.size(); ++v) {
        if (u == v || edges[u][v])
          continue;
        auto found = study.dependence(accesses[u], accesses[v], later, loop.statement);
        if (!found && u < v)
          found = study.dependence(accesses[u], accesses[v], same, loop.statement);
        if (!found)
          continue;
        edges[u][v] = true;
        why[u][v] = analysis::refusalOf(*found, "in an earlier iteration");
      }
  }

  const LoopStudy &study;
  const CountedLoop &loop;
  std::vector<std::vector<bool>> edges;
  std::vector<std::vector<LegalityFailure>> why;
};

class DistributeWriter {
public:
  DistributeWriter(const LoopTask &task, const CountedLoop &loop, const Graph &graph)
      : task(task), unit(task.study.unit), loop(loop), graph(graph), text(unit), names(unit) {}

  LegalityFailure run(const std::vector<std::vector<size_t>> &groups) {
    block = text.block(loop.body());
    chooseArrays(groups);
    Code loops;
    for (const auto &[variable, name] : arrays)
      loops.addf("{};",
                 source::declareAs(unit, variable, fmt::format("{}[{}]", name, *loop.trips())).value_or(""));
    for (const std::vector<size_t> &group : groups)
      loops.add(loopOf(group));
    if (text.failure)
      return text.failure;
    text.replace(task.context.edits, loop.statement, task.study.parent(loop.statement), loops, true);
    return std::nullopt;
  }
  size_t arrayCount() const { return arrays.size(); }

private:
  void chooseArrays(const std::vector<std::vector<size_t>> &groups) {
    std::map<const VarDecl *, std::set<const std::vector<size_t> *>> users;
    for (const std::vector<size_t> &group : groups)
      for (size_t node : group)
        for (const VarDecl *variable : graph.variablesOf(node))
          users[variable].insert(&group);
    for (const Shared &one : graph.shared)
      if (users[one.variable].size() > 1)
        arrays.emplace_back(one.variable, names.fresh(one.variable->getNameAsString() + "s"));
  }

  /// "i", "i - 1", "(8 - i) / 2": the number of the iteration.
  std::string index() const {
    int64_t start = *loop.facts->start.constant(), step = *loop.constantStep();
    std::string name = loop.name(), first = std::to_string(std::abs(start)), distance;
    if (step > 0)
      distance = start == 0 ? name : name + (start < 0 ? " + " : " - ") + first;
    else
      distance = start < 0 ? fmt::format("-{} - {}", first, name) : fmt::format("{} - {}", first, name);
    if (std::abs(step) == 1)
      return distance;
    bool isPlain = start == 0 && step > 0;
    return fmt::format("{} / {}", isPlain ? distance : "(" + distance + ")", std::abs(step));
  }

  const std::string *arrayOf(const Decl *declaration) const {
    for (const auto &[variable, name] : arrays)
      if (variable == declaration)
        return &name;
    return nullptr;
  }

  Code loopOf(const std::vector<size_t> &group) {
    Code body;
    unsigned statements = 0;
    for (const source::BlockPart &part : block.parts)
      if (const Code one = statementOf(part, group); !one.empty()) {
        body.add(part.around(one));
        ++statements;
      }
    const Code head = text.head(loop.statement).from(text.lineOf(loop.statement));
    const std::string step = text.stepOf(loop.statement, loop.body());
    const bool isShort = statements == 1 && body.isOneLine();
    return isShort ? Code(head).addDeeper(body, step) : Code::braces(head, body, step);
  }

  /// What becomes of a statement in the loop of this group; empty where it is not part of it.
  Code statementOf(const source::BlockPart &part, const std::vector<size_t> &group) {
    if (auto *declaration = dyn_cast<DeclStmt>(part.statement); declaration && isNeeded(declaration, group))
      return text.statement(declaration);
    for (size_t node : group)
      if (graph.nodes[node] == part.statement)
        return withArrays(part.statement);
    return {};
  }

  Code withArrays(const Stmt *statement) {
    const auto parts = renamed(statement, [&](const DeclRefExpr *mention) {
      const std::string *array = arrayOf(mention->getDecl());
      return array ? std::optional(fmt::format("{}[{}]", *array, index())) : std::nullopt;
    });
    const std::vector<const VarDecl *> declared = declaredBy(statement);
    const VarDecl *variable = declared.empty() ? nullptr : declared.front();
    const std::string *array = variable ? arrayOf(variable) : nullptr;
    if (!array)
      return text.statement(statement, parts);
    if (!variable->getInit())
      return {};
    return Code(fmt::format("{}[{}] = {};", *array, index(), text.text(variable->getInit(), parts)))
        .from(text.lineOf(statement));
  }

  /// A declaration that is computed again: this group mentions it, or another such one that it does.
  bool isNeeded(const DeclStmt *declaration, const std::vector<size_t> &group) const {
    auto at = std::ranges::find(graph.recomputed, declaration);
    if (at == graph.recomputed.end())
      return false;
    for (const VarDecl *one : declaredBy(declaration)) {
      for (size_t node : group)
        if (Graph::mentions(graph.nodes[node], one))
          return true;
      for (auto later = at + 1; later != graph.recomputed.end(); ++later)
        if (Graph::mentions(*later, one) && isNeeded(*later, group))
          return true;
    }
    return false;
  }

  const LoopTask &task;
  const Unit &unit;
  const CountedLoop &loop;
  const Graph &graph;
  source::Rewriter text;
  Names names;
  source::BlockText block;
  std::vector<std::pair<const VarDecl *, std::string>> arrays;
};

LegalityFailure distribute(const LoopTask &task) {
  const LoopStudy &study = task.study;
  std::variant<CountedLoop, Diagnostic> counted = countedSubject(task);
  if (auto *refusal = std::get_if<Diagnostic>(&counted))
    return *refusal;
  const CountedLoop &loop = std::get<CountedLoop>(counted);
  if (LegalityFailure exit = analysis::exitOfLoop(study.unit, loop.body()))
    return exit;
  if (LegalityFailure effect = analysis::reasonAgainstReordering(study.unit, loop.statement))
    return effect;
  Graph graph(study, loop);
  if (graph.nodes.size() < 2)
    return legalityFailure(study.unit.location(loop.statement), "the loop has only one statement");
  graph.connect();
  std::vector<std::vector<size_t>> groups = graph.groups();
  if (groups.size() < 2) {
    LegalityFailure reason = graph.reason();
    return reason ? reason
                  : legalityFailure(study.unit.location(loop.statement),
                                    "its statements all depend on each other");
  }
  if (!task.edits)
    return std::nullopt;
  DistributeWriter writer(task, loop, graph);
  if (LegalityFailure reason = writer.run(groups))
    return reason;
  task.context.done("the loop over '{}' at line {} became {} loops{}", loop.name(),
                    study.unit.location(loop.statement).line, groups.size(),
                    writer.arrayCount() ? fmt::format("; {} value(s) became arrays", writer.arrayCount())
                                        : "");
  return std::nullopt;
}

} // namespace

PassResult distributeLoop(Context &context) { return carryOutOn(context, distribute); }

std::vector<const Stmt *> loopsToDistribute(const Kernel &kernel) {
  std::vector<const Stmt *> all = loopsOf(kernel);
  std::erase_if(all, [](const Stmt *loop) {
    return analysis::statementsOf(cast<ForStmt>(loop)->getBody()).size() < 2;
  });
  return all;
}

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness, but only at barriers. From each use of an SSA value walk back to where the value was made, and
// note the barriers on the way. A phi and a partial write are uses only where their own value is used later.
//
// Variables without SSA values (escaped ones, references) live across a barrier where their declaration may
// come before it and a mention of them after it.
#include "analysis/LiveValues.h"

#include "analysis/RegionView.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <algorithm>
#include <map>
#include <set>

using namespace clang;

namespace heddle::analysis {
namespace {

using source::FlowGraph;
using source::ReachingDefinitions;

class LivenessAtBarriers {
public:
  LivenessAtBarriers(const Uniformity &facts, std::vector<const Stmt *> barriers)
      : facts(facts), definitions(facts.definitions()), graph(definitions.graph()),
        barriers(std::move(barriers)), live(this->barriers.size()), barriersIn(graph.size()),
        visited(graph.size(), 0) {
    for (unsigned i = 0; i < this->barriers.size(); ++i) {
      FlowGraph::Point at = *graph.find(this->barriers[i]);
      barriersIn[at.block].push_back({at.position, i});
    }
  }

  std::vector<LiveAcross> run() {
    rankVariables();
    findUses();
    for (unsigned value = 0; value < uses.size(); ++value)
      if (!uses[value].empty())
        walkBack(value);
    addOthers();
    std::vector<LiveAcross> result;
    for (unsigned i = 0; i < barriers.size(); ++i)
      result.push_back(describe(i));
    return result;
  }

private:
  /// A use by an element, or by a phi: then `before` everything of a predecessor's end.
  struct Use {
    unsigned block = 0;
    unsigned position = 0; ///< one past the last element for the end of a block
  };

  void findUses() {
    uses.resize(definitions.values().size());
    std::vector<unsigned> pending;
    auto use = [&](unsigned value, Use at) {
      if (uses[value].empty())
        pending.push_back(value);
      uses[value].push_back(at);
    };
    for (const VarDecl *variable : definitions.variables())
      for (const DeclRefExpr *reference : definitions.referencesTo(variable)) {
        std::optional<FlowGraph::Point> at = graph.find(reference);
        if (at && definitions.isRead(reference))
          for (unsigned value : definitions.valuesAt(reference))
            use(value, {at->block, at->position});
      }
    while (!pending.empty()) {
      const auto &value = definitions.values()[pending.back()];
      pending.pop_back();
      if (value.previous != ReachingDefinitions::none)
        use(value.previous, {value.at.block, value.at.position});
      for (unsigned i = 0; i < value.operands.size(); ++i)
        if (value.operands[i] != ReachingDefinitions::none) {
          unsigned from = graph.predecessors(value.at.block)[i];
          use(value.operands[i], {from, unsigned(graph.elements(from).size())});
        }
    }
  }

  void walkBack(unsigned number) {
    const auto &value = definitions.values()[number];
    const unsigned rank = rankOf.at(value.variable);
    const Level level = facts.levelOfValue(number);
    bool isPhi = value.kind == ReachingDefinitions::Value::Kind::Phi;
    ++stamp;
    std::vector<unsigned> pending;
    auto upTo = [&](unsigned block, unsigned end) { // the block's elements before `end`
      bool madeHere = block == value.at.block && (isPhi || value.at.position < end);
      for (auto [at, barrier] : barriersIn[block])
        if (at < end && (!madeHere || isPhi || at > value.at.position))
          note(barrier, rank, level);
      if (madeHere || visited[block] == stamp)
        return;
      for (unsigned before : graph.predecessors(block))
        pending.push_back(before);
    };
    for (const Use &use : uses[number])
      upTo(use.block, use.position);
    while (!pending.empty()) {
      unsigned block = pending.back();
      pending.pop_back();
      if (visited[block] == stamp)
        continue;
      upTo(block, unsigned(graph.elements(block).size()));
      visited[block] = stamp;
    }
  }

  /// Generated kernels have millions of these: appended here, sorted and merged once by describe().
  void note(unsigned barrier, unsigned rank, Level level) {
    auto &list = live[barrier];
    if (!list.empty() && list.back().first == rank)
      list.back().second = join(list.back().second, level);
    else
      list.push_back({rank, level});
  }

  /// Variables in order of declaration, each with its number and size.
  void rankVariables() {
    std::set<const VarDecl *> all(definitions.variables().begin(), definitions.variables().end());
    for (unsigned block : graph.reversePostorder())
      for (const Stmt *element : graph.elements(block))
        if (auto *reference = dyn_cast<DeclRefExpr>(element))
          if (auto *variable = dyn_cast<VarDecl>(reference->getDecl()); variable && isOther(variable))
            all.insert(variable);
    ranked.assign(all.begin(), all.end());
    llvm::sort(ranked, [&](const VarDecl *a, const VarDecl *b) {
      return facts.unit().sources().isBeforeInTranslationUnit(a->getLocation(), b->getLocation());
    });
    ASTContext &context = facts.unit().context();
    for (unsigned i = 0; i < ranked.size(); ++i) {
      rankOf[ranked[i]] = i;
      QualType type = ranked[i]->getType();
      if (type->isReferenceType())
        type = context.getPointerType(type->getPointeeType());
      bytesOf.push_back(context.getTypeSizeInChars(type).getQuantity());
    }
  }

  /// True where some way leads from one place to the other.
  bool reaches(FlowGraph::Point from, FlowGraph::Point to) {
    if (from.block == to.block && from.position < to.position)
      return true;
    std::vector<bool> seen(graph.size());
    std::vector<unsigned> pending = {from.block};
    while (!pending.empty()) {
      unsigned block = pending.back();
      pending.pop_back();
      for (unsigned next : graph.successors(block)) {
        if (next == to.block)
          return true;
        if (!seen[next]) {
          seen[next] = true;
          pending.push_back(next);
        }
      }
    }
    return false;
  }

  void addOthers() {
    std::map<const VarDecl *, std::vector<FlowGraph::Point>> mentions, declared;
    for (unsigned block : graph.reversePostorder())
      for (unsigned i = 0; i < graph.elements(block).size(); ++i) {
        const Stmt *element = graph.elements(block)[i];
        if (auto *reference = dyn_cast<DeclRefExpr>(element)) {
          if (auto *variable = dyn_cast<VarDecl>(reference->getDecl()); variable && isOther(variable))
            mentions[variable].push_back({block, i});
        } else if (auto *declarations = dyn_cast<DeclStmt>(element)) {
          for (const Decl *declaration : declarations->decls())
            if (auto *variable = dyn_cast<VarDecl>(declaration); variable && isOther(variable))
              declared[variable].push_back({block, i});
        }
      }
    for (auto &[variable, places] : mentions) {
      if (isa<ParmVarDecl>(variable))
        declared[variable].push_back({graph.entry(), 0});
      for (unsigned i = 0; i < barriers.size(); ++i) {
        FlowGraph::Point at = *graph.find(barriers[i]);
        auto before = [&, to = at](FlowGraph::Point from) { return reaches(from, to); };
        auto after = [&, from = at](FlowGraph::Point to) { return reaches(from, to); };
        if (llvm::any_of(declared[variable], before) && llvm::any_of(places, after))
          note(i, rankOf.at(variable), levelOfOther(variable));
      }
    }
  }

  bool isOther(const VarDecl *variable) const {
    if (variable->getType()->isReferenceType())
      return variable->hasLocalStorage();
    return definitions.isTracked(variable) && definitions.addressEscapes(variable);
  }

  Level levelOfOther(const VarDecl *variable) const {
    if (!variable->getType()->isReferenceType() || !variable->getInit())
      return Level::Thread;
    std::optional<source::LocalPlace> local = source::localPlace(variable->getInit());
    return local ? Level::Thread : facts.addressLevel(variable->getInit());
  }

  LiveAcross describe(unsigned number) {
    LiveAcross result;
    result.barrier = barriers[number];
    auto &list = live[number];
    llvm::sort(list);
    for (size_t i = 0; i < list.size(); ++i) {
      if (i + 1 < list.size() && list[i + 1].first == list[i].first)
        continue; // the last of equal ones has the highest level
      LiveValue value;
      value.variable = ranked[list[i].first];
      value.level = list[i].second;
      value.bytes = bytesOf[list[i].first];
      value.registers = unsigned((value.bytes + 3) / 4);
      value.isParameter = isa<ParmVarDecl>(value.variable);
      result.values.push_back(value);
    }
    list = {};
    return result;
  }

  const Uniformity &facts;
  const ReachingDefinitions &definitions;
  const FlowGraph &graph;
  std::vector<const Stmt *> barriers;
  std::vector<std::vector<std::pair<unsigned, Level>>> live; ///< by barrier: rank of the variable, level
  std::vector<std::vector<std::pair<unsigned, unsigned>>> barriersIn;
  std::vector<unsigned> visited;
  unsigned stamp = 0;
  std::vector<std::vector<Use>> uses;
  std::vector<const VarDecl *> ranked;
  std::vector<int64_t> bytesOf;
  std::unordered_map<const VarDecl *, unsigned> rankOf;
};

} // namespace

unsigned LiveAcross::registers() const {
  unsigned sum = 0;
  for (const LiveValue &value : values)
    sum += value.registers;
  return sum;
}

unsigned LiveAcross::registersByThread() const {
  unsigned sum = 0;
  for (const LiveValue &value : values)
    sum += value.differsByThread() ? value.registers : 0;
  return sum;
}

const LiveValue *LiveAcross::find(const VarDecl *variable) const {
  for (const LiveValue &value : values)
    if (value.variable == variable)
      return &value;
  return nullptr;
}

std::vector<LiveAcross> liveAcrossBarriers(const Uniformity &facts, const KernelTree &tree) {
  std::vector<const Stmt *> barriers;
  if (tree.regions().isStructured())
    RegionView(tree).forEach([&](const RegionStep &step) {
      if (step.point)
        barriers.push_back(step.point->at);
    });
  else
    for (const Barrier &barrier : tree.regions().barriers())
      if (barrier.cutsRegion())
        barriers.push_back(barrier.statement);
  return LivenessAtBarriers(facts, std::move(barriers)).run();
}

} // namespace heddle::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reaching definitions from static single assignment form.
//
// Bit vectors of definitions at each block need |blocks| x |definitions| bits: 150 MB for a generated kernel
// of 20,000 lines with a branch in every other one. SSA form holds the same facts in space near linear in the
// function, and its phis are what uniformity asks for anyway. The construction is the classical one:
//   1. find the definitions each element makes and the mentions of variables (LocalWrites.h);
//   2. split a struct with few fields into one cell for each of them; a whole write makes a value for each
//   cell;
//   3. place phis on the iterated dominance frontier of a cell's definitions, for cells that some block reads
//      before it writes them (the others never need one);
//   4. walk the dominator tree, remembering what each cell holds.
#include "source/ReachingDefinitions.h"

#include "graph/Dominance.h"
#include "source/LocalWrites.h"

#include <algorithm>
#include <unordered_set>

using namespace clang;

namespace heddle::source {

/// Structs with more fields than this are followed as a whole: generated code has structs of hundreds.
static constexpr unsigned mostFieldsFollowed = 16;

ReachingDefinitions::ReachingDefinitions() = default;
ReachingDefinitions::~ReachingDefinitions() = default;

class ReachingDefinitionsBuilder {
public:
  explicit ReachingDefinitionsBuilder(ReachingDefinitions &result) : facts(result), graph(*result.flow) {}

  void run() {
    collect();
    makeCells();
    placePhis();
    rename();
  }

private:
  using ValueId = ReachingDefinitions::ValueId;
  using Value = ReachingDefinitions::Value;

  struct Cells {
    unsigned first = 0;
    std::vector<const FieldDecl *> fields; ///< empty: one cell for the whole variable
    unsigned count() const { return fields.empty() ? 1 : unsigned(fields.size()); }
  };
  /// Something at a place of a block: a mention of a variable, or the definitions an element makes.
  struct Event {
    unsigned position = 0;
    const DeclRefExpr *mention = nullptr;
    unsigned definition = 0;
  };

  void collect() {
    for (const ParmVarDecl *parameter : graph.function()->parameters())
      if (isThreadLocal(parameter)) {
        Definition entry;
        entry.kind = Definition::Kind::Entry;
        entry.variable = parameter;
        addDefinition(entry, {graph.entry(), 0});
      }
    events.resize(graph.size());
    std::vector<Definition> made;
    for (unsigned block : graph.reversePostorder()) {
      const auto &elements = graph.elements(block);
      for (unsigned i = 0; i < elements.size(); ++i) {
        if (auto *reference = dyn_cast<DeclRefExpr>(elements[i]))
          addMention(reference, {block, i});
        made.clear();
        appendDefinitions(elements[i], made);
        for (const Definition &definition : made)
          addDefinition(definition, {block, i});
      }
    }
  }

  void addDefinition(const Definition &definition, FlowGraph::Point at) {
    track(definition.variable);
    unsigned index = unsigned(facts.definitionList.size());
    facts.definitionList.push_back(definition);
    definitionPoints.push_back(at);
    facts.definitionsByVariable[definition.variable].push_back(index);
    if (definition.kind != Definition::Kind::Entry)
      events[at.block].push_back({at.position, nullptr, index});
  }

  void addMention(const DeclRefExpr *reference, FlowGraph::Point at) {
    std::optional<LocalPlace> place = localPlace(reference);
    if (!place)
      return;
    track(place->variable);
    facts.references[place->variable].push_back(reference);
    Mention mention = mentionOf(reference, [&](const Stmt *s) { return graph.parent(s); });
    if (mention == Mention::Escapes)
      facts.escapes[place->variable] = true;
    if (mention == Mention::Written)
      facts.onlyWritten[reference] = true;
    events[at.block].push_back({at.position, reference, 0});
  }

  void track(const VarDecl *variable) {
    if (known.insert(variable).second)
      facts.tracked.push_back(variable);
  }

  static std::vector<const FieldDecl *> fieldsFollowed(const VarDecl *variable) {
    std::vector<const FieldDecl *> fields;
    const auto *record = variable->getType()->getAsCXXRecordDecl();
    if (!record || record->isUnion() || record->isLambda() || !record->hasDefinition() ||
        record->getNumBases())
      return {};
    for (const FieldDecl *field : record->fields()) {
      if (field->isAnonymousStructOrUnion() || field->isBitField() || fields.size() == mostFieldsFollowed)
        return {};
      fields.push_back(field);
    }
    return fields;
  }

  void makeCells() {
    for (const VarDecl *variable : facts.tracked) {
      if (facts.addressEscapes(variable))
        continue;
      Cells made{unsigned(cellOwner.size()), fieldsFollowed(variable)};
      for (unsigned i = 0; i < made.count(); ++i)
        cellOwner.push_back({variable, made.fields.empty() ? nullptr : made.fields[i]});
      cells.emplace(variable, std::move(made));
    }
  }

  /// The cells a path through `field` touches, as a range; all of them where the field is not one of its own.
  std::pair<unsigned, unsigned> cellRange(const Cells &of, const FieldDecl *field) const {
    auto found = std::find(of.fields.begin(), of.fields.end(), field);
    if (!field || found == of.fields.end())
      return {of.first, of.first + of.count()};
    unsigned cell = of.first + unsigned(found - of.fields.begin());
    return {cell, cell + 1};
  }

  const FieldDecl *fieldMentioned(const DeclRefExpr *reference) const {
    const Stmt *up = graph.parent(reference);
    while (up && isa<ParenExpr>(up))
      up = graph.parent(up);
    auto *member = dyn_cast_or_null<MemberExpr>(up);
    return member && !member->isArrow() ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  }

  const Cells *cellsOf(const VarDecl *variable) const {
    auto found = cells.find(variable);
    return found == cells.end() ? nullptr : &found->second;
  }

  const Cells *cellsMentioned(const DeclRefExpr *reference, std::pair<unsigned, unsigned> &range) const {
    std::optional<LocalPlace> place = localPlace(reference);
    const Cells *of = place ? cellsOf(place->variable) : nullptr;
    if (of)
      range = cellRange(*of, fieldMentioned(reference));
    return of;
  }

  /// A field that is none of the variable's own cells is written as 'some part of it'.
  bool keepsOld(const Definition &definition, const Cells &of) const {
    bool isOwnCell = !definition.field || llvm::is_contained(of.fields, definition.field);
    return definition.mayKeepOld || !isOwnCell;
  }

  void placePhis() {
    std::vector<std::vector<unsigned>> definedIn(cellOwner.size());
    std::vector<bool> readAcross(cellOwner.size());
    std::vector<unsigned> writtenInBlock(cellOwner.size(), graph::Dominance::none);
    for (const Definition &entry : facts.definitionList)
      if (entry.kind == Definition::Kind::Entry)
        if (const Cells *of = cellsOf(entry.variable))
          for (unsigned cell = of->first; cell < of->first + of->count(); ++cell)
            definedIn[cell].push_back(graph.entry());
    for (unsigned block : graph.reversePostorder())
      for (const Event &event : events[block]) {
        std::pair<unsigned, unsigned> range;
        if (event.mention) {
          if (!cellsMentioned(event.mention, range))
            continue;
          for (unsigned cell = range.first; cell < range.second; ++cell)
            if (writtenInBlock[cell] != block)
              readAcross[cell] = true;
          continue;
        }
        const Definition &definition = facts.definitionList[event.definition];
        const Cells *of = cellsOf(definition.variable);
        if (!of)
          continue;
        range = cellRange(*of, definition.field);
        for (unsigned cell = range.first; cell < range.second; ++cell) {
          if (keepsOld(definition, *of) && writtenInBlock[cell] != block)
            readAcross[cell] = true;
          writtenInBlock[cell] = block;
          if (definedIn[cell].empty() || definedIn[cell].back() != block)
            definedIn[cell].push_back(block);
        }
      }
    phisOf.resize(graph.size());
    for (unsigned cell = 0; cell < cellOwner.size(); ++cell)
      if (readAcross[cell])
        placePhisOf(cell, definedIn[cell]);
  }

  void placePhisOf(unsigned cell, std::vector<unsigned> pending) {
    while (!pending.empty()) {
      unsigned block = pending.back();
      pending.pop_back();
      for (unsigned join : dominance().frontier(block)) {
        auto &phis = phisOf[join];
        if (!phis.empty() && phis.back().first == cell)
          continue; // cells come in order, so this cell's phi would be the last one
        Value phi;
        phi.kind = Value::Kind::Phi;
        std::tie(phi.variable, phi.field) = cellOwner[cell];
        phi.at = {join, 0};
        phi.operands.assign(graph.predecessors(join).size(), ReachingDefinitions::none);
        phis.push_back({cell, unsigned(facts.valueList.size())});
        facts.valueList.push_back(std::move(phi));
        pending.push_back(join);
      }
    }
  }

  const graph::Dominance &dominance() {
    if (!dominators) {
      graph::Adjacency successors(graph.size()), predecessors(graph.size());
      for (unsigned block : graph.reversePostorder()) {
        successors[block] = graph.successors(block);
        predecessors[block] = graph.predecessors(block);
      }
      dominators.emplace(successors, predecessors, graph.entry());
    }
    return *dominators;
  }

  /// Walks the dominator tree. `undo` holds what cells held before, so that leaving a block restores it
  /// without a stack for each cell.
  void rename() {
    current.assign(cellOwner.size(), ReachingDefinitions::none);
    facts.valuesOfDefinition.resize(facts.definitionList.size());
    for (unsigned i = 0; i < facts.definitionList.size(); ++i)
      if (facts.definitionList[i].kind == Definition::Kind::Entry)
        define(i);
    struct Frame {
      unsigned block;
      size_t undoMark;
      size_t nextChild = 0;
    };
    std::vector<Frame> path = {{graph.entry(), undo.size()}};
    renameBlock(graph.entry());
    while (!path.empty()) {
      const auto &children = dominance().children(path.back().block);
      if (path.back().nextChild < children.size()) {
        unsigned child = children[path.back().nextChild++];
        path.push_back({child, undo.size()});
        renameBlock(child);
        continue;
      }
      for (; undo.size() > path.back().undoMark; undo.pop_back())
        current[undo.back().first] = undo.back().second;
      path.pop_back();
    }
  }

  void renameBlock(unsigned block) {
    for (auto [cell, phi] : phisOf[block])
      set(cell, phi);
    for (const Event &event : events[block])
      if (event.mention)
        use(event.mention);
      else
        define(event.definition);
    for (unsigned next : graph.successors(block)) {
      const auto &predecessors = graph.predecessors(next);
      size_t edge = size_t(std::find(predecessors.begin(), predecessors.end(), block) - predecessors.begin());
      for (auto [cell, phi] : phisOf[next])
        facts.valueList[phi].operands[edge] = current[cell];
    }
  }

  void set(unsigned cell, ValueId value) {
    undo.push_back({cell, current[cell]});
    current[cell] = value;
  }

  void use(const DeclRefExpr *reference) {
    std::pair<unsigned, unsigned> range;
    if (!cellsMentioned(reference, range))
      return;
    std::vector<ValueId> &read = facts.usesToValues[reference];
    for (unsigned cell = range.first; cell < range.second; ++cell)
      if (current[cell] != ReachingDefinitions::none)
        read.push_back(current[cell]);
  }

  void define(unsigned index) {
    const Definition &definition = facts.definitionList[index];
    const Cells *of = cellsOf(definition.variable);
    if (!of)
      return;
    auto [first, last] = cellRange(*of, definition.field);
    for (unsigned cell = first; cell < last; ++cell) {
      Value value;
      value.kind = Value::Kind::Definition;
      std::tie(value.variable, value.field) = cellOwner[cell];
      value.definition = index;
      value.at = definitionPoints[index];
      if (keepsOld(definition, *of))
        value.previous = current[cell];
      facts.valuesOfDefinition[index].push_back(unsigned(facts.valueList.size()));
      set(cell, unsigned(facts.valueList.size()));
      facts.valueList.push_back(std::move(value));
    }
  }

  ReachingDefinitions &facts;
  const FlowGraph &graph;
  std::unordered_set<const VarDecl *> known;
  std::vector<FlowGraph::Point> definitionPoints;
  std::vector<std::vector<Event>> events;
  std::unordered_map<const VarDecl *, Cells> cells;
  std::vector<std::pair<const VarDecl *, const FieldDecl *>> cellOwner;
  std::vector<std::vector<std::pair<unsigned, ValueId>>> phisOf;
  std::optional<graph::Dominance> dominators;
  std::vector<ValueId> current;
  std::vector<std::pair<unsigned, ValueId>> undo;
};

std::unique_ptr<ReachingDefinitions> ReachingDefinitions::of(const FunctionDecl *function) {
  std::unique_ptr<ReachingDefinitions> facts(new ReachingDefinitions);
  facts->flow = FlowGraph::build(function);
  if (!facts->flow)
    return nullptr;
  withDeepStack([&] { ReachingDefinitionsBuilder(*facts).run(); });
  return facts;
}

bool ReachingDefinitions::isTracked(const ValueDecl *declaration) const { return isThreadLocal(declaration); }

bool ReachingDefinitions::addressEscapes(const VarDecl *variable) const { return escapes.contains(variable); }

bool ReachingDefinitions::isRead(const DeclRefExpr *reference) const {
  return !onlyWritten.contains(reference);
}

template <typename Map, typename Key>
static const typename Map::mapped_type &orEmpty(const Map &map, Key key) {
  static const typename Map::mapped_type empty;
  auto found = map.find(key);
  return found == map.end() ? empty : found->second;
}

std::vector<const Definition *> ReachingDefinitions::definitionsOf(const VarDecl *variable) const {
  std::vector<const Definition *> result;
  for (unsigned index : orEmpty(definitionsByVariable, variable))
    result.push_back(&definitionList[index]);
  return result;
}

std::vector<const DeclRefExpr *> ReachingDefinitions::referencesTo(const VarDecl *variable) const {
  return orEmpty(references, variable);
}

const std::vector<ReachingDefinitions::ValueId> &ReachingDefinitions::valuesAt(const DeclRefExpr *use) const {
  return orEmpty(usesToValues, use);
}

const std::vector<ReachingDefinitions::ValueId> &
ReachingDefinitions::valuesOf(const Definition &definition) const {
  return valuesOfDefinition[size_t(&definition - definitionList.data())];
}

bool ReachingDefinitions::isNeverReassigned(const VarDecl *variable) const {
  return orEmpty(definitionsByVariable, variable).size() == 1 && !addressEscapes(variable);
}

std::vector<const Definition *> ReachingDefinitions::reaching(const DeclRefExpr *use) const {
  if (auto *variable = dyn_cast<VarDecl>(use->getDecl()); variable && addressEscapes(variable))
    return definitionsOf(variable);
  std::vector<ValueId> pending = valuesAt(use);
  std::unordered_set<ValueId> seen(pending.begin(), pending.end());
  std::vector<unsigned> found;
  auto follow = [&](ValueId value) {
    if (value != none && seen.insert(value).second)
      pending.push_back(value);
  };
  while (!pending.empty()) {
    const Value &value = valueList[pending.back()];
    pending.pop_back();
    if (value.kind == Value::Kind::Definition) {
      found.push_back(value.definition);
      follow(value.previous);
    }
    for (ValueId operand : value.operands)
      follow(operand);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<const Definition *> result;
  for (unsigned index : found)
    result.push_back(&definitionList[index]);
  return result;
}

const Definition *ReachingDefinitions::onlyReaching(const DeclRefExpr *use) const {
  if (auto *variable = dyn_cast<VarDecl>(use->getDecl()); variable && addressEscapes(variable))
    return nullptr;
  std::vector<const Definition *> all = reaching(use);
  return all.size() == 1 && !all[0]->mayKeepOld ? all[0] : nullptr;
}

} // namespace heddle::source

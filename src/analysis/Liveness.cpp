// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Liveness.h"

#include <clang/AST/Expr.h>

#include <map>
#include <unordered_set>

namespace heddle::analysis {

Liveness::Liveness(const source::ReachingDefinitions &theDefinitions)
    : definitions(theDefinitions), graph(theDefinitions.graph()) {
  std::map<const clang::VarDecl *, unsigned> number;
  for (const clang::VarDecl *variable : variables())
    number.emplace(variable, unsigned(number.size()));
  effects.resize(graph.size());
  for (unsigned block = 0; block < graph.size(); ++block) {
    effects[block].resize(graph.elements(block).size());
    for (unsigned i = 0; i < effects[block].size(); ++i)
      if (const auto *use = clang::dyn_cast<clang::DeclRefExpr>(graph.elements(block)[i])) {
        auto at = number.find(clang::dyn_cast<clang::VarDecl>(use->getDecl()));
        if (at != number.end() && definitions.isRead(use))
          effects[block][i].reads.push_back(at->second);
      }
  }
  for (const source::Definition &definition : definitions.definitions()) {
    auto at = number.find(definition.variable);
    if (at == number.end() || !definition.statement)
      continue;
    auto point = graph.find(definition.statement);
    // A write to a part, or one that may not happen, leaves the rest of the variable alive.
    if (point && !definition.mayKeepOld && !definition.field)
      effects[point->block][point->position].overwrites.push_back(at->second);
  }

  llvm::BitVector none(unsigned(variables().size()));
  atEnd.assign(graph.size(), none);
  std::vector<llvm::BitVector> atStart(graph.size(), none);
  const std::vector<unsigned> &order = graph.reversePostorder();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size(); i-- > 0;) {
      unsigned block = order[i];
      llvm::BitVector live = none;
      for (unsigned successor : graph.successors(block))
        live |= atStart[successor];
      atEnd[block] = live;
      for (unsigned position = unsigned(effects[block].size()); position-- > 0;)
        step(block, position, live);
      if (live != atStart[block]) {
        atStart[block] = live;
        changed = true;
      }
    }
  }
}

void Liveness::step(unsigned block, unsigned position, llvm::BitVector &live) const {
  const Effect &effect = effects[block][position];
  for (unsigned variable : effect.overwrites)
    live.reset(variable);
  for (unsigned variable : effect.reads)
    live.set(variable);
}

void Liveness::forEachWhole(const Visit &visit) const {
  for (unsigned block : graph.reversePostorder()) {
    const auto &elements = graph.elements(block);
    llvm::BitVector live = atEnd[block];
    for (unsigned position = unsigned(elements.size()); position-- > 0;) {
      // Parts come right before the whole: go back over all whose parent was met already.
      const clang::Stmt *whole = elements[position];
      std::unordered_set<const clang::Stmt *> met{whole};
      llvm::BitVector after = live;
      step(block, position, live);
      while (position > 0 && met.count(graph.parent(elements[position - 1]))) {
        met.insert(elements[--position]);
        step(block, position, live);
      }
      visit(whole, live, after);
    }
  }
}

} // namespace heddle::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the number of a program promises. Chance alone leaves rare constructs out for thousands of programs, and then it goes unnoticed that they are no longer
// tried. So the program of seed n is written for the directive number n and has
// the feature number n, each modulo the length of its list: the lengths have no common divisor, and all pairs follow
// each other. The rest of the program is random.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {

const std::vector<Writer::Feature> &Writer::features() {
  // Statements of one thread, and those of a block: kernels of other shapes go without.
  static const std::vector<Feature> all = [] {
    std::vector<Feature> list = {
        {"", &Writer::severalDeclarators},
        {"", &Writer::enumInPlace},
        {"", &Writer::structInPlace},
        {"", &Writer::pointerToFunction},
        {"", &Writer::pointerToArray},
        {"", &Writer::localArray},
        {"", &Writer::reference},
        {"", &Writer::deduced},
        {"", &Writer::constMember},
        {"", &Writer::noDefault},
        {"", &Writer::localAlias},
        {"", &Writer::binding},
        {"volatile", &Writer::volatileLocal},
        {"effects", &Writer::objectWithEffects},
        {"effects", &Writer::objectWithEffects},
        {"", &Writer::lambda},
        {"", &Writer::rangeFor},
        {"", &Writer::virtualCall},
        {"", &Writer::placement},
        {"", &Writer::operatorObject},
        {"", &Writer::ownState},
        {"atomics", &Writer::atomic},
        {"registers", &Writer::assembly},
        {"registers", &Writer::registerRead},
        {"registers", &Writer::registerRead},
        {"registers", &Writer::registerRead},
        {"", &Writer::branch},
        {"", &Writer::branchWithInit},
        {"", &Writer::choice},
        {"", &Writer::loop},
        {"", &Writer::loop},
        {"", &Writer::whileLoop},
        {"shadows", &Writer::block},
        {"", nullptr, &Writer::exchangeByFunction},
        {"", nullptr, &Writer::exchangeByFunction},
        {"", nullptr, &Writer::onePublishes},
        {"", nullptr, &Writer::tree},
        {"", nullptr, &Writer::vote},
        {"", nullptr, &Writer::shuffle},
        {"", nullptr, nullptr, &Writer::blockLoop},
        {"", nullptr, nullptr, &Writer::blockLoop},
        {"", nullptr, nullptr, &Writer::blockLoop},
        {"", nullptr, nullptr, &Writer::blockLoop},
        {"", nullptr, nullptr, &Writer::blockWhile},
        {"", nullptr, nullptr, &Writer::blockBranch},
        {"", nullptr, nullptr, &Writer::blockBranch},
        {"", nullptr, nullptr, &Writer::blockSwitch},
        {"inline lambda", &Writer::plainDeclaration},
    };
    for (const ItemKind &kind : itemKinds())
      list.push_back({kind.construct});
    return list;
  }();
  return all;
}

/// What the directive is known to refuse: it is tried less often, so that more programs are changed.
bool Writer::isRefusedHere(const Feature &feature) const {
  static const std::set<std::string> always = {"virtual call", "function pointer", "registers"};
  // Directives on loops, branches and tiles do not follow hidden code that reaches memory.
  static const std::set<std::string> byLoops = {
      "destructor",        "destructor of a member", "copy constructor", "move constructor",
      "range-for",         "placement new",          "recursion",        "effects",
      "structured binding"};
  const bool isStatementRefused =
      feature.statement == &Writer::virtualCall || feature.statement == &Writer::pointerToFunction;
  const bool isForLoops =
      kernelShape == Shape::Loops || kernelShape == Shape::Tiles || std::string(meant->text) == "branchless";
  const bool isObject = feature.statement == &Writer::placement || feature.statement == &Writer::lambda ||
                        feature.statement == &Writer::rangeFor;
  return always.contains(feature.allows) || isStatementRefused ||
         (isForLoops && (byLoops.contains(feature.allows) || isObject));
}

std::optional<Node> Writer::featured(Scope &scope) {
  // 31 steps at a time: programs of neighbouring directives have features that have nothing in common.
  const Feature &feature = features()[program.seed * 31 % features().size()];
  if (isRefusedHere(feature) && chance(70))
    return std::nullopt;
  if (*feature.allows)
    palette[feature.allows] = true;
  if (feature.statement)
    return (this->*feature.statement)(scope);
  if (feature.blockStatement || feature.blockNest) {
    if (!isForBlock())
      return std::nullopt;
    return feature.blockNest ? (this->*feature.blockNest)(scope, 1) : (this->*feature.blockStatement)(scope);
  }
  for (const ItemKind &kind : itemKinds())
    if (feature.allows == std::string(kind.construct))
      return node(Sort::Statement, fmt::format("own[{}] ^= @0;\n", pick(16)), {viaItem(kind, scope, 2)});
  return std::nullopt;
}

} // namespace heddle::generator

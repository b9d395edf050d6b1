// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over a thread's own elements, for the directives on loops. `own` and `other` have 16 elements each and
// may be the same ones.
#include "random/Writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::generator {
namespace {

/// Four iterations, 0 to 3, in one of the ways to write them.
const std::vector<std::string> heads = {
    "for (int {0} = 0; {0} < 4; ++{0})",  "for (unsigned {0} = 0; {0} < 4u; {0} += 1u)",
    "for (int {0} = 3; {0} >= 0; --{0})", "for (int {0} = 0; {0} != 4; {0}++)",
    "for (int {0} = 0; {0} <= 3; ++{0})", "for (int {0} = 0; {0} < 4; {0} += 1)",
    "for (int {0} = 0; {0} <= 3; {0}++)", "for (int {0} = 0; {0} < int({1} & 3u); ++{0})"};

} // namespace

/// An index below 16, in most cases affine.
std::string Writer::element(const std::vector<std::string> &counters) {
  const std::string i = one(counters), j = one(counters);
  // Each iteration its own element: what directives on loops can be carried out with.
  if (chance(88))
    return counters.size() == 1 ? counters[0] : fmt::format("{} * 4 + {}", counters[0], counters[1]);
  switch (pick(6)) {
  case 0: return fmt::format("{} * 4 + {}", i, j);
  case 1: return fmt::format("{} + {}", i, pick(12));
  case 2: return fmt::format("({} * 3 + {} + {}) & 15", i, j, pick(5));
  case 3: return fmt::format("{} + {}", i, j);
  case 4: return std::to_string(pick(16));
  default: return fmt::format("15 - {} * 4 - {}", i, j);
  }
}

Node Writer::nestStatement(Scope &scope, const std::vector<std::string> &counters) {
  // A kernel for via=layout has no second array: one with an element for each thread is all that it touches.
  const std::string second = wantsLayout() ? "own" : "other";
  const std::string array = chance(60) ? "own" : second, from = chance(50) ? "own" : second;
  static const std::vector<std::string> ways = {"=", "+=", "^="};
  switch (pick(5)) {
  case 0: {
    const std::vector<Variable> some = settable(scope);
    if (!some.empty())
      return node(Sort::Statement, fmt::format("{} += @0;\n", one(some).text), {value(scope, 1)});
    [[fallthrough]];
  }
  case 1:
    return node(Sort::Statement, fmt::format("{}[{}] {} @0;\n", array, element(counters), one(ways)),
                {value(scope, 1)});
  case 2:
    return node(
        Sort::Statement,
        fmt::format("{}[{}] {} {}[{}] + @0;\n", array, element(counters), one(ways), from, element(counters)),
        {value(scope, 1)});
  case 3: {
    std::string name = newName(scope);
    // A name is declared from its own declaration on: a counter's would be read before it has a value.
    if (std::ranges::find(counters, name) != counters.end())
      name = fresh("v");
    Node start = value(scope, 1);
    declare(scope, name);
    return node(Sort::Statement,
                fmt::format("unsigned {0} = {1}[{2}] + @0;\n", name, from, element(counters)),
                {std::move(start)});
  }
  default: return chance(20) ? statement(scope) : chance(50) ? assignment(scope) : store(scope);
  }
}

Node Writer::nestForInterchange(Scope &scope) {
  Scope inner = scope;
  inner.nesting += 2;
  const std::string i = newName(inner, "i");
  std::string outer = fmt::format(fmt::runtime(one(heads)), i, "n");
  // The inner variable may hide what the outer head speaks of.
  std::string j = fresh("j");
  if (chance(20)) {
    j = "n";
    uses("hidden name");
  }
  const std::string within = fmt::format(fmt::runtime(heads[pick(5)]), j);
  hide(inner, j);
  declareInHead(inner, i, "(0u + " + i + ")", false);
  declareInHead(inner, j, "(0u + " + j + ")", false);
  std::vector<Node> work;
  for (unsigned count = 1 + pick(2); count > 0; --count)
    work.push_back(nestStatement(inner, {i, j}));
  return node(Sort::Statement, pragma("interchange") + outer + "\n" + within + " {\n@0}\n",
              {list(std::move(work))});
}

Node Writer::nestForUnrollJam(Scope &scope) {
  Scope inner = scope;
  inner.nesting += 1;
  const std::string i = newName(inner, "i"), j = fresh("j");
  const std::string outer = fmt::format(fmt::runtime(one(heads)), i, "n"),
                    within = fmt::format(fmt::runtime(heads[pick(5)]), j);
  declareInHead(inner, i, "(0u + " + i + ")", false);
  std::vector<Node> before, work, after;
  ++inner.nesting;
  for (unsigned count = pick(2); count > 0; --count)
    before.push_back(nestStatement(inner, {i}));
  Scope innermost = inner;
  ++innermost.nesting;
  declareInHead(innermost, j, "(0u + " + j + ")", false);
  for (unsigned count = 1 + pick(2); count > 0; --count)
    work.push_back(nestStatement(innermost, {i, j}));
  for (unsigned count = pick(2); count > 0; --count)
    after.push_back(nestStatement(inner, {i}));
  return node(Sort::Statement,
              pragma(fmt::format("unroll-jam factor={}", 2 + pick(3))) + outer + " {\n@0" + within +
                  " {\n@1}\n@2}\n",
              {list(std::move(before)), list(std::move(work)), list(std::move(after))});
}

Node Writer::loopsForFuse(Scope &scope) {
  const std::string &head = one(heads);
  const auto loopOf = [&](const std::string &i) {
    Scope inner = scope;
    inner.nesting += 1;
    hide(inner, i);
    declareInHead(inner, i, "(0u + " + i + ")", false);
    ++inner.nesting;
    std::vector<Node> work;
    for (unsigned count = 1 + pick(3); count > 0; --count)
      work.push_back(nestStatement(inner, {i}));
    return node(Sort::Fixed, fmt::format(fmt::runtime(head), i, "n") + " {\n@0}\n", {list(std::move(work))});
  };
  const std::string i = fresh("i"), j = chance(50) ? i : fresh("j");
  Node first = loopOf(i), second = loopOf(j);
  return node(Sort::Statement, pragma("fuse") + "@0@1", {std::move(first), std::move(second)});
}

Node Writer::loopForDistribute(Scope &scope) {
  Scope inner = scope;
  ++inner.nesting;
  const std::string i = newName(inner, "i");
  declareInHead(inner, i, "(0u + " + i + ")", false);
  ++inner.nesting;
  std::vector<Node> work;
  for (unsigned count = 2 + pick(3); count > 0; --count)
    work.push_back(nestStatement(inner, {i}));
  return node(Sort::Statement,
              pragma("distribute") + fmt::format(fmt::runtime(one(heads)), i, "n") + " {\n@0}\n",
              {list(std::move(work))});
}

Node Writer::loopNest(Scope &scope) {
  static const std::vector<std::pair<std::string, Statement>> ways = {
      {"interchange", &Writer::nestForInterchange},
      {"unroll-jam", &Writer::nestForUnrollJam},
      {"fuse", &Writer::loopsForFuse},
      {"distribute", &Writer::loopForDistribute}};
  for (const auto &[name, write] : ways)
    if (std::string(meant->text).starts_with(name) && chance(85))
      return (this->*write)(scope);
  return (this->*one(ways).second)(scope);
}

} // namespace heddle::generator

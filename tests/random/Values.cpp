// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {
namespace {

Node wrapped(const Scope &scope, std::string form, std::vector<Node> children) {
  return node(scope.isUniform ? Sort::Uniform : Sort::Value, std::move(form), std::move(children));
}

} // namespace

bool Writer::allows(const std::string &construct) {
  // What most directives refuse, and rightly.
  static const std::map<std::string, unsigned> rare = {
      {"registers", 1},     {"inline lambda", 4},   {"lambda with captures", 4},
      {"recursion", 4},     {"virtual call", 1},    {"function pointer", 1},
      {"placement new", 6}, {"warp functions", 15}, {"branchless", 12},
      {"objects3", 1},      {"objects4", 6},        {"votes", 20},
      {"shadows", 40},      {"effects", 20},        {"declarations7", 1},
      {"objects2", 6},      {"atomics", 25},        {"volatile", 4}};
  auto [found, isNew] = palette.try_emplace(construct, false);
  if (isNew) {
    auto percent = rare.find(construct);
    const unsigned usual = percent == rare.end() ? 10 : percent->second;
    found->second = chance(isPlain ? usual / 4 : usual);
  }
  return found->second;
}

/// Which thread this is, in one of the ways to ask for it.
Node Writer::threadLeaf() {
  switch (allows("registers") ? pick(14) : 5 + pick(9)) {
  case 0: uses("asm %tid"); return node(Sort::Value, item("asm %tid", false) + "()");
  case 1: uses("asm %laneid"); return node(Sort::Value, item("asm %laneid", false) + "()");
  case 2: return node(Sort::Value, item("builtin register", false) + "()");
  case 3:
  case 4: return node(Sort::Value, item("asm %clock", false) + "()");
  case 5: return node(Sort::Value, chance(50) ? "(threadIdx.x >> 1)" : "(threadIdx.x & 7u)");
  case 6: return node(Sort::Value, shape[2] > 1 ? "threadIdx.z" : "(blockIdx.x + threadIdx.x)");
  case 7:
  case 8: return node(Sort::Value, shape[1] > 1 ? "(threadIdx.y * 3u)" : "threadIdx.x");
  default: return node(Sort::Value, "threadIdx.x");
  }
}

Node Writer::leaf(const Scope &scope) {
  std::vector<std::string> texts;
  for (const Variable &variable : scope.variables)
    if (variable.isUniform || !scope.isUniform)
      texts.push_back(variable.text);
  if (!texts.empty() && chance(70))
    return wrapped(scope, one(texts), {});
  if (!scope.isUniform && chance(40))
    return threadLeaf();
  // Directives that move work between blocks refuse hidden code that asks for the block.
  if (chance(20) && (itemDepth == 0 || hidesThread))
    return wrapped(scope, "blockIdx.x", {});
  return wrapped(scope, std::to_string(1 + pick(40)) + "u", {});
}

/// Code that is run without being called in so many words.
Node Writer::viaFunction(const Scope &scope, int depth) {
  std::vector<ItemKind> kinds;
  for (const ItemKind &each : itemKinds())
    if (allows(each.construct) && (passesIndexOn() || !each.asksForThread))
      kinds.push_back(each);
  return viaItem(kinds.empty() ? itemKinds().back() : one(kinds), scope, depth);
}

Node Writer::viaItem(const ItemKind &kind, const Scope &scope, int depth) {
  const bool isPure = scope.isUniform || (kind.isFunction ? pureFunction() : pure());
  const std::string name = item(kind, isPure);
  std::string form;
  for (const char *c = kind.use; *c; ++c)
    form += *c == '#' ? name : std::string(1, *c);
  std::vector<Node> arguments;
  arguments.push_back(value(scope, depth - 1));
  if (form.find("@1") != std::string::npos)
    arguments.push_back(value(scope, depth - 1));
  if (form.find("@0") == std::string::npos)
    arguments.clear();
  uses(kind.construct);
  return wrapped(scope, form, std::move(arguments));
}

/// Halves of small numbers are exact, whether or not a multiplication is fused with an addition.
Node Writer::floating(const Scope &scope, int depth) {
  uses("floating point");
  const bool isDouble = chance(30);
  return wrapped(scope,
                 isDouble ? "unsigned(double(@0 & 255u) * 0.5 + 2.0)"
                          : "unsigned(float(@0 & 255u) * 0.5f + float(@1 & 15u))",
                 isDouble ? std::vector<Node>{value(scope, depth - 1)}
                          : std::vector<Node>{value(scope, depth - 1), value(scope, depth - 1)});
}

Node Writer::inlineLambda(const Scope &scope, int depth) {
  uses("lambda with a default argument");
  const std::string a = fresh("a"), b = fresh("b");
  Node standard = scope.isUniform ? node(Sort::Uniform, "3u") : threadLeaf();
  const char *capture = scope.isKernel || itemDepth > 0 ? (chance(50) ? "[&]" : "[=]") : "[]";
  return wrapped(
      scope,
      fmt::format("({0}(unsigned {1}, unsigned {2} = @1) {{ return {1} * 3u ^ {2}; }}(@0))", capture, a, b),
      {value(scope, depth - 1), std::move(standard)});
}

Node Writer::value(const Scope &scope, int depth) {
  if (depth <= 0 || chance(20))
    return leaf(scope);
  const auto two = [&](const char *form) {
    return wrapped(scope, form, {value(scope, depth - 1), value(scope, depth - 1)});
  };
  switch (pick(16)) {
  case 0:
  case 1: return two("(@0 + @1)");
  case 2: return two("(@0 * @1)");
  case 3: return two("(@0 ^ @1 >> 2)");
  case 4: return two("(@0 - @1)");
  case 5: return two("(@0 > @1 ? @0 : @1 + 7u)");
  case 6:
  case 7:
    if (scope.isKernel)
      return wrapped(scope, "in[(@0) & 1023u]", {value(scope, depth - 1)});
    return two("(@0 | @1)");
  case 8:
    if (!scope.readable.empty() && !scope.isUniform)
      return wrapped(scope, fmt::format("{}[(@0) % {}u]", scope.readable, threads()),
                     {value(scope, depth - 1)});
    return two("(@0 & @1)");
  case 9: return floating(scope, depth);
  case 10: return allows("inline lambda") ? inlineLambda(scope, depth) : two("(@0 ^ @1 * 3u)");
  case 11: return two("(@0 + @1 * 3u)");
  case 12: return wrapped(scope, "(@0 >> 1)", {value(scope, depth - 1)});
  default: return viaFunction(scope, depth);
  }
}

Node Writer::uniform(const Scope &scope, int depth) {
  Scope same = scope;
  same.isUniform = true;
  return value(same, chance(60) ? 0 : depth);
}

} // namespace heddle::generator

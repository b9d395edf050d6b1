// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::generator {

std::string Writer::newName(Scope &scope, const std::string &letter) {
  std::vector<std::string> outer;
  for (const Variable &variable : scope.variables)
    if (variable.name != "t" && variable.name != "g" && variable.name != "N" &&
        variable.name.find('.') == std::string::npos)
      outer.push_back(variable.name);
  std::string name = fresh(letter);
  if (scope.nesting > 0 && !outer.empty() && allows("shadows") && chance(25)) {
    const std::string other = one(outer);
    // In one block a name can be declared once only: all that this block declared carry its number.
    bool isFree = true;
    for (const Variable &variable : scope.variables)
      isFree &= variable.name != other || variable.depth < scope.nesting;
    if (isFree) {
      uses("hidden name");
      name = other;
    }
  }
  hide(scope, name);
  return name;
}

void Writer::hide(Scope &scope, const std::string &name) {
  std::erase_if(scope.variables, [&](const Variable &variable) { return variable.name == name; });
}

void Writer::declare(Scope &scope, const std::string &name, std::string text, bool isSettable,
                     bool isUniform) {
  Variable variable{name, text.empty() ? name : std::move(text), isUniform, isSettable};
  variable.depth = scope.nesting;
  scope.variables.push_back(variable);
}

void Writer::declareInHead(Scope &scope, const std::string &name, std::string text, bool isSettable,
                           bool isUniform) {
  declare(scope, name, std::move(text), isSettable, isUniform);
  ++scope.variables.back().depth;
}

std::vector<Variable> Writer::settable(const Scope &scope) const {
  std::vector<Variable> some;
  for (const Variable &variable : scope.variables)
    if (variable.isSettable && !variable.isUniform)
      some.push_back(variable);
  return some;
}

void Writer::statements(Scope &scope, unsigned most, std::vector<Node> &to) {
  for (unsigned count = 1 + pick(most); count > 0; --count)
    to.push_back(statement(scope));
}

Node Writer::statements(Scope scope, unsigned most) {
  ++scope.nesting;
  std::vector<Node> some;
  statements(scope, most, some);
  return list(std::move(some));
}

Node Writer::statement(Scope &scope) {
  static const std::vector<Statement> leaves = {
      &Writer::declaration, &Writer::declaration, &Writer::object,      &Writer::object,
      &Writer::assignment,  &Writer::assignment,  &Writer::store,       &Writer::store,
      &Writer::atomic,      &Writer::assembly,    &Writer::shortBranch, &Writer::shortBranch,
  };
  static const std::vector<Statement> nests = {&Writer::branch, &Writer::branch,    &Writer::branchWithInit,
                                               &Writer::choice, &Writer::loop,      &Writer::loop,
                                               &Writer::block,  &Writer::whileLoop, &Writer::rangeFor};
  if (scope.nesting < 3 && chance(30))
    return (this->*oneAllowed(nests, "nests"))(scope);
  return (this->*oneAllowed(leaves, "leaves"))(scope);
}

Node Writer::assignment(Scope &scope) {
  const std::vector<Variable> some = settable(scope);
  if (some.empty())
    return store(scope);
  static const std::vector<std::string> ways = {"=", "+=", "^=", "-=", "*="};
  return node(Sort::Statement, fmt::format("{} {} @0;\n", one(some).text, one(ways)), {value(scope, 2)});
}

Node Writer::store(Scope &scope) {
  if (!scope.isKernel)
    return assignment(scope);
  const std::string slot = std::to_string(pick(16));
  if (isAliased && chance(50)) {
    uses("aliasing pointers");
    return node(Sort::Statement,
                fmt::format("other[{}] {} own[{}] + @0;\n", slot, chance(50) ? "=" : "+=", pick(16)),
                {value(scope, 1)});
  }
  if (chance(30))
    return node(Sort::Statement, fmt::format("out[g * 16u + {}u] {} @0;\n", slot, chance(50) ? "=" : "+="),
                {value(scope, 2)});
  return node(Sort::Statement, fmt::format("own[{}] {} @0;\n", slot, chance(50) ? "=" : "+="),
              {value(scope, 2)});
}

Node Writer::branch(Scope &scope) {
  static const std::vector<std::string> conditions = {"@0 & 1u", "@0 > 9u", "(@0 & 3u) == 2u"};
  if (chance(20)) {
    uses("operator as a condition");
    const std::string name = item("free operator", pure());
    return node(Sort::Statement, fmt::format("if ({0}{{@0}} < {0}{{@1}}) {{\n@2}}\n", name),
                {value(scope, 1), value(scope, 1), statements(scope, 3)});
  }
  if (chance(50))
    return node(Sort::Statement, "if (" + one(conditions) + ") {\n@1}\n",
                {value(scope, 1), statements(scope, 3)});
  return node(Sort::Statement, "if (" + one(conditions) + ") {\n@1} else {\n@2}\n",
              {value(scope, 1), statements(scope, 3), statements(scope, 2)});
}

Node Writer::branchWithInit(Scope &scope) {
  uses("declaration in the head of an if");
  Scope inner = scope;
  ++inner.nesting;
  if (chance(40)) {
    const std::string object = newName(inner, "o"), name = item("member operator", pure());
    Node start = value(inner, 1);
    declareInHead(inner, object, object + ".v", true);
    return node(Sort::Statement, fmt::format("if ({} {}{{@0}}) {{\n@1}}\n", name, object),
                {std::move(start), statements(inner, 2)});
  }
  const std::string name = newName(inner);
  Node start = value(inner, 1);
  declareInHead(inner, name, {}, true);
  return node(Sort::Statement, fmt::format("if (unsigned {0} = @0; {0} & 1u) {{\n@1}}\n", name),
              {std::move(start), statements(inner, 3)});
}

/// What `branchless` is for: both sides only compute.
Node Writer::shortBranch(Scope &scope) {
  const std::vector<Variable> some = settable(scope);
  if (some.empty())
    return store(scope);
  const std::string before = allows("branchless") ? pragma("branchless") : "";
  const std::string a = one(some).text, b = one(some).text;
  switch (pick(3)) {
  case 0:
    return node(Sort::Statement, before + fmt::format("if (@0 & 1u)\n{} += @1;\n", a),
                {value(scope, 1), value(scope, 1)});
  case 1:
    return node(Sort::Statement, before + fmt::format("if (@0 & 2u)\n{} = @1;\nelse\n{} = @2;\n", a, a),
                {value(scope, 1), value(scope, 1), value(scope, 1)});
  default:
    return node(Sort::Statement,
                before +
                    fmt::format("if (@0 > 5u) {{\n{} ^= @1;\n{} += 3u;\n}} else {{\n{} = @2;\n}}\n", a, b, b),
                {value(scope, 1), value(scope, 1), value(scope, 1)});
  }
}

Node Writer::choice(Scope &scope) {
  Scope inner = scope;
  ++inner.nesting;
  std::string head = "switch (@0 % 4u) {\n";
  if (chance(40)) {
    uses("declaration in the head of a switch");
    const std::string name = newName(inner);
    Node start = value(inner, 1);
    declare(inner, name);
    return node(
        Sort::Statement,
        fmt::format(
            "switch (unsigned {0} = @0; {0} % 3u) {{\ncase 0u: {{\n@1break;\n}}\ncase 1u: {{\n@2}}\ndefault: "
            "{{\n@3}}\n}}\n",
            name),
        {std::move(start), statements(inner, 2), statements(inner, 2), statements(inner, 1)});
  }
  return node(Sort::Statement,
              head + "case 0u: {\n@1break;\n}\ncase 1u: {\n@2break;\n}\ncase 3u: {\n@3}\n}\n",
              {value(scope, 1), statements(inner, 2), statements(inner, 2), statements(inner, 2)});
}

/// What `by=branch` is for: each kind of work has its own arm, and shows.
Node Writer::dispatch(Scope &scope) {
  Scope inner = scope;
  ++inner.nesting;
  std::vector<Node> children = {chance(60) ? node(Sort::Value, "in[g & 1023u]") : value(scope, 1)};
  std::string form =
      chance(50)
          ? "switch (@0 % 3u) {\ncase 0u: {\n@1own[5] += @2;\nbreak;\n}\ncase 1u: {\n@3own[6] ^= @4;\n"
            "break;\n}\ndefault: {\n@5own[5] = @6;\n}\n}\n"
          : "if ((@0 & 3u) == 0u) {\n@1own[5] += @2;\n} else if ((@0 & 3u) == 1u) {\n@3own[6] ^= @4;\n} "
            "else {\n@5own[5] = @6;\n}\n";
  for (int arm = 0; arm < 3; ++arm) {
    Scope within = inner;
    std::vector<Node> work;
    statements(within, 1, work);
    children.push_back(list(std::move(work)));
    children.push_back(value(within, 2));
  }
  return node(Sort::Statement, form, std::move(children));
}

Node Writer::loop(Scope &scope) {
  Scope inner = scope;
  ++inner.nesting;
  const std::string i = newName(inner, "i");
  if (chance(30)) {
    uses("several variables in the head of a for");
    const std::string j = fresh("j");
    Node bound = value(inner, 1), start = value(inner, 1);
    declareInHead(inner, i, {}, false);
    declareInHead(inner, j, {}, true);
    return node(
        Sort::Statement,
        fmt::format("for (unsigned {0} = 0, {1} = @1; {0} < (@0 & 3u); ++{0}, {1} += 2u) {{\n@2}}\n", i, j),
        {std::move(bound), std::move(start), statements(inner, 2)});
  }
  Node bound = value(inner, 1);
  declareInHead(inner, i, {}, false);
  std::string leave;
  if (chance(15))
    leave = fmt::format("if ({} == 2u)\n{};\n", i, chance(50) ? "break" : "continue");
  return node(Sort::Statement,
              fmt::format("for (unsigned {0} = 0; {0} < (@0 & 3u); ++{0}) {{\n{1}@1}}\n", i, leave),
              {std::move(bound), statements(inner, 3)});
}

Node Writer::whileLoop(Scope &scope) {
  uses("loop with a condition before or behind it");
  Scope inner = scope;
  ++inner.nesting;
  const std::string i = fresh("w");
  Node bound = value(inner, 1);
  Scope body = inner;
  declare(body, i, {}, false);
  const char *form = chance(50) ? "{{\nunsigned {0} = @0 & 3u;\nwhile ({0} > 0u) {{\n--{0};\n@1}}\n}}\n"
                                : "{{\nunsigned {0} = @0 & 1u;\ndo {{\n@1}} while ({0}-- > 0u);\n}}\n";
  return node(Sort::Statement, fmt::format(fmt::runtime(form), i), {std::move(bound), statements(body, 2)});
}

Node Writer::block(Scope &scope) { return node(Sort::Statement, "{\n@0}\n", {statements(scope, 3)}); }

/// Sums of integers come out the same in any order.
Node Writer::atomic(Scope &scope) {
  if (!scope.isKernel || !allows("atomics"))
    return assignment(scope);
  uses("atomic");
  return node(Sort::Statement, fmt::format("atomicAdd(&out[{}u + (@0 & 15u)], @1);\n", Program::outputs - 32),
              {value(scope, 1), value(scope, 1)});
}

/// Which thread this is, in words that are not CUDA's.
Node Writer::registerRead(Scope &) {
  static const std::vector<std::string> ways = {"asm %tid", "asm %laneid", "asm %clock", "builtin register"};
  const std::string way = one(ways);
  return node(Sort::Statement, fmt::format("own[{}] ^= {}();\n", pick(16), item(way, false)));
}

Node Writer::assembly(Scope &scope) {
  if (!allows("registers"))
    return declaration(scope);
  uses("asm in the kernel");
  const std::string name = newName(scope);
  declare(scope, name);
  static const std::vector<std::string> registers = {"tid.x", "laneid", "tid.x", "ctaid.x"};
  return node(Sort::Statement, fmt::format("unsigned {};\nasm{}(\"mov.u32 %0, %%{};\" : \"=r\"({}));\n", name,
                                           chance(50) ? " volatile" : "", one(registers), name));
}

} // namespace heddle::generator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of the kernel itself: with constructors and destructors that store, with operators, virtual
// functions, in memory of their own.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {

Node Writer::object(Scope &scope) {
  static const std::vector<Statement> ways = {
      &Writer::objectWithEffects, &Writer::objectWithEffects, &Writer::lambda,
      &Writer::virtualCall,       &Writer::placement,         &Writer::operatorObject,
      &Writer::ownState,          &Writer::noDefault,         &Writer::rangeFor};
  return (this->*oneAllowed(ways, "objects"))(scope);
}

/// A class that stores when it begins and when it ends.
std::string Writer::effectClass() {
  for (const Made &each : made)
    if (each.construct == "effects" && chance(60))
      return each.name;
  const std::string name = fresh("Effect");
  Node begin = body({"k"}, pure()), end = body({"k"}, pure());
  switch (pick(3)) {
  case 0:
    add(name,
        node(Sort::Item,
             fmt::format(
                 "struct {0} {{\nunsigned *p;\nunsigned k;\n__device__ {0}(unsigned *to, unsigned by) : "
                 "p(to), k(by) {{ *p += @0; }}\n__device__ ~{0}() {{ *p = *p * 3u + @1; }}\n}};\n",
                 name),
             {std::move(begin), std::move(end)}));
    break;
  case 1:
    add(name,
        node(Sort::Item,
             fmt::format(
                 "struct {0} {{\nunsigned *p;\nunsigned k;\n__device__ {0}(unsigned *to, unsigned by) : "
                 "p(to), k(by) {{}}\n__device__ ~{0}() {{ *p += @0 ^ @1; }}\n}};\n",
                 name),
             {std::move(begin), std::move(end)}));
    break;
  default:
    add(name,
        node(Sort::Item,
             fmt::format(
                 "struct {0} {{\nunsigned *p;\nunsigned k;\n__device__ {0}(unsigned *to, unsigned by) : "
                 "p(to), k(by) {{ *p = *p * 5u + @0 + @1; }}\n}};\n",
                 name),
             {std::move(begin), std::move(end)}));
  }
  made.push_back({"effects", name, false});
  return name;
}

Node Writer::objectWithEffects(Scope &scope) {
  if (!allows("effects"))
    return assignment(scope);
  uses("object with effects");
  const std::string type = effectClass(), name = fresh("o");
  std::string target;
  const std::vector<Variable> some = settable(scope);
  if (scope.isKernel && (some.empty() || chance(60)))
    target = fmt::format("own + {}", pick(16));
  else if (!some.empty())
    target = "&" + one(some).text;
  else
    return plainDeclaration(scope);
  Node by = value(scope, 1);
  declare(scope, name, name + ".k");
  return node(Sort::Statement, fmt::format("{} {}({}, @0);\n", type, name, target), {std::move(by)});
}

Node Writer::lambda(Scope &scope) {
  uses("lambda in the kernel");
  const std::string name = fresh("each"), b = fresh("b");
  Node call = value(scope, 1);
  Scope inner = scope;
  inner.isKernel = false;
  inner.readable.clear();
  // C++17 does not let lambdas capture structured bindings.
  const auto cannotCapture = [](const Variable &variable) {
    return variable.text.find('[') != std::string::npos || variable.name[0] == 'x' || variable.name[0] == 'y';
  };
  std::erase_if(inner.variables, cannotCapture);
  const std::vector<Variable> some = settable(inner);
  const bool isByReference = !some.empty() && chance(60);
  declare(inner, b, {}, false);
  Node work = value(inner, 1);
  if (isByReference) {
    const std::string set = one(some).text;
    return node(Sort::Statement,
                fmt::format("auto {0} = [&](unsigned {1}) {{ {2} += @0; }};\n{0}(@1);\n", name, b, set),
                {std::move(work), std::move(call)});
  }
  const std::string result = fresh("v");
  declare(scope, result);
  return node(Sort::Statement,
              fmt::format("const auto {0} = [=](unsigned {1}) {{ return @0; }};\nunsigned {2} = {0}(@1);\n",
                          name, b, result),
              {node(Sort::Value, "(0u + @0)", {std::move(work)}), std::move(call)});
}

Node Writer::rangeFor(Scope &scope) {
  uses("range-for in the kernel");
  const std::vector<Variable> some = settable(scope);
  if (some.empty())
    return plainDeclaration(scope);
  const std::string set = one(some).text;
  Scope inner = scope;
  ++inner.nesting;
  if (chance(50)) {
    const std::string range = item("range-for", pure()), each = fresh("q");
    Node count = value(scope, 1);
    declare(inner, each);
    Node work = value(inner, 1);
    return node(Sort::Statement,
                fmt::format("for (unsigned {} : {}Range{{@0 & 3u}})\n{} += @1;\n", each, range, set),
                {std::move(count), std::move(work)});
  }
  const std::string array = fresh("a"), each = fresh("q");
  Node a = value(scope, 1), b = value(scope, 1);
  declare(scope, array, array + "[1]");
  declare(inner, each);
  return node(
      Sort::Statement,
      fmt::format("unsigned {0}[3] = {{@0, @1, 5u}};\nfor (unsigned &{1} : {0})\n{1} += @2;\n", array, each),
      {std::move(a), std::move(b), value(inner, 1)});
}

Node Writer::virtualCall(Scope &scope) {
  uses("virtual call in the kernel");
  const std::string type = item("virtual call", pure()), more = fresh("more"), base = fresh("base");
  Node start = value(scope, 1);
  Node argument = value(scope, 1);
  const std::string result = fresh("v");
  declare(scope, more, more + ".v");
  declare(scope, base, base + ".get(5u)", false);
  declare(scope, result);
  return node(Sort::Statement,
              fmt::format("{0}More {1}(@0);\nconst {0}Base &{2} = {1};\nunsigned {3} = {2}.get(@1);\n", type,
                          more, base, result),
              {std::move(start), std::move(argument)});
}

Node Writer::placement(Scope &scope) {
  uses("placement new in the kernel");
  const std::string type = item("placement new", pure()), room = fresh("room"), pointer = fresh("p");
  Node start = value(scope, 1);
  declare(scope, pointer, pointer + "->v");
  return node(
      Sort::Statement,
      fmt::format("alignas(8) unsigned char {1}[sizeof({0}Made)];\n{0}Made *{2} = new ({1}) {0}Made(@0);\n",
                  type, room, pointer),
      {std::move(start)});
}

Node Writer::operatorObject(Scope &scope) {
  uses("operators in the kernel");
  const std::string type = item("member operator", pure()), name = newName(scope, "o");
  Node start = value(scope, 1), more = value(scope, 1);
  declare(scope, name, name + ".v");
  static const std::vector<std::string> ways = {"{0} += @1;\n", "++{0};\n{0} += @1;\n",
                                                "{0}.v ^= {0}[@1];\n"};
  return node(Sort::Statement,
              fmt::format("{} {}{{@0}};\n", type, name) + fmt::format(fmt::runtime(one(ways)), name),
              {std::move(start), std::move(more)});
}

/// A thread's own element of an array of the file, stored and read back later.
Node Writer::ownState(Scope &scope) {
  if (!scope.isKernel)
    return plainDeclaration(scope);
  uses("device memory in the kernel");
  const std::string name = fresh("state");
  add(name, node(Sort::Item, fmt::format("static __device__ unsigned {}[{}];\n", name, 8 * threads())));
  Node start = value(scope, 1);
  declare(scope, name, name + "[g]");
  return node(Sort::Statement, fmt::format("{}[g] = @0;\n", name), {std::move(start)});
}

} // namespace heddle::generator

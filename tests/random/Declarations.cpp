// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations that are more than a type and a name. Their variables live on across barriers, where a
// directive may have to make arrays of them.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {

Node Writer::declaration(Scope &scope) {
  static const std::vector<Statement> ways = {&Writer::plainDeclaration,   &Writer::plainDeclaration,
                                              &Writer::plainDeclaration,   &Writer::severalDeclarators,
                                              &Writer::severalDeclarators, &Writer::enumInPlace,
                                              &Writer::structInPlace,      &Writer::pointerToFunction,
                                              &Writer::pointerToArray,     &Writer::localArray,
                                              &Writer::reference,          &Writer::deduced,
                                              &Writer::constMember,        &Writer::noDefault,
                                              &Writer::localAlias,         &Writer::binding,
                                              &Writer::volatileLocal};
  return (this->*oneAllowed(ways, "declarations"))(scope);
}

Node Writer::plainDeclaration(Scope &scope) {
  const std::string name = newName(scope);
  const bool isConst = chance(30);
  Node start = value(scope, 2);
  declare(scope, name, {}, !isConst);
  return node(Sort::Statement, fmt::format("{}unsigned {} = @0;\n", isConst ? "const " : "", name),
              {std::move(start)});
}

Node Writer::severalDeclarators(Scope &scope) {
  uses("several declarators");
  const std::string a = newName(scope);
  Node first = value(scope, 1), second = uniform(scope, 1);
  const std::string b = fresh("c");
  declare(scope, a);
  switch (pick(3)) {
  case 0:
    declare(scope, b, {}, false, true);
    return node(
        Sort::Statement,
        fmt::format("const unsigned {1} = @1, *const {1}At = &{1};\nunsigned {0} = @0 + *{1}At;\n", a, b),
        {std::move(first), std::move(second)});
  case 1: // never set, so it stays what it is: the same for all threads
    declare(scope, b, {}, false, true);
    return node(Sort::Statement, fmt::format("unsigned {} = @0, {} = @1;\n", a, b),
                {std::move(first), std::move(second)});
  default: {
    const std::string c = fresh("p"), d = fresh("d");
    declare(scope, c, "*" + c);
    declare(scope, d, d + "[1]");
    return node(Sort::Statement,
                fmt::format("unsigned {0} = @0, *{1} = &{0}, {2}[2] = {{@1, {0}}};\n", a, c, d),
                {std::move(first), std::move(second)});
  }
  }
}

Node Writer::enumInPlace(Scope &scope) {
  uses("enum in its declaration");
  const std::string name = newName(scope, "e");
  Node start = value(scope, 1);
  declare(scope, name, "(0u + " + name + ")", false);
  const std::string A = fresh("A"), B = fresh("B");
  return node(Sort::Statement,
              fmt::format("enum {{ {0} = 4, {1} = 9 }} {2} = (@0 & 1u) ? {0} : {1};\n", A, B, name),
              {std::move(start)});
}

Node Writer::structInPlace(Scope &scope) {
  uses("struct in its declaration");
  const std::string name = newName(scope, "l");
  Node a = value(scope, 1), b = value(scope, 1);
  declare(scope, name, name + ".a");
  declare(scope, name, name + ".b");
  const std::string tag = chance(50) ? "" : fresh("Local") + " ";
  return node(Sort::Statement, fmt::format("struct {}{{\nunsigned a, b;\n}} {} = {{@0, @1}};\n", tag, name),
              {std::move(a), std::move(b)});
}

Node Writer::pointerToFunction(Scope &scope) {
  uses("function pointer in its declaration");
  const std::string name = newName(scope, "f");
  const std::string one = item("function", false), other = item("function", chance(50));
  Node which = value(scope, 1);
  const std::string result = fresh("v");
  declare(scope, name, name + "(3u)", false);
  declare(scope, result);
  return node(Sort::Statement,
              fmt::format("unsigned (*{0})(unsigned) = (@0 & 1u) ? {1} : {2};\nunsigned {3} = {0}(@1);\n",
                          name, one, other, result),
              {std::move(which), value(scope, 0)});
}

Node Writer::pointerToArray(Scope &scope) {
  uses("pointer to an array");
  const std::string array = newName(scope, "a"), pointer = fresh("p");
  Node a = value(scope, 1), b = value(scope, 1);
  declare(scope, array, array + "[0]");
  declare(scope, pointer, "(*" + pointer + ")[1]");
  return node(Sort::Statement,
              fmt::format("unsigned {0}[2] = {{@0, @1}};\nunsigned (*{1})[2] = &{0};\n", array, pointer),
              {std::move(a), std::move(b)});
}

Node Writer::localArray(Scope &scope) {
  uses("local array");
  const std::string name = newName(scope, "a");
  Node a = value(scope, 1), b = value(scope, 1);
  declare(scope, name, name + "[1]");
  declare(scope, name, name + "[2]");
  return node(Sort::Statement, fmt::format("unsigned {}[4] = {{@0, @1}};\n", name),
              {std::move(a), std::move(b)});
}

Node Writer::reference(Scope &scope) {
  const std::vector<Variable> some = settable(scope);
  if (some.empty())
    return plainDeclaration(scope);
  uses("reference");
  const std::string to = one(some).text, name = fresh("r");
  declare(scope, name);
  return node(Sort::Statement, fmt::format("{} &{} = {};\n", chance(50) ? "auto" : "unsigned", name, to));
}

Node Writer::deduced(Scope &scope) {
  uses("deduced type");
  const std::string name = newName(scope);
  Node start = value(scope, 1);
  declare(scope, name);
  return node(Sort::Statement, fmt::format("{} {} = 0u + @0;\n", chance(50) ? "auto" : "decltype(0u)", name),
              {std::move(start)});
}

Node Writer::constMember(Scope &scope) {
  uses("const member");
  const std::string type = fresh("Const"), name = newName(scope, "m");
  add(type, node(Sort::Item, fmt::format("struct {} {{\nconst unsigned a;\nunsigned b;\n}};\n", type)));
  Node a = value(scope, 1), b = value(scope, 1);
  declare(scope, name, name + ".a", false);
  declare(scope, name, name + ".b");
  return node(Sort::Statement, fmt::format("{} {}{{@0, @1}};\n", type, name), {std::move(a), std::move(b)});
}

Node Writer::noDefault(Scope &scope) {
  uses("no default constructor");
  const std::string name = newName(scope, "o"), type = item("constructor", pure());
  Node start = value(scope, 1);
  declare(scope, name, name + ".v");
  return node(Sort::Statement, fmt::format("{} {}(@0);\n", type, name), {std::move(start)});
}

Node Writer::localAlias(Scope &scope) {
  uses("local type alias");
  const std::string type = fresh("T"), name = newName(scope, "y");
  Node a = value(scope, 1);
  declare(scope, name, name + "[0]");
  return node(Sort::Statement,
              fmt::format("{}\n{} {} = {{@0, 3u}};\n",
                          chance(50) ? fmt::format("using {} = unsigned[2];", type)
                                     : fmt::format("typedef unsigned {}[2];", type),
                          type, name),
              {std::move(a)});
}

Node Writer::binding(Scope &scope) {
  uses("structured binding in the kernel");
  const std::string pair = item("structured binding", pureFunction()), x = fresh("x"), y = fresh("y");
  Node a = value(scope, 1);
  declare(scope, x);
  declare(scope, y);
  return node(Sort::Statement, fmt::format("auto [{}, {}] = {}Of(@0);\n", x, y, pair), {std::move(a)});
}

Node Writer::volatileLocal(Scope &scope) {
  if (!allows("volatile"))
    return plainDeclaration(scope);
  uses("volatile");
  const std::string name = newName(scope);
  Node start = value(scope, 1);
  declare(scope, name, {}, false);
  return node(Sort::Statement, fmt::format("volatile unsigned {} = @0;\n", name), {std::move(start)});
}

} // namespace heddle::generator

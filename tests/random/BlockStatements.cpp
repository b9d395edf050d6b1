// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a block do together. Each of these begins and ends with every thread at liberty to store
// to its own element of a shared array: they can follow each other, or be left out, in any order.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {

void Writer::blockStatements(Scope &scope, unsigned most, int depth, std::vector<Node> &to) {
  for (unsigned count = 1 + pick(most); count > 0; --count)
    to.push_back(blockStatement(scope, depth));
}

Node Writer::blockStatements(Scope scope, unsigned most, int depth) {
  ++scope.nesting;
  std::vector<Node> some;
  blockStatements(scope, most, depth, some);
  return list(std::move(some));
}

Node Writer::blockStatement(Scope &scope, int depth) {
  switch (pick(depth > 0 ? 20 : 12)) {
  case 0:
  case 1:
  case 2: return exchange(scope);
  case 3: return exchangeByFunction(scope);
  case 4: return onePublishes(scope);
  case 5: return allows("votes") ? vote(scope) : tree(scope);
  case 6: return allows("warp functions") ? shuffle(scope) : objectWithEffects(scope);
  case 7: return objectWithEffects(scope);
  case 8:
  case 9:
  case 10:
  case 11: return statement(scope);
  case 12: return blockScope(scope, depth - 1);
  case 13: return blockWhile(scope, depth - 1);
  case 14:
  case 15: return blockBranch(scope, depth - 1);
  case 16: return blockSwitch(scope, depth - 1);
  default: return blockLoop(scope, depth - 1);
  }
}

std::string Writer::barrier() {
  if (chance(88))
    return "__syncthreads();\n";
  uses("barrier in a function");
  for (const Made &each : made)
    if (each.construct == "barrier")
      return each.name + "();\n";
  const std::string name = fresh("meet");
  add(name, node(Sort::Item, fmt::format("static __device__ void {}() {{ __syncthreads(); }}\n", name)));
  made.push_back({"barrier", name, true});
  return name + "();\n";
}

Node Writer::exchange(Scope &scope) {
  const std::string array = one(sharedArrays);
  Node mine = value(scope, 2);
  std::vector<Node> reads;
  const std::string v = newName(scope);
  scope.readable = array;
  Node others = value(scope, 1);
  declare(scope, v);
  if (chance(50))
    statements(scope, 2, reads);
  scope.readable.clear();
  return node(Sort::Statement,
              fmt::format("{0}[t] = @0;\n{1}unsigned {2} = {0}[(t + {3}u) % {4}u] + @1;\n@2{5}", array,
                          barrier(), v, 1 + pick(threads() - 1), threads(), barrier()),
              {std::move(mine), std::move(others), list(std::move(reads))});
}

/// A function with barriers, whose parameters are of all sorts.
Node Writer::exchangeByFunction(Scope &scope) {
  uses("function with barriers");
  const std::string array = one(sharedArrays), name = fresh("swap"), v = newName(scope);
  const unsigned by = 1 + pick(threads() - 1);
  const std::string t = flatThread();
  const auto common = [&](const std::string &at) {
    return fmt::format(
        "{0}[{1}] = a + @0;\n__syncthreads();\nunsigned r = {0}[({1} + {2}u) % {3}u];\n__syncthreads();\n",
        at, t, by, threads());
  };
  std::string text, call;
  // A function that is called through a parameter is refused.
  switch (const unsigned way = pick(7); way == 3 && chance(70) ? 0 : way) {
  case 0:
    text = fmt::format("static __device__ unsigned {}(unsigned *s, unsigned a) {{\n{}return r;\n}}\n", name,
                       common("s"));
    call = fmt::format("{}({}, @0)", name, array);
    break;
  case 1:
    text = fmt::format("static __device__ unsigned {}(unsigned (&s)[{}], unsigned a) {{\n{}return r;\n}}\n",
                       name, threads(), common("s"));
    call = fmt::format("{}({}, @0)", name, array);
    break;
  case 2:
    text = fmt::format(
        "static __device__ unsigned {}(unsigned (*s)[{}], const unsigned &a) {{\n{}return r;\n}}\n", name,
        threads(), common("(*s)"));
    call = fmt::format("{}(&{}, @0)", name, array);
    break;
  case 3:
    text = fmt::format(
        "static __device__ unsigned {}(unsigned *s, unsigned (*f)(unsigned), unsigned b) {{\nunsigned a = "
        "f(b);\n{}return r;\n}}\n",
        name, common("s"));
    call = fmt::format("{}({}, {}, @0)", name, array, item("function", chance(30)));
    break;
  case 4:
    text = fmt::format(
        "template <class A> static __device__ unsigned {}(A &&a, unsigned *s) {{\n{}return r;\n}}\n", name,
        common("s"));
    call = fmt::format("{}(@0 + 0u, {})", name, array);
    break;
  case 5:
    text = fmt::format(
        "template <unsigned N> static __device__ unsigned {}(unsigned (&s)[N], unsigned a, unsigned k = 3u) "
        "{{\n{}return r * k;\n}}\n",
        name, common("s"));
    call = fmt::format("{}({}, @0)", name, array);
    break;
  default:
    text =
        fmt::format("static __device__ void {}(unsigned *s, unsigned a, unsigned &to) {{\n{}to += r;\n}}\n",
                    name, common("s"));
    Node start = value(scope, 1), argument = value(scope, 1);
    ++itemDepth;
    add(name, node(Sort::Item, text, {body({"a"}, chance(40))}));
    --itemDepth;
    declare(scope, v);
    return node(Sort::Statement, fmt::format("unsigned {} = @1;\n{}({}, @0, {});\n", v, name, array, v),
                {std::move(argument), std::move(start)});
  }
  Node argument = value(scope, 1);
  ++itemDepth;
  Node added = body({"a"}, chance(40));
  --itemDepth;
  add(name, node(Sort::Item, text, {std::move(added)}));
  const std::vector<Variable> some = settable(scope);
  if (!some.empty() && chance(30))
    return node(Sort::Statement, fmt::format("{} = {};\n", one(some).text, call), {std::move(argument)});
  declare(scope, v);
  return node(Sort::Statement, fmt::format("unsigned {} = {};\n", v, call), {std::move(argument)});
}

/// One thread passes something to the others, which is then the same for all.
Node Writer::onePublishes(Scope &scope) {
  uses("shared variable written and read");
  const std::string flag = fresh("flag"), v = fresh("u");
  Node what = value(scope, 1);
  declare(scope, v, {}, false, true);
  return node(
      Sort::Statement,
      fmt::format("__shared__ unsigned {0};\nif (t == {1}u)\n{0} = @0;\n{3}const unsigned {2} = {0};\n{4}",
                  flag, pick(threads()), v, barrier(), barrier()),
      {std::move(what)});
}

Node Writer::tree(Scope &scope) {
  if (threads() & (threads() - 1))
    return exchange(scope);
  uses("reduction tree");
  const std::string array = kernelShape == Shape::Tree ? "sums" : one(sharedArrays), half = fresh("half"),
                    v = newName(scope);
  Node mine = value(scope, 1);
  declare(scope, v);
  return node(
      Sort::Statement,
      fmt::format(
          "{0}[t] = @0;\n__syncthreads();\nfor (unsigned {1} = {2}u; {1} > 0u; {1} /= 2u) {{\nif (t < "
          "{1})\n{0}[t] += {0}[t + {1}];\n__syncthreads();\n}}\nunsigned {3} = {0}[0];\n__syncthreads();\n",
          array, half, threads() / 2, v),
      {std::move(mine)});
}

Node Writer::vote(Scope &scope) {
  uses("vote of the block");
  static const std::vector<std::string> ways = {"or", "and", "count"};
  const std::string v = fresh("u"), way = one(ways);
  Node what = value(scope, 1);
  declare(scope, v, {}, false, true);
  return node(Sort::Statement, fmt::format("const unsigned {} = __syncthreads_{}(@0 & 1u);\n", v, way),
              {std::move(what)});
}

Node Writer::shuffle(Scope &scope) {
  if (threads() % 32)
    return exchange(scope);
  uses("warp function");
  const std::string v = newName(scope);
  Node what = value(scope, 1);
  declare(scope, v);
  static const std::vector<std::string> ways = {
      "__shfl_xor_sync(0xffffffffu, @0, 1)", "__shfl_down_sync(0xffffffffu, @0, 2)",
      "__ballot_sync(0xffffffffu, @0 & 1u)", "__reduce_add_sync(0xffffffffu, @0)"};
  return node(Sort::Statement, fmt::format("unsigned {} = {};\n", v, one(ways)), {std::move(what)});
}

Node Writer::blockScope(Scope &scope, int depth) {
  return node(Sort::Statement, "{\n@0}\n", {blockStatements(scope, 3, depth)});
}

Node Writer::blockLoop(Scope &scope, int depth) {
  Scope inner = scope;
  ++inner.nesting;
  const std::string i = newName(inner, "i"), j = fresh("j");
  Node bound = uniform(inner, 1), start = value(inner, 1);
  std::string head;
  switch (pick(6)) {
  case 0:
    uses("declaration around a barrier: for");
    head = "for (unsigned {0} = 0, {1} = @1; {0} < @0 % 3u + 1u; ++{0}, {1} += 3u)";
    declareInHead(inner, j, {}, true);
    break;
  case 1: {
    uses("declaration around a barrier: struct in a for");
    head = "for (struct {{ unsigned a, b; }} {1} = {{0u, @1}}; {1}.a < @0 % 3u + 1u; ++{1}.a)";
    declareInHead(inner, j, j + ".b", true);
    declareInHead(inner, j, j + ".a", false, true);
    return node(Sort::Statement, fmt::format(fmt::runtime(head), i, j) + " {\n@2}\n",
                {std::move(bound), std::move(start), blockStatements(inner, 3, depth)});
  }
  case 2:
    uses("declaration around a barrier: grid-stride for");
    head = "for (unsigned {1} = blockIdx.x * blockDim.x + t + @1 * 0u, {0} = 0; {0} < @0 % 3u + 1u; {1} += "
           "gridDim.x * blockDim.x, ++{0})";
    declareInHead(inner, j, {}, false);
    break;
  case 3: {
    uses("range-for around a barrier");
    if (chance(70)) {
      declareInHead(inner, i, {}, false);
      return node(Sort::Statement,
                  fmt::format("unsigned {1}[3] = {{@0, @1, {2}}};\nfor (unsigned {0} : {1}) {{\n@2}}\n", i, j,
                              number(9)),
                  {std::move(bound), std::move(start), blockStatements(inner, 2, depth)});
    }
    const std::string range = item("range-for", true);
    declareInHead(inner, i, {}, false, true);
    return node(Sort::Statement,
                fmt::format("for (unsigned {} : {}Range{{@0 % 3u + 1u}}) {{\n@1}}\n", i, range),
                {std::move(bound), blockStatements(inner, 2, depth)});
  }
  default:
    head = "for (unsigned {0} = 0; {0} < @0 % 3u + 1u; ++{0})";
    declareInHead(inner, i, {}, false, true);
    return node(Sort::Statement, fmt::format(fmt::runtime(head), i) + " {\n@1}\n",
                {std::move(bound), blockStatements(inner, 3, depth)});
  }
  declareInHead(inner, i, {}, false, true);
  return node(Sort::Statement, fmt::format(fmt::runtime(head), i, j) + " {\n@2}\n",
              {std::move(bound), std::move(start), blockStatements(inner, 3, depth)});
}

Node Writer::blockWhile(Scope &scope, int depth) {
  Scope inner = scope;
  inner.nesting += 2;
  const std::string w = fresh("w"), q = fresh("q");
  Node bound = uniform(scope, 1);
  if (chance(50)) {
    uses("declaration around a barrier: while");
    declareInHead(inner, q, {}, false, true);
    return node(
        Sort::Statement,
        fmt::format("{{\nunsigned {0} = @0 % 3u + 1u;\nwhile (unsigned {1} = {0}--) {{\n@1}}\n}}\n", w, q),
        {std::move(bound), blockStatements(inner, 2, depth)});
  }
  return node(Sort::Statement,
              fmt::format("{{\nunsigned {0} = @0 % 2u;\ndo {{\n@1}} while ({0}-- > 0u);\n}}\n", w),
              {std::move(bound), blockStatements(inner, 2, depth)});
}

Node Writer::blockBranch(Scope &scope, int depth) {
  Scope inner = scope;
  ++inner.nesting;
  Node condition = uniform(inner, 1);
  switch (pick(4)) {
  case 0: {
    uses("declaration around a barrier: if");
    const std::string q = newName(inner, "q");
    Node start = value(inner, 1), same = uniform(inner, 1);
    declareInHead(inner, q, {}, true);
    return node(Sort::Statement, fmt::format("if (unsigned {} = @0; @1 % 3u != 1u) {{\n@2}}\n", q),
                {std::move(start), std::move(same), blockStatements(inner, 3, depth)});
  }
  case 1: {
    uses("object around a barrier: if");
    const std::string type = effectClass(), o = fresh("o");
    Node start = value(inner, 1);
    declareInHead(inner, o, o + ".k", true);
    return node(Sort::Statement,
                fmt::format("if ({} {}(own + {}, @0); @1 % 3u != 1u) {{\n@2}}\n", type, o, pick(16)),
                {std::move(start), std::move(condition), blockStatements(inner, 2, depth)});
  }
  case 2:
    return node(Sort::Statement, "if (@0 & 1u) {\n@1} else {\n@2}\n",
                {std::move(condition), blockStatements(inner, 2, depth), blockStatements(inner, 2, depth)});
  default:
    return node(Sort::Statement, "if (@0 % 3u != 1u) {\n@1}\n",
                {std::move(condition), blockStatements(inner, 3, depth)});
  }
}

Node Writer::blockSwitch(Scope &scope, int depth) {
  Scope inner = scope;
  ++inner.nesting;
  const std::string q = newName(inner, "q");
  Node start = value(inner, 1), condition = uniform(inner, 1);
  if (chance(60)) {
    uses("declaration around a barrier: switch");
    declareInHead(inner, q, {}, true);
    return node(
        Sort::Statement,
        fmt::format(
            "switch (unsigned {} = @0; @1 % 2u) {{\ncase 0u: {{\n@2break;\n}}\ndefault: {{\n@3}}\n}}\n", q),
        {std::move(start), std::move(condition), blockStatements(inner, 2, depth),
         blockStatements(inner, 2, depth)});
  }
  return node(Sort::Statement, "switch (@0 % 2u) {\ncase 0u: {\n@1}\ncase 1u: {\n@2break;\n}\n}\n",
              {std::move(condition), blockStatements(inner, 2, depth), blockStatements(inner, 2, depth)});
}

} // namespace heddle::generator

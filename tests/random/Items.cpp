// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and classes whose use runs code that the statement does not show: constructors, destructors,
// conversions, default arguments and so on. Each comes in two kinds: one that asks which thread runs it, and
// a pure one, which may decide whether a block comes to a barrier.
#include "random/Writer.h"

#include <fmt/format.h>

namespace heddle::generator {
namespace {

Node itemOf(std::string form, std::vector<Node> children = {}) {
  return node(Sort::Item, std::move(form), std::move(children));
}

} // namespace

const std::vector<Writer::ItemKind> &Writer::itemKinds() {
  static const std::vector<ItemKind> kinds = {
      {"constructor", &Writer::constructorItem, "#(@0).v"},
      {"default member initializer", &Writer::defaultMemberItem, "#{@0}.both()"},
      {"default argument", &Writer::defaultArgumentItem, "#(@0)"},
      {"destructor", &Writer::destructorItem, "#(@0)"},
      {"destructor of a member", &Writer::memberDestructorItem, "#(@0)"},
      {"conversion operator", &Writer::conversionItem, "(1u + #{@0})"},
      {"free operator", &Writer::freeOperatorItem, "(#{@0} + #{@1}).v"},
      {"member operator", &Writer::memberOperatorItem, "#{@0}[@1]"},
      {"copy constructor", &Writer::copyItem, "#(@0)"},
      {"move constructor", &Writer::moveItem, "#(@0)"},
      {"base class", &Writer::baseItem, "#(@0).sum()"},
      {"virtual call", &Writer::virtualItem, "#(@0, @1)"},
      {"function pointer", &Writer::pointerItem, "#(@0, @1)"},
      {"range-for", &Writer::rangeItem, "#(@0)"},
      {"structured binding", &Writer::bindingItem, "#(@0)", true},
      {"lambda with captures", &Writer::lambdaItem, "#(@0)"},
      {"static local", &Writer::staticLocalItem, "#(@0)", true},
      {"static local with an element per thread", &Writer::ownStaticItem, "#(@0)", true, true},
      {"placement new", &Writer::placementItem, "#(@0)"},
      {"variadic template", &Writer::variadicItem, "#(@0, @1, 5u)", true},
      {"constexpr if", &Writer::constexprIfItem, "#<2>(@0)", true},
      {"function template", &Writer::templateItem, "#(@0)", true},
      {"method", &Writer::methodItem, "#{@0}.get(@1)"},
      {"static method", &Writer::staticMethodItem, "#::make(@0)"},
      {"constant memory", &Writer::constantItem, "#[@0 & 7u]"},
      {"device memory written and read", &Writer::stateItem, "#(@0)", true, true},
      {"recursion", &Writer::recursionItem, "#(@0, 2u)"},
      {"local class", &Writer::localClassItem, "#(@0)"},
      {"temporary bound to a reference", &Writer::temporaryItem, "#(@0)"},
      {"array of objects", &Writer::arrayOfObjectsItem, "#(@0)"},
      {"function", &Writer::plainItem, "#(@0)", true},
  };
  return kinds;
}

std::string Writer::device() {
  static const std::vector<std::string> ways = {"static __device__ ", "static __device__ ",
                                                "static __device__ __forceinline__ ",
                                                "static __device__ __noinline__ ", "inline __device__ "};
  return one(ways);
}

void Writer::add(const std::string &name, Node item) {
  item.name = name;
  items.push_back(std::move(item));
}

std::string Writer::item(const ItemKind &kind, bool isPure) {
  std::vector<std::string> known;
  for (const Made &each : made)
    if (each.construct == kind.construct && (each.isPure || !isPure))
      known.push_back(each.name);
  if (!known.empty() && chance(60))
    return one(known);
  const std::string name = fresh("f");
  if (!isPure && !kind.isFunction)
    uses("thread index in hidden code");
  ++itemDepth;
  Node written = (this->*kind.make)(name, isPure);
  --itemDepth;
  add(name, std::move(written));
  made.push_back({kind.construct, name, isPure});
  return name;
}

/// A function that reads a register of the thread, or another item by what it is for.
std::string Writer::item(const std::string &construct, bool isPure) {
  for (const ItemKind &kind : itemKinds())
    if (construct == kind.construct)
      return item(kind, isPure);
  for (const Made &each : made)
    if (each.construct == construct)
      return each.name;
  uses(construct);
  const std::string name = fresh("r");
  const auto assembly = [&](const char *reg, const char *mask) {
    return itemOf(fmt::format("{}unsigned {}() {{\nunsigned r;\nasm{}(\"mov.u32 %0, %%{};\" : \"=r\"(r));\n"
                              "return r{};\n}}\n",
                              device(), name, chance(50) ? " volatile" : "", reg, mask));
  };
  Node written;
  if (construct == "asm %tid")
    written = assembly("tid.x", "");
  else if (construct == "asm %laneid")
    written = assembly("laneid", "");
  else if (construct == "asm %clock")
    written = assembly(chance(50) ? "clock" : "smid", " & 0u"); // whatever it is, it must not show
  else
    written =
        itemOf(fmt::format("{}unsigned {}() {{\n#ifdef __clang__\nreturn unsigned({}());\n#else\nreturn "
                           "threadIdx.x;\n#endif\n}}\n",
                           device(), name, "__nvvm_read_ptx_sreg_tid_x"));
  add(name, std::move(written));
  made.push_back({construct, name, false});
  return name;
}

Node Writer::body(const std::vector<std::string> &parameters, bool isPure) {
  Scope scope;
  scope.isUniform = isPure;
  for (const std::string &parameter : parameters)
    declare(scope, parameter, {}, false, true);
  Node plain = value(scope, itemDepth > 2 ? 0 : 1);
  if (isPure || chance(25))
    return plain;
  return node(Sort::Value, "(@0 + @1)", {std::move(plain), threadLeaf()});
}

Node Writer::constructorItem(const std::string &name, bool isPure) {
  if (chance(50))
    return itemOf(
        fmt::format("struct {0} {{\nunsigned v;\n__device__ {0}(unsigned a) : v(@0) {{}}\n}};\n", name),
        {body({"a"}, isPure)});
  return itemOf(
      fmt::format("struct {0} {{\nunsigned v;\n__device__ {0}(unsigned a) {{\nv = a;\nv += @0;\n}}\n}};\n",
                  name),
      {body({"a"}, isPure)});
}
Node Writer::defaultMemberItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format("struct {} {{\nunsigned v;\nunsigned w = @0;\n__device__ unsigned both() const {{ return v "
                  "* 5u + w; }}\n}};\n",
                  name),
      {body({}, isPure)});
}
Node Writer::defaultArgumentItem(const std::string &name, bool isPure) {
  Node standard = isPure ? node(Sort::Uniform, number(9)) : threadLeaf();
  if (!isPure && chance(50))
    standard = node(Sort::Value, item("function", false) + "(3u)");
  return itemOf(
      fmt::format("{}unsigned {}(unsigned a, unsigned b = @0) {{ return a * 3u + b; }}\n", device(), name),
      {std::move(standard)});
}
Node Writer::destructorItem(const std::string &name, bool isPure) {
  return itemOf(fmt::format("struct {0}End {{\nunsigned &r;\n__device__ ~{0}End() {{ r += @0; }}\n}};\n"
                            "{1}unsigned {0}(unsigned a) {{\nunsigned r = a;\n{{\n{0}End end{{r}};\nr ^= "
                            "7u;\n}}\nreturn r;\n}}\n",
                            name, device()),
                {body({}, isPure)});
}
Node Writer::memberDestructorItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0}Part {{\nunsigned *p;\n__device__ {0}Part(unsigned *to) : p(to) {{}}\n__device__ "
          "~{0}Part() {{ *p = *p * 2u + @0; }}\n}};\n"
          "struct {0}Whole {{\nunsigned v;\n{0}Part part;\n}};\n"
          "{1}unsigned {0}(unsigned a) {{\nunsigned r = a;\n{{ {0}Whole whole{{3u, {0}Part(&r)}}; r += "
          "whole.v; }}\nreturn r;\n}}\n",
          name, device()),
      {body({}, isPure)});
}
Node Writer::conversionItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format("struct {} {{\nunsigned v;\n__device__ operator unsigned() const {{ return @0; }}\n}};\n",
                  name),
      {body({"v"}, isPure)});
}
Node Writer::freeOperatorItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format("struct {0} {{ unsigned v; }};\n{1}{0} operator+({0} a, {0} b) {{ return {{@0}}; }}\n"
                  "{1}bool operator<({0} a, {0} b) {{ return @1 < b.v; }}\n",
                  name, device()),
      {body({"a.v", "b.v"}, isPure), body({"a.v"}, isPure)});
}
Node Writer::memberOperatorItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0} {{\nunsigned v;\n__device__ unsigned operator[](unsigned a) const {{ return @0; "
          "}}\n__device__ {0} &operator+=(unsigned a) {{\nv += @1;\nreturn *this;\n}}\n"
          "__device__ {0} &operator++() {{\nv += 1u + @2;\nreturn *this;\n}}\n"
          "__device__ explicit operator bool() const {{ return (v & 1u) != 0; }}\n}};\n",
          name),
      {body({"v", "a"}, isPure), body({"a"}, isPure), body({}, isPure)});
}
Node Writer::copyItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0}Kept {{\nunsigned v;\n__device__ explicit {0}Kept(unsigned a) : v(a) {{}}\n"
          "__device__ {0}Kept(const {0}Kept &o) : v(o.v + @0) {{}}\n"
          "__device__ {0}Kept &operator=(const {0}Kept &o) {{\nv = o.v ^ @1;\nreturn *this;\n}}\n}};\n"
          "{1}unsigned {0}Of({0}Kept a) {{ return a.v; }}\n"
          "{1}unsigned {0}(unsigned a) {{\n{0}Kept x(a), y = x;\nx = y;\nreturn {0}Of(x) + y.v;\n}}\n",
          name, device()),
      {body({}, isPure), body({}, isPure)});
}
Node Writer::moveItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format("struct {0}Kept {{\nunsigned v;\n__device__ explicit {0}Kept(unsigned a) : v(a) {{}}\n"
                  "__device__ {0}Kept({0}Kept &&o) : v(o.v + @0) {{ o.v = 0; }}\n}};\n"
                  "{1}unsigned {0}(unsigned a) {{\n{0}Kept x(a);\n{0}Kept y(static_cast<{0}Kept "
                  "&&>(x));\nreturn x.v + y.v;\n}}\n",
                  name, device()),
      {body({}, isPure)});
}
Node Writer::baseItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format("struct {0}Base {{\nunsigned base;\n__device__ {0}Base() : base(@0) {{}}\n}};\n"
                  "struct {0} : {0}Base {{\nunsigned v;\n__device__ {0}(unsigned a) : v(a) {{}}\n__device__ "
                  "unsigned sum() const {{ return base + v * 3u; }}\n}};\n",
                  name),
      {body({}, isPure)});
}
Node Writer::virtualItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0}Base {{\n__device__ virtual unsigned get(unsigned a) const {{ return a; }}\n}};\n"
          "struct {0}More : {0}Base {{\nunsigned v;\n__device__ {0}More(unsigned b) : v(b) {{}}\n__device__ "
          "unsigned "
          "get(unsigned a) const override {{ return @0; }}\n}};\n"
          "{1}unsigned {0}(unsigned a, unsigned b) {{\n{0}More more(b);\nconst {0}Base &base = more;\nreturn "
          "base.get(a);\n}}\n",
          name, device()),
      {body({"a", "v"}, isPure)});
}
Node Writer::pointerItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "{1}unsigned {0}One(unsigned a) {{ return @0; }}\n{1}unsigned {0}Two(unsigned a) {{ return "
          "@1; }}\n{1}unsigned {0}(unsigned a, unsigned b) {{\nunsigned (*f)(unsigned) = (b & 1u) ? {0}One : "
          "{0}Two;\nreturn f(a);\n}}\n",
          name, device()),
      {body({"a"}, isPure), body({"a"}, isPure)});
}
Node Writer::rangeItem(const std::string &name, bool isPure) {
  return itemOf(fmt::format("struct {0}Step {{\nunsigned i;\n__device__ unsigned operator*() const {{ return "
                            "@0; }}\n__device__ {0}Step "
                            "&operator++() {{\n++i;\nreturn *this;\n}}\n__device__ bool operator!=(const "
                            "{0}Step &o) const {{ return i "
                            "!= o.i; }}\n}};\n"
                            "struct {0}Range {{\nunsigned n;\n__device__ {0}Step begin() const {{ return "
                            "{{0u}}; }}\n__device__ {0}Step "
                            "end() const {{ return {{n}}; }}\n}};\n"
                            "{1}unsigned {0}(unsigned a) {{\nunsigned sum = a;\nfor (unsigned e : "
                            "{0}Range{{a & 3u}})\nsum = sum * 3u + "
                            "e;\nreturn sum;\n}}\n",
                            name, device()),
                {body({"i"}, isPure)});
}
Node Writer::bindingItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0}Pair {{\nunsigned first, second;\n}};\n{1}{0}Pair {0}Of(unsigned a) {{ return {{a, "
          "@0}}; }}\n{1}unsigned {0}(unsigned a) {{\nauto [x, y] = {0}Of(a);\nx += y;\nreturn x ^ y;\n}}\n",
          name, device()),
      {body({"a"}, isPure)});
}
Node Writer::lambdaItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "{1}unsigned {0}(unsigned a) {{\nunsigned sum = 0;\nauto each = [&sum, k = @0](unsigned b) {{ "
          "sum += b * k; }};\neach(a);\neach(3u);\nreturn sum;\n}}\n",
          name, device()),
      {body({"a"}, isPure)});
}
Node Writer::staticLocalItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "{1}unsigned {0}(unsigned a) {{\nstatic const unsigned table[4] = {{3u, {2}, {3}, 8u}};\nreturn "
          "table[a & 3u] + @0;\n}}\n",
          name, device(), number(50), number(50)),
      {body({"a"}, isPure)});
}
Node Writer::ownStaticItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "{1}unsigned {0}(unsigned a) {{\nstatic unsigned slots[{2}];\nconst unsigned g = blockIdx.x * "
          "{3}u + {4};\nslots[g] = @0;\nreturn slots[g] * 3u;\n}}\n",
          name, "static __device__ ", 8 * threads(), threads(), flatThread()),
      {body({"a"}, isPure)});
}
Node Writer::placementItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0}Made {{\nunsigned v;\n__device__ {0}Made(unsigned a) : v(@0) {{}}\n}};\n"
          "{1}unsigned {0}(unsigned a) {{\nalignas(8) unsigned char room[sizeof({0}Made)];\n{0}Made *made = "
          "new (room) {0}Made(a);\nreturn made->v;\n}}\n",
          name, device()),
      {body({"a"}, isPure)});
}
Node Writer::variadicItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format("template <class... Each> {1}unsigned {0}(Each... each) {{ return (@0 + ... + each); }}\n",
                  name, device()),
      {body({}, isPure)});
}
Node Writer::constexprIfItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "template <int N> {1}unsigned {0}(unsigned a) {{\nif constexpr (N > 1)\nreturn @0;\nelse\nreturn "
          "a;\n}}\n",
          name, device()),
      {body({"a"}, isPure)});
}
Node Writer::templateItem(const std::string &name, bool isPure) {
  return itemOf(fmt::format("template <class T> {1}T {0}(const T &a) {{ return T(@0); }}\n", name, device()),
                {body({"a"}, isPure)});
}
Node Writer::methodItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0} {{\nunsigned v;\n__device__ unsigned get(unsigned a) const {{ return @0; }}\n}};\n",
          name),
      {body({"v", "a"}, isPure)});
}
Node Writer::staticMethodItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format("struct {0} {{\nstatic __device__ unsigned make(unsigned a) {{ return @0; }}\n}};\n", name),
      {body({"a"}, isPure)});
}
Node Writer::constantItem(const std::string &name, bool) {
  return itemOf(fmt::format("static __constant__ unsigned {}[8] = {{1u, {}, 5u, {}, 7u, {}, 2u, {}}};\n",
                            name, number(90), number(90), number(90), number(90)));
}
Node Writer::stateItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "static __device__ unsigned {0}State[{2}];\n{1}unsigned {0}(unsigned a) {{\nunsigned &mine = "
          "{0}State[blockIdx.x * {3}u + {4}];\nmine = @0;\nmine += a;\nreturn mine;\n}}\n",
          name, device(), 8 * threads(), threads(), flatThread()),
      {body({"a"}, isPure)});
}
Node Writer::recursionItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "static __device__ unsigned {0}(unsigned a, unsigned n) {{\nreturn n == 0u ? @0 : {0}(a * 3u + "
          "n, n - 1u);\n}}\n",
          name),
      {body({"a"}, isPure)});
}
Node Writer::localClassItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "{1}unsigned {0}(unsigned a) {{\nstruct Local {{\nunsigned v;\n__device__ unsigned twice() const "
          "{{ return v * 2u + @0; }}\n}};\nLocal local{{a}};\nreturn local.twice();\n}}\n",
          name, device()),
      {body({"v"}, isPure)});
}
Node Writer::temporaryItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0}Held {{\nunsigned v;\n__device__ explicit {0}Held(unsigned a) : v(@0) {{}}\n}};\n"
          "{1}unsigned {0}(unsigned a) {{\nconst {0}Held &held = {0}Held(a);\nreturn held.v + "
          "{0}Held(3u).v;\n}}\n",
          name, device()),
      {body({"a"}, isPure)});
}
Node Writer::arrayOfObjectsItem(const std::string &name, bool isPure) {
  return itemOf(
      fmt::format(
          "struct {0}One {{\nunsigned v;\n__device__ {0}One() : v(@0) {{}}\n}};\n{1}unsigned {0}(unsigned a) "
          "{{\n{0}One all[3];\nall[a % 3u].v += a;\nreturn all[0].v ^ all[1].v * 3u ^ all[2].v;\n}}\n",
          name, device()),
      {body({}, isPure)});
}
Node Writer::plainItem(const std::string &name, bool isPure) {
  if (chance(30))
    return itemOf(
        fmt::format(
            "{1}unsigned {0}(unsigned a) {{\nunsigned r = a;\nfor (unsigned i = 0; i < (a & 3u); ++i)\nr = "
            "r * 5u + @0;\nreturn r;\n}}\n",
            name, device()),
        {body({"a", "i"}, isPure)});
  if (chance(30))
    return itemOf(fmt::format("{1}unsigned {0}(unsigned a) {{\nif (a & 1u)\nreturn a * 3u;\nreturn @0;\n}}\n",
                              name, device()),
                  {body({"a"}, isPure)});
  return itemOf(fmt::format("{1}unsigned {0}(unsigned a) {{ return @0; }}\n", name, device()),
                {body({"a"}, isPure)});
}

} // namespace heddle::generator

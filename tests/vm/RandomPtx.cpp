// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is a tree of statements. Each kernel draws how often it has each kind of statement, some of them never: kernels that have a
// bit of everything would all be alike.
//
// Every kernel ends: a loop counts iterations in a register that nothing else writes, and blocks that jump back to each other
// share such a counter. `isTogether` says that all threads of the block are at a statement, so that it may be a barrier; a few barriers
// are elsewhere, where the engines have to report the same deadlock.
#include "vm/RandomPtx.h"

#include "vm/RandomStatements.h"

#include <array>

namespace heddle::vm::test {
namespace {

constexpr unsigned MostDepth = 4, Functions = 2;

/// What every function of a kernel declares. %u: the same in all threads of the block; %i: indices of threads; %s and %w: each
/// written once, so that what lanes have in common is known of them.
std::string declarations() {
  return std::string(RandomRegisters) +
         fmt::format(
             ".reg .b32 %u<3>; .reg .b32 %i<2>; .reg .b32 %t<{0}>; .reg .b64 %a<{0}>; .reg .pred "
             "%q<{0}>;\n.reg .b32 %s<{1}>; .reg .b64 %w<{1}>; .reg .b32 %c<{2}>; .reg .b64 %m; .local "
             ".align 16 .b8 stack[{3}];\n",
             Temporaries, Singles, Counters, LocalBytes);
}

const char *const Globals =
    ".shared .align 16 .b8 s[1024];\n.global .u32 lock = 0;\n"
    ".const .align 16 .u32 table[16] = {1, 2, 3, 5, 8, 13, 21, 34, 0xffffffff, 0x80000000, 0x3f800000, 7, "
    "0, 0x7fc00000, 9, 40};\n";

class Generator : RandomStatements {
public:
  explicit Generator(uint64_t seed) : RandomStatements(seed) {
    for (unsigned &each : weights)
      each = std::array<unsigned, 5>{0, 1, 2, 2, 6}[upTo(5)];
    weights[unsigned(Kind::Operations)] = 3;
    isFlow = oneIn(2);
    if (isFlow)
      for (Kind each : {Kind::If, Kind::Loop, Kind::Switch, Kind::Unstructured})
        weights[unsigned(each)] *= 3;
    isPlain = isFlow && oneIn(2);
    if (isPlain)
      for (Kind each : {Kind::Atomic, Kind::Exchange, Kind::Barrier, Kind::Call, Kind::Other})
        weights[unsigned(each)] = 0;
    hasFaults = oneIn(12);
    leavesEarly = oneIn(3);
    size = oneIn(40) ? 15 : isFlow ? 2 + upTo(5) : 1 + upTo(4);
  }

  RandomPtx kernel() {
    RandomPtx made;
    const Dim3 blocks[] = {{32}, {64}, {96}, {48}, {33}, {16, 4}, {8, 8}, {16, 3}, {5, 7}, {4, 4, 4}, {20}};
    made.block = blocks[upTo(std::size(blocks))];
    made.grid = {oneIn(2) ? 2u : 1u};
    made.schedule = oneIn(2) ? 1 + upTo(1000) : 0;
    made.number = upTo(2) ? upTo(8) : uint32_t(random());
    made.body = body([&] {
      begin();
      if (isPlain && oneIn(2))
        loop(0, false, true); // in which warps that race show where their slices end
      while (size)
        statements(0, true);
      end(made.block);
    });
    made.functions = std::move(functions);
    return made;
  }

private:
  enum class Kind : uint8_t {
    Operations,
    Load,
    Store,
    Atomic,
    If,
    Loop,
    Switch,
    Unstructured,
    Exchange,
    Barrier,
    Call,
    Index,
    Count,
    Other,
  };
  static constexpr unsigned Kinds = unsigned(Kind::Other) + 1;

  struct OpenLoop {
    std::string next, end;
    bool isTogether;
  };

  std::vector<Statement> part(unsigned depth, bool isTogether) {
    return body([&] { statements(depth + 1, isTogether); });
  }

  void statements(unsigned depth, bool isTogether) {
    if (!size) {
      plain();
      return;
    }
    for (unsigned i = 0; i < 1 + upTo(2); ++i)
      statement(depth, isTogether);
  }

  void statement(unsigned depth, bool isTogether) {
    if (size)
      --size;
    unsigned all = 0;
    for (unsigned each : weights)
      all += each;
    unsigned drawn = upTo(all), kind = 0;
    while (drawn >= weights[kind])
      drawn -= weights[kind++];
    const bool nests = depth < MostDepth && size;
    switch (Kind(kind)) {
    case Kind::Load: access(false); break;
    case Kind::Store: access(true); break;
    case Kind::Atomic: atomic(); break;
    case Kind::If: nests ? choice(depth, isTogether) : operations(); break;
    case Kind::Loop: nests ? loop(depth, isTogether) : operations(); break;
    case Kind::Switch: nests ? choiceOfMany(depth) : operations(); break;
    case Kind::Unstructured: nests ? unstructured(depth) : operations(); break;
    case Kind::Exchange: exchange(isTogether); break;
    case Kind::Barrier: barrier(isTogether); break;
    case Kind::Call: call(); break;
    case Kind::Index: index(); break;
    case Kind::Count: count(); break;
    case Kind::Other: loops.empty() && !inFunction && oneIn(4) ? critical() : other(); break;
    default: operations(); break;
    }
  }

  // --- begin and end

  void begin() {
    line("ld.param.u64 %m, [memory];");
    line("ld.param.u32 %u0, [number];");
    line("mov.u32 %u1, %ctaid.x;");
    line("mov.u32 %u2, %ntid.x;");
    line("mov.u32 %i0, %tid.x;");
    line("mov.u32 %i1, %laneid;");
    values();
  }

  /// What registers hold at first. Others are zero.
  void values() {
    for (unsigned i = 0; i < 8; ++i)
      switch (upTo(10)) {
      case 0: line("mov.u32 %r{}, {};", i, randomConstant(random, 32, oneIn(3))); break;
      case 1: line("mov.u32 %r{}, {};", i, special()); break;
      case 2: line("mad.lo.u32 %r{}, %i0, {}, {};", i, 1 + upTo(5), upTo(100)); break;
      case 3:
      case 4: line("mul.lo.u32 %r{}, %i{}, {};", i, upTo(2), oneIn(2) ? 2654435761u : 40503u); break;
      case 5: line("mov.u32 %r{}, %i{};", i, upTo(2)); break;
      default: break;
      }
    switch (upTo(6)) {
    case 0: line("ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%m+{}];", 16 * upTo(32)); break;
    case 1: line("ld.global.v2.f64 {{%g0, %g1}}, [%m+{}];", 64 * upTo(32)); break;
    case 2: line("cvt.rn.f32.u32 %f0, %i0;"); break;
    case 3: line("cvt.rn.f64.s32 %g0, %r1;"); break;
    case 4: line("cvt.u64.u32 %d0, %i0;"); break;
    default: line("cvt.u16.u32 %h0, %i1;"); break;
    }
  }

  /// Each thread its registers, or some of them: those that nothing reads are treated differently.
  void end(Dim3 block) {
    if (hasFinish) {
      line("FINISH:");
    }
    line("mad.lo.u32 %t0, %u1, {}, %i0;", MostThreads / 2);
    if (block.y > 1) {
      line("mov.u32 %t1, %tid.y;");
      line("mad.lo.u32 %t0, %t1, {}, %t0;", block.x);
    }
    if (block.z > 1) {
      line("mov.u32 %t1, %tid.z;");
      line("mad.lo.u32 %t0, %t1, {}, %t0;", block.x * block.y);
    }
    line("mad.wide.u32 %a0, %t0, {}, %m;", SlotBytes);
    const bool dropsSome = oneIn(2);
    auto store = [&](std::string_view type, std::string_view registers, unsigned offset) {
      if (!dropsSome || oneIn(2))
        line("st.global.{} [%a0+{}], {};", type, WindowBytes + offset, registers);
    };
    store("v4.b32", "{%r0, %r1, %r2, %r3}", 0);
    store("v4.b32", "{%r4, %r5, %r6, %r7}", 16);
    store("v2.b64", "{%d0, %d1}", 32);
    store("v2.b64", "{%d2, %d3}", 48);
    store("v4.f32", "{%f0, %f1, %f2, %f3}", 64);
    store("v2.f64", "{%g0, %g1}", 80);
    store("v4.b16", "{%h0, %h1, %h2, %h3}", 96);
    if (singles)
      line("st.global.v4.b32 [%a0+{}], {{{}, {}, {}, {}}};", WindowBytes + 128, single(), single(), single(),
           single());
    if (wideSingles)
      line("st.global.v2.b64 [%a0+{}], {{{}, {}}};", WindowBytes + 144, wideSingle(), wideSingle());
    if (oneIn(2)) {
      for (unsigned i = 0; i < 4; ++i)
        line("selp.u32 %t{}, 1, 0, %p{};", i, i);
      line("st.global.v4.b32 [%a0+{}], {{%t0, %t1, %t2, %t3}};", WindowBytes + 112);
    }
    line("ret;");
  }

  /// The name of a function, which is made when it is called for the first time.
  std::string function(unsigned number) {
    while (functions.size() <= number)
      functions.push_back(newFunction());
    return fmt::format("f{}", number);
  }

  Statement newFunction() {
    const unsigned sizeBefore = std::exchange(size, 1 + upTo(3));
    const std::vector<OpenLoop> loopsBefore = std::exchange(loops, {});
    const unsigned singlesBefore = std::exchange(singles, 0), wideBefore = std::exchange(wideSingles, 0);
    inFunction = true;
    Statement made{fmt::format(".func (.param .b32 result) f{}(.param .b32 a, .param .b64 b, .param .u64 "
                               "memory) {{\n{}$0}}\n",
                               functions.size(), declarations()),
                   {}};
    made.bodies.push_back(body([&] {
      line("ld.param.u64 %m, [memory];");
      line("ld.param.u32 %r0, [a];");
      line("ld.param.u64 %d0, [b];");
      line("mov.u32 %u1, %ctaid.x;");
      line("mov.u32 %i0, %tid.x;");
      line("mov.u32 %i1, %laneid;");
      statements(2, false);
      line("st.param.b32 [result], {};", word());
      line("ret;");
    }));
    inFunction = false;
    loops = loopsBefore;
    singles = singlesBefore, wideSingles = wideBefore;
    size = sizeBefore;
    return made;
  }

  // --- control flow

  void choice(unsigned depth, bool isTogether) {
    const bool stays = isTogether && oneIn(3);
    if (leavesEarly && !stays && oneIn(5)) {
      leave();
      return;
    }
    if (!loops.empty() && oneIn(4) && !stays) {
      jumpInLoop();
      return;
    }
    const std::string p = condition(stays), other = label(), end = label();
    if (oneIn(2)) {
      compound(fmt::format("@{} bra {};\n$0{}:\n", p, end, end), {part(depth, stays)});
      return;
    }
    compound(fmt::format("@{} bra {};\n$0bra{} {};\n{}:\n$1{}:\n", p, other, oneIn(4) ? ".uni" : "", end,
                         other, end),
             {part(depth, stays), part(depth, stays)});
  }

  void leave() {
    const std::string p = condition();
    if (oneIn(2) && !inFunction) {
      hasFinish = true;
      line("@{} bra FINISH;", p);
    } else {
      line("@{} {};", p, inFunction || oneIn(2) ? "ret" : "exit");
    }
  }

  /// Out of a loop, or on to its next iteration; also out of several.
  void jumpInLoop() {
    const OpenLoop &to = loops[upTo(unsigned(loops.size()))];
    const bool needsUniform = to.isTogether;
    const std::string p = condition(needsUniform);
    line("@{} bra {};", p, oneIn(2) ? to.next : to.end);
  }

  void loop(unsigned depth, bool isTogether, bool races = false) {
    const bool isLong = races || (loops.empty() && !inFunction && oneIn(8));
    const bool sameForAll = oneIn(2);
    const std::string c = counter(), head = label(), next = label(), end = label(), p = temporary('q');
    const bool stays = isTogether && sameForAll && !isLong && oneIn(2);
    if (isLong)
      sameForAll ? line("mov.u32 {}, {};", c, 30 + upTo(500))
                 : line("mad.lo.u32 {}, %i0, {}, {};", c, 1 + upTo(9), 20 + upTo(200));
    else if (sameForAll)
      oneIn(2) ? line("mov.u32 {}, {};", c, upTo(6)) : line("and.b32 {}, {}, 5;", c, uniform());
    else
      line("and.b32 {}, {}, {};", c, oneIn(3) ? "%i1" : word(), oneIn(2) ? 3 : 7);
    loops.push_back({next, end, stays});
    std::vector<Statement> inside = body([&] {
      if (races) {
        count();
        choice(depth + 2, false);
      }
      if (isLong)
        for (unsigned i = 0; i < 2; ++i)
          inLongLoop(depth);
      else
        statements(depth + 1 + unsigned(loops.size()) / 2, stays);
      if (oneIn(3))
        line("add.u32 {}, {}, {};", word(), c, operand());
    });
    loops.pop_back();
    const std::string test = oneIn(2) ? fmt::format("setp.gt.s32 {}, {}, 0;\n@{} bra", p, c, p)
                                      : fmt::format("setp.le.s32 {}, {}, 0;\n@!{} bra", p, c, p);
    if (oneIn(2)) // tested at the end
      compound(fmt::format("{0}:\n$0{1}:\nsub.s32 {2}, {2}, 1;\n{3} {0};\n{4}:\n", head, next, c, test, end),
               {std::move(inside)});
    else
      compound(fmt::format("{0}:\nsetp.le.s32 {5}, {2}, 0;\n@{5} bra {4};\n$0{1}:\nsub.s32 {2}, {2}, 1;\nbra "
                           "{0};\n{4}:\n",
                           head, next, c, test, end, p),
               {std::move(inside)});
  }

  void inLongLoop(unsigned depth) {
    switch (upTo(6)) {
    case 0: isPlain ? plain() : atomic(); break;
    case 1: access(oneIn(2)); break;
    case 2: plain(); break;
    case 3: count(); break;
    default: choice(MostDepth - 1 + depth, false);
    }
  }

  void choiceOfMany(unsigned depth) {
    const unsigned count = 2 + upTo(2);
    const std::string end = label(), index = temporary('t');
    std::vector<std::string> targets;
    for (unsigned i = 0; i < count; ++i)
      targets.push_back(label());
    line("and.b32 {}, {}, 3;", index, oneIn(4) ? uniform() : word());
    std::string text;
    if (oneIn(2)) {
      const std::string list = label();
      text = fmt::format("min.u32 {0}, {0}, {1};\n{2}: .branchtargets {3};\nbrx.idx {0}, {2};\n", index,
                         count - 1, list, fmt::join(targets, ", "));
    } else {
      const std::string p = temporary('q');
      for (unsigned i = 0; i + 1 < count; ++i)
        text += fmt::format("setp.eq.u32 {0}, {1}, {2};\n@{0} bra {3};\n", p, index, i, targets[i]);
      text += fmt::format("bra {};\n", targets.back());
    }
    std::vector<std::vector<Statement>> bodies;
    for (unsigned i = 0; i < count; ++i) {
      text += fmt::format("{}:\n${}{}", targets[i], i, oneIn(4) ? "" : fmt::format("bra {};\n", end));
      bodies.push_back(part(depth, false));
    }
    compound(text + end + ":\n", std::move(bodies));
  }

  /// Blocks that jump to each other: forward only, into a loop, or anywhere for as long as a counter lasts.
  void unstructured(unsigned depth) {
    enum { Forward, TwoEntries, Anywhere } shape{};
    shape = std::array{Forward, TwoEntries, Anywhere}[upTo(3)];
    const unsigned count = shape == TwoEntries ? 2 : 3 + upTo(2);
    const std::string c = counter(), end = label();
    std::vector<std::string> at;
    for (unsigned i = 0; i < count; ++i)
      at.push_back(label());
    if (shape != Forward)
      line("and.b32 {}, {}, 7;", c, oneIn(3) ? uniform() : word());
    if (shape == TwoEntries)
      line("@{} bra {};", condition(), at[1]);
    std::string text;
    std::vector<std::vector<Statement>> bodies;
    for (unsigned i = 0; i < count; ++i) {
      text += fmt::format("{}:\n${}", at[i], i);
      bodies.push_back(body([&] {
        const bool nests = size && depth + 1 < MostDepth && oneIn(2);
        nests ? statement(depth + 2, false) : plain();
        const std::string to = i + 1 == count || oneIn(4) ? end : at[i + 1 + upTo(count - i - 1)];
        if (shape == Forward && oneIn(5))
          line("bra {};", to);
        else if (shape != TwoEntries)
          line("@{} bra {};", condition(), to);
      }));
      const std::string p = temporary('q');
      if (shape == Anywhere || (shape == TwoEntries && i + 1 == count))
        text += fmt::format("setp.le.s32 {0}, {1}, 0;\nsub.s32 {1}, {1}, 1;\n@!{0} bra {2};\n", p, c,
                            shape == TwoEntries ? at[0] : at[upTo(count)]);
    }
    compound(text + end + ":\n", std::move(bodies));
  }

  void call() {
    if (inFunction) {
      operations();
      return;
    }
    const std::string n = std::to_string(calls++), g = oneIn(5) ? fmt::format("@{} ", condition()) : "",
                      arguments = fmt::format("(g{0}, h{0}, i{0})", n);
    std::string text =
        fmt::format("{{ .param .b32 g{0}; .param .b64 h{0}; .param .b64 i{0}; .param .b32 r{0};\n"
                    "st.param.b32 [g{0}], {1}; st.param.b64 [h{0}], {2}; st.param.b64 [i{0}], %m;\n",
                    n, word(), reg(64));
    if (oneIn(3)) {
      const std::string to = temporary('a'), more = temporary('a');
      text += fmt::format(
          "mov.u64 {1}, {6};\nmov.u64 {2}, {7};\nselp.b64 {1}, {1}, {2}, {3};\nP{0}: .callprototype "
          "(.param .b32 _) _ (.param .b32 _, .param .b64 _, .param .b64 _);\n{4}call (r{0}), "
          "{1}, {5}, P{0};\n",
          n, to, more, reg(1), g, arguments, function(0), function(1));
    } else {
      text += fmt::format("{}call (r{}), {}, {};\n", g, n, function(upTo(Functions)), arguments);
    }
    compound(text + fmt::format("ld.param.b32 {}, [r{}];\n}}\n", word(), n), {});
  }

  /// A critical section, for which threads wait in a loop.
  void critical() {
    const std::string again = label(), found = temporary('t'), p = temporary('q');
    compound(
        fmt::format("{0}:\natom.global.cas.b32 {1}, [lock], 0, 1;\nsetp.ne.u32 {2}, {1}, 0;\n@{2} bra {0};\n"
                    "$0membar.gl;\natom.global.exch.b32 {1}, [lock], 0;\n",
                    again, found, p),
        {body([&] {
          access(false);
          plain();
          access(true);
        })});
  }

  void barrier(bool isTogether) {
    if (!isTogether && !(hasFaults && oneIn(6))) {
      operations();
      return;
    }
    switch (upTo(6)) {
    case 0: line("bar.red.popc.u32 {}, {}, {};", word(), upTo(3), reg(1)); break;
    case 1: line("bar.red.{}.pred {}, 1, {};", oneOf({"and", "or"}), reg(1), reg(1)); break;
    case 2: line("barrier.sync {};", upTo(3)); break;
    default: line("bar.sync {};", oneIn(3) ? upTo(4) : 0); break;
    }
  }

  std::array<unsigned, Kinds> weights{};
  std::vector<OpenLoop> loops;
  std::vector<Statement> functions;
  bool leavesEarly = false, hasFinish = false;
  unsigned size = 0, calls = 0;
};

void print(std::string &to, const std::vector<Statement> &statements) {
  for (const Statement &each : statements)
    for (size_t i = 0; i < each.text.size(); ++i) {
      if (each.text[i] != '$')
        to += each.text[i];
      else
        print(to, each.bodies[size_t(each.text[++i] - '0')]);
    }
}

} // namespace

std::string RandomPtx::text() const {
  std::string text = Globals;
  print(text, functions);
  text += ".visible .entry k(.param .u64 memory, .param .u32 number) {\n" + declarations();
  print(text, body);
  return text + "}\n";
}

RandomPtx randomPtx(uint64_t seed) { return Generator(seed).kernel(); }

} // namespace heddle::vm::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/RandomStatements.h"

#include <string_view>

namespace heddle::vm::test {
namespace {

struct AccessType {
  const char *type;
  unsigned bits, elements;
  bool isFloat;
  unsigned bytes; ///< of an element in memory
};
constexpr AccessType AccessTypes[] = {
    {"u32", 32, 1, false, 4}, {"b32", 32, 1, false, 4}, {"f32", 32, 1, true, 4},  {"b64", 64, 1, false, 8},
    {"f64", 64, 1, true, 8},  {"u8", 16, 1, false, 1},  {"s8", 32, 1, false, 1},  {"b16", 16, 1, false, 2},
    {"s16", 32, 1, false, 2}, {"s32", 64, 1, false, 4}, {"u16", 64, 1, false, 2}, {"b32", 32, 2, false, 4},
    {"f32", 32, 2, true, 4},  {"b32", 32, 4, false, 4}, {"f32", 32, 4, true, 4},  {"b64", 64, 2, false, 8},
    {"f64", 64, 2, true, 8},  {"b16", 16, 4, false, 2}, {"u8", 16, 4, false, 1},  {"b16", 16, 2, false, 2},
};

} // namespace

std::string RandomStatements::special() {
  return oneOf({"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ctaid.x", "%nctaid.x", "%laneid",
                "%warpid", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
                "%nwarpid", "WARP_SZ"});
}

// --- computing

std::string RandomStatements::guard() {
  if (!oneIn(7))
    return "";
  return oneIn(2) ? fmt::format("@{}{} ", oneIn(2) ? "!" : "", reg(1)) : fmt::format("@{} ", condition());
}

std::string RandomStatements::condition(bool isUniform) {
  const std::string to = temporary('q'), compare = oneOf({"lt", "le", "gt", "ge", "eq", "ne"});
  const std::string sign = oneIn(2) ? "" : "!";
  if (isUniform) {
    line("setp.{}.u32 {}, {}, {};", compare, to, uniform(), upTo(4));
    return sign + to;
  }
  switch (upTo(8)) {
  case 0: return sign + reg(1);
  case 1:
  case 2: { // some bits of a number: any lanes
    const std::string bits = temporary('t');
    line("and.b32 {}, {}, {};", bits, oneIn(2) ? word() : "%i1", 1 + upTo(7));
    line("setp.{}.u32 {}, {}, {};", oneIn(2) ? "eq" : "ne", to, bits, oneIn(2) ? 0 : 1);
    return sign + to;
  }
  case 3: line("setp.{}.u32 {}, %i{}, {};", compare, to, upTo(2), upTo(40)); return sign + to;
  case 4: line("setp.{}.s32 {}, {}, {};", compare, to, uniform(), upTo(4)); return sign + to;
  case 5: line("setp.{}.f32 {}, {}, {};", compare, to, reg(32, true), reg(32, true)); return sign + to;
  case 6: {
    const std::string second = temporary('q');
    line("setp.{}.{}.s32 {}|{}, {}, {}, {};", compare, oneOf({"and", "or", "xor"}), to, second, word(),
         operand(), reg(1));
    return sign + (oneIn(2) ? to : second);
  }
  default: line("setp.{}.s32 {}, {}, {};", compare, to, word(), operand()); return sign + to;
  }
}

/// Integers as compilers write them: what lanes have in common is followed through these.
void RandomStatements::plain() {
  const bool isSingle = oneIn(2) && singles < Singles && wideSingles < Singles;
  const std::string g = isSingle ? "" : guard();
  auto from = [&] { return isSingle && !oneIn(4) ? oneIn(2) ? single() : operand() : word(); };
  auto wideFrom = [&] { return isSingle && !oneIn(4) ? wideSingle() : reg(64); };
  const std::string a = from(), b = operand(), c = from(), x = wideFrom(), y = wideFrom();
  const unsigned kind = upTo(16);
  const bool isWide = kind < 6;
  const std::string d = !isSingle ? isWide ? reg(64) : word()
                        : isWide  ? fmt::format("%w{}", wideSingles)
                                  : fmt::format("%s{}", singles);
  switch (kind) {
  case 0: line("{}mad.wide.{} {}, {}, {}, {};", g, oneOf({"u32", "s32"}), d, a, upTo(20), x); break;
  case 1: line("{}mul.wide.{} {}, {}, {};", g, oneOf({"u32", "s32"}), d, a, b); break;
  case 2: line("{}cvt.{} {}, {};", g, oneOf({"u64.u32", "s64.u32", "s64.s32", "u64.s32"}), d, a); break;
  case 3: line("{}{} {}, {}, {};", g, oneOf({"add.s64", "sub.s64", "xor.b64"}), d, x, y); break;
  case 4: line("{}shr.{} {}, {}, {};", g, oneOf({"u64", "s64"}), d, x, oneOf({"1", "8", "16", "32"})); break;
  case 5: line("{}add.u64 {}, {}, {};", g, d, x, randomConstant(random, 64, false)); break;
  case 6: line("{}mad.lo.s32 {}, {}, {}, {};", g, d, a, b, c); break;
  case 7: line("{}cvt.u32.u64 {}, {};", g, d, x); break;
  case 8: line("{}shl.b32 {}, {}, {};", g, d, a, upTo(6)); break;
  case 9: line("{}selp.b32 {}, {}, {}, {};", g, d, a, b, reg(1)); break;
  case 10: line("{}mov.u32 {}, {};", g, d, oneIn(2) ? special() : b); break;
  default:
    line("{}{} {}, {}, {};", g,
         oneOf({"add.u32", "add.s32", "sub.u32", "sub.s32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32",
                "min.s32", "max.u32", "shr.u32", "shr.s32"}),
         d, a, b);
  }
  if (isSingle)
    ++(isWide ? wideSingles : singles);
}

void RandomStatements::carry() {
  const std::string mode = oneOf({"add", "sub"}), low = reg(32), high = reg(32);
  line("{}.cc.u32 {}, {}, {};", mode, low, word(), operand());
  line("{}c{} {}, {}, {};", mode, oneIn(2) ? ".u32" : ".cc.u32", high, word(), operand());
  if (oneIn(2))
    line("{}c.u32 {}, {}, {};", mode, word(), word(), word());
}

void RandomStatements::parts() {
  switch (upTo(6)) {
  case 0: line("mov.b64 {}, {{{}, {}}};", reg(64), word(), word()); break;
  case 1:
    line("mov.b64 {{{}, {}}}, {};", fmt::format("%r{}", upTo(4)), fmt::format("%r{}", 4 + upTo(4)), reg(64));
    break;
  case 2: line("mov.b32 {}, {{{}, {}}};", word(), reg(16), reg(16)); break;
  case 3:
    line("mov.b32 {{{}, {}}}, {};", fmt::format("%h{}", upTo(2)), fmt::format("%h{}", 2 + upTo(2)), word());
    break;
  case 4: line("mov.b32 {}, {};", reg(32, true), word()); break;
  default: line("mov.pred {}, {};", reg(1), reg(1)); break;
  }
}

void RandomStatements::operations() {
  for (unsigned i = 0; i < 1 + (isFlow ? 0 : upTo(3)); ++i)
    switch (upTo(12)) {
    case 0: isPlain ? plain() : carry(); break;
    case 1: parts(); break;
    case 2:
    case 3:
    case 4:
    case 5: {
      const std::string g = guard();
      line("{}{}", g, randomOperation(random));
      break;
    }
    default: plain();
    }
}

/// An index that is linear in that of the thread, widened: it may wrap around between lanes.
void RandomStatements::index() {
  const std::string narrow = temporary('t'), wide = temporary('a'),
                    from = oneIn(4)   ? single()
                           : oneIn(3) ? "%i1"
                                      : "%i0";
  const std::string offset = oneOf({"-1", "-5", "-13", "-40", "0", "7", "0x7fffffe0", "0x80000010", "-100"});
  switch (upTo(4)) {
  case 0: line("add.u32 {}, {}, {};", narrow, from, offset); break;
  case 1: line("sub.u32 {}, {}, {};", narrow, offset, from); break;
  case 2: line("mad.lo.u32 {}, {}, {}, {};", narrow, from, 1 + upTo(9), offset); break;
  default: line("shl.b32 {}, {}, {};", narrow, from, 1 + upTo(4)); break;
  }
  if (oneIn(4))
    line("add.s32 {0}, {0}, {1};", narrow, uniform());
  switch (upTo(4)) {
  case 0: line("cvt.{} {}, {};", oneOf({"u64.u32", "s64.u32", "s64.s32", "u64.s32"}), wide, narrow); break;
  case 1: line("mul.wide.{} {}, {}, {};", oneOf({"u32", "s32"}), wide, narrow, 1 + upTo(12)); break;
  case 2:
    line("mad.wide.{} {}, {}, {}, {};", oneOf({"u32", "s32"}), wide, narrow, 1 + upTo(12), wideSingle());
    break;
  default: line("mad.wide.{} {}, {}, 4, %m;", oneOf({"u32", "s32"}), wide, narrow); break;
  }
  if (oneIn(2))
    line("shr.u64 {0}, {0}, {1};", wide, oneOf({"1", "8", "32"}));
  line("{}.b64 {}, {}, {};", oneOf({"xor", "or"}), reg(64), reg(64), wide);
}

/// Counts in memory, without atomics: what each warp finds depends on how long the slices of others were.
void RandomStatements::count() {
  const std::string found = oneIn(2) ? word() : temporary('t');
  const std::string at = oneIn(2) ? fmt::format("[%m+{}]", 4 * upTo(4)) : fmt::format("[s+{}]", 4 * upTo(4)),
                    space = at[1] == 's' ? "shared" : "global";
  line("ld.{}.u32 {}, {};", space, found, at);
  line("mad.lo.u32 {0}, {0}, {1}, {2};", found, 1 + 2 * upTo(3),
       oneIn(3) ? "%i0" : std::to_string(1 + upTo(5)));
  line("st.{}.u32 {}, {};", space, at, found);
}

void RandomStatements::other() {
  switch (upTo(6)) {
  case 0: line("membar.{};", oneOf({"cta", "gl", "sys"})); break;
  case 1: line("fence.{}.{};", oneOf({"sc", "acq_rel"}), oneOf({"cta", "gpu"})); break;
  case 2: line("mov.u32 {}, {};", word(), special()); break;
  case 3: line("activemask.b32 {};", word()); break;
  case 4: line("{}nanosleep.u32 20;", guard()); break;
  default: line("mov.u32 {}, %clock;", word()); break;
  }
}

// --- memory

/// Draws an address of `bytes` that are inside of the memory, as an operand.
std::string RandomStatements::address(Memory memory, unsigned bytes) {
  const unsigned window = memory == Memory::Local                                       ? LocalBytes
                          : memory == Memory::Constant                                  ? ConstantBytes
                          : memory == Memory::Global || memory == Memory::GenericGlobal ? WindowBytes
                                                                                        : SharedBytes;
  const unsigned half = window / 2, offset = oneIn(3) ? 0 : upTo(half / bytes) * bytes;
  const bool isLarge = half >= 512;
  const std::string index = temporary('t');
  switch (upTo(isLarge ? 6 : 3)) {
  case 0: line("mov.u32 {}, {};", index, upTo(half / bytes) * bytes); break;
  case 1: line("and.b32 {}, {}, {};", index, uniform(), half - bytes); break;
  case 2: line("and.b32 {}, {}, {};", index, word(), half - bytes); break;
  default: {
    // At most 127 * 4 = 31 * 16, rounded up: less than half of the shared memory.
    const bool byLane = bytes > 4 || oneIn(3);
    const unsigned stride = byLane ? bytes * (1 + upTo(16 / bytes)) : std::max(bytes, 4u);
    if (!byLane && oneIn(5)) {
      line("mul.lo.u32 {}, %i0, {};", index, stride);
      line("sub.u32 {0}, {1}, {0};", index, half - 4);
    } else if (oneIn(2)) {
      line("mul.lo.u32 {}, %i{}, {};", index, byLane ? 1 : 0, stride);
    } else {
      line("mad.lo.s32 {}, %i{}, {}, 0;", index, byLane ? 1 : 0, stride);
    }
  }
  }
  if (hasFaults && oneIn(6))
    line("add.u32 {0}, {0}, {1};", index, oneIn(2) ? 1u << (13 + upTo(19)) : 1 + upTo(3));
  return addressAt(memory, index, offset);
}

std::string RandomStatements::addressAt(Memory memory, const std::string &index, unsigned offset) {
  const std::string at = temporary('a');
  switch (memory) {
  case Memory::Shared:
    if (oneIn(3)) {
      const std::string base = temporary('a');
      line("mov.u64 {}, s;", base);
      line("mad.wide.u32 {}, {}, 1, {};", at, index, base);
      return fmt::format("[{}+{}]", at, offset);
    } else {
      const std::string low = temporary('t');
      line("mov.u32 {}, s;", low);
      line("add.u32 {0}, {0}, {1};", low, index);
      return fmt::format("[{}+{}]", low, offset);
    }
  case Memory::GenericShared:
    line("mov.u64 {}, s;", at);
    line("cvta.shared.u64 {0}, {0};", at);
    break;
  case Memory::Local: line("mov.u64 {}, stack;", at); break;
  case Memory::Constant: line("mov.u64 {}, table;", at); break;
  default:
    if (oneIn(2)) {
      line("mad.wide.u32 {}, {}, 1, %m;", at, index);
      return fmt::format("[{}+{}]", at, offset);
    }
    line("mov.u64 {}, %m;", at);
  }
  const std::string wide = temporary('a');
  if (oneIn(3))
    line("cvt.s64.s32 {}, {};", wide, index);
  else if (oneIn(2))
    line("mul.wide.s32 {}, {}, 1;", wide, index);
  else
    line("cvt.u64.u32 {}, {};", wide, index);
  line("add.s64 {0}, {0}, {1};", at, wide);
  return fmt::format("[{}+{}]", at, offset);
}

std::string RandomStatements::nameOf(Memory memory) {
  switch (memory) {
  case Memory::Global: return ".global";
  case Memory::Shared: return ".shared";
  case Memory::Local: return ".local";
  case Memory::Constant: return ".const";
  default: return "";
  }
}

void RandomStatements::access(bool isStore) {
  if (!isStore && !inFunction && oneIn(30)) {
    line("ld.param.u32 {}, [number];", word());
    return;
  }
  const AccessType &type = AccessTypes[upTo(std::size(AccessTypes))];
  const Memory memory = isPlain ? Memory(upTo(4)) : Memory(upTo(isStore ? 5 : 6));
  std::string data;
  const unsigned first = upTo(4);
  for (unsigned i = 0; i < type.elements; ++i) { // different ones
    const char letter = type.bits == 16   ? 'h'
                        : type.isFloat    ? type.bits == 32 ? 'f' : 'g'
                        : type.bits == 32 ? 'r'
                                          : 'd';
    data += fmt::format("{}%{}{}", i ? ", " : "", letter, (first + i) % (letter == 'g' ? 2 : 4));
  }
  if (type.elements > 1)
    data = "{" + data + "}";
  std::string order;
  if (type.elements == 1 && memory < Memory::Local && !isPlain && oneIn(6))
    order = oneIn(2)  ? ".volatile"
            : isStore ? oneOf({".relaxed.gpu", ".release.gpu", ".relaxed.cta"})
                      : oneOf({".relaxed.gpu", ".acquire.gpu", ".acquire.cta"});
  const std::string at = address(memory, type.bytes * type.elements), g = guard(),
                    vector = type.elements > 1 ? fmt::format(".v{}", type.elements) : "",
                    name = fmt::format("{}{}{}.{}", order, nameOf(memory), vector, type.type);
  if (isStore)
    line("{}st{} {}, {};", g, name, at, data);
  else
    line("{}ld{} {}, {};", g, name, data, at);
}

void RandomStatements::atomic() {
  struct Form {
    const char *operation;
    unsigned bits;
    bool isFloat, canReduce;
  };
  static constexpr Form forms[] = {
      {"add.u32", 32, false, true},   {"add.s32", 32, false, true},   {"min.s32", 32, false, true},
      {"max.u32", 32, false, true},   {"and.b32", 32, false, true},   {"or.b32", 32, false, true},
      {"xor.b32", 32, false, true},   {"exch.b32", 32, false, false}, {"inc.u32", 32, false, true},
      {"dec.u32", 32, false, true},   {"cas.b32", 32, false, false},  {"add.u64", 64, false, true},
      {"exch.b64", 64, false, false}, {"cas.b64", 64, false, false},  {"max.s64", 64, false, true},
      {"add.f32", 32, true, true},    {"add.f64", 64, true, true},    {"add.noftz.f16x2", 32, false, true},
      {"add.u32", 32, false, true},   {"max.s32", 32, false, true},   {"min.u32", 32, false, true},
  };
  const Form &form = forms[upTo(std::size(forms))];
  const Memory memory = Memory(upTo(4));
  const std::string at = address(memory, form.bits / 8), g = guard(),
                    order = oneIn(6) ? oneOf({".relaxed.gpu", ".acq_rel.gpu", ".relaxed.cta"}) : "";
  const bool isCas = std::string_view(form.operation).starts_with("cas");
  auto value = [&] {
    return oneIn(4) && !form.isFloat ? randomConstant(random, form.bits, false)
                                     : reg(form.bits, form.isFloat);
  };
  if (form.canReduce && oneIn(3))
    line("{}red{}{}.{} {}, {};", g, order, nameOf(memory), form.operation, at, value());
  else
    line("{}atom{}{}.{} {}, {}, {}{};", g, order, nameOf(memory), form.operation,
         oneIn(12) ? "_" : reg(form.bits, form.isFloat), at, value(), isCas ? ", " + value() : "");
}

// --- warps and blocks

void RandomStatements::exchange(bool isTogether) {
  std::string members = "-1";
  if (!isTogether || oneIn(3)) {
    members = temporary('t');
    line("activemask.b32 {};", members);
  }
  const std::string g = oneIn(12) ? guard() : "";
  switch (upTo(8)) {
  case 0:
  case 1:
  case 2:
    line("{}shfl.sync.{}.b32 {}{}, {}, {}, {}, {};", g, oneOf({"up", "down", "bfly", "idx"}), word(),
         oneIn(2) ? "|" + reg(1) : "", oneIn(4) ? reg(32, true) : word(),
         oneIn(2) ? std::to_string(upTo(32)) : operand(), oneOf({"0", "31", "6175", "7936", "4127"}),
         members);
    break;
  case 3: line("{}vote.sync.ballot.b32 {}, {}, {};", g, word(), condition(), members); break;
  case 4:
    line("{}vote.sync.{}.pred {}, {}, {};", g, oneOf({"any", "all", "uni"}), reg(1), condition(), members);
    break;
  case 5:
    oneIn(2) ? line("{}match.any.sync.b{} {}, {}, {};", g, 32, word(), word(), members)
             : line("{}match.all.sync.b64 {}|{}, {}, {};", g, word(), reg(1), reg(64), members);
    break;
  case 6:
    line("{}redux.sync.{} {}, {}, {};", g,
         oneOf({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}), word(), word(), members);
    break;
  default: line("{}bar.warp.sync {};", g, members); break;
  }
}

} // namespace heddle::vm::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::check::test {
namespace {

using Kind = Op::Kind;

std::string textOf(const Op &op) {
  if (op.phased && op.isBarrier())
    return op.kind == Kind::Arrive ? fmt::format("arrive m{}", op.barrier)
                                   : fmt::format("wait m{} parity {}", op.barrier, op.parity);
  switch (op.kind) {
  case Kind::Arrive: return fmt::format("arrive {},{}", op.barrier, op.threads);
  case Kind::Sync: return fmt::format("sync {},{}", op.barrier, op.threads);
  case Kind::Write: return fmt::format("write {}.{}", op.slot, op.slice);
  case Kind::Read: return fmt::format("read {}.{}", op.slot, op.slice);
  }
  return "";
}

/// A stretch of operations that follows itself `times` times.
struct Repeat {
  size_t length = 1, times = 1;
};

/// The repetition at `at` that covers most; loops of one operation are left straight.
Repeat longestRepeat(const std::vector<Op> &ops, size_t at) {
  Repeat best;
  for (size_t length = 2; at + 2 * length <= ops.size(); ++length) {
    size_t times = 1;
    while (at + (times + 1) * length <= ops.size() &&
           std::equal(ops.begin() + at, ops.begin() + at + length, ops.begin() + at + times * length))
      ++times;
    if (times > 1 && length * times > best.length * best.times)
      best = {length, times};
  }
  return best;
}

/// Registers: %r0 thread, %r1 lane, %r2 sum, %r3 loop counter, %r4 ring + 4 * lane, %r5 ring + 4 * another
/// lane.
class Writer {
public:
  Writer(const Plan &plan, PtxStyle style) : plan(plan), style(style) {}

  std::string kernel() {
    line(".visible .entry k(.param .u64 out) {{");
    line(".reg .b64 %rd<4>; .reg .b32 %r<16>; .reg .pred %p<3>;");
    line(".shared .align 16 .b8 ring[{}];", plan.slots * plan.slices * 128);
    line("mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; mov.u32 %r2, 0; shr.u32 %r6, %r0, 5;");
    line("mov.u32 %r7, ring; shl.b32 %r8, %r1, 2; add.u32 %r4, %r7, %r8;");
    line("add.u32 %r8, %r8, 44; and.b32 %r8, %r8, 127; add.u32 %r5, %r7, %r8;");
    if (!plan.mbarriers.empty())
      initialize();
    for (size_t w = 0; w < plan.warps.size(); ++w)
      line("setp.eq.u32 %p0, %r6, {}; @%p0 bra WARP{};", w, w);
    line("bra DONE;");
    for (size_t w = 0; w < plan.warps.size(); ++w)
      role(w);
    line("DONE: ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;");
    line("st.global.u32 [%rd0], %r2; ret;");
    line("}}");
    return text;
  }

private:
  template <class... A> void line(fmt::format_string<A...> format, A &&...arguments) {
    text += fmt::format(format, std::forward<A>(arguments)...) + "\n";
  }

  void initialize() {
    line(".shared .align 8 .b64 phased[{}];", plan.mbarriers.size());
    line("setp.ne.u32 %p0, %r0, 0; @%p0 bra READY;");
    for (size_t i = 0; i < plan.mbarriers.size(); ++i)
      line("mbarrier.init.shared.b64 [phased+{}], {};", 8 * i, plan.mbarriers[i]);
    line("READY: bar.sync 0;");
  }

  void role(size_t w) {
    line("WARP{}:", w);
    const std::vector<Op> &ops = plan.warps[w];
    for (size_t at = 0; at < ops.size();) {
      Repeat repeat = style.loops ? longestRepeat(ops, at) : Repeat{};
      if (repeat.times > 1)
        line("mov.u32 %r3, {}; LOOP{}:", repeat.times, ++loops);
      for (size_t i = 0; i < repeat.length; ++i)
        operation(ops[at + i]);
      if (repeat.times > 1)
        line("sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra LOOP{};", loops);
      at += repeat.length * repeat.times;
    }
    line("bra DONE;");
  }

  void operation(const Op &op) {
    const unsigned offset = (op.slot * plan.slices + op.slice) * 128;
    switch (op.kind) {
    case Kind::Arrive:
    case Kind::Sync: return barrier(op, op.kind == Kind::Sync ? "sync" : "arrive");
    case Kind::Write: return line("add.u32 %r9, %r2, %r0; st.shared.u32 [%r4+{}], %r9;", offset);
    case Kind::Read: return line("ld.shared.u32 %r9, [%r5+{}]; add.u32 %r2, %r2, %r9;", offset);
    }
  }

  void barrier(const Op &op, const char *what) {
    if (op.phased)
      phasedBarrier(op);
    else if (style.registers)
      line("mov.u32 %r10, {}; mov.u32 %r11, {}; bar.{} %r10, %r11;", op.barrier, op.threads, what);
    else
      line("bar.{} {}, {};", what, op.barrier, op.threads);
  }

  void phasedBarrier(const Op &op) {
    if (op.kind == Kind::Arrive)
      return line("mbarrier.arrive.shared.b64 %rd2, [phased+{}];", 8 * op.barrier);
    line("WAIT{}: mbarrier.try_wait.parity.shared.b64 %p2, [phased+{}], {}; @!%p2 bra WAIT{};", ++waits,
         8 * op.barrier, op.parity, waits);
  }

  const Plan &plan;
  PtxStyle style;
  std::string text;
  unsigned loops = 0, waits = 0;
};

} // namespace

std::string textOf(const Plan &plan) {
  std::string text = plan.about + "\n";
  for (size_t w = 0; w < plan.warps.size(); ++w) {
    text += fmt::format("  warp {}:", w);
    for (const Op &op : plan.warps[w])
      text += " " + textOf(op) + ";";
    text += "\n";
  }
  return text;
}

std::string ptxOf(const Plan &plan, PtxStyle style) { return Writer(plan, style).kernel(); }

} // namespace heddle::check::test

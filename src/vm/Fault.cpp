// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/Fault.h"

#include <bit>

namespace heddle::vm {
namespace {

std::string str(const Dim3 &at) { return fmt::format("({},{},{})", at.x, at.y, at.z); }

} // namespace

std::string lanesText(uint32_t lanes) {
  std::string text;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    unsigned last = lane;
    while (last + 1 < 32 && lanes >> (last + 1) & 1)
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", lane);
    if (last > lane)
      text += fmt::format("-{}", last);
    lane = last;
  }
  return text;
}

std::string lanesWithWord(uint32_t lanes) {
  return (std::has_single_bit(lanes) ? "lane " : "lanes ") + lanesText(lanes);
}

const char *nameOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds: return "out of bounds";
  case FaultKind::UseAfterFree: return "use after free";
  case FaultKind::Misaligned: return "misaligned";
  case FaultKind::WrongSpace: return "wrong space";
  case FaultKind::ReadOnly: return "read only";
  case FaultKind::StackOverflow: return "stack overflow";
  case FaultKind::BarrierMisuse: return "barrier misuse";
  case FaultKind::MbarrierMisuse: return "mbarrier misuse";
  case FaultKind::WarpSyncMisuse: return "warp sync misuse";
  case FaultKind::BadCall: return "bad call";
  case FaultKind::Trap: return "trap";
  case FaultKind::AssertFailed: return "assertion failed";
  case FaultKind::Unsupported: return "not supported";
  case FaultKind::Deadlock: return "deadlock";
  case FaultKind::Timeout: return "timeout";
  }
  return "fault";
}

Diagnostic Fault::diagnostic() const {
  Diagnostic d;
  d.severity = Severity::Error;
  d.location = source.isKnown() ? source : ptx;
  d.text = fmt::format("kernel '{}': {}", kernel, text);
  if (kind != FaultKind::Deadlock && kind != FaultKind::Timeout)
    d.note(ptx, fmt::format("{}{}block {} thread {} (warp {} lane {})", instruction,
                            instruction.empty() ? "" : "   ", str(where.block), str(where.thread), where.warp,
                            where.lane));
  for (const std::string &detail : details)
    d.note({}, detail);
  for (const Waiting &w : waiting)
    d.note(w.source.isKnown() ? w.source : w.ptx,
           fmt::format("block {} warp {} {}: {}", str(w.block), w.warp, lanesWithWord(w.lanes), w.what));
  return d;
}

} // namespace heddle::vm

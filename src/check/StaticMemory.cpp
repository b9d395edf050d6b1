// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory with unknown contents. Shared memory, a thread's own memory and the parameters keep for each byte
// whether it is known; an access at a known address happens on the simulator, so that its observer sees it.
// Global memory is data: loads give unknown values, stores and atomics are left out; constant memory too,
// unless the caller vouches for what the file says.
#include "check/StaticSteering.h"
#include "vm/Access.h"
#include "vm/Lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::check {

using namespace vm;

namespace {

/// What an unknown shared address leaves undecided.
constexpr PropertySet OfShared =
    setOf(Property::SharedRaces) | setOf(Property::SharedBounds) | setOf(Property::Initialization);

} // namespace

void StaticSteering::reach(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask, Reach &out) const {
  out.taint = taintOf(s.address, mask);
  warp.addresses(in, out.address);
  const uint32_t unknown = out.taint.lanes, sure = mask & ~unknown;
  switch (in.space) {
  case MemorySpace::Shared: out.shared = sure, out.unknownShared = unknown; return;
  case MemorySpace::Local: out.local = sure, out.unknownLocal = unknown; return;
  case MemorySpace::Param: out.parameter = sure; return;
  case MemorySpace::Constant: out.constant = known.constants ? sure : 0; break;
  default: break;
  }
  const uint64_t begin = warp.block->grid->parameters, end = begin + kernel.info.parameterBytes;
  eachLane(sure, [&](unsigned lane) {
    uint64_t &at = out.address[lane];
    const uint32_t one = 1u << lane;
    if (at >= begin && at < end) {
      out.parameter |= one;
      out.constant &= ~one;
    }
    if (in.space != MemorySpace::Generic)
      return;
    const uint64_t window = at >> WindowShift << WindowShift;
    out.shared |= window == SharedWindow ? one : 0;
    out.local |= window == LocalWindow ? one : 0;
    at = window == SharedWindow || window == LocalWindow ? at & WindowOffset : at;
  });
  eachLane(sure & ~(out.shared | out.local | out.parameter | out.constant), [&](unsigned lane) {
    const uint64_t at = out.address[lane], bytes = uint64_t(in.bytes) * in.elements;
    for (const Knowledge::Table &table : known.tables)
      out.constant |= uint32_t(at >= table.begin && at + bytes <= table.end) << lane;
  });
  if (in.space != MemorySpace::Generic || !unknown)
    return;
  if (sharedPointers.mayHold(*plan->code, s.address))
    out.unknownShared = unknown;
  if (localPointers.mayHold(*plan->code, s.address))
    out.unknownLocal = unknown;
}

Flow StaticSteering::execute(Warp &warp, const Inst &in, uint32_t mask) {
  Flow flow = in.run(warp, in, mask);
  if (flow != Flow::Faulted || !perhaps)
    return flow;
  const std::string what = warp.block->fault ? warp.block->fault->text : "a fault";
  warp.block->fault.reset();
  note(plan->code->sourceOf(in),
       fmt::format("{}, if this is executed at all, which depends on {}", what, describe(perhapsBecause)),
       perhapsBecause, setOf(Property::SharedBounds));
  return Flow::Next;
}

/// The values of a store, for who compares them.
void StaticSteering::gatherStored(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  const ptx::Function &f = *plan->code->function;
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const auto sources = srcsOf(s);
  if (registerLocations.empty() || registersOf != &f)
    registerLocations = registerLocs(f), registersOf = &f;
  global.unknownValues = sources.size() < in.elements ? mask : 0;
  global.elements = in.elements, global.elementBytes = in.bytes;
  const ptx::Operand *immediates = f.operandsOf(instr).data() + (f.operandsOf(instr).size() - 1);
  std::span<const ptx::Operand> given(immediates, 1);
  if (immediates->kind == ptx::OperandKind::Vector)
    given = f.elementsOf(*immediates);
  for (unsigned e = 0; e < in.elements && e < sources.size() && e < 8; ++e) {
    const uint32_t reg = sources[e];
    if (reg == ptx::kNone) {
      const bool isNumber = e < given.size() && given[e].isImm();
      global.unknownValues |= isNumber ? 0 : mask;
      std::fill_n(global.values[e], Lanes, isNumber ? given[e].value : 0);
      continue;
    }
    global.unknownValues |= regs->lanesOf(reg) & mask;
    const unsigned bytes = std::max(1u, ptx::bitsOf(f.registers[reg].cls) / 8);
    const uint8_t *row = warp.frame().regs + registerLocations[reg];
    eachLane(mask, [&](unsigned lane) {
      global.values[e][lane] = 0;
      std::memcpy(&global.values[e][lane], row + lane * bytes, std::min<unsigned>(bytes, in.bytes));
    });
  }
}

/// An access to global memory that does not happen here. Observers learn which lanes are at work, which
/// matters to barriers, and find where it leads in globalAccess().
void StaticSteering::observeGlobal(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask,
                                   AccessKind kind) {
  static const uint64_t nowhereInParticular[Lanes] = {};
  if (!mask || dry || !warp.block->grid->sees(Observer::Accesses))
    return;
  const ptx::Instr &instr = plan->code->sourceOf(in);
  global.bases = bases.of(*plan->code, instr);
  // Memory that is not written need not be compared with anything.
  if (kind == AccessKind::Load && global.bases && !PointerBases::mayAlias(global.bases, bases.written()))
    global.bases = 0, apart = true;
  if (kind == AccessKind::Load && global.bases && follows && instr.mods.has(ptx::Flag::NonCoherent))
    note(instr,
         "memory that the kernel may write is read through the non-coherent path, which no barrier orders", 0,
         setOf(Property::GlobalRacesInBlock) | setOf(Property::GlobalRacesBetweenBlocks));
  if (follows && global.bases) {
    addressForms(warp, in, s, mask, global.address);
    gatherFacts(mask);
    if (kind == AccessKind::Store)
      gatherStored(warp, in, s, mask);
  }
  AccessEvent event{Space::Global,       kind, vm::scopeOf(in.mode),
                    orderingOf(in.mode), mask, uint32_t(in.bytes) * in.elements,
                    nowhereInParticular};
  event.elements = in.elements;
  warp.block->grid->observer->access(warp.ref(), warp.siteOf(in), event);
}

Taint StaticSteering::parameterTaint(uint64_t offset, uint32_t bytes) const {
  Taint taint;
  for (uint64_t i = offset; i < offset + bytes; ++i)
    if (i >= known.parameterUnknown.size() || known.parameterUnknown[i])
      taint.add({AllLanes,
                 i < known.parameterOf.size() ? origin::parameter(known.parameterOf[i]) : origin::Memory});
  return taint;
}

/// Of `bytes` bytes from each lane's address plus offset.
Taint StaticSteering::bytesTaint(Warp &warp, const Reach &reach, uint64_t offset, uint32_t bytes) {
  Taint taint;
  const uint64_t begin = warp.block->grid->parameters;
  eachLane(reach.shared, [&](unsigned lane) {
    if (sharedBytes.any(reach.address[lane] + offset, bytes))
      taint.add({1u << lane, sharedBytes.origins});
  });
  eachLane(reach.local, [&](unsigned lane) {
    if (shadow->local[lane].any(reach.address[lane] + offset, bytes))
      taint.add({1u << lane, shadow->local[lane].origins});
  });
  eachLane(reach.parameter, [&](unsigned lane) {
    Taint one = parameterTaint(reach.address[lane] + offset - begin, bytes);
    one.lanes &= 1u << lane;
    taint.add(one);
  });
  return taint;
}

void StaticSteering::setBytes(const Reach &reach, uint64_t offset, uint32_t bytes, const Taint &value) {
  // What may not have been stored leaves one value or the other.
  const uint32_t unknown = perhaps || memoryIsData ? AllLanes : value.lanes;
  eachLane(reach.shared,
           [&](unsigned lane) { sharedBytes.set(reach.address[lane] + offset, bytes, unknown >> lane & 1); });
  eachLane(reach.local, [&](unsigned lane) {
    shadow->local[lane].set(reach.address[lane] + offset, bytes, unknown >> lane & 1);
    shadow->local[lane].origins |= value.origins;
  });
  if (reach.shared)
    sharedBytes.origins |= value.origins;
}

/// An access of this kind, "load", may lead anywhere in the memories that the address may be of.
void StaticSteering::noteUnknown(const Inst &in, const Reach &to, const char *access) {
  const std::string dependence = "depends on " + describe(to.taint.origins);
  if (to.unknownShared)
    note(plan->code->sourceOf(in), fmt::format("the shared address of this {} {}", access, dependence),
         to.taint.origins, OfShared);
  if (to.unknownLocal)
    note(plan->code->sourceOf(in), fmt::format("the local address of this {} {}", access, dependence),
         to.taint.origins, OfLocal);
}

void StaticSteering::forgetLocal(uint32_t lanes, Origins because) {
  eachLane(lanes, [&](unsigned lane) {
    shadow->local[lane].forget();
    shadow->local[lane].origins |= because;
  });
}

Flow StaticSteering::load(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  if (in.address ==
      AddressForm::Parameters) { // by far the commonest load of parameters, the same for all lanes
    unsigned element = 0;
    for (uint32_t reg : dstsOf(s))
      if (const uint64_t at = uint64_t(in.imm) + in.bytes * element++; reg != ptx::kNone) {
        const Taint taint = parameterTaint(at, in.bytes);
        regs->set(reg, mask, taint);
        if (follows && taint.lanes)
          followParameter(reg, mask, at, in.bytes);
      }
    return execute(warp, in, mask);
  }
  Reach to;
  reach(warp, in, s, mask, to);
  noteUnknown(in, to, "load");
  const uint32_t happens = to.shared | to.local | to.parameter | to.constant;
  global.bases = 0; // accesses to a table are not compared
  if (happens)
    if (Flow flow = execute(warp, in, happens); flow != Flow::Next)
      return flow;
  observeGlobal(warp, in, s, mask & ~happens, AccessKind::Load);
  unsigned element = 0;
  for (uint32_t reg : dstsOf(s)) {
    Taint taint = bytesTaint(warp, to, uint64_t(in.bytes) * element++, in.bytes);
    // What others may change meanwhile is not known, whatever it was: where nothing orders them, volatile or
    // not, that is a race and found as one, unless threads wait for each other here.
    const uint32_t strong = s.isPolled || vm::orderingOf(in.mode) > Ordering::Volatile ? to.shared : 0;
    if (const uint32_t data = (mask & ~happens) | strong)
      taint.add({data, origin::Memory});
    sharedUsed |= (to.shared & ~taint.lanes) != 0;
    if (reg != ptx::kNone)
      regs->set(reg, mask, taint);
  }
  return Flow::Next;
}

/// The lanes whose store or atomic may lead to global memory. A generic address that is unknown may be of shared and of
/// global memory: compilers merge stores to the two into one.
uint32_t StaticSteering::mayBeGlobal(const Inst &in, const Reach &to, uint32_t mask) const {
  const uint32_t elsewhere = mask & ~(to.shared | to.local);
  const bool isGlobalToo =
      in.space == MemorySpace::Generic && bases.reachesGlobal(*plan->code, plan->code->sourceOf(in));
  return isGlobalToo ? elsewhere : elsewhere & ~to.unknownShared;
}

Flow StaticSteering::store(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  if (in.space == MemorySpace::Global) {
    observeGlobal(warp, in, s, mask, AccessKind::Store);
    return Flow::Next;
  }
  Reach to;
  reach(warp, in, s, mask, to);
  observeGlobal(warp, in, s, mayBeGlobal(in, to, mask), AccessKind::Store);
  noteUnknown(in, to, "store");
  if (to.unknownShared)
    sharedBytes.forget();
  anywhereWritten |= to.unknownShared || to.unknownLocal;
  if (to.unknownLocal)
    forgetLocal(to.unknownLocal, to.taint.origins);
  const auto values = srcsOf(s);
  storesUnknown = 0;
  for (unsigned element = 0; element < in.elements && element < values.size(); ++element)
    storesUnknown |= taintOf(values[element], mask).lanes;
  // Who asks compares new values with old ones, so the old ones matter only where the new ones are known.
  overUnknown = storesUnknown || !to.shared ? mask : bytesTaint(warp, to, 0, in.bytes * in.elements).lanes;
  if (const uint32_t happens = to.shared | to.local)
    if (Flow flow = execute(warp, in, happens); flow != Flow::Next)
      return flow;
  for (unsigned element = 0; element < in.elements && element < values.size(); ++element)
    setBytes(to, uint64_t(in.bytes) * element, in.bytes, taintOf(values[element], mask));
  return Flow::Next;
}

/// What an atomic finds depends on who came before, and what it leaves behind too.
Flow StaticSteering::atomic(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  setDsts(s, mask, {mask, origin::Atomic});
  if (in.space == MemorySpace::Global) {
    observeGlobal(warp, in, s, mask, AccessKind::Atomic);
    return Flow::Next;
  }
  Reach to;
  reach(warp, in, s, mask, to);
  observeGlobal(warp, in, s, mayBeGlobal(in, to, mask), AccessKind::Atomic);
  noteUnknown(in, to, "atomic");
  if (to.unknownShared)
    sharedBytes.forget();
  if (to.unknownLocal)
    forgetLocal(to.unknownLocal, to.taint.origins);
  anywhereWritten |= to.unknownShared || to.unknownLocal;
  const uint32_t happens = to.shared | to.local;
  if (!happens)
    return Flow::Next;
  setBytes(to, 0, uint32_t(in.bytes) * in.elements, {AllLanes, origin::Atomic});
  return execute(warp, in, happens);
}

// --- whole warps: matrices
// ------------------------------------------------------------------------------------------

Flow StaticSteering::matrix(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  setDsts(s, mask, {mask, origin::Memory});
  if (s.rule == TaintRule::Product8x8)
    return execute(warp, in, mask);
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const bool byRows = instr.op == ptx::Op::LdMatrix || instr.op == ptx::Op::StMatrix;
  Reach to;
  reach(warp, in, s, byRows && in.bytes < 4 ? (1u << (8 * in.bytes)) - 1 : mask, to);
  if (!to.shared && !to.unknownShared) {
    leaveGlobal(in); // a fragment in global memory
    return Flow::Next;
  }
  Taint shape = to.unknownShared ? to.taint : Taint{};
  if (!byRows)
    shape.add(operandTaint(plan->code->function->operandsOf(instr).back(), mask)); // the leading dimension
  if (shape.lanes) {
    note(instr, "the shared addresses of this matrix depend on " + describe(shape.origins), shape.origins,
         OfShared);
    if (to.unknownShared && in.space == MemorySpace::Generic && bases.reachesGlobal(*plan->code, instr))
      leaveGlobal(in);
    return Flow::Next;
  }
  if (s.rule == TaintRule::MatrixStore) {
    if (byRows)
      setBytes(to, 0, 16, {AllLanes, origin::Memory});
    else
      sharedBytes.forget();
  }
  return execute(warp, in, mask);
}

// --- asynchronous copies
// --------------------------------------------------------------------------------------------

void StaticSteering::leadNowhere(Warp &warp, Loc row, uint32_t mask) const {
  eachLane(mask, [&](unsigned lane) { warp.row<uint64_t>(row)[lane] = known.nowhere; });
}

/// The rows of addresses are temporaries of the instruction, so they may be written: the global end of a copy
/// is unknown and lies nowhere.
Flow StaticSteering::copyAsync(Warp &warp, const Inst &in, const TaintStep &, uint32_t mask) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const Taint target = operandTaint(plan->code->function->operandsOf(instr)[0], mask);
  if (target.lanes)
    note(instr, "the shared address of this copy depends on " + describe(target.origins), target.origins,
         OfShared);
  anywhereWritten |= target.lanes != 0;
  Reach to;
  to.shared = mask & ~target.lanes;
  if (!to.shared)
    return Flow::Next;
  if (PointerBases::mayAlias(bases.ofAddress(*plan->code, plan->code->function->operandsOf(instr)[1]),
                             bases.written()))
    leaveGlobal(in);
  std::copy_n(warp.row<uint64_t>(in.a), Lanes, to.address);
  leadNowhere(warp, in.b, mask);
  Flow flow = execute(warp, in, to.shared);
  setBytes(to, 0, in.bytes, {AllLanes, origin::Memory});
  return flow;
}

Flow StaticSteering::bulkCopy(Warp &warp, const Inst &in, const TaintStep &, uint32_t mask) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  auto operands = plan->code->function->operandsOf(instr);
  const bool outward = instr.mods.space == ptx::Space::Global;
  Taint fixed = operandTaint(operands[outward ? 1 : 0], mask);
  fixed.add(operandTaint(operands[2], mask));
  if (!outward)
    fixed.add(operandTaint(operands[3], mask));
  if (!outward && in.space == MemorySpace::Shared)
    fixed.add(operandTaint(operands[1], mask));
  if (fixed.lanes)
    return giveUp(warp, in, "address, size or mbarrier of this copy depends on " + describe(fixed.origins),
                  fixed.origins);
  if (in.space != MemorySpace::Shared) {
    leadNowhere(warp, outward ? in.a : in.b, mask);
    if (outward || PointerBases::mayAlias(bases.ofAddress(*plan->code, operands[1]), bases.written()))
      leaveGlobal(in);
  }
  if (!outward)
    eachLane(mask, [&](unsigned lane) {
      sharedBytes.set(warp.row<uint64_t>(in.a)[lane], warp.row<uint32_t>(in.c)[lane], true);
    });
  return execute(warp, in, mask);
}

} // namespace heddle::check

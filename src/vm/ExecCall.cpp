// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// call and ret (PTX ISA, "call"), the stack, and functions that are not defined in device code: printf,
// malloc, free, assertions, and the math library.
//
// The .param variables of a function are in the local frame of the thread, so that their address can be
// taken. A call copies its arguments into the callee's frame; a return copies the results to the caller's.
#include "semantics/Libdevice.h"
#include "support/Demangle.h"
#include "vm/Exec.h"
#include "vm/Grid.h"
#include "vm/Printf.h"

#include <cstring>

namespace heddle::vm {
namespace {

using ptx::Op;

enum Builtin : uint8_t { NotBuiltin, Print, Malloc, Free, AssertFail, Math };

// --- arguments and results
// ------------------------------------------------------------------------------------

uint8_t *localAt(Warp &warp, const Frame &frame, unsigned lane, uint32_t offset) {
  return warp.localMemory(lane) + frame.localBase + offset;
}

/// At most 8 bytes. The usual sizes are known to the compiler, which needs no call for them.
void copyValue(void *to, const void *from, unsigned bytes) {
  switch (bytes) {
  case 4: std::memcpy(to, from, 4); break;
  case 8: std::memcpy(to, from, 8); break;
  default: std::memcpy(to, from, bytes); break;
  }
}

uint64_t argument(Warp &warp, const CallSite::Piece &piece, unsigned lane) {
  uint64_t value = 0;
  if (piece.reg != NoLoc)
    copyValue(&value, warp.row<uint8_t>(piece.reg) + lane * piece.regBytes, piece.regBytes);
  else
    copyValue(&value, localAt(warp, warp.frame(), lane, piece.callerOffset), std::min(piece.bytes, 8u));
  return value;
}

void putResult(Warp &warp, const CallSite &site, unsigned lane, uint64_t value) {
  if (site.results.empty())
    return;
  const CallSite::Piece &piece = site.results[0];
  if (piece.reg != NoLoc)
    copyValue(warp.row<uint8_t>(piece.reg) + lane * piece.regBytes, &value, piece.regBytes);
  else
    copyValue(localAt(warp, warp.frame(), lane, piece.callerOffset), &value, std::min(piece.bytes, 8u));
}

// --- calls of functions in the module
// --------------------------------------------------------------------------

// Bytes of the stack that a frame needs besides its variables: the registers that a real call would save.
uint32_t savedBytes(const Code &callee) { return std::min(callee.frameBytes / Lanes, 256u) + 16; }

/// Observers see arguments and results in memory as stores to the frame that receives them.
void noteCopy(Warp &warp, const Inst &in, uint32_t mask, const Frame &to, uint32_t offset, uint32_t bytes) {
  if (!warp.block->grid->sees(Observer::Accesses) || !bytes)
    return;
  uint64_t address[Lanes];
  std::fill_n(address, Lanes, uint64_t(to.localBase) + offset);
  warp.noteAccess(in, mask, address, MemorySpace::Local, bytes, AccessKind::Store, Scope::None,
                  Ordering::Weak);
}

void copyArguments(Warp &warp, const Inst &in, const CallSite &site, const Frame &caller, const Frame &callee,
                   uint32_t mask) {
  for (size_t i = 0; i < site.arguments.size() && i < callee.code->paramPlaces.size(); ++i) {
    const CallSite::Piece &piece = site.arguments[i];
    eachLane(mask, [&](unsigned lane) {
      uint8_t *to = localAt(warp, callee, lane, callee.code->paramPlaces[i]);
      if (piece.reg != NoLoc)
        std::memcpy(to, warp.row<uint8_t>(piece.reg) + lane * piece.regBytes, piece.regBytes);
      else
        std::memcpy(to, localAt(warp, caller, lane, piece.callerOffset), piece.bytes);
    });
    noteCopy(warp, in, mask, callee, callee.code->paramPlaces[i],
             piece.reg != NoLoc ? piece.regBytes : piece.bytes);
  }
}

Flow enter(Warp &warp, const Inst &in, uint32_t mask, const CallSite &site, const Code &callee) {
  const uint32_t pc = warp.code().pcOf(in);
  if (site.arguments.size() != callee.paramPlaces.size())
    return warp.fault(in, mask, FaultKind::BadCall,
                      fmt::format("'{}' takes {} parameters and is called with {}", callee.function->name,
                                  callee.paramPlaces.size(), site.arguments.size()));
  Frame *caller = warp.now().frame;
  const uint32_t top = ((caller->localTop + 15) & ~15u) + callee.localBytes + savedBytes(callee);
  if (!warp.growLocal(in, mask, top))
    return Flow::Faulted;
  warp.flush(&in);
  if (uint32_t passing = warp.now().mask & ~mask)
    warp.separate(in, passing, pc + 1);
  Frame *frame = warp.pushFrame(callee, caller, mask);
  frame->call = &in;
  frame->site = &site;
  frame->localTop = top;
  copyArguments(warp, in, site, *caller, *frame, mask);
  Split &split = warp.now();
  split.frame = frame;
  split.pc = callee.entryPc;
  split.order = callee.insts[split.pc].order;
  split.backEdges = 0, split.checkAt = FirstLook;
  return Flow::Reschedule;
}

Flow callDirect(Warp &warp, const Inst &in, uint32_t mask) {
  const CallSite &site = warp.block->grid->kernel.calls[in.extra];
  return enter(warp, in, mask, site, *site.callee);
}

/// Lanes that call the same function do so together; the others stay at this instruction and call next.
Flow callIndirect(Warp &warp, const Inst &in, uint32_t mask) {
  const Kernel &kernel = warp.block->grid->kernel;
  const CallSite &site = kernel.calls[in.extra];
  const uint64_t *pointer = warp.row<uint64_t>(site.pointer);
  const uint64_t target = pointer[firstLane(mask)];
  auto found = kernel.byAddress.find(target);
  if (found == kernel.byAddress.end())
    return warp.faultAt(in, firstLane(mask), FaultKind::BadCall, target,
                        fmt::format("call through a pointer that is no function: {:#x}", target));
  uint32_t group = 0;
  eachLane(mask, [&](unsigned lane) { group |= uint32_t(pointer[lane] == target) << lane; });
  const uint32_t pc = warp.code().pcOf(in);
  if (group != mask) {
    // All lanes executed what is before this; those that call another function execute this once more, by themselves.
    if (warp.segment != &in)
      warp.flush(&in - 1), warp.segment = &in;
    warp.separate(in, mask & ~group, pc);
  }
  return enter(warp, in, group, site, *found->second);
}

Flow returnLanes(Warp &warp, const Inst &in, uint32_t mask) {
  Frame *frame = warp.now().frame, *caller = frame->caller;
  for (size_t i = 0; i < frame->site->results.size() && i < frame->code->resultPlaces.size(); ++i) {
    const CallSite::Piece &piece = frame->site->results[i];
    eachLane(mask, [&](unsigned lane) {
      const uint8_t *from = localAt(warp, *frame, lane, frame->code->resultPlaces[i]);
      if (piece.reg != NoLoc)
        std::memcpy(caller->regs + (piece.reg & LocOffset) + lane * piece.regBytes, from, piece.regBytes);
      else
        std::memcpy(localAt(warp, *caller, lane, piece.callerOffset), from, piece.bytes);
    });
    if (piece.reg == NoLoc)
      noteCopy(warp, in, mask, *caller, piece.callerOffset, piece.bytes);
  }
  warp.flush(&in);
  const Inst &call = *frame->call;
  if (mask != warp.now().mask) {
    warp.separate(in, warp.now().mask & ~mask, warp.code().pcOf(in) + 1);
  }
  frame->live &= ~mask;
  Split &split = warp.now();
  split.frame = caller;
  split.jump(call, caller->code->pcOf(call) + 1);
  split.backEdges = 0, split.checkAt = FirstLook;
  if (frame->live == 0)
    warp.dropFrame(frame);
  return Flow::Reschedule;
}

// --- memory of one lane, by generic address
// -------------------------------------------------------------------

uint8_t *laneMemory(Warp &warp, const Inst &in, unsigned lane, uint64_t address, uint32_t bytes, bool write) {
  uint64_t addresses[Lanes] = {};
  addresses[lane] = address;
  Pointers pointers;
  return warp.locateAt(in, 1u << lane, addresses, MemorySpace::Generic, bytes, 1, write, pointers)
             ? pointers.at[lane]
             : nullptr;
}

bool laneString(Warp &warp, const Inst &in, unsigned lane, uint64_t address, std::string &text) {
  constexpr size_t Longest = 1 << 16;
  for (; text.size() < Longest; ++address) {
    const uint8_t *at = laneMemory(warp, in, lane, address, 1, false);
    if (!at)
      return false;
    if (*at == 0)
      return true;
    text += char(*at);
  }
  return true;
}

// --- functions outside the module
// ------------------------------------------------------------------------------

bool print(Warp &warp, const Inst &in, unsigned lane, const CallSite &site) {
  std::string format;
  if (!laneString(warp, in, lane, argument(warp, site.arguments[0], lane), format))
    return false;
  const uint64_t list = argument(warp, site.arguments[1], lane);
  PrintfArguments arguments{
      [&](uint64_t offset, void *to, unsigned bytes) {
        const uint8_t *at = laneMemory(warp, in, lane, list + offset, bytes, false);
        if (at)
          std::memcpy(to, at, bytes);
        return at != nullptr;
      },
      [&](uint64_t address, std::string &text) { return laneString(warp, in, lane, address, text); }};
  int count = 0;
  if (!formatDevice(format, arguments, warp.block->output, count))
    return false;
  putResult(warp, site, lane, uint32_t(count));
  return true;
}

void allocate(Warp &warp, unsigned lane, const CallSite &site) {
  Grid &grid = *warp.block->grid;
  const uint64_t bytes = argument(warp, site.arguments[0], lane);
  void *at = nullptr;
  if (bytes && grid.heapUsed.fetch_add(bytes) + bytes <= grid.heapBytes)
    at = grid.memory.allocate(bytes, AllocationKind::DeviceHeap, {}, 16);
  if (!at && bytes)
    grid.heapUsed.fetch_sub(bytes);
  putResult(warp, site, lane, uint64_t(at));
}

bool release(Warp &warp, const Inst &in, unsigned lane, const CallSite &site) {
  Grid &grid = *warp.block->grid;
  const uint64_t address = argument(warp, site.arguments[0], lane);
  if (address == 0)
    return true;
  auto piece = grid.memory.nearest(address);
  const bool isHeap = piece && piece->kind == AllocationKind::DeviceHeap;
  if (isHeap && grid.memory.free(reinterpret_cast<void *>(address)) == FreeResult::Freed) {
    grid.heapUsed.fetch_sub(piece->bytes);
    warp.core->forget();
    return true;
  }
  warp.faultAt(in, lane, isHeap && !piece->live ? FaultKind::UseAfterFree : FaultKind::OutOfBounds, address,
               fmt::format("free of {:#x}, which device code did not allocate or freed before", address),
               piece ? std::vector<std::string>{"nearest is " + piece->str()} : std::vector<std::string>{});
  return false;
}

bool assertFail(Warp &warp, const Inst &in, unsigned lane, const CallSite &site) {
  std::string message, file, function;
  laneString(warp, in, lane, argument(warp, site.arguments[0], lane), message);
  laneString(warp, in, lane, argument(warp, site.arguments[1], lane), file);
  const uint32_t line = uint32_t(argument(warp, site.arguments[2], lane));
  laneString(warp, in, lane, argument(warp, site.arguments[3], lane), function);
  const ThreadPlace at = warp.placeOf(lane);
  warp.fault(in, 1u << lane, FaultKind::AssertFailed,
             fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", file,
                         line, function, at.block.x, at.block.y, at.block.z, at.thread.x, at.thread.y,
                         at.thread.z, message));
  return false;
}

unsigned bytesOf(semantics::ExternType type) {
  using enum semantics::ExternType;
  switch (type) {
  case I16: return 2;
  case I64:
  case F64:
  case OutF64:
  case InF64: return 8;
  default: return 4;
  }
}

bool math(Warp &warp, const Inst &in, unsigned lane, const CallSite &site) {
  const semantics::ExternFunction &f = *site.math;
  uint64_t arguments[8] = {}, outs[8] = {};
  std::string texts[8];
  for (size_t i = 0; i < f.parameters.size(); ++i) {
    const semantics::ExternType type = f.parameters[i];
    arguments[i] = argument(warp, site.arguments[i], lane);
    if (type == semantics::ExternType::InText) {
      if (!laneString(warp, in, lane, arguments[i], texts[i]))
        return false;
      arguments[i] = uint64_t(texts[i].c_str());
    } else if (semantics::isIn(type)) {
      const uint64_t bytes = uint64_t(uint32_t(arguments[i - 1])) * bytesOf(type);
      const uint8_t *from =
          bytes ? laneMemory(warp, in, lane, arguments[i], uint32_t(bytes), false) : nullptr;
      if (bytes && !from)
        return false;
      texts[i].assign(reinterpret_cast<const char *>(from), bytes);
      arguments[i] = uint64_t(texts[i].data());
    }
  }
  const uint64_t result = f.call(arguments, outs);
  for (size_t i = 0; i < f.parameters.size(); ++i) {
    if (!semantics::isOut(f.parameters[i]))
      continue;
    const unsigned bytes = bytesOf(f.parameters[i]);
    uint8_t *to = laneMemory(warp, in, lane, argument(warp, site.arguments[i], lane), bytes, true);
    if (!to)
      return false;
    std::memcpy(to, &outs[i], bytes);
    if (warp.block->grid->sees(Observer::Accesses)) {
      uint64_t address[Lanes] = {};
      address[lane] = argument(warp, site.arguments[i], lane);
      warp.noteAccess(in, 1u << lane, address, MemorySpace::Generic, bytes, AccessKind::Store, Scope::None,
                      Ordering::Weak);
    }
  }
  if (f.result != semantics::ExternType::Void)
    putResult(warp, site, lane, result);
  return true;
}

/// Of a function whose parameters are values: no memory is looked at, and nothing can fail.
Flow callMathOfValues(Warp &warp, const Inst &in, uint32_t mask) {
  const CallSite &site = warp.block->grid->kernel.calls[in.extra];
  const semantics::ExternFunction &f = *site.math;
  const size_t count = f.parameters.size();
  const bool hasResult = f.result != semantics::ExternType::Void;
  eachLane(mask, [&](unsigned lane) {
    uint64_t arguments[8], outs[8];
    for (size_t i = 0; i < count; ++i)
      arguments[i] = argument(warp, site.arguments[i], lane);
    const uint64_t result = f.call(arguments, outs);
    if (hasResult)
      putResult(warp, site, lane, result);
  });
  return Flow::Next;
}

bool hasOnlyValues(const semantics::ExternFunction &f) {
  return std::none_of(f.parameters.begin(), f.parameters.end(), [](semantics::ExternType type) {
    return semantics::isIn(type) || semantics::isOut(type);
  });
}

Flow callBuiltin(Warp &warp, const Inst &in, uint32_t mask) {
  const CallSite &site = warp.block->grid->kernel.calls[in.extra];
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    bool good = true;
    switch (Builtin(site.builtin)) {
    case Print: good = print(warp, in, lane, site); break;
    case Malloc: allocate(warp, lane, site); break;
    case Free: good = release(warp, in, lane, site); break;
    case AssertFail: good = assertFail(warp, in, lane, site); break;
    case Math: good = math(warp, in, lane, site); break;
    case NotBuiltin: break;
    }
    if (!good)
      return Flow::Faulted;
  }
  return Flow::Next;
}

// --- lowering
// --------------------------------------------------------------------------------------------------

struct Known {
  const char *name;
  Builtin which;
  size_t arguments;
};
constexpr Known KnownFunctions[] = {
    {"vprintf", Print, 2}, {"malloc", Malloc, 1}, {"free", Free, 1}, {"__assertfail", AssertFail, 5}};

/// What a launch in device code becomes: functions of CUDA's device runtime.
bool isDeviceLaunch(std::string_view function) {
  return function.starts_with("__cudaCDP") || function.starts_with("cudaLaunchDevice") ||
         function.starts_with("cudaGetParameterBuffer");
}

bool setBuiltin(CallSite &site) {
  for (const Known &known : KnownFunctions)
    if (site.name == known.name && site.arguments.size() >= std::min<size_t>(known.arguments, 4)) {
      site.builtin = known.which;
      return true;
    }
  site.math = semantics::findExtern(site.name);
  site.builtin = site.math ? Math : NotBuiltin;
  return site.math && site.math->parameters.size() == site.arguments.size() && site.arguments.size() <= 8;
}

bool addPieces(Lowering &lo, const ptx::Operand &list, std::vector<CallSite::Piece> &pieces, bool results) {
  for (const ptx::Operand &operand : lo.elements(list)) {
    CallSite::Piece piece;
    if (operand.kind == ptx::OperandKind::Var || operand.kind == ptx::OperandKind::AddrVar) {
      auto at = lo.code.paramOffsets.find(operand.index);
      if (at == lo.code.paramOffsets.end())
        return lo.unsupported("an argument is no .param variable of this function");
      piece.callerOffset = at->second;
      piece.bytes = uint32_t(lo.module.module->variables[operand.index].bytes);
    } else if (operand.kind != ptx::OperandKind::Sink || !results) {
      const unsigned bits = operand.isReg() ? lo.width(operand) : 64;
      piece.reg = results ? lo.dest(operand) : lo.source(operand, bits);
      piece.regBytes = uint8_t(bits / 8);
      piece.bytes = piece.regBytes;
    }
    pieces.push_back(piece);
  }
  return true;
}

bool lowerCallInstr(Lowering &lo) {
  CallSite site;
  const ptx::Operand &callee = lo.ops[0];
  if ((lo.ops.size() > 1 && lo.isWritten(lo.ops[1]) && !addPieces(lo, lo.ops[1], site.results, true)) ||
      (lo.ops.size() > 2 && lo.isWritten(lo.ops[2]) && !addPieces(lo, lo.ops[2], site.arguments, false)))
    return false;
  Handler handler = callDirect;
  if (callee.kind == ptx::OperandKind::Func) {
    const ptx::Function &function = lo.module.module->functions[callee.index];
    site.name = function.name;
    if (auto known = lo.kernel.byFunction.find(&function); known != lo.kernel.byFunction.end())
      site.callee = known->second;
    else if (setBuiltin(site))
      handler = site.math && hasOnlyValues(*site.math) ? callMathOfValues : callBuiltin;
    else if (isDeviceLaunch(function.name))
      return lo.refused(
          "a kernel launches a kernel here: the simulator does not support dynamic parallelism");
    else
      return lo.refused(fmt::format("calls '{}', which this file does not define", demangled(function.name)),
                        "device code of several files is linked with -rdc=true");
  } else {
    site.pointer = lo.source(callee, 64);
    handler = callIndirect;
  }
  Inst &in = lo.emit(handler);
  in.extra = uint32_t(lo.kernel.calls.size());
  lo.kernel.calls.push_back(std::move(site));
  return true;
}

// --- alloca
// ----------------------------------------------------------------------------------------------------

/// Every lane gets the largest size that a lane requests, at the same offset: all lanes have the same frame layout.
Flow allocaBytes(Warp &warp, const Inst &in, uint32_t mask) {
  uint64_t most = 0;
  eachLane(mask, [&](unsigned lane) {
    most = std::max<uint64_t>(most, in.bytes == 8 ? warp.row<uint64_t>(in.a)[lane]
                                                  : warp.row<uint32_t>(in.a)[lane]);
  });
  Frame &frame = warp.frame();
  const uint32_t alignment = std::max(uint32_t(in.imm), 16u);
  const uint64_t at = (frame.localTop + alignment - 1) / alignment * uint64_t(alignment);
  if (at + most > ~0u || !warp.growLocal(in, mask, uint32_t(at + most))) {
    if (at + most > ~0u)
      warp.fault(in, mask, FaultKind::StackOverflow, fmt::format("stack overflow: alloca of {} bytes", most));
    return Flow::Faulted;
  }
  frame.localTop = uint32_t(at + most);
  eachLane(mask, [&](unsigned lane) {
    in.bytes == 8 ? void(warp.row<uint64_t>(in.dst)[lane] = at)
                  : void(warp.row<uint32_t>(in.dst)[lane] = uint32_t(at));
  });
  return Flow::Next;
}

template <class T> Flow stackSave(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) { warp.row<T>(in.dst)[lane] = T(warp.frame().localTop); });
  return Flow::Next;
}
template <class T> Flow stackRestore(Warp &warp, const Inst &in, uint32_t mask) {
  // Lanes that are elsewhere in this activation may still use what they allocated later.
  if (mask == warp.frame().live)
    warp.frame().localTop = uint32_t(warp.row<T>(in.a)[firstLane(mask)]);
  return Flow::Next;
}

bool lowerStack(Lowering &lo) {
  const bool wide = ptx::bitsOf(lo.type()) == 64;
  if (lo.instr->op == Op::StackRestore) {
    Loc a = lo.source(lo.ops[0], lo.type());
    lo.emit(wide ? stackRestore<uint64_t> : stackRestore<uint32_t>).a = a;
    return true;
  }
  Loc dst = lo.dest(lo.ops[0]);
  if (lo.instr->op == Op::StackSave) {
    lo.emit(wide ? stackSave<uint64_t> : stackSave<uint32_t>).dst = dst;
    return true;
  }
  Loc a = lo.source(lo.ops[1], lo.type());
  Inst &in = lo.emit(allocaBytes);
  in.dst = dst, in.a = a, in.bytes = wide ? 8 : 4;
  in.imm = lo.ops.size() > 2 ? int64_t(lo.ops[2].value) : 8;
  return true;
}

} // namespace

bool lowerCall(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::Call: return lowerCallInstr(lo);
  case Op::Ret: lo.emit(returnLanes); return true;
  case Op::Alloca:
  case Op::StackSave:
  case Op::StackRestore: return lowerStack(lo);
  default: return false;
  }
}

} // namespace heddle::vm

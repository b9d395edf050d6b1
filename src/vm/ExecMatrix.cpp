// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions of a whole warp: mma.sync, ldmatrix, stmatrix, movmatrix (PTX ISA, "Warp Level Matrix
// Instructions"). semantics/Matrix.h defines which lane holds which element.
#include "semantics/Matrix.h"
#include "vm/Exec.h"
#include "vm/Grid.h"
#include "vm/WarpSyncs.h"

#include <cstring>
#include <optional>

namespace heddle::vm {
namespace {

using ptx::Op;
using ptx::Type;
using sem::Element;
using sem::WarpRegister;

using enum MatrixWork;

// --- registers in and out
// --------------------------------------------------------------------------------------

WarpRegister readRegister(Warp &warp, Loc loc, bool wide) {
  WarpRegister r;
  for (unsigned lane = 0; lane < Lanes; ++lane)
    r[lane] = wide ? warp.row<uint64_t>(loc)[lane] : warp.row<uint32_t>(loc)[lane];
  return r;
}
void writeRegister(Warp &warp, Loc loc, bool wide, const WarpRegister &r, uint32_t mask) {
  if (loc == NoLoc)
    return;
  eachLane(mask, [&](unsigned lane) {
    wide ? void(warp.row<uint64_t>(loc)[lane] = r[lane])
         : void(warp.row<uint32_t>(loc)[lane] = uint32_t(r[lane]));
  });
}

/// What an mma instruction carries in Code::locs: counts of D, A, B, C registers, the kind, then the
/// registers.
struct MmaOperands {
  const Loc *words;
  uint32_t count(unsigned which) const { return words[which]; }
  sem::MmaKind kind() const {
    return {{int(words[4]), int(words[5]), int(words[6])},
            Element(words[7]),
            Element(words[8]),
            Element(words[9]),
            words[10] != 0};
  }
  const Loc *registers() const { return words + 12; }
};
constexpr unsigned MaxRegisters = 16;

Flow mma(Warp &warp, const Inst &in, uint32_t mask) {
  const MmaOperands operands{&warp.code().locs[in.extra]};
  const sem::MmaKind kind = operands.kind();
  const bool wide = kind.a == Element::F64;
  WarpRegister regs[4][MaxRegisters];
  const Loc *loc = operands.registers() + operands.count(0);
  for (unsigned which = 1; which < 4; ++which)
    for (unsigned i = 0; i < operands.count(which); ++i)
      regs[which][i] = readRegister(warp, *loc++, wide);
  if (MatrixWork(in.mode) == MmaQuad)
    sem::mmaSyncQuad(operands.words[11] & 1, operands.words[11] & 2, operands.count(3) == 8,
                     operands.count(0) == 8, regs[1], regs[2], regs[3], regs[0]);
  else
    sem::mmaSync(kind, regs[1], regs[2], regs[3], regs[0]);
  for (unsigned i = 0; i < operands.count(0); ++i)
    writeRegister(warp, operands.registers()[i], wide, regs[0][i], mask);
  return Flow::Next;
}

// --- ldmatrix and stmatrix: lane 8m + r has the address of row r of matrix m
// -----------------------------------

bool rowPointers(Warp &warp, const Inst &in, bool write, Pointers &rows) {
  const unsigned matrices = in.bytes;
  const uint32_t lanes = matrices == 4 ? AllLanes : (1u << (8 * matrices)) - 1;
  alignas(64) uint64_t address[Lanes];
  warp.addresses(in, address);
  if (!warp.locateAt(in, lanes, address, in.space, 16, 16, write, rows))
    return false;
  if (warp.block->grid->sees(Observer::Accesses))
    warp.noteAccess(in, lanes, address, in.space, 16, write ? AccessKind::Store : AccessKind::Load,
                    Scope::None, Ordering::Weak);
  return true;
}

Flow loadMatrix(Warp &warp, const Inst &in, uint32_t mask) {
  Pointers rows;
  if (!rowPointers(warp, in, false, rows))
    return Flow::Faulted;
  const Loc *regs = &warp.code().locs[in.extra];
  for (unsigned m = 0; m < in.bytes; ++m)
    eachLane(mask, [&](unsigned lane) {
      uint16_t halves[2];
      for (int half = 0; half < 2; ++half) {
        const sem::Place at = sem::placeInMatrix8x8(int(lane), half, in.c != NoLoc);
        std::memcpy(&halves[half], rows.at[sem::addressLane(int(m), at.row)] + 2 * at.column, 2);
      }
      if (regs[m] != NoLoc)
        std::memcpy(&warp.row<uint32_t>(regs[m])[lane], halves, 4);
    });
  return Flow::Next;
}

Flow storeMatrix(Warp &warp, const Inst &in, uint32_t mask) {
  Pointers rows;
  if (!rowPointers(warp, in, true, rows))
    return Flow::Faulted;
  const Loc *regs = &warp.code().locs[in.extra];
  for (unsigned m = 0; m < in.bytes; ++m)
    eachLane(mask, [&](unsigned lane) {
      uint16_t halves[2];
      std::memcpy(halves, &warp.row<uint32_t>(regs[m])[lane], 4);
      for (int half = 0; half < 2; ++half) {
        const sem::Place at = sem::placeInMatrix8x8(int(lane), half, in.c != NoLoc);
        std::memcpy(rows.at[sem::addressLane(int(m), at.row)] + 2 * at.column, &halves[half], 2);
      }
    });
  ++warp.changes;
  return Flow::Next;
}

Flow moveMatrix(Warp &warp, const Inst &in, uint32_t mask) {
  writeRegister(warp, in.dst, false, sem::transpose8x8(readRegister(warp, in.b, false)), mask);
  return Flow::Next;
}

// --- lowering
// --------------------------------------------------------------------------------------------------

std::optional<Element> elementOf(Type type) {
  using enum Type;
  switch (type) {
  case F64: return Element::F64;
  case TF32: return Element::TF32;
  case F16: return Element::F16;
  case BF16: return Element::BF16;
  case S8: return Element::S8;
  case U8: return Element::U8;
  case S4: return Element::S4;
  case U4: return Element::U4;
  case F32: return Element::F32;
  case S32: return Element::S32;
  default: return std::nullopt;
  }
}

/// "m16n8k8" to numbers.
sem::MmaShape shapeOf(ptx::MmaShape shape) {
  sem::MmaShape result{0, 0, 0};
  int *fields[] = {&result.m, &result.n, &result.k};
  int which = -1;
  for (char c : ptx::text(shape))
    if (c >= '0' && c <= '9')
      *fields[which] = *fields[which] * 10 + (c - '0');
    else
      ++which;
  return result;
}

Inst &emitWhole(Lowering &lo, MatrixWork which) {
  Loc everybody = lo.constant(~0u, 32);
  Inst &in = lo.emit(warpSyncHandler());
  in.d = everybody;
  in.elements = uint8_t(WarpSyncEvent::Kind::Matrix);
  in.mode = uint16_t(which);
  return in;
}

bool lowerMma(Lowering &lo) {
  auto d = elementOf(lo.instr->types[0]), a = elementOf(lo.instr->types[1]),
       b = elementOf(lo.instr->types[2]), c = elementOf(lo.instr->types[3]);
  if (!a || !b || !c || !d || lo.ops.size() < 4)
    return lo.unsupported("mma of these types is not supported");
  const sem::MmaShape shape = shapeOf(lo.instr->mods.shape);
  const bool quad = shape == sem::MmaShape{8, 8, 4} && *a == Element::F16;
  const sem::MmaKind kind{shape, *a, *b, *c, lo.has(ptx::Flag::SatFinite)};
  if (!quad && (!sem::supportsMma(kind) || *c != *d))
    return lo.unsupported("mma of this shape and these types is not supported");
  if (!quad &&
      (lo.instr->mods.layout != ptx::MatrixLayout::Row || lo.instr->mods.layout2 != ptx::MatrixLayout::Col))
    return lo.unsupported("only .row.col layouts exist for this shape");
  std::vector<Loc> words = {
      0, 0, 0, 0, Loc(shape.m), Loc(shape.n), Loc(shape.k), Loc(*a), Loc(*b), Loc(*c), Loc(kind.saturate), 0};
  words[11] = Loc((lo.instr->mods.layout == ptx::MatrixLayout::Row ? 1 : 0) |
                  (lo.instr->mods.layout2 == ptx::MatrixLayout::Row ? 2 : 0));
  const unsigned bits = *a == Element::F64 ? 64 : 32;
  for (size_t i = 0; i < 4; ++i) {
    auto elements = lo.elements(lo.ops[i]);
    if (elements.size() > MaxRegisters)
      return false;
    words[i] = Loc(elements.size());
    for (const ptx::Operand &element : elements)
      words.push_back(i == 0 ? (lo.isWritten(element) ? lo.dest(element) : NoLoc) : lo.source(element, bits));
  }
  uint32_t extra = lo.addLocs(words);
  emitWhole(lo, quad ? MmaQuad : Mma).extra = extra;
  return true;
}

bool lowerLoadStore(Lowering &lo, bool loads) {
  if (lo.instr->mods.shape != ptx::MmaShape::M8N8 || lo.type() != Type::B16)
    return lo.unsupported("only 8x8 matrices of 16-bit elements are supported");
  auto elements = lo.elements(lo.ops[loads ? 0 : 1]);
  std::vector<Loc> locs;
  for (const ptx::Operand &element : elements)
    locs.push_back(!loads ? lo.source(element, 32) : lo.isWritten(element) ? lo.dest(element) : NoLoc);
  uint32_t extra = lo.addLocs(locs);
  Inst &in = emitWhole(lo, loads ? LoadMatrix : StoreMatrix);
  lo.setAddress(in, lo.ops[loads ? 1 : 0], lo.instr->mods.space);
  in.extra = extra;
  in.bytes = uint8_t(elements.size());
  in.c = lo.has(ptx::Flag::Trans) ? 0 : NoLoc;
  return true;
}

} // namespace

Flow takeMatrix(Warp &warp, const Inst &in, uint32_t mask, uint32_t here) {
  if (warp.block->grid->sees(Observer::Synchronization))
    warp.block->grid->observer->warpSync(warp.ref(), warp.siteOf(in),
                                         {WarpSyncEvent::Kind::Matrix, AllLanes, mask, here});
  switch (MatrixWork(in.mode)) {
  case Mma:
  case MmaQuad: return mma(warp, in, mask);
  case LoadMatrix: return loadMatrix(warp, in, mask);
  case StoreMatrix: return storeMatrix(warp, in, mask);
  case MoveMatrix: return moveMatrix(warp, in, mask);
  case LoadFragment:
  case StoreFragment:
  case FragmentProduct: return takeFragment(warp, in, mask);
  }
  return Flow::Next;
}

bool lowerMatrix(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::MmaSync: return lowerMma(lo);
  case Op::LdMatrix: return lowerLoadStore(lo, true);
  case Op::StMatrix: return lowerLoadStore(lo, false);
  case Op::MovMatrix: {
    Loc b = lo.source(lo.ops[1], 32), dst = lo.dest(lo.ops[0]);
    Inst &in = emitWhole(lo, MoveMatrix);
    in.b = b, in.dst = dst;
    return true;
  }
  default: return false;
  }
}

} // namespace heddle::vm

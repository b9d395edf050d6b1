// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tex, tld4, txq, suld, sust, suq: the simulator only decodes operands; Services defines what an image is and
// how it is filtered.
#include "vm/Exec.h"
#include "vm/Grid.h"

#include <cstring>

namespace heddle::vm {
namespace {

using ptx::Geometry;
using ptx::Op;
using ptx::Type;

/// Code::locs of an image instruction: handle, number of values, the values' rows, then coordinate rows.
struct ImageOperands {
  const Loc *words;
  Loc handle() const { return words[0]; }
  unsigned values() const { return words[1]; }
  Loc value(unsigned i) const { return words[3 + i]; }
  unsigned coordinates() const { return words[2]; }
  Loc coordinate(unsigned i) const { return words[3 + values() + i]; }
};

bool isLayered(Geometry g) { return g == Geometry::A1D || g == Geometry::A2D || g == Geometry::ACube; }
bool isCube(Geometry g) { return g == Geometry::Cube || g == Geometry::ACube; }
unsigned dimensionsOf(Geometry g) {
  switch (g) {
  case Geometry::D1:
  case Geometry::A1D: return 1;
  case Geometry::D3:
  case Geometry::Cube:
  case Geometry::ACube: return 3;
  default: return 2;
  }
}

Flow noSuch(Warp &warp, const Inst &in, unsigned lane, uint64_t handle, const char *what) {
  return warp.faultAt(in, lane, FaultKind::OutOfBounds, handle,
                      fmt::format("there is no {} {:#x}, or the access lies outside of it", what, handle));
}

// --- textures
// --------------------------------------------------------------------------------------------------

enum FetchBits : uint8_t { FloatCoordinates = 1, Gathers = 2, HasLevel = 4 };

/// mode: geometry; elements: FetchBits; bytes: component of tld4.
Flow fetch(Warp &warp, const Inst &in, uint32_t mask) {
  const ImageOperands operands{&warp.code().locs[in.extra]};
  const auto geometry = Geometry(in.mode);
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    TextureFetch f;
    f.handle = warp.row<uint64_t>(operands.handle())[lane];
    f.dimensions = dimensionsOf(geometry);
    f.layered = isLayered(geometry), f.cube = isCube(geometry);
    f.integerCoordinates = !(in.elements & FloatCoordinates);
    f.gather = in.elements & Gathers;
    f.component = in.bytes;
    uint32_t raw[5] = {};
    for (unsigned i = 0; i < operands.coordinates() && i < 5; ++i)
      raw[i] = warp.row<uint32_t>(operands.coordinate(i))[lane];
    unsigned next = 0;
    if (f.layered)
      f.layer = int32_t(raw[next++]);
    float *floats[] = {&f.x, &f.y, &f.z};
    int32_t *integers[] = {&f.ix, &f.iy, &f.iz};
    for (unsigned i = 0; i < f.dimensions; ++i, ++next)
      f.integerCoordinates ? void(*integers[i] = int32_t(raw[next]))
                           : void(*floats[i] = sem::floatOf(raw[next]));
    if (in.elements & HasLevel)
      f.level =
          f.integerCoordinates ? float(int32_t(warp.row<uint32_t>(in.b)[lane])) : warp.row<float>(in.b)[lane];
    uint32_t texel[4] = {};
    if (!warp.block->grid->services.texture(f, texel))
      return noSuch(warp, in, lane, f.handle, "texture");
    for (unsigned i = 0; i < operands.values() && i < 4; ++i)
      if (operands.value(i) != NoLoc)
        warp.row<uint32_t>(operands.value(i))[lane] = texel[i];
  }
  return Flow::Next;
}

/// The handle first, then coordinates: the last bracketed operand (an optional sampler may precede
/// it).
std::vector<Loc> imageLocs(Lowering &lo, size_t addressIndex, std::span<const Loc> values, size_t &after) {
  std::vector<Loc> words = {NoLoc, Loc(values.size()), 0};
  const ptx::Operand &address = lo.ops[addressIndex];
  ptx::Operand handle = address;
  handle.kind = address.kind == ptx::OperandKind::AddrReg   ? ptx::OperandKind::Reg
                : address.kind == ptx::OperandKind::AddrVar ? ptx::OperandKind::Var
                                                            : ptx::OperandKind::Imm;
  words[0] = lo.source(handle, 64);
  words.insert(words.end(), values.begin(), values.end());
  size_t last = addressIndex;
  while (last + 1 < lo.ops.size() && lo.ops[last + 1].bracketed)
    ++last;
  after = last + 1;
  if (last > addressIndex)
    for (const ptx::Operand &coordinate : lo.elements(lo.ops[last])) {
      words.push_back(lo.source(coordinate, 32));
      ++words[2];
    }
  return words;
}

bool lowerFetch(Lowering &lo) {
  if (lo.ops[2].kind == ptx::OperandKind::AddrVar)
    return lo.unsupported("texture references are not supported; use texture objects");
  std::vector<Loc> values;
  for (const ptx::Operand &element : lo.elements(lo.ops[0]))
    values.push_back(lo.isWritten(element) ? lo.dest(element) : NoLoc);
  if (lo.type() == Type::F16 || lo.type() == Type::F16X2 || lo.instr->mods.mip == ptx::MipMode::Grad)
    return lo.unsupported("half-precision and gradient texture reads are not supported");
  size_t after = 0;
  std::vector<Loc> words = imageLocs(lo, 2, values, after);
  const bool hasLevel = lo.instr->mods.mip == ptx::MipMode::Level && after < lo.ops.size();
  Loc level = hasLevel ? lo.source(lo.ops[after], 32) : NoLoc;
  uint32_t extra = lo.addLocs(words);
  Inst &in = lo.emit(fetch);
  in.extra = extra, in.b = level;
  in.mode = uint16_t(lo.instr->mods.geom);
  in.elements = uint8_t((lo.type2() == Type::F32 ? FloatCoordinates : 0) |
                        (lo.instr->op == Op::Tld4 ? Gathers : 0) | (hasLevel ? HasLevel : 0));
  in.bytes = uint8_t(lo.instr->op == Op::Tld4 ? unsigned(lo.instr->mods.comp) - 1 : 0);
  return true;
}

// --- surfaces
// --------------------------------------------------------------------------------------------------

SurfaceAccess surfaceOf(Warp &warp, const Inst &in, unsigned lane, const ImageOperands &operands) {
  const auto geometry = Geometry(in.mode & 0xff);
  SurfaceAccess s;
  s.handle = warp.row<uint64_t>(operands.handle())[lane];
  s.dimensions = dimensionsOf(geometry);
  s.layered = isLayered(geometry);
  s.bytes = in.bytes * operands.values();
  s.border = SurfaceAccess::Border(in.mode >> 8);
  int32_t *fields[] = {&s.x, &s.y, &s.z};
  unsigned next = 0;
  auto coordinate = [&](unsigned i) {
    return i < operands.coordinates() ? int32_t(warp.row<uint32_t>(operands.coordinate(i))[lane]) : 0;
  };
  if (s.layered)
    s.layer = coordinate(next++);
  for (unsigned i = 0; i < s.dimensions; ++i)
    *fields[i] = coordinate(next++);
  return s;
}

/// in.elements: bytes of a register.
Flow loadSurface(Warp &warp, const Inst &in, uint32_t mask) {
  const ImageOperands operands{&warp.code().locs[in.extra]};
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    const SurfaceAccess s = surfaceOf(warp, in, lane, operands);
    uint8_t bytes[32] = {};
    if (!warp.block->grid->services.loadSurface(s, bytes))
      return noSuch(warp, in, lane, s.handle, "surface");
    for (unsigned i = 0; i < operands.values(); ++i) {
      uint64_t value = 0;
      std::memcpy(&value, bytes + i * in.bytes, in.bytes);
      if (operands.value(i) != NoLoc)
        std::memcpy(warp.row<uint8_t>(operands.value(i)) + lane * in.elements, &value, in.elements);
    }
  }
  return Flow::Next;
}

Flow storeSurface(Warp &warp, const Inst &in, uint32_t mask) {
  const ImageOperands operands{&warp.code().locs[in.extra]};
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    const SurfaceAccess s = surfaceOf(warp, in, lane, operands);
    uint8_t bytes[32] = {};
    for (unsigned i = 0; i < operands.values(); ++i)
      std::memcpy(bytes + i * in.bytes, warp.row<uint8_t>(operands.value(i)) + lane * in.elements, in.bytes);
    if (!warp.block->grid->services.storeSurface(s, bytes))
      return noSuch(warp, in, lane, s.handle, "surface");
  }
  ++warp.changes;
  return Flow::Next;
}

uint16_t borderOf(ptx::SurfaceClamp clamp) {
  return clamp == ptx::SurfaceClamp::Clamp ? 1 : clamp == ptx::SurfaceClamp::Zero ? 2 : 0;
}

bool lowerSurface(Lowering &lo, bool loads) {
  // suld: d, [s, c]; sust: [s, c], d. The coordinates follow the address, so the value of a store comes last.
  const size_t addressIndex = loads ? 1 : 0, valueIndex = loads ? 0 : lo.ops.size() - 1;
  if (lo.ops[addressIndex].kind == ptx::OperandKind::AddrVar)
    return lo.unsupported("surface references are not supported; use surface objects");
  std::vector<Loc> values;
  unsigned bits = std::max(16u, ptx::bitsOf(lo.type()));
  for (const ptx::Operand &element : lo.elements(lo.ops[valueIndex])) {
    bits = element.isReg() ? lo.width(element) : bits;
    values.push_back(loads ? (lo.isWritten(element) ? lo.dest(element) : NoLoc) : lo.source(element, bits));
  }
  size_t after = 0;
  std::vector<Loc> words = imageLocs(lo, addressIndex, values, after);
  uint32_t extra = lo.addLocs(words);
  Inst &in = lo.emit(loads ? loadSurface : storeSurface);
  in.extra = extra;
  in.bytes = uint8_t(ptx::bytesOf(lo.type()));
  in.elements = uint8_t(bits / 8);
  in.mode = uint16_t(uint16_t(lo.instr->mods.geom) | borderOf(lo.instr->mods.clamp) << 8);
  return true;
}

// --- queries
// ---------------------------------------------------------------------------------------------------

Flow query(Warp &warp, const Inst &in, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    const uint64_t handle = warp.row<uint64_t>(in.a)[lane];
    if (!warp.block->grid->services.queryTexture(handle, TextureQuery(in.mode),
                                                 warp.row<uint32_t>(in.dst)[lane]))
      return noSuch(warp, in, lane, handle, "image");
  }
  return Flow::Next;
}

int queryOf(ptx::ImageQuery q) {
  switch (q) {
  case ptx::ImageQuery::Width: return int(TextureQuery::Width);
  case ptx::ImageQuery::Height: return int(TextureQuery::Height);
  case ptx::ImageQuery::Depth: return int(TextureQuery::Depth);
  case ptx::ImageQuery::ChannelDataType: return int(TextureQuery::ChannelType);
  case ptx::ImageQuery::ChannelOrder: return int(TextureQuery::ChannelOrder);
  case ptx::ImageQuery::ArraySize: return int(TextureQuery::Layers);
  case ptx::ImageQuery::NumMipmapLevels: return int(TextureQuery::Levels);
  case ptx::ImageQuery::NumSamples: return int(TextureQuery::Samples);
  default: return -1;
  }
}

bool lowerQuery(Lowering &lo) {
  const int which = queryOf(lo.instr->mods.query);
  if (which < 0 || lo.ops[1].kind != ptx::OperandKind::AddrReg)
    return lo.unsupported("this image query is not supported");
  ptx::Operand handle = lo.ops[1];
  handle.kind = ptx::OperandKind::Reg;
  Loc a = lo.source(handle, 64), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(query);
  in.a = a, in.dst = dst, in.mode = uint16_t(which);
  return true;
}

} // namespace

bool lowerTexture(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::Tex:
  case Op::Tld4: return lowerFetch(lo);
  case Op::SuldB: return lowerSurface(lo, true);
  case Op::SustB:
  case Op::SustP: return lowerSurface(lo, false);
  case Op::Txq:
  case Op::Suq: return lowerQuery(lo);
  default: return false;
  }
}

} // namespace heddle::vm

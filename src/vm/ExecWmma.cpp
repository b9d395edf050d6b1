// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.load, wmma.mma, wmma.store (PTX ISA, "Matrix multiply-accumulate operation using wmma"). PTX does not
// specify which lane holds which element of a fragment, so the layout is our own: elements row by row, as many
// per lane as its registers hold, lane after lane; if the registers of a warp hold more elements than the
// matrix has, the elements are repeated.
#include "semantics/Convert.h"
#include "vm/Exec.h"
#include "vm/Grid.h"
#include "vm/WarpSyncs.h"

#include <cstring>
#include <optional>

namespace heddle::vm {
namespace {

using ptx::Op;
using ptx::Type;

/// Code::locs of a fragment: registers, rows, columns, type, layout (1: by columns), row of leading
/// dimensions, then the registers' rows.
struct Fragment {
  const Loc *words;
  unsigned registers() const { return words[0]; }
  unsigned rows() const { return words[1]; }
  unsigned columns() const { return words[2]; }
  Type type() const { return Type(words[3]); }
  bool byColumns() const { return words[4]; }
  Loc leading() const { return words[5]; }
  Loc reg(unsigned i) const { return words[6 + i]; }
  const Loc *after() const { return words + 6 + registers(); }

  unsigned elementBytes() const { return ptx::bytesOf(type()); }
  unsigned registerBytes() const { return type() == Type::F64 ? 8 : 4; }
  unsigned perRegister() const { return registerBytes() / elementBytes(); }
  unsigned perLane() const { return registers() * perRegister(); }
  /// The element in slot i of a lane.
  unsigned element(unsigned lane, unsigned i) const { return (lane * perLane() + i) % (rows() * columns()); }
  uint8_t *slot(Warp &warp, unsigned lane, unsigned i) const {
    return warp.row<uint8_t>(reg(i / perRegister())) + lane * registerBytes() +
           i % perRegister() * elementBytes();
  }
};

/// Addresses of slot i in every lane.
void slotAddresses(Warp &warp, const Inst &in, const Fragment &f, unsigned i, uint64_t (&address)[Lanes]) {
  warp.addresses(in, address);
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    const unsigned e = f.element(lane, i), row = e / f.columns(), column = e % f.columns();
    const uint32_t leading = f.leading() == NoLoc ? (f.byColumns() ? f.rows() : f.columns())
                                                  : warp.row<uint32_t>(f.leading())[lane];
    const uint64_t index =
        f.byColumns() ? uint64_t(column) * leading + row : uint64_t(row) * leading + column;
    address[lane] += index * f.elementBytes();
  }
}

Flow moveFragment(Warp &warp, const Inst &in, uint32_t mask, bool stores) {
  const Fragment f{&warp.code().locs[in.extra]};
  for (unsigned i = 0; i < f.perLane(); ++i) {
    uint64_t address[Lanes];
    slotAddresses(warp, in, f, i, address);
    Pointers at;
    if (!warp.locateAt(in, mask, address, in.space, f.elementBytes(), f.elementBytes(), stores, at))
      return Flow::Faulted;
    if (warp.block->grid->sees(Observer::Accesses))
      warp.noteAccess(in, mask, address, in.space, f.elementBytes(),
                      stores ? AccessKind::Store : AccessKind::Load, Scope::None, Ordering::Weak);
    eachLane(mask, [&](unsigned lane) {
      stores ? std::memcpy(at.at[lane], f.slot(warp, lane, i), f.elementBytes())
             : std::memcpy(f.slot(warp, lane, i), at.at[lane], f.elementBytes());
    });
  }
  warp.changes += stores;
  return Flow::Next;
}

// --- the product
// ------------------------------------------------------------------------------------------------

constexpr unsigned MaxElements = 32 * 16;

double numberAt(const uint8_t *at, Type type) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, ptx::bytesOf(type));
  switch (type) {
  case Type::F16: return sem::toDouble(sem::Half{uint16_t(bits)});
  case Type::BF16: return sem::toDouble(sem::BFloat16{uint16_t(bits)});
  case Type::TF32: return double(sem::floatOf(uint32_t(bits) & 0xffffe000u));
  case Type::F32: return double(sem::floatOf(uint32_t(bits)));
  case Type::F64: return sem::doubleOf(bits);
  case Type::S8: return double(int8_t(bits));
  case Type::U8: return double(uint8_t(bits));
  default: return double(int32_t(bits)); // s32
  }
}

void putNumber(uint8_t *at, Type type, double value, bool saturates) {
  switch (type) {
  case Type::F16: {
    sem::Half half = sem::convertFloat<sem::Half>(value);
    std::memcpy(at, &half, 2);
    return;
  }
  case Type::F32: {
    float number = sem::convertFloat<float>(value);
    std::memcpy(at, &number, 4);
    return;
  }
  case Type::F64: std::memcpy(at, &value, 8); return;
  default: {
    // Sums of 8-bit products are exact in double.
    const double clamped = std::min(std::max(value, -2147483648.0), 2147483647.0);
    const int32_t number = saturates ? int32_t(clamped) : int32_t(uint32_t(int64_t(value)));
    std::memcpy(at, &number, 4);
    return;
  }
  }
}

void collect(Warp &warp, const Fragment &f, double (&out)[MaxElements]) {
  for (unsigned lane = 0; lane < Lanes; ++lane)
    for (unsigned i = 0; i < f.perLane(); ++i)
      out[f.element(lane, i)] = numberAt(f.slot(warp, lane, i), f.type());
}

/// D = A * B + C, C first, then products by ascending k; one rounding at the end, for f64 one per step.
Flow product(Warp &warp, const Inst &in, uint32_t mask) {
  const Fragment d{&warp.code().locs[in.extra]}, a{d.after()}, b{a.after()}, c{b.after()};
  static thread_local double va[MaxElements], vb[MaxElements], vc[MaxElements];
  collect(warp, a, va);
  collect(warp, b, vb);
  collect(warp, c, vc);
  const bool wide = d.type() == Type::F64;
  for (unsigned row = 0; row < d.rows(); ++row)
    for (unsigned column = 0; column < d.columns(); ++column) {
      double sum = vc[row * d.columns() + column];
      for (unsigned k = 0; k < a.columns(); ++k) {
        const double x = va[row * a.columns() + k], y = vb[k * b.columns() + column];
        sum = wide ? __builtin_fma(x, y, sum) : sum + x * y;
      }
      vc[row * d.columns() + column] = sum;
    }
  eachLane(mask, [&](unsigned lane) {
    for (unsigned i = 0; i < d.perLane(); ++i)
      putNumber(d.slot(warp, lane, i), d.type(), vc[d.element(lane, i)], in.b != NoLoc);
  });
  return Flow::Next;
}

// --- lowering
// --------------------------------------------------------------------------------------------------

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

Shape shapeOf(ptx::MmaShape shape) {
  Shape result;
  unsigned *fields[] = {&result.m, &result.n, &result.k};
  int which = -1;
  for (char ch : ptx::text(shape))
    if (ch >= '0' && ch <= '9')
      *fields[which] = *fields[which] * 10 + unsigned(ch - '0');
    else
      ++which;
  return result;
}

bool isSupported(Type type) {
  using enum Type;
  return type == F16 || type == BF16 || type == TF32 || type == F32 || type == F64 || type == S8 ||
         type == U8 || type == S32;
}

struct Part {
  const ptx::Operand *registers;
  unsigned rows, columns;
  Type type;
  bool written;
};

bool addFragment(Lowering &lo, const Part &part, Loc leading, std::vector<Loc> &words) {
  auto elements = lo.elements(*part.registers);
  if (!isSupported(part.type) || part.rows * part.columns > MaxElements)
    return false;
  words.insert(words.end(), {Loc(elements.size()), part.rows, part.columns, Loc(part.type),
                             Loc(lo.instr->mods.layout == ptx::MatrixLayout::Col), leading});
  for (const ptx::Operand &element : elements)
    words.push_back(part.written ? lo.dest(element) : lo.source(element, part.type == Type::F64 ? 64 : 32));
  return true;
}

Inst &emitWhole(Lowering &lo, MatrixWork work, uint32_t extra) {
  Loc everybody = lo.constant(~0u, 32);
  Inst &in = lo.emit(warpSyncHandler());
  in.d = everybody;
  in.elements = uint8_t(WarpSyncEvent::Kind::Matrix);
  in.mode = uint16_t(work);
  in.extra = extra;
  return in;
}

bool lowerMove(Lowering &lo, unsigned rows, unsigned columns, bool stores) {
  const size_t address = stores ? 0 : 1;
  Loc leading = lo.ops.size() > 2 ? lo.source(lo.ops[2], 32) : NoLoc;
  std::vector<Loc> words;
  if (!addFragment(lo, {&lo.ops[1 - address], rows, columns, lo.type(), !stores}, leading, words))
    return lo.unsupported("fragments of this type are not supported");
  Inst &in = emitWhole(lo, stores ? MatrixWork::StoreFragment : MatrixWork::LoadFragment, lo.addLocs(words));
  lo.setAddress(in, lo.ops[address], lo.instr->mods.space);
  return true;
}

bool lowerProduct(Lowering &lo, const Shape &s) {
  const auto &types = lo.instr->types;
  // With two types they are D and C, and A and B are f16.
  const bool two = types[2] == Type::None;
  const Type d = types[0], a = two ? Type::F16 : types[1], b = two ? Type::F16 : types[2],
             c = two ? types[1] : types[3];
  std::vector<Loc> words;
  if (lo.instr->mods.boolOp != ptx::BoolOp::None ||
      !addFragment(lo, {&lo.ops[0], s.m, s.n, d, true}, NoLoc, words) ||
      !addFragment(lo, {&lo.ops[1], s.m, s.k, a, false}, NoLoc, words) ||
      !addFragment(lo, {&lo.ops[2], s.k, s.n, b, false}, NoLoc, words) ||
      !addFragment(lo, {&lo.ops[3], s.m, s.n, c, false}, NoLoc, words))
    return lo.unsupported("wmma of these types is not supported");
  emitWhole(lo, MatrixWork::FragmentProduct, lo.addLocs(words)).b = lo.has(ptx::Flag::SatFinite) ? 0 : NoLoc;
  return true;
}

} // namespace

Flow takeFragment(Warp &warp, const Inst &in, uint32_t mask) {
  if (MatrixWork(in.mode) == MatrixWork::FragmentProduct)
    return product(warp, in, mask);
  return moveFragment(warp, in, mask, MatrixWork(in.mode) == MatrixWork::StoreFragment);
}

bool lowerWmma(Lowering &lo) {
  const Shape s = shapeOf(lo.instr->mods.shape);
  switch (lo.instr->op) {
  case Op::WmmaLoadA: return lowerMove(lo, s.m, s.k, false);
  case Op::WmmaLoadB: return lowerMove(lo, s.k, s.n, false);
  case Op::WmmaLoadC: return lowerMove(lo, s.m, s.n, false);
  case Op::WmmaStoreD: return lowerMove(lo, s.m, s.n, true);
  case Op::WmmaMma: return lowerProduct(lo, s);
  default: return false;
  }
}

} // namespace heddle::vm

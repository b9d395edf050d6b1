// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

/// The words of PTX: types, special registers, modifiers, instructions. All of it comes from the .def files.
namespace heddle::ptx {

enum class Type : uint8_t {
  None,
#define PTX_TYPE(NAME, TEXT, BITS, KIND) NAME,
#include "ptx/Types.def"
};

enum class TypeKind : uint8_t {
  None,
  Pred,
  Bits,
  Unsigned,
  Signed,
  Float,
  PackedFloat,
  PackedInt,
  Narrow,
  Opaque
};

/// Register files: one for each width. 8-bit registers live in the 16-bit file.
enum class RegClass : uint8_t { Pred, B16, B32, B64, B128 };
constexpr unsigned kNumRegClasses = 5;

enum class SpecialReg : uint8_t {
#define PTX_SREG(NAME, TEXT, BITS) NAME,
#include "ptx/SpecialRegs.def"
};

// enum class Rounding { None, Rn, Rz... }; and so on, one for each PTX_KIND: each PTX_KIND row closes the
// enum before it, so one to be closed has to be first.
// clang-format off
enum class NoKind : uint8_t { None,
#define PTX_KIND(KIND, FIELD) }; enum class KIND : uint8_t { None,
#define PTX_MOD(KIND, NAME, TEXT) NAME,
#include "ptx/Mods.def"
};
// clang-format on

enum class ModKind : uint8_t {
#define PTX_KIND(KIND, FIELD) KIND,
#include "ptx/Mods.def"
};

/// Bit numbers of Mods::flags.
enum class Flag : uint8_t {
#define PTX_FLAG(NAME, TEXT) NAME,
#include "ptx/Mods.def"
};

/// Everything that followed an instruction's name, types apart. One byte for each kind.
struct Mods {
#define PTX_KIND(KIND, FIELD) KIND FIELD = KIND::None;
#include "ptx/Mods.def"
  Space space2 = Space::None;
  MatrixLayout layout2 = MatrixLayout::None;
  EvictL2 evictL22 = EvictL2::None;
  uint64_t flags = 0;

  bool has(Flag flag) const { return flags >> unsigned(flag) & 1; }
  void set(Flag flag) { flags |= uint64_t(1) << unsigned(flag); }
  unsigned vectorWidth() const { return 1u << unsigned(vec); } ///< 1, 2, 4 or 8
  bool operator==(const Mods &) const = default;
};
static_assert(unsigned(VectorWidth::V8) == 3);

enum class Op : uint16_t {
#define PTX_OP(NAME, TEXT, SUFFIX, TYPES, OPERANDS, MEMORY, LANES, CLASS, LATENCY, KEY, TAINT) NAME,
#define PTX_KNOWN(NAME, TEXT) NAME,
#include "ptx/Ops.def"
  Unsupported, ///< nothing that this table knows; Instr::text has what was written
};
constexpr unsigned kNumOps = unsigned(Op::Unsupported);

/// What an instruction does to memory.
enum class Memory : uint8_t { None, Loads, Stores, Updates, Orders, CopiesAsync };

/// Which lanes have to come together for an instruction: each works alone; those named by a mask operand; all
/// of the warp; warps of the block (how many, the operands say); blocks of the cluster; or it moves the
/// lanes.
enum class Lanes : uint8_t { Each, Named, Whole, Block, Cluster, Flow };

/// What an instruction is counted as, before types and spaces are looked at.
enum class OpClass : uint8_t {
  Arithmetic,
  Multiply,
  Divide,
  SpecialFunction,
  Logic,
  Compare,
  Convert,
  Move,
  Branch,
  Call,
  Load,
  Store,
  Atomic,
  Fence,
  Shuffle,
  Vote,
  AsyncCopy,
  AsyncCommit,
  AsyncWait,
  Matrix,
  Texture,
  Mbarrier,
  Barrier,
  Other,
};

/// How an instruction's row in the latency tables is found.
enum class LatencyRule : uint8_t {
  Fixed,   ///< OpInfo::latencyKey
  Nothing, ///< no instruction of the simulator
  Addition,
  Sign, ///< neg, abs
  MinMax,
  Multiply,
  MultiplyAdd,
  Divide,
  Reciprocal,
  SquareRoot,
  ReciprocalRoot,
  Logic,
  ShiftLeft,
  ShiftRight,
  Compare,
  CompareSecond, ///< by the second type
  Convert,
  Load,
  Store,
  Atomic,
  CompareAndSwap,
  Reduction,
  Fence,
  Shuffle,
  Vote,
};

/// How the static check follows values through an instruction.
enum class Taint : uint8_t {
  Plain, ///< a result is unknown where a source is
  And,   ///< 0 & unknown is 0
  Or,
  Product, ///< 0 * unknown is 0
  Cancel,  ///< x - x, x ^ x
  Select,
  Compare,
  IsSpace,
  ActiveMask,
  Stack,
  Load,
  Store,
  Atomic,
  Image,
  Barrier,
  ClusterBarrier,
  WarpSync,
  Product8x8,
  MatrixLoad,
  MatrixStore,
  Mbarrier,
  CopyAsync,
  BulkCopy,
  ArriveOnCopies,
  Order,
  Branch,
  Table,
  Leave,
  Trap,
  Call,
  NotFollowed, ///< the static check cannot decide a kernel that executes it
};

/// A row of Ops.def.
struct OpInfo {
  Op op;
  std::string_view name; ///< the enumerator
  std::string_view text;
  std::string_view suffix, types, operands;
  Memory memory;
  Lanes lanes;
  OpClass cls;
  LatencyRule latency;
  std::string_view latencyKey; ///< where the rule is Fixed
  Taint taint;
  bool supported;
};

const OpInfo &info(Op op);

std::string_view text(Type type);
std::string_view text(SpecialReg reg);
TypeKind kindOf(Type type);
unsigned bitsOf(Type type);
/// Bytes that one value takes in memory: at least 1.
unsigned bytesOf(Type type);
unsigned bitsOf(SpecialReg reg);
RegClass classOf(Type type);
unsigned bitsOf(RegClass cls);

inline bool isFloat(Type type) { return kindOf(type) == TypeKind::Float; }
inline bool isSigned(Type type) { return kindOf(type) == TypeKind::Signed; }

/// The word of a modifier without its dot, "" for None.
#define PTX_KIND(KIND, FIELD) std::string_view text(KIND value);
#include "ptx/Mods.def"
std::string_view text(Flag flag);

} // namespace heddle::ptx

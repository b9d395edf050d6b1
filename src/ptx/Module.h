// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Isa.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::ptx {

/// "None of them" in any index below.
constexpr uint32_t kNone = ~0u;

/// What an operand is. What `index` and `value` mean is stated beside each.
enum class OperandKind : uint8_t {
  Sink,    ///< "_": nothing is read or written
  Reg,     ///< index: Function::registers
  Imm,     ///< value: the bits, already of the operand's type (zero above its width)
  Special, ///< index: SpecialReg
  Var,     ///< index: Module::variables; value: bytes added. The variable's address in its own space
  Func,    ///< index: Module::functions. The function's address
  Label,   ///< index: Function::instrs
  Targets, ///< index: Function::targetLists (brx.idx)
  Proto,   ///< index: Function::prototypes (indirect call)
  Vector,  ///< index: first element in Function::operands; count elements
  AddrReg, ///< [reg+value]; index: Function::registers
  AddrVar, ///< [var+value]; index: Module::variables
  AddrImm, ///< [value]
};

/// One operand. A memory address is one operand; what else was in its brackets (texture coordinates, a
/// sampler) follows as operands of their own with `bracketed` set.
struct Operand {
  OperandKind kind = OperandKind::Sink;
  uint8_t count = 0;      ///< Vector: elements
  bool negated = false;   ///< a predicate source written "!p"
  bool bracketed = false; ///< was inside the brackets of the address before it
  uint32_t index = kNone;
  uint64_t value = 0;

  bool isReg() const { return kind == OperandKind::Reg; }
  bool isImm() const { return kind == OperandKind::Imm; }
  bool isAddress() const { return kind >= OperandKind::AddrReg; }
  int64_t offset() const { return int64_t(value); }
};
static_assert(sizeof(Operand) == 16);

/// "@%p" or "@!%p" before an instruction; without one `reg` is kNone.
struct Guard {
  uint32_t reg = kNone;
  bool negated = false;
  explicit operator bool() const { return reg != kNone; }
};

/// One decoded instruction.
///
/// Operands are Function::operands[firstOperand, +numOperands), destinations first where the text has them
/// first. "d|p" is two operands, always both there: without the "|p" the second is a Sink. Operands left out
/// at the end are not there; see numOperands.
///
/// call: operand 0 the callee (Func, or Reg for an indirect call), 1 a Vector of where results go, 2 a Vector
/// of arguments (each Var of a .param variable, Reg or Imm), 3 the Proto of an indirect call.
struct Instr {
  Op op = Op::Unsupported;
  uint16_t numOperands = 0;
  uint32_t firstOperand = 0;
  Guard guard;
  Type types[4] = {}; ///< in the order of the text; cvt: destination, source; mma: D, A, B, C
  Mods mods;
  uint32_t text = kNone; ///< Module::texts: mnemonic and operands of what is not supported, else kNone
  uint32_t line = 0;     ///< in the PTX text, from 1
  uint16_t column = 0;
  uint32_t loc = kNone; ///< Module::locs: where in the CUDA source, kNone where nothing says

  Type type() const { return types[0]; }
  Type type2() const { return types[1]; }
};

/// A register of one function. Registers are numbered densely in the order of their first use; `slot` numbers
/// them densely inside their class, for a machine that keeps a file for each width.
struct Register {
  std::string name; ///< unique in the function: scopes that reuse a name get a suffix
  Type type = Type::None;
  RegClass cls = RegClass::B32;
  uint32_t slot = 0;
};

enum class Linkage : uint8_t { Internal, Visible, Weak, Extern, Common };

/// A place in an initializer that holds an address: of variable or function `symbol`, plus `addend`.
struct Relocation {
  uint64_t offset = 0; ///< byte in Variable::init
  uint8_t bytes = 8;   ///< 4 or 8, or 1 for mask(): one byte of the address, shifted by `shift`
  uint8_t shift = 0;
  bool isFunction = false;
  bool generic = false; ///< generic(sym): the address in generic space
  uint32_t symbol = kNone;
  int64_t addend = 0;
};

/// A variable in memory: .global, .const, .shared, .local or .param, of the module or of one function.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint8_t vec = 1;    ///< 2 or 4 for .v2 and .v4
  uint32_t align = 1; ///< bytes
  uint64_t bytes = 0; ///< 0 for an array without a length (extern shared)
  uint64_t count = 1; ///< elements of `type` (vec counted once); 0 for an array without a length
  bool isArray = false;
  bool isManaged = false;
  Linkage linkage = Linkage::Internal;
  uint32_t function = kNone; ///< the function it is local to
  uint64_t offset = 0; ///< .local: in the frame; .param: in the entry's parameters or the frame's call area
  std::vector<uint8_t> init; ///< the first bytes; zero from there on
  std::vector<Relocation> relocs;
  std::vector<uint64_t> dims; ///< as written, outermost first
  uint32_t line = 0;

  bool isDynamicShared() const { return space == Space::Shared && isArray && count == 0; }
};

/// A parameter or a result of a function: a .param variable, or (old style) a register.
struct Param {
  uint32_t variable = kNone;
  uint32_t reg = kNone;
};

/// The shape of a function that is called through a pointer.
struct Prototype {
  struct Slot {
    Type type = Type::B8;
    uint32_t align = 1;
    uint64_t bytes = 0;
    bool isArray = false;
    bool isReg = false;
  };
  std::string name;
  std::vector<Slot> results, params;
  bool noReturn = false;
};

struct Label {
  std::string name;
  uint32_t instr = 0;
};

/// Instructions [first, end) that are entered at the first and left at the last only.
struct Block {
  uint32_t first = 0, end = 0;
  std::vector<uint32_t> succs; ///< blocks; fall-through first. Leaving the function is not an edge
  std::vector<uint32_t> preds;
  /// The block through which every way from here to the function's end goes first, kNone where that is the
  /// end itself. Lanes that diverge at the end of this block reconverge at its first instruction.
  uint32_t ipdom = kNone;
  bool leaves = false; ///< some lanes may leave the function at the block's end (ret, exit, trap)
};

/// Numbers a launch must keep to. 0: not said.
struct LaunchBounds {
  uint32_t maxNTid[3] = {0, 0, 0}, reqNTid[3] = {0, 0, 0};
  uint32_t minNCtaPerSm = 0, maxNReg = 0, maxClusterRank = 0;
  uint32_t reqNCtaPerCluster[3] = {0, 0, 0};
  bool explicitCluster = false;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isDefined = false; ///< false: only declared; another module supplies the body
  bool noReturn = false;
  uint32_t aliasOf = kNone; ///< the function this name represents; calls already go there
  Linkage linkage = Linkage::Internal;
  std::vector<Param> results, params;
  std::vector<uint32_t> locals; ///< Module::variables declared in the body, in order
  LaunchBounds bounds;
  std::vector<std::string> pragmas;

  std::vector<Register> registers;
  uint32_t slots[kNumRegClasses] = {}; ///< how many registers of each class
  std::vector<Instr> instrs;           ///< never empty when defined: the last one leaves or branches
  std::vector<Operand> operands;
  std::vector<Label> labels;
  std::vector<std::vector<uint32_t>> targetLists; ///< instruction indices, for brx.idx
  std::vector<std::string> targetListNames;       ///< of each
  std::vector<Prototype> prototypes;

  std::vector<Block> blocks;     ///< in the order of their first instruction; the first is the entry
  std::vector<uint32_t> blockOf; ///< for each instruction, its block

  uint64_t paramBytes = 0; ///< all of `params` laid out one after the other, each aligned
  uint64_t localBytes = 0; ///< frame: the .local variables, each at Variable::offset
  uint32_t localAlign = 1;
  uint64_t callBytes = 0; ///< the body's .param variables for calls, each at Variable::offset
  uint32_t line = 0;

  std::span<const Operand> operandsOf(const Instr &instr) const {
    return {operands.data() + instr.firstOperand, instr.numOperands};
  }
  std::span<const Operand> elementsOf(const Operand &vector) const {
    return {operands.data() + vector.index, vector.count};
  }
};

/// A place in the CUDA source. `inlinedAt` is the place of the call that brought it there, kNone at the
/// outermost; `function` (Module::texts) names the inlined function where the PTX says.
struct SourceLoc {
  uint32_t file = kNone; ///< Module::files, kNone where no .file line has the number
  uint32_t line = 0, column = 0;
  uint32_t function = kNone;
  uint32_t inlinedAt = kNone;
};

/// A .file line of the PTX.
struct SourceFile {
  uint32_t number = 0;
  std::string path;
};

/// An instruction that this library cannot decode, found while parsing. Running it must be refused.
struct UnsupportedUse {
  uint32_t function = kNone, instr = kNone;
  std::string name;   ///< "tcgen05.mma"
  std::string reason; ///< "not supported", "modifier '.foo' is not known"...
};

struct Module {
  std::string path; ///< what the text was called
  unsigned versionMajor = 0, versionMinor = 0;
  std::string target; ///< "sm_90a"
  unsigned smVersion = 0;
  unsigned addressBits = 64;
  bool hasDebugTarget = false;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<SourceFile> files;
  std::vector<SourceLoc> locs;
  std::vector<std::string> texts;
  std::vector<UnsupportedUse> unsupported;

  /// Index of the function or module-scope variable of that name, kNone where there is none.
  uint32_t findFunction(std::string_view name) const;
  uint32_t findVariable(std::string_view name) const;
  /// "file.cu:12:3" of an instruction, "" where not known.
  std::string sourceLocation(const Instr &instr) const;
};

} // namespace heddle::ptx

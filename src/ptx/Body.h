// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Operands.h"

#include <cstdint>
#include <deque>
#include <unordered_map>

namespace heddle::ptx {

/// Mnemonics that were decoded before. A text uses a few hundred, each thousands of times.
class FormCache {
public:
  const Form &of(std::string_view mnemonic);

private:
  NameTable<uint32_t> indices;
  std::deque<std::string> names;
  std::deque<Form> forms;
};

/// A .loc that names an inlined function by a label of the debug strings, which come after the code.
struct NamedLoc {
  uint32_t loc = kNone;
  std::string_view label;
  uint64_t offset = 0;
};

/// Reads function bodies, one after the other.
class BodyReader {
public:
  BodyReader(Cursor &c, Module &m, const Globals &g) : scopes(c), cursor(c), module(m), globals(g) {}

  /// The names of a function: open before its parameters are read, closed after its body.
  Scopes scopes;

  /// Reads from after the '{' up to and with its '}' and finishes the function: labels, last instruction,
  /// blocks.
  void read(uint32_t functionIndex);

  /// .loc, at any place. The directive itself is taken already.
  void readLoc();

  /// SourceLoc::file holds the number of a .file line until the whole text is read.
  std::vector<NamedLoc> namedLocs;

private:
  Function &function() { return module.functions[index]; }
  void statement();
  void directive();
  void labelled(const Token &name);
  void readRegisters();
  void readVariables(Space space, Linkage linkage);
  void readBranchTargets(const Token &name);
  void readPrototype(const Token &name);
  void readCallTargets(const Token &name);
  bool readSlots(std::vector<Prototype::Slot> &slots);
  void instruction();
  bool readGuard(Guard &guard);
  Token joinMnemonic(Token first);
  void keepUnsupported(const Token &mnemonic, const Form &form, Instr instr);
  bool readBranch(Instr &instr);
  bool readIndexedBranch(const Token &mnemonic, Instr &instr);
  bool readCall(const Token &mnemonic, Instr &instr);
  bool readCallList(std::vector<Operand> &list, bool isWritten);
  bool callFits(const Token &at, const Operand &callee, size_t results, size_t arguments);
  void finishFunction(bool sound);

  Cursor &cursor;
  Module &module;
  const Globals &globals;
  FormCache forms;
  std::optional<OperandChecker> checker; ///< of the function that is being read
  ParsedOperands parsed;
  std::string joined;
  std::deque<std::string> joinedMnemonics;
  uint32_t index = kNone;
  uint32_t loc = kNone;
  std::unordered_map<uint64_t, uint32_t> locsHere; ///< place -> the last .loc of this function that names it
  bool failed = false;
  bool done = false;
};

} // namespace heddle::ptx

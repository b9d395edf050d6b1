// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Declarations.h"
#include "ptx/Rows.h"
#include "ptx/Scopes.h"

namespace heddle::ptx {

/// An operand as it is in the text, before the instruction's row says what it should be.
struct Parsed {
  Operand
      operand; ///< Label: a name that nothing declared has. Vector: index counts in ParsedOperands::elements
  Constant constant; ///< of an Imm
  Token at;
  bool followsBar = false; ///< the p of "d|p"
};

struct ParsedOperands {
  std::vector<Parsed> list;
  std::vector<Parsed> elements; ///< of the vectors in `list`

  void clear() {
    list.clear();
    elements.clear();
  }
};

/// Reads the operands of one instruction up to, not including, the ';'. False where they make no sense.
bool readOperands(Cursor &cursor, Scopes &scopes, const Globals &globals, ParsedOperands &out);
bool readOperand(Cursor &cursor, Scopes &scopes, const Globals &globals, ParsedOperands &out);

/// Checks operands against the instruction's row and writes them behind Function::operands.
///
/// Special registers and addresses of symbols may represent any source in PTX, but compilers only move them.
/// So that the simulator meets them in mov alone, everywhere else they are first moved into a register of their
/// own by an instruction put before this one.
class OperandChecker {
public:
  OperandChecker(Cursor &c, Scopes &s, const Module &m, Function &f)
      : cursor(c), scopes(s), module(m), function(f) {}

  /// Fills firstOperand and numOperands of `instr`; false where something is wrong (reported).
  bool check(const Token &mnemonic, Instr &instr, ParsedOperands &parsed);

private:
  struct Item {
    Parsed *main = nullptr, *pred = nullptr; ///< null: left out
  };

  bool match(const Token &mnemonic, const Row &row, ParsedOperands &parsed);
  bool isUnnamed(const Parsed &parsed) const;
  bool assign(const Row &row, size_t spec, size_t item, std::vector<Item> &chosen) const;
  bool checkItem(const Instr &instr, const OperandSpec &spec, const Item &item, ParsedOperands &parsed);
  bool checkScalar(const OperandSpec &spec, Type type, Parsed &parsed);
  bool checkRegister(const Parsed &parsed, Type type, bool mayBeWider);
  bool checkVector(const OperandSpec &spec, Type type, unsigned width, Parsed &vector, ParsedOperands &all);
  bool checkAny(bool isWritten, Parsed &parsed);
  bool checkAnyVector(bool isWritten, Parsed &parsed, ParsedOperands &all);
  bool checkAddress(Parsed &parsed);
  bool checkConversion(const Token &mnemonic, const Instr &instr);
  bool checkMov(const Instr &instr, ParsedOperands &parsed);
  bool checkMovScalar(Type type, Parsed &parsed, bool isWritten);
  bool checkMovElements(Type type, Parsed &vector, ParsedOperands &all, bool isWritten);
  bool checkMatrix(const Token &mnemonic, const Instr &instr);
  bool setImmediate(Parsed &parsed, Type type);
  void moveIntoRegister(Parsed &parsed, Type type);
  bool undeclared(const Parsed &parsed);
  bool fail(const Parsed &parsed, std::string_view wanted);
  void emit(Instr &instr, ParsedOperands &parsed);

  Cursor &cursor;
  Scopes &scopes;
  const Module &module;
  Function &function;
  std::vector<Item> items;  ///< what is in the text
  std::vector<Item> chosen; ///< for each word of the row, what it is; main is null where left out
  const Instr *current = nullptr;
};

} // namespace heddle::ptx

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Cursor.h"
#include "ptx/Module.h"
#include "ptx/NameTable.h"

#include <cstdint>
#include <deque>

namespace heddle::ptx {

/// What a name inside a function represents.
struct Binding {
  enum class Kind : uint8_t { None, Reg, Var } kind = Kind::None;
  uint16_t depth = 0;
  uint32_t index = kNone;
};

/// The names of one function at a time: registers, variables and labels, in nested scopes.
///
/// Registers declared as a range (%r<100>) come into being when they are first named, so a range costs
/// nothing however large it is, and unused registers do not exist. A label belongs to the scope it
/// is in (inline assembly repeats them), may be named before it is there, and is seen from scopes
/// further in: so uses wait until their scope closes and then look there, or wait on in the scope around it.
class Scopes {
public:
  explicit Scopes(Cursor &c) : cursor(c) {}

  /// `fn` must stay where it is until finish().
  void begin(Function &fn);
  /// Goes on with the same names for a function that is now elsewhere.
  void moveTo(Function &fn) { function = &fn; }
  /// Closes the outermost scope; labels that are still not found are errors.
  void finish();

  bool open(const Token &at);
  void close();
  unsigned depth() const { return unsigned(frames.size()); }

  uint32_t declareRegister(const Token &name, Type type);
  void declareRange(const Token &prefix, Type type, uint64_t count);
  void bindVariable(const Token &name, uint32_t variable);
  /// A register that no name in the text represents.
  uint32_t addRegister(std::string_view name, Type type);

  Binding find(std::string_view name);
  /// The name, or the name with a number after it where the function has it already.
  std::string unique(std::string_view name);

  enum class LabelKind : uint8_t { Instr, Targets, Proto };
  void defineLabel(const Token &name, LabelKind kind, uint32_t index);
  /// Function::operands[operand].index gets the label's index once it is known.
  void useLabel(const Token &name, LabelKind kind, uint32_t operand);
  /// The same for Function::targetLists[list][position].
  void useLabelInList(const Token &name, uint32_t list, uint32_t position);

  /// Room in the frame's call area, given back when the scope closes.
  uint64_t allocateCallArea(uint64_t bytes, uint32_t align);

private:
  struct Range {
    Type type = Type::None;
    uint16_t depth = 0;
    uint64_t count = 0;
  };
  struct LabelDef {
    Token name;
    LabelKind kind;
    uint32_t index;
  };
  struct LabelUse {
    Token name;
    LabelKind kind;
    uint32_t operand, list, position;
  };
  struct Frame {
    std::vector<LabelDef> labels;
    std::vector<LabelUse> uses;
    std::vector<std::pair<std::string_view, Binding>> hiddenNames;
    std::vector<std::pair<std::string_view, Range>> hiddenRanges;
    uint64_t callOffset = 0;
  };

  void bind(std::string_view name, Binding binding);
  bool reportIfDeclaredHere(const Token &name);
  Binding materialize(std::string_view name, unsigned aboveDepth);
  void resolve(const LabelUse &use, const LabelDef &def);
  void indexLabels(const Frame &frame);

  Cursor &cursor;
  Function *function = nullptr;
  NameTable<Binding> names;
  NameTable<Range> ranges;
  NameTable<uint32_t> taken; ///< names of the decoded function -> next number to try after them
  NameTable<uint32_t> labelIndex;
  std::deque<std::string> made; ///< owns the names that `taken` has and the text has not
  std::vector<Frame> frames;
  unsigned nestedRanges = 0; ///< ranges declared below the outermost scope and still open
  uint64_t callOffset = 0;
};

} // namespace heddle::ptx

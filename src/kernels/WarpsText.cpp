// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three values are made one after the other, each from the ones before, and then the text:
//
//   names          of variables, none of which means something else in the text around
//   Declarations   which instance declares a variable, and which variables are declared at the top
//   Statements     what an instance reads as: one statement, or the first two of a sum in one
//   region, fork   statements in their braces, with comments that name the operations they belong to
//
// One text serves all warps, so a number that differs between them is a slot of the warp's constants.
#include "kernels/WarpsText.h"

#include "kernels/Printer.h"
#include "kernels/Template.h"
#include "model/Thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace heddle::kernels {

using flow::Op;
using partition::ConstantPlace;
using partition::Instance;
using partition::Piece;
using partition::PieceKind;

namespace {

constexpr size_t lineWidth = 110;
using model::threshold::chemistry::waysOfSwitch;

/// Names that the text around has.
const std::set<std::string> reserved = {"warp",    "lane",    "me",    "c",       "at",     "rows",
                                        "point",   "points",  "first", "isThere", "stride", "rowCount",
                                        "numbers", "indices", "warps", "result",  "choices"};

bool isField(const flow::Program &program, const std::string &name) {
  return std::ranges::any_of(program.fields, [&](const flow::Field &field) { return field.name == name; });
}

std::vector<std::string> variableNames(const flow::Program &program, const partition::Overlaid &overlaid) {
  std::vector<std::string> names = overlaid.variableNames;
  for (std::string &name : names)
    while (reserved.contains(name) || isField(program, name))
      name += "_";
  return names;
}

// --- declarations

/// A variable is declared where it is written if that is one place and everything that reads it is inside
/// the same braces; else at the top.
struct Declarations {
  std::vector<std::optional<unsigned>> by; ///< the instance that declares each variable; nothing: at the top
  std::vector<bool> changes;               ///< variables that are written again where they are declared
};

Declarations declarationsOf(const partition::Overlaid &overlaid) {
  const size_t count = overlaid.variableNames.size();
  Declarations declared{std::vector<std::optional<unsigned>>(count), std::vector<bool>(count)};
  std::vector<bool> severalWrites(count);
  std::vector<int> scope(count, -1);
  constexpr int everywhere = 0;
  int next = 1;
  const auto visit = [&](unsigned number, int here) {
    const Instance &instance = overlaid.instances[number];
    for (unsigned read : instance.reads)
      if (scope[read] != everywhere && scope[read] != here)
        severalWrites[read] = true;
    for (unsigned written : instance.writes) {
      if (std::ranges::find(instance.reads, written) != instance.reads.end() &&
          instance.shape.kind != PieceKind::Compute) {
        declared.changes[written] = true;
        continue;
      }
      severalWrites[written] = severalWrites[written] || declared.by[written].has_value();
      declared.by[written] = number;
      scope[written] = here;
    }
  };
  for (const partition::Fork &fork : overlaid.forks)
    for (const partition::Region &way : fork.ways) {
      const int here = way.warps == overlaid.all() ? everywhere : next++;
      for (unsigned number : way.instances)
        visit(number, here);
    }
  for (size_t i = 0; i < count; ++i)
    if (severalWrites[i])
      declared.by[i].reset();
  return declared;
}

std::string declarationsAtTop(const Declarations &declared, const std::vector<std::string> &names,
                              const std::string &type, const std::string &indent) {
  std::string lines, text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (declared.by[i])
      continue;
    if (!text.empty() && indent.size() + text.size() + names[i].size() + 3 > lineWidth) {
      lines += indent + text + ";\n";
      text.clear();
    }
    text += (text.empty() ? type + " " : ", ") + names[i];
  }
  return text.empty() ? lines : lines + indent + text + ";\n";
}

/// Of the program's, those that some instance loads.
std::vector<bool> usedFields(const flow::Program &program, const partition::Overlaid &overlaid) {
  std::vector<bool> used(program.fields.size());
  for (const partition::Fork &fork : overlaid.forks)
    for (const partition::Region &way : fork.ways)
      for (unsigned number : way.instances)
        if (const auto &shape = overlaid.instances[number].shape;
            shape.kind == PieceKind::Compute && shape.op == Op::Load)
          used[shape.field] = true;
  return used;
}

// --- statements

/// What instances read as. Nothing changes here: the same instance reads the same each time.
struct InstanceText {
  const flow::Program &program;
  const partition::Overlaid &overlaid;
  const partition::Constants &constants;
  const partition::ConstantPlaces &places;
  const Target target;
  const std::vector<std::string> names;
  const Declarations declared;

  std::string of(unsigned number) const;
  bool beginsSum(unsigned zero, unsigned next) const;
  /// A sum that begins with its first term.
  std::string sum(unsigned zero, unsigned next) const;

private:
  Printed number(unsigned instance, size_t k) const;
  std::string index(unsigned instance) const;
  std::string ofComponent(unsigned instance) const;
  std::string assignment(unsigned variable, unsigned instance, const std::string &value) const;
  std::string term(unsigned number) const;
  std::string accumulation(unsigned number) const;
  Printed expression(unsigned number) const;
  std::string load(unsigned number) const;
  Printed piecewise(unsigned number, const Printed &value) const;
};

Printed InstanceText::number(unsigned instance, size_t k) const {
  const auto &use = constants.numbers.uses[instance][k];
  if (!use.slot)
    return target.constant(use.value);
  if (places.numbers == ConstantPlace::Shuffle)
    return {fmt::format("hdl_from<{}>(c{})", *use.slot % 32, *use.slot / 32)};
  return {fmt::format("c[{}]", *use.slot)};
}

std::string InstanceText::index(unsigned instance) const {
  const auto &use = constants.indices.uses[instance][0];
  if (!use.slot)
    return std::to_string(use.value);
  if (places.indices == ConstantPlace::Shuffle)
    return fmt::format("hdl_from<{}>(at{})", *use.slot % 32, *use.slot / 32);
  return fmt::format("at[{}]", *use.slot);
}

/// Where a component's values are, behind those of the first.
std::string InstanceText::ofComponent(unsigned instance) const {
  const std::string component = index(instance);
  return component == "0" ? "" : component == "1" ? " + stride" : fmt::format(" + {} * stride", component);
}

bool InstanceText::beginsSum(unsigned zero, unsigned next) const {
  const Instance &a = overlaid.instances[zero], &b = overlaid.instances[next];
  return a.shape.kind == PieceKind::Zero && b.shape.kind == PieceKind::Accumulate && a.writes == b.writes &&
         a.warps == b.warps;
}

std::string InstanceText::sum(unsigned zero, unsigned next) const {
  return assignment(overlaid.instances[next].writes[0], zero, term(next));
}

std::string InstanceText::assignment(unsigned variable, unsigned instance, const std::string &value) const {
  const bool declares = declared.by[variable] == instance;
  return fmt::format("{}{} = {};",
                     declares ? (declared.changes[variable] ? "" : "const ") + target.type + " " : "",
                     names[variable], value);
}

/// What is added to a sum.
std::string InstanceText::term(unsigned number) const {
  const Instance &instance = overlaid.instances[number];
  const Printed factor = this->number(number, 0);
  if (instance.shape.isConstant[0])
    return factor.text;
  const std::string &value = names[instance.reads[1]];
  const auto &use = constants.numbers.uses[number][0];
  if (!use.slot && use.value == 1)
    return value;
  if (!use.slot && use.value == -1)
    return "-" + value;
  return print(target, Op::Multiply, {factor, {value}}).text;
}

std::string InstanceText::of(unsigned number) const {
  const Instance &instance = overlaid.instances[number];
  const auto row = [&] { return fmt::format("rows[{}][lane]", index(number)); };
  switch (instance.shape.kind) {
  case PieceKind::Compute: return assignment(instance.writes[0], number, expression(number).text);
  case PieceKind::Zero: return assignment(instance.writes[0], number, target.constant(0).text);
  case PieceKind::Accumulate: return accumulation(number);
  case PieceKind::Get: return assignment(instance.writes[0], number, row());
  case PieceKind::Put: return fmt::format("{} = {};", row(), names[instance.reads[0]]);
  case PieceKind::AddRow: return fmt::format("{} += {};", names[instance.reads[0]], row());
  case PieceKind::Store:
    return fmt::format("hdl_store(result{} + point, {}, isThere);", ofComponent(number),
                       printTerm(target, program.resultScale, {names[instance.reads[0]]}));
  case PieceKind::Arrive:
  case PieceKind::Wait:
    return fmt::format("hdl_{}<{}, {}>();", instance.shape.kind == PieceKind::Arrive ? "arrive" : "wait",
                       instance.shape.barrier, instance.shape.threads);
  }
  return {};
}

std::string InstanceText::accumulation(unsigned number) const {
  const Instance &instance = overlaid.instances[number];
  const std::string &sum = names[instance.writes[0]];
  const auto &use = constants.numbers.uses[number][0];
  if (instance.shape.isConstant[0])
    return fmt::format("{} += {};", sum, this->number(number, 0).text);
  const std::string &value = names[instance.reads[1]];
  if (!use.slot && std::abs(use.value) == 1)
    return fmt::format("{} {} {};", sum, use.value == -1 ? "-=" : "+=", value);
  return fmt::format("{} = {};", sum, print(target, Op::Fma, {this->number(number, 0), {value}, {sum}}).text);
}

Printed InstanceText::expression(unsigned number) const {
  const Instance &instance = overlaid.instances[number];
  std::vector<Printed> operands;
  size_t constant = 0, read = 0;
  for (bool isConstant : instance.shape.isConstant)
    operands.push_back(isConstant ? this->number(number, constant++)
                                  : Printed{names[instance.reads[read++]]});
  switch (instance.shape.op) {
  case Op::Load: return {load(number)};
  case Op::Piecewise: return piecewise(number, operands[0]);
  default: return print(target, instance.shape.op, operands); // pieces have no totals
  }
}

std::string InstanceText::load(unsigned number) const {
  const flow::Field &field = program.fields[overlaid.instances[number].shape.field];
  if (field.isUniform)
    return field.name;
  if (field.components == 1)
    return field.name + "[point]";
  return fmt::format("{}[point{}]", field.name, ofComponent(number));
}

/// Values that differ between warps are found by counting the thresholds that are passed.
Printed InstanceText::piecewise(unsigned number, const Printed &value) const {
  const auto &choices = constants.choices.uses[number];
  std::vector<Printed> thresholds, values;
  for (unsigned i = 0; i < overlaid.instances[number].shape.thresholds; ++i)
    thresholds.push_back(this->number(number, i));
  if (choices[0].slot) {
    std::string text = fmt::format("choices[{}", *choices[0].slot);
    for (const Printed &threshold : thresholds)
      text += fmt::format(" + ({} > {})", value.text, threshold.text);
    return {text + "]"};
  }
  for (const auto &choice : choices)
    values.push_back(target.constant(choice.value));
  return printSteps(target, value, thresholds, values);
}

// --- comments

/// Names the operations of each warp once, where its first instance is.
class OperationNotes {
public:
  OperationNotes(const flow::Program &program, const partition::Overlaid &overlaid)
      : program(program), overlaid(overlaid), last(overlaid.warps, Piece::none) {}

  /// Comments in front of an instance; nothing where its operations have been named.
  std::string before(const Instance &instance, const std::string &indent) {
    std::vector<std::string> notes;
    bool isNew = false;
    for (unsigned warp = 0; warp < overlaid.warps; ++warp) {
      if (instance.pieces[warp] == Piece::none)
        continue;
      const unsigned operation = overlaid.pieceOf(instance, warp).operation;
      if (operation == Piece::none)
        continue;
      isNew = isNew || last[warp] != operation;
      last[warp] = operation;
      std::string note = inComment(program.operations[operation].note);
      if (std::ranges::find(notes, note) == notes.end())
        notes.push_back(std::move(note));
    }
    return isNew ? wrapped(notes, indent) : "";
  }

private:
  static std::string wrapped(const std::vector<std::string> &notes, const std::string &indent) {
    std::string lines, text = "//";
    for (size_t i = 0; i < notes.size(); ++i) {
      const std::string word = (i == 0 ? " " : " | ") + notes[i];
      if (indent.size() + text.size() + word.size() > lineWidth) {
        lines += indent + text + "\n";
        text = "//";
      }
      text += word;
    }
    return lines + indent + text + "\n";
  }

  const flow::Program &program;
  const partition::Overlaid &overlaid;
  std::vector<unsigned> last; ///< that a comment has named, by warp
};

// --- regions and branches

std::string regionText(const InstanceText &statements, const partition::Region &way,
                       const std::string &indent) {
  const partition::Overlaid &overlaid = statements.overlaid;
  OperationNotes notes(statements.program, overlaid);
  std::string text;
  for (size_t i = 0; i < way.instances.size(); ++i) {
    const unsigned number = way.instances[i];
    text += notes.before(overlaid.instances[number], indent);
    if (i + 1 < way.instances.size() && statements.beginsSum(number, way.instances[i + 1])) {
      const unsigned next = way.instances[++i];
      text += notes.before(overlaid.instances[next], indent);
      text += indent + statements.sum(number, next) + "\n";
    } else {
      text += indent + statements.of(number) + "\n";
    }
  }
  return text;
}

std::string switchText(const InstanceText &statements, const partition::Fork &fork,
                       const std::string &indent) {
  std::string text = indent + "switch (warp) {\n";
  for (const partition::Region &way : fork.ways)
    text += fmt::format("{0}case {1}: {{\n{2}{0}}} break;\n", indent, std::countr_zero(way.warps),
                        regionText(statements, way, indent + "  "));
  return text + indent + "}\n";
}

std::string testsText(const InstanceText &statements, const partition::Fork &fork,
                      const std::string &indent) {
  partition::WarpMask seen = 0;
  std::string text, before;
  for (const partition::Region &way : fork.ways) {
    seen |= way.warps;
    const bool isRest = !before.empty() && seen == statements.overlaid.all();
    text += indent + before + (isRest ? "{\n" : fmt::format("if (me & 0x{:x}u) {{\n", way.warps));
    text += regionText(statements, way, indent + "  ");
    before = "} else ";
  }
  return text + indent + "}\n";
}

std::string forkText(const InstanceText &statements, const partition::Fork &fork, const std::string &indent) {
  if (fork.ways.size() == 1 && fork.ways.front().warps == statements.overlaid.all())
    return regionText(statements, fork.ways.front(), indent);
  const bool isSwitch =
      fork.ways.size() >= waysOfSwitch &&
      std::ranges::all_of(fork.ways, [](const auto &way) { return std::popcount(way.warps) == 1; });
  return isSwitch ? switchText(statements, fork, indent) : testsText(statements, fork, indent);
}

} // namespace

WarpsBody warpsBody(const flow::Program &program, const partition::Overlaid &overlaid,
                    const partition::Constants &constants, const partition::ConstantPlaces &places,
                    const Real &real) {
  const std::string indent = "    ";
  const InstanceText statements{program,
                                overlaid,
                                constants,
                                places,
                                warpsTarget(real),
                                variableNames(program, overlaid),
                                declarationsOf(overlaid)};
  std::string text = declarationsAtTop(statements.declared, statements.names, statements.target.type, indent);
  for (const partition::Fork &fork : overlaid.forks)
    text += forkText(statements, fork, indent);
  return {text, usedFields(program, overlaid)};
}

} // namespace heddle::kernels

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/WarpsText.h"

#include "kernels/Printer.h"
#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace heddle::kernels {

using flow::Op;
using weave::ConstantPlace;
using weave::Instance;
using weave::Piece;
using weave::PieceKind;

namespace {

constexpr size_t lineWidth = 110;
/// So many ways, each of one warp, are an indirect branch rather than a chain of tests.
constexpr size_t waysOfSwitch = 3;

/// Names that the text around has.
const std::set<std::string> reserved = {"warp",    "lane",    "me",    "c",       "at",     "rows",
                                        "point",   "points",  "first", "isThere", "stride", "rowCount",
                                        "numbers", "indices", "warps", "result",  "choices"};

class Writer {
public:
  Writer(const flow::Program &program, const weave::Overlaid &overlaid, const weave::Constants &constants,
         const weave::ConstantPlaces &places, const Real &real)
      : program(program), overlaid(overlaid), constants(constants), places(places), target(warpsTarget(real)),
        names(overlaid.variableNames), usesField(program.fields.size()) {
    for (std::string &name : names)
      while (reserved.contains(name) || isField(name))
        name += "_";
    findDeclarations();
  }

  WarpsBody body() {
    declareAtTop();
    for (const weave::Fork &fork : overlaid.forks)
      write(fork);
    return {out, usesField};
  }

private:
  const flow::Program &program;
  const weave::Overlaid &overlaid;
  const weave::Constants &constants;
  const weave::ConstantPlaces &places;
  const Target target;
  std::vector<std::string> names;
  std::vector<bool> usesField;
  std::vector<std::optional<unsigned>> declaredBy; ///< the instance that declares each variable
  std::vector<bool> changes; ///< variables that are written again where they are declared
  std::string out, indent = "    ";
  std::vector<unsigned> lastOperations; ///< that a comment has told of, by warp

  bool isField(const std::string &name) const {
    return std::ranges::any_of(program.fields, [&](const flow::Field &field) { return field.name == name; });
  }

  void line(const std::string &text) { out += indent + text + "\n"; }

  // --- declarations

  /// A variable is declared where it is written if that is one place and everything that reads it is inside
  /// the same braces; else at the top.
  void findDeclarations() {
    const size_t count = names.size();
    declaredBy.assign(count, std::nullopt);
    changes.assign(count, false);
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
          changes[written] = true;
          continue;
        }
        severalWrites[written] = severalWrites[written] || declaredBy[written].has_value();
        declaredBy[written] = number;
        scope[written] = here;
      }
    };
    for (const weave::Fork &fork : overlaid.forks)
      for (const weave::Region &way : fork.ways) {
        const int here = way.warps == overlaid.all() ? everywhere : next++;
        for (unsigned number : way.instances)
          visit(number, here);
      }
    for (size_t i = 0; i < count; ++i)
      if (severalWrites[i])
        declaredBy[i].reset();
  }

  void declareAtTop() {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) {
      if (declaredBy[i])
        continue;
      if (!text.empty() && indent.size() + text.size() + names[i].size() + 3 > lineWidth) {
        line(text + ";");
        text.clear();
      }
      text += (text.empty() ? target.type + " " : ", ") + names[i];
    }
    if (!text.empty())
      line(text + ";");
  }

  // --- branches

  static std::string mask(weave::WarpMask warps) { return fmt::format("me & 0x{:x}u", warps); }

  void write(const weave::Fork &fork) {
    const bool isSwitch =
        fork.ways.size() >= waysOfSwitch &&
        std::ranges::all_of(fork.ways, [](const auto &way) { return std::popcount(way.warps) == 1; });
    if (fork.ways.size() == 1 && fork.ways.front().warps == overlaid.all())
      write(fork.ways.front());
    else if (isSwitch)
      writeSwitch(fork);
    else
      writeTests(fork);
  }

  void writeSwitch(const weave::Fork &fork) {
    line("switch (warp) {");
    for (const weave::Region &way : fork.ways) {
      line(fmt::format("case {}: {{", std::countr_zero(way.warps)));
      writeInside(way);
      line("} break;");
    }
    line("}");
  }

  void writeTests(const weave::Fork &fork) {
    weave::WarpMask seen = 0;
    std::string before;
    for (const weave::Region &way : fork.ways) {
      seen |= way.warps;
      const bool isRest = !before.empty() && seen == overlaid.all();
      line(before + (isRest ? "{" : fmt::format("if ({}) {{", mask(way.warps))));
      writeInside(way);
      before = "} else ";
    }
    line("}");
  }

  void writeInside(const weave::Region &way) {
    indent += "  ";
    write(way);
    indent.resize(indent.size() - 2);
  }

  void write(const weave::Region &way) {
    lastOperations.assign(overlaid.warps, Piece::none);
    for (size_t i = 0; i < way.instances.size(); ++i) {
      const unsigned number = way.instances[i];
      comment(overlaid.instances[number]);
      // A sum that begins with its first term.
      if (i + 1 < way.instances.size() && beginsSum(number, way.instances[i + 1])) {
        begin(number, way.instances[i + 1]);
        ++i;
      } else {
        statement(number);
      }
    }
  }

  /// The operations that an instance belongs to, where they have not been named yet.
  void comment(const Instance &instance) {
    std::vector<std::string> notes;
    bool isNew = false;
    for (unsigned warp = 0; warp < overlaid.warps; ++warp) {
      if (instance.pieces[warp] == Piece::none)
        continue;
      const unsigned operation = overlaid.pieceOf(instance, warp).operation;
      if (operation == Piece::none)
        continue;
      isNew = isNew || lastOperations[warp] != operation;
      lastOperations[warp] = operation;
      std::string note = inComment(program.operations[operation].note);
      if (std::ranges::find(notes, note) == notes.end())
        notes.push_back(std::move(note));
    }
    if (!isNew)
      return;
    std::string text = "//";
    for (size_t i = 0; i < notes.size(); ++i) {
      const std::string word = (i == 0 ? " " : " | ") + notes[i];
      if (indent.size() + text.size() + word.size() > lineWidth) {
        line(text);
        text = "//";
      }
      text += word;
    }
    line(text);
  }

  // --- constants

  Printed number(unsigned instance, size_t k) const {
    const auto &use = constants.numbers.uses[instance][k];
    if (!use.slot)
      return target.constant(use.value);
    if (places.numbers == ConstantPlace::Shuffle)
      return {fmt::format("hdl_from<{}>(c{})", *use.slot % 32, *use.slot / 32)};
    return {fmt::format("c[{}]", *use.slot)};
  }

  std::string index(unsigned instance) const {
    const auto &use = constants.indices.uses[instance][0];
    if (!use.slot)
      return std::to_string(use.value);
    if (places.indices == ConstantPlace::Shuffle)
      return fmt::format("hdl_from<{}>(at{})", *use.slot % 32, *use.slot / 32);
    return fmt::format("at[{}]", *use.slot);
  }

  /// What a component's values stand behind those of the first.
  std::string ofComponent(unsigned instance) const {
    const std::string component = index(instance);
    return component == "0" ? "" : component == "1" ? " + stride" : fmt::format(" + {} * stride", component);
  }

  // --- statements

  bool beginsSum(unsigned zero, unsigned next) const {
    const Instance &a = overlaid.instances[zero], &b = overlaid.instances[next];
    return a.shape.kind == PieceKind::Zero && b.shape.kind == PieceKind::Accumulate && a.writes == b.writes &&
           a.warps == b.warps;
  }

  void begin(unsigned zero, unsigned next) {
    comment(overlaid.instances[next]);
    const Instance &instance = overlaid.instances[next];
    const unsigned variable = instance.writes[0];
    assign(variable, zero, term(next, instance));
  }

  void assign(unsigned variable, unsigned instance, const std::string &value) {
    const bool declares = declaredBy[variable] == instance;
    line(fmt::format("{}{} = {};", declares ? (changes[variable] ? "" : "const ") + target.type + " " : "",
                     names[variable], value));
  }

  /// What is added to a sum.
  std::string term(unsigned number, const Instance &instance) const {
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

  void statement(unsigned number) {
    const Instance &instance = overlaid.instances[number];
    const auto row = [&] { return fmt::format("rows[{}][lane]", index(number)); };
    switch (instance.shape.kind) {
    case PieceKind::Compute: assign(instance.writes[0], number, expression(number, instance).text); return;
    case PieceKind::Zero: assign(instance.writes[0], number, target.constant(0).text); return;
    case PieceKind::Accumulate: accumulate(number, instance); return;
    case PieceKind::Get: assign(instance.writes[0], number, row()); return;
    case PieceKind::Put: line(fmt::format("{} = {};", row(), names[instance.reads[0]])); return;
    case PieceKind::AddRow: line(fmt::format("{} += {};", names[instance.reads[0]], row())); return;
    case PieceKind::Store: {
      line(fmt::format("hdl_store(result{} + point, {}, isThere);", ofComponent(number),
                       printTerm(target, program.resultScale, {names[instance.reads[0]]})));
      return;
    }
    case PieceKind::Arrive:
    case PieceKind::Wait:
      line(fmt::format("hdl_{}<{}, {}>();", instance.shape.kind == PieceKind::Arrive ? "arrive" : "wait",
                       instance.shape.barrier, instance.shape.threads));
      return;
    }
  }

  void accumulate(unsigned number, const Instance &instance) {
    const std::string &sum = names[instance.writes[0]];
    const auto &use = constants.numbers.uses[number][0];
    if (instance.shape.isConstant[0] || (!use.slot && std::abs(use.value) == 1)) {
      const bool minus = !instance.shape.isConstant[0] && use.value == -1;
      line(fmt::format("{} {} {};", sum, minus ? "-=" : "+=",
                       instance.shape.isConstant[0] ? this->number(number, 0).text
                                                    : names[instance.reads[1]]));
      return;
    }
    line(fmt::format(
        "{} = {};", sum,
        print(target, Op::Fma, {this->number(number, 0), {names[instance.reads[1]]}, {sum}}).text));
  }

  std::vector<Printed> operandsOf(unsigned number, const Instance &instance) const {
    std::vector<Printed> operands;
    size_t constant = 0, read = 0;
    for (bool isConstant : instance.shape.isConstant)
      operands.push_back(isConstant ? this->number(number, constant++)
                                    : Printed{names[instance.reads[read++]]});
    return operands;
  }

  Printed expression(unsigned number, const Instance &instance) {
    const std::vector<Printed> operands = operandsOf(number, instance);
    switch (instance.shape.op) {
    case Op::Load: return {load(number, instance)};
    case Op::Piecewise: return piecewise(number, instance, operands[0]);
    default: return print(target, instance.shape.op, operands); // pieces have no totals
    }
  }

  std::string load(unsigned number, const Instance &instance) {
    const flow::Field &field = program.fields[instance.shape.field];
    usesField[instance.shape.field] = true;
    if (field.isUniform)
      return field.name;
    if (field.components == 1)
      return field.name + "[point]";
    return fmt::format("{}[point{}]", field.name, ofComponent(number));
  }

  /// Values that differ between warps are found by counting the thresholds that are passed.
  Printed piecewise(unsigned number, const Instance &instance, const Printed &value) {
    const auto &choices = constants.choices.uses[number];
    std::vector<Printed> thresholds, values;
    for (unsigned i = 0; i < instance.shape.thresholds; ++i)
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
};

} // namespace

WarpsBody warpsBody(const flow::Program &program, const weave::Overlaid &overlaid,
                    const weave::Constants &constants, const weave::ConstantPlaces &places,
                    const Real &real) {
  return Writer(program, overlaid, constants, places, real).body();
}

} // namespace heddle::kernels

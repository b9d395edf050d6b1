// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/HostLoops.h"

#include "flow/Shapes.h"
#include "kernels/Printer.h"
#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::kernels {

using flow::Instruction;
using flow::Member;
using flow::Op;
using flow::Operand;
using flow::Shape;
using flow::Source;

namespace {

/// Where everything is in `at`.
class Slots {
public:
  unsigned of(const Source &source) {
    auto [place, isNew] = places.try_emplace(source, unsigned(places.size()));
    return place->second;
  }
  unsigned ofValue(unsigned value) { return of({Source::Kind::Value, value, 0}); }
  unsigned count() const { return unsigned(places.size()); }

private:
  std::map<Source, unsigned> places;
};

/// A constant or a place: the same for all members of a shape, or a column of its table.
struct Parameter {
  std::string text;      ///< how the loop's body calls it
  bool isColumn = false; ///< the first that is found in this column
  bool isFixed = false;  ///< the same for all members
};

/// Gives each parameter its text. Where all members agree it is theirs; parameters that agree with each other
/// in every member are one column.
template <class ColumnOf, class Write>
std::vector<Parameter> parametersOf(size_t count, const ColumnOf &columnOf, const char *name,
                                    unsigned &columns, const Write &write) {
  std::vector<Parameter> parameters;
  std::map<std::decay_t<decltype(columnOf(0))>, std::string> known;
  for (size_t i = 0; i < count; ++i) {
    const auto column = columnOf(i);
    if (std::ranges::all_of(column, [&](const auto &each) { return each == column.front(); })) {
      parameters.push_back({write(column.front()), false, true});
      continue;
    }
    const auto [place, isNew] = known.try_emplace(column, fmt::format("row.{}[{}]", name, columns));
    columns += isNew;
    parameters.push_back({place->second, isNew});
  }
  return parameters;
}

/// The loop of one shape.
class ShapeLoop {
public:
  ShapeLoop(const flow::Program &program, const flow::Shapes &shapes, const Shape &shape, Slots &slots,
            const Target &target)
      : program(program), live(shapes.live), shape(shape), slots(slots), target(target) {
    findParameters();
    body();
  }

  std::string function(const std::string &name) const;

private:
  const flow::Program &program;
  const std::vector<bool> &live;
  const Shape &shape;
  Slots &slots;
  const Target &target;
  std::vector<Parameter> constants, reads, writes;
  unsigned constantColumns = 0, placeColumns = 0;
  std::string lines;
  size_t nextConstant = 0, nextRead = 0, nextWrite = 0; ///< while the body is written
  std::map<unsigned, std::string> inside;               ///< values of the first member, by name

  const Member &first() const { return shape.members.front(); }
  const char *indent() const { return shape.members.size() > 1 ? "    " : "  "; }
  void findParameters();
  void body();
  void statement(const Instruction &instruction);
  Printed constant();
  Printed operand(const Operand &operand);
  Printed expression(const Instruction &instruction);
  std::string row(const Member &member) const;
};

void ShapeLoop::findParameters() {
  const auto column = [&](auto get) {
    std::vector<std::decay_t<decltype(get(first()))>> all;
    std::ranges::transform(shape.members, std::back_inserter(all), get);
    return all;
  };
  constants = parametersOf(
      first().constants.size(),
      [&](size_t i) { return column([i](const Member &each) { return each.constants[i]; }); }, "c",
      constantColumns, [&](double value) { return target.real->literal(value); });
  reads = parametersOf(
      first().reads.size(),
      [&](size_t i) { return column([&](const Member &each) { return slots.of(each.reads[i]); }); }, "at",
      placeColumns, [](unsigned slot) { return std::to_string(slot); });
  writes = parametersOf(
      first().writes.size(),
      [&](size_t i) { return column([&](const Member &each) { return slots.ofValue(each.writes[i]); }); },
      "at", placeColumns, [](unsigned slot) { return std::to_string(slot); });
}

/// A constant that is a column of the table may be anything; the same in all members, it is known.
Printed ShapeLoop::constant() {
  const size_t i = nextConstant++;
  const double value = first().constants[i];
  return constants[i].isFixed ? target.constant(value) : Printed{constants[i].text};
}

Printed ShapeLoop::operand(const Operand &each) {
  if (!each.value)
    return constant();
  if (auto found = inside.find(*each.value); found != inside.end())
    return {found->second};
  return {"at[" + reads[nextRead++].text + "]"};
}

Printed ShapeLoop::expression(const Instruction &instruction) {
  if (instruction.op == Op::Load || instruction.op == Op::Total)
    return {"at[" + reads[nextRead++].text + "]"};
  // Operands are asked for in order: each takes the next constant or place.
  std::vector<Printed> operands;
  for (const Operand &each : instruction.operands)
    operands.push_back(operand(each));
  if (instruction.op != Op::Piecewise)
    return print(target, instruction.op, operands);
  std::vector<Printed> thresholds, values;
  for (size_t i = 0; i < instruction.steps.thresholds.size(); ++i)
    thresholds.push_back(constant());
  for (size_t i = 0; i < instruction.steps.values.size(); ++i)
    values.push_back(constant());
  return printSteps(target, operands[0], thresholds, values);
}

void ShapeLoop::statement(const Instruction &instruction) {
  const std::string name = fmt::format("t{}", inside.size());
  lines += fmt::format("{}const {} {} = {};\n", indent(), target.type, name, expression(instruction).text);
  inside[instruction.result] = name;
  const std::vector<unsigned> &written = first().writes;
  if (nextWrite < written.size() && written[nextWrite] == instruction.result)
    lines +=
        fmt::format("{}at[{}] = {};\n", indent(), writes[nextWrite++].text, inside.at(instruction.result));
}

void ShapeLoop::body() {
  for (const Instruction &instruction : program.operations[first().operation].code)
    if (live[instruction.result])
      statement(instruction);
}

std::string ShapeLoop::row(const Member &member) const {
  std::string numbers, places;
  const auto add = [](std::string &list, const std::string &text) {
    list += (list.empty() ? "" : ", ") + text;
  };
  for (size_t i = 0; i < constants.size(); ++i)
    if (constants[i].isColumn)
      add(numbers, target.real->literal(member.constants[i]));
  for (size_t i = 0; i < reads.size(); ++i)
    if (reads[i].isColumn)
      add(places, std::to_string(slots.of(member.reads[i])));
  for (size_t i = 0; i < writes.size(); ++i)
    if (writes[i].isColumn)
      add(places, std::to_string(slots.ofValue(member.writes[i])));
  return fmt::format("    {{{}{{{}}}}}, // {}\n", constantColumns > 0 ? "{" + numbers + "}, " : "", places,
                     inComment(program.operations[member.operation].note));
}

std::string ShapeLoop::function(const std::string &name) const {
  const size_t count = shape.members.size();
  std::string text = fmt::format("/// {}{}\n", inComment(program.operations[first().operation].note),
                                 count > 1 ? fmt::format(" and {} more of this shape", count - 1) : "");
  text += fmt::format("void {}(Wide *at) {{\n", name);
  if (count == 1)
    return text + lines + "}\n\n";
  text += "  static const struct {\n";
  if (constantColumns > 0)
    text += fmt::format("    {} c[{}];\n", target.real->type, constantColumns);
  text += fmt::format("    int at[{}];\n  }} rows[] = {{\n", placeColumns);
  for (const Member &member : shape.members)
    text += row(member);
  return text + "  };\n  for (const auto &row : rows) {\n" + lines + "  }\n}\n\n";
}

/// Terms of some sums, in one table; a function that gathers them.
class SumLoop {
public:
  SumLoop(const flow::Program &program, Slots &slots, const std::vector<unsigned> &sums, const Target &target)
      : target(target), terms(sums.size()), constants(sums.size()) {
    std::map<unsigned, size_t> place;
    for (size_t i = 0; i < sums.size(); ++i)
      place[sums[i]] = i;
    for (const flow::Operation &operation : program.operations)
      for (const flow::Contribution &each : operation.contributions)
        if (const auto found = place.find(each.sum); found != place.end()) {
          if (each.value.value)
            terms[found->second].push_back({slots.ofValue(*each.value.value), each.coefficient});
          else
            constants[found->second] += each.coefficient * each.value.constant;
        }
    for (unsigned sum : sums)
      names.push_back(program.sums[sum].name);
  }

  /// `parameters` and what is done with `sum`, of the n-th in the list, are the caller's.
  std::string function(const std::string &name, const std::string &parameters, const std::string &use) const {
    std::vector<Values> sums;
    size_t end = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      std::vector<Values> padded;
      for (const Term &term : terms[i])
        padded.push_back({{"c", target.real->literal(term.coefficient)}, {"at", term.slot}});
      padded.resize((padded.size() + atOnce - 1) / atOnce * atOnce,
                    {{"c", target.real->literal(0)}, {"at", 0}});
      end += padded.size();
      sums.push_back({{"sum", names[i]},
                      {"constant", target.real->literal(constants[i])},
                      {"last", end},
                      {"terms", std::move(padded)}});
    }
    return fillTemplate("host_sums.cpp.in", {{"name", name},
                                             {"parameters", parameters},
                                             {"real", target.real->type},
                                             {"hasTerms", end > 0},
                                             {"sums", std::move(sums)},
                                             {"count", terms.size()},
                                             {"use", use}});
  }

private:
  struct Term {
    unsigned slot = 0;
    double coefficient = 0;
  };
  static constexpr size_t atOnce = 4;

  const Target &target;
  std::vector<std::vector<Term>> terms;
  std::vector<double> constants;
  std::vector<std::string> names;
};

std::string loadsOf(const flow::Program &program, Slots &slots) {
  std::string text;
  for (unsigned field = 0; field < program.fields.size(); ++field) {
    const flow::Field &each = program.fields[field];
    const unsigned begin = slots.of({Source::Kind::Component, 0, field});
    for (unsigned i = 1; i < each.components; ++i)
      slots.of({Source::Kind::Component, i, field}); // one after the other
    if (each.isUniform)
      text += fmt::format("  at[{}] = all(f.{});\n", begin, each.name);
    else if (each.components == 1)
      text += fmt::format("  load(at[{}].v, f.{}, p, f.points);\n", begin, each.name);
    else
      text += fmt::format(
          "  for (int k = 0; k < {0}; ++k)\n    load(at[{1} + k].v, f.{2} + k * f.stride, p, f.points);\n",
          each.components, begin, each.name);
  }
  return text;
}

} // namespace

HostLoops hostLoops(const flow::Program &program, const Real &real) {
  const Target target = hostLoopTarget(real);
  const flow::Shapes shapes = flow::findShapes(program);
  Slots slots;
  HostLoops loops;
  loops.loads = loadsOf(program, slots);
  const auto call = [&](const std::string &name, const std::string &arguments) {
    loops.calls += fmt::format("  {}({});\n", name, arguments);
  };
  const auto gather = [&](const std::vector<unsigned> &sums, const std::string &name) {
    std::vector<unsigned> to;
    for (unsigned sum : sums)
      to.push_back(slots.of({Source::Kind::Sum, sum, 0}));
    std::string places;
    for (unsigned slot : to)
      places += (places.empty() ? "" : ", ") + std::to_string(slot);
    loops.functions +=
        SumLoop(program, slots, sums, target)
            .function(name, "Wide *at",
                      fmt::format("    static const int to[] = {{{}}};\n    at[to[n]] = sum;\n", places));
    call(name, "at");
  };

  unsigned number = 0;
  std::optional<unsigned> level;
  for (const Shape &shape : shapes.all) {
    if (level != shape.level) {
      level = shape.level;
      std::vector<unsigned> wanted;
      for (unsigned sum = 0; sum < program.sums.size(); ++sum)
        if (shapes.readAt[sum] == level)
          wanted.push_back(sum);
      if (!wanted.empty())
        gather(wanted, fmt::format("sums{}", *level));
    }
    const std::string name = fmt::format("shape{}", ++number);
    loops.functions += ShapeLoop(program, shapes, shape, slots, target).function(name);
    call(name, "at");
  }
  std::vector<unsigned> results(program.resultCount());
  for (unsigned i = 0; i < results.size(); ++i)
    results[i] = i;
  const std::string scale =
      program.resultScale == 1 ? "" : fmt::format("    sum = {} * sum;\n", real.literal(program.resultScale));
  loops.functions += SumLoop(program, slots, results, target)
                         .function("results", "const Wide *at, const Fields &f, size_t p",
                                   scale + "    store(sum.v, f.result + n * f.stride, p, f.points);\n");
  call("results", "at, f, p");
  loops.slots = slots.count();
  return loops;
}

} // namespace heddle::kernels

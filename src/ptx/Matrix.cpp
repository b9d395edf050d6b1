// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Warp-level matrix instructions": a fragment's elements are spread evenly over the 32 lanes and
// packed into registers of 32 bits, f64 alone into registers of its own width. Two shapes are older than that
// rule: mma.m8n8k4 with f16 has four 8x8x4 products side by side, so its fragments are those of one quarter
// of the warp; and wmma fragments of f16 hold every element twice.
#include "ptx/Matrix.h"

#include <fmt/format.h>

namespace heddle::ptx {
namespace {

constexpr unsigned kLanes = 32;

unsigned elementsOf(ShapeSize size, FragmentRole role) {
  switch (role) {
  case FragmentRole::A: return size.m * size.k;
  case FragmentRole::B: return size.n * size.k;
  default: return size.m * size.n;
  }
}

Fragment spread(unsigned elements, Type element) {
  if (element == Type::F64)
    return {elements / kLanes, 64};
  return {elements * bitsOf(element) / 32 / kLanes, 32};
}

bool isAccumulator(FragmentRole role) { return role == FragmentRole::C || role == FragmentRole::D; }

std::string_view nameOf(FragmentRole role) {
  constexpr std::string_view kNames[] = {"A", "B", "C", "D"};
  return kNames[unsigned(role)];
}

/// One vector operand against the fragment it should be.
std::string problemOf(const Function &function, const Operand &operand, Fragment wanted,
                      std::string_view name) {
  if (wanted.registers == 0)
    return fmt::format("there is no matrix {} of this shape and type", name);
  bool isVector = operand.kind == OperandKind::Vector;
  unsigned count = isVector ? operand.count : 1;
  if (count != wanted.registers)
    return fmt::format("matrix {} wants {} registers, found {}", name, wanted.registers, count);
  std::span<const Operand> elements = isVector ? function.elementsOf(operand) : std::span(&operand, 1);
  for (const Operand &element : elements)
    if (!element.isReg() || bitsOf(function.registers[element.index].cls) != wanted.bits)
      return fmt::format("matrix {} wants registers of {} bits", name, wanted.bits);
  return "";
}

struct Part {
  unsigned operand;
  FragmentRole role;
  Type element;
};

template <class FragmentOf>
std::string problemOfParts(const Function &function, const Instr &instr, std::initializer_list<Part> parts,
                           FragmentOf fragmentOf) {
  std::span<const Operand> operands = function.operandsOf(instr);
  for (const Part &part : parts) {
    Fragment wanted = fragmentOf(instr.mods.shape, part.element, part.role);
    std::string problem = problemOf(function, operands[part.operand], wanted, nameOf(part.role));
    if (!problem.empty())
      return problem;
  }
  return "";
}

std::string mmaProblem(const Function &function, const Instr &instr) {
  const Type *t = instr.types;
  return problemOfParts(function, instr,
                        {{0, FragmentRole::D, t[0]},
                         {1, FragmentRole::A, t[1]},
                         {2, FragmentRole::B, t[2]},
                         {3, FragmentRole::C, t[3]}},
                        mmaFragment);
}

/// wmma.mma of f16 names only D's and C's types.
std::string wmmaProblem(const Function &function, const Instr &instr) {
  const Type *t = instr.types;
  bool isShort = t[2] == Type::None;
  if (t[3] == Type::None && !isShort)
    return "'wmma.mma' names two types or four";
  Type a = isShort ? Type::F16 : t[1], b = isShort ? Type::F16 : t[2], c = isShort ? t[1] : t[3];
  return problemOfParts(
      function, instr,
      {{0, FragmentRole::D, t[0]}, {1, FragmentRole::A, a}, {2, FragmentRole::B, b}, {3, FragmentRole::C, c}},
      wmmaFragment);
}

std::string matrixMoveProblem(const Function &function, const Instr &instr, unsigned operand) {
  unsigned registers = 1u << (unsigned(instr.mods.count) - 1);
  if (sizeOf(instr.mods.shape).m == 16 && sizeOf(instr.mods.shape).n == 16)
    registers *= 2;
  return problemOf(function, function.operandsOf(instr)[operand], {registers, 32}, "fragment");
}

} // namespace

ShapeSize sizeOf(MmaShape shape) {
  ShapeSize size;
  unsigned *part = nullptr;
  for (char c : text(shape)) {
    if (c == 'm')
      part = &size.m;
    else if (c == 'n')
      part = &size.n;
    else if (c == 'k')
      part = &size.k;
    else if (part)
      *part = *part * 10 + unsigned(c - '0');
  }
  return size;
}

Fragment mmaFragment(MmaShape shape, Type element, FragmentRole role) {
  ShapeSize size = sizeOf(shape);
  if (shape == MmaShape::M8N8K4 && element != Type::F64) {
    if (isAccumulator(role))
      return {element == Type::F16 ? 4u : element == Type::F32 ? 8u : 0u, 32};
    return {element == Type::F16 ? 2u : 0u, 32};
  }
  return spread(elementsOf(size, role), element);
}

Fragment wmmaFragment(MmaShape shape, Type element, FragmentRole role) {
  ShapeSize size = sizeOf(shape);
  if (element == Type::F16 && !isAccumulator(role))
    return {8, 32};
  return spread(elementsOf(size, role), element);
}

std::string matrixProblem(const Function &function, const Instr &instr) {
  switch (instr.op) {
  case Op::MmaSync: return mmaProblem(function, instr);
  case Op::WmmaMma: return wmmaProblem(function, instr);
  case Op::WmmaLoadA:
    return problemOfParts(function, instr, {{0, FragmentRole::A, instr.type()}}, wmmaFragment);
  case Op::WmmaLoadB:
    return problemOfParts(function, instr, {{0, FragmentRole::B, instr.type()}}, wmmaFragment);
  case Op::WmmaLoadC:
    return problemOfParts(function, instr, {{0, FragmentRole::C, instr.type()}}, wmmaFragment);
  case Op::WmmaStoreD:
    return problemOfParts(function, instr, {{1, FragmentRole::D, instr.type()}}, wmmaFragment);
  case Op::LdMatrix: return matrixMoveProblem(function, instr, 0);
  case Op::StMatrix: return matrixMoveProblem(function, instr, 1);
  default: return "";
  }
}

} // namespace heddle::ptx

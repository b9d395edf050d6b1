// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/KernelCode.h"

#include "ptx/Layout.h"
#include "vm/Source.h"

#include <cstring>

namespace heddle::divergence {
namespace {

CodeBlock codeBlockOf(const CodePart &part, const ptx::Block &block) {
  CodeBlock made;
  for (uint32_t i = block.first; i < block.end; ++i) {
    const ptx::Instr &instr = part.function->instrs[i];
    ++made.instructions[std::string(latencyClassOf(*part.function, instr))];
    if (!made.location.isKnown())
      made.location = vm::sourceOf(*part.module, instr);
  }
  return made;
}

} // namespace

std::vector<CodePart> partsOf(const ptx::Module &module, uint32_t kernel) {
  std::vector<CodePart> parts = {{&module, &module.functions[kernel]}};
  for (uint32_t index : ptx::reachableFrom(module, kernel))
    if (const ptx::Function &function = module.functions[index];
        index != kernel && function.isDefined && !function.isEntry)
      parts.push_back({&module, &function});
  return parts;
}

bool mayDiverge(const ptx::Instr &instr) {
  using ptx::Op;
  return instr.op == Op::BrxIdx ||
         (instr.guard && (instr.op == Op::Bra || instr.op == Op::Ret || instr.op == Op::Exit));
}

std::vector<CodeBlock> codeBlocksOf(std::span<const CodePart> parts) {
  std::vector<CodeBlock> blocks;
  for (const CodePart &part : parts)
    for (const ptx::Block &block : part.function->blocks)
      blocks.push_back(codeBlockOf(part, block));
  return blocks;
}

std::vector<uint32_t> decidingElements(const Inputs &inputs) {
  std::vector<bool> decides(inputs.inputs.size());
  for (const auto &ofBlock : inputs.ofBlock)
    for (uint32_t input : ofBlock)
      decides[input] = true;
  std::vector<uint32_t> found;
  for (uint32_t input = 0; input < inputs.inputs.size(); ++input)
    if (decides[input] && inputs.inputs[input].kind == Input::Kind::Element)
      found.push_back(input);
  return found;
}

double valueAt(const uint8_t *at, ptx::Type type) {
  auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return double(value);
  };
  const bool isSigned = ptx::isSigned(type);
  if (type == ptx::Type::F64)
    return read(double());
  if (type == ptx::Type::F32)
    return read(float());
  switch (ptx::bytesOf(type)) {
  case 1: return isSigned ? read(int8_t()) : read(uint8_t());
  case 2: return isSigned ? read(int16_t()) : read(uint16_t());
  case 4: return isSigned ? read(int32_t()) : read(uint32_t());
  default: return isSigned ? read(int64_t()) : read(uint64_t());
  }
}

void addCombinations(Inputs &inputs, uint32_t threads) {
  for (size_t i = 0; i < inputs.inputs.size(); ++i) {
    const std::vector<Input::Term> &terms = inputs.inputs[i].terms;
    if (terms.empty() || inputs.values[terms.front().input].empty())
      continue;
    inputs.values[i].assign(threads, 0);
    for (const Input::Term &term : terms)
      for (uint32_t t = 0; t < threads; ++t)
        inputs.values[i][t] += term.times * inputs.values[term.input][t];
  }
}

} // namespace heddle::divergence

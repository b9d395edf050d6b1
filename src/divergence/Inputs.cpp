// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Control dependence: block b depends on branch p if one way out of p comes to b for certain and another
// does not. All
//    blocks from a successor of p up the chain of post-dominators to p's own do.
// 2. Origins: for each register the inputs that its value comes from, to a fixed point over all instructions.
// What is
//    loaded from memory is an input itself; where it was loaded from does not matter. A register that is
//    written in several places also depends on what decides between those places.
// 3. Combinations: sums of elements that a branch compares (Sums.h): its own input.
// 4. A block's inputs: the origins of the conditions of every branch that it depends on, and that those
// depend on.
#include "divergence/Inputs.h"

#include "divergence/Sums.h"
#include "ptx/Cfg.h"
#include "ptx/Destinations.h"
#include "ptx/Module.h"
#include "vm/Lowering.h"
#include "vm/ParameterNames.h"
#include "vm/Source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace heddle::divergence {
namespace {

using Set = std::set<uint32_t>;

bool join(Set &into, const Set &from) {
  const size_t before = into.size();
  into.insert(from.begin(), from.end());
  return into.size() != before;
}

class Finder {
public:
  Finder(const ptx::Module &inModule, const ptx::Function &kernel)
      : module(inModule), function(kernel), origins(kernel.registers.size()),
        writers(kernel.registers.size()), parameterNames(inModule, kernel) {}

  Inputs find() {
    findControl();
    findLoops();
    for (const ptx::Instr &instr : function.instrs)
      eachWritten(function, instr, [&](uint32_t reg) { ++writers[reg]; });
    while (flowOnce())
      ;
    findCombinations();
    result.ofBlock.resize(function.blocks.size());
    for (uint32_t b = 0; b < function.blocks.size(); ++b) {
      const Set decide = decidersOf(b);
      result.ofBlock[b].assign(decide.begin(), decide.end());
    }
    result.values.resize(result.inputs.size());
    return std::move(result);
  }

private:
  // --- control

  const ptx::Instr &lastOf(uint32_t block) const { return function.instrs[function.blocks[block].end - 1]; }

  /// The condition of a block's last instruction, or kNone where it goes one way only.
  uint32_t conditionOf(uint32_t block) const {
    const ptx::Instr &last = lastOf(block);
    if (last.op == ptx::Op::BrxIdx && function.operandsOf(last)[0].isReg())
      return function.operandsOf(last)[0].index;
    return ptx::endsBlock(last) && last.guard ? last.guard.reg : ptx::kNone;
  }

  void findControl() {
    control.resize(function.blocks.size());
    for (uint32_t p = 0; p < function.blocks.size(); ++p) {
      if (conditionOf(p) == ptx::kNone)
        continue;
      for (uint32_t at : function.blocks[p].succs)
        for (; at != ptx::kNone && at != function.blocks[p].ipdom; at = function.blocks[at].ipdom)
          if (!control[at].insert(p).second)
            break;
    }
  }

  /// Blocks that can come to themselves again.
  void findLoops() {
    inLoop.resize(function.blocks.size());
    for (uint32_t b = 0; b < function.blocks.size(); ++b) {
      std::vector<bool> seen(function.blocks.size());
      std::vector<uint32_t> todo = {b};
      while (!todo.empty() && !inLoop[b]) {
        const uint32_t at = todo.back();
        todo.pop_back();
        for (uint32_t next : function.blocks[at].succs) {
          inLoop[b] = inLoop[b] || next == b;
          if (!seen[next])
            seen[next] = true, todo.push_back(next);
        }
      }
    }
  }

  Set decidersOf(uint32_t block) const {
    Set branches, decide;
    std::vector<uint32_t> todo = {block};
    while (!todo.empty()) {
      const uint32_t at = todo.back();
      todo.pop_back();
      for (uint32_t p : control[at])
        if (branches.insert(p).second)
          todo.push_back(p);
    }
    for (uint32_t p : branches) {
      join(decide, origins[conditionOf(p)]);
      join(decide, combinations[p]);
    }
    return decide;
  }

  // --- origins

  uint32_t inputNumber(const Input &input) {
    auto found = std::find(result.inputs.begin(), result.inputs.end(), input);
    if (found == result.inputs.end())
      found = result.inputs.insert(found, input);
    return uint32_t(found - result.inputs.begin());
  }

  uint32_t varying(const ptx::Instr &instr, std::string what) {
    return inputNumber({Input::Kind::Varying, std::move(what), vm::sourceOf(module, instr),
                        uint32_t(&instr - function.instrs.data()), 0});
  }

  /// Where a special register's value comes from: nothing, where all threads of a launch have the same.
  void addSpecial(const ptx::Instr &instr, const ptx::Operand &operand, Set &into) {
    const std::string name(ptx::text(ptx::SpecialReg(operand.index)));
    const bool isIndex = name.find("%tid") == 0 || name.find("%ctaid") == 0;
    if (isIndex)
      into.insert(inputNumber({Input::Kind::ThreadIndex, name.substr(1), {}, ~0u, 0}));
    else if (name == "%laneid" || name == "%warpid" || name.find("%lanemask") == 0)
      into.insert(inputNumber({Input::Kind::ThreadIndex, "tid.x", {}, ~0u, 0}));
    else if (name.find("clock") != name.npos || name.find("globaltimer") != name.npos || name == "%smid")
      into.insert(varying(instr, name.substr(1)));
  }

  bool isOwnParameter(const ptx::Operand &address) const {
    return address.kind == ptx::OperandKind::AddrVar &&
           std::any_of(function.params.begin(), function.params.end(),
                       [&](const ptx::Param &param) { return param.variable == address.index; });
  }
  unsigned parameterNumber(const ptx::Operand &address) const {
    unsigned number = 0;
    while (function.params[number].variable != address.index)
      ++number;
    return number;
  }

  /// A load's own input, by the register (the `element`-th of a vector) that it fills.
  uint32_t loaded(const ptx::Instr &instr, uint32_t element) {
    const ptx::Operand &address = function.operandsOf(instr)[1];
    if (isOwnParameter(address))
      return inputNumber(
          {Input::Kind::Parameter, parameterNames.describe(parameterNumber(address)), {}, ~0u, 0});
    const uint32_t index = uint32_t(&instr - function.instrs.data());
    const ptx::Space space = instr.mods.space;
    const bool fromOutside =
        space == ptx::Space::Global || space == ptx::Space::Const || space == ptx::Space::None;
    if (!fromOutside)
      return varying(instr, space == ptx::Space::Shared ? "shared memory" : "memory of the thread");
    if (inLoop[function.blockOf[index]])
      return varying(instr, "elements loaded in a loop");
    return inputNumber({Input::Kind::Element, "element", vm::sourceOf(module, instr), index, element});
  }

  bool flowLoad(const ptx::Instr &instr) {
    const ptx::Operand &to = function.operandsOf(instr)[0];
    if (to.kind != ptx::OperandKind::Vector)
      return to.isReg() && origins[to.index].insert(loaded(instr, 0)).second;
    bool changed = false;
    auto elements = function.elementsOf(to);
    for (uint32_t e = 0; e < elements.size(); ++e)
      if (elements[e].isReg())
        changed |= origins[elements[e].index].insert(loaded(instr, e)).second;
    return changed;
  }

  static bool isOpaque(const ptx::Instr &instr) {
    const ptx::OpInfo &info = ptx::info(instr.op);
    return instr.op == ptx::Op::Call || info.memory == ptx::Memory::Updates ||
           info.lanes == ptx::Lanes::Named || info.lanes == ptx::Lanes::Whole ||
           info.memory == ptx::Memory::Loads;
  }

  bool flowInstr(const ptx::Instr &instr) {
    if (instr.op == ptx::Op::Unsupported)
      return false;
    if (instr.op == ptx::Op::Ld || instr.op == ptx::Op::Ldu)
      return flowLoad(instr);
    Set from;
    if (isOpaque(instr)) {
      from.insert(varying(instr, std::string(ptx::info(instr.op).text)));
    } else {
      auto operands = function.operandsOf(instr);
      for (unsigned i = 0; i < operands.size(); ++i) {
        if (isWritten(function, instr, i))
          continue;
        eachRegister(function, operands[i], [&](uint32_t reg) { join(from, origins[reg]); });
        if (operands[i].kind == ptx::OperandKind::Special)
          addSpecial(instr, operands[i], from);
      }
    }
    if (instr.guard)
      join(from, origins[instr.guard.reg]);
    const uint32_t block = function.blockOf[size_t(&instr - function.instrs.data())];
    bool changed = false;
    eachWritten(function, instr, [&](uint32_t reg) {
      changed |= join(origins[reg], from);
      if (writers[reg] > 1)
        for (uint32_t p : control[block])
          changed |= join(origins[reg], Set(origins[conditionOf(p)]));
    });
    return changed;
  }

  // --- combinations

  std::optional<Sum> sumOfLoad(uint32_t reg) const {
    for (uint32_t input : origins[reg])
      if (result.inputs[input].kind == Input::Kind::Element && !ptx::isFloat(function.registers[reg].type))
        return Sum{{input, 1.0}};
      else if (result.inputs[input].kind != Input::Kind::Parameter)
        return std::nullopt;
    return Sum(); // a parameter: the same for all threads
  }
  /// Sums with a thread's index in them are left to the linear model.
  std::optional<Sum> sumOfSpecial(const ptx::Instr &instr, const ptx::Operand &operand) {
    Set from;
    addSpecial(instr, operand, from);
    return from.empty() ? std::optional(Sum()) : std::nullopt;
  }

  void findCombinations() {
    const Sums sums(function,
                    {[&](uint32_t reg) { return sumOfLoad(reg); },
                     [&](const auto &instr, const auto &operand) { return sumOfSpecial(instr, operand); }});
    combinations.resize(function.blocks.size());
    for (uint32_t p = 0; p < function.blocks.size(); ++p)
      if (const uint32_t condition = conditionOf(p); condition != ptx::kNone)
        for (const Sum &sum : sums.comparedBy(condition))
          combinations[p].insert(combinationNumber(lastOf(p), sum));
  }

  /// A sum and its negative say the same.
  uint32_t combinationNumber(const ptx::Instr &branch, const Sum &sum) {
    Input input{Input::Kind::Combination, "what is made of the elements loaded", {}, ~0u, 0, {}};
    const double sign = sum.begin()->second < 0 ? -1 : 1;
    for (const auto &[term, times] : sum)
      input.terms.push_back({term, sign * times});
    const auto known = std::find(result.inputs.begin(), result.inputs.end(), input);
    if (known == result.inputs.end())
      input.location = vm::sourceOf(module, branch);
    return known == result.inputs.end() ? inputNumber(input) : uint32_t(known - result.inputs.begin());
  }

  bool flowOnce() {
    bool changed = false;
    for (const ptx::Instr &instr : function.instrs)
      changed |= flowInstr(instr);
    return changed;
  }

  const ptx::Module &module;
  const ptx::Function &function;
  std::vector<Set> origins;      ///< by register
  std::vector<unsigned> writers; ///< by register: instructions that write it
  const vm::ParameterNames parameterNames;
  std::vector<Set> combinations; ///< by block: sums that its last branch compares
  std::vector<Set> control;      ///< by block: branches that it depends on
  std::vector<bool> inLoop;      ///< by block
  Inputs result;
};

} // namespace

Inputs inputsOf(const ptx::Module &module, const ptx::Function &kernel) {
  return Finder(module, kernel).find();
}

} // namespace heddle::divergence

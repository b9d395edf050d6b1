// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace heddle::ptx {
struct Function;
struct Instr;
struct Operand;
} // namespace heddle::ptx

namespace heddle::divergence {

/// Inputs, each times a factor, added up; beside them a constant that is not kept, because it is the same for
/// all threads.
using Sum = std::map<uint32_t, double>;

/// Follows registers of a function as sums of inputs, and finds those that a branch compares.
///
///     ld %a, [begin]; ld %b, [end]; mov %i, %a; LOOP: add %i, %i, 1; setp %p, %i, %b; @%p bra LOOP;
///
/// compares b - a: a register that only ever gets a sum, or itself and a constant, is where it begins.
class Sums {
public:
  /// The sum that a load, or a special register, represents; nothing where it is none.
  struct Leaves {
    std::function<std::optional<Sum>(uint32_t reg)> loaded;
    std::function<std::optional<Sum>(const ptx::Instr &, const ptx::Operand &)> special;
  };
  Sums(const ptx::Function &function, Leaves leaves);

  /// Sums of several inputs that decide the predicate `condition`.
  std::vector<Sum> comparedBy(uint32_t condition) const;

private:
  using Maybe = std::optional<Sum>;
  Maybe of(const ptx::Operand &operand, unsigned depth) const;
  Maybe ofRegister(uint32_t reg, unsigned depth) const;
  Maybe ofInstr(const ptx::Instr &instr, uint32_t reg, unsigned depth) const;
  Maybe product(const ptx::Instr &instr, const ptx::Operand &a, const ptx::Operand &b, unsigned depth) const;
  Maybe beginOf(uint32_t reg) const;
  void collect(uint32_t reg, unsigned depth, std::vector<Sum> &found) const;
  void collectCompared(const ptx::Instr &compare, std::vector<Sum> &found) const;

  const ptx::Function &function;
  Leaves leaves;
  std::vector<std::vector<uint32_t>> writers; ///< by register, instructions
};

} // namespace heddle::divergence

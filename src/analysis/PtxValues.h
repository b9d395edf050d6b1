// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace heddle::analysis {

/// What of a kernel's PTX registers takes space in the register file, and where it is read and written. ptxas reads constants where
/// they are needed, and makes parts of addresses and conversions in the instructions that use them.
class PtxValues {
public:
  explicit PtxValues(const ptx::Function &kernel);

  bool isConstant(uint32_t reg) const { return constants.contains(reg); }
  const std::vector<uint32_t> &writtenBy(uint32_t instr) const { return all[instr].writes; }

  /// The instruction needs no register of its own for its result.
  bool isFree(uint32_t instr) const;
  /// The registers that have to hold values when an instruction reads its operands, and constants among them.
  std::vector<uint32_t> read(uint32_t instr) const;

  struct Address {
    uint32_t base = ptx::kNone;
    bool isVariable = false;
    int64_t offset = 0;
    unsigned bytes = 0;
  };
  std::optional<Address> addressOf(const ptx::Instr &instr) const;

private:
  struct Operands {
    std::vector<uint32_t> reads, writes;
  };

  Operands operandsOf(const ptx::Instr &instr) const;
  const ptx::Instr *onlyWriter(uint32_t reg) const;
  bool isMadeOfConstants(const ptx::Instr &instr) const;
  void findConstants();
  bool usesAre(uint32_t reg, auto condition) const;
  std::optional<std::vector<uint32_t>> partsOf(uint32_t reg) const;
  bool reaches(uint32_t from, uint32_t to) const;
  bool isLater(uint32_t block, uint32_t other) const;
  void addOrigins(uint32_t reg, std::vector<uint32_t> &into, unsigned depth) const;

  const ptx::Function &f;
  std::vector<Operands> all;
  std::vector<std::vector<uint32_t>> uses, writers;
  std::set<uint32_t> constants;
  std::map<uint32_t, std::vector<uint32_t>> parts;
};

} // namespace heddle::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the simulator as the names that messages use: source locations, array elements, threads.
#pragma once

#include "support/Diagnostics.h"
#include "vm/Simulator.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::ptx {
struct Function;
struct Instr;
struct Module;
} // namespace heddle::ptx

namespace heddle::check {

/// Where an instruction is in the CUDA source, else in the PTX. Code that came from the toolkit's headers
/// counts as being where it was called.
SourceLocation locationOf(const ptx::Module &module, const ptx::Instr &instr);

/// "blockSum" of "_Z8blockSumPKiPi".
std::string readableKernel(const std::string &mangled);
/// "tile" of "_ZZ8blockSumPKiPiE4tile".
std::string readableVariable(const std::string &mangled);

/// Gives each instruction of all kernels a number, and finds the instruction and its source location by the number.
class InstructionTable {
public:
  /// The number of the kernel's site 0.
  uint32_t add(const vm::Kernel &kernel);
  /// Where it is in the CUDA source, else in the PTX. Code that came from the toolkit's headers counts as
  /// being where it was called.
  SourceLocation of(uint32_t instrId) const;
  const ptx::Instr *instruction(uint32_t instrId) const;
  struct InFunction {
    const ptx::Function *function = nullptr; ///< null: no such instrId
    uint32_t instr = 0;
  };
  InFunction inFunction(uint32_t instrId) const;
  std::string kernelOf(uint32_t instrId) const;

private:
  struct Table {
    uint32_t first = 0;
    const vm::Kernel *kernel = nullptr;
    std::string name;
    std::vector<std::pair<uint32_t, uint32_t>> sites; ///< code, instruction of its function
  };
  const Table *tableOf(uint32_t instrId) const;

  mutable std::mutex guard;
  std::vector<Table> tables;
  std::unordered_map<const vm::Kernel *, uint32_t> known;
  uint32_t next = 1;
};

/// "tile[17]", with the element's size taken from the access.
std::string sharedName(const vm::Kernel &kernel, uint64_t offset, uint32_t elementBytes);
/// "4 bytes after the end of 's' (1024 bytes), the last shared array of the kernel", for an offset that is in none. Empty for
/// a kernel without shared arrays.
std::string afterSharedArrays(const vm::Kernel &kernel, uint64_t offset, uint32_t dynamicBytes);
/// "thread (3,1,0)", or "thread 3" of a block of one dimension.
std::string threadName(const vm::Dim3 &blockSize, unsigned thread);
std::string blockName(const vm::Dim3 &gridSize, uint64_t block);

} // namespace heddle::check

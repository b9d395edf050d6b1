// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Program.h"
#include "tune/Configuration.h"

#include <cstdint>
#include <string>
#include <variant>

namespace heddle::tune {

/// Why a block cannot be changed, for a person.
struct NoBlock {
  std::string reason;
};

/// The file with other sizes of blocks.
///
/// Possible where every launch (of the kernel that the sizes name, else of `kernel`, where that is not empty) names its size by a
/// constant of the same file that is a plain number: `#define THREADS 256`, `constexpr int Threads = 256;`, or by a variable that has
/// the value of its initializer at each launch: `int threads = 256;`. Nothing else
/// changes: where the program did not compute its grid from the same constant, running it will show. Of a constant that sizes
/// the blocks of several kernels, or several axes, the size that comes first remains.
std::variant<std::string, NoBlock> withBlocks(const source::Program &program, const std::string &text,
                                              const std::string &kernel,
                                              const std::vector<BlockSizes> &blocks);

/// The constant that sizes the blocks along an axis (0: x), and its value; empty where there is none.
struct BlockConstant {
  std::string name;
  int64_t value = 0;
};
std::variant<BlockConstant, NoBlock> blockConstant(const source::Program &program, const std::string &text,
                                                   const std::string &kernel, size_t axis);

/// The most threads that a block would have if a constant had this value, as far as launches show.
int64_t threadsWith(const source::Program &program, const std::string &kernel, const std::string &constant,
                    int64_t value);

} // namespace heddle::tune

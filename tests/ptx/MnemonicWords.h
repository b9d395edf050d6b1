// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that may follow the name of an instruction, for tests that compose mnemonics.
#pragma once

#include "ptx/Isa.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::ptx::test {

inline std::vector<std::string_view> wordsOf(ModKind kind) {
  std::vector<std::string_view> words;
#define PTX_MOD(KIND, NAME, TEXT)                                                                            \
  if (kind == ModKind::KIND)                                                                                 \
    words.push_back(TEXT);
#include "ptx/Mods.def"
#undef PTX_MOD
  return words;
}

/// Of a set of types, one bit each.
inline std::vector<std::string_view> typesOf(uint64_t set) {
  std::vector<std::string_view> words;
  for (unsigned type = 0; type < 64; ++type)
    if (set >> type & 1)
      words.push_back(text(Type(type)));
  return words;
}

} // namespace heddle::ptx::test

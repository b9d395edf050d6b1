// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles of any type that can be copied as bytes: a word at a time.
#pragma once

#include "thread_group.h"

namespace cooperative_groups {
namespace heddle {

template <class T, class ShuffleWord> HEDDLE_CG T byWords(const T &value, ShuffleWord shuffleWord) {
  constexpr unsigned int words = (sizeof(T) + 3) / 4;
  unsigned int bits[words] = {};
  memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (unsigned int word = 0; word < words; ++word)
    bits[word] = shuffleWord(bits[word]);
  T result;
  memcpy(&result, bits, sizeof(T));
  return result;
}

template <class T> struct Plain {
  using type = T;
};
template <class T> struct Plain<T &> : Plain<T> {};
template <class T> struct Plain<T &&> : Plain<T> {};
template <class T> struct Plain<const T> : Plain<T> {};

} // namespace heddle
} // namespace cooperative_groups

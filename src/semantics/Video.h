// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two halfwords or four bytes in one word: what CUDA's __v...2 and __v...4 functions compute. T is the type
// of one field; its width determines how many there are.
#pragma once

#include "semantics/Integer.h"

#include <cstdint>

namespace heddle::semantics {

template <class T> inline constexpr int FieldsPerWord = 4 / int(sizeof(T));

template <class T> constexpr T field(uint32_t word, int index) { return T(word >> (bitsOf<T> * index)); }

/// Applies a function of int values to each field; the result's low bits are kept.
template <class T, class F> constexpr uint32_t perField(F f, uint32_t a, uint32_t b) {
  uint32_t result = 0;
  for (int i = 0; i < FieldsPerWord<T>; ++i)
    result |= uint32_t(Unsigned<T>(f(int32_t(field<T>(a, i)), int32_t(field<T>(b, i))))) << (bitsOf<T> * i);
  return result;
}

template <class T> constexpr uint32_t fieldAdd(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return x + y; }, a, b);
}
template <class T> constexpr uint32_t fieldSub(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return x - y; }, a, b);
}
template <class T> constexpr uint32_t fieldAddSat(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return saturateTo<T>(x + y); }, a, b);
}
template <class T> constexpr uint32_t fieldSubSat(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return saturateTo<T>(x - y); }, a, b);
}
template <class T> constexpr uint32_t fieldAbs(uint32_t a) {
  return perField<T>([](int x, int) { return x < 0 ? -x : x; }, a, 0);
}
template <class T> constexpr uint32_t fieldAbsSat(uint32_t a) {
  return perField<T>([](int x, int) { return saturateTo<T>(x < 0 ? -x : x); }, a, 0);
}
template <class T> constexpr uint32_t fieldNegSat(uint32_t a) {
  return perField<T>([](int x, int) { return saturateTo<T>(-x); }, a, 0);
}
template <class T> constexpr uint32_t fieldAbsDiff(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return x < y ? y - x : x - y; }, a, b);
}
template <class T> constexpr uint32_t fieldMin(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return x < y ? x : y; }, a, b);
}
template <class T> constexpr uint32_t fieldMax(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return x < y ? y : x; }, a, b);
}
/// Average, ties rounded away from zero: that of -1 and 0 is -1 (as on sm_90), that of 2 and 1 is 2.
template <class T> constexpr uint32_t fieldAverage(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return (x + y + (x + y >= 0)) >> 1; }, a, b);
}
/// Average rounded down.
template <class T> constexpr uint32_t fieldHalvingAdd(uint32_t a, uint32_t b) {
  return perField<T>([](int x, int y) { return (x + y) >> 1; }, a, b);
}
/// The sum of absolute differences over the word.
template <class T> constexpr uint32_t fieldSad(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int i = 0; i < FieldsPerWord<T>; ++i)
    sum += uint32_t(sad<int32_t>(field<T>(a, i), field<T>(b, i), 0));
  return sum;
}
/// __vcmp: all ones in a field for which the comparison is true. __vset: a one.
template <class T, class Relation> constexpr uint32_t fieldCompare(uint32_t a, uint32_t b, int yes) {
  return perField<T>([yes](int x, int y) { return Relation{}(x, y) ? yes : 0; }, a, b);
}

} // namespace heddle::semantics

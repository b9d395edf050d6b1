// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of the comparison: its launch, its arguments, and the same work as a loop of the host. The kernel itself is
// kernels/NAME.cu and, where OpenCL can express it, kernels/NAME.cl, with the same parameters.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::bench {

using Half = _Float16;

/// Pseudo-random numbers, the same in every run (the high half of a linear congruential generator).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint32_t operator()() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return uint32_t(state >> 33);
  }

private:
  uint64_t state;
};

enum class Element : uint8_t { Byte, Word, Half, Float, Double };

template <class T> constexpr Element elementOf() {
  return std::is_same_v<T, uint8_t>    ? Element::Byte
         : std::is_same_v<T, uint32_t> ? Element::Word
         : std::is_same_v<T, Half>     ? Element::Half
         : std::is_same_v<T, float>    ? Element::Float
                                       : Element::Double;
}

/// A number, or an array with its initial values.
struct Argument {
  std::vector<uint8_t> bytes;
  Element element = Element::Word;
  bool isArray = false, isResult = false;
  double tolerance = 0; ///< of a result, relative to the largest magnitude in the array
  double except = 0;    ///< portion of the elements that may differ by more

  Argument() = default;
  Argument(uint32_t number) : bytes(sizeof number) { std::memcpy(bytes.data(), &number, sizeof number); }
  Argument exceptFor(double portion) && {
    except = portion;
    return std::move(*this);
  }
};

template <class T> Argument given(const std::vector<T> &values) {
  Argument made;
  made.bytes.resize(values.size() * sizeof(T));
  std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  made.element = elementOf<T>();
  made.isArray = true;
  return made;
}
/// Zeros that the kernel replaces.
template <class T> Argument result(size_t count, double tolerance) {
  Argument made = given(std::vector<T>(count));
  made.isResult = true;
  made.tolerance = tolerance;
  return made;
}
/// Integers of all sizes, and other numbers in [0, 1) with few enough bits to be exact in a half.
template <class T> Argument random(size_t count, uint64_t seed) {
  std::vector<T> values(count);
  Random next(seed);
  for (T &each : values) {
    if constexpr (std::is_integral_v<T>)
      each = T(next());
    else
      each = T(double(next() % 256) / 256);
  }
  return given(values);
}

/// The arrays of a run, by number of the argument.
struct Arrays {
  std::vector<void *> at;
  template <class T> T *as(size_t argument) const { return static_cast<T *>(at[argument]); }
};

struct Extent {
  uint32_t x = 1, y = 1;
};

struct Case {
  std::string name;
  Extent grid, block;
  std::vector<Argument> arguments;
  void (*native)(const Arrays &, uint32_t begin, uint32_t end) = nullptr; ///< these rows of the work
  uint32_t rows = 0;
};

#define CASE(NAME) Case NAME##Case();
#include "Cases.def"
#undef CASE

} // namespace heddle::bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each row of Libdevice.def becomes a plain function; the signature, and the wrapper that converts arguments from
// bits, are derived from its C++ type, so that table, types and calls cannot disagree.
#include "semantics/Libdevice.h"

#include "semantics/Approx.h"
#include "semantics/Bits.h"
#include "semantics/Math.h"
#include "semantics/Video.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle::semantics {

namespace {

// --- what the rows' expressions use
// ------------------------------------------------------------------------------------

constexpr double D(float a) { return double(a); }

/// A result in its own type: rounded once from double; a NaN becomes that of the hardware.
template <class R, class V> constexpr R settle(V value) {
  if constexpr (std::is_same_v<R, void>)
    return;
  else if constexpr (std::is_floating_point_v<R>)
    return canonicalize(R(value));
  else
    return R(value);
}

template <class... Parts> double vectorLength(Parts... parts) {
  const double all[] = {parts...};
  return math::norm(int(sizeof...(parts)), all);
}
template <class... Parts> double reciprocalLength(Parts... parts) {
  const double all[] = {parts...};
  return math::rnorm(int(sizeof...(parts)), all);
}
std::vector<double> widened(int count, const float *a) { return {a, a + std::max(count, 0)}; }

/// The rows as functions, in a namespace of their own so that their names do not clash with others.
struct Rows {
#define NV(name, result, parameters, expression)                                                             \
  static result name##_ parameters {                                                                         \
    if constexpr (std::is_void_v<result>)                                                                    \
      static_cast<void>(expression);                                                                         \
    else                                                                                                     \
      return settle<result>(expression);                                                                     \
  }
#define NV_BITS(name, result, parameters, expression)                                                        \
  static result name##_ parameters { return expression; }
#include "semantics/Libdevice.def"
#undef NV
#undef NV_BITS
};

// --- from C++ types to signatures and calls
// --------------------------------------------------------------------------------

template <class T> constexpr ExternType externType() {
  using P = std::remove_pointer_t<T>;
  if constexpr (std::is_void_v<T>)
    return ExternType::Void;
  else if constexpr (std::is_same_v<P, const signed char>)
    return ExternType::InText;
  else if constexpr (std::is_pointer_v<T> && std::is_const_v<P>)
    return std::is_same_v<P, const float> ? ExternType::InF32 : ExternType::InF64;
  else if constexpr (std::is_pointer_v<T>)
    return std::is_same_v<P, float>    ? ExternType::OutF32
           : std::is_same_v<P, double> ? ExternType::OutF64
                                       : ExternType::OutI32;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? ExternType::F32 : ExternType::F64;
  else
    return sizeof(T) == 2 ? ExternType::I16 : sizeof(T) == 4 ? ExternType::I32 : ExternType::I64;
}

template <class T> uint64_t toSlot(T value) {
  uint64_t slot = 0;
  std::memcpy(&slot, &value, sizeof value);
  return slot;
}

/// One argument of the function: a value converted from bits, or the variable that an out pointer points to.
template <class T> struct Argument {
  T value;
  explicit Argument(uint64_t slot) { std::memcpy(&value, &slot, sizeof value); }
  T get() { return value; }
  void store(uint64_t &) const {}
};
template <class T>
  requires(!std::is_const_v<T>)
struct Argument<T *> {
  T value{};
  explicit Argument(uint64_t) {}
  T *get() { return &value; }
  void store(uint64_t &slot) const { slot = toSlot(value); }
};

template <class R, class... P> struct Signature {
  static constexpr ExternType parameters[] = {externType<P>()...};

  template <R (*Function)(P...), size_t... I>
  static uint64_t callWith(const uint64_t *arguments, uint64_t *outs, std::index_sequence<I...>) {
    std::tuple<Argument<P>...> held{Argument<P>(arguments[I])...};
    uint64_t result = 0;
    if constexpr (std::is_void_v<R>)
      Function(std::get<I>(held).get()...);
    else
      result = toSlot(Function(std::get<I>(held).get()...));
    (std::get<I>(held).store(outs[I]), ...);
    return result;
  }
  template <R (*Function)(P...)> static uint64_t call(const uint64_t *arguments, uint64_t *outs) {
    return callWith<Function>(arguments, outs, std::index_sequence_for<P...>());
  }
};

template <auto Function, class R, class... P>
constexpr ExternFunction makeRow(std::string_view name, R (*)(P...)) {
  using S = Signature<R, P...>;
  return {name, externType<R>(), S::parameters, &S::template call<Function>};
}

/// The rows by name. A constant: code that would fill the table row by row takes the compiler minutes.
constexpr auto Table = [] {
  std::array rows = {
#define NV(name, ...) makeRow<&Rows::name##_>("__nv_" #name, &Rows::name##_),
#define NV_BITS NV
#include "semantics/Libdevice.def"
#undef NV
#undef NV_BITS
  };
  std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.name < b.name; });
  return rows;
}();

} // namespace

const ExternFunction *findExtern(std::string_view name) {
  auto found =
      std::lower_bound(Table.begin(), Table.end(), name,
                       [](const ExternFunction &row, std::string_view wanted) { return row.name < wanted; });
  return found != Table.end() && found->name == name ? &*found : nullptr;
}

std::span<const ExternFunction> allExterns() { return Table; }

} // namespace heddle::semantics

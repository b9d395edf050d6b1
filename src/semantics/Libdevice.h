// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's device math library by name: PTX of Clang declares `__nv_expf` and similar functions as external, and the
// simulator provides these implementations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::semantics {

/// The kind of a parameter or result. Out kinds are pointers that the function writes one value through; In
/// kinds point to arrays that it reads: for InF32 and InF64, the number of elements is the I32 parameter before it;
/// for InText, up to a terminating zero.
enum class ExternType : uint8_t {
  Void,
  I16,
  I32,
  I64,
  F32,
  F64,
  OutI32,
  OutF32,
  OutF64,
  InF32,
  InF64,
  InText
};

constexpr bool isOut(ExternType type) { return type >= ExternType::OutI32 && type <= ExternType::OutF64; }
constexpr bool isIn(ExternType type) { return type >= ExternType::InF32; }

struct ExternFunction {
  std::string_view name; // with its "__nv_"
  ExternType result;
  std::span<const ExternType> parameters;
  /// Calls it for one lane. An argument that is a value is passed as its bits, zero-extended; an In argument is the address of a
  /// copy in host memory; an Out argument is ignored. Returns the result's bits; outs[i] receives the bits
  /// written through parameter i, and is unchanged for the others.
  uint64_t (*call)(const uint64_t *arguments, uint64_t *outs);
};

/// The function of that name, or null. Safe from any thread.
const ExternFunction *findExtern(std::string_view name);

/// All of them, by name.
std::span<const ExternFunction> allExterns();

} // namespace heddle::semantics

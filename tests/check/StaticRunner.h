// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"
#include "ptx/Parser.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace heddle::check::test {

inline std::string textOf(const Diagnostics &diagnostics) {
  std::ostringstream out;
  print(out, diagnostics, false);
  return out.str();
}

/// A kernel `k` with parameters n (u32) and p (u64) and registers of every class, around a body.
inline std::string kernelAround(std::string_view body, std::string_view before = "") {
  return ".version 8.5\n.target sm_90a\n.address_size 64\n" + std::string(before) +
         R"(
.visible .entry k(.param .u32 n, .param .u64 p) {
  .reg .pred %p<20>;
  .reg .b16 %h<20>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .reg .f32 %f<20>;
  .shared .align 16 .b8 s[8192];
  ld.param.u32 %r0, [n];
  ld.param.u64 %rd0, [p];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, s;
  add.u32 %r3, %r3, %r2;
)" + std::string(body) +
         "\n  ret;\n}\n";
}

inline StaticResult check(const std::string &text, StaticOptions options = {}) {
  Diagnostics problems;
  ptx::Module module = ptx::parse(text, "test.ptx", problems);
  EXPECT_TRUE(problems.empty()) << textOf(problems);
  if (options.block == vm::Dim3{1, 1, 1})
    options.block = {64, 1, 1};
  return checkStatic(module, "k", options);
}

inline std::string story(const StaticResult &result) {
  std::string text = std::string(nameOf(result.verdict)) + "\n" + textOf(result.problems);
  for (const Finding &f : result.findings)
    text += fmt::format("{}: {}: {}\n", nameOf(classOf(f.rule)), f.location.str(), f.text);
  for (const PropertyVerdict &p : result.properties)
    text += fmt::format("{}: {} {}\n", nameOf(p.property), nameOf(p.decision), p.why);
  for (const UndecidedReason &o : result.undecided)
    text += fmt::format("undecided: {}: {} ({})\n", o.location.str(), o.text, o.hint);
  return text;
}

/// The verdict of all properties but races in global memory: most kernels here use that as they like.
inline Verdict withoutGlobal(const StaticResult &result) {
  Verdict verdict = Verdict::Holds;
  for (const PropertyVerdict &each : result.properties) {
    if (each.property == Property::GlobalRacesInBlock || each.property == Property::GlobalRacesBetweenBlocks)
      continue;
    if (each.decision == Decision::Violated)
      return Verdict::Fails;
    if (each.decision == Decision::Undecided)
      verdict = Verdict::Undecided;
  }
  return verdict;
}

inline std::vector<UndecidedReason> withoutGlobalReasons(const StaticResult &result) {
  constexpr PropertySet Global =
      setOf(Property::GlobalRacesInBlock) | setOf(Property::GlobalRacesBetweenBlocks);
  std::vector<UndecidedReason> reasons = result.undecided;
  std::erase_if(reasons, [](const UndecidedReason &each) { return !(each.properties & ~Global); });
  return reasons;
}

inline void expectVerdict(Verdict expected, const StaticResult &result) {
  EXPECT_EQ(nameOf(expected), nameOf(withoutGlobal(result))) << story(result);
}

inline void expectDecision(Decision expected, Property property, const StaticResult &result) {
  EXPECT_EQ(nameOf(expected), nameOf(result.of(property).decision)) << story(result);
}

} // namespace heddle::check::test

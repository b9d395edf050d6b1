// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TestPaths.h"
#include "ptx/Parser.h"
#include "ptx/Printer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace heddle::ptx::test {

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::string dataPath(const std::string &name) { return HEDDLE_SOURCE_DIR "/tests/ptx/data/" + name; }

inline std::string shown(const Diagnostics &diagnostics) {
  std::ostringstream out;
  print(out, diagnostics, false);
  return out.str();
}

/// Parses what must be without fault.
inline Module parseGood(const std::string &text, const std::string &path = "test.ptx") {
  Diagnostics diagnostics;
  Module module = parse(text, path, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << shown(diagnostics);
  return module;
}

/// The messages of what must be refused.
inline std::string errorsOf(const std::string &text) {
  Diagnostics diagnostics;
  parse(text, "test.ptx", diagnostics);
  EXPECT_TRUE(diagnostics.has(Severity::Error)) << "no error in:\n" << text;
  return shown(diagnostics);
}

inline std::string header() { return ".version 9.0\n.target sm_100a\n.address_size 64\n"; }

/// A kernel around some statements: registers %p %h %r %d %q, one parameter, variables of every space.
inline std::string kernel(const std::string &statements) {
  return header() + R"(
.global .align 16 .b32 gv[16];
.shared .align 16 .b32 sv[16];
.const .align 4 .b32 cv[4];
.global .texref tv;
.global .samplerref smp;
.global .surfref sf;
.func callee;
.func (.param .b64 result) gives(.param .b64 argument);
.visible .entry k(.param .b64 pin)
{
  .reg .pred %p<9>;
  .reg .b16 %h<9>;
  .reg .b32 %r<40>;
  .reg .b64 %d<9>;
  .reg .b128 %q<9>;
  .local .align 8 .b8 lv[64];
  .param .b64 pcall;
  .param .b64 pout;
  proto: .callprototype (.param .b64 _) _ (.param .b64 _);
  $targets_0: .branchtargets Here;
Here:
)" + statements +
         "\n  ret;\n}\n";
}

/// print -> parse -> print gives the same text.
inline void expectStable(const Module &module, const std::string &what) {
  std::string once = print(module);
  Diagnostics diagnostics;
  Module again = parse(once, "printed.ptx", diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << what << "\n" << shown(diagnostics);
  EXPECT_EQ(once, print(again)) << what;
}

} // namespace heddle::ptx::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Pipeline.h"
#include "transform/Registry.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

namespace heddle::testing {

/// The text, or "refused: " and why, or "error: " and what is wrong, places left out.
inline std::string inWords(const transform::Outcome &outcome, const Diagnostics &diagnostics) {
  if (outcome.kind == transform::Outcome::Kind::Done)
    return outcome.text;
  for (const Diagnostic &each : diagnostics.all())
    if (each.voice == Voice::Refusal || each.voice == Voice::Error)
      return (each.voice == Voice::Refusal ? "refused: " : "error: ") + each.text;
  return "does not compile: " + outcome.compilerMessages;
}

/// Passes and normalizations are known by their names: --print-after takes no others.
inline void expectKnown(const transform::Options::PassEvent &event) {
  static const std::vector<std::string> known = transform::passNames();
  EXPECT_TRUE(event.name == "parse" || std::ranges::find(known, event.name) != known.end()) << event.name;
}

/// What becomes of a text by directives.
inline std::string optimized(const std::string &text, const std::string &directives,
                             transform::Options options = {}) {
  options.compile.cudaPath = "none";
  options.isWholeProgram = true; // the texts are
  options.afterPass = expectKnown;
  Diagnostics diagnostics;
  std::vector<transform::Directive> list;
  if (!directives.empty())
    list = transform::readDirectives(directives, diagnostics);
  if (!diagnostics.empty())
    return "error: " + diagnostics.all().front().text;
  transform::Outcome outcome = transform::applyDirectives("test.cu", text, list, options, diagnostics);
  return inWords(outcome, diagnostics);
}

/// The messages of a run, for tests that look at places and remarks.
inline Diagnostics messagesOf(const std::string &text, const std::string &directives,
                              transform::Options options = {}) {
  options.compile.cudaPath = "none";
  options.isWholeProgram = true; // the texts are
  Diagnostics diagnostics;
  std::vector<transform::Directive> list;
  if (!directives.empty())
    list = transform::readDirectives(directives, diagnostics);
  transform::applyDirectives("test.cu", text, list, options, diagnostics);
  return diagnostics;
}

} // namespace heddle::testing

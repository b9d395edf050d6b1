// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Unit.h"
#include "transform/Optimized.h"
#include "transform/Pipeline.h"
#include "transform/loops/LoopSubject.h"

#include <functional>

namespace heddle::testing {

/// A kernel with arrays that do not overlap, and some that may. The body begins on line 3 of it.
inline std::string loopKernel(const std::string &body, const std::string &name = "k") {
  return "__global__ void " + name +
         "(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,\n"
         "                  float *p, float *q, int *m, int n, int w) {\n" +
         body + "}\n";
}

/// What the kernels above may call.
inline const std::string loopFunctions = "__device__ float twice(float x) { return x * 2; }\n"
                                         "__device__ float counted;\n"
                                         "__device__ float counts(float x) { counted += x; return x; }\n";

/// Cases for one directive: bodies of kernels, and what is to become of each. They are read together at the
/// end of the test, as one file, since reading is what takes time.
class LoopCases : public ::testing::Test {
protected:
  LoopCases(std::string directive, transform::Transform transform, transform::Candidates candidates)
      : directive(std::move(directive)), transform(transform), candidates(candidates) {}

  /// The kernel's text afterwards, or "refused: " and the reason, fits the matcher. Behind the reason stand
  /// the source lines that the refusal shows, " | " before each, and the hint.
  void expect(const std::string &body, ::testing::Matcher<std::string> matcher,
              std::string otherDirective = {}) {
    cases.push_back({body, std::move(matcher), std::move(otherDirective)});
  }

  void TearDown() override {
    if (cases.empty())
      return;
    std::string text = loopFunctions;
    for (size_t i = 0; i < cases.size(); ++i)
      text += loopKernel(cases[i].body, "k" + std::to_string(i));
    transform::Options options;
    options.compile.cudaPath = "none";
    options.isWholeProgram = true; // the texts are
    auto parsed = source::Program::parseText("test.cu", text, options.compile);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    ASSERT_TRUE(program) << std::get<source::ParseFailure>(parsed).compilerMessages;
    for (size_t i = 0; i < cases.size(); ++i)
      EXPECT_THAT(resultOf(**program, i, options), cases[i].matcher) << cases[i].body;
  }

private:
  struct Case {
    std::string body;
    ::testing::Matcher<std::string> matcher;
    std::string directive;
  };

  std::string resultOf(const source::Program &program, size_t number,
                       const transform::Options &options) const {
    std::string name = "k" + std::to_string(number);
    transform::Target target{name, program.kernelsNamed(name), 0, false};
    const source::Unit &unit = *target.first().unit;
    std::vector<const clang::Stmt *> found = candidates(target.first());
    if (found.empty())
      return "there is no candidate";
    target.loopLine = unit.place(found.front()->getBeginLoc()).line;
    Diagnostics diagnostics;
    transform::Directive wanted =
        transform::readDirectives(cases[number].directive.empty() ? directive : cases[number].directive,
                                  diagnostics)
            .at(0);
    transform::Context context(program, target, wanted, options, diagnostics);
    const transform::PassResult result = transform(context);
    if (std::holds_alternative<transform::Refused>(result))
      return refusalIn(diagnostics);
    if (std::holds_alternative<transform::Needs>(
            result)) // the text must be read again: by itself, in all rounds
      return optimized(loopFunctions + loopKernel(cases[number].body), wanted.str(), options);
    auto applied = std::get<transform::Edited>(result).edits.apply();
    if (auto *failed = std::get_if<Diagnostic>(&applied))
      return "not applied: " + failed->text;
    std::string text = std::get<0>(applied).begin()->second;
    size_t begin = text.find("void " + name + "("), end = text.find("\n}\n", begin);
    return text.substr(begin, end + 3 - begin);
  }

  static std::string refusalIn(const Diagnostics &diagnostics) {
    for (const Diagnostic &each : diagnostics.all())
      if (each.voice == Voice::Refusal) {
        std::string text = "refused: " + each.text + " | " + each.place.sourceLine;
        for (const Diagnostic::Note &note : each.notes)
          text += " | " + note.place.sourceLine;
        return text + " | " + each.hint;
      }
    return "refused without a word";
  }

  std::string directive;
  transform::Transform transform;
  transform::Candidates candidates;
  std::vector<Case> cases;
};

} // namespace heddle::testing

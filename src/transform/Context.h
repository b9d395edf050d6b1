// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "analysis/Uses.h"
#include "source/Code.h"
#include "source/Program.h"
#include "source/Render.h"
#include "support/LegalityFailure.h"
#include "transform/Directive.h"
#include "transform/PassResult.h"

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::transform {

// What directives speak of most.
using analysis::KernelFacts;
using analysis::Uses;
using source::Code;
using source::Kernel;
using source::Replacement;
using source::Unit;

/// What holds for all directives of one run.
struct Options {
  source::CompileOptions compile;
  std::optional<std::array<int64_t, 3>> block; ///< --block: where the file does not give it
  bool isBlockLaunched =
      false; ///< `block` is what a pass made of the launches instead, so that it is certain
  const arch::Arch *arch = nullptr; ///< for occupancy; none without
  std::string kernel;               ///< -k: the kernel that -d speaks of; empty for all
  bool leavesRefusedOut = false; ///< a directive that is refused is left out, and the others are carried out
  bool isWholeProgram = false;   ///< --assume whole-program: no other file launches the file's kernels
  bool pointersDoNotOverlap = false; ///< --assume no-overlap: memory that a kernel is given is disjoint
  /// Called for each pass, each normalization and each time that the text is parsed: its name, the file's text after it, and
  /// how long it took.
  struct PassEvent {
    std::string_view name;
    const std::string &text;
    double seconds;
  };
  std::function<void(const PassEvent &)> afterPass = {};
};

/// A kernel as it is in the text: a plain one, or a template with all its instantiations.
struct Target {
  std::string name; ///< as the text calls it: "reduce", not "reduce<int>"
  std::vector<const Kernel *> instances;
  unsigned loopLine = 0;       ///< for directives on loops: the line the loop begins on
  bool isBehindPragma = false; ///< the loop is the first thing on that line or below it

  const Kernel &first() const { return *instances.front(); }
};

/// A refusal that was added. It returns as the outcome of whatever was refused: `return context.refuse(place, why);`.
class Refusal {
public:
  explicit Refusal(Diagnostic &added) : added(added) {}

  Refusal &note(SourceLocation where, std::string what) {
    return added.note(std::move(where), std::move(what)), *this;
  }
  Refusal &withHint(std::string what) { return added.withHint(std::move(what)), *this; }

  operator Diagnostic &() const { return added; }
  operator PassResult() const { return Refused(); }
  template <std::same_as<bool> Answer> operator Answer() const { return false; }
  template <class Value> operator std::optional<Value>() const { return std::nullopt; }

private:
  Diagnostic &added;
};

/// What a directive works with: the program as read, the facts about its kernel, the edits it makes and the
/// messages it leaves. Directives compose by parsing again, so a context serves one directive on one kernel.
class Context {
public:
  Context(const source::Program &program, const Target &target, const Directive &directive,
          const Options &options, Diagnostics &diagnostics)
      : program(program), target(target), directive(directive), options(options), diagnostics(diagnostics) {}

  const source::Program &program;
  const Target &target;
  const Directive &directive;
  const Options &options;
  Diagnostics &diagnostics;
  source::Edits edits; ///< gathered by the pass, which returns them
  const Unit &device() const { return program.device(); }
  const KernelFacts &facts(const Kernel &kernel);
  /// Launches of the target in the program, with those of its instantiations.
  std::vector<const source::Launch *> launches() const;
  /// The directive leaves the kernel's launches as they are.
  bool keepsLaunches() const;
  /// What is known of the kernel's pointers alone, for directives that ask nothing else about launches.
  analysis::LaunchFacts pointersOf(const Kernel &kernel) const;

  /// "coarsen x=2: " and the reason, with the location it was asked for where that is in the file.
  Refusal refuse(SourceLocation location, const std::string &reason);
  template <class First, class... Others>
  Refusal refuse(SourceLocation location, fmt::format_string<First, Others...> reason, First &&first,
                 Others &&...others) {
    return refuse(std::move(location),
                  fmt::format(reason, std::forward<First>(first), std::forward<Others>(others)...));
  }
  /// The same for a refusal that a helper made.
  Refusal refuse(const Diagnostic &refusal);
  /// True where there is none.
  bool allows(const LegalityFailure &failure) { return !failure || refuse(*failure); }
  Diagnostic &done(const std::string &what);
  template <class First, class... Others>
  Diagnostic &done(fmt::format_string<First, Others...> what, First &&first, Others &&...others) {
    return done(fmt::format(what, std::forward<First>(first), std::forward<Others>(others)...));
  }
  Diagnostic &kept(SourceLocation location, const std::string &why);
  /// A stage of the directive that does nothing, while others may have changed the kernel.
  Diagnostic &notApplied(std::string_view stage, SourceLocation location, const std::string &why);
  /// The text of a range; nothing, with a refusal, where it cannot be had.
  std::optional<std::string> textOf(const Unit &unit, clang::SourceRange range);

  /// The end of a pass: all that it gathered, or no more than what it refused.
  Edited edited() { return {std::move(edits)}; }
  PassResult editedIf(bool done) { return done ? PassResult(edited()) : Refused(); }

  /// What the result relies on and the text does not show: a warning, which everybody sees.
  Diagnostic &assumed(SourceLocation location, const std::string &what);

private:
  analysis::FactOptions factOptions() const;

  std::map<const Kernel *, std::unique_ptr<KernelFacts>> known;
};

using Transform = PassResult (*)(Context &context);

/// Another form of the kernel, where it does not have that yet.
using Normalization = std::optional<Needs> (*)(Context &context, const Kernel &kernel);

/// The first of these that the kernel needs; nothing where it has all of their forms.
std::optional<Needs> firstNeeded(Context &context, const Kernel &kernel,
                                 std::initializer_list<Normalization> all);

} // namespace heddle::transform

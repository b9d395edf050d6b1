// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "source/Program.h"
#include "source/Render.h"
#include "transform/Directive.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::transform {

/// What holds for all directives of one run.
struct Options {
  source::CompileOptions compile;
  std::optional<std::array<int64_t, 3>> block; ///< --block: where the file does not tell
  const arch::Arch *arch = nullptr;            ///< for occupancy; none without
  std::string kernel;                          ///< -k: the kernel that -d speaks of; empty for all
  bool isWholeProgram = false;       ///< --assume whole-program: no other file launches the file's kernels
  bool pointersDoNotOverlap = false; ///< --assume no-overlap: memory that a kernel is given is disjoint
};

/// A kernel as it stands in the text: a plain one, or a template with all its instantiations.
struct Target {
  std::string name; ///< as the text calls it: "reduce", not "reduce<int>"
  std::vector<const source::Kernel *> instances;
  unsigned loopLine = 0;       ///< for directives on loops: the line the loop begins on
  bool isBehindPragma = false; ///< the loop is the first thing on that line or below it

  const source::Kernel &first() const { return *instances.front(); }
};

/// What a directive works with: the program as read, the facts about its kernel, the edits it makes and the
/// messages it leaves. Directives compose by parsing again, so a context serves one directive on one kernel.
class Context {
public:
  Context(const source::Program &program, const Target &target, const Directive &directive,
          const Options &options, source::Edits &edits, Diagnostics &diagnostics)
      : program(program), target(target), directive(directive), options(options), edits(edits),
        diagnostics(diagnostics) {}

  const source::Program &program;
  const Target &target;
  const Directive &directive;
  const Options &options;
  source::Edits &edits;
  Diagnostics &diagnostics;
  /// Changes to be made before the directive can be carried out, which do not alter what the kernel does.
  /// Where there are some, they are all that is done: the text is read again, and the directive starts anew.
  source::Edits preparation;
  std::optional<std::string> preparedText; ///< the same as a whole new text of the file
  /// For directives of several stages: the kernel is to stay as it was before the first of them.
  bool isCalledOff = false;
  /// The same: the block that the kernel is launched with from now on, whatever --block said.
  std::optional<std::array<int64_t, 3>> blockLeft;

  const source::Unit &device() const { return program.device(); }
  const analysis::KernelFacts &facts(const source::Kernel &kernel);
  /// What is known of the kernel's pointers alone, for directives that ask nothing else about launches.
  analysis::LaunchFacts pointersOf(const source::Kernel &kernel) const;

  /// "coarsen x=2: " and the reason, with the place it was asked for where that is in the file.
  Diagnostic &refuse(Place place, const std::string &reason);
  /// The same for a refusal that a helper made.
  void refuse(const Diagnostic &refusal);
  Diagnostic &done(const std::string &what);
  Diagnostic &kept(Place place, const std::string &why);
  /// What the result relies on and the text does not show: a warning, which everybody sees.
  Diagnostic &assumed(Place place, const std::string &what);

  /// Another directive that is to be carried out on this kernel now; empty for none.
  std::string handsOverTo;

private:
  analysis::FactOptions factOptions() const;

  std::map<const source::Kernel *, std::unique_ptr<analysis::KernelFacts>> known;
};

/// True where the directive was carried out; else a refusal stands in the context's messages.
using Transform = bool (*)(Context &context);

} // namespace heddle::transform

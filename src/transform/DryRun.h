// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Pipeline.h"
#include "transform/Registry.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::transform {

/// What became of directives that were suggested for a kernel.
struct Tried {
  Suggestion suggested;
  std::vector<std::string> arguments; ///< of `heddle opt`, for the same: -k heat -d "coarsen x=2 map=blocked"
  std::optional<Diagnostic>
      refusal;      ///< why they cannot be carried out, or change nothing; nothing: they can be
  std::string text; ///< the file with them carried out
};

/// Carries directives out as `heddle opt -d` does, and writes nothing: what is suggested by facts alone may be refused
/// for reasons that only the directive knows.
///
/// The program that is there already is not parsed again; a second directive, a normalization and an #include that must be
/// replaced by its text need the parser once more.
class DryRun {
public:
  /// `program` was read from `text`. Of the options those of `heddle opt`, without a kernel.
  DryRun(std::shared_ptr<const source::Program> program, std::string text, Options options);

  Tried of(const Suggestion &suggested, const Kernel &kernel);

private:
  /// The file with nothing but its own `#pragma heddle` lines carried out.
  const Outcome &withPragmas();
  std::optional<Diagnostic> reasonAgainst(const Outcome &outcome, const Diagnostics &messages,
                                          const std::vector<Directive> &directives);
  std::vector<std::string> argumentsFor(const Suggestion &suggested, const Kernel &kernel) const;
  bool isOneOfSeveral(const Kernel &kernel) const;

  std::shared_ptr<const source::Program> program;
  std::string text;
  Options options;
  std::optional<Outcome> pragmasOnly;
  std::map<std::vector<std::string>, Tried> known; ///< by arguments: instantiations of a template share them
};

} // namespace heddle::transform

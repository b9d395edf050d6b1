// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/LoadsPerThread.h"
#include "transform/Pipeline.h"
#include "transform/Registry.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::transform {

/// What became of an opportunity.
struct Tried {
  std::string directive;              ///< the form that was chosen
  std::vector<std::string> arguments; ///< of `heddle opt`, for the same: -k heat -d "coarsen x=2 map=blocked"
  std::optional<Diagnostic> refusal;  ///< why it cannot be carried out, or gains nothing; nothing: it can be
  /// Where loads are to be saved: the share that each original thread executes less, below 0 for more.
  std::optional<double> sharedLoadsSaved, globalLoadsSaved;
  /// Per thread of the result, where it was analyzed: by ptxas, where the kernel's own are, else estimated.
  std::optional<unsigned> registers;
};

/// Carries directives out as `heddle opt -d` does, and writes nothing: what is suggested by facts alone may be refused
/// for reasons that only the directive knows.
///
/// Loads are counted in the text that comes out, which is parsed for it.
///
/// The program that is there already is not parsed again; a second directive, a normalization and an #include that must be
/// replaced by its text need the parser once more.
class DryRun {
public:
  /// `program` was read from `text`. Of the options those of `heddle opt`, without a kernel.
  DryRun(std::shared_ptr<const source::Program> program, std::string text, Options options);

  /// Of the forms the one that saves most, the simplest of equal ones.
  Tried of(const Opportunity &opportunity, const KernelFacts &facts);

private:
  /// A form and the file that it leaves.
  struct Form {
    std::vector<std::string> arguments;
    std::optional<Diagnostic> refusal;
    std::string text;
    std::shared_ptr<const source::Program> program; ///< read from `text`, where that was done
  };
  Form &carryOut(const std::string &directive, const Kernel &kernel);
  /// The form that all directives but the last lead to, where it is known.
  const Form *formBefore(const std::string &directive, const Kernel &kernel) const;
  Tried triedForm(const std::string &directive, bool isForLoads, const KernelFacts &facts);
  /// A form as analyzed: counts for each of the original threads.
  struct Result {
    analysis::LoadsPerThread loads;
    unsigned registers = 0; ///< estimated
  };
  std::optional<Result> resultOf(const std::string &directive, Form &form, const KernelFacts &facts) const;
  unsigned registersOf(const Form &form, const Result &result, const KernelFacts &facts) const;
  /// The file with nothing but its own `#pragma heddle` lines carried out.
  const Outcome &withPragmas();
  /// Facts of the kernel as those lines leave it, to which a directive is applied. Null where they are not known, or where the
  /// kernel has another name then.
  const KernelFacts *factsWithPragmas(const KernelFacts &facts);
  /// `before`: what becomes of the file without them.
  std::optional<Diagnostic> reasonAgainst(const Outcome &outcome, const Diagnostics &messages,
                                          const std::vector<Directive> &directives,
                                          const Outcome &before) const;
  std::vector<std::string> argumentsFor(const std::string &directive, const Kernel &kernel) const;
  bool isOneOfSeveral(const Kernel &kernel) const;

  std::shared_ptr<const source::Program> program;
  std::string text;
  Options options;
  std::optional<Outcome> pragmasOnly;
  std::shared_ptr<const source::Program> programWithPragmas;            ///< where they change the text
  std::map<std::string, std::unique_ptr<KernelFacts>> knownWithPragmas; ///< by mangled name
  std::map<std::vector<std::string>, Form> known; ///< by arguments: instantiations of a template share them
};

} // namespace heddle::transform

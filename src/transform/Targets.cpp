// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a directive applies to.
//
// A pragma before a kernel means the kernel that follows; inside a kernel, the loop or branch that follows. On the command line, -k names a kernel
// (all instantiations of a template are one target), `line=` a loop or branch. Without a name, all kernels of the main file are meant, or,
// if it has none, those of the user's headers. A directive for a loop or branch needs exactly one candidate: several are an error that lists them with
// the text to write, because choosing one would change silently when the source changes.
#include "transform/Targets.h"

#include "source/Unit.h"
#include "support/KernelPattern.h"
#include "support/Suggest.h"
#include "support/Text.h"
#include "transform/DirectiveMessage.h"
#include "transform/Registry.h"
#include "transform/loops/LoopSubject.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace heddle::transform {
namespace {

unsigned lineOf(const Kernel &kernel) {
  const clang::SourceManager &sources = kernel.unit->sources();
  return sources.getExpansionLineNumber(sources.getExpansionLoc(kernel.function->getOuterLocStart()));
}

unsigned lastLineOf(const Kernel &kernel) {
  const clang::SourceManager &sources = kernel.unit->sources();
  return sources.getExpansionLineNumber(kernel.function->getEndLoc());
}

/// The kernels of the file and of the user's files that it includes, each with its instantiations, in the
/// order of the text.
std::vector<Target> targetsIn(const source::Program &program) {
  std::vector<Target> targets;
  for (const auto &kernel : program.kernels()) {
    if (!targets.empty() && targets.back().first().function->getLocation() == kernel->function->getLocation())
      targets.back().instances.push_back(kernel.get());
    else
      targets.push_back({kernel->plainName, {kernel.get()}, 0});
  }
  return targets;
}

std::vector<Target> ofMainFile(std::vector<Target> targets) {
  std::erase_if(targets, [](const Target &target) { return !isInMainFile(target.first()); });
  return targets;
}

/// By the names that passes use, which mean one kernel; else by any name that a person may give, which may mean several.
std::vector<Target> targetsNamed(const std::string &name, const std::vector<Target> &all) {
  std::vector<Target> exact, meant;
  for (const Target &target : all) {
    const auto isInstance = [&](const Kernel *instance) { return instance->name == name; };
    const auto isOfInstance = [&](const Kernel *instance) { return isMeant(instance->mangledName, name); };
    if (target.name == name || std::ranges::any_of(target.instances, isInstance))
      exact.push_back(target);
    else if (std::ranges::any_of(target.instances, isOfInstance))
      meant.push_back(target);
  }
  return exact.empty() ? meant : exact;
}

/// The kernel that begins right after the pragma.
std::vector<Target> behindPragma(const Directive &directive, const std::vector<Target> &all, unsigned line,
                                 Diagnostics &messages) {
  const Target *next = nullptr;
  for (const Target &target : all) {
    if (directive.subject == Subject::Kernel && lineOf(target.first()) < line &&
        lastLineOf(target.first()) >= line) {
      messages.error(directive.location, fmt::format("'{}' is for a whole kernel and is inside '{}'",
                                                     directive.name, target.name));
      return {};
    }
    if (lineOf(target.first()) >= line && (!next || lineOf(target.first()) < lineOf(next->first())))
      next = &target;
  }
  if (next)
    return {*next};
  messages.error(directive.location, fmt::format("no kernel follows this '{}'", directive.name));
  return {};
}

/// The kernel that the pragma is in.
std::vector<Target> aroundPragma(const Directive &directive, const std::vector<Target> &all, unsigned line,
                                 Diagnostics &messages) {
  if (directive.number("line")) {
    messages.error(directive.location, "a pragma applies to what follows it: leave out 'line'");
    return {};
  }
  for (Target target : all)
    if (lineOf(target.first()) < line && lastLineOf(target.first()) >= line) {
      target.loopLine = line;
      target.isBehindPragma = true;
      return {target};
    }
  messages.error(directive.location, fmt::format("'{}' is in no kernel", directive.name))
      .withHint("put it right before a loop or a branch of a kernel");
  return {};
}

unsigned givenLine(const TargetSearch &search, const SourceLocation &location) {
  return location.file == search.file.string() ? search.text.givenLine(location.line) : location.line;
}

std::vector<const clang::Stmt *> subjectsIn(const Kernel &kernel, const Directive &directive) {
  return directive.subject == Subject::Branch ? branchesOf(kernel) : loopsOf(kernel);
}

/// The loop or branch that a line of the file as it was given begins with; null where there is none. If earlier directives made several
/// of it, the one that reads as it did, else the first, without loops that were put around it.
const clang::Stmt *subjectOnLine(const Directive &directive, const TargetSearch &search, const Kernel &kernel,
                                 unsigned line) {
  const clang::Stmt *first = nullptr;
  for (const clang::Stmt *each : subjectsIn(kernel, directive)) {
    const SourceLocation at = kernel.unit->location(each->getBeginLoc());
    if (givenLine(search, at) != line)
      continue;
    if (at.file != search.file.string() || search.text.readsAsGiven(at.line))
      return each;
    const clang::SourceManager &sources = kernel.unit->sources();
    if (!first || sources.isBeforeInTranslationUnit(each->getBeginLoc(), first->getEndLoc()))
      first = each;
  }
  return first;
}

/// `line=` names no loop or branch.
void complainOfLine(const Directive &directive, const TargetSearch &search,
                    const std::vector<Target> &targets, unsigned line, Diagnostics &messages) {
  for (const Target &target : targets) {
    const Kernel &kernel = target.first();
    const auto lineAt = [&](clang::SourceLocation at) {
      return givenLine(search, kernel.unit->location(at));
    };
    if (lineAt(kernel.function->getOuterLocStart()) > line || lineAt(kernel.function->getEndLoc()) < line)
      continue;
    const char *what = directive.subject == Subject::Branch ? "'if'" : "'for' loop";
    Diagnostic &none = messages.refuse(
        kernel.location, messageOf(directive, fmt::format("no {} begins on line {}", what, line)));
    for (const clang::Stmt *each : subjectsIn(kernel, directive))
      none.note(kernel.unit->location(each->getBeginLoc()),
                fmt::format("one begins on line {}", lineAt(each->getBeginLoc())));
    return;
  }
  messages.error({search.file.string()}, messageOf(directive, fmt::format("line {} is in no kernel", line)));
}

/// There is no loop or branch that the directive could mean, or there are several.
void complainOfSubject(const Directive &directive, const std::vector<Target> &targets,
                       const std::vector<SourceLocation> &locations, Diagnostics &messages) {
  const bool isLoop = directive.subject == Subject::Loop;
  if (locations.empty()) {
    std::vector<std::string> names;
    for (const Target &target : targets)
      names.push_back("'" + target.name + "'");
    const std::string all = names.size() == 1 ? names.front() + " has no" : joinAnd(names) + " have no";
    messages.refuse(
        targets.front().first().location,
        messageOf(directive, fmt::format("{} {}", all, directiveRule(directive.name)->candidateText)));
    return;
  }
  Diagnostic &several = messages.refuse(
      locations.front(),
      messageOf(directive, fmt::format("there are several {}: give line=N", isLoop ? "loops" : "branches")));
  for (size_t i = 1; i < locations.size(); ++i)
    several.note(locations[i], fmt::format("another is this one, line={}", locations[i].line));
  several.withHint(fmt::format("say which: {} line={}", directive.name, locations.front().line));
}

} // namespace

bool isInMainFile(const Kernel &kernel) {
  const clang::SourceManager &sources = kernel.unit->sources();
  return sources.isWrittenInMainFile(sources.getExpansionLoc(kernel.function->getLocation()));
}

std::vector<Target> targetsOf(const Directive &directive, const TargetSearch &search, Diagnostics &messages) {
  std::vector<Target> all = targetsIn(search.program), here = ofMainFile(all);
  if (search.pragmaLine)
    return directive.subject == Subject::Kernel ? behindPragma(directive, here, *search.pragmaLine, messages)
                                                : aroundPragma(directive, here, *search.pragmaLine, messages);
  if (search.kernel.empty() && !all.empty())
    return here.empty() ? all : here;
  std::vector<std::string> names;
  for (const Target &target : all)
    names.push_back(target.name);
  std::vector<Target> chosen = targetsNamed(search.kernel, all);
  if (all.empty())
    messages.refuse({search.file.string()}, fmt::format("there is no kernel in {}", search.where));
  else if (chosen.empty())
    messages
        .error({search.file.string()},
               fmt::format("there is no kernel '{}' in {}", search.kernel, search.where))
        .withHint(choicesFor(search.kernel, names));
  return chosen;
}

std::vector<Target> targetWithSubject(const Directive &directive, const TargetSearch &search,
                                      std::vector<Target> targets, Diagnostics &messages) {
  if (targets.empty() || targets.front().isBehindPragma)
    return targets;
  if (const unsigned line = unsigned(directive.number("line"))) {
    for (Target &target : targets)
      if (const clang::Stmt *subject = subjectOnLine(directive, search, target.first(), line)) {
        target.loopLine = target.first().unit->location(subject->getBeginLoc()).line;
        return {target};
      }
    complainOfLine(directive, search, targets, line, messages);
    return {};
  }
  std::vector<Target> meant;
  std::vector<SourceLocation> locations;
  for (Target &target : targets) {
    for (const clang::Stmt *candidate : directiveRule(directive.name)->candidates(target.first()))
      locations.push_back(target.first().unit->location(candidate->getBeginLoc()));
    if (!locations.empty()) {
      target.loopLine = locations.front().line;
      meant.push_back(target);
    }
    if (locations.size() > 1)
      break;
  }
  if (meant.size() == 1 && locations.size() <= 1)
    return meant;
  complainOfSubject(directive, targets, locations, messages);
  return {};
}

} // namespace heddle::transform

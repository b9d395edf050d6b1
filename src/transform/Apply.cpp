// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One directive at a time: read the text, find what the directive speaks of, let it make its edits, and go on
// with the text they give. Reading again is what makes directives compose without knowing each other.
#include "transform/Apply.h"

#include "source/Unit.h"
#include "support/Text.h"
#include "transform/Auto.h"
#include "transform/Coarsen.h"
#include "transform/Pragmas.h"
#include "transform/ScalarReplace.h"

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <fstream>
#include <sstream>

namespace heddle::transform {
namespace {

Transform transformNamed(const std::string &name) {
  static const std::map<std::string, Transform> all = {
      {"auto", chooseAutomatically}, {"coarsen", coarsen}, {"scalar-replace", scalarReplace}};
  auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

unsigned lineOf(const source::Kernel &kernel) {
  const clang::SourceManager &sources = kernel.unit->sources();
  return sources.getExpansionLineNumber(sources.getExpansionLoc(kernel.function->getOuterLocStart()));
}

unsigned lastLineOf(const source::Kernel &kernel) {
  const clang::SourceManager &sources = kernel.unit->sources();
  return sources.getExpansionLineNumber(kernel.function->getEndLoc());
}

bool isInMainFile(const source::Kernel &kernel) {
  const clang::SourceManager &sources = kernel.unit->sources();
  return sources.isWrittenInMainFile(sources.getExpansionLoc(kernel.function->getLocation()));
}

/// The kernels of the file, each with its instantiations, in the order of the text.
std::vector<Target> targetsIn(const source::Program &program) {
  std::vector<Target> targets;
  for (const auto &kernel : program.kernels()) {
    bool isAnother =
        !targets.empty() && targets.back().first().function->getLocation() == kernel->function->getLocation();
    if (isAnother)
      targets.back().instances.push_back(kernel.get());
    else if (isInMainFile(*kernel))
      targets.push_back({kernel->plainName, {kernel.get()}, 0});
  }
  return targets;
}

/// One run over one file.
class Run {
public:
  Run(std::filesystem::path file, std::string text, const Options &options, Diagnostics &diagnostics)
      : file(std::move(file)), text(std::move(text)), options(options), diagnostics(diagnostics) {}

  Outcome go(const std::vector<Directive> &further) {
    while (std::optional<Pragma> pragma = firstPragma(file.string(), text)) {
      std::vector<Directive> directives = readDirectives(pragma->text, pragma->place, diagnostics);
      if (directives.empty() || !carryOutPragma(directives, pragma->line))
        return outcome;
    }
    for (const Directive &directive : further)
      if (!carryOut(directive, std::nullopt))
        return outcome;
    outcome.kind = Outcome::Kind::Done;
    outcome.text = text;
    return outcome;
  }

private:
  bool carryOutPragma(const std::vector<Directive> &directives, unsigned line) {
    text = withoutLine(text, line);
    for (const Directive &directive : directives)
      if (!carryOut(directive, line))
        return false;
    return true;
  }

  /// `line`: where the pragma stood; nothing for one of the command line.
  bool carryOut(const Directive &directive, std::optional<unsigned> line) {
    if (directive.hasAlternatives()) {
      diagnostics.error(directive.place, fmt::format("'{}' leaves a choice open", directive.str()))
          .withHint("heddle tune tries them; opt wants one value for each setting");
      return false;
    }
    std::unique_ptr<source::Program> program = parse();
    if (!program)
      return false;
    std::vector<Target> targets = targetsOf(directive, *program, line);
    if (targets.empty())
      return false;
    source::Edits edits;
    for (const Target &target : targets) {
      Context context(*program, target, directive, options, edits, diagnostics);
      if (!transformNamed(directive.name)(context))
        return false;
    }
    return takeEdits(edits);
  }

  std::unique_ptr<source::Program> parse() {
    auto result = source::Program::parseText(file.string(), text, options.compile);
    if (auto *program = std::get_if<std::unique_ptr<source::Program>>(&result))
      return std::move(*program);
    auto &failure = std::get<source::ParseFailure>(result);
    outcome.kind = Outcome::Kind::Unusable;
    outcome.compilerMessages = failure.compilerMessages;
    outcome.isReadable = failure.kind != source::ParseFailure::Kind::NotReadable;
    for (const Diagnostic &each : failure.diagnostics.all())
      diagnostics.add(each.voice, each.place, each.text).withHint(each.hint);
    return nullptr;
  }

  std::vector<Target> targetsOf(const Directive &directive, const source::Program &program,
                                std::optional<unsigned> line) {
    std::vector<Target> all = targetsIn(program);
    if (line)
      return behindPragma(directive, all, *line);
    if (options.kernel.empty() && !all.empty())
      return all;
    std::vector<std::string> names;
    std::vector<Target> chosen;
    for (const Target &target : all) {
      names.push_back(target.name);
      bool isMeant = target.name == options.kernel;
      for (const source::Kernel *instance : target.instances)
        isMeant |= instance->name == options.kernel;
      if (isMeant)
        chosen.push_back(target);
    }
    if (all.empty())
      complainOfNone(program);
    else if (chosen.empty())
      diagnostics.error({file.string()}, fmt::format("there is no kernel '{}' in this file", options.kernel))
          .withHint("there are " + joinAnd(nearestFirst(options.kernel, names)));
    return chosen;
  }

  void complainOfNone(const source::Program &program) {
    Diagnostic &none = diagnostics.error({file.string()}, "there is no kernel in this file");
    for (const auto &kernel : program.kernels())
      none.note(kernel->place, fmt::format("'{}' stands in a file that it includes", kernel->name));
    if (!program.kernels().empty())
      none.withHint("opt changes one file: put the kernel into it");
  }

  /// The kernel that begins right behind the pragma.
  std::vector<Target> behindPragma(const Directive &directive, const std::vector<Target> &all,
                                   unsigned line) {
    const Target *next = nullptr;
    for (const Target &target : all) {
      if (directive.subject == Subject::Kernel && lineOf(target.first()) < line &&
          lastLineOf(target.first()) >= line) {
        diagnostics.error(directive.place, fmt::format("'{}' is for a whole kernel and stands inside '{}'",
                                                       directive.name, target.name));
        return {};
      }
      if (lineOf(target.first()) >= line && (!next || lineOf(target.first()) < lineOf(next->first())))
        next = &target;
    }
    if (next)
      return {*next};
    diagnostics.error(directive.place, fmt::format("no kernel follows this '{}'", directive.name));
    return {};
  }

  bool takeEdits(const source::Edits &edits) {
    auto applied = edits.apply();
    if (auto *refused = std::get_if<Diagnostic>(&applied)) {
      diagnostics.add(refused->voice, refused->place, refused->text).notes = refused->notes;
      return false;
    }
    for (auto &[path, changed] : std::get<0>(applied)) {
      if (path != file) {
        diagnostics.refuse({path.string()}, "the change would reach into another file, which stays as it is");
        return false;
      }
      text = changed;
    }
    return true;
  }

  std::filesystem::path file;
  std::string text;
  const Options &options;
  Diagnostics &diagnostics;
  Outcome outcome;
};

} // namespace

Outcome applyDirectives(const std::filesystem::path &file, std::string text,
                        const std::vector<Directive> &further, const Options &options,
                        Diagnostics &diagnostics) {
  return Run(file, std::move(text), options, diagnostics).go(further);
}

Outcome applyDirectives(const std::filesystem::path &file, const std::vector<Directive> &further,
                        const Options &options, Diagnostics &diagnostics) {
  std::error_code ignored;
  std::ifstream in(file);
  if (!in || !std::filesystem::is_regular_file(file, ignored)) {
    diagnostics.error({file.string()},
                      std::filesystem::exists(file, ignored) ? "is not a CUDA file" : "no such file");
    Outcome outcome;
    outcome.kind = Outcome::Kind::Unusable;
    outcome.isReadable = false;
    return outcome;
  }
  std::stringstream text;
  text << in.rdbuf();
  return applyDirectives(file, text.str(), further, options, diagnostics);
}

} // namespace heddle::transform

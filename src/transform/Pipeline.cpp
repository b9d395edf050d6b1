// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass at a time: read the text, find the kernels that the directive is about, let the pass make its edits, and go on
// with the text they give. Reading again is what makes directives compose without knowing each other.
//
// A pass that finds a kernel in a form it cannot work on says which normalization it needs; that is made, the text is read again,
// and the pass starts again. If it then changes nothing, the normalizations are taken back.
//
// Where edits reach into an included file, its text takes the place of its #include, and the directive is
// carried out again on that: what comes out is always one file.
#include "transform/Pipeline.h"

#include "source/MappedText.h"
#include "transform/CloseKernel.h"
#include "transform/DirectiveMessage.h"
#include "transform/Includes.h"
#include "transform/JoinedText.h"
#include "transform/Lines.h"
#include "transform/Pragmas.h"
#include "transform/Registry.h"
#include "transform/StatedBlock.h"
#include "transform/Targets.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace heddle::transform {
namespace {

/// Normalizations open calls within calls one level a round.
constexpr unsigned mostRounds = 16;

/// One run over one file, or over files that are joined.
/// The messages, the last one with a hint unless it has one.
Diagnostics withHint(const Diagnostics &messages, const std::string &hint) {
  Diagnostics all;
  for (const Diagnostic &each : messages.all()) {
    Diagnostic &copy = all.add(each.severity, each.location, each.text);
    copy.notes = each.notes;
    copy.hint = each.hint;
    if (&each == &messages.all().back())
      copy.hint += (each.hint.empty() ? "" : "; ") + hint;
  }
  return all;
}

class Pipeline {
public:
  Pipeline(std::filesystem::path file, std::string text, const Options &options, Diagnostics &diagnostics)
      : file(std::move(file)), text(std::move(text)), options(options), given(options.compile),
        diagnostics(diagnostics) {}
  /// `program` was read from `text`.
  Pipeline(std::shared_ptr<const source::Program> program, std::string text, const Options &options,
           Diagnostics &diagnostics)
      : Pipeline(program->file(), std::move(text), options, diagnostics) {
    this->program = std::move(program);
    readText = this->text;
  }
  Pipeline(JoinedText &files, const Options &options, Diagnostics &diagnostics)
      : file(files.file()), text(files.text()), options(options), given(options.compile),
        diagnostics(diagnostics), joined(&files) {}

  Outcome go(const std::vector<Directive> &further) {
    if (!embedPragmas() || !refuseOperators())
      return outcome;
    std::vector<Pragma> skipped = skippedPragmas(*program, text.str());
    for (; !skipped.empty(); skipped.pop_back())
      remove(skipped.back());
    for (const auto &kernel : program->kernels())
      outcome.untouchedKernels.insert(kernel->plainName);
    outcome.hasDirectives = !further.empty();
    while (std::optional<Pragma> pragma = firstPragma(file.string(), text.str())) {
      outcome.hasDirectives = true;
      save();
      std::vector<Directive> directives =
          readDirectives(pragma->text, text.given(pragma->location), diagnostics);
      if ((directives.empty() || !carryOutPragma(directives, *pragma)) && !leaveOut(pragma))
        return outcome;
    }
    for (const Directive &directive : further)
      for (const Directive &meant : forKernels(directive)) {
        save();
        if (!carryOut(meant, std::nullopt) && !leaveOut(std::nullopt))
          return outcome;
      }
    if (joined && !split())
      return outcome;
    outcome.kind = Outcome::Kind::Done;
    outcome.text = text.str();
    outcome.origins = text.lineOrigins();
    outcome.editedKernels = touched;
    for (const std::string &kernel : touched)
      outcome.untouchedKernels.erase(kernel);
    return outcome;
  }

  Outcome goThrough(const Directive &directive, const Pass &pass) {
    std::optional<std::vector<std::string>> kernels = kernelsMeant(directive, std::nullopt);
    const bool done = kernels && std::ranges::all_of(*kernels, [&](const std::string &kernel) {
                        return run({directive, pass, kernel}, std::nullopt) == Ended::Done;
                      });
    outcome.kind = done ? Outcome::Kind::Done : outcome.kind;
    outcome.text = text.str();
    return outcome;
  }

private:
  struct State {
    source::MappedText text;
    std::set<std::string> touched;
  };
  State state() const { return {text, touched}; }
  void goBackTo(const State &earlier) {
    text = earlier.text;
    touched = earlier.touched;
  }
  void save() { saved = state(); }

  void remove(const Pragma &pragma) {
    for (unsigned lines = pragma.lines; lines > 0; --lines)
      text.removeLine(pragma.line);
  }

  bool refuseOperators() {
    Diagnostics refused;
    refusePragmaOperators(*program, refused);
    addMessages(asGivenLocations(refused), diagnostics);
    return refused.empty() || options.leavesRefusedOut;
  }

  /// After a refusal: goes on with the text as it was before, without that pragma. False where it ends here.
  bool leaveOut(const std::optional<Pragma> &pragma) {
    if (!options.leavesRefusedOut || outcome.kind == Outcome::Kind::Unusable)
      return false;
    goBackTo(*saved);
    if (pragma)
      remove(*pragma);
    embeddedFile.clear();
    outcome.compilerMessages.clear();
    return true;
  }

  /// One directive for each kernel that it names; none where the program has none of that name.
  std::vector<Directive> forKernels(const Directive &directive) {
    if (directive.kernel.empty())
      return {directive};
    std::set<std::string> names;
    if (directive.kernel == "*") {
      for (const auto &kernel : program->kernels())
        if (isInMainFile(*kernel))
          names.insert(kernel->plainName);
    } else {
      for (const Kernel *kernel : program->kernelsNamed(directive.kernel))
        names.insert(kernel->plainName);
    }
    std::vector<Directive> all;
    for (const std::string &name : names) {
      all.push_back(directive);
      all.back().kernel = name;
    }
    return all;
  }

  bool carryOutPragma(const std::vector<Directive> &directives, const Pragma &pragma) {
    remove(pragma);
    text.follow(pragma.line);
    for (const Directive &directive : directives)
      if (!carryOut(directive, text.followed()))
        return false;
    return true;
  }

  /// `line`: where the pragma was; nothing for one of the command line.
  bool carryOut(const Directive &directive, std::optional<unsigned> line) {
    if (directive.hasAlternatives()) {
      diagnostics.error(directive.location, fmt::format("'{}' has alternatives", directive.str()))
          .withHint("only 'heddle tune' accepts them: give one value for each setting");
      return false;
    }
    const size_t said = diagnostics.all().size();
    const source::MappedText before = text;
    const bool done = carryOutOnKernels(directive, line);
    if (done && text == before)
      reportUnchanged(directive, said);
    return done;
  }

  bool carryOutOnKernels(const Directive &directive, std::optional<unsigned> line) {
    const std::vector<Pass> &passes = directiveRule(directive.name)->passes;
    if (passes.size() == 1) {
      const bool done = run({directive, passes.front()}, line) != Ended::Refused;
      blockLeft.reset(); // `auto` may have handed a kernel on to a directive that changes its block
      return done;
    }
    std::optional<std::vector<std::string>> kernels = kernelsMeant(directive, line);
    const bool done = kernels && std::ranges::all_of(*kernels, [&](const std::string &kernel) {
                        return runAll(directive, kernel);
                      });
    blockLeft.reset(); // of the last kernel alone
    return done;
  }

  /// What was kept since `said` is a kernel that a directive left unchanged.
  void collectKept(size_t said) {
    for (size_t i = said; i < diagnostics.all().size(); ++i)
      if (const Diagnostic &each = diagnostics.all()[i]; each.severity == Severity::Kept) {
        Diagnostic &kept = outcome.leftUnchanged.add(each.severity, each.location, each.text);
        kept.notes = each.notes;
        kept.hint = each.hint;
      }
  }

  /// The directive changed nothing at all, and a reason must be among the messages.
  void reportUnchanged(const Directive &directive, size_t said) {
    const bool isReported =
        std::ranges::any_of(diagnostics.all().begin() + long(said), diagnostics.all().end(),
                            [](const Diagnostic &each) { return each.severity == Severity::Kept; });
    if (isReported)
      return;
    const SourceLocation location =
        directive.location.file == "<command line>" ? SourceLocation{file.string()} : directive.location;
    const std::string what = messageOf(directive, "left unchanged: there is nothing to change");
    diagnostics.add(Severity::Kept, location, what);
    outcome.leftUnchanged.add(Severity::Kept, location, what);
  }

  TargetSearch searchFrom(const Directive &directive, std::optional<unsigned> line) const {
    return {*program, file, directive.kernel.empty() ? options.kernel : directive.kernel,
            line,     text, joined ? "these files" : "this file"};
  }

  /// The names of the kernels that a directive speaks of: places move from pass to pass.
  std::optional<std::vector<std::string>> kernelsMeant(const Directive &directive,
                                                       std::optional<unsigned> line) {
    Diagnostics messages;
    std::vector<std::string> names;
    if (read(messages))
      for (const Target &target : targetsOf(directive, searchFrom(directive, line), messages))
        names.push_back(target.name);
    addMessages(asGivenLocations(messages), diagnostics);
    return names.empty() ? std::nullopt : std::optional(names);
  }

  /// One pass of a directive.
  struct PassRun {
    const Directive &directive;
    const Pass &pass;
    std::string kernel = {}; ///< the only one it is for; empty for all that the directive means
  };
  enum class Ended { Done, Refused, CalledOff };

  /// One kernel through all passes of a directive; a pass may call off what those before it did.
  bool runAll(const Directive &directive, const std::string &kernel) {
    const State before = state();
    const size_t said = diagnostics.all().size();
    blockLeft.reset();
    for (const Pass &pass : directiveRule(directive.name)->passes) {
      const Ended ended = run({directive, pass, kernel}, std::nullopt);
      if (ended == Ended::Refused)
        return false;
      if (ended == Ended::CalledOff) {
        text = before.text;
        break;
      }
    }
    if (text == before.text) {
      touched = before.touched;
      collectKept(said);
    }
    return true;
  }

  /// A pass, with the normalizations that it needs before. `line`: where the pragma was; nothing for one of the
  /// command line.
  Ended run(const PassRun &wanted, std::optional<unsigned> line) {
    const State before = state();
    // Messages of the first attempt that comes to its end are kept: they are about the text before it was changed.
    std::optional<Diagnostics> first;
    for (unsigned rounds = 0;; ++rounds) {
      Diagnostics messages;
      if (!read(messages))
        return addMessages(asGivenLocations(messages), diagnostics), Ended::Refused;
      if (line)
        line = text.followed();
      const Clock::time_point begin = Clock::now();
      std::variant<Combined, Unchanged, Refused, Needs> result = attempt(wanted, line, messages);
      if (std::holds_alternative<Refused>(result))
        return addMessages(asGivenLocations(messages), diagnostics), Ended::Refused;
      if (auto *needed = std::get_if<Needs>(&result)) {
        if (rounds > mostRounds)
          return refuseRecursion(wanted.directive), Ended::Refused;
        const source::MappedText unnormalized = text;
        if (!normalize(*needed, wanted.directive))
          return Ended::Refused;
        if (text == unnormalized)
          return refuseForm(wanted.directive, needed->normalization), Ended::Refused;
        recordTime(needed->normalization, begin);
        continue;
      }
      if (!first)
        first = asGivenLocations(messages);
      if (std::holds_alternative<Unchanged>(result)) {
        goBackTo(before);
        addMessages(*first, diagnostics);
        return Ended::CalledOff;
      }
      const Combined &combined = std::get<Combined>(result);
      const Taken taken = combined.edits.empty() ? Taken::Here : take(combined.edits, wanted.directive);
      if (taken == Taken::Refused)
        return Ended::Refused;
      if (taken == Taken::InPlaceOfInclude)
        continue;
      if (combined.edits.empty()) // normalizations alone are no change
        goBackTo(before);
      recordTime(wanted.pass.name, begin);
      return finish(wanted, combined, *first);
    }
  }

  /// What passes came to for all kernels of a directive.
  struct Combined {
    source::Edits edits = {};
    std::optional<std::array<int64_t, 3>> block = {};
    std::vector<std::pair<std::string, std::string>> next = {}; ///< kernels, and what is to be done to them
  };

  /// The launches of a kernel whose block a directive relies on are compared with --block first, and none may be missed.
  static PassResult runOn(const Pass &pass, Context &context) {
    if (std::optional<PassResult> compared = compareStatedBlock(context))
      return std::move(*compared);
    PassResult result = pass.run(context);
    auto *edited = std::get_if<Edited>(&result);
    const bool reliesOnBlock = context.options.block && !context.options.isBlockLaunched;
    if (!edited || edited->edits.empty() || !reliesOnBlock || !context.keepsLaunches())
      return result;
    if (!closeKernel(context))
      return Refused();
    edited->edits.append(context.edits);
    return result;
  }

  /// --block is for launches that do not know theirs: once for each kernel, before directives change its launches.
  void warnOfOtherBlock(const Context &context) {
    if (!options.block || !comparedKernels.insert(context.target.name).second)
      return;
    const source::Launch *other = launchWithOtherBlock(context);
    if (!other)
      return;
    const auto &[x, y, z] = other->block.xyz;
    Diagnostics messages;
    messages.warning(other->location,
                     fmt::format("--block is not used for this launch of '{}': its block is ({}, {}, {})",
                                 context.target.name, *x.value, *y.value, *z.value));
    addMessages(asGivenLocations(messages), diagnostics);
  }

  /// Carries a pass out on the text as it is, and changes nothing. Unchanged: the directive is called off.
  std::variant<Combined, Unchanged, Refused, Needs>
  attempt(const PassRun &wanted, std::optional<unsigned> line, Diagnostics &messages) {
    const Directive &directive = wanted.directive;
    std::vector<Target> targets = targetsOf(directive, searchFrom(directive, line), messages);
    const bool isForOneOfSeveral =
        !line && directive.kernel.empty() && options.kernel.empty() &&
        std::ranges::any_of(targets, [&](const Target &each) { return each.name != targets.front().name; });
    if (!wanted.kernel.empty())
      std::erase_if(targets, [&](const Target &target) { return target.name != wanted.kernel; });
    if (directive.subject != Subject::Kernel)
      targets = targetWithSubject(directive, searchFrom(directive, line), targets, messages);
    if (targets.empty())
      return Refused();
    Options here = options;
    if (blockLeft) {
      here.block = blockLeft;
      here.isBlockLaunched = true;
    }
    Combined combined;
    for (const Target &target : targets) {
      Context context(*program, target, directive, here, messages);
      warnOfOtherBlock(context);
      PassResult result = runOn(wanted.pass, context);
      if (std::holds_alternative<Refused>(result)) {
        if (isForOneOfSeveral)
          messages = withHint(messages, "-k NAME applies the directive to one of the kernels of this file");
        return Refused();
      }
      if (auto *needed = std::get_if<Needs>(&result)) {
        touched.insert(target.name);
        return std::move(*needed);
      }
      if (auto *unchanged = std::get_if<Unchanged>(&result); unchanged && unchanged->callsOffDirective)
        return *unchanged;
      if (auto *edited = std::get_if<Edited>(&result)) {
        if (!edited->edits.empty())
          touched.insert(target.name);
        combined.edits.append(edited->edits);
        combined.block = edited->block;
        if (!edited->next.empty())
          combined.next.emplace_back(target.name, edited->next);
      }
    }
    return combined;
  }

  /// The pass is done: its messages, and what it hands the kernel on to.
  Ended finish(const PassRun &wanted, const Combined &combined, const Diagnostics &messages) {
    if (combined.block)
      blockLeft = combined.block;
    const size_t said = diagnostics.all().size();
    addMessages(messages, diagnostics);
    if (wanted.kernel.empty()) // the only pass: what it kept is the whole kernel
      collectKept(said);
    for (const auto &[kernel, next] : combined.next)
      for (const Directive &directive : readDirectives(next, wanted.directive.location, diagnostics))
        if (!runAll(directive, kernel))
          return Ended::Refused;
    return Ended::Done;
  }

  /// False, with a refusal, where it cannot be made.
  bool normalize(const Needs &needed, const Directive &directive) {
    if (auto *made = std::get_if<source::ChangedText>(&needed.change)) {
      text.change(*made);
      return true;
    }
    if (auto *location = std::get_if<Needs::InPlaceOfInclude>(&needed.change))
      return embed(location->file);
    return take(std::get<source::Edits>(needed.change), directive) != Taken::Refused;
  }

  void refuseForm(const Directive &directive, std::string_view normalization) {
    diagnostics.refuse(
        {file.string()},
        messageOf(directive,
                  fmt::format("the kernel cannot be normalized as the directive needs ({})", normalization)));
  }

  void refuseRecursion(const Directive &directive) {
    diagnostics.refuse(
        {file.string()},
        messageOf(directive, "mutually recursive functions contain barriers, and cannot be inlined"));
  }

  using Clock = std::chrono::steady_clock;
  void recordTime(std::string_view pass, Clock::time_point begin) {
    if (options.afterPass)
      options.afterPass({pass, text.str(), std::chrono::duration<double>(Clock::now() - begin).count()});
  }

  /// The line as it was given of a statement of the text that was read. A loop that a directive has put around others comes from none:
  /// it has that of the first line inside.
  unsigned givenLineOfStatement(unsigned line) const {
    const std::vector<std::string> lines = splitAt(readText->str(), '\n');
    const auto wordOf = [](llvm::StringRef text) {
      return text.trim().take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    };
    const auto givenText = [&](unsigned at) {
      return readText->given({file.string(), at, 1, 1, {}}).sourceLine;
    };
    if (line == 0 || line > lines.size() || wordOf(lines[line - 1]) == wordOf(givenText(line)))
      return readText->givenLine(line);
    for (unsigned below = line + 1; below <= lines.size(); ++below)
      if (!wordOf(lines[below - 1]).empty() && wordOf(lines[below - 1]) == wordOf(givenText(below)))
        return readText->givenLine(below);
    return readText->givenLine(line);
  }

  /// Messages about a text that normalizations, passes or other directives have changed name places of the text
  /// as it was given.
  Diagnostics asGivenLocations(const Diagnostics &messages) const {
    if (!readText)
      return messages;
    Diagnostics reported;
    const auto isChanged = [&](const SourceLocation &location) {
      // A directive's own location is one of the file as it was.
      const bool isDirective = llvm::StringRef(location.sourceLine).contains("#pragma heddle");
      return location.file == file.string() && location.line > 0 && !isDirective;
    };
    addMessages(
        messages, reported,
        [&](const SourceLocation &location) {
          return isChanged(location) ? readText->given(location) : location;
        },
        isChanged, [&](unsigned line) { return givenLineOfStatement(line); });
    return reported;
  }

  // Included files
  // -------------------------------------------------------------------------------------------------

  /// Files with a `#pragma heddle` of their own are looked through with the file that includes them.
  bool embedPragmas() {
    std::set<std::filesystem::path> leftOut;
    if (!read(diagnostics))
      return false;
    for (;;) {
      std::vector<std::filesystem::path> files = includedFilesWithPragma(*program);
      std::erase_if(files, [&](const std::filesystem::path &each) { return leftOut.contains(each); });
      if (files.empty())
        return true;
      save();
      if (embed(files.front()) && read(diagnostics))
        continue;
      if (!leaveOut(std::nullopt))
        return false;
      leftOut.insert(files.front());
    }
  }

  bool embed(const std::filesystem::path &inner) { return joined ? embedPart(inner) : embedText(inner); }

  /// As a part of the joined text, which becomes a file again.
  bool embedPart(const std::filesystem::path &inner) {
    auto found = findInclude(*program, text.str(), inner);
    if (auto *refused = std::get_if<Diagnostic>(&found)) {
      diagnostics.add(refused->severity, text.given(refused->location), refused->text);
      return false;
    }
    const auto &[line, header, now] = std::get<FoundInclude>(found);
    text.replaceLine(line, joined->embed(header, now, text.str(), line));
    embeddedFile = inner;
    return true;
  }

  bool split() {
    auto files = joined->split(text.str());
    if (!files) {
      diagnostics.refuse({file.string()},
                         "a file that is included inside a kernel cannot be changed with it");
      return false;
    }
    outcome.files = std::move(*files);
    return true;
  }

  bool embedText(const std::filesystem::path &inner) {
    auto embedded = embedInclude(*program, text.str(), inner);
    if (auto *refused = std::get_if<Diagnostic>(&embedded)) {
      diagnostics.add(refused->severity, refused->location, refused->text);
      return false;
    }
    putInPlace(std::get<Embedded>(embedded), text);
    embeddedFile = inner;
    return true;
  }

  /// Parses the text, where that has not been done.
  bool read(Diagnostics &messages) {
    if (program && readText == text)
      return true;
    const Clock::time_point begin = Clock::now();
    options.compile = given;
    if (joined)
      for (const std::string &flag : joined->arguments(text.str()))
        options.compile.userArguments.push_back(flag);
    auto result = source::Program::parseText(file.string(), text.str(), options.compile);
    recordTime("parse", begin);
    if (auto *parsed = std::get_if<std::unique_ptr<source::Program>>(&result)) {
      program = std::move(*parsed);
      readText = text;
      return true;
    }
    auto &failure = std::get<source::ParseFailure>(result);
    if (!embeddedFile.empty()) {
      messages.refuse(
          {embeddedFile.string()},
          "the directive changes this file, and its text does not compile in place of its #include");
      outcome.compilerMessages = failure.compilerMessages;
      return false;
    }
    if (program) { // the text as it was given has been read
      messages.add(Severity::InternalError, {file.string()}, "the text that a pass has made does not compile")
          .withHint("report this as a defect of Heddle, with the input; 'heddle opt --print-after all' shows "
                    "the text");
      outcome.compilerMessages = failure.compilerMessages;
      return false;
    }
    outcome.kind = Outcome::Kind::Unusable;
    outcome.compilerMessages = failure.compilerMessages;
    outcome.isReadable = failure.kind != source::ParseFailure::Kind::NotReadable;
    addMessages(failure.diagnostics, messages);
    return false;
  }

  enum class Taken { Here, InPlaceOfInclude, Refused };

  /// Makes edits. Where they reach into an included file, that file takes the place of its #include instead.
  /// What the pass had to say is not reported where they cannot be made.
  Taken take(const source::Edits &edits, const Directive &directive) {
    auto applied = edits.applyLines();
    if (auto *refused = std::get_if<Diagnostic>(&applied)) {
      Diagnostics messages;
      messages.add(refused->severity, refused->location, messageOf(directive, refused->text)).notes =
          refused->notes;
      addMessages(asGivenLocations(messages), diagnostics);
      return Taken::Refused;
    }
    for (const auto &[path, changed] : std::get<0>(applied))
      if (path != file)
        return embed(path) ? Taken::InPlaceOfInclude : Taken::Refused;
    for (const auto &[path, changed] : std::get<0>(applied))
      text.change(changed);
    return Taken::Here;
  }

  std::filesystem::path file;
  source::MappedText text; ///< knows the places of the file as given, which messages speak of
  Options options;
  const source::CompileOptions given; ///< without what follows from the text
  Diagnostics &diagnostics;
  JoinedText *joined = nullptr;
  std::shared_ptr<const source::Program> program; ///< the text as read last, and that text
  std::optional<source::MappedText> readText;
  std::filesystem::path embeddedFile;              ///< the last one
  std::set<std::string> touched;                   ///< kernels that were edited
  std::set<std::string> comparedKernels;           ///< with --block
  std::optional<State> saved;                      ///< what a refusal goes back to
  std::optional<std::array<int64_t, 3>> blockLeft; ///< what passes have made of the kernel's block
  Outcome outcome;
};

} // namespace

Outcome applyDirectives(const std::filesystem::path &file, std::string text,
                        const std::vector<Directive> &further, const Options &options,
                        Diagnostics &diagnostics) {
  return Pipeline(file, std::move(text), options, diagnostics).go(further);
}

Outcome applyDirectives(std::shared_ptr<const source::Program> program, std::string text,
                        const std::vector<Directive> &further, const Options &options,
                        Diagnostics &diagnostics) {
  return Pipeline(std::move(program), std::move(text), options, diagnostics).go(further);
}

Outcome applyDirectives(JoinedText &files, const std::vector<Directive> &further, const Options &options,
                        Diagnostics &diagnostics) {
  return Pipeline(files, options, diagnostics).go(further);
}

Outcome applyStage(const std::filesystem::path &file, std::string text, const Directive &directive,
                   Transform stage, const Options &options, Diagnostics &diagnostics) {
  return Pipeline(file, std::move(text), options, diagnostics).goThrough(directive, {"", stage});
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

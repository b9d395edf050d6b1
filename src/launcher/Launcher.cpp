// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Read the command line; take out -Wheddle and its family. What compiles no CUDA file is passed on.
// 2. For each CUDA file: does it, or a header of the user's, have a `#pragma heddle`? Does it have a kernel that HEDDLE_DIRECTIVES
//    names? Else it is not changed.
// 3. Transform it, or find the result of an earlier build. The key is made of all files that it may include, the flags and
//    this program.
// 4. Call the compiler with the transformed files in place of the originals. Their names are the same, so that objects
//    get the same names; quoted includes are found by -iquote with the original's folder.
// 5. Rewrite the dependency file: it must name the original, and the headers that are in the text now.
//
// With several sources in one command -iquote would let one find the headers of another. There the includes that are
// beside a source get whole paths instead.
#include "launcher/Launcher.h"

#include "launcher/Cache.h"
#include "launcher/DependencyFile.h"
#include "launcher/DirectiveFile.h"
#include "launcher/IncludeScan.h"
#include "launcher/NamedKernels.h"
#include "source/CommandLine.h"
#include "source/NvccEnvironment.h"
#include "source/Toolkit.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/OwnProgram.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "support/Text.h"
#include "transform/Assumptions.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle::launcher {
namespace {

using source::CommandInput;
using source::CompilerCommand;
using source::Dialect;
using Mode = CompilerCommand::Mode;

/// What nvcc 13 compiles for by default; Clang goes further back.
constexpr const char *defaultArch = "sm_75";

int complain(const std::string &text, int exitCode) {
  std::cerr << fmt::format("heddle nvcc: error: {}\n", text);
  return exitCode;
}

/// Becomes the compiler. Returns only where that fails.
int become(const std::vector<std::string> &words) {
  std::cout.flush();
  std::cerr.flush();
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return complain(fmt::format("the compiler '{}' cannot be started: {}", words[0], std::strerror(errno)),
                  errno == ENOENT ? ExitBadUsage : ExitInputOutput);
}

/// Runs the compiler and waits for it.
int runCompiler(const std::vector<std::string> &words) {
  if (!findProgram(words[0]))
    return complain(fmt::format("the compiler '{}' cannot be started: {}", words[0], std::strerror(ENOENT)),
                    ExitBadUsage);
  ProcessRequest request;
  request.command = words;
  request.input = request.output = request.error = Stream::Ours;
  request.ties = Ties::Ours;
  const ProcessResult done = runToEnd(request);
  if (done.signal) {
    std::signal(done.signal, SIG_DFL);
    kill(getpid(), done.signal);
  }
  return done.exitCode;
}

/// HEDDLE_DIRECTIVES.
struct Directives {
  std::string file, text;
  std::vector<transform::Directive> list;
  Diagnostics diagnostics;

  /// Whether the names of its kernels are in a file at all.
  bool mayConcern(const Scan &scan) const {
    return std::ranges::any_of(
        list, [&](const transform::Directive &directive) { return mayHaveKernel(scan, directive.kernel); });
  }
};

/// The GPU that -arch=native means, by the toolkit's own program.
std::optional<std::string> archOfThisGpu(const std::string &compiler) {
  const std::optional<fs::path> nvcc = findProgram(compiler);
  std::error_code ignored;
  const fs::path folder = nvcc ? fs::canonical(*nvcc, ignored).parent_path() : fs::path();
  const std::optional<fs::path> query = findProgram((folder / "__nvcc_device_query").string());
  if (!query)
    return std::nullopt;
  const std::string answer = runProcess({query->string()}).standardOutput;
  const int number = std::atoi(answer.c_str()); // "90", or "80,90" for several
  return number >= 50 ? std::optional(fmt::format("sm_{}", number)) : std::nullopt;
}

/// One call of a compiler.
class Launch {
public:
  Launch(const std::vector<std::string> &words, bool colour)
      : given(words), colour(colour), command(source::withEnvironment(source::readCommand(words))) {}

  int run() {
    takeWarningFlags();
    if (!mayTransform())
      return become(plainWords());
    if (const int failed = readDirectives())
      return failed;
    if (const int failed = readAssumptions())
      return failed;
    bool isAny = false;
    for (const CommandInput &input : command.inputs)
      if (input.isCuda)
        isAny |= prepare(input);
    reportUnknownKernels();
    for (const Diagnostic &each : directives.diagnostics.all())
      messages.push_back(messageFrom(each));
    std::cerr << textOf(messages, flags, colour);
    if (isError(messages, flags))
      return ExitRefused;
    // Other directives make other objects, also of files that these did not change.
    const bool hasMoreDependencies = isAny || !directives.file.empty();
    if (command.dependencies.isAsked && hasMoreDependencies)
      return runAndRewrite();
    return become(isAny ? newWords() : plainWords());
  }

private:
  void takeWarningFlags() {
    const char *variable = std::getenv("HEDDLE_WERROR");
    flags.areErrors = variable && *variable && std::string_view(variable) != "0";
    for (size_t i = command.compilerWords; i < command.words.size(); ++i)
      if (flags.take(command.words[i].text))
        taken.push_back(i);
  }

  bool mayTransform() const {
    const bool compiles =
        command.mode == Mode::Link || command.mode == Mode::Compile || command.mode == Mode::DeviceCode;
    const bool readsInput = std::ranges::any_of(command.inputs, &CommandInput::isStandardInput);
    return compiles && !readsInput && std::ranges::any_of(command.inputs, &CommandInput::isCuda);
  }

  int readDirectives() {
    const char *named = std::getenv("HEDDLE_DIRECTIVES");
    if (!named || !*named)
      return 0;
    auto text = readFile(named);
    if (auto *failure = std::get_if<FileFailure>(&text))
      return complain("HEDDLE_DIRECTIVES: " + failure->str(), failure->exitCode());
    directives.file = named;
    directives.text = std::get<std::string>(text);
    directives.list = readDirectiveFile(directives.file, directives.text, directives.diagnostics);
    return 0;
  }

  /// HEDDLE_ASSUME: names with commas between them.
  int readAssumptions() {
    const char *named = std::getenv("HEDDLE_ASSUME");
    const std::vector<std::string> known = transform::namesOfAssumptions();
    for (llvm::StringRef name : llvm::split(named ? named : "", ','))
      if (std::ranges::find(known, name.str()) != known.end())
        assumptions.push_back(name.str());
      else if (!name.empty())
        return complain(fmt::format("HEDDLE_ASSUME: '{}' is none of {}", name.str(), joinAnd(known)),
                        ExitBadUsage);
    return 0;
  }

  // Transforming
  // -----------------------------------------------------------------------------------------------------

  /// Whether the input is replaced.
  bool prepare(const CommandInput &input) {
    const IncludeFolders folders = IncludeFolders::of(command.parseFlags);
    const Scan scan = scanIncludes(input.file, folders, SystemHeaders::No);
    const bool isConcerned = directives.mayConcern(scan);
    if (scan.files.empty() || !(scan.mayHavePragma || scan.hasUnknown || isConcerned))
      return false;
    const Cache cache(Cache::usualFolder());
    const Work work{input.file, command.parseFlags, arch(), directives.list, assumptions};
    const std::string name = fs::path(input.file).filename().string();
    // Files that are not known may change unseen: the result is computed again, and kept under the name of its text.
    const std::string key = scan.hasUnknown ? "" : keyFor(work, folders);
    std::optional<Cache::Entry> entry = key.empty() ? std::nullopt : cache.find(key);
    if (!entry) {
      Transformed made = transformed(work);
      const bool isSeen = scan.mayHavePragma || isConcerned;
      if (!isSeen && !made.text)
        return false; // a macro in an #include was no reason
      if (made.text && hasSeveralSources())
        made.text = withWholeIncludes(*made.text, input.file);
      entry = cache.keep(key.empty() ? keyOf({made.text.value_or(""), work.file}) : key, name, made);
    }
    messages.insert(messages.end(), entry->messages.begin(), entry->messages.end());
    keepsPragma |= hasPragmaLeft(*entry, scan);
    if (entry->file.empty())
      return false;
    replaced[input.word] = *entry;
    return true;
  }

  /// Whether the compiler will see a pragma of ours: of a directive that was refused, or of one in `_Pragma`.
  static bool hasPragmaLeft(const Cache::Entry &entry, const Scan &scan) {
    std::error_code ignored;
    std::set<fs::path> gone;
    for (const std::string &file : entry.embedded)
      gone.insert(fs::canonical(file, ignored));
    if (!entry.file.empty()) {
      gone.insert(fs::canonical(scan.files.front().path, ignored));
      if (mayHavePragma(contentsOf(entry.file)))
        return true;
    }
    return std::ranges::any_of(scan.files, [&](const ScannedFile &each) {
      return each.mayHavePragma && !gone.contains(fs::canonical(each.path, ignored));
    });
  }

  /// Directives for kernels that are nowhere. One file of several may well have no such kernel; a command that makes a program of
  /// sources alone sees all files.
  void reportUnknownKernels() {
    const bool isWhole = command.mode == Mode::Link && std::ranges::all_of(command.inputs, isSource);
    if (!isWhole || directives.list.empty())
      return;
    std::vector<Scan> program;
    for (const CommandInput &input : command.inputs)
      program.push_back(scanIncludes(input.file, IncludeFolders::of(command.parseFlags), SystemHeaders::Yes));
    for (const transform::Directive &each : withoutKernel(directives.list, program)) {
      SourceLocation ofName = each.location;
      ofName.column = unsigned(ofName.sourceLine.find(each.kernel) + 1);
      directives.diagnostics.warning(ofName,
                                     fmt::format("no file of this program has a kernel '{}'", each.kernel));
    }
  }

  std::string arch() {
    if (chosenArch.empty()) {
      std::optional<std::string> found = command.oldestArch();
      if (!found && command.isForThisGpu)
        found = archOfThisGpu(command.words[command.compilerWords - 1].text);
      chosenArch = found.value_or(defaultArch);
    }
    return chosenArch;
  }

  std::string keyFor(const Work &work, const IncludeFolders &folders) const {
    std::error_code ignored;
    const fs::path self = ownProgram();
    std::vector<std::string> parts = {
        HEDDLE_VERSION,
        fmt::format("{} {}", fs::file_size(self, ignored),
                    fs::last_write_time(self, ignored).time_since_epoch().count()),
        fs::current_path(ignored).string(),
        work.file,
        work.arch,
        hasSeveralSources() ? "several" : "one",
        directives.text};
    parts.insert(parts.end(), work.assumptions.begin(), work.assumptions.end());
    parts.insert(parts.end(), work.flags.begin(), work.flags.end());
    if (const std::optional<source::Toolkit> toolkit = source::findToolkit())
      parts.push_back(toolkit->root.string() + contentsOf(toolkit->root / "version.json"));
    for (const ScannedFile &each : scanIncludes(work.file, folders, SystemHeaders::Yes).files)
      parts.insert(parts.end(), {each.path.string(), each.text});
    return keyOf(parts);
  }

  static bool isSource(const CommandInput &input) {
    const std::string extension = fs::path(input.file).extension().string();
    return input.isCuda || extension == ".cpp" || extension == ".cc" || extension == ".cxx" ||
           extension == ".c";
  }

  bool hasSeveralSources() const { return std::ranges::count_if(command.inputs, isSource) > 1; }

  /// The text with `#include "x.h"` of files beside the source by their whole paths.
  static std::string withWholeIncludes(llvm::StringRef text, const fs::path &source) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(source, ignored).parent_path();
    std::string result;
    while (!text.empty()) {
      const auto [line, rest] = text.split('\n');
      llvm::StringRef directive = line.ltrim(" \t");
      bool isInclude = directive.consume_front("#");
      directive = directive.ltrim(" \t");
      isInclude = isInclude && directive.consume_front("include") && directive.ltrim(" \t").starts_with("\"");
      const size_t open = line.find('"'), close = line.find('"', open + 1);
      const std::string named = isInclude && close != line.npos ? line.slice(open + 1, close).str() : "";
      if (!named.empty() && fs::is_regular_file(folder / named, ignored))
        result += line.substr(0, open + 1).str() + (folder / named).string() + line.substr(close).str();
      else
        result += line.str();
      if (line.size() < text.size())
        result += '\n';
      text = rest;
    }
    return result;
  }

  // Calling
  // ----------------------------------------------------------------------------------------------------------

  /// The words as they were given, without those that are ours.
  std::vector<std::string> plainWords() const { return wordsWith({}); }

  /// The words with others in some places. Where one of them is in a response file, its words take its place.
  std::vector<std::string> wordsWith(const std::map<size_t, std::string> &others) const {
    const auto isInFile = [&](size_t word) { return command.words[word].isInFile; };
    const bool expands =
        std::ranges::any_of(taken, isInFile) ||
        std::ranges::any_of(others, [&](const auto &other) { return isInFile(other.first); });
    std::vector<std::string> words = given;
    if (expands) {
      words.clear();
      for (const source::CommandWord &word : command.words)
        words.push_back(word.text);
    }
    const auto place = [&](size_t word) { return expands ? word : command.words[word].given; };
    for (const auto &[word, other] : others)
      words[place(word)] = other;
    for (auto word = taken.rbegin(); word != taken.rend(); ++word)
      words.erase(words.begin() + long(place(*word)));
    if (keepsPragma)
      allowPragmas(words);
    return words;
  }

  std::vector<std::string> newWords() const {
    std::map<size_t, std::string> others;
    bool needsRuntime = false;
    for (const auto &[word, entry] : replaced) {
      others[word] = entry.file.string();
      needsRuntime |= contentsOf(entry.file).find("#include <heddle/") != std::string::npos;
    }
    std::vector<std::string> words = wordsWith(others);
    std::vector<std::string> first;
    if (!hasSeveralSources())
      for (const CommandInput &input : command.inputs)
        if (input.isCuda)
          first = quotedIncludes(folderOf(input));
    words.insert(words.begin() + long(command.compilerWords), first.begin(), first.end());
    if (needsRuntime)
      addRuntime(words);
    return words;
  }

  /// The folder of Heddle's headers, as the last one. nvcc splits the value at commas.
  void addRuntime(std::vector<std::string> &words) const {
    const std::string folder = dataFolder("runtime").string();
    append({"-isystem", command.dialect == Dialect::Nvcc ? withoutCommas(folder) : folder}, words);
  }

  /// What there is to report of a directive that is left out, we reported: with the compiler's warning of an unknown pragma a build that allows no
  /// warnings would end.
  void allowPragmas(std::vector<std::string> &words) const {
    if (command.dialect == Dialect::Clang)
      append({"-Wno-unknown-pragmas"}, words);
    else
      append({"-Xcompiler=-Wno-unknown-pragmas", "-diag-suppress=20199"}, words); // in device code
  }

  /// The last options. Behind `--` Clang takes every word for a file.
  void append(const std::vector<std::string> &options, std::vector<std::string> &words) const {
    const auto end = command.dialect == Dialect::Nvcc
                         ? words.end()
                         : std::find(words.begin() + long(command.compilerWords), words.end(), "--");
    words.insert(end, options.begin(), options.end());
  }

  static std::string folderOf(const CommandInput &input) {
    const std::string folder = fs::path(input.file).parent_path().string();
    return folder.empty() ? "." : folder;
  }

  static std::string withoutCommas(const std::string &value) {
    std::string escaped;
    for (char c : value)
      escaped += c == ',' ? "\\," : std::string(1, c);
    return escaped;
  }

  /// The folder first among those of quoted includes, as that of the source is. nvcc does not know the option, and gives
  /// the host compiler's to a shell. One word: ccache takes `-iquote` after `-Xcompiler` for an option of its own.
  std::vector<std::string> quotedIncludes(const std::string &folder) const {
    if (command.dialect == Dialect::Clang)
      return {"-iquote", folder};
    std::string quoted = "\"";
    for (char c : folder)
      quoted += (c == '"' || c == '$' || c == '`' || c == '\\' ? "\\" : "") + std::string(1, c);
    return {"-Xcompiler=-iquote," + withoutCommas(quoted + "\"")};
  }

  int runAndRewrite() {
    const int exitCode = runCompiler(replaced.empty() ? plainWords() : newWords());
    if (exitCode == 0)
      for (const CommandInput &input : command.inputs)
        if (input.isCuda)
          rewriteDependencies(input);
    return exitCode;
  }

  void rewriteDependencies(const CommandInput &input) const {
    const auto found = replaced.find(input.word);
    const Cache::Entry entry = found == replaced.end() ? Cache::Entry() : found->second;
    const fs::path file = dependencyFileOf(command, input);
    const auto rules = readFile(file);
    if (!std::holds_alternative<std::string>(rules))
      return; // "-MF /dev/null" and similar
    std::vector<std::string> added = entry.embedded;
    if (!directives.file.empty())
      added.push_back(directives.file);
    std::map<std::string, std::string> renamed;
    if (!entry.file.empty())
      renamed[entry.file.string()] = input.file;
    if (std::optional<FileFailure> failure =
            writeFile(file, rewrittenDependencies(std::get<std::string>(rules), renamed, added)))
      throw FileError(*failure);
  }

  const std::vector<std::string> &given;
  const bool colour;
  const CompilerCommand command;
  WarningFlags flags;
  std::vector<size_t> taken; ///< words that are ours, in order
  Directives directives;
  std::vector<std::string> assumptions;
  std::string chosenArch;
  std::vector<Message> messages;
  bool keepsPragma = false;                ///< the compiler sees a pragma of ours
  std::map<size_t, Cache::Entry> replaced; ///< by the input's word
};

} // namespace

int launch(const std::vector<std::string> &words, bool colour) {
  try {
    return Launch(words, colour).run();
  } catch (const FileError &wrong) {
    return complain(wrong.what(), wrong.failure.exitCode());
  }
}

} // namespace heddle::launcher

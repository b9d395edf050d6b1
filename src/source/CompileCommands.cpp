// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's tooling library reads the file: it knows both forms of an entry (a shell command, a list of arguments) and takes
// off launchers such as ccache. Entries are looked up here, for three reasons. An entry may name its folder relative to
// the file that it is in. Clang's library proposes a command for every file, however little it has to do with those in the
// database; flags that are not meant for a file are worse than none. And a header's includers are better evidence than
// names that are alike.
//
// Who includes a header is found by reading #include lines, without a preprocessor: from each source, through the
// folders that its command names, to every file that can be reached. Lines that a condition removes count too: such a
// source is compiled with the flags that the header is meant for all the same.
#include "source/CompileCommands.h"

#include "source/CommandLine.h"
#include "source/NvccOptions.h"
#include "support/Files.h"
#include "support/IncludeLine.h"
#include "support/Text.h"

#include <clang/Tooling/JSONCompilationDatabase.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

namespace fs = std::filesystem;

namespace heddle::source {
namespace {

constexpr const char *databaseName = "compile_commands.json";

constexpr std::array headerExtensions = {".cuh", ".h",   ".hpp", ".hh",  ".hxx",
                                         ".inl", ".inc", ".ipp", ".tcc", ".tpp"};

bool isHeader(const fs::path &file) {
  return std::ranges::count(headerExtensions, file.extension().string()) > 0;
}

fs::path wholePath(const fs::path &path, const fs::path &from) { return (from / path).lexically_normal(); }
fs::path wholePath(const fs::path &path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

/// The same file, whatever links lead to it.
fs::path identity(const fs::path &path) {
  std::error_code failed;
  fs::path canonical = fs::weakly_canonical(path, failed);
  return failed ? path : canonical;
}

bool isSameFile(const fs::path &a, const fs::path &b) {
  return a == b || (a.filename() == b.filename() && identity(a) == identity(b));
}

/// Folders that two paths have in common at their beginning.
size_t commonFolders(const fs::path &a, const fs::path &b) {
  const auto [inA, inB] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return size_t(std::distance(a.begin(), inA));
}

// --- Flags -----------------------------------------------------------------------------------------------------

/// Options whose value is a path, which may be joined to them.
constexpr std::array pathOptions = {"-include-pch", "-include",   "-imacros",   "-isystem", "-isysroot",
                                    "-iquote",      "-idirafter", "--sysroot=", "-I",       "-F"};
/// Of these, those that are looked for in the folders of headers too.
bool isSearched(std::string_view option) { return option == "-include" || option == "-imacros"; }

/// What says how fast code is made, for whom, or what only a compiler's own parts understand: Heddle decides that itself.
bool isForCompilerOnly(std::string_view flag) {
  return flag.starts_with("-O") || flag.starts_with("--target");
}

/// Clang's flags with paths that are right in every folder, written in one way: `-Ix`, `-isystem x`.
std::vector<std::string> withAbsolutePaths(const std::vector<std::string> &flags, const fs::path &folder) {
  std::vector<std::string> result;
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string &flag = flags[i];
    const bool hasNext = i + 1 < flags.size();
    if (flag == "-Xclang" || flag == "-target") {
      ++i;
      continue;
    }
    if ((flag == "-D" || flag == "-U") && hasNext) {
      result.push_back(flag + flags[++i]);
      continue;
    }
    const auto option =
        std::ranges::find_if(pathOptions, [&](std::string_view each) { return flag.starts_with(each); });
    if (option == pathOptions.end()) {
      if (!isForCompilerOnly(flag))
        result.push_back(flag);
      continue;
    }
    const std::string name = *option;
    std::string value = flag.substr(name.size());
    if (value.empty() && hasNext)
      value = flags[++i];
    std::error_code ignored;
    if (!isSearched(name) || fs::exists(folder / value, ignored))
      value = wholePath(value, folder).string();
    if (name == "-I" || name == "-F" || name.ends_with("="))
      result.push_back(name + value);
    else
      result.insert(result.end(), {name, value});
  }
  return result;
}

/// Options of nvcc that have no name in Clang, and change what is accepted or computed.
constexpr std::array nvccsOwn = {"extended-lambda",
                                 "expt-extended-lambda",
                                 "expt-relaxed-constexpr",
                                 "use_fast_math",
                                 "default-stream",
                                 "fmad",
                                 "ftz",
                                 "prec-div",
                                 "prec-sqrt",
                                 "maxrregcount"};

void addNvccsOwn(const CompilerCommand &command, std::vector<std::string> &flags) {
  for (size_t i = command.compilerWords; i < command.words.size(); ++i) {
    const std::optional<NvccWord> word = readNvccWord(command.words[i].text);
    if (!word || std::ranges::find(nvccsOwn, word->option->name) == nvccsOwn.end())
      continue;
    std::string flag = "--" + std::string(word->option->name);
    if (word->option->value != NvccOption::Value::None)
      flag += "=" + (word->hasValue || i + 1 == command.words.size() ? std::string(word->value)
                                                                     : command.words[++i].text);
    flags.push_back(std::move(flag));
  }
}

/// Response files that are there were replaced by what they contain.
fs::path missingResponseFile(const CompilerCommand &command) {
  for (size_t i = command.compilerWords; i < command.words.size(); ++i) {
    const std::string &word = command.words[i].text;
    if (command.dialect == Dialect::Clang && word.starts_with('@'))
      return word.substr(1);
    if (command.dialect == Dialect::Nvcc && word.find("-options-file") < 2 && i + 1 < command.words.size())
      return word.find('=') == word.npos ? command.words[i + 1].text : word.substr(word.find('=') + 1);
  }
  return {};
}

/// A build that calls Heddle as its compiler's launcher: `heddle nvcc COMPILER ...`.
std::vector<std::string> withoutOurselves(const std::vector<std::string> &words) {
  const bool isOurs = words.size() > 2 && fs::path(words[0]).filename() == "heddle" && words[1] == "nvcc";
  return isOurs ? std::vector(words.begin() + 2, words.end()) : words;
}

// --- Headers ---------------------------------------------------------------------------------------------------

/// Which files a source reaches by its #include lines.
class Reached {
public:
  explicit Reached(const fs::path &wanted) : wanted(identity(wanted)) {}

  bool isReachedBy(const CompileCommand &command) {
    folders = includeFolders(command);
    seen = &seenWith[folders];
    return follow(command.source);
  }

private:
  /// Where the header may be found. Folders of a system's headers are only looked through where it is in one of them: a
  /// project's headers are not included by those of its libraries.
  std::vector<fs::path> includeFolders(const CompileCommand &command) const {
    std::vector<fs::path> places;
    const std::vector<std::string> flags = buildFlags(command).flags;
    for (size_t i = 0; i < flags.size(); ++i) {
      const bool isSystem = flags[i] == "-isystem" || flags[i] == "-idirafter";
      if (flags[i].starts_with("-I"))
        places.emplace_back(flags[i].substr(2));
      else if ((isSystem || flags[i] == "-iquote") && i + 1 < flags.size())
        if (const fs::path folder = flags[++i]; !isSystem || isWithin(folder))
          places.push_back(folder);
    }
    return places;
  }

  bool isWithin(const fs::path &folder) const {
    const fs::path whole = identity(folder);
    return std::mismatch(whole.begin(), whole.end(), wanted.begin(), wanted.end()).first == whole.end();
  }

  bool follow(const fs::path &file) {
    for (const IncludeLine &include : includesOf(file))
      if (fs::path found = find(include, file.parent_path()); !found.empty()) {
        if (found == wanted)
          return true;
        if (seen->insert(found).second && follow(found))
          return true;
      }
    return false;
  }

  fs::path find(const IncludeLine &include, const fs::path &beside) const {
    std::error_code ignored;
    if (fs::path file = beside / include.name; include.quoted && fs::is_regular_file(file, ignored))
      return identity(file);
    for (const fs::path &folder : folders)
      if (fs::path file = folder / include.name; fs::is_regular_file(file, ignored))
        return identity(file);
    return {};
  }

  const std::vector<IncludeLine> &includesOf(const fs::path &file) {
    auto [lines, isNew] = known.try_emplace(file);
    if (isNew) {
      std::istringstream text(contentsOf(file));
      for (std::string line; std::getline(text, line);)
        if (IncludeLine include = includeIn(line); !include.name.empty())
          lines->second.push_back(std::move(include));
    }
    return lines->second;
  }

  const fs::path wanted;
  std::vector<fs::path> folders;
  /// Files that do not lead to the header, for each list of folders.
  std::map<std::vector<fs::path>, std::set<fs::path>> seenWith;
  std::set<fs::path> *seen = nullptr;
  std::map<fs::path, std::vector<IncludeLine>> known; ///< each file is read once
};

} // namespace

BuildFlags buildFlags(const CompileCommand &command) {
  const CompilerCommand read = readCommand(withoutOurselves(command.words), command.folder);
  BuildFlags result;
  result.flags = withAbsolutePaths(read.parseFlags, command.folder);
  const bool isCuda = std::ranges::any_of(read.inputs, &CommandInput::isCuda);
  if (read.dialect == Dialect::Nvcc && isCuda)
    addNvccsOwn(read, result.flags);
  result.arch = read.oldestArch().value_or("");
  result.missingResponseFile = missingResponseFile(read);
  return result;
}

std::variant<CompileCommands, std::string> CompileCommands::read(const fs::path &file) {
  std::variant<std::string, FileFailure> text = readFile(file);
  if (auto *failure = std::get_if<FileFailure>(&text))
    return failure->text();
  // Clang's reader would print an error of its own, which names no file.
  if (llvm::Expected<llvm::json::Value> json = llvm::json::parse(std::get<std::string>(text)); !json)
    return "is not valid JSON: " + llvm::toString(json.takeError());
  std::string error;
  auto database = clang::tooling::JSONCompilationDatabase::loadFromBuffer(
      std::get<std::string>(text), error, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!database)
    return "is not a compilation database: " + error.substr(0, error.find('\n'));
  CompileCommands result;
  result.path = file;
  const fs::path beside = wholePath(file).parent_path();
  for (clang::tooling::CompileCommand &each : database->getAllCompileCommands()) {
    CompileCommand command;
    command.folder = wholePath(each.Directory, beside);
    command.source = wholePath(each.Filename, command.folder);
    command.words = std::move(each.CommandLine);
    result.commands.push_back(std::move(command));
  }
  return result;
}

const CompileCommand *CompileCommands::commandFor(const fs::path &source) const {
  const fs::path wanted = wholePath(source);
  const auto found =
      std::ranges::find_if(commands, [&](const auto &each) { return isSameFile(each.source, wanted); });
  if (found != commands.end())
    return &*found;
  return isHeader(wanted) ? commandForHeader(wanted) : nullptr;
}

const CompileCommand *CompileCommands::commandForHeader(const fs::path &header) const {
  std::vector<const CompileCommand *> sameStem;
  for (const CompileCommand &each : commands)
    if (each.source.stem() == header.stem())
      sameStem.push_back(&each);
  std::ranges::stable_sort(sameStem, std::greater(), [&](const CompileCommand *each) {
    return std::pair(each->source.extension() == ".cu", commonFolders(each->source, header));
  });
  Reached reached(header);
  for (const CompileCommand *each : sameStem)
    if (each->source.parent_path() == header.parent_path() || reached.isReachedBy(*each))
      return each;
  const auto found =
      std::ranges::find_if(commands, [&](const auto &each) { return reached.isReachedBy(each); });
  return found == commands.end() ? nullptr : &*found;
}

std::vector<std::string> CompileCommands::namesNearest(const fs::path &source, size_t most) const {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  std::vector<std::string> fileNames;
  std::multimap<std::string, std::string> shown;
  for (const CompileCommand &each : commands) {
    const std::string name = each.source.filename().string();
    if (!shown.contains(name))
      fileNames.push_back(name);
    const fs::path relative = each.source.lexically_relative(here);
    const bool isBelow = !relative.empty() && *relative.begin() != "..";
    shown.emplace(name, (isBelow ? relative : each.source).string());
  }
  std::vector<std::string> names;
  for (const std::string &name : nearestFirst(source.filename().string(), fileNames))
    for (auto [each, end] = shown.equal_range(name); each != end && names.size() < most; ++each)
      if (!std::ranges::count(names, each->second))
        names.push_back(each->second);
  return names;
}

fs::path compileCommandsAt(const fs::path &folderOrFile) {
  std::error_code ignored;
  return fs::is_directory(folderOrFile, ignored) ? folderOrFile / databaseName : folderOrFile;
}

std::vector<fs::path> compileCommandsAbove(const fs::path &source) {
  const fs::path file = wholePath(source);
  // JSON may write other characters in another way; a header is in no entry.
  const std::string name = file.filename().string();
  const bool isPlain =
      std::ranges::all_of(name, [](unsigned char c) { return c > ' ' && c < 127 && c != '"' && c != '\\'; });
  auto mayContain = [&](const fs::path &database) {
    return isHeader(file) || !isPlain || contentsOf(database).find(name) != std::string::npos;
  };
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    for (const fs::path &database : {folder / databaseName, folder / "build" / databaseName})
      if (fs::is_regular_file(database, ignored) && mayContain(database))
        found.push_back(database);
    if (folder == folder.parent_path())
      return found;
  }
}

} // namespace heddle::source

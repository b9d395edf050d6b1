// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header of the standard library means the same wherever it is included, unless a macro that it looks at is defined before it,
// or a pragma is in effect. Such macros have names that begin with an underscore, but for NDEBUG; names without one belong to
// the user. So a file is read line by line up to the first line that could change what a standard header means: an #undef, a pragma
// that is not known, or the #include of a header that is not known. Macros with an underscore are collected on the way: most are
// the user's own all the same, and whether a header mentions them is seen when it is precompiled. Of the headers that are included, those
//   - of the C++ standard library and our own are collected, the latter unless a macro with one of their names is defined before: the user's
//     compiler would see it in them;
//   - of a CUDA toolkit that take longer to read than all others together are collected too, unless a macro that they look at is
//     defined first: its name says so. Those that replace them where there is no toolkit are small;
//   - of C, POSIX and CUDA otherwise are passed over: they define no macro that standard headers look at, and are small, or precompiled anyway.
//     So are the small ones of C++: fewer sets of headers are precompiled without them;
//   - of the user, in the folder of the file or in one of -I, are read in the same way.
// What is included under a condition is not collected; include guards are not conditions. What is for Windows or macOS only is skipped: CUDA
// samples have it in headers that all of them include. That a file then includes the same headers again costs nothing: they have guards.
#include "support/OpeningHeaders.h"

#include "support/ByteOrderMark.h"
#include "support/Files.h"
#include "support/IncludeLine.h"
#include "support/NamesInText.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace fs = std::filesystem;

namespace heddle {
namespace {

// Names between blanks.
constexpr std::string_view standardHeaders =
    " algorithm charconv chrono complex condition_variable deque filesystem forward_list fstream "
    "functional future iomanip ios iostream istream list map memory memory_resource mutex "
    "ostream queue random regex set shared_mutex sstream stack stdexcept streambuf string "
    "string_view system_error thread unordered_map unordered_set valarray vector ";
/// Of a CUDA toolkit: seconds each, for both sides. Beside them all in the folders cooperative_groups/ and cuda/.
constexpr std::string_view heavyHeaders =
    " cooperative_groups.h cuda_bf16.h cuda_fp16.h cuda_fp4.h cuda_fp6.h cuda_fp8.h mma.h ";
/// Of C and POSIX, and those of C++ that are read as fast as they are found.
constexpr std::string_view plainHeaders =
    " any array assert.h atomic bit bitset cassert cctype cerrno cfenv cfloat cinttypes climits clocale "
    "cmath compare concepts csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime ctype.h dirent.h "
    "errno.h exception fcntl.h fenv.h float.h getopt.h initializer_list inttypes.h iosfwd iterator libgen.h "
    "limits limits.h locale.h malloc.h math.h memory.h new numbers numeric omp.h optional pthread.h ratio "
    "signal.h span stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h tuple "
    "type_traits typeindex typeinfo unistd.h utility variant wchar.h ";

bool isAmong(std::string_view names, const std::string &name) {
  return names.find(' ' + name + ' ') != names.npos;
}

bool isHeavy(const std::string &name) {
  return isAmong(heavyHeaders, name) || name.starts_with("cooperative_groups/") || name.starts_with("cuda/");
}

bool isPassedOver(const std::string &name) {
  constexpr std::string_view beginnings[] = {
      "cooperative_groups", "cub/", "cuda", "curand", "device_", "mma.h", "sys/", "thrust/", "vector_"};
  return isAmong(plainHeaders, name) || std::ranges::any_of(beginnings, [&](std::string_view beginning) {
           return name.starts_with(beginning);
         });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const size_t last = text.find_last_not_of(blanks);
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

/// Whether a quote is between digits of a number: 1'000.
bool isNumber(std::string_view text, size_t quote) {
  return quote > 0 && std::isalnum(static_cast<unsigned char>(text[quote - 1]));
}

/// The text with blanks in place of comments and of what is between quotes, other than on #include lines; up to a raw string,
/// whose lines may be anything.
std::string withoutComments(std::string_view text) {
  std::string kept;
  bool isInclude = false;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (i == 0 || text[i - 1] == '\n')
      isInclude = !includeIn(rest.substr(0, rest.find('\n'))).name.empty();
    size_t length = 1;
    if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      length = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    } else if (rest.starts_with("R\"")) {
      return kept;
    } else if (!isInclude && (rest[0] == '"' || (rest[0] == '\'' && !isNumber(text, i)))) {
      while (length < rest.size() && rest[length] != rest[0] && rest[length] != '\n')
        length += rest[length] == '\\' ? 2 : 1;
      length = std::min(length + (length < rest.size() && rest[length] != '\n'), rest.size());
    } else {
      kept += rest[0];
      ++i;
      continue;
    }
    for (char c : rest.substr(0, length))
      kept += c == '\n' ? '\n' : ' ';
    i += length;
  }
  return kept;
}

/// What follows the # of a preprocessor line; nothing for any other line.
std::string_view directiveOf(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('#') ? trimmed(line.substr(1)) : std::string_view();
}

/// What follows the keyword of a directive; nothing for another one.
std::string_view wordAfter(std::string_view keyword, std::string_view directive) {
  return directive.starts_with(keyword) ? trimmed(directive.substr(keyword.size())) : std::string_view();
}

std::vector<fs::path> includeFolders(const std::vector<std::string> &command) {
  std::vector<fs::path> folders;
  for (size_t i = 0; i < command.size(); ++i)
    if (command[i].starts_with("-I") && command[i].size() > 2)
      folders.emplace_back(command[i].substr(2));
    else if (command[i] == "-I" && i + 1 < command.size())
      folders.emplace_back(command[++i]);
  return folders;
}

/// Whether a standard header may look at a macro of that name.
bool isReserved(std::string_view macro) {
  return macro.starts_with('_') || macro.substr(0, macro.find_first_of(" \t(")) == "NDEBUG";
}

/// Whether a header of a CUDA toolkit may.
bool isOfToolkit(std::string_view macro) {
  constexpr std::string_view beginnings[] = {"CCCL_", "CG_", "CUB_", "CUDA", "LIBCUDACXX_", "NV", "THRUST_"};
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return macro.starts_with(each); });
}

/// Whether the lines after an #if are for other systems alone: `ifdef _WIN32`, `if defined(WIN32) || defined(_WIN32)`.
bool isForOtherSystems(std::string_view directive) {
  constexpr std::string_view others =
      " WIN32 _WIN32 WIN64 _WIN64 _WINDOWS _MSC_VER __CYGWIN__ __MINGW32__ __APPLE__ __MACOSX MACOSX ";
  if (const std::string_view macro = wordAfter("ifdef", directive); !macro.empty())
    return isAmong(others, std::string(macro));
  std::string condition(wordAfter("if", directive));
  if (!condition.starts_with("defined") || condition.find("&&") != condition.npos)
    return false;
  std::ranges::replace_if(condition, [](char c) { return c == '(' || c == ')' || c == '|'; }, ' ');
  std::istringstream words(condition);
  for (std::string word; words >> word;)
    if (word != "defined" && !isAmong(others, word))
      return false;
  return true;
}

bool isHarmlessPragma(std::string_view pragma) {
  return pragma == "once" || pragma.starts_with("heddle ") || pragma.starts_with("unroll");
}

class OpeningSearch {
public:
  OpeningSearch(std::vector<fs::path> folders, bool hasToolkit)
      : folders(std::move(folders)), hasToolkit(hasToolkit) {}

  /// What a command includes before the file.
  void noteMacrosOf(std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      usersMacros.emplace(macroDefinedIn(line));
    }
  }

  /// False where a line of the file may change what standard headers mean.
  bool read(std::string_view given, const fs::path &folder) {
    const std::string text = withoutComments(withoutByteOrderMark(given));
    std::vector<bool> isCondition; // of the #if that are open; include guards are none
    std::string_view guard;        // named by the #ifndef on the line before
    size_t skipped = 0;            // depth of #if within lines for other systems
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      const std::string_view directive = directiveOf(line);
      if (directive.empty())
        continue;
      const std::string_view mayBeGuarded = std::exchange(guard, {});
      if (skipped > 0) {
        if (directive.starts_with("if"))
          ++skipped;
        else if (directive.starts_with("endif") || (skipped == 1 && directive.starts_with("el")))
          --skipped;
        if (skipped > 0)
          continue;
        if (directive == "else") // what is for all other systems is for this one
          isCondition.back() = false;
      }
      if (directive.starts_with("if")) {
        skipped = isForOtherSystems(directive);
        isCondition.push_back(true);
        guard = wordAfter("ifndef", directive);
      } else if (directive.starts_with("define")) {
        note(wordAfter("define", directive), mayBeGuarded, isCondition);
      } else if (directive.starts_with("endif") && !isCondition.empty()) {
        isCondition.pop_back();
      } else if (directive.starts_with("include")) {
        if (!take(includeIn(line), folder, std::ranges::count(isCondition, true) > 0))
          return false;
      } else if (!directive.starts_with("el") && !directive.starts_with("error") &&
                 wordAfter("line", directive).empty() && !isHarmlessPragma(wordAfter("pragma", directive))) {
        return false;
      }
    }
    return text.size() + 3 >= given.size(); // all of it was read, but for a mark of byte order
  }

  std::set<std::string> found, foundBeforeMacros;
  std::set<std::string> macros; ///< with reserved names

private:
  void note(std::string_view macro, std::string_view guard, std::vector<bool> &isCondition) {
    hasOurMacro = hasOurMacro || macro.starts_with("HEDDLE_");
    usersMacros.emplace(macro.substr(0, macro.find_first_of(" \t(")));
    if (macro == guard) {
      isCondition.back() = false;
    } else if (isReserved(macro)) {
      if (macros.empty())
        foundBeforeMacros = found;
      macros.emplace(macro.substr(0, macro.find_first_of(" \t(")));
    }
    hasToolkitMacro = hasToolkitMacro || isOfToolkit(macro);
  }

  bool take(const IncludeLine &include, const fs::path &folder, bool isConditional) {
    const std::string &name = include.name;
    const bool isOurs = name.starts_with("heddle/"), isStandard = isAmong(standardHeaders, name);
    if (const std::optional<fs::path> file = include.quoted ? inFolders(name, folder) : std::nullopt)
      return !isConditional && readUsers(*file);
    const bool isTaken = isStandard || (isOurs ? !hasOurMacro && !isChanged(name)
                                               : hasToolkit && !hasToolkitMacro && isHeavy(name));
    if (!isConditional && isTaken)
      found.insert(name);
    if (isStandard || isOurs || isPassedOver(name))
      return true;
    const std::optional<fs::path> file = include.quoted ? std::nullopt : inFolders(name, {});
    return file && !isConditional && readUsers(*file);
  }

  /// Whether a header of ours has one of the user's macros in its text.
  bool isChanged(const std::string &header) const {
    const std::set<std::string> &names = namesInRuntimeHeader(header);
    return std::ranges::any_of(usersMacros, [&](const std::string &macro) { return names.contains(macro); });
  }

  /// The user's header of that name, in `own` if that is not empty, or in one of the folders of -I.
  std::optional<fs::path> inFolders(const std::string &name, const fs::path &own) const {
    std::vector<fs::path> candidates = folders;
    if (!own.empty())
      candidates.insert(candidates.begin(), own);
    for (const fs::path &each : candidates) {
      std::error_code ignored;
      if (fs::path file = (each / name).lexically_normal(); fs::is_regular_file(file, ignored))
        return file;
    }
    return std::nullopt;
  }

  /// What was read before and did not end the search changes nothing when it is read again.
  bool readUsers(const fs::path &file) {
    return !opened.insert(file).second || read(contentsOf(file), file.parent_path());
  }

  std::vector<fs::path> folders;
  std::set<fs::path> opened;
  std::set<std::string> usersMacros; ///< all that are defined up to here
  bool hasToolkit;
  bool hasToolkitMacro = false;
  bool hasOurMacro = false; ///< the text of a header of ours, or a choice: ours look at these
};

} // namespace

OpeningHeaders openingHeaders(std::string_view text, const fs::path &folder,
                              const std::vector<std::string> &command) {
  // Without a toolkit its headers are ours (source/CompileOptions).
  const bool hasToolkit = std::ranges::find(command, "-nocudainc") == command.end();
  OpeningSearch search(includeFolders(command), hasToolkit);
  for (size_t i = 0; i + 1 < command.size(); ++i)
    if (command[i] == "-include")
      search.noteMacrosOf(contentsOf(command[i + 1]));
  search.read(text, folder);
  const std::set<std::string> &before = search.macros.empty() ? search.found : search.foundBeforeMacros;
  return {{search.found.begin(), search.found.end()},
          {search.macros.begin(), search.macros.end()},
          {before.begin(), before.end()}};
}

} // namespace heddle

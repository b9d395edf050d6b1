// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines are read as text: a line that begins with # and goes on with `include` or `pragma heddle`. Comments and false conditions are not
// recognized, which makes the answer larger and never smaller: a pragma that is not one costs a parse that changes nothing.
//
// A line may be continued with a backslash between its words; no file writes an #include like that, and a pragma that is
// written so is not seen by the directive language either.
#include "launcher/IncludeScan.h"

#include "support/ByteOrderMark.h"
#include "support/Files.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <set>

namespace fs = std::filesystem;

namespace heddle::launcher {
namespace {

/// `_Pragma("heddle ...")`, which is reported, or a macro that makes it of its argument: HEDDLE(heddle coarsen x=2).
bool mayHaveOperator(llvm::StringRef text) {
  for (size_t at = text.find("_Pragma"); at != text.npos; at = text.find("_Pragma", at + 1)) {
    llvm::StringRef behind = text.substr(at + 7).ltrim();
    if (!behind.consume_front("("))
      continue;
    behind = behind.ltrim();
    if (behind.starts_with("#") || (behind.consume_front("\"") && behind.ltrim().starts_with("heddle")))
      return true;
  }
  return false;
}

/// Calls `read` with each line that begins with #, without it.
void eachDirective(llvm::StringRef text, llvm::function_ref<void(llvm::StringRef)> read) {
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const size_t begin = text.rfind('\n', at) + 1; // npos + 1 is the text's beginning
    if (text.slice(begin, at).trim(" \t").empty())
      read(text.substr(at + 1).split('\n').first.trim(" \t\r"));
  }
}

class Scanner {
public:
  Scanner(const IncludeFolders &folders, SystemHeaders system) : folders(folders), system(system) {}

  Scan run(const fs::path &source) {
    add(source);
    for (const std::string &forced : folders.forced)
      if (std::optional<fs::path> found = find(forced, ".", true))
        add(*found);
    for (size_t i = 0; i < scan.files.size(); ++i) { // grows while it is read
      const fs::path from = scan.files[i].path.parent_path();
      const std::string text = scan.files[i].text;
      scan.files[i].mayHavePragma = mayHavePragma(text);
      scan.mayHavePragma |= scan.files[i].mayHavePragma;
      eachDirective(withoutByteOrderMark(text), [&](llvm::StringRef line) { readDirective(line, from); });
    }
    return std::move(scan);
  }

private:
  void add(const fs::path &file) {
    std::error_code error;
    fs::path real = fs::canonical(file, error);
    if (error || !seen.insert(real).second)
      return;
    auto text = readFile(file);
    if (auto *read = std::get_if<std::string>(&text))
      scan.files.push_back({file, std::move(*read), false});
  }

  void readDirective(llvm::StringRef line, const fs::path &from) {
    if (!line.consume_front("include") && !line.consume_front("import"))
      return;
    line.consume_front("_next");
    line = line.ltrim(" \t");
    const char close = line.starts_with("\"") ? '"' : line.starts_with("<") ? '>' : '\0';
    if (!close) {
      scan.hasUnknown |= !line.empty();
      return;
    }
    const std::string name = line.substr(1).split(close).first.str();
    if (std::optional<fs::path> found = find(name, from, close == '"'))
      add(*found);
  }

  std::optional<fs::path> find(const std::string &name, const fs::path &from, bool isQuoted) const {
    std::error_code ignored;
    if (isQuoted && fs::is_regular_file(from / name, ignored))
      return from / name;
    std::vector<const std::vector<fs::path> *> lists = {&folders.user};
    if (isQuoted)
      lists.insert(lists.begin(), &folders.quoted);
    if (system == SystemHeaders::Yes)
      lists.push_back(&folders.system);
    for (const std::vector<fs::path> *list : lists)
      for (const fs::path &folder : *list)
        if (fs::is_regular_file(folder / name, ignored))
          return folder / name;
    return std::nullopt;
  }

  const IncludeFolders &folders;
  const SystemHeaders system;
  std::set<fs::path> seen;
  Scan scan;
};

} // namespace

IncludeFolders IncludeFolders::of(const std::vector<std::string> &flags) {
  IncludeFolders found;
  for (size_t i = 0; i < flags.size(); ++i) {
    const auto value = [&](const std::string &option) -> std::optional<std::string> {
      if (flags[i] == option)
        return i + 1 < flags.size() ? std::optional(flags[++i]) : std::nullopt;
      return flags[i].starts_with(option) ? std::optional(flags[i].substr(option.size())) : std::nullopt;
    };
    if (auto quoted = value("-iquote"))
      found.quoted.emplace_back(*quoted);
    else if (auto include = value("-I"))
      found.user.emplace_back(*include);
    else if (auto later = value("-isystem"))
      found.system.emplace_back(*later);
    else if (auto last = value("-idirafter"))
      found.system.emplace_back(*last);
    else if (auto forced = value("-include"))
      found.forced.push_back(*forced);
    else if (flags[i] == "-D" || flags[i] == "-U")
      ++i;
  }
  return found;
}

bool mayHavePragma(const std::string &text) {
  bool found = mayHaveOperator(text);
  eachDirective(withoutByteOrderMark(text), [&](llvm::StringRef line) {
    found |= line.consume_front("pragma") && line.ltrim(" \t").starts_with("heddle");
  });
  return found;
}

Scan scanIncludes(const fs::path &source, const IncludeFolders &folders, SystemHeaders system) {
  return Scanner(folders, system).run(source);
}

} // namespace heddle::launcher

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a program looks at what a call returned cannot be seen when it runs. It can be seen in the text: a
// call that begins a statement drops its result. Where a function is called in both ways, or in files that we
// do not have, the failed call may be one that was looked at, and nothing is reported.
#include "IgnoredErrors.h"

#include "check/SourceText.h"
#include "support/KernelText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// A program calls cudaMemcpy in many places; after so many a list does not help.
constexpr size_t MostNotes = 4;

struct CallSites {
  std::vector<SourceLocation> dropped;
  bool anyUsed = false;
};

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The text with comments and literals blanked out, as long as it was.
std::string codeOnly(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    auto blankUntil = [&](std::string_view end, bool withEnd) {
      size_t stop = text.find(end, i + 1);
      stop = stop == std::string::npos ? text.size() : stop + (withEnd ? end.size() : 0);
      for (; i < stop; ++i)
        if (text[i] != '\n')
          text[i] = ' ';
      --i;
    };
    if (text.compare(i, 2, "//") == 0)
      blankUntil("\n", false);
    else if (text.compare(i, 2, "/*") == 0)
      blankUntil("*/", true);
    else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !isWord(text[i - 1])))) {
      const char quote = text[i];
      for (text[i++] = ' '; i < text.size() && text[i] != quote && text[i] != '\n'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size())
          text[i++] = ' ';
        text[i] = ' ';
      }
    }
  }
  return text;
}

/// Whether what precedes a call ends a statement, opens one, or is the head of an if, else or loop.
bool beginsStatement(const std::string &code, size_t at) {
  size_t end = at;
  while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])))
    --end;
  if (end >= 2 && code.compare(end - 2, 2, "::") == 0)
    return beginsStatement(code, end - 2);
  if (end == 0)
    return false; // of a macro's text, perhaps
  if (code[end - 1] == ';' || code[end - 1] == '{' || code[end - 1] == '}' || code[end - 1] == ')')
    return true;
  return end >= 4 && code.compare(end - 4, 4, "else") == 0;
}

std::string codeOf(const fs::path &file) {
  std::ifstream in(file);
  std::stringstream all;
  all << in.rdbuf();
  return codeOnly(all.str());
}

SourceLocation locationIn(const fs::path &file, const std::string &code, size_t at) {
  SourceLocation location;
  location.file = file.string();
  location.line = unsigned(std::count(code.begin(), code.begin() + long(at), '\n')) + 1;
  const size_t lineStart = code.rfind('\n', at);
  location.column = unsigned(at - (lineStart == std::string::npos ? 0 : lineStart + 1)) + 1;
  return location;
}

/// The first location is the finding's, others are notes.
void locate(check::Finding &finding, const std::vector<SourceLocation> &all, const char *what) {
  finding.location = all.front();
  for (size_t i = 1; i < all.size() && i <= MostNotes; ++i)
    finding.notes.push_back({all[i], "or here"});
  if (all.size() > 1 + MostNotes)
    finding.notes.push_back({{}, fmt::format("or at one of {} more {}", all.size() - 1 - MostNotes, what)});
}

void findCalls(const fs::path &file, const std::string &function, CallSites &sites) {
  const std::string code = codeOf(file);
  for (size_t at = code.find(function); at != std::string::npos; at = code.find(function, at + 1)) {
    const size_t end = at + function.size();
    const bool isWhole = (at == 0 || !isWord(code[at - 1])) && end < code.size() && !isWord(code[end]);
    if (!isWhole)
      continue;
    if (!beginsStatement(code, at)) {
      sites.anyUsed = true;
      continue;
    }
    sites.dropped.push_back(locationIn(file, code, at));
  }
}

} // namespace

std::vector<check::Finding> ignoredErrors(const check::CheckResult &result,
                                          const std::vector<fs::path> &files) {
  std::vector<check::Finding> findings;
  for (const check::CheckResult::FailedCall &call : result.failedCalls) {
    CallSites sites;
    for (const fs::path &file : files)
      findCalls(file, call.function, sites);
    if (sites.anyUsed || sites.dropped.empty())
      continue;
    check::Finding finding;
    finding.rule = check::Rule::HostErrorIgnored;
    finding.text = fmt::format("{} failed with {}, and the program ignores it{}{}", call.function, call.error,
                               call.why.empty() ? "" : ": ", call.why);
    locate(finding, sites.dropped, "calls");
    finding.hint = "compare what the call returns with cudaSuccess, or call cudaGetLastError()";
    finding.times = call.times;
    findings.push_back(std::move(finding));
  }
  return findings;
}

void locateFailedLaunches(std::vector<check::Finding> &findings, const std::vector<fs::path> &files) {
  for (check::Finding &finding : findings) {
    if (finding.rule != check::Rule::HostLaunchFailed || finding.location.isKnown())
      continue;
    std::vector<SourceLocation> launches;
    for (const fs::path &file : files) {
      const std::string code = codeOf(file);
      for (size_t at : check::launchesOf(code, plainName(finding.kernel)).at)
        launches.push_back(locationIn(file, code, at));
    }
    if (!launches.empty())
      locate(finding, launches, "launches");
  }
}

} // namespace heddle::cli

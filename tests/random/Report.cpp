// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>

namespace heddle::generator {
namespace {

using Kind = Verdict::Kind;

unsigned of(const std::map<Kind, unsigned> &counts, Kind kind) {
  auto found = counts.find(kind);
  return found == counts.end() ? 0 : found->second;
}

/// The directive's name, with the setting that makes another transform of it.
std::string rowOf(const std::string &directive) {
  std::string name = directive.substr(0, directive.find(' '));
  for (const char *setting : {"grid=", "by=branch", "by=profile", "delegate=on", "remap=on"})
    if (directive.find(setting) != std::string::npos)
      name += std::string(" ") + setting;
  return name;
}

/// The same reason whatever the names and numbers.
std::string general(const std::string &why) {
  static const std::regex quoted("'[^']*'"), digits("[0-9]+");
  return std::regex_replace(std::regex_replace(why, quoted, "'...'"), digits, "N").substr(0, 140);
}

void printRow(const std::string &name, const std::map<Kind, unsigned> &counts) {
  fmt::print("{:<44} {:>8} {:>9} {:>7} {:>5} {:>7}\n", name, of(counts, Kind::Same),
             of(counts, Kind::Unchanged), of(counts, Kind::Refused), of(counts, Kind::Wrong),
             of(counts, Kind::Invalid));
}

void printHead(const char *what) {
  fmt::print("\n{:<44} {:>8} {:>9} {:>7} {:>5} {:>7}\n", what, "same", "unchanged", "refused", "wrong",
             "invalid");
}

} // namespace

const char *nameOf(Kind kind) {
  switch (kind) {
  case Kind::Same: return "same";
  case Kind::Unchanged: return "unchanged";
  case Kind::Refused: return "refused";
  case Kind::Wrong: return "WRONG";
  case Kind::Invalid: return "INVALID";
  }
  std::abort();
}

std::string directivesOf(const Program &program) {
  std::string all;
  for (const std::string &pragma : program.pragmas)
    all += (all.empty() ? "pragma " : "; pragma ") + pragma;
  for (const std::string &directive : program.directives)
    all += (all.empty() ? "" : "; ") + directive;
  return all;
}

void Report::add(const Program &program, const Verdict &verdict) {
  ++all[verdict.kind];
  std::set<std::string> rows;
  for (const std::string &pragma : program.pragmas)
    rows.insert(rowOf(pragma));
  for (const std::string &directive : program.directives)
    rows.insert(rowOf(directive));
  for (const std::string &row : rows)
    ++byDirective[row][verdict.kind];
  if (program.pragmas.size() + program.directives.size() > 1)
    ++byDirective["(two or more)"][verdict.kind];
  for (const std::string &construct : program.constructs)
    ++byConstruct[construct][verdict.kind];
  if (verdict.kind == Kind::Refused)
    ++reasons[general(verdict.why)];
}

void Report::print() const {
  printHead("directive");
  for (const auto &[name, counts] : byDirective)
    printRow(name, counts);
  printHead("construct");
  for (const auto &[name, counts] : byConstruct)
    printRow(name, counts);
  std::vector<std::pair<unsigned, std::string>> often;
  for (const auto &[why, count] : reasons)
    often.emplace_back(count, why);
  std::sort(often.rbegin(), often.rend());
  fmt::print("\nrefused most often\n");
  for (size_t i = 0; i < std::min<size_t>(often.size(), 25); ++i)
    fmt::print("{:>5} {}\n", often[i].first, often[i].second);
  printHead("all programs");
  printRow("", all);
}

unsigned Report::failures() const { return of(all, Kind::Wrong) + of(all, Kind::Invalid); }

} // namespace heddle::generator

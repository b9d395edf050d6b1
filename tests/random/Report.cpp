// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Report.h"

#include "random/Constructs.h"

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

/// The directive without its numbers: "coarsen x=?".
std::string rowOf(const std::string &directive) {
  static const std::regex factor("(x|y|z|grid|factor)=[0-9]+");
  return std::regex_replace(directive, factor, "$1=?");
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
  fmt::print("transformed: {} programs ({} %)\n", of(all, Kind::Same), percentChanged());
}

std::vector<std::string> Report::missing() const {
  std::vector<std::string> found;
  const auto countsOf = [](const std::map<std::string, Counts> &rows, const std::string &name) {
    auto at = rows.find(name);
    return at == rows.end() ? Counts{} : at->second;
  };
  for (const Construct &construct : allConstructs()) {
    const Counts counts = countsOf(byConstruct, construct.name);
    const unsigned answered = of(counts, Kind::Same) + (construct.isRefused ? of(counts, Kind::Refused) : 0);
    if (answered == 0)
      found.push_back(fmt::format("no program with '{}' was {}", construct.name,
                                  construct.isRefused ? "changed or refused" : "changed"));
  }
  for (const DirectiveForm &form : directiveForms()) {
    // These two choose to do nothing where it does not pay.
    const std::string text = form.text;
    const bool mayChoose = text == "auto" || text == "consolidate" || text == "specialize";
    const Counts counts = countsOf(byDirective, text);
    if (of(counts, Kind::Same) + (mayChoose ? of(counts, Kind::Unchanged) : 0) == 0)
      found.push_back(fmt::format("'{}' was never carried out", text));
  }
  return found;
}

unsigned Report::percentChanged() const {
  unsigned programs = 0;
  for (const auto &[kind, count] : all)
    programs += count;
  return programs ? of(all, Kind::Same) * 100 / programs : 0;
}

nlohmann::json Report::json() const {
  const auto of = [](const Counts &counts) {
    nlohmann::json list = nlohmann::json::object();
    for (const auto &[kind, count] : counts)
      list[std::to_string(int(kind))] = count;
    return list;
  };
  nlohmann::json result = {{"all", of(all)},
                           {"reasons", reasons},
                           {"directives", nlohmann::json::object()},
                           {"constructs", nlohmann::json::object()}};
  for (const auto &[name, counts] : byDirective)
    result["directives"][name] = of(counts);
  for (const auto &[name, counts] : byConstruct)
    result["constructs"][name] = of(counts);
  return result;
}

void Report::add(const nlohmann::json &other) {
  const auto take = [](Counts &to, const nlohmann::json &from) {
    for (const auto &[kind, count] : from.items())
      to[Kind(std::stoi(kind))] += count.get<unsigned>();
  };
  take(all, other.at("all"));
  for (const auto &[name, counts] : other.at("directives").items())
    take(byDirective[name], counts);
  for (const auto &[name, counts] : other.at("constructs").items())
    take(byConstruct[name], counts);
  for (const auto &[why, count] : other.at("reasons").items())
    reasons[why] += count.get<unsigned>();
}

unsigned Report::failures() const { return of(all, Kind::Wrong) + of(all, Kind::Invalid); }

} // namespace heddle::generator

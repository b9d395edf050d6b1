// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-random: random programs, changed by random directives, compute what they did. Prints the seed, a table of what
// became of the directives, and each failure shrunk, ready to be pasted as a test.
//
//   heddle-random --programs 300 --seed 1             programs 1 to 300
//   heddle-random --programs 1 --seed 217 --show      that program and what became of it
//   heddle-random --programs 3000 --count            what those programs contain; nothing is run
//   heddle-random --replay tests/random/found/*.cu    programs that were wrong once
#include "random/Command.h"
#include "random/Oracle.h"
#include "random/Report.h"
#include "random/Shrink.h"
#include "support/CudaToolkit.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

using namespace heddle;
using namespace heddle::generator;

namespace {

struct Settings {
  unsigned programs = 300, jobs = 1, batch = 50, nvccEvery = 0, shrinkFailures = 3, commandEvery = 0;
  std::string command;
  uint64_t seed = 1;
  double shrinkSeconds = 120;
  bool show = false, list = false, isDry = false, counts = false;
  std::string save;
  std::vector<std::string> replay, with, without, coverage;
};

/// A program that was wrong once: its directives are in its first lines.
Program read(const std::string &file) {
  Program program;
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  for (std::string line; std::getline(text, line);) {
    const std::string mark = "// -d \"";
    if (line.starts_with(mark))
      program.directives.push_back(line.substr(mark.size(), line.rfind('"') - mark.size()));
    else
      program.kernels.form += line + "\n";
  }
  return program;
}

/// The same failure: of the same kind, by the same directives.
Program shrink(const Program &program, const Verdict &verdict, const Settings &settings,
               const OracleOptions &options) {
  return shrunk(
      program,
      [&](const std::vector<Program> &candidates) {
        std::vector<bool> fails;
        for (const Verdict &each : evaluate(candidates, options))
          fails.push_back(each.isWrong() && each.why == verdict.why);
        return fails;
      },
      settings.shrinkSeconds);
}

/// The next programs that --with and --without leave.
class Seeds {
public:
  explicit Seeds(const Settings &settings) : settings(settings), seed(settings.seed) {}

  Program next() {
    for (;; ++seed) {
      Program program = randomProgram(seed);
      if (isWanted(program))
        return ++seed, program;
    }
  }

private:
  bool isWanted(const Program &program) const {
    const auto uses = [&](const std::string &word) {
      return program.constructs.count(word) || directivesOf(program).find(word) != std::string::npos;
    };
    return std::all_of(settings.with.begin(), settings.with.end(), uses) &&
           std::none_of(settings.without.begin(), settings.without.end(), uses);
  }

  const Settings &settings;
  uint64_t seed;
};

/// Every so many programs the command itself is asked.
void askCommand(const Settings &settings, uint64_t first, const std::vector<Program> &programs,
                std::vector<Verdict> &verdicts) {
  for (size_t i = 0; settings.commandEvery && i < programs.size(); ++i) {
    const bool isSettled =
        verdicts[i].kind != Verdict::Kind::Wrong && verdicts[i].kind != Verdict::Kind::Invalid;
    if (!isSettled || (first + i) % settings.commandEvery)
      continue;
    const std::string why = disagreement(programs[i], verdicts[i], settings.command);
    if (!why.empty())
      verdicts[i] = {Verdict::Kind::Wrong, "the command disagrees", why, verdicts[i].emitted};
  }
}

/// What the programs contain, whatever directives do with it.
int count(const Settings &settings) {
  std::map<std::string, unsigned> constructs, directives;
  unsigned pairs = 0;
  for (uint64_t i = 0; i < settings.programs; ++i) {
    const Program program = randomProgram(settings.seed + i);
    for (const std::string &construct : program.constructs)
      ++constructs[construct];
    for (const std::vector<std::string> &some : {program.pragmas, program.directives})
      for (const std::string &directive : some)
        ++directives[directive];
    pairs += program.pragmas.size() + program.directives.size() > 1;
  }
  for (const auto &[name, number] : directives)
    fmt::print("{:>5} {}\n", number, name);
  fmt::print("{:>5} two or more directives\n\n", pairs);
  for (const auto &[name, number] : constructs)
    fmt::print("{:>5} {}\n", number, name);
  return 0;
}

/// Whether several runs together tried everything.
int checkCoverage(const std::vector<std::string> &files) {
  Report report;
  for (const std::string &file : files)
    report.add(nlohmann::json::parse(std::ifstream(file)));
  report.print();
  const std::vector<std::string> missing = report.missing();
  for (const std::string &each : missing)
    fmt::print("missing: {}\n", each);
  // 300 programs leave some of the rarest out; what is more than that is a generator that has decayed.
  constexpr size_t mostMissing = 8;
  constexpr unsigned leastChanged = 40;
  const bool isEnough = missing.size() <= mostMissing && report.percentChanged() >= leastChanged;
  fmt::print("{}: {} constructs and directives missing ({} at most), {} % transformed ({} at least)\n",
             isEnough ? "pass" : "FAIL", missing.size(), mostMissing, report.percentChanged(), leastChanged);
  return isEnough ? 0 : 1;
}

int run(const Settings &settings) {
  Report report;
  unsigned shrunkFailures = 0;
  std::vector<Program> replayed;
  for (const std::string &file : settings.replay)
    replayed.push_back(read(file));
  const uint64_t end = settings.replay.empty() ? settings.programs : replayed.size();
  if (settings.replay.empty())
    fmt::print("seed {}, {} programs\n", settings.seed, settings.programs);
  unsigned batches = 0;
  Seeds seeds(settings);
  for (uint64_t first = 0; first < end; first += settings.batch, ++batches) {
    std::vector<Program> programs;
    for (uint64_t i = first; i < std::min<uint64_t>(end, first + settings.batch); ++i)
      programs.push_back(settings.replay.empty() ? seeds.next() : replayed[i]);
    OracleOptions options;
    options.jobs = settings.jobs;
    if (settings.nvccEvery && batches % settings.nvccEvery == settings.nvccEvery - 1 && findNvcc())
      options.compiler = build::Compiler::Nvcc;
    options.executes = !settings.isDry;
    std::vector<Verdict> verdicts = evaluate(programs, options);
    askCommand(settings, first, programs, verdicts);
    for (size_t i = 0; i < programs.size(); ++i) {
      report.add(programs[i], verdicts[i]);
      const std::string name =
          settings.replay.empty() ? fmt::format("seed {}", programs[i].seed) : settings.replay[first + i];
      if (settings.list)
        fmt::print("{} {} [{}] {}\n", name, nameOf(verdicts[i].kind), directivesOf(programs[i]),
                   verdicts[i].why);
      if (settings.show)
        fmt::print("==== {}\n{}\n---- {} {}\n{}\n", name, programs[i].shown(), nameOf(verdicts[i].kind),
                   verdicts[i].why, verdicts[i].emitted);
      if (verdicts[i].kind != Verdict::Kind::Wrong && verdicts[i].kind != Verdict::Kind::Invalid)
        continue;
      fmt::print("\nFAIL: {}: {} [{}]\n{}\n", name, verdicts[i].why, directivesOf(programs[i]),
                 verdicts[i].details);
      std::fflush(stdout);
      if (verdicts[i].isWrong() && verdicts[i].why != "the command disagrees" && settings.replay.empty() &&
          settings.shrinkSeconds > 0 && shrunkFailures < settings.shrinkFailures) {
        ++shrunkFailures;
        const Program small = shrink(programs[i], verdicts[i], settings, options);
        const Verdict last = evaluate({small}, options).front();
        fmt::print("shrunk to {} of {} nodes:\n{}\nwhat became of it ({}):\n{}\n{}\n",
                   sizeOf(small.kernels) + sizeOf(small.items),
                   sizeOf(programs[i].kernels) + sizeOf(programs[i].items), small.shown(), last.why,
                   last.emitted, last.details);
      }
      std::fflush(stdout);
    }
  }
  report.print();
  if (!settings.save.empty() && !(std::ofstream(settings.save) << report.json())) {
    fmt::print(stderr, "{} cannot be written\n", settings.save);
    return 1;
  }
  return report.failures() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("random programs, changed by random directives, compute what they did");
  Settings settings;
  app.add_option("--programs", settings.programs, "how many");
  app.add_option("--seed", settings.seed, "of the first; each of the others has the next number");
  app.add_option("--jobs", settings.jobs, "directives carried out at the same time");
  app.add_option("--batch", settings.batch, "programs in one executable");
  app.add_option("--nvcc-every", settings.nvccEvery, "nvcc compiles every Nth batch; 0: none");
  app.add_option("--shrink-seconds", settings.shrinkSeconds, "for each failure that is shrunk; 0: none is");
  app.add_option("--shrink-failures", settings.shrinkFailures, "how many are");
  app.add_option("--command", settings.command, "the program heddle, asked as well");
  app.add_option("--command-every", settings.commandEvery, "for every Nth program");
  app.add_option("--with", settings.with, "only programs with these constructs or words in their directives");
  app.add_option("--without", settings.without, "only programs without them");
  app.add_flag("--show", settings.show, "print every program and what became of it");
  app.add_flag("--list", settings.list, "print one line for every program");
  app.add_flag("--dry-run", settings.isDry, "carry out the directives, and compile and run nothing");
  app.add_option("--replay", settings.replay, "files instead of random programs");
  app.add_flag("--count", settings.counts, "print what the programs contain, and run nothing");
  app.add_option("--save", settings.save, "write what became of the programs to this file");
  app.add_option("--coverage", settings.coverage,
                 "read such files, and fail where a construct or a directive was never tried with success");
  CLI11_PARSE(app, argc, argv);
  if (!settings.coverage.empty())
    return checkCoverage(settings.coverage);
  return settings.counts ? count(settings) : run(settings);
}

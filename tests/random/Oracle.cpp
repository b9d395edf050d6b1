// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two steps, both for many programs at a time:
//
// 1. Directives. A child process for each program reads the text, carries the directives out as `heddle opt` does,
//    and leaves the outcome in a file. A child that crashes or does not come to an end is a failure of that program
//    alone.
// 2. Execution. Reading CUDA's headers and starting compilers costs more than a kernel, so all programs become one:
//    program 7 is in the namespaces p7o (original) and p7n (new), and what it includes comes before all namespaces.
//    The executable runs both, compares `out`, and names the programs that differ. A program that does not compile
//    is recognized by the name of its file in the compiler's messages, left out, and the others are compiled
//    without it.
#include "random/Oracle.h"

#include "arch/Arch.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "transform/Pipeline.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle::generator {
namespace {

std::string contents(const fs::path &file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Directives
// -----------------------------------------------------------------------------------------------------

std::string firstReason(const Diagnostics &diagnostics) {
  for (const Diagnostic &each : diagnostics.all())
    if (each.severity == Severity::Refusal || each.severity == Severity::Error)
      return each.text;
  return {};
}

/// In the child: what `heddle opt main.cu -k kernel -d ...` does, up to its check.
nlohmann::json carryOut(const Program &program, const fs::path &folder) {
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch("sm_90", diagnostics);
  transform::Options options;
  options.compile.cudaPath = "none";
  options.kernel = "kernel";
  options.arch = arch ? &*arch : nullptr;
  std::vector<transform::Directive> directives;
  for (const std::string &text : program.directives)
    for (const transform::Directive &directive : transform::readDirectives(text, diagnostics))
      directives.push_back(directive);
  if (diagnostics.has(Severity::Error))
    return {{"kind", "misspelled"}, {"why", firstReason(diagnostics)}};
  transform::Outcome outcome =
      transform::applyDirectives(folder / "main.cu", directives, options, diagnostics);
  using Kind = transform::Outcome::Kind;
  std::string kind = outcome.kind == Kind::Done      ? "done"
                     : outcome.kind == Kind::Refused ? "refused"
                                                     : "unusable";
  if (outcome.kind == Kind::Unusable && std::holds_alternative<source::ParseFailure>(
                                            source::Program::parse(folder / "main.cu", options.compile)))
    kind = "invalid";
  return {{"kind", kind},
          {"why", firstReason(diagnostics)},
          {"text", outcome.text},
          {"messages", outcome.compilerMessages}};
}

void writeFiles(const Program &program, const fs::path &folder) {
  fs::create_directories(folder);
  std::ofstream(folder / "main.cu") << program.mainText();
  if (program.needsHeader())
    std::ofstream(folder / headerName) << program.headerText();
}

pid_t startChild(const Program &program, const fs::path &folder, unsigned seconds) {
  writeFiles(program, folder);
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    std::ofstream(folder / "outcome.json")
        << carryOut(program, folder).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    _exit(0);
  }
  return child;
}

std::string withoutPragmas(const std::string &text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("#pragma heddle") == std::string::npos)
      kept += line + "\n";
  return kept;
}

Verdict outcomeOf(const Program &program, const fs::path &folder, int status) {
  Verdict verdict{Verdict::Kind::Wrong, {}, {}, {}};
  if (!WIFEXITED(status)) {
    verdict.why = WTERMSIG(status) == SIGALRM ? "does not come to an end" : "crashes";
    verdict.details = fmt::format("signal {}", WTERMSIG(status));
    return verdict;
  }
  nlohmann::json outcome = nlohmann::json::parse(contents(folder / "outcome.json"), nullptr, false);
  if (!outcome.is_object()) {
    verdict.why = "crashes";
    return verdict;
  }
  const std::string kind = outcome["kind"], why = outcome["why"];
  if (kind == "refused") {
    // A refusal without a reason is no answer.
    verdict.kind = why.empty() ? Verdict::Kind::Wrong : Verdict::Kind::Refused;
    verdict.why = why.empty() ? "refused without a reason" : why;
  } else if (kind == "done") {
    verdict.emitted = outcome["text"];
    verdict.kind = withoutPragmas(verdict.emitted) == withoutPragmas(program.mainText())
                       ? Verdict::Kind::Unchanged
                       : Verdict::Kind::Same;
  } else {
    verdict.kind = kind == "unusable" ? Verdict::Kind::Wrong : Verdict::Kind::Invalid;
    verdict.why = kind == "unusable" ? "a stage does not compile" : "the original does not compile";
    verdict.details = outcome["messages"].get<std::string>() + why;
  }
  return verdict;
}

std::vector<Verdict> carryOutAll(const std::vector<Program> &programs, const OracleOptions &options,
                                 const fs::path &folder) {
  std::vector<Verdict> verdicts(programs.size());
  std::map<pid_t, size_t> running;
  size_t next = 0;
  const auto folderOf = [&](size_t i) { return folder / fmt::format("p{}", i); };
  while (next < programs.size() || !running.empty()) {
    if (next < programs.size() && running.size() < options.jobs) {
      running[startChild(programs[next], folderOf(next), options.secondsPerProgram)] = next;
      ++next;
      continue;
    }
    int status = 0;
    const pid_t done = waitpid(-1, &status, 0);
    auto found = running.find(done);
    if (found == running.end())
      continue;
    verdicts[found->second] = outcomeOf(programs[found->second], folderOf(found->second), status);
    running.erase(found);
  }
  return verdicts;
}

// Execution
// -----------------------------------------------------------------------------------------------------

/// The text without its #include <...>, which go to `includes`, and with its header in place. Lines stay where they
/// are.
std::string forNamespace(const std::string &text, const std::string &header,
                         std::vector<std::string> &includes) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); kept += "\n") {
    if (line.starts_with("#include <")) {
      if (std::find(includes.begin(), includes.end(), line) == includes.end())
        includes.push_back(line);
    } else if (line == fmt::format("#include \"{}\"", headerName)) {
      kept += forNamespace(header, {}, includes);
    } else if (line != "#pragma once") {
      kept += line;
    }
  }
  return kept;
}

const char *const comparison = R"(
struct Case {
  int number;
  void (*launch[2])(unsigned *, const unsigned *);
};
static const Case cases[] = {
@};
int main(int, char **arguments) {
  const int inputs = %, outputs = %;
  const int first = std::atoi(arguments[1]);
  std::vector<unsigned> host(inputs), start(outputs), results[2];
  for (int i = 0; i < inputs; ++i)
    host[i] = i * 2246822519u + (i >> 3);
  for (int i = 0; i < outputs; ++i)
    start[i] = i * 2654435761u ^ (i << 5);
  for (const Case &one : cases) {
    if (one.number < first)
      continue;
    for (int form = 0; form < 2; ++form) {
      unsigned *in, *out;
      cudaMalloc(&in, inputs * 4);
      cudaMalloc(&out, outputs * 4);
      cudaMemcpy(in, host.data(), inputs * 4, cudaMemcpyHostToDevice);
      cudaMemcpy(out, start.data(), outputs * 4, cudaMemcpyHostToDevice);
      std::printf("%d begins %d\n", one.number, form);
      std::fflush(stdout);
      one.launch[form](out, in);
      cudaError_t error = cudaDeviceSynchronize();
      if (error == cudaSuccess)
        error = cudaGetLastError();
      if (error != cudaSuccess) {
        std::printf("%d fails %d: %s\n", one.number, form, cudaGetErrorString(error));
        return 3;
      }
      results[form].resize(outputs);
      cudaMemcpy(results[form].data(), out, outputs * 4, cudaMemcpyDeviceToHost);
      cudaFree(in);
      cudaFree(out);
    }
    for (int i = 0; i < outputs; ++i)
      if (results[0][i] != results[1][i]) {
        std::printf("%d differs out[%d] is %u and becomes %u\n", one.number, i, results[0][i], results[1][i]);
        break;
      }
    std::printf("%d done\n", one.number);
    std::fflush(stdout);
  }
}
)";

/// The lines of a compiler that name a program, with the two below each; all of them where none does.
std::string messagesAbout(const std::string &name, const std::string &messages) {
  std::string some;
  std::istringstream lines(messages);
  int further = 0;
  for (std::string line; std::getline(lines, line) && some.size() < 2000; --further) {
    if (line.find(name) != std::string::npos && line.find("In file included") == std::string::npos)
      further = 3;
    if (further > 0)
      some += line + "\n";
  }
  return some.empty() ? messages.substr(0, 2000) : some;
}

class Execution {
public:
  Execution(const std::vector<Program> &programs, std::vector<Verdict> &verdicts,
            const OracleOptions &options, const fs::path &folder)
      : programs(programs), verdicts(verdicts), options(options), folder(folder) {}

  void run() {
    for (size_t i = 0; i < programs.size(); ++i)
      if (verdicts[i].kind == Verdict::Kind::Same)
        left.push_back(i);
    while (!left.empty() && !build()) {
    }
    for (int first = 0; !left.empty() && first >= 0;)
      first = runFrom(first);
  }

private:
  /// False where some programs do not compile: they are left out then.
  bool build() {
    writeSources();
    build::Request request;
    request.sources.files = {folder / "all.cu", folder / "others.cu"};
    // What is tried here is not the optimizer, and compiling takes a third of the time without it.
    request.sources.flags = options.compiler == build::Compiler::Nvcc
                                ? std::vector<std::string>{"-O0", "-std=c++17", "-w"}
                                : std::vector<std::string>{"-O0", "-w", "-ferror-limit=0"};
    request.compiler = options.compiler;
    request.output = folder / "all";
    Diagnostics diagnostics;
    build::Result result = build::build(request, diagnostics);
    if (result.ok)
      return true;
    blame(result.messages + (diagnostics.empty() ? "" : diagnostics.all().front().text));
    return false;
  }

  void writeSources() const {
    std::vector<std::string> includes = {"#include <cstdio>", "#include <cstdlib>", "#include <vector>"};
    std::string all, others, cases;
    for (size_t i : left) {
      const Program &program = programs[i];
      for (bool isNew : {false, true}) {
        const std::string name = fmt::format("p{}{}", i, isNew ? 'n' : 'o');
        std::ofstream(folder / (name + ".inc"))
            << forNamespace(isNew ? verdicts[i].emitted : program.mainText(), program.headerText(), includes);
        all += fmt::format(
            "namespace {0} {{\nvoid launch(unsigned *, const unsigned *);\n#include \"{0}.inc\"\n}}\n", name);
        if (!program.hasOther())
          continue;
        std::ofstream(folder / (name + ".other.inc"))
            << forNamespace(program.otherText(), program.headerText(), includes);
        others += fmt::format("namespace {0} {{\n#include \"{0}.other.inc\"\n}}\n", name);
      }
      cases += fmt::format("{{{0}, {{p{0}o::launch, p{0}n::launch}}}},\n", i);
    }
    std::string top;
    for (const std::string &include : includes)
      top += include + "\n";
    std::ofstream(folder / "others.cu") << top << others;
    std::string driver = comparison;
    driver.replace(driver.find('@'), 1, cases);
    driver.replace(driver.find("inputs = %") + 9, 1, std::to_string(Program::inputs));
    driver.replace(driver.find("outputs = %") + 10, 1, std::to_string(Program::outputs));
    std::ofstream(folder / "all.cu") << top << all << driver;
  }

  /// Takes the programs that the messages name out of the list; one that is not to be blamed alone is tried alone.
  void blame(const std::string &messages) {
    std::map<size_t, bool> named; // and whether the original is
    std::istringstream lines(messages);
    static const std::regex name("p([0-9]+)([on])(\\.other)?\\.inc|[^a-z]p([0-9]+)([on])::");
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if ((line.find("error") == std::string::npos && line.find("undefined") == std::string::npos) ||
          !std::regex_search(line, match, name))
        continue;
      const bool isFile = match[1].matched;
      const size_t number = std::stoul(match[isFile ? 1 : 4]);
      named[number] |= match[isFile ? 2 : 5] == "o";
    }
    std::erase_if(named, [&](const auto &each) {
      return std::find(left.begin(), left.end(), each.first) == left.end();
    });
    if (named.empty() && left.size() > 1) {
      // They cannot be distinguished: each by itself, which takes ten times as long.
      fmt::print(stderr, "{} programs cannot be built or loaded together:\n{}\n", left.size(),
                 messages.substr(0, 2000));
      const std::vector<size_t> all = left;
      for (size_t i : all) {
        left = {i};
        if (build())
          for (int first = 0; !left.empty() && first >= 0;)
            first = runFrom(first);
      }
      left.clear();
      return;
    }
    if (named.empty())
      named[left.front()] = false;
    for (const auto &[number, isOriginal] : named) {
      Verdict &verdict = verdicts[number];
      verdict.kind = isOriginal ? Verdict::Kind::Invalid : Verdict::Kind::Wrong;
      verdict.why = isOriginal ? "the original does not compile" : "does not compile";
      verdict.details = messagesAbout(fmt::format("p{}{}", number, isOriginal ? 'o' : 'n'), messages);
      std::erase(left, number);
    }
  }

  /// Runs the programs from this one on; the next to begin with, or -1.
  int runFrom(int first) {
    ProcessResult done =
        runProcess({(folder / "all").string(), std::to_string(first)}, {"HEDDLE_REGROUP=on"}, 300);
    std::istringstream lines(done.standardOutput);
    std::optional<size_t> open; ///< begun and not done
    int form = 0;
    for (std::string line; std::getline(lines, line);) {
      size_t number = 0;
      int consumed = 0;
      char word[16] = {};
      if (std::sscanf(line.c_str(), "%zu %15s %n", &number, word, &consumed) < 2 || number >= verdicts.size())
        continue;
      const std::string what = word, rest = line.substr(size_t(consumed));
      if (what == "begins") {
        open = number;
        form = std::atoi(rest.c_str());
      } else if (what == "differs") {
        verdicts[number].kind = Verdict::Kind::Wrong;
        verdicts[number].why = "differs";
        verdicts[number].details = rest;
      } else if (what == "done") {
        open.reset();
      }
    }
    if (done.exitCode == 0)
      return -1;
    if (!open) { // nothing has begun: the module cannot be loaded, for whomever's reason
      if (left.size() > 1)
        return blame(done.standardError), -1;
      open = left.front();
      form = 1;
    }
    Verdict &verdict = verdicts[*open];
    verdict.kind = form == 0 ? Verdict::Kind::Invalid : Verdict::Kind::Wrong;
    verdict.why = form == 0       ? "the original does not run"
                  : done.timedOut ? "the result does not come to an end"
                                  : "the result does not run";
    verdict.details =
        done.standardOutput.substr(done.standardOutput.size() > 300 ? done.standardOutput.size() - 300 : 0) +
        done.standardError.substr(0, 3000);
    return int(*open) + 1;
  }

  const std::vector<Program> &programs;
  std::vector<Verdict> &verdicts;
  const OracleOptions &options;
  const fs::path &folder;
  std::vector<size_t> left; ///< those that are compiled and run
};

} // namespace

void execute(const std::vector<Program> &programs, std::vector<Verdict> &verdicts,
             const OracleOptions &options) {
  TemporaryFolder folder;
  Execution(programs, verdicts, options, folder.path()).run();
}

std::vector<Verdict> evaluate(const std::vector<Program> &programs, const OracleOptions &options) {
  TemporaryFolder folder;
  std::vector<Verdict> verdicts = carryOutAll(programs, options, folder.path());
  if (options.executes)
    execute(programs, verdicts, options);
  return verdicts;
}

} // namespace heddle::generator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-replay: puts a captured launch in place and measures modules on it, one for a person or any number for a
// program that drives it (replay/Protocol.h).
#include "replay/Session.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

#ifndef HEDDLE_VERSION
#define HEDDLE_VERSION "of a captured launch"
#endif

using namespace heddle;
using namespace heddle::replay;

namespace {

enum ExitCode { Same = 0, Differs = 1, Usage = 2, CannotLoad = 3, Fault = 4 };

const char *const kHelp =
    R"(Replay a launch that `heddle capture` saved, with another module

Examples:
  heddle-replay FOLDER --cubin kernel.cubin             time and results of the launch with this module
  heddle-replay FOLDER --cubin kernel.ptx --driver build/lib/libheddle_cudart.so
                                                        the same on the simulator
  heddle-replay FOLDER --serve                          requests on standard input, replies as JSON on standard output

Usage: heddle-replay FOLDER [OPTIONS]

Options:
  --cubin FILE         a module: a cubin, a fatbin or PTX
  --kernel NAME        mangled name of its kernel (default: that of the capture)
  --grid X,Y,Z         instead of the captured grid
  --block X,Y,Z        instead of the captured block
  --shared BYTES       dynamic shared memory, instead of the captured size
  --rounds N           timed launches (default: 10)
  --warm-ups N         launches before these (default: 1)
  --seconds S          no further round after this time (default: 10)
  --flush-l2           empties the L2 cache before each round
  --differences FILE   writes what the kernel left behind in objects that differ
  --driver LIBRARY     the CUDA driver (default: libcuda.so.1)
  --copies MIB         device memory for copies of the captured memory; more is kept in host memory
                       (default: what is free)
  --host-time          on the simulator: the host's time in rounds as on a GPU, instead of instructions
  --version, --help

Exit code 0: results as captured; 1: results differ; 2: bad usage; 3: the capture or the module cannot be loaded;
4: the kernel failed.
)";

struct Options {
  std::string folder, driver;
  bool serves = false, hasModule = false, measuresHostTime = false;
  uint64_t copyBytes = ~uint64_t(0);
  Request request;
  bool hasGrid = false, hasBlock = false, hasShared = false, hasKernel = false;
};

[[noreturn]] void wrongUsage(const std::string &what) {
  std::fprintf(stderr, "heddle-replay: error: %s\nhint: heddle-replay --help\n", what.c_str());
  std::exit(Usage);
}

uint32_t numberOf(const std::string &option, const std::string &text) {
  char *end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || text[0] < '0' || text[0] > '9' || value > UINT32_MAX)
    wrongUsage(option + " is '" + text + "', not an integer");
  return uint32_t(value);
}

Dim dimensionsOf(const std::string &option, const std::string &text) {
  Dim dim{1, 1, 1};
  size_t at = 0;
  for (uint32_t &each : dim) {
    const size_t comma = std::min(text.find(',', at), text.size());
    each = numberOf(option, text.substr(at, comma - at));
    at = comma + 1;
    if (at > text.size())
      return dim;
  }
  wrongUsage(option + " is '" + text + "', not X,Y,Z");
}

Options parse(int count, char **words) {
  Options options;
  auto valueOf = [&](int &i) -> std::string {
    if (i + 1 == count)
      wrongUsage(std::string(words[i]) + " needs a value");
    return words[++i];
  };
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--help" || word == "-h") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    } else if (word == "--version") {
      std::puts("heddle-replay " HEDDLE_VERSION);
      std::exit(0);
    } else if (word == "--serve") {
      options.serves = true;
    } else if (word == "--driver") {
      options.driver = valueOf(i);
    } else if (word == "--cubin") {
      options.hasModule = true, options.request.module = valueOf(i);
    } else if (word == "--kernel") {
      options.hasKernel = true, options.request.kernel = valueOf(i);
    } else if (word == "--grid") {
      options.hasGrid = true, options.request.grid = dimensionsOf(word, valueOf(i));
    } else if (word == "--block") {
      options.hasBlock = true, options.request.block = dimensionsOf(word, valueOf(i));
    } else if (word == "--shared") {
      options.hasShared = true, options.request.sharedBytes = numberOf(word, valueOf(i));
    } else if (word == "--rounds") {
      options.request.rounds = numberOf(word, valueOf(i));
    } else if (word == "--warm-ups") {
      options.request.warmUps = numberOf(word, valueOf(i));
    } else if (word == "--seconds") {
      options.request.seconds = numberOf(word, valueOf(i));
    } else if (word == "--copies") {
      options.copyBytes = uint64_t(numberOf(word, valueOf(i))) << 20;
    } else if (word == "--host-time") {
      options.measuresHostTime = true;
    } else if (word == "--flush-l2") {
      options.request.flushesL2 = true;
    } else if (word == "--differences") {
      options.request.differencesFile = valueOf(i);
    } else if (word.size() > 1 && word[0] == '-') {
      wrongUsage("there is no option " + word);
    } else if (options.folder.empty()) {
      options.folder = word;
    } else {
      wrongUsage("there is one folder, and '" + word + "' is a second one");
    }
  }
  if (options.folder.empty())
    wrongUsage("the folder of a capture is missing");
  if (options.serves == options.hasModule)
    wrongUsage("one of --cubin and --serve is needed");
  return options;
}

/// What kernels print must not come between replies: they are written to what standard output was, and standard output
/// becomes `target`.
int takeOutput(int target) {
  std::fflush(stdout);
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(target, STDOUT_FILENO);
  return kept;
}

/// False where nobody reads any more.
bool writeLine(int file, std::string line) {
  line += '\n';
  for (size_t at = 0; at < line.size();) {
    const ssize_t wrote = write(file, line.data() + at, line.size() - at);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return false;
    at += size_t(wrote);
  }
  return true;
}

std::string readyLine(const Session &session, double seconds) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                ",\"regions\":%zu,\"variables\":%zu,\"bytes\":%llu,\"seconds\":%.3f}",
                session.manifest().regions.size(), session.manifest().variables.size(),
                (unsigned long long)session.bytes(), seconds);
  return "{\"event\":\"ready\",\"device\":" + jsonQuoted(session.device().deviceName()) +
         ",\"arch\":" + jsonQuoted(session.device().arch()) + ",\"unit\":\"" +
         (session.device().measuresTime() ? "microseconds" : "instructions") + "\"" + numbers;
}

/// Ends the process as soon as nobody reads its replies, also while a kernel runs that never ends: whoever started this
/// one may be gone without a word.
void endWithReader(int out) {
  std::thread([out] {
    pollfd reader = {out, 0, 0};
    while (poll(&reader, 1, -1) < 0 && errno == EINTR)
      ;
    if (reader.revents & (POLLERR | POLLHUP))
      _exit(Same);
  }).detach();
}

/// The identifier of a request that cannot be read, so that its sender gets an answer.
std::string identifierOf(const std::string &line) {
  const size_t begin = line.find_first_not_of(' ', line.find(' '));
  return begin == std::string::npos ? "" : line.substr(begin, line.find(' ', begin) - begin);
}

int serve(Session &session, int out, double seconds) {
  if (!writeLine(out, readyLine(session, seconds)))
    return Same;
  endWithReader(out);
  for (std::string line; std::getline(std::cin, line);) {
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    if (line.empty())
      continue;
    const std::string command = line.substr(0, line.find(' '));
    if (command == "quit")
      break;
    Measurement result;
    std::string id = identifierOf(line);
    if (command != "measure") {
      if (!writeLine(out, errorLine("'" + command + "' is not a request: measure or quit")))
        break;
      continue;
    }
    if (std::optional<Request> request = parseMeasure(line, result.text))
      result = session.measure(*request);
    if (!writeLine(out, resultLine(id, result, session.device().measuresTime())))
      break;
    if (result.isFatal)
      return Fault;
  }
  return Same;
}

double quantile(const std::vector<double> &sorted, double part) {
  return sorted[std::min(sorted.size() - 1, size_t(part * double(sorted.size())))];
}

int measureOnce(Session &session, Options &options, int out) {
  const Request captured = session.capturedLaunch();
  Request &request = options.request;
  request.cluster = captured.cluster;
  request.isCooperative = captured.isCooperative;
  if (!options.hasKernel)
    request.kernel = captured.kernel;
  if (!options.hasGrid)
    request.grid = captured.grid;
  if (!options.hasBlock)
    request.block = captured.block;
  if (!options.hasShared)
    request.sharedBytes = captured.sharedBytes;
  Measurement result = session.measure(request);
  const capture::Manifest &manifest = session.manifest();
  char text[512];
  std::snprintf(text, sizeof text,
                "launch   grid %u,%u,%u  block %u,%u,%u  %u bytes of dynamic shared memory\n"
                "memory   %zu region%s and %zu variable%s, %llu bytes",
                request.grid[0], request.grid[1], request.grid[2], request.block[0], request.block[1],
                request.block[2], request.sharedBytes, manifest.regions.size(),
                manifest.regions.size() == 1 ? "" : "s", manifest.variables.size(),
                manifest.variables.size() == 1 ? "" : "s", (unsigned long long)session.bytes());
  writeLine(out, "kernel   " + (manifest.name.empty() ? request.kernel : manifest.name));
  writeLine(out, text);
  writeLine(out, "device   " + session.device().deviceName() + " (" + session.device().arch() + ")");
  if (result.status == Status::Failed) {
    std::fprintf(stderr, "heddle-replay: error: %s\n", result.text.c_str());
    return result.isLaunched ? Fault : CannotLoad;
  }
  std::snprintf(
      text, sizeof text,
      "needs    %d registers per thread, %d bytes of local and %d of shared memory, occupancy %.0f %%",
      result.registers, result.localBytes, result.sharedBytes, result.occupancy);
  writeLine(out, text);
  std::sort(result.times.begin(), result.times.end());
  if (!session.device().measuresTime())
    std::snprintf(text, sizeof text, "work     %.0f warp instructions (the simulator does not measure time)",
                  result.times[0]);
  else
    std::snprintf(text, sizeof text, "time     %.2f us (median of %zu rounds; quartiles %.2f and %.2f us)",
                  quantile(result.times, 0.5), result.times.size(), quantile(result.times, 0.25),
                  quantile(result.times, 0.75));
  if (!result.times.empty())
    writeLine(out, text);
  writeLine(out, result.status == Status::Same ? "results  as captured, bit by bit"
                                               : "results  differ: " + result.text);
  return result.status == Status::Same ? Same : Differs;
}

} // namespace

int main(int count, char **words) {
  Options options = parse(count, words);
  std::signal(SIGPIPE, SIG_IGN); // a reader that is gone is seen by write
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int out = takeOutput(options.serves && nowhere >= 0 ? nowhere : STDERR_FILENO);
  try {
    const auto start = std::chrono::steady_clock::now();
    // Never destroyed: giving gigabytes back piece by piece takes longer than to end.
    static auto *const session = new Session(options.folder, options.driver, options.copyBytes);
    if (options.measuresHostTime)
      session->measureTime();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return options.serves ? serve(*session, out, seconds) : measureOnce(*session, options, out);
  } catch (const std::exception &error) {
    if (options.serves)
      writeLine(out, errorLine(error.what()));
    else
      std::fprintf(stderr, "heddle-replay: error: %s\n", error.what());
    return CannotLoad;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Execute.h"

#include "support/Interrupts.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::build {
namespace {

[[noreturn]] void become(const std::vector<std::string> &command, const std::vector<std::string> &environment,
                         int outputPipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  if (outputPipe >= 0)
    dup2(outputPipe, STDOUT_FILENO);
  for (const std::string &entry : environment)
    putenv(const_cast<char *>(entry.c_str()));
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

std::string readAll(int descriptor) {
  std::string text;
  char buffer[1 << 16];
  while (true) {
    ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return text;
    text.append(buffer, size_t(n));
  }
}

} // namespace

Execution execute(const std::vector<std::string> &command, const std::vector<std::string> &environment,
                  Output output) {
  Execution result;
  int ends[2] = {-1, -1};
  if (output == Output::Captured && pipe2(ends, O_CLOEXEC) != 0)
    return result;
  auto start = std::chrono::steady_clock::now();
  const pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0)
    become(command, environment, ends[1], parent);
  if (ends[1] >= 0)
    close(ends[1]);
  if (child < 0)
    return result;
  // ^C goes to the program as well as to us. One that the user sees decides what to do, and we stay to clean
  // up after it; one that a verb runs for itself ends with the verb.
  RunningChild running(child,
                       output == Output::Shown ? RunningChild::Kind::User : RunningChild::Kind::Process);
  if (ends[0] >= 0) {
    result.output = readAll(ends[0]);
    close(ends[0]);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  result.started = true;
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

bool hasGpu() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return false;
  auto *init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto *count = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  return init && count && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

} // namespace heddle::build

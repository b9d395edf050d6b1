// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-replay --serve as a child, on the simulator.
#pragma once

#include "TestPaths.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace heddle::replay::test {

inline const std::string kProgram = HEDDLE_BUILD_DIR "/heddle-replay";
inline const std::string kSimulator = HEDDLE_BUILD_DIR "/lib/libheddle_cudart.so";

class Worker {
public:
  explicit Worker(const std::filesystem::path &folder,
                  std::vector<std::string> more = {"--driver", kSimulator},
                  std::vector<std::string> environment = {}) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
      throw std::runtime_error("pipe");
    std::vector<std::string> words = {kProgram, folder.string(), "--serve"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char *> pointers;
    for (std::string &word : words)
      pointers.push_back(word.data());
    pointers.push_back(nullptr);
    process = fork();
    if (process == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      for (std::string &variable : environment)
        putenv(variable.data());
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    close(in[0]), close(out[1]);
    input = in[1];
    output = fdopen(out[0], "r");
  }
  ~Worker() {
    if (process > 0)
      kill(SIGKILL), wait();
    closeInput();
    closeOutput();
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  void send(const std::string &line) {
    const std::string text = line + '\n';
    EXPECT_EQ(::write(input, text.data(), text.size()), ssize_t(text.size()));
  }
  /// To one that may have ended already.
  void offer(const std::string &line) {
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const std::string text = line + '\n';
    if (::write(input, text.data(), text.size()) < 0)
      EXPECT_EQ(errno, EPIPE);
    std::signal(SIGPIPE, before);
  }
  /// The next reply; null where there is none any more.
  nlohmann::json receive() {
    std::string line;
    for (int c; (c = std::fgetc(output)) != EOF && c != '\n';)
      line += char(c);
    return line.empty() ? nlohmann::json() : nlohmann::json::parse(line);
  }
  nlohmann::json ask(const std::string &line) {
    send(line);
    return receive();
  }

  void kill(int signal) { ::kill(process, signal); }
  void closeInput() {
    if (input >= 0)
      close(input);
    input = -1;
  }
  void closeOutput() {
    if (output)
      std::fclose(output);
    output = nullptr;
  }
  /// The exit code, or minus the signal.
  int wait() {
    int status = 0;
    waitpid(process, &status, 0);
    process = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

private:
  pid_t process = 0;
  int input = -1;
  FILE *output = nullptr;
};

} // namespace heddle::replay::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A program that is spoken with in lines: what we say is its standard input, what it says is its standard output. Its standard
/// error leads to nowhere. It is killed with its process group when this goes.
class Conversation {
public:
  /// `environment`: "NAME=value", in front of ours. A program that cannot be started has ended.
  explicit Conversation(const std::vector<std::string> &command,
                        const std::vector<std::string> &environment = {});
  ~Conversation();
  Conversation(const Conversation &) = delete;
  Conversation &operator=(const Conversation &) = delete;

  /// False where it does not listen any more.
  bool say(const std::string &line);
  /// The next line; nothing where none came within that time, or will come: see hasEnded().
  std::optional<std::string> hear(double seconds);
  /// It has closed its output.
  bool hasEnded() const;
  /// How it ended, for a person: "ended with 4", "was ended by signal 11 (...)". Waits for it, and kills it where it does not end.
  std::string howItEnded();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace heddle

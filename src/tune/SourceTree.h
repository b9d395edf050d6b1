// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Problem.h"

#include <set>

namespace heddle::tune {

/// The files that a program is made of, copied into a folder in such a way that every #include still finds
/// what it found before.
///
/// Headers may be named from the file's own folder ("../common/x.h") and from each folder of -I. Each of
/// these becomes a tree of its own with some empty folders above it, so that ".." stays inside.
class SourceTree {
public:
  SourceTree(const Problem &problem, std::filesystem::path folder);

  /// Copies what `text`, a form of the problem's file, includes. Follows #include "..." and <...> as far as
  /// they lead to files beside the program or in folders of -I. False, with error(), where a file cannot be
  /// copied.
  bool addIncludesOf(const std::string &text);
  /// Copies the further files of the program, with what they include.
  bool addFurther();

  /// The problem's flags with folders of the copy in the place of the user's; relative to the folder.
  const std::vector<std::string> &flags() const { return newFlags; }
  /// The further files there.
  const std::vector<std::string> &further() const { return newFurther; }
  const std::string &error() const { return problemWithFiles; }

private:
  struct Root {
    std::filesystem::path from; ///< the user's folder
    std::string to;             ///< relative to ours
  };
  const Root &rootOf(const std::filesystem::path &userFolder);
  bool follow(const std::string &text, const Root &root, const std::filesystem::path &beside);
  bool find(const std::string &name, bool quoted, const Root &root, const std::filesystem::path &beside);
  bool copy(const std::filesystem::path &file, const Root &root, std::string &target);

  const Problem &problem;
  std::filesystem::path folder;
  std::vector<Root> roots; ///< the first is that of the problem's file; then those of -I, in order
  std::set<std::string> seen;
  std::vector<std::string> newFlags, newFurther;
  std::string problemWithFiles;
};

} // namespace heddle::tune

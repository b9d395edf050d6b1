// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What heddle opt was asked for, by one file or by several.
#pragma once

#include "SourceOptions.h"
#include "source/ProgramFiles.h"
#include "transform/Pipeline.h"

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::verify {
struct EmittedFile;
}

namespace heddle::cli {

struct Session;

struct OptRequest {
  std::vector<std::string> files; ///< as given
  std::string file;               ///< the only one; empty for a program of several
  std::string output, outputFolder, kernel, block, compiler = "auto", dependencyFile;
  std::vector<std::string> directives, further, assumptions;
  bool verify = false, remarks = false, unchecked = false, inPlace = false;
  bool isFormerReport = false; ///< --report, the former name of --remarks, is given
  double timeoutSeconds = 0;
  std::string printAfter, runtime = "embed", includes = "rewrite";
  bool timePasses = false;
  SourceOptions source;
  std::map<std::filesystem::path, std::vector<std::string>> ownFlags; ///< of `further`
};

/// Remarks are for those who ask; everything else is always printed, and so is why a directive changed nothing.
void printMessages(const Diagnostics &diagnostics, const transform::Outcome &outcome, bool remarks,
                   bool colour);

/// The exit code of what became of a file or a program, before it is checked. An error among the messages is a directive or a name
/// that means nothing; a directive that would break the program is refused.
int exitCodeOf(const transform::Outcome &outcome, const Diagnostics &diagnostics);

/// Checks what is to be written and prints the findings. 0 where it may be written, else the exit code.
int checkAndShow(const verify::EmittedFile &emitted, const OptRequest &request, const Session &session);

/// --depfile: the outputs are to be made again when one of the files changes.
void writeDependencies(const OptRequest &request, const std::vector<std::string> &outputs,
                       const std::set<std::filesystem::path> &files, Session &session);

/// opt FILE... --output-dir DIR: transforms a program as a whole, checks it, and writes its files to the folder.
class OptProgram {
public:
  OptProgram(OptRequest &request, Session &session) : request(request), session(session) {}

  /// Whether the files can be read and written as asked. Complains where not.
  bool prepare();
  /// `options` without those of the compiler. `report` is called before the messages are printed.
  void run(const std::vector<transform::Directive> &directives, const transform::Options &options,
           Diagnostics &diagnostics, const std::function<void()> &report);

private:
  OptRequest &request;
  Session &session;
  std::vector<source::ProgramFile> units;
};

} // namespace heddle::cli

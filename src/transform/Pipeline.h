// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/MappedText.h"
#include "transform/Context.h"

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace heddle::transform {

class JoinedText;

/// What became of a file.
struct Outcome {
  enum class Kind {
    Done,
    Refused,  ///< a directive would break the program, or does not fit it: see the diagnostics
    Unusable, ///< the file cannot be read, or does not compile: see `compilerMessages`
  } kind = Kind::Refused;
  std::string text;                        ///< Done: the new file
  std::vector<source::LineOrigin> origins; ///< Done: where each line of `text` comes from
  std::string compilerMessages;            ///< Unusable: Clang's own
  bool isReadable = true;                  ///< Unusable: false where there is nothing to read
  bool hasDirectives = false;              ///< the file, its headers or the caller gave some
  /// Directives that changed nothing about a kernel, and why: those of the messages that everybody should
  /// see.
  Diagnostics leftUnchanged;
  /// The kernels of the file that no directive edited, by their plain names: "ns::scan".
  std::set<std::string> untouchedKernels;
  /// Those that directives edited; some may be in included files.
  std::set<std::string> editedKernels;
  /// Done, of a program of several files: the new text of each of them and of each header that directives reached into, by
  /// their paths. The headers among them need not have changed.
  std::map<std::filesystem::path, std::string> files;
};

/// Carries out the directives that are in the file as `#pragma heddle`, from top to bottom, and then
/// `further` in the order given; each works on what the one before it left. The first refusal ends it, unless
/// Options::leavesRefusedOut.
Outcome applyDirectives(const std::filesystem::path &file, const std::vector<Directive> &further,
                        const Options &options, Diagnostics &diagnostics);
/// The same for text; `file` is what messages call it and where its #include "..." are looked for.
Outcome applyDirectives(const std::filesystem::path &file, std::string text,
                        const std::vector<Directive> &further, const Options &options,
                        Diagnostics &diagnostics);

/// The same for the text that a program was read from, which is not parsed again before the first change.
Outcome applyDirectives(std::shared_ptr<const source::Program> program, std::string text,
                        const std::vector<Directive> &further, const Options &options,
                        Diagnostics &diagnostics);

/// The same for several files as one text.
Outcome applyDirectives(JoinedText &files, const std::vector<Directive> &further, const Options &options,
                        Diagnostics &diagnostics);

/// One pass of a directive by itself, on text as the passes before it leave it.
Outcome applyStage(const std::filesystem::path &file, std::string text, const Directive &directive,
                   Transform pass, const Options &options, Diagnostics &diagnostics);

} // namespace heddle::transform

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/MappedText.h"
#include "support/Diagnostics.h"

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace heddle::source {
class Program;
}

namespace heddle::transform {

/// A file's text with an included file in the place of its #include: what is emitted is one file, which can
/// be read and compiled by itself, and the included file is not changed for those who also use it.
///
///     #include "kernel.h"      =>      // -- kernel.h, in place of its #include --
///                                      __global__ void scale(float *a) { ... }
///                                      // -- end of kernel.h --
///
/// `#pragma once` goes, and so do other lines that include the same file for nothing; the #include "..." of the inner file are
/// written as seen from the outer one's folder.
struct Embedded {
  unsigned line = 0;             ///< of the #include
  source::InsertedFile inside;   ///< to be in its place
  std::vector<unsigned> removed; ///< other lines, in order
};

/// The #include of the program's file through which an inner file is read, and what it reads (the inner file itself, or
/// one that leads to it).
struct FoundInclude {
  unsigned line = 0;
  std::filesystem::path file;
  std::string given; ///< its text
};

/// A refusal where there is no such line, or several. `text` is what the program was read from.
std::variant<FoundInclude, Diagnostic> findInclude(const source::Program &program, const std::string &text,
                                                   const std::filesystem::path &inner);

/// What takes the place of the #include of the program's file through which `inner` is read (itself, or one
/// that leads to it, or one that must be in its place before). `text` is what the program was read from. A refusal where there is no such line, or several.
std::variant<Embedded, Diagnostic> embedInclude(const source::Program &program, const std::string &text,
                                                const std::filesystem::path &inner);

/// The text with that done, line by line.
void putInPlace(const Embedded &embedded, source::MappedText &text);

/// Files of the user's, included by the program's file, that hold a `#pragma heddle`.
std::vector<std::filesystem::path> includedFilesWithPragma(const source::Program &program);

} // namespace heddle::transform

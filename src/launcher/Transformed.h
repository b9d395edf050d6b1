// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launcher/Messages.h"
#include "transform/Directive.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::launcher {

/// What a file is transformed with.
struct Work {
  std::string file;                             ///< as the command line names it
  std::vector<std::string> flags;               ///< CompilerCommand::parseFlags
  std::string arch;                             ///< the oldest that it is compiled for
  std::vector<transform::Directive> directives; ///< from outside the file
  std::vector<std::string> assumptions;         ///< as of `heddle opt --assume`
};

/// What becomes of it.
struct Transformed {
  /// The new text, with `#line`; nothing where the file is to be compiled as it is.
  std::optional<std::string> text;
  std::vector<std::string> embedded; ///< files whose text is in place of their #include
  std::vector<Message> messages;
};

/// Carries out the directives in the file, in the headers that it includes, and those of the work, as `heddle opt` does, with the
/// same static check. A directive that is refused is left out with a warning; a text that fails the check is not used.
Transformed transformed(const Work &work);

} // namespace heddle::launcher

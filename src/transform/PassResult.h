// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Render.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace heddle::transform {

/// What comes of carrying a pass out on one kernel. Why it was refused or changed nothing, and what else there is to say, is
/// among the context's messages; the text changes by nothing but what is returned here.

/// The pass is done.
struct Edited {
  source::Edits edits = {};
  /// For the passes after it: the block that the kernel is launched with from now on, whatever --block said.
  std::optional<std::array<int64_t, 3>> block = {};
  /// A directive to be carried out on the kernel now; empty for none.
  std::string next = {};
};

/// The kernel is not changed.
struct Unchanged {
  explicit Unchanged(bool callsOffDirective = false) : callsOffDirective(callsOffDirective) {}
  /// For directives of several passes: as it was before the first of them.
  bool callsOffDirective;
};

/// The pass would break the kernel, or does not fit it.
struct Refused {};

/// The kernel must be given another form first, in which it does the same (a normalization). That is made, the text is read
/// again, and the pass starts again.
struct Needs {
  /// The kernel is in an included file, whose text must take the place of its #include.
  struct InPlaceOfInclude {
    std::filesystem::path file;
  };
  std::string_view normalization; ///< its name, for --print-after and --time-passes
  std::variant<source::Edits, source::ChangedText, InPlaceOfInclude> change;
};

using PassResult = std::variant<Edited, Unchanged, Refused, Needs>;

/// A normalization by edits; nothing where there are none, so that the kernel has that form already.
inline std::optional<Needs> neededEdits(std::string_view normalization, source::Edits edits) {
  return edits.empty() ? std::nullopt : std::optional(Needs{normalization, std::move(edits)});
}

} // namespace heddle::transform

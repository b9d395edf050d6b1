// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a message names the directive that it comes from: the settings, where there are any, in front, and the name
// in brackets at the end, where editors and log filters look for a rule.
//
//     error: coarsen x=5: the block of this launch is 16 in x, which is not divisible by 5 [coarsen]
//     error: the block that it is launched with is not known [specialize]
#pragma once

#include "transform/Directive.h"

#include <functional>
#include <string>
#include <string_view>

namespace heddle::transform {

/// The text of a message of this directive.
std::string messageOf(const Directive &directive, std::string_view what);

/// Adds messages to others, with places as `location` gives them.
void addMessages(const Diagnostics &messages, Diagnostics &to,
                 const std::function<SourceLocation(const SourceLocation &)> &location = std::identity());

/// The same, with the line numbers in the words of messages too (`at line 8`, `in lines 8 and 9`; in hints and notes also `line=8`):
/// `line` gives those of messages whose own location `isChanged`. Words that are about the text as it was given have `on line 8`.
void addMessages(const Diagnostics &messages, Diagnostics &to,
                 const std::function<SourceLocation(const SourceLocation &)> &location,
                 const std::function<bool(const SourceLocation &)> &isChanged,
                 const std::function<unsigned(unsigned)> &line);

/// Such a text without the name at its end: for lists that name the directive themselves.
std::string withoutRule(std::string_view text);

/// Such a text without anything that names the directive.
std::string withoutDirective(const Directive &directive, std::string_view text);

} // namespace heddle::transform

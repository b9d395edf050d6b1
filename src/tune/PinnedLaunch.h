// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Program.h"
#include "tune/ReplayLaunch.h"

#include <set>
#include <string>
#include <string_view>
#include <variant>

namespace heddle::tune {

/// Why a launch cannot be replayed without the program around it, for a person.
struct NotReplayed {
  std::string reason;
  std::filesystem::path
      included; ///< launches are in this file only: with its text in the program's, they can be pinned
};

/// The text in which every launch of a kernel has the shape of the captured one, as numbers in the place of the program's own
/// expressions; `launch.kernel` is the mangled name.
///
///     scale<<<(n + 255) / 256, threads>>>(a, n)    =>    scale<<<4096, 256>>>(a, n)
///
/// Directives change launches together with the kernel. In this text what they make of them is known without running the
/// program: how grid, block and shared memory follow from the original launch is data, and cannot disagree with the text that
/// users get. The text is for making device code; its host code is never run.
std::variant<std::string, NotReplayed> withPinnedLaunch(const source::Program &program,
                                                        const ReplayLaunch &launch);

/// What a captured kernel is called in the source, which directives keep.
struct CapturedName {
  std::string plain;       ///< without template arguments
  std::string whole;       ///< with them: which instantiation it is
  std::string launch = {}; ///< where the program launches it: "scale.cu:20"; directives move lines
};

/// How such a text launches the kernel after directives were carried out: of a template the instantiation that was captured, also
/// where its mangled name is another one now.
std::variant<ReplayLaunch, NotReplayed> launchIn(const source::Program &program, const CapturedName &name,
                                                 const ReplayLaunch &captured);

/// What device code calls the kernel that Clang gives this mangled name; that name where the code has no such kernel.
std::string nameInModule(const std::string &mangled, std::string_view ptx);

/// Where the program launches a kernel first: "scale.cu:20"; empty where that is not known.
std::string firstLaunchOf(const source::Program &program, const std::string &mangled);

/// The launch after block sizes ("x=128 y=2") were changed in the text of `program`: the block that the text has now, where all
/// launches of the kernel have the same known one (a constant may size several axes), else these sizes. The grid is the captured one where the
/// program does not compute it from the constants that were changed (GridDependence.h). Where it does, it is the grid that the text has now, if that is
/// known, else one of as many threads in all along each axis. Not replayed where it is not known which of the two holds.
std::variant<ReplayLaunch, NotReplayed> withBlockSizes(const source::Program &program, ReplayLaunch launch,
                                                       const std::string &sizes);

/// The launch in `program`, which was read with other definitions of the macros `names`: where grid, block or dynamic shared
/// memory are computed from one of them, as the text has them now. Not replayed where that is not known.
std::variant<ReplayLaunch, NotReplayed> withDefinitions(const source::Program &program, ReplayLaunch launch,
                                                        const std::set<std::string> &names);

} // namespace heddle::tune

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"
#include "source/Render.h"
#include "transform/Context.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::transform {

// What transforms need that give a kernel a parameter of their own in front of its others.

/// The template that an instantiation comes from; a plain function itself.
const clang::FunctionDecl *patternOf(const clang::FunctionDecl *function);

/// "<T, n>", or nothing where the function is no template's.
std::string templateArgumentsOf(const clang::FunctionDecl *function);

/// The kernel and the functions of the user's that it calls, directly or not.
std::vector<const clang::FunctionDecl *> functionsOf(const Kernel &kernel);

/// `wanted`, or with a number after it where the kernel or something that it calls mentions that name.
std::string nameFreeIn(const Kernel &kernel, const std::string &wanted);

/// A parameter in front of the others; on a line of its own with them where the line would grow too long by
/// it and by `more`.
std::optional<Replacement> inFrontOfParameters(const Kernel &kernel, const std::string &more,
                                               const std::string &parameter);

/// The same for the types in declarations of the target ahead of its definition.
void giveDeclarations(Context &context, const std::string &type);

/// False, with a refusal, where the kernel's head cannot change by itself: it is an explicit specialization of a template,
/// or another kernel has its name, so that the name alone does not identify it at a launch.
bool mayBeGivenParameter(Context &context, const Kernel &kernel);

} // namespace heddle::transform

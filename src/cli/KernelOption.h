// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -k NAME: one rule for every verb (support/KernelPattern.h), one help text, and one message where nothing has that name.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace heddle::cli {

struct Session;

/// `help` says what the kernel is for, as in "only this kernel (default: all)".
CLI::Option *addKernelOption(CLI::App &verb, std::string &kernel, const std::string &help);

/// A program that ran and launched no kernel that `wanted` names, or none at all. `launched` are mangled names.
void complainOfNoLaunch(const std::string &wanted, const std::map<std::string, uint64_t> &launched,
                        Session &session);

} // namespace heddle::cli

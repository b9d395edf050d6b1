// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelOption.h"

#include "Verbs.h"
#include "support/Demangle.h"
#include "support/ExitCode.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <vector>

namespace heddle::cli {
namespace {

/// "scale (5 launches) and add<float> (1 launch)".
std::string launchedKernels(const std::map<std::string, uint64_t> &launches) {
  std::vector<std::string> words;
  for (const auto &[kernel, count] : launches)
    words.push_back(fmt::format("{} ({})", functionName(kernel), counted(count, "launch", "launches")));
  return joinAnd(words);
}

} // namespace

CLI::Option *addKernelOption(CLI::App &verb, std::string &kernel, const std::string &help) {
  return verb
      .add_option("-k,--kernel", kernel,
                  help +
                      "; a plain, demangled or mangled name: namespaces, template arguments and parameters "
                      "may be omitted")
      ->type_name("NAME");
}

void complainOfNoLaunch(const std::string &wanted, const std::map<std::string, uint64_t> &launched,
                        Session &session) {
  const std::string kernel = wanted.empty() ? "kernel" : fmt::format("kernel '{}'", wanted);
  complain(session, fmt::format("the program launched no {}", kernel),
           launched.empty() ? "" : fmt::format("it launched {}", launchedKernels(launched)),
           launched.empty() ? ExitRefused : ExitBadUsage);
}

} // namespace heddle::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Unsupported.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <regex>

namespace heddle::build {
namespace {

/// Spellings of one wish: device code of several files in one link step.
constexpr std::array kDeviceLinking = {
    "-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c", "-dlink", "--device-link",
    "-fgpu-rdc"};
constexpr std::array kDeviceLinkingWithValue = {"-rdc", "--relocatable-device-code"};

template <class Words> bool oneOf(const Words &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Driver calls begin with "cu" and a capital, its types with "CU"; cuBLAS and its kin go on in lower case.
std::vector<std::string> driverNames(const std::string &messages) {
  static const std::regex missing(
      R"((undefined (reference to|symbol:)|undeclared identifier|unknown type name) ?[`']?(cu[A-Z]\w*|CU[a-z]\w*))");
  std::vector<std::string> names;
  for (std::sregex_iterator it(messages.begin(), messages.end(), missing), end; it != end; ++it)
    if (std::string name = (*it)[3]; !oneOf(names, name))
      names.push_back(std::move(name));
  return names;
}

} // namespace

bool flagsAreSupported(const std::vector<std::string> &flags, Diagnostics &diagnostics) {
  for (size_t i = 0; i < flags.size(); ++i) {
    bool asks = oneOf(kDeviceLinking, flags[i]) ||
                (oneOf(kDeviceLinkingWithValue, flags[i]) && i + 1 < flags.size() && flags[i + 1] == "true");
    if (!asks)
      continue;
    diagnostics
        .error({},
               fmt::format("'{}' is not supported: device code is not linked across files here", flags[i]))
        .withHint(
            "leave the flag out, and define device functions and variables in the file that uses them or in "
            "a header; one .cu that includes the others will often do");
    return false;
  }
  return true;
}

void explainFailure(const std::string &messages, Diagnostics &diagnostics) {
  constexpr size_t Enough = 4;
  std::vector<std::string> names = driverNames(messages);
  if (names.empty())
    return;
  bool more = names.size() > Enough;
  names.resize(std::min(names.size(), Enough));
  diagnostics
      .error({}, fmt::format("the program uses the CUDA driver API ({}{}), which the machine does not have",
                             fmt::join(names, ", "), more ? ", ..." : ""))
      .withHint("the runtime API (cudaMalloc, <<<>>>, ...) works; a program that needs the driver needs "
                "--device gpu");
}

} // namespace heddle::build

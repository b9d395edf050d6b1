// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/NvccOptions.h"

#include <algorithm>
#include <string_view>

namespace heddle::source {
namespace {

/// How nvcc takes an option's value. nvcc spells each option with one dash or two.
enum class Value {
  None,
  Apart,   ///< `-arch sm_90` or `-arch=sm_90`
  Maybe,   ///< only `=value`, or none
  Forwards ///< as Apart; the value is a list of the host compiler's options
};

struct Option {
  std::string_view name; ///< without dashes
  Value value;
  const char *clang = nullptr; ///< what Clang calls it; null where a parser needs nothing
};

constexpr Option options[] = {
    // what the language is
    {"extended-lambda", Value::None},
    {"expt-extended-lambda", Value::None},
    {"expt-relaxed-constexpr", Value::None},
    {"use_fast_math", Value::None, "-ffast-math"},
    {"rdc", Value::Apart, "-fgpu-rdc"},
    {"relocatable-device-code", Value::Apart, "-fgpu-rdc"},
    {"dc", Value::None, "-fgpu-rdc"},
    {"device-c", Value::None, "-fgpu-rdc"},
    {"x", Value::Apart},
    {"default-stream", Value::Apart},
    // for whom
    {"gencode", Value::Apart},
    {"generate-code", Value::Apart},
    {"arch", Value::Apart},
    {"gpu-architecture", Value::Apart},
    {"code", Value::Apart},
    {"gpu-code", Value::Apart},
    {"m64", Value::None},
    {"simulator", Value::Apart},
    {"arch-list", Value::Apart},
    // how code is made
    {"lineinfo", Value::None},
    {"generate-line-info", Value::None},
    {"device-debug", Value::None},
    {"G", Value::None},
    {"dopt", Value::Apart},
    {"maxrregcount", Value::Apart},
    {"ftz", Value::Apart},
    {"prec-div", Value::Apart},
    {"prec-sqrt", Value::Apart},
    {"fmad", Value::Apart},
    {"extra-device-vectorization", Value::None},
    {"dlto", Value::None},
    {"split-compile", Value::Apart},
    {"restrict", Value::None},
    {"source-in-ptx", Value::None},
    {"src-in-ptx", Value::None},
    {"res-usage", Value::None},
    {"resource-usage", Value::None},
    {"Ofast-compile", Value::Apart},
    // for other programs
    {"Xcompiler", Value::Forwards},
    {"compiler-options", Value::Forwards},
    {"Xptxas", Value::Apart},
    {"ptxas-options", Value::Apart},
    {"Xcudafe", Value::Apart},
    {"Xfatbin", Value::Apart},
    {"fatbin-options", Value::Apart},
    {"Xlinker", Value::Apart},
    {"linker-options", Value::Apart},
    {"Xarchive", Value::Apart},
    {"Xnvlink", Value::Apart},
    {"nvlink-options", Value::Apart},
    {"ccbin", Value::Apart},
    {"compiler-bindir", Value::Apart},
    {"allow-unsupported-compiler", Value::None},
    {"forward-unknown-to-host-compiler", Value::None},
    {"forward-unknown-to-host-linker", Value::None},
    {"cudart", Value::Apart},
    {"cudadevrt", Value::Apart},
    // what comes out
    {"c", Value::None},
    {"compile", Value::None},
    {"o", Value::Apart},
    {"output-file", Value::Apart},
    {"dlink", Value::None},
    {"device-link", Value::None},
    {"ptx", Value::None},
    {"cubin", Value::None},
    {"fatbin", Value::None},
    {"cuda", Value::None},
    {"keep", Value::None},
    {"keep-dir", Value::Apart},
    {"MD", Value::None},
    {"MMD", Value::None},
    {"MP", Value::None},
    {"MF", Value::Apart},
    {"MT", Value::Apart},
    {"MQ", Value::Apart},
    {"threads", Value::Apart},
    {"t", Value::Apart},
    {"time", Value::Apart},
    {"objdir-as-tempdir", Value::None},
    // what is said
    {"disable-warnings", Value::None},
    {"Wno-deprecated-gpu-targets", Value::None},
    {"diag-suppress", Value::Apart},
    {"diag-warn", Value::Apart},
    {"diag-error", Value::Apart},
    {"display-error-number", Value::None},
    {"no-display-error-number", Value::None},
    {"Werror", Value::Maybe},
};

/// The option with its dashes and `=value` taken off.
struct Word {
  std::string_view name;
  bool hasValue = false;
  std::string_view value;
};

Word dissected(std::string_view argument) {
  argument.remove_prefix(std::min(argument.find_first_not_of('-'), std::min<size_t>(argument.size(), 2)));
  size_t equals = argument.find('=');
  if (equals == argument.npos)
    return {argument};
  return {argument.substr(0, equals), true, argument.substr(equals + 1)};
}

const Option *known(const std::string &argument) {
  if (argument.size() < 2 || argument[0] != '-')
    return nullptr;
  Word word = dissected(argument);
  auto found = std::find_if(std::begin(options), std::end(options),
                            [&](const Option &o) { return o.name == word.name; });
  return found == std::end(options) || (word.hasValue && found->value == Value::None) ? nullptr : found;
}

/// Keeps of the host compiler's options what changes the text or its language.
void forward(std::string_view list, std::vector<std::string> &result) {
  while (!list.empty()) {
    std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    for (std::string_view prefix : {"-D", "-U", "-I", "-std="})
      if (one.starts_with(prefix) && one.size() > prefix.size())
        result.emplace_back(one);
  }
}

} // namespace

std::vector<std::string> inClangsWords(const std::vector<std::string> &arguments) {
  std::vector<std::string> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Option *option = known(arguments[i]);
    Word word = dissected(arguments[i]);
    bool takesNext = !word.hasValue && i + 1 < arguments.size();
    if ((arguments[i] == "-std" || arguments[i] == "--std") && takesNext) {
      result.push_back("-std=" + arguments[++i]);
      continue;
    }
    if (!option) {
      result.push_back(arguments[i]);
      continue;
    }
    bool isApart = (option->value == Value::Apart || option->value == Value::Forwards) && takesNext;
    std::string_view value = isApart ? std::string_view(arguments[++i]) : word.value;
    if (option->value == Value::Forwards)
      forward(value, result);
    else if (option->clang && value != "false")
      result.emplace_back(option->clang);
  }
  return result;
}

} // namespace heddle::source

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC takes an option as one string ("--define-macro=N=3", "-DN=3") or as two ("-D", "N=3"). A row of the table says
// which names an option has and what becomes of its value.
#include "cudart/NvrtcOptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace fs = std::filesystem;

namespace heddle::cudart {
namespace {

enum class Meaning {
  Arch,
  Glued,
  Apart,
  Contraction,
  FastMath,
  Flush,
  Relocatable,
  DeviceDefault,
  Flag,
  IgnoredValue,
  Ignored
};

struct Option {
  std::string_view longName, shortName;
  Meaning meaning;
  const char *clang = ""; ///< Glued: before the value; Apart and Flag: the flag
};

constexpr std::array kOptions = {
    Option{"--gpu-architecture", "-arch", Meaning::Arch},
    Option{"--define-macro", "-D", Meaning::Glued, "-D"},
    Option{"--undefine-macro", "-U", Meaning::Glued, "-U"},
    Option{"--include-path", "-I", Meaning::Glued, "-I"},
    Option{"--pre-include", "-include", Meaning::Apart, "-include"},
    Option{"--std", "-std", Meaning::Glued, "-std="},
    Option{"--use_fast_math", "-use_fast_math", Meaning::FastMath},
    Option{"--fmad", "-fmad", Meaning::Contraction},
    Option{"--ftz", "-ftz", Meaning::Flush},
    Option{"--relocatable-device-code", "-rdc", Meaning::Relocatable},
    Option{"--device-c", "-dc", Meaning::Flag, "-fgpu-rdc"},
    Option{"--device-w", "-dw", Meaning::Ignored},
    Option{"--device-as-default-execution-space", "-default-device", Meaning::DeviceDefault},
    Option{"--disable-warnings", "-w", Meaning::Flag, "-w"},
    Option{"--generate-line-info", "-lineinfo", Meaning::Ignored},
    Option{"--device-debug", "-G", Meaning::Ignored},
    Option{"--restrict", "-restrict", Meaning::Ignored},
    Option{"--extra-device-vectorization", "-extra-device-vectorization", Meaning::Ignored},
    Option{"--builtin-move-forward", "-builtin-move-forward", Meaning::IgnoredValue},
    Option{"--builtin-initializer-list", "-builtin-initializer-list", Meaning::IgnoredValue},
    Option{"--no-source-include", "-no-source-include", Meaning::Ignored},
    Option{"--no-display-error-number", "-no-err-no", Meaning::Ignored},
    Option{"--display-error-number", "-err-no", Meaning::Ignored},
    Option{"--prec-div", "-prec-div", Meaning::IgnoredValue},
    Option{"--prec-sqrt", "-prec-sqrt", Meaning::IgnoredValue},
    Option{"--maxrregcount", "-maxrregcount", Meaning::IgnoredValue},
    Option{"--dopt", "-dopt", Meaning::IgnoredValue},
    Option{"--ptxas-options", "-Xptxas", Meaning::IgnoredValue},
    Option{"--diag-suppress", "-diag-suppress", Meaning::IgnoredValue},
    Option{"--diag-error", "-diag-error", Meaning::IgnoredValue},
    Option{"--diag-warn", "-diag-warn", Meaning::IgnoredValue},
    Option{"--split-compile", "-split-compile", Meaning::IgnoredValue},
    Option{"--minimal", "-minimal", Meaning::Ignored},
};

bool takesValue(Meaning meaning) {
  return meaning != Meaning::Flag && meaning != Meaning::FastMath && meaning != Meaning::Ignored &&
         meaning != Meaning::DeviceDefault;
}

/// A toolkit's headers are written for its own compiler; Heddle's are on the path already.
bool isToolkit(const fs::path &folder) {
  std::error_code ignored;
  return fs::exists(folder / "cuda_runtime_api.h", ignored) && fs::exists(folder / "crt", ignored);
}

/// "compute_80", "sm_90a" as "sm_80", "sm_90a".
std::string architecture(const std::string &value) {
  const size_t at = value.find('_');
  return at == std::string::npos ? value : "sm_" + value.substr(at + 1);
}

void apply(const Option &option, const std::string &value, NvrtcOptions &to) {
  switch (option.meaning) {
  case Meaning::Arch: to.arch = architecture(value); break;
  case Meaning::Glued:
    if (std::string_view(option.clang) != "-I" || !isToolkit(value))
      to.flags.push_back(option.clang + value);
    break;
  case Meaning::Apart: to.flags.insert(to.flags.end(), {option.clang, value}); break;
  case Meaning::Contraction:
    to.flags.push_back(value == "false" ? "-ffp-contract=off" : "-ffp-contract=fast");
    break;
  case Meaning::FastMath: // Clang's -ffast-math would also change the order of additions
    to.flags.insert(to.flags.end(), {"-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals"});
    break;
  case Meaning::Flush:
    to.flags.push_back(value == "true" ? "-fgpu-flush-denormals-to-zero"
                                       : "-fno-gpu-flush-denormals-to-zero");
    break;
  case Meaning::Relocatable:
    if (value == "true")
      to.flags.push_back("-fgpu-rdc");
    break;
  case Meaning::DeviceDefault: to.defaultsToDevice = true; break;
  case Meaning::Flag: to.flags.push_back(option.clang); break;
  case Meaning::IgnoredValue:
  case Meaning::Ignored: break;
  }
}

struct Match {
  const Option *option = nullptr;
  std::string value;
  bool valueFollows = false;
};

/// "--name", "--name=value", "-Xvalue" or "-name".
Match match(std::string_view word) {
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  for (const Option &option : kOptions)
    if (name == option.longName || name == option.shortName) {
      const bool hasValue = equals != std::string_view::npos;
      return {&option, hasValue ? std::string(word.substr(equals + 1)) : "",
              !hasValue && takesValue(option.meaning)};
    }
  for (const Option &option : kOptions) // -DN=3, -I/folder
    if (option.shortName.size() == 2 && takesValue(option.meaning) && word.starts_with(option.shortName))
      return {&option, std::string(word.substr(2)), false};
  return {};
}

} // namespace

std::optional<NvrtcOptions> readNvrtcOptions(const std::vector<std::string> &options, std::string &why) {
  NvrtcOptions read;
  for (size_t i = 0; i < options.size(); ++i) {
    Match found = match(options[i]);
    if (!found.option || (found.valueFollows && i + 1 == options.size())) {
      why = fmt::format("nvrtc: error: invalid value for option or unknown option '{}'", options[i]);
      return std::nullopt;
    }
    apply(*found.option, found.valueFollows ? options[++i] : found.value, read);
  }
  return read;
}

} // namespace heddle::cudart

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/NvccOptions.h"

#include <algorithm>
#include <string_view>

namespace heddle::source {
namespace {

using Value = NvccOption::Value;
using Role = NvccOption::Role;
using Spelling = NvccOption::Spelling;

// Long and short names are rows of their own. Sorted by what they are about, as `nvcc --help` is.
constexpr NvccOption knownOptions[] = {
    // what comes out
    {"c", Value::None, Role::Compile},
    {"compile", Value::None, Role::Compile},
    {"dc", Value::None, Role::Compile, "-fgpu-rdc"},
    {"device-c", Value::None, Role::Compile, "-fgpu-rdc"},
    {"dw", Value::None, Role::Compile},
    {"device-w", Value::None, Role::Compile},
    {"cuda", Value::None, Role::DeviceCode},
    {"ptx", Value::None, Role::DeviceCode},
    {"cubin", Value::None, Role::DeviceCode},
    {"fatbin", Value::None, Role::DeviceCode},
    {"optix-ir", Value::None, Role::DeviceCode},
    {"ltoir", Value::None, Role::DeviceCode},
    {"fdevice-syntax-only", Value::None, Role::DeviceCode},
    {"E", Value::None, Role::Preprocess, nullptr, Spelling::Shared},
    {"preprocess", Value::None, Role::Preprocess},
    {"M", Value::None, Role::Preprocess, nullptr, Spelling::Shared},
    {"generate-dependencies", Value::None, Role::Preprocess},
    {"MM", Value::None, Role::Preprocess, nullptr, Spelling::Shared},
    {"generate-nonsystem-dependencies", Value::None, Role::Preprocess},
    {"MD", Value::None, Role::Dependencies},
    {"generate-dependencies-with-compile", Value::None, Role::Dependencies},
    {"MMD", Value::None, Role::UserDependencies},
    {"generate-nonsystem-dependencies-with-compile", Value::None, Role::UserDependencies},
    {"MF", Value::Apart, Role::DependencyFile},
    {"dependency-output", Value::Apart, Role::DependencyFile},
    {"MT", Value::Apart, Role::DependencyTarget},
    {"MQ", Value::Apart, Role::DependencyTarget},
    {"dependency-target-name", Value::Apart, Role::DependencyTarget},
    {"MP", Value::None},
    {"generate-dependency-targets", Value::None},
    {"dlink", Value::None},
    {"device-link", Value::None},
    {"link", Value::None},
    {"lib", Value::None},
    {"run", Value::None},
    {"run-args", Value::Apart},
    {"o", Value::Apart, Role::Output},
    {"output-file", Value::Apart, Role::Output},
    {"odir", Value::Apart, Role::OutputFolder},
    {"output-directory", Value::Apart, Role::OutputFolder},
    {"objtemp", Value::None},
    {"objdir-as-tempdir", Value::None},
    {"keep", Value::None},
    {"save-temps", Value::None},
    {"keep-dir", Value::Apart},
    {"clean", Value::None, Role::Query},
    {"clean-targets", Value::None, Role::Query},
    {"time", Value::Apart},
    {"fdevice-time-trace", Value::Apart},
    {"t", Value::Apart},
    {"threads", Value::Apart},
    {"split-compile", Value::Apart},
    {"split-compile-extended", Value::Apart},
    {"jobserver", Value::None},
    {"host-linker-script", Value::Apart},
    {"hls", Value::Apart},
    {"augment-host-linker-script", Value::None},
    {"aug-hls", Value::None},
    {"relocatable-link", Value::None},
    {"r", Value::None},
    {"nodlink", Value::None},
    {"no-device-link", Value::None},
    {"dryrun", Value::None, Role::Query},
    {"help", Value::None, Role::Query, nullptr, Spelling::Shared},
    {"h", Value::None, Role::Query, nullptr, Spelling::Shared},
    {"version", Value::None, Role::Query, nullptr, Spelling::Shared},
    {"V", Value::None, Role::Query, nullptr, Spelling::Shared},
    {"list-gpu-code", Value::None, Role::Query},
    {"code-ls", Value::None, Role::Query},
    {"list-gpu-arch", Value::None, Role::Query},
    {"arch-ls", Value::None, Role::Query},
    {"optf", Value::Apart},
    {"options-file", Value::Apart},
    {"v", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    {"verbose", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    // the text and its language
    {"D", Value::List, Role::Define, nullptr, Spelling::SharedAndJoined},
    {"define-macro", Value::List, Role::Define, nullptr, Spelling::Shared},
    {"U", Value::List, Role::Undefine, nullptr, Spelling::SharedAndJoined},
    {"undefine-macro", Value::List, Role::Undefine, nullptr, Spelling::Shared},
    {"I", Value::List, Role::Include, nullptr, Spelling::SharedAndJoined},
    {"include-path", Value::List, Role::Include, nullptr, Spelling::Shared},
    {"isystem", Value::List, Role::SystemInclude, nullptr, Spelling::Shared},
    {"system-include", Value::List, Role::SystemInclude, nullptr, Spelling::Shared},
    {"include", Value::List, Role::PreInclude, nullptr, Spelling::Shared},
    {"pre-include", Value::List, Role::PreInclude, nullptr, Spelling::Shared},
    {"std", Value::Apart, Role::Standard, nullptr, Spelling::Shared},
    {"x", Value::Apart, Role::Language},
    {"extended-lambda", Value::None},
    {"expt-extended-lambda", Value::None},
    {"expt-relaxed-constexpr", Value::None},
    {"nohdinitlist", Value::None},
    {"no-host-device-initializer-list", Value::None},
    {"nohdmoveforward", Value::None},
    {"no-host-device-move-forward", Value::None},
    {"no-exceptions", Value::None, Role::Nothing, "-fno-exceptions"},
    {"noeh", Value::None, Role::Nothing, "-fno-exceptions"},
    {"ftemplate-backtrace-limit", Value::Apart, Role::Nothing, nullptr, Spelling::Shared},
    {"ftemplate-depth", Value::Apart, Role::Nothing, nullptr, Spelling::Shared},
    {"use_fast_math", Value::None},
    {"rdc", Value::Apart, Role::Nothing, "-fgpu-rdc"},
    {"relocatable-device-code", Value::Apart, Role::Nothing, "-fgpu-rdc"},
    {"default-stream", Value::Apart},
    // for whom
    {"gencode", Value::Apart, Role::Architecture},
    {"generate-code", Value::Apart, Role::Architecture},
    {"arch", Value::Apart, Role::Architecture},
    {"gpu-architecture", Value::Apart, Role::Architecture},
    {"code", Value::Apart},
    {"gpu-code", Value::Apart},
    {"entries", Value::Apart},
    {"e", Value::Apart, Role::Nothing, nullptr, Spelling::Shared},
    {"m64", Value::None},
    {"m", Value::Apart, Role::Nothing, nullptr, Spelling::Shared},
    {"machine", Value::Apart},
    {"simulator", Value::Apart},
    {"arch-list", Value::Apart},
    // how code is made
    {"g", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    {"debug", Value::None},
    {"pg", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    {"profile", Value::None},
    {"O", Value::Apart, Role::Nothing, nullptr, Spelling::SharedAndJoined},
    {"optimize", Value::Apart, Role::Nothing, nullptr, Spelling::Shared},
    {"lineinfo", Value::None},
    {"generate-line-info", Value::None},
    {"device-debug", Value::None},
    {"G", Value::None},
    {"opt-info", Value::Apart},
    {"optimization-info", Value::Apart},
    {"dopt", Value::Apart},
    {"dlto", Value::None},
    {"dlink-time-opt", Value::None},
    {"lto", Value::None},
    {"gen-opt-lto", Value::None},
    {"maxrregcount", Value::Apart},
    {"ftz", Value::Apart},
    {"prec-div", Value::Apart},
    {"prec-sqrt", Value::Apart},
    {"fmad", Value::Apart},
    {"extra-device-vectorization", Value::None},
    {"restrict", Value::None},
    {"keep-device-functions", Value::None},
    {"source-in-ptx", Value::None},
    {"src-in-ptx", Value::None},
    {"res-usage", Value::None},
    {"resource-usage", Value::None},
    {"Ofast-compile", Value::Apart},
    {"Ofc", Value::Apart},
    {"extensible-whole-program", Value::None},
    {"ewp", Value::None},
    {"no-compress", Value::None},
    {"compress-mode", Value::Apart},
    {"jump-table-density", Value::Apart},
    {"jtd", Value::Apart},
    {"relocatable-ptx", Value::None},
    {"reloc-ptx", Value::None},
    {"device-stack-protector", Value::Apart},
    {"static-global-template-stub", Value::Apart},
    {"device-entity-has-hidden-visibility", Value::Apart},
    {"sanitize", Value::Apart},
    {"frandom-seed", Value::Apart, Role::Nothing, nullptr, Spelling::Shared},
    {"no-align-double", Value::None},
    {"compile-as-tools-patch", Value::None},
    {"astoolspatch", Value::None},
    {"qpp-config", Value::None},
    // for other programs
    {"Xcompiler", Value::List, Role::HostOptions},
    {"compiler-options", Value::List, Role::HostOptions},
    {"Xptxas", Value::Apart},
    {"ptxas-options", Value::Apart},
    {"Xcudafe", Value::Apart},
    {"Xfatbin", Value::Apart},
    {"fatbin-options", Value::Apart},
    {"Xlinker", Value::Apart},
    {"linker-options", Value::Apart},
    {"Xarchive", Value::Apart},
    {"archive-options", Value::Apart},
    {"Xnvlink", Value::Apart},
    {"nvlink-options", Value::Apart},
    {"ccbin", Value::Apart},
    {"compiler-bindir", Value::Apart},
    {"arbin", Value::Apart},
    {"archiver-binary", Value::Apart},
    {"allow-unsupported-compiler", Value::None},
    {"forward-unknown-to-host-compiler", Value::None},
    {"forward-unknown-to-host-linker", Value::None},
    {"forward-unknown-opts", Value::None},
    {"cudart", Value::Apart},
    {"cudadevrt", Value::Apart},
    {"l", Value::Apart, Role::Nothing, nullptr, Spelling::SharedAndJoined},
    {"library", Value::Apart},
    {"L", Value::Apart, Role::Nothing, nullptr, Spelling::SharedAndJoined},
    {"library-path", Value::Apart},
    {"shared", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    {"ldir", Value::Apart},
    {"libdevice-directory", Value::Apart},
    {"target-dir", Value::Apart},
    {"target-directory", Value::Apart},
    {"use-local-env", Value::None},
    {"force-cl-env-setup", Value::None},
    {"noprof", Value::None},
    {"dont-use-profile", Value::None},
    {"idp", Value::Apart},
    {"input-drive-prefix", Value::Apart},
    {"ddp", Value::Apart},
    {"dependency-drive-prefix", Value::Apart},
    {"dp", Value::Apart},
    {"drive-prefix", Value::Apart},
    // messages
    {"w", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    {"disable-warnings", Value::None},
    {"Wreorder", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    {"Wdefault-stream-launch", Value::None},
    {"Wmissing-launch-bounds", Value::None},
    {"Wext-lambda-captures-this", Value::None},
    {"Wno-deprecated-declarations", Value::None, Role::Nothing, nullptr, Spelling::Shared},
    {"Wno-deprecated-gpu-targets", Value::None},
    {"diag-suppress", Value::Apart},
    {"diag-warn", Value::Apart},
    {"diag-error", Value::Apart},
    {"display-error-number", Value::None},
    {"err-no", Value::None},
    {"no-display-error-number", Value::None},
    {"no-err-no", Value::None},
    {"brief-diagnostics", Value::Apart},
    {"brief-diag", Value::Apart},
    {"Werror", Value::Apart, Role::Nothing, nullptr, Spelling::Shared},
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

const NvccOption *named(std::string_view name) {
  const auto *found = std::ranges::find(knownOptions, name, &NvccOption::name);
  return found == std::end(knownOptions) ? nullptr : found;
}

/// An option of nvcc's that Clang knows under another name, or not at all.
const NvccOption *known(const std::string &argument) {
  if (argument.size() < 2 || argument[0] != '-')
    return nullptr;
  Word word = dissected(argument);
  const NvccOption *found = named(word.name);
  const bool isNvccs = found && found->spelling == Spelling::OfNvcc;
  return !isNvccs || (word.hasValue && found->value == Value::None) ? nullptr : found;
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

/// What nvcc's options state about arithmetic on the device. Clang's -ffast-math is none of it: that also changes the order of additions, and host code.
class DeviceMath {
public:
  /// Whether the option is one of these.
  bool read(std::string_view name, std::string_view value) {
    if (name == "use_fast_math")
      isFast = true;
    else if (name == "fmad")
      fuses = value != "false";
    else if (name == "ftz")
      flushes = value == "true";
    else if (name == "prec-div")
      dividesPrecisely = value != "false";
    else if (name == "prec-sqrt")
      hasPreciseRoots = value != "false";
    else
      return false;
    return true;
  }

  /// --use_fast_math implies the others, in any order, but what is given by itself wins.
  void addTo(std::vector<std::string> &flags) const {
    if (!fuses)
      flags.emplace_back("-ffp-contract=off");
    if (flushes.value_or(isFast))
      flags.emplace_back("-fgpu-flush-denormals-to-zero");
    if (isFast)
      flags.emplace_back("-fgpu-approx-transcendentals");
    if (!dividesPrecisely.value_or(!isFast)) // div.approx, or div.full
      flags.insert(flags.end(), {"-mllvm", isFast ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1"});
    if (!hasPreciseRoots.value_or(!isFast))
      flags.insert(flags.end(), {"-mllvm", "-nvptx-prec-sqrtf32=0"});
  }

private:
  bool isFast = false, fuses = true;
  std::optional<bool> flushes, dividesPrecisely, hasPreciseRoots;
};

} // namespace

std::optional<NvccWord> readNvccWord(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-')
    return std::nullopt;
  const Word word = dissected(argument);
  if (const NvccOption *found = named(word.name); found && (!word.hasValue || found->value != Value::None))
    return NvccWord{found, word.hasValue, word.value};
  // -Ifolder: only options of one letter have their value joined to them.
  const NvccOption *letter = argument[1] == '-' ? nullptr : named(argument.substr(1, 1));
  if (letter && letter->spelling == Spelling::SharedAndJoined)
    return NvccWord{letter, true, argument.substr(2)};
  return std::nullopt;
}

std::vector<std::string> valuesOf(std::string_view list) {
  std::vector<std::string> values(1);
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] == ',')
      values.emplace_back();
    else
      values.back() += list[i] == '\\' && i + 1 < list.size() && list[i + 1] == ',' ? list[++i] : list[i];
  std::erase(values, "");
  return values;
}

std::vector<std::string> inClangsWords(const std::vector<std::string> &arguments, Side side) {
  std::vector<std::string> result;
  DeviceMath math;
  bool hasStreamPerThread = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const NvccOption *option = known(arguments[i]);
    Word word = dissected(arguments[i]);
    bool takesNext = !word.hasValue && i + 1 < arguments.size();
    if ((arguments[i] == "-std" || arguments[i] == "--std") && takesNext) {
      result.push_back("-std=" + arguments[++i]);
      continue;
    }
    if (word.name == "Werror" && arguments[i][0] == '-')
      continue; // with a kind of warnings or without; a reader continues at a warning
    if (!option) {
      result.push_back(arguments[i]);
      continue;
    }
    bool isApart = option->value != Value::None && takesNext;
    std::string_view value = isApart ? std::string_view(arguments[++i]) : word.value;
    if (option->role == Role::HostOptions)
      forward(value, result);
    else if (option->name == "default-stream")
      hasStreamPerThread = value == "per-thread";
    else if (math.read(option->name, value))
      continue;
    else if (option->clang && value != "false")
      result.emplace_back(option->clang);
  }
  if (hasStreamPerThread)
    result.insert(result.end(),
                  {"-Xclang", "-fgpu-default-stream=per-thread"}); // for HIP, it is an option of the driver
  if (side == Side::Device)
    math.addTo(result);
  return result;
}

} // namespace heddle::source

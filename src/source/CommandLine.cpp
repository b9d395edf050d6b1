// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two languages of options. Clang's are read with the table of Clang's own driver, which knows GCC's too. nvcc's are read with the table of
// NvccOptions.cpp; what nvcc hands on to the host compiler (-Xcompiler, and what it does not know) is read as Clang's again.
#include "source/CommandLine.h"

#include "source/NvccOptions.h"

#include <clang/Options/Options.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Option/Arg.h>
#include <llvm/Option/ArgList.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace fs = std::filesystem;

namespace heddle::source {
namespace {

using Mode = CompilerCommand::Mode;
namespace opt = clang::options;

/// Programs that are put before a compiler, as we are.
constexpr std::array otherLaunchers = {"ccache", "sccache", "distcc", "icecc", "buildcache"};

bool isCudaFile(const std::string &file) { return fs::path(file).extension() == ".cu"; }

/// "90a" of "arch=compute_90a,code=[sm_90a,compute_90a]", "sm_90a" and "compute_90a".
void addArchs(llvm::StringRef value, std::vector<std::string> &archs) {
  if (value.contains("arch=")) // of -gencode
    value = value.substr(value.find("arch=") + 5).split(',').first;
  llvm::SmallVector<llvm::StringRef> names;
  value.split(names, ',');
  for (llvm::StringRef name : names) {
    const size_t number = name.find('_');
    if ((name.starts_with("sm_") || name.starts_with("compute_")) && number + 1 < name.size())
      archs.push_back("sm_" + name.substr(number + 1).str());
  }
}

// Clang
// ---------------------------------------------------------------------------------------------------------

/// Options of the -f and -m families that write files or only concern code generation. The others may define
/// macros or change the language.
bool mattersToNoParser(llvm::StringRef spelling) {
  constexpr std::array prefixes = {
      "-ftime-",      "-fprofile",       "-fno-profile",  "-fcoverage",  "-fsave-",           "-fstack",
      "-fcolor",      "-fno-color",      "-fdiagnostics", "-flto",       "-fno-lto",          "-fdebug",
      "-fsanitize",   "-fno-sanitize",   "-fcrash",       "-fsyntax",    "-fplugin",          "-fuse-ld",
      "-fintegrated", "-fno-integrated", "-fmodule",      "-fno-module", "-fmacro-backtrace", "-fproc-stat"};
  return std::ranges::any_of(prefixes, [&](const char *prefix) { return spelling.starts_with(prefix); });
}

bool isForParser(const llvm::opt::Arg &arg) {
  const llvm::opt::Option &option = arg.getOption();
  if (option.matches(opt::OPT_cuda_path_EQ))
    return false; // Heddle looks for a toolkit itself
  for (unsigned id : {opt::OPT_D, opt::OPT_U, opt::OPT_std_EQ, opt::OPT_stdlib_EQ, opt::OPT__sysroot_EQ,
                      opt::OPT_nostdinc, opt::OPT_nostdincxx, opt::OPT_undef, opt::OPT_pthread,
                      opt::OPT_target, opt::OPT_Xclang, opt::OPT_ansi, opt::OPT_F})
    if (option.matches(id))
      return true;
  for (unsigned group : {opt::OPT_I_Group, opt::OPT_i_Group, opt::OPT_clang_i_Group, opt::OPT_O_Group})
    if (option.matches(group))
      return true;
  return (option.matches(opt::OPT_f_Group) || option.matches(opt::OPT_m_Group)) &&
         !mattersToNoParser(arg.getSpelling());
}

/// Whether the driver compiles CUDA for a language that -x names.
bool isCudaLanguage(llvm::StringRef language) { return language == "cuda" || language == "cu"; }

/// `-Wp,-MD,file`, by which make files of long ago ask for dependencies.
void readPreprocessorOptions(const llvm::opt::Arg &arg, DependencyOptions &dependencies) {
  for (size_t i = 0; i + 1 < arg.getNumValues(); ++i)
    if (llvm::StringRef value = arg.getValue(unsigned(i)); value == "-MD" || value == "-MMD") {
      dependencies.isAsked = true;
      dependencies.file = arg.getValue(unsigned(i + 1));
    }
}

Mode modeOf(const llvm::opt::ArgList &all) {
  if (all.hasArg(opt::OPT__version, opt::OPT_help, opt::OPT__HASH_HASH_HASH, opt::OPT_dumpversion,
                 opt::OPT_dumpmachine))
    return Mode::Query;
  if (all.hasArg(opt::OPT_E, opt::OPT_M, opt::OPT_MM))
    return Mode::Preprocess;
  if (all.hasArg(opt::OPT_S, opt::OPT_emit_llvm, opt::OPT_fsyntax_only))
    return Mode::DeviceCode;
  return all.hasArg(opt::OPT_c) ? Mode::Compile : Mode::Link;
}

/// Reads `words` as Clang's, which begin at `first` of the command.
void readClangsWords(const std::vector<std::string> &words, size_t first, CompilerCommand &command) {
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  unsigned missingAt = 0, missingCount = 0;
  const llvm::opt::InputArgList all = clang::getDriverOptTable().ParseArgs(
      pointers, missingAt, missingCount, llvm::opt::Visibility(opt::ClangOption));
  command.mode = missingCount ? Mode::Unclear : modeOf(all);
  std::string language = "none";
  const auto addInput = [&](const std::string &file, size_t word) {
    const bool isCuda = language == "none" ? isCudaFile(file) : isCudaLanguage(language);
    command.inputs.push_back({file, first + word, isCuda});
  };
  for (const llvm::opt::Arg *arg : all) {
    const llvm::opt::Option &option = arg->getOption();
    if (option.matches(opt::OPT_INPUT)) {
      addInput(arg->getValue(), arg->getIndex());
    } else if (option.matches(opt::OPT__DASH_DASH)) { // what follows are files, whatever they are called
      for (unsigned i = 0; i < arg->getNumValues(); ++i)
        addInput(arg->getValue(i), arg->getIndex() + 1 + i);
    } else if (option.matches(opt::OPT_x)) {
      language = arg->getValue();
    } else if (option.matches(opt::OPT_o)) {
      command.output = arg->getValue();
    } else if (option.matches(opt::OPT_MD) || option.matches(opt::OPT_MMD)) {
      command.dependencies.isAsked = true;
    } else if (option.matches(opt::OPT_MF)) {
      command.dependencies.file = arg->getValue();
    } else if (option.matches(opt::OPT_MT) || option.matches(opt::OPT_MQ)) {
      command.dependencies.targets.emplace_back(arg->getValue());
    } else if (option.matches(opt::OPT_Wp_COMMA)) {
      readPreprocessorOptions(*arg, command.dependencies);
    } else if (option.matches(opt::OPT_offload_arch_EQ)) {
      for (const char *value : arg->getValues()) {
        command.isForThisGpu |= llvm::StringRef(value) == "native";
        addArchs(value, command.archs);
      }
    } else if (isForParser(*arg)) {
      llvm::opt::ArgStringList spelled;
      arg->render(all, spelled);
      command.parseFlags.insert(command.parseFlags.end(), spelled.begin(), spelled.end());
    }
  }
}

// nvcc
// ----------------------------------------------------------------------------------------------------------

class NvccReader {
public:
  explicit NvccReader(CompilerCommand &command) : command(command) {}

  void read() {
    const std::vector<CommandWord> &words = command.words;
    for (size_t i = command.compilerWords; i < words.size(); ++i) {
      const std::string &word = words[i].text;
      const std::optional<NvccWord> option = readNvccWord(word);
      if (!option) {
        if (word.starts_with("-") && word != "-")
          hostWords.push_back(word); // refused by nvcc, or handed on
        else
          command.inputs.push_back({word, i, isCudaFile(word)});
        continue;
      }
      std::string_view value = option->value;
      if (option->option->value != NvccOption::Value::None && !option->hasValue) {
        if (i + 1 == words.size()) {
          command.mode = Mode::Unclear;
          return;
        }
        value = words[++i].text;
      }
      take(*option->option, value);
    }
    if (!language.empty())
      for (CommandInput &input : command.inputs)
        input.isCuda = isCudaLanguage(language);
    addHostWords();
  }

private:
  using Role = NvccOption::Role;

  /// An option with its value. nvcc takes one mode, and complains of two itself; here the one that compiles least decides.
  void take(const NvccOption &option, std::string_view value) {
    switch (option.role) {
    case Role::Nothing: break;
    case Role::Compile: enter(Mode::Compile); break;
    case Role::DeviceCode: enter(Mode::DeviceCode); break;
    case Role::Preprocess: enter(Mode::Preprocess); break;
    case Role::Query: enter(Mode::Query); break;
    case Role::Output: command.output = value; break;
    case Role::OutputFolder: command.outputFolder = value; break;
    case Role::Language: language = value; break;
    case Role::Dependencies:
    case Role::UserDependencies: command.dependencies.isAsked = true; break;
    case Role::DependencyFile: command.dependencies.file = value; break;
    case Role::DependencyTarget: command.dependencies.targets.emplace_back(value); break;
    case Role::Define: addEach("-D", value); break;
    case Role::Undefine: addEach("-U", value); break;
    case Role::Include: addEach("-I", value); break;
    case Role::SystemInclude: addPairs("-isystem", value); break;
    case Role::PreInclude: addPairs("-include", value); break;
    case Role::Standard: command.parseFlags.push_back("-std=" + std::string(value)); break;
    case Role::Architecture:
      command.isForThisGpu |= value == "native";
      addArchs(value, command.archs);
      break;
    case Role::HostOptions:
      for (const std::string &word : valuesOf(value))
        hostWords.push_back(unquoted(word));
      break;
    }
    if (option.clang && value != "false")
      command.parseFlags.emplace_back(option.clang);
  }

  void enter(Mode mode) { command.mode = std::max(command.mode, mode); }

  void addEach(const char *option, std::string_view list) {
    for (const std::string &value : valuesOf(list))
      command.parseFlags.push_back(option + value);
  }
  void addPairs(const char *option, std::string_view list) {
    for (const std::string &value : valuesOf(list))
      command.parseFlags.insert(command.parseFlags.end(), {option, value});
  }

  /// nvcc gives the host compiler's options to a shell as they are.
  static std::string unquoted(const std::string &word) {
    std::string plain;
    for (size_t i = 0; i < word.size(); ++i)
      if (word[i] == '\\' && i + 1 < word.size())
        plain += word[++i];
      else if (word[i] != '"' && word[i] != '\'')
        plain += word[i];
    return plain;
  }

  void addHostWords() {
    CompilerCommand host;
    readClangsWords(hostWords, 0, host);
    command.parseFlags.insert(command.parseFlags.end(), host.parseFlags.begin(), host.parseFlags.end());
  }

  CompilerCommand &command;
  std::vector<std::string> hostWords; ///< for the host compiler
  std::string language;               ///< -x: for all inputs, at any position
};

} // namespace

std::optional<std::string> CompilerCommand::oldestArch() const {
  const auto number = [](const std::string &arch) { return std::atoi(arch.c_str() + 3); };
  const auto oldest = std::ranges::min_element(archs, {}, number);
  return oldest == archs.end() ? std::nullopt : std::optional(*oldest);
}

Dialect dialectOf(const fs::path &compiler) {
  return compiler.filename().string().find("nvcc") == std::string::npos ? Dialect::Clang : Dialect::Nvcc;
}

CompilerCommand readCommand(const std::vector<std::string> &words, const fs::path &folder) {
  CompilerCommand command;
  size_t compiler = 0;
  while (compiler + 1 < words.size() &&
         std::ranges::find(otherLaunchers, fs::path(words[compiler]).filename()) != otherLaunchers.end())
    ++compiler;
  command.compilerWords = std::min(words.size(), compiler + 1);
  if (words.empty())
    return command;
  command.dialect = dialectOf(words[compiler]);
  for (size_t i = 0; i < command.compilerWords; ++i)
    command.words.push_back({words[i], false, i});
  std::vector<CommandWord> rest =
      withResponseFiles({words.begin() + long(command.compilerWords), words.end()}, command.dialect, folder);
  for (CommandWord &word : rest)
    word.given += command.compilerWords;
  command.words.insert(command.words.end(), rest.begin(), rest.end());
  if (command.dialect == Dialect::Nvcc) {
    NvccReader(command).read();
  } else {
    std::vector<std::string> plain;
    for (const CommandWord &word : rest)
      plain.push_back(word.text);
    readClangsWords(plain, command.compilerWords, command);
  }
  return command;
}

fs::path dependencyFileOf(const CompilerCommand &command, const CommandInput &input) {
  if (!command.dependencies.isAsked)
    return {};
  if (!command.dependencies.file.empty())
    return command.dependencies.file;
  if (!command.output.empty())
    return fs::path(command.output).replace_extension(".d");
  return fs::path(command.outputFolder) / fs::path(input.file).filename().replace_extension(".d");
}

} // namespace heddle::source

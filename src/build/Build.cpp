// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways from .cu files to a program that runs on the simulator.
//
// nvcc: one command. PTX and nothing else is embedded, uncompressed; the program is linked with our runtime
// in the place of NVIDIA's (-cudart none leaves room for it).
//
// Clang, no toolkit: each .cu is compiled twice, to PTX and to an object file. The object wants the PTX at
// once (-fcuda-include-gpubinary), which would make the second wait for the first. It gets a marker instead,
// and both run side by side; a second small object contains the PTX and gives the runtime, before main,
// what the marker represents. (Exchanging the object's section with objcopy needs no help from the runtime,
// but LLVM's leaves some objects with symbols that no linker takes.)
#include "build/Build.h"

#include "build/HeaderStep.h"
#include "build/InlinedLocations.h"
#include "build/RelocatableCode.h"
#include "build/Unsupported.h"
#include "source/NvccOptions.h"
#include "source/Toolkit.h"
#include "support/ClangProgram.h"
#include "support/CudaToolkit.h"
#include "support/Files.h"
#include "support/LibraryFolder.h"
#include "support/Paths.h"
#include "support/Preload.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <thread>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

/// The object that brings PTX along. The text is read as a string, so it must say where it ends.
constexpr const char *kCarrierSource = R"(
__asm__(".section .rodata\n"
        ".balign 8\n"
        "heddlePtx:\n"
        ".incbin \"{}\"\n"
        ".byte 0\n"
        ".text\n");
extern const char heddlePtx[] __attribute__((visibility("hidden")));
extern void __heddleProvidePtx(const char *marker, const char *text);
__attribute__((constructor)) static void provide(void) {{ __heddleProvidePtx("{}", heddlePtx); }}
)";

/// What CUDA 13 still compiles for; Clang goes further back.
constexpr int kOldestOfNvcc = 75;

void append(std::vector<std::string> &to, const std::vector<std::string> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

bool isCuda(const fs::path &file) { return file.extension() == ".cu"; }
bool isSource(const fs::path &file) {
  const std::string extension = file.extension().string();
  return isCuda(file) || extension == ".cpp" || extension == ".cc" || extension == ".cxx" ||
         extension == ".c";
}

/// "-l" and relatives, which a compiler that only compiles has no use for. nvcc's -lineinfo and -lib begin alike.
bool isForLinker(const std::string &flag) {
  const std::optional<source::NvccWord> read = source::readNvccWord(flag);
  if (read && read->option->name.size() > 1 && flag.starts_with("-l"))
    return false;
  return flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with("-Wl,") || flag == "-pthread" ||
         flag == "-fopenmp" || flag.starts_with("-fsanitize=");
}

std::vector<std::string> linkerFlags(const std::vector<std::string> &flags) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < flags.size(); ++i)
    if (isForLinker(flags[i])) {
      kept.push_back(flags[i]);
      bool valueFollows = (flags[i] == "-l" || flags[i] == "-L") && i + 1 < flags.size();
      if (valueFollows)
        kept.push_back(flags[++i]);
    }
  return kept;
}

bool saysOptimization(const std::vector<std::string> &flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string &f) { return f.starts_with("-O"); });
}

/// The flags that mean something where there is no GPU.
std::vector<std::string> simulatorFlags(const std::vector<std::string> &flags) {
  return withoutToolkitLibraries(withoutDeviceLinking(withoutArchFlags(flags)));
}

/// "90a" of "sm_90a".
std::string archNumber(const std::string &arch) { return arch.substr(arch.find('_') + 1); }

// --- nvcc
// ---------------------------------------------------------------------------------------------------

/// `flags` are the user's.
std::vector<std::string> nvccCommand(const Request &request, const fs::path &nvcc,
                                     const std::vector<std::string> &flags) {
  std::string number = archNumber(request.arch);
  std::vector<std::string> command = {nvcc.string(), "-lineinfo", "-Wno-deprecated-gpu-targets"};
  const std::vector<std::string> ptxAlone = {"--no-compress", "-gencode",
                                             fmt::format("arch=compute_{},code=compute_{}", number, number)};
  append(command, {"-cudart", request.device == Device::Simulator ? "none" : "shared"});
  if (request.device == Device::Simulator || request.keepsPtx)
    append(command, ptxAlone);
  else
    append(command, {"-arch=native"});
  // Emitted code says #include <heddle/...>.
  if (fs::path ours = dataFolder("runtime"); !ours.empty())
    append(command, {"-isystem", ours.string()});
  append(command, errorsInNvccsWords(request.device == Device::Simulator ? simulatorFlags(flags)
                                     : request.keepsPtx                  ? withoutArchFlags(flags)
                                                                         : flags));
  return command;
}

/// What a simulated program is linked with before anything else.
std::vector<std::string> firstLibraries() {
  const fs::path runtime = sanitizerRuntime();
  if (runtime.empty())
    return {};
  return {runtime.string(), "-Xlinker", "-rpath", "-Xlinker", runtime.parent_path().string()};
}

/// Compiles or links `files`; the runtime library is linked last.
std::vector<std::string> nvccLink(const Request &request, const fs::path &nvcc,
                                  const std::vector<fs::path> &files, const std::vector<std::string> &flags) {
  std::vector<std::string> command = nvccCommand(request, nvcc, flags);
  // Libraries are searched for what the files before them need.
  std::vector<std::string> names;
  if (request.device == Device::Simulator)
    names = firstLibraries();
  for (const fs::path &file : files)
    names.push_back(file.string());
  command.insert(command.begin() + 1, names.begin(), names.end());
  append(command, {"-o", request.output.string()});
  if (request.device == Device::Simulator) {
    std::string folder = libraryFolder().string();
    // nvcc gives words for the linker to a shell as they are.
    append(command, {"-L" + folder, "-lheddle_cudart", "-Xlinker", "-rpath", "-Xlinker", '"' + folder + '"'});
  }
  return command;
}

/// Flags that are those of every source; nothing where the sources have different ones.
std::optional<std::vector<std::string>> flagsOfAll(const Sources &sources) {
  std::optional<std::vector<std::string>> common;
  for (const fs::path &file : sources.files)
    if (isSource(file)) {
      std::vector<std::string> flags = sources.flagsOf(file, Compiler::Nvcc);
      if (common && *common != flags)
        return std::nullopt;
      common = std::move(flags);
    }
  return common ? common : sources.flags;
}

/// One command for everything.
Result buildAtOnceWithNvcc(const Request &request, const fs::path &nvcc,
                           const std::vector<std::string> &flags) {
  const std::vector<std::string> command = nvccLink(request, nvcc, request.sources.files, flags);
  // What else a linker takes (libraries, objects) is in no list of files that were read, and which GPU there is in no command.
  const bool isOneFile = request.sources.files.size() == 1 && isSource(request.sources.files.front()) &&
                         linkerFlags(flags).empty() && request.device == Device::Simulator;
  CompileStep step{command, request.sources.files.front(), request.output, {}};
  step.linked = {libraryFolder() / "libheddle_cudart.so"};
  ProcessResult done = isOneFile ? request.cache.run(step) : runProcess(command);
  return {done.succeeded(), done.standardOutput + done.standardError, "nvcc"};
}

/// For objects, which are in none: "-x cu" and its other forms are left out.
std::vector<std::string> withoutLanguage(const std::vector<std::string> &flags) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < flags.size(); ++i) {
    const bool isAlone = flags[i] == "-x" || flags[i] == "--x";
    if (isAlone)
      ++i; // its value
    else if (!flags[i].starts_with("-x=") && !flags[i].starts_with("--x=") && flags[i] != "-xcu")
      kept.push_back(flags[i]);
  }
  return kept;
}

/// How many compilers run at the same time.
size_t compilersAtOnce() { return std::max(1u, std::thread::hardware_concurrency() / 2); }

/// Each file by itself: what is made of one that has not changed is kept. nvcc links no PTX: the functions that its device linker would
/// add are added here.
Result buildOneByOneWithNvcc(const Request &request, const fs::path &nvcc, bool linksDevice) {
  TemporaryFolder folder;
  Result result{true, {}, "nvcc"};
  std::vector<fs::path> objects;
  std::vector<CompileStep> steps;
  for (const fs::path &file : request.sources.files) {
    if (!isSource(file)) {
      objects.push_back(file);
      continue;
    }
    objects.push_back(folder.path() / fmt::format("{}.o", objects.size()));
    std::vector<std::string> command =
        nvccCommand(request, nvcc, request.sources.flagsOf(file, Compiler::Nvcc));
    append(command,
           {isCuda(file) && linksDevice ? "-dc" : "-c", file.string(), "-o", objects.back().string()});
    steps.push_back({command, file, objects.back(), {}});
  }
  for (size_t first = 0; first < steps.size(); first += compilersAtOnce()) {
    std::vector<std::future<ProcessResult>> running;
    for (size_t i = first; i < std::min(steps.size(), first + compilersAtOnce()); ++i)
      running.push_back(
          std::async(std::launch::async, [&request, &steps, i] { return request.cache.run(steps[i]); }));
    for (auto &step : running) {
      ProcessResult done = step.get();
      result.messages += done.standardOutput + done.standardError;
      result.ok = result.ok && done.succeeded();
    }
  }
  if (!result.ok)
    return result;
  std::vector<std::string> flags =
      withoutLanguage(flagsOfAll(request.sources).value_or(request.sources.flags));
  if (linksDevice && request.device == Device::Simulator) {
    const fs::path registration = folder.path() / "registration.c";
    writeFileOrThrow(registration, registrationSource(objects));
    objects.push_back(registration);
  } else if (linksDevice) {
    flags.emplace_back("-rdc=true");
  }
  ProcessResult done = runProcess(nvccLink(request, nvcc, objects, flags));
  return {done.succeeded(), result.messages + done.standardOutput + done.standardError, "nvcc"};
}

Result buildWithNvcc(const Request &request, const fs::path &nvcc) {
  const bool linksDevice = linksDeviceCode(request.sources.allFlags());
  const std::optional<std::vector<std::string>> flags = flagsOfAll(request.sources);
  // Several files are compiled by themselves, so that those that have not changed are not compiled again. With a GPU, which one there is
  // is in no command.
  const bool isKept = request.device == Device::Simulator &&
                      std::count_if(request.sources.files.begin(), request.sources.files.end(), isSource) > 1;
  if (flags && !isKept && !(linksDevice && request.device == Device::Simulator))
    return buildAtOnceWithNvcc(request, nvcc, *flags);
  return buildOneByOneWithNvcc(request, nvcc, linksDevice);
}

// --- Clang
// --------------------------------------------------------------------------------------------------

/// One source file on its way to an object.
class ClangUnit {
public:
  ClangUnit(const Request &request, fs::path clang, fs::path file, fs::path folder, size_t number)
      : request(request), clang(std::move(clang)), file(std::move(file)),
        ptx(folder / fmt::format("{}.ptx", number)), object(folder / fmt::format("{}.o", number)),
        carrier(folder / fmt::format("{}.ptx.o", number)), marker(fmt::format("//heddle:{}", number)),
        unitName(fmt::format("-cuid=heddle{}", number)),
        flags(request.sources.flagsOf(this->file, Compiler::Clang)) {}

  ProcessResult compile() const {
    return isCuda(file) ? compileSideBySide() : request.cache.run({plainCommand(), file, object, {}});
  }

  std::vector<std::string> objects() const {
    return isCuda(file) ? std::vector{object.string(), carrier.string()} : std::vector{object.string()};
  }

private:
  std::vector<std::string> common() const {
    std::vector<std::string> own = {"-Wno-unused-command-line-argument"};
    if (request.colour)
      own.push_back("-fcolor-diagnostics");
    if (!saysOptimization(flags))
      own.push_back("-O2");
    return own;
  }

  /// Of one side, with what is reported on this side alone.
  CompileStep cudaStep(source::Side side, const std::vector<std::string> &further,
                       const fs::path &output) const {
    source::CompileOptions options;
    options.arch = request.arch;
    options.userArguments = simulatorFlags(flags);
    std::vector<std::string> command = {clang.string()};
    append(command, common());
    append(command, source::clangArguments(options, std::nullopt, side));
    if (side == source::Side::Device)
      append(command, {"-S", "-gline-tables-only"});
    if (linksDeviceCode(request.sources.allFlags()))
      append(command, {"-fgpu-rdc", "--no-offload-new-driver", unitName});
    std::vector<std::string> rest = errorsInClangsWords(flags);
    append(rest, further);
    append(rest, {file.string(), "-o", output.string()});
    return stepWithCachedHeaders(command, rest, file, output);
  }

  CompileStep deviceStep() const { return cudaStep(source::Side::Device, {}, ptx); }

  CompileStep hostStep(const fs::path &gpuBinary) const {
    CompileStep step =
        cudaStep(source::Side::Host,
                 {"-c", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", gpuBinary.string()}, object);
    step.further = {gpuBinary};
    return step;
  }

  std::vector<std::string> plainCommand() const {
    std::vector<std::string> command = {clang.string()};
    append(command, common());
    append(command, {"-isystem", dataFolder("runtime/cuda").string()});
    if (file.extension() == ".c")
      append(command, {"-x", "c"});
    append(command, source::inClangsWords(simulatorFlags(flags), source::Side::Host));
    append(command, errorsInClangsWords(flags));
    append(command, {"-c", file.string(), "-o", object.string()});
    return command;
  }

  ProcessResult compileSideBySide() const {
    fs::path markerFile = object.string() + ".marker", carrierSource = object.string() + ".ptx.c";
    writeFileOrThrow(markerFile, marker + '\0');
    writeFileOrThrow(carrierSource, fmt::format(kCarrierSource, ptx.string(), marker));
    auto host = std::async(std::launch::async, [&] { return request.cache.run(hostStep(markerFile)); });
    ProcessResult device = request.cache.run(deviceStep());
    if (device.succeeded()) {
      addInlinedLocations(ptx);
      // Not kept: it assembles little more than a line, and the file that it includes is another each time.
      ProcessResult carried =
          runProcess({clang.string(), "-x", "c", "-c", carrierSource.string(), "-o", carrier.string()});
      device.exitCode = carried.exitCode;
      device.standardError += carried.standardError;
    }
    ProcessResult result = host.get();
    // What is wrong on both sides is reported twice; the host's messages are the ones people know.
    if (!result.succeeded())
      return result;
    if (device.standardError != result.standardError)
      result.standardError += device.standardError;
    result.exitCode = device.exitCode;
    return result;
  }

  const Request &request;
  const fs::path clang, file, ptx, object, carrier;
  const std::string marker;   ///< an image that is a PTX comment: "//heddle:0"
  const std::string unitName; ///< what makes names of static variables unique where device code is linked
  const std::vector<std::string> flags; ///< the user's
};

/// Links by LLVM's linker, which takes half the time, where it is beside Clang and the user says nothing to the linker. What it refuses, the
/// usual one refuses too, in the words that people know.
ProcessResult linkWith(const fs::path &clang, const std::vector<std::string> &command) {
  std::error_code ignored;
  const bool isForUsual = std::any_of(command.begin(), command.end(), [](const std::string &word) {
    return word.starts_with("-Wl,") && !word.starts_with("-Wl,-rpath,");
  });
  if (!isForUsual && fs::exists(fs::canonical(clang, ignored).parent_path() / "ld.lld", ignored)) {
    std::vector<std::string> faster = command;
    faster.emplace_back("-fuse-ld=lld");
    if (ProcessResult done = runProcess(faster); done.succeeded())
      return done;
  }
  return runProcess(command);
}

Result buildWithClang(const Request &request, const fs::path &clang) {
  TemporaryFolder folder;
  std::vector<ClangUnit> units;
  std::vector<std::string> link = {clang.string()};
  for (const fs::path &file : request.sources.files) {
    if (isSource(file))
      units.emplace_back(request, clang, file, folder.path(), units.size());
    else
      link.push_back(file.string());
  }
  Result result{true, {}, "clang"};
  // Each unit keeps two compilers busy already; more at once only helps where there are more cores.
  const size_t together = compilersAtOnce();
  for (size_t first = 0; first < units.size(); first += together) {
    std::vector<std::future<ProcessResult>> running;
    for (size_t i = first; i < std::min(units.size(), first + together); ++i)
      running.push_back(std::async(std::launch::async, [&units, i] { return units[i].compile(); }));
    for (auto &unit : running) {
      ProcessResult done = unit.get();
      result.ok = result.ok && done.succeeded();
      result.messages += done.standardOutput + done.standardError;
    }
  }
  if (!result.ok)
    return result;
  for (const ClangUnit &unit : units)
    append(link, unit.objects());
  if (linksDeviceCode(request.sources.allFlags())) {
    const fs::path registration = folder.path() / "registration.c", object = folder.path() / "registration.o";
    writeFileOrThrow(registration, registrationSource({link.begin() + 1, link.end()}));
    ProcessResult done =
        runProcess({clang.string(), "-x", "c", "-c", registration.string(), "-o", object.string()});
    result.messages += done.standardError;
    link.push_back(object.string());
  }
  const std::vector<std::string> first = firstLibraries();
  link.insert(link.begin() + 1, first.begin(), first.end());
  std::string library = libraryFolder().string();
  append(link, linkerFlags(simulatorFlags(request.sources.allFlags())));
  append(link,
         {"-o", request.output.string(), "-L" + library, "-lheddle_cudart", "-Wl,-rpath," + library, "-lm"});
  ProcessResult linked = linkWith(clang, link);
  result.ok = linked.succeeded();
  result.messages += linked.standardOutput + linked.standardError;
  return result;
}

bool filesAreThere(const Request &request, Diagnostics &diagnostics) {
  std::error_code ignored;
  bool all = !request.sources.files.empty();
  if (!all)
    diagnostics.error({}, "no source file was given");
  for (const fs::path &file : request.sources.files)
    if (!fs::exists(file, ignored)) {
      diagnostics.error({}, fmt::format("there is no file '{}'", file.string()));
      all = false;
    }
  return all;
}

} // namespace

fs::path libraryFolder() { return heddle::libraryFolder(); }

Result build(const Request &request, Diagnostics &diagnostics) {
  if (!filesAreThere(request, diagnostics))
    return {};
  if (request.device == Device::Simulator && libraryFolder().empty()) {
    diagnostics.error({}, "the runtime library libheddle_cudart.so is not installed")
        .withHint("build and install Heddle as a whole: make install");
    return {};
  }
  std::optional<fs::path> nvcc, clang;
  bool tooOldForNvcc =
      request.compiler == Compiler::Auto && std::atoi(archNumber(request.arch).c_str()) < kOldestOfNvcc;
  if (request.compiler != Compiler::Clang && !tooOldForNvcc)
    nvcc = findNvcc();
  if (!nvcc && request.compiler != Compiler::Nvcc && request.device == Device::Simulator)
    clang = findClang();
  if (nvcc || clang) {
    Result result = nvcc ? buildWithNvcc(request, *nvcc) : buildWithClang(request, *clang);
    if (!result.ok && request.device == Device::Simulator)
      explainFailure(request, result, diagnostics);
    return result;
  }
  if (request.device == Device::Gpu || request.compiler == Compiler::Nvcc)
    diagnostics.error({}, "nvcc is not on this machine")
        .withHint(request.device == Device::Gpu
                      ? "running on a GPU needs the CUDA toolkit; --device sim does not"
                      : "--compiler clang needs no toolkit");
  else
    diagnostics.error({}, "there is neither nvcc nor clang++ on this machine").withHint("heddle doctor");
  return {};
}

} // namespace heddle::build

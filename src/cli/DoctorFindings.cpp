// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DoctorFindings.h"

#include "source/Toolkit.h"
#include "support/ClangProgram.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <fstream>
#include <regex>
#include <string_view>

namespace fs = std::filesystem;

namespace heddle::cli {
namespace {

/// A program that hangs when asked for its version must not hang the doctor.
constexpr double patienceSeconds = 10;

Finding describe(std::string section, std::string name, std::string gives, std::string without) {
  Finding f;
  f.section = std::move(section), f.name = std::move(name);
  f.gives = std::move(gives), f.without = std::move(without);
  return f;
}

/// The first group of `pattern` in what `program --version` prints, or nothing.
std::string versionOf(const fs::path &program, const char *pattern) {
  ProcessResult result = runProcess({program.string(), "--version"}, {}, patienceSeconds);
  std::smatch match;
  return result.succeeded() && std::regex_search(result.standardOutput, match, std::regex(pattern))
             ? match[1].str()
             : std::string();
}

void setFound(Finding &f, const fs::path &where, std::string version = {}) {
  f.found = true;
  f.note.clear();
  f.where = where.string();
  f.version = std::move(version);
}

// The toolkit
// -------------------------------------------------------------------------------------------------

/// cuda.h says "#define CUDA_VERSION 13000" for 13.0.
std::string headerVersion(const fs::path &include) {
  std::ifstream in(include / "cuda.h");
  for (std::string line; std::getline(in, line);) {
    unsigned number = 0;
    if (std::sscanf(line.c_str(), "#define CUDA_VERSION %u", &number) == 1)
      return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  }
  return {};
}

Finding toolkitProgram(const std::optional<source::Toolkit> &toolkit, const char *name, std::string gives,
                       std::string without) {
  Finding f = describe("CUDA toolkit", name, std::move(gives), std::move(without));
  f.note = "no toolkit";
  if (!toolkit)
    return f;
  fs::path program = toolkit->root / "bin" / name;
  if (findProgram(program.string()))
    setFound(f, program, versionOf(program, R"(V([0-9.]+))"));
  else
    f.note = fmt::format("not in {}", (toolkit->root / "bin").string());
  return f;
}

Finding toolkitHeaders(const std::optional<source::Toolkit> &toolkit, const std::string &cudaPath) {
  Finding f = describe("CUDA toolkit", "headers", "kernels are parsed with NVIDIA's own headers",
                       "Heddle's own headers replace them");
  if (toolkit)
    setFound(f, toolkit->include, headerVersion(toolkit->include));
  else if (cudaPath == "none")
    f.note = "switched off by --cuda-path none";
  else if (!cudaPath.empty())
    f.note = fmt::format("no include/cuda_runtime.h in {}", cudaPath);
  else
    f.note = "not at $CUDA_PATH, beside an nvcc on the PATH, or in the usual places";
  return f;
}

Finding toolkitLibraries(const std::optional<source::Toolkit> &toolkit) {
  Finding f = describe("CUDA toolkit", "cccl", "programs that use CUB or Thrust can be parsed",
                       "only cooperative groups, from Heddle's own headers");
  std::error_code ignored;
  f.note = toolkit ? "neither cccl nor cub among the headers" : "no toolkit";
  if (!toolkit)
    return f;
  if (!toolkit->cccl.empty())
    setFound(f, toolkit->cccl);
  else if (fs::is_directory(toolkit->include / "cub", ignored))
    setFound(f, toolkit->include / "cub"); // before CUDA 13 they were among the other headers
  return f;
}

void probeToolkit(const std::string &cudaPath, std::vector<Finding> &findings) {
  std::optional<source::Toolkit> toolkit = source::findToolkit(cudaPath);
  findings.push_back(toolkitHeaders(toolkit, cudaPath));
  findings.push_back(toolkitLibraries(toolkit));
  findings.push_back(toolkitProgram(toolkit, "nvcc", "programs are compiled by NVIDIA's compiler",
                                    "Clang compiles programs"));
  findings.push_back(toolkitProgram(toolkit, "ptxas",
                                    "register and spill counts of Clang's code, in addition to estimates",
                                    "register counts are estimates"));
}

// The GPU
// -----------------------------------------------------------------------------------------------------

/// The few calls of the driver's library that the doctor makes, by the names and types of cuda.h.
struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*driverVersion)(int *) = nullptr;
  int (*deviceCount)(int *) = nullptr;
  int (*deviceGet)(int *, int) = nullptr;
  int (*deviceName)(char *, int, int) = nullptr;
  int (*deviceAttribute)(int *, int, int) = nullptr;

  explicit Driver(void *library) {
    load(library, "cuInit", init);
    load(library, "cuDriverGetVersion", driverVersion);
    load(library, "cuDeviceGetCount", deviceCount);
    load(library, "cuDeviceGet", deviceGet);
    load(library, "cuDeviceGetName", deviceName);
    load(library, "cuDeviceGetAttribute", deviceAttribute);
  }
  bool isComplete() const {
    return init && driverVersion && deviceCount && deviceGet && deviceName && deviceAttribute;
  }

private:
  template <typename Function> static void load(void *library, const char *name, Function *&function) {
    function = reinterpret_cast<Function *>(dlsym(library, name));
  }
};

constexpr int attributeSmCount = 16, attributeMajor = 75, attributeMinor = 76; // CU_DEVICE_ATTRIBUTE_*

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

Finding probeDevice(const Driver &driver, int index) {
  Finding f = describe("GPU", fmt::format("device {}", index), "kernels run and are timed on it",
                       "Heddle's SIMT simulator runs them, and times are predictions");
  int device = 0, major = 0, minor = 0, sms = 0;
  char name[256] = "";
  if (driver.deviceGet(&device, index) != 0 || driver.deviceName(name, sizeof name, device) != 0)
    return f;
  driver.deviceAttribute(&major, attributeMajor, device);
  driver.deviceAttribute(&minor, attributeMinor, device);
  driver.deviceAttribute(&sms, attributeSmCount, device);
  setFound(f, name, fmt::format("sm_{}{}, {} SMs", major, minor, sms));
  return f;
}

Finding noDevice(std::string note) {
  Finding f =
      describe("GPU", "device", "", "Heddle's SIMT simulator runs kernels, and times are predictions");
  f.note = std::move(note);
  return f;
}

/// The path the library was really loaded from.
std::string loadedFrom(void *symbol, const char *otherwise) {
  Dl_info info;
  return dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : otherwise;
}

/// The driver's library, opened and asked for its version. Never closed: the driver starts threads that must
/// not lose their code.
Finding probeDriver(std::optional<Driver> &driver) {
  constexpr const char *libraryName = "libcuda.so.1";
  Finding f = describe("GPU", "driver library", "devices can be found", "no GPU can be used");
  void *handle = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (handle)
    driver.emplace(handle);
  if (!driver || !driver->isComplete()) {
    f.note =
        fmt::format("{} {}", libraryName, driver ? "lacks calls that every driver has" : "cannot be loaded");
    driver.reset();
    return f;
  }
  int version = 0;
  driver->driverVersion(&version);
  setFound(f, loadedFrom(reinterpret_cast<void *>(driver->init), libraryName),
           "CUDA " + versionText(version));
  return f;
}

void probeGpu(std::vector<Finding> &findings) {
  std::optional<Driver> driver;
  findings.push_back(probeDriver(driver));
  if (!driver) {
    findings.push_back(noDevice("no driver"));
    return;
  }
  int count = 0, status = driver->init(0);
  if (status == 0)
    status = driver->deviceCount(&count);
  if (status != 0)
    findings.push_back(noDevice(fmt::format("the driver returns error {}", status)));
  else if (count == 0)
    findings.push_back(noDevice("the driver reports no device"));
  for (int i = 0; i < count; ++i)
    findings.push_back(probeDevice(*driver, i));
}

// Programs and data
// ---------------------------------------------------------------------------------------------

struct ProgramRow {
  const char *section, *name;
  std::vector<const char *> spellings;
  const char *gives, *without;
};

const std::vector<ProgramRow> &programRows() {
  static const std::vector<ProgramRow> rows = {
      {"compilers",
       "clang",
       {"clang++-22", "clang++"},
       "device code is compiled to PTX without a toolkit",
       "running and checking programs needs nvcc"},
      {"compilers",
       "host compiler",
       {"g++", "c++"},
       "C++ headers and a linker for Clang, and the host compiler of nvcc",
       "programs that include C++ headers cannot be parsed or compiled"},
      {"building Heddle", "cmake", {"cmake"}, "Heddle can be built", "Heddle cannot be built"},
      {"building Heddle", "ninja", {"ninja"}, "Heddle can be built", "Heddle cannot be built"},
      {"building Heddle",
       "ccache",
       {"ccache"},
       "files that did not change are not compiled again",
       "building again takes as long as the first time"},
      {"building Heddle",
       "FileCheck",
       {"FileCheck-22", "FileCheck"},
       "the golden tests can run",
       "the golden tests cannot run"},
      {"building Heddle",
       "lit",
       {"lit-22", "lit"},
       "the golden tests can run",
       "the golden tests cannot run"},
      {"building Heddle",
       "clang-format",
       {"clang-format-22"},
       "'make format' works",
       "'make format' does not"},
  };
  return rows;
}

std::optional<fs::path> pathOf(const ProgramRow &row) {
  if (row.name == std::string_view("clang"))
    return findClang(); // a package has its own, which is not on the PATH
  for (const char *spelling : row.spellings)
    if (std::optional<fs::path> path = findProgram(spelling))
      return path;
  return std::nullopt;
}

Finding probeProgram(const ProgramRow &row) {
  Finding f = describe(row.section, row.name, row.gives, row.without);
  if (std::optional<fs::path> path = pathOf(row))
    setFound(f, *path, versionOf(*path, R"(([0-9]+\.[0-9]+(\.[0-9]+)*))"));
  if (!f.found)
    f.note = fmt::format("no {} on the PATH", row.spellings.front());
  return f;
}

Finding probeFolder(const char *folder, const char *name, const char *gives, const char *without) {
  Finding f = describe("Heddle's own data", name, gives, without);
  if (fs::path found = dataFolder(folder); !found.empty())
    setFound(f, found);
  else
    f.note = fmt::format("no '{}' in $HEDDLE_DATA or beside the program", folder);
  return f;
}

} // namespace

std::vector<Finding> findingsOfDoctor(const std::string &cudaPath) {
  std::vector<Finding> findings;
  probeToolkit(cudaPath, findings);
  probeGpu(findings);
  for (const ProgramRow &row : programRows())
    findings.push_back(probeProgram(row));
  findings.push_back(probeFolder("arch", "tables", "limits and occupancy of every GPU generation",
                                 "no occupancy can be computed"));
  findings.push_back(probeFolder("runtime/cuda", "CUDA headers", "kernels can be parsed without a toolkit",
                                 "kernels can be parsed only with a toolkit"));
  return findings;
}

} // namespace heddle::cli

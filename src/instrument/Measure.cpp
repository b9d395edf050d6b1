// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//  1. The program is started to list the device code that it registers before main, which is not called.
//  2. Counters are inserted into the PTX of each image, and what the runtime is to load instead is put beside it.
//  3. The program runs. The preloaded library (preload/) exchanges the images and writes the counters of each launch.
//  4. Counters become profiles.
#include "instrument/Measure.h"

#include "instrument/CountedProfile.h"
#include "ptx/Fatbin.h"
#include "ptx/Parser.h"
#include "support/Files.h"
#include "support/LibraryFolder.h"
#include "support/Paths.h"
#include "support/Preload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::instrument {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> environmentWith(const fs::path &folder, bool lists) {
  std::vector<std::string> environment = {"HEDDLE_COUNTING=" + folder.string(),
                                          std::string("HEDDLE_COUNTING_LIST=") + (lists ? "1" : "")};
  for (std::string &variable : preloading(libraryFolder() / "libheddle_counting.so"))
    environment.push_back(std::move(variable));
  return environment;
}

/// NAME ROWS-OF-THREADS ROWS-OF-WARPS ROWS-OF-VALUES and the rows of divergences (preload/Images.cpp).
std::string rowsText(const CountedPtx &counted) {
  std::string text;
  for (const auto &[kernel, rows] : counted.kernels)
    text += fmt::format("{} {} {} {} {}\n", kernel, rows.ofThreads, rows.ofWarps, rows.ofValues,
                        fmt::join(rows.divergences, " "));
  return text;
}

class Measuring {
public:
  Measuring(const MeasureRequest &given, Diagnostics &problems) : request(given), diagnostics(problems) {}

  std::optional<Measured> run() {
    if (!instrumentAll())
      return std::nullopt;
    Measured measured;
    measured.end = request.run(environmentWith(folder.path(), false));
    const std::optional<CountingResult> result = readResult(folder.path() / "result");
    if (!result)
      return measured;
    measured.isSeen = true;
    measured.device = result->device;
    measured.unknown = result->unknown;
    measured.error = result->error;
    measured.profile.skipped = result->skipped;
    measured.profile.stopped = result->stopped;
    for (uint64_t i = 0; i < result->counted; ++i)
      if (std::optional<CountedLaunch> launch = readLaunch(folder.path() / fmt::format("launch-{}", i)))
        addLaunch(*launch, measured);
    measured.profile.complete = true;
    return measured;
  }

private:
  struct Known {
    InstrumentedModule instrumented;
    std::map<std::string, unsigned> registers;
  };

  bool instrumentAll() {
    const ProcessResult listed = request.run(environmentWith(folder.path(), true));
    if (!listed.succeeded()) {
      diagnostics.error({}, fmt::format("the program {} before main is called", howEnded(listed)));
      return false;
    }
    bool good = true;
    std::vector<fs::path> found;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder.path()))
      if (entry.path().extension() == ".found")
        found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    for (const fs::path &file : found)
      good &= instrumentOne(file);
    return good;
  }

  bool instrumentOne(const fs::path &file) {
    std::string why;
    const std::string content = contentsOf(file) + '\0';
    const std::optional<ptx::DeviceImage> image = ptx::ptxFromImage(content.data(), request.smVersion, why);
    if (!image) {
      diagnostics.error({}, "device code of the program cannot be instrumented: " + why);
      return false;
    }
    const std::string hash = file.stem().string();
    Known &known = modules[hash];
    known.instrumented.module = ptx::parse(image->ptx, "the program's PTX", diagnostics);
    if (diagnostics.has(Severity::Error))
      return false;
    std::optional<CountedPtx> counted = addCounters(image->ptx, known.instrumented.module, diagnostics);
    if (!counted)
      return false;
    const std::optional<std::string> assembled = request.assemble(counted->text, diagnostics);
    if (!assembled)
      return false;
    known.instrumented.counted = std::move(*counted);
    if (request.registersOf)
      known.registers = request.registersOf(image->ptx);
    writeFileOrThrow(folder.path() / (hash + ".image"), *assembled);
    writeFileOrThrow(folder.path() / (hash + ".rows"), rowsText(known.instrumented.counted));
    return true;
  }

  void addLaunch(const CountedLaunch &launch, Measured &measured) const {
    const auto known = modules.find(launch.image);
    if (known == modules.end())
      return;
    const auto registers = known->second.registers.find(launch.kernel);
    measured.profile.launches.push_back(
        profileOf(launch, known->second.instrumented,
                  registers == known->second.registers.end() ? 0 : registers->second));
    if (launch.every > 1) {
      uint32_t &every = measured.sampled[launch.kernel];
      every = std::max(every, launch.every);
    }
  }

  const MeasureRequest &request;
  Diagnostics &diagnostics;
  const TemporaryFolder folder;
  std::map<std::string, Known> modules; ///< by hash of the image
};

} // namespace

std::optional<Measured> measure(const MeasureRequest &request, Diagnostics &diagnostics) {
  return Measuring(request, diagnostics).run();
}

} // namespace heddle::instrument

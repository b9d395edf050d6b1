// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/preload/Result.h"

#include "trace/preload/JsonText.h"

#include <cstdio>

namespace heddle::capture {
namespace {

using trace::quoted;

std::string listOf(const dim3 &size) {
  return "[" + std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z) + "]";
}

std::string countsOf(const std::map<std::string, uint64_t> &counts) {
  std::string out = "{";
  for (const auto &[kernel, count] : counts)
    out += (out.size() > 1 ? "," : "") + quoted(kernel) + ":" + std::to_string(count);
  return out + "}";
}

std::string textOfResult(const Result &result, const Survey &survey) {
  std::string out = "{\"refused\":" + quoted(result.refused) +
                    ",\n\"at_rest\":" + (result.isAtRest ? "true" : "false") + ",\n\"captured\":[";
  for (const Result::Captured &each : result.captured)
    out += std::string(&each == result.captured.data() ? "" : ",") + "{\"folder\":" + quoted(each.folder) +
           ",\"launch\":" + std::to_string(each.launch) + "}";
  out += "],\n\"unit\":" + quoted(Survey::unit()) + ",\n\"shapes\":[";
  for (const Survey::Shape &shape : survey.shapes()) {
    char cost[32];
    std::snprintf(cost, sizeof cost, "%.3f", shape.cost);
    out += std::string(&shape == survey.shapes().data() ? "\n" : ",\n") +
           "{\"kernel\":" + quoted(shape.kernel) + ",\"grid\":" + listOf(shape.grid) +
           ",\"block\":" + listOf(shape.block) + ",\"shared\":" + std::to_string(shape.sharedBytes) +
           ",\"first\":" + std::to_string(shape.first) + ",\"launches\":" + std::to_string(shape.launches) +
           ",\"cost\":" + cost + "}";
  }
  return out + "],\n\"others\":" + countsOf(survey.otherKernels()) +
         ",\n\"graphs\":" + countsOf(survey.kernelsInGraphs()) + "}\n";
}

} // namespace

bool writeResult(const std::string &file, const Result &result, const Survey &survey) {
  const std::string fresh = file + ".new", text = textOfResult(result, survey);
  std::FILE *out = std::fopen(fresh.c_str(), "w");
  if (!out)
    return false;
  const bool isWritten = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return std::fclose(out) == 0 && isWritten && std::rename(fresh.c_str(), file.c_str()) == 0;
}

} // namespace heddle::capture

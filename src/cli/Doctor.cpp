// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle doctor: what this machine has, what each thing enables, and what is lost without it. Lacking
// something is no fault: Heddle does its job with neither toolkit nor GPU, so the exit code is 0 either way.
#include "DoctorFindings.h"
#include "InputOutput.h"
#include "Verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

const char *const aboutDoctor = R"(What this machine has, and what that enables

Examples:
  heddle doctor
  heddle doctor --cuda-path /opt/cuda-12.8    with this toolkit; 'none' for none at all
  heddle doctor --json

Exit code 0: done, also if something is missing; 2: bad usage; 4: standard output cannot be written.
)";

struct DoctorRequest {
  std::string cudaPath;
  bool json = false;
};

std::string mark(bool found, bool colour) {
  if (!colour)
    return found ? "yes" : "no ";
  return found ? "\033[32myes\033[0m" : "\033[33mno \033[0m";
}

std::string text(const std::vector<Finding> &findings, bool colour) {
  std::string out, section;
  for (const Finding &f : findings) {
    if (f.section != section)
      out += fmt::format("{}{}\n", section.empty() ? "" : "\n", f.section);
    section = f.section;
    std::string details =
        fmt::format("{}{}{}", f.version, f.version.empty() || f.where.empty() ? "" : "  ", f.where);
    out += fmt::format("  {}  {:<18} {}\n", mark(f.found, colour), f.name, f.found ? details : f.note);
    out += fmt::format("       {:<18} {}: {}\n", "", f.found ? "enables" : "without it",
                       f.found ? f.gives : f.without);
  }
  return out;
}

Json json(const std::vector<Finding> &findings) {
  Json result = {{"schema", "heddle.doctor/2"}, {"findings", Json::array()}};
  for (const Finding &f : findings)
    result["findings"].push_back({{"section", f.section},
                                  {"name", f.name},
                                  {"found", f.found},
                                  {"version", f.version},
                                  {"where", f.where},
                                  {"note", f.note},
                                  {"enables", f.gives},
                                  {"without", f.without}});
  return result;
}

} // namespace

void addDoctor(CLI::App &app, Session &session) {
  auto request = std::make_shared<DoctorRequest>();
  CLI::App *verb = app.add_subcommand("doctor", aboutDoctor);
  verb->add_option(
          "--cuda-path", request->cudaPath,
          "the CUDA toolkit's folder, or 'none' (default: searched in $CUDA_PATH and the usual places)")
      ->type_name("DIR");
  verb->add_flag("--json", request->json, "print the same facts as JSON");
  verb->callback([request, &session] {
    std::vector<Finding> findings = findingsOfDoctor(request->cudaPath);
    if (request->json)
      std::cout << jsonText(json(findings));
    else
      std::cout << text(findings, session.colour);
  });
}

} // namespace heddle::cli

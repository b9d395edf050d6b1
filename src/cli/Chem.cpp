// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle chem: a combustion mechanism, evaluated or turned into kernels.
#include "Verbs.h"
#include "chem/Evaluator.h"
#include "chem/MechanismFiles.h"
#include "chem/SpeciesList.h"
#include "kernels/Package.h"
#include "support/Diagnostics.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const char *const about =
    R"(A combustion mechanism: rates and transport at given states, or kernels that compute them

Examples:
  heddle chem examples/hydrogen --evaluate states.json         a folder with chem.inp, therm.dat and tran.dat
  heddle chem chem.inp therm.dat tran.dat --evaluate s.json    the files by name
  heddle chem mechanism.yaml --evaluate states.json            Cantera's format
  heddle chem examples/hydrogen -o kernels                     CUDA and C++ for it, with a self-test
  heddle chem gri30 -o out --kernel viscosity,diffusion --form matrix,cpu
  heddle chem dme --evaluate s.json --qssa qss.txt --stiff stiff.txt --dt 1e-8

states.json is {"species": ["H2", ...], "states": [{"T": 1000, "P": 101325, "X": [0.2, ...]}, ...]}, in K, Pa and
mole fractions. What comes out is JSON in SI units with kmol, a state for each of these.

Kernels are viscosity, conductivity, diffusion and chemistry; forms are plain (a GPU, one thread a point), matrix
(viscosity and diffusion on FP64 tensor cores) and cpu. DIR/README.md says what was made and how it is built.
Exit code 3: a file is wrong, with what is wrong in it.
)";

struct Request {
  std::vector<fs::path> mechanism;
  std::string form;
  fs::path states, quasiSteady, stiff;
  double timeStep = 0;
  fs::path folder;
  std::vector<std::string> kernels = {"viscosity", "conductivity", "diffusion", "chemistry"};
  std::vector<std::string> forms = {"plain", "matrix", "cpu"};
  std::string units = "si", fits = "cantera";
};

/// Everything that was read of what was asked for.
struct Input {
  chem::Mechanism mechanism;
  std::vector<chem::GivenState> states;
  chem::Treatment treatment;
};

std::vector<unsigned> readList(const fs::path &file, const chem::Mechanism &mechanism,
                               Diagnostics &diagnostics) {
  if (file.empty())
    return {};
  std::optional<chem::SourceText> source = chem::readSource(file, diagnostics);
  return source ? readSpeciesList(*source, mechanism, diagnostics) : std::vector<unsigned>();
}

std::optional<chem::MechanismForm> formOf(const std::string &name) {
  if (name.empty())
    return std::nullopt;
  return name == "yaml" ? chem::MechanismForm::Yaml : chem::MechanismForm::Chemkin;
}

std::optional<Input> read(const Request &request, Diagnostics &diagnostics) {
  std::optional<chem::Mechanism> mechanism =
      chem::readMechanism({request.mechanism, formOf(request.form), false}, diagnostics);
  if (!mechanism)
    return std::nullopt;
  Input input = {std::move(*mechanism), {}, {}};
  if (std::optional<chem::SourceText> source = chem::readSource(request.states, diagnostics)) {
    input.states =
        readStates(*source, input.mechanism, diagnostics).value_or(std::vector<chem::GivenState>());
    warnOutsideRange(*source, input.mechanism, input.states, diagnostics);
  }
  input.treatment.quasiSteady = readList(request.quasiSteady, input.mechanism, diagnostics);
  input.treatment.stiffness = {readList(request.stiff, input.mechanism, diagnostics), request.timeStep};
  return diagnostics.has(Voice::Error) ? std::nullopt : std::optional(std::move(input));
}

/// The evaluations as JSON; nothing where something is wrong.
std::optional<std::string> evaluate(const Request &request, Diagnostics &diagnostics) {
  std::optional<Input> input = read(request, diagnostics);
  if (!input)
    return std::nullopt;
  chem::Evaluator evaluator(input->mechanism, input->treatment, diagnostics);
  if (diagnostics.has(Voice::Error))
    return std::nullopt;
  std::vector<chem::Evaluation> results;
  for (const chem::GivenState &state : input->states)
    results.push_back(evaluator.at(state));
  return writeEvaluations(input->mechanism, evaluator, results);
}

void printEvaluations(const Request &request, Session &session) {
  Diagnostics diagnostics;
  std::optional<std::string> result = evaluate(request, diagnostics);
  print(std::cerr, diagnostics, session.colour);
  if (result)
    std::cout << *result;
  session.exitCode = result ? 0 : 3;
}

/// What of an enumeration's members is named in a list.
template <class Member>
std::vector<Member> named(const std::vector<std::string> &names, std::initializer_list<Member> all) {
  std::vector<Member> found;
  for (Member member : all)
    if (std::ranges::find(names, kernels::nameOf(member)) != names.end())
      found.push_back(member);
  return found;
}

std::string commandOf(const Request &request) {
  std::string command = "heddle chem";
  for (const fs::path &path : request.mechanism)
    command += " " + path.filename().string();
  const auto join = [](const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
      text += (text.empty() ? "" : ",") + word;
    return text;
  };
  command += " --kernel " + join(request.kernels) + " --form " + join(request.forms);
  return command + " --units " + request.units + " --fits " + request.fits;
}

kernels::PackageRequest packageOf(const Request &request, const chem::Mechanism &mechanism) {
  using enum kernels::Kernel;
  using enum kernels::Form;
  kernels::PackageRequest package;
  package.kernels = named(request.kernels, {Viscosity, Conductivity, Diffusion, Chemistry});
  package.forms = named(request.forms, {Plain, Matrix, Cpu});
  package.options.prefix = kernels::prefixOf(mechanism.name);
  package.options.units = request.units == "cgs" ? kernels::Units::Cgs : kernels::Units::Si;
  package.fits = request.fits == "chemkin" ? chem::FitForm::Chemkin : chem::FitForm::Cantera;
  package.command = commandOf(request);
  return package;
}

/// Everything or nothing: files are written once all of them are made.
void writeKernels(const Request &request, Session &session) {
  Diagnostics diagnostics;
  std::optional<chem::Mechanism> mechanism =
      chem::readMechanism({request.mechanism, formOf(request.form), false}, diagnostics);
  std::vector<kernels::SourceFile> files;
  if (mechanism)
    files = kernels::makePackage(*mechanism, packageOf(request, *mechanism), diagnostics);
  print(std::cerr, diagnostics, session.colour);
  if (!mechanism || diagnostics.has(Voice::Error) || diagnostics.has(Voice::Refusal)) {
    session.exitCode = mechanism ? 1 : 3;
    return;
  }
  std::error_code error;
  fs::create_directories(request.folder, error);
  for (const kernels::SourceFile &file : files)
    if (!(std::ofstream(request.folder / file.name, std::ios::binary) << file.text).flush()) {
      complain(session, "cannot write " + (request.folder / file.name).string(),
               "-o names a folder, which is made where it is not there", 2);
      return;
    }
  std::cout << request.folder.string() << ": " << files.size() << " files for " << mechanism->species.size()
            << " species and " << mechanism->reactions.size() << " reactions\n";
}

void run(const Request &request, Session &session) {
  if (!request.states.empty())
    printEvaluations(request, session);
  else if (!request.folder.empty())
    writeKernels(request, session);
  else
    complain(session, "what of this mechanism?", "--evaluate STATES.json, or -o DIR for kernels", 2);
}

} // namespace

void addChem(CLI::App &app, Session &session) {
  auto request = std::make_shared<Request>();
  CLI::App *verb = app.add_subcommand("chem", about);
  verb->add_option("mechanism", request->mechanism, "a folder, or the files by name")
      ->required()
      ->expected(1, 3);
  CLI::Option *states =
      verb->add_option("--evaluate", request->states, "print everything at the states of this file");
  verb->add_option("-o,--output", request->folder, "write kernels into this folder")->excludes(states);
  verb->add_option("--kernel", request->kernels, "which kernels; all where it is not given")
      ->delimiter(',')
      ->check(CLI::IsMember({"viscosity", "conductivity", "diffusion", "chemistry"}));
  verb->add_option("--form", request->forms, "in which forms; all where it is not given")
      ->delimiter(',')
      ->check(CLI::IsMember({"plain", "matrix", "cpu"}));
  verb->add_option("--units", request->units, "of the generated functions: si or cgs")
      ->check(CLI::IsMember({"si", "cgs"}));
  verb->add_option("--fits", request->fits, "form of the transport fits: cantera or chemkin")
      ->check(CLI::IsMember({"cantera", "chemkin"}));
  verb->add_option("--from", request->form, "chemkin or yaml, where a folder holds both")
      ->check(CLI::IsMember({"chemkin", "yaml"}));
  verb->add_option("--qssa", request->quasiSteady, "a file that lists quasi-steady species, one a line");
  CLI::Option *stiff =
      verb->add_option("--stiff", request->stiff, "a file that lists stiff species, one a line");
  CLI::Option *step =
      verb->add_option("--dt", request->timeStep, "the time step that stiff species are damped for, s");
  step->check(CLI::PositiveNumber);
  stiff->needs(step);
  step->needs(stiff);
  verb->callback([request, &session] { run(*request, session); });
}

} // namespace heddle::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle analyze: read flags, gather each kernel's facts, print them as a page or as JSON.
#include "InputOutput.h"
#include "KernelOption.h"
#include "SourceOptions.h"
#include "Verbs.h"
#include "analysis/KernelFacts.h"
#include "analysis/PtxRegisters.h"
#include "arch/Arch.h"
#include "report/AnalyzeHtml.h"
#include "report/AnalyzeReport.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "transform/DryRun.h"
#include "transform/Registry.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <future>
#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

const char *const aboutAnalyze =
    R"(What a kernel does and what limits it: launch, barriers, accesses, divergence, registers, occupancy

Examples:
  heddle analyze kernel.cu                         every kernel of the file
  heddle analyze kernel.cu -k reduce --block 256   one kernel, for a block that the file does not give
  heddle analyze kernel.cu --arch sm_80 --json     for another GPU, for a program to read
  heddle analyze kernel.cu --report kernel.html    also an HTML page: source with remarks, regions, occupancy

Exit code 0: done, also with findings; 1: the file has no kernel; 2: bad usage, no such file, or no such kernel; 3: the file does not
compile; 4: a file or standard output cannot be read or written.
)";

struct AnalyzeRequest {
  std::string file, kernel, block, page;
  bool json = false, noPtxas = false, noOpportunities = false;
  SourceOptions source;
};

/// What each directive can do for the kernel by its facts, each of them tried.
std::vector<report::Opportunity> opportunitiesOf(const analysis::KernelFacts &facts,
                                                 transform::DryRun &dryRun) {
  std::vector<report::Opportunity> all;
  for (const transform::DirectiveRule &rule : transform::directiveRules())
    if (rule.opportunities)
      for (const transform::Opportunity &opportunity : rule.opportunities(facts)) {
        transform::Tried tried = dryRun.of(opportunity, facts);
        all.push_back({tried.directive, tried.arguments, opportunity.why, tried.refusal,
                       tried.sharedLoadsSaved, tried.globalLoadsSaved, facts.registersPerThread(),
                       tried.registers});
      }
  return all;
}

void analyze(AnalyzeRequest &request, Session &session) {
  analysis::FactOptions options;
  if (!request.block.empty() && !(options.block = parseBlock(request.block)))
    return complain(session, fmt::format("'{}' is not a block", request.block),
                    "up to three numbers from 1 to 1024 with commas between them, as in --block 16,16",
                    ExitBadUsage);
  if (!request.source.readBuildFlags(request.file))
    return;
  Diagnostics diagnostics;
  std::optional<arch::Arch> arch = arch::findArch(request.source.archName(), diagnostics);
  if (!arch) {
    print(std::cerr, diagnostics, session.errorColour);
    session.exitCode = ExitBadUsage;
    return;
  }
  options.arch = &*arch;
  if (!canReadText(request.file, session) || !areNotPtx({request.file}, session) ||
      !canWrite(request.page, session))
    return;

  // Compiling takes as long as reading the file does; the two go on at the same time.
  // Clang has no target for GPUs before sm_50: the file is parsed for another one, whose registers are not those of this GPU.
  std::future<analysis::TrueRegisters> counting;
  const source::CompileOptions compileOptions = request.source.compileOptions();
  if (compileOptions.arch.starts_with(arch->name))
    counting =
        std::async(std::launch::async, analysis::trueRegisters, request.file, compileOptions,
                   analysis::RegistersAsked{!request.noPtxas, analysis::registersAtFullOccupancy(*arch)});
  std::shared_ptr<const source::Program> program = readProgram(request.file, request.source, session);
  if (!program)
    return;
  std::vector<const source::Kernel *> kernels = chooseKernels(*program, request.kernel, session);

  analysis::TrueRegisters truth;
  if (counting.valid())
    truth = counting.get();
  nlohmann::ordered_json json = {
      {"schema", "heddle.analyze/1"}, {"file", request.file}, {"kernels", nlohmann::ordered_json::array()}};
  report::AnalyzeHtml page(request.file, *arch);
  transform::Options dryRunOptions;
  dryRunOptions.compile = compileOptions;
  dryRunOptions.block = options.block;
  dryRunOptions.arch = options.arch;
  transform::DryRun dryRun(program, contentsOf(request.file), dryRunOptions);
  for (const source::Kernel *kernel : kernels) {
    auto found = truth.kernels.find(kernel->mangledName);
    options.compiled = found == truth.kernels.end() ? std::nullopt : std::optional(found->second);
    const auto likely = truth.likely.find(kernel->mangledName);
    options.likelyRegisters = likely == truth.likely.end() ? std::nullopt : std::optional(likely->second);
    std::unique_ptr<analysis::KernelFacts> facts = analysis::KernelFacts::of(*program, *kernel, options);
    std::optional<std::vector<report::Opportunity>> opportunities;
    if (!request.noOpportunities)
      opportunities = opportunitiesOf(*facts, dryRun);
    const auto shown = opportunities.value_or(std::vector<report::Opportunity>());
    if (!request.page.empty())
      page.add(*facts, shown);
    if (request.json)
      json["kernels"].push_back(report::analyzeJson(*facts, *arch, opportunities));
    else
      std::cout << (kernel == kernels.front() ? "" : "\n") << report::analyzeText(*facts, *arch, shown);
  }
  if (request.json && !kernels.empty())
    std::cout << jsonText(json);
  if (!request.page.empty() && !kernels.empty())
    write(request.page, page.html(), session);
}

} // namespace

void addAnalyze(CLI::App &app, Session &session) {
  auto request = std::make_shared<AnalyzeRequest>();
  CLI::App *verb = app.add_subcommand("analyze", aboutAnalyze);
  verb->add_option("FILE", request->file, "the .cu file")->required();
  session.operands["analyze"] = {"FILE [COMPILER-OPTION...]", cudaFiles()};
  addKernelOption(*verb, request->kernel,
                  "only this kernel; of a template, all instantiations (default: all kernels of the file)");
  verb->add_option("--block", request->block,
                   "the block size to assume (default: from the launches in the file)")
      ->type_name("X[,Y[,Z]]");
  verb->add_flag("--json", request->json, "print the same facts as JSON");
  verb->add_option("--report", request->page, "also write a self-contained HTML page")->type_name("FILE");
  verb->add_flag("--no-ptxas", request->noPtxas, "do not compile with ptxas to get register counts");
  verb->add_flag("--no-opportunities", request->noOpportunities,
                 "do not try what directives would do: most of the time goes there");
  request->source.addTo(*verb, session);
  verb->callback([request, &session] {
    if (!session.programArguments.empty()) {
      Diagnostics diagnostics;
      diagnostics.warning({}, "arguments after -- have no effect: analyze does not run the program");
      print(std::cerr, diagnostics, session.errorColour);
    }
    analyze(*request, session);
  });
}

} // namespace heddle::cli

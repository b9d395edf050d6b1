// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "arch/Arch.h"
#include "report/AnalyzeReport.h"
#include "report/Html.h"

#include <string>
#include <vector>

namespace heddle::report {

/// The HTML page of `heddle analyze`: add each kernel, then take the page. Of a kernel it shows the launch, the source with
/// accesses, divergent branches, barriers and findings at their lines, the tree of regions, occupancy, and all accesses.
class AnalyzeHtml {
public:
  AnalyzeHtml(std::string file, const arch::Arch &arch);
  void add(const analysis::KernelFacts &facts, const std::vector<Opportunity> &opportunities);
  std::string html() const { return page.html(); }

private:
  HtmlPage page;
  const arch::Arch &arch;
};

} // namespace heddle::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is generated for a mechanism, as one folder: kernels, a header with their C functions, a
// self-test against the evaluator, a CMake target and a page that says what is what.
#pragma once

#include "chem/Evaluator.h"
#include "chem/Fits.h"
#include "chem/Mechanism.h"
#include "kernels/Chemistry.h"
#include "kernels/Warps.h"

namespace heddle::kernels {

struct PackageRequest {
  std::vector<Kernel> kernels;
  std::vector<Variant> variants;
  Options options;
  chem::FitForm fits = chem::FitForm::Cantera;
  ChemistryLayout layout;
  WarpsLayout warps;
  chem::Treatment treatment; ///< of chemistry; its time step is the self-test's
  std::string command;       ///< that it was made with, for the page
};

/// Kernels that do not exist in a variant are left out; at least one must be there. Errors go to diagnostics.
std::vector<SourceFile> makePackage(const chem::Mechanism &mechanism, const PackageRequest &request,
                                    Diagnostics &diagnostics);

/// Is a file of this name and text one of a package? Those of earlier versions are, too.
bool wasGenerated(std::string_view name, std::string_view text);

/// A C identifier made of a mechanism's name, which is also the name of a header and of a CMake target.
std::string prefixOf(const std::string &mechanismName);

} // namespace heddle::kernels

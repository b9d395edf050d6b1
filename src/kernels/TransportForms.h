// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of transport kernels, a file each: what a generated file holds.
#pragma once

#include "kernels/TransportTables.h"

namespace heddle::kernels {

/// One kernel to be written.
struct TransportTask {
  const TransportModel &model;
  Kernel kernel;
  Form form;
  const Options &options;
  std::string name; ///< of the C function

  size_t species() const { return model.mechanism.species.size(); }
  bool chemkin() const { return model.fits.form == chem::FitForm::Chemkin; }
};

/// Why there is no such kernel; empty where there is.
std::string reasonAgainst(const TransportTask &task);

/// What it computes and how, in a sentence.
std::string aboutText(const TransportTask &task);

/// The lines that say what the file is.
std::string titleText(const TransportTask &task);

std::string plainText(const TransportTask &task);
std::string matrixText(const TransportTask &task, const MatrixShape &shape);
std::string cpuText(const TransportTask &task);

/// The matrix form holds a product's constants in shared memory: no more species than this.
inline constexpr size_t mostMatrixSpecies = 160;

} // namespace heddle::kernels

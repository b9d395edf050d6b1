// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variants of transport kernels, a file each. A kernel is written by hand, as a header of src/kernels/templates
// that is copied into the package; a variant chooses one by the number of species, and makes the numbers and tables
// that the header is included after.
#pragma once

#include "kernels/TransportTables.h"
#include "model/Thresholds.h"

#include <concepts>

namespace heddle::kernels {

/// One kernel to be written.
struct TransportTask {
  const TransportModel &model;
  Kernel kernel;
  Variant variant;
  const Options &options;
  std::string name; ///< of the C function

  size_t species() const { return model.mechanism.species.size(); }
  bool chemkin() const { return model.fits.form == chem::FitForm::Chemkin; }
  const Real &real() const { return realOf(options.precision); }
};

/// `constexpr type name = value; // about`
struct TransportNumber {
  std::string type, name, value, about;

  TransportNumber(std::string name, size_t value, std::string about = "")
      : type("int"), name(std::move(name)), value(std::to_string(value)), about(std::move(about)) {}
  template <std::same_as<bool> Bool>
  TransportNumber(std::string name, Bool value, std::string about = "")
      : type("bool"), name(std::move(name)), value(value ? "true" : "false"), about(std::move(about)) {}
  TransportNumber(std::string name, double value, const Real &real, std::string about = "")
      : type("hdl_real"), name(std::move(name)), value(real.literal(value)), about(std::move(about)) {}
};

/// `space const hdl_real name shape = { rows };`
struct TransportTable {
  std::string about, space, name, shape, rows;
};

struct TransportKernel {
  std::string header;              ///< the kernel
  std::vector<std::string> shared; ///< headers that it needs; the first is included by the generated file
  std::vector<TransportNumber> numbers;
  std::vector<TransportTable> tables;
  size_t sharedBytes = 0; ///< of a block: what the header asks for when it launches
};

TransportKernel plainKernel(const TransportTask &task);
TransportKernel matrixKernel(const TransportTask &task, const MatrixShape &shape);
TransportKernel cpuKernel(const TransportTask &task);

/// Why there is no such kernel; empty where there is.
std::string reasonAgainst(const TransportTask &task);

/// What it computes and how, in a sentence.
std::string aboutText(const TransportTask &task);

/// The lines that say what the file is.
std::string titleText(const TransportTask &task);

/// What a fit's numbers are, for tables of all variants.
TransportNumber fitsAreLogarithms(const TransportTask &task);
TransportTable viscosityFits(const TransportTask &task, const WilkeTables &wilke, std::string space);
TransportTable conductivityTable(const TransportTask &task, std::string space);
TransportTable weightTable(const TransportTask &task, std::string space);
/// Every pair once: (0,1), (0,2), ..., (1,2), ...
TransportTable pairTable(const TransportTask &task, std::string space);
/// W, sqrt(W), 1/sqrt(8 W).
TransportTable wilkeWeights(const TransportTask &task, const WilkeTables &wilke, std::string space);
TransportNumber unitNumber(const TransportTask &task);

/// The matrix variant holds a product's constants in shared memory: no more species than this.
inline constexpr size_t mostMatrixSpecies = model::threshold::transport::mostMatrixSpecies;

} // namespace heddle::kernels

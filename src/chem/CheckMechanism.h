// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold of a mechanism, whatever file it came from. The readers call the first of these.
#pragma once

#include "chem/Mechanism.h"

namespace heddle::chem {

/// Elements are conserved (electrons, and with them charge, among them), temperature ranges meet, geometries agree with
/// the number of atoms, falloff has parameters that give a rate, and no two reactions are the same unless both are marked
/// as duplicates: written out in reverse or as a multiple, too.
void checkMechanism(const Mechanism &mechanism, Diagnostics &diagnostics);

/// Every species has transport data, and the file asks for no other transport model than mixture averages: for those who
/// need transport.
void checkTransport(const Mechanism &mechanism, Diagnostics &diagnostics);
/// The data as warnings, for those who go on without transport.
void warnWithoutTransport(const Mechanism &mechanism, Diagnostics &diagnostics);
/// The model as a warning, for those who may not need transport.
void warnOfTransportModel(const Mechanism &mechanism, Diagnostics &diagnostics);

} // namespace heddle::chem

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Maker.h"

namespace heddle::tune {

/// Makes a candidate of every configuration at once, with nothing in it but its name.
class EasyMaker : public Maker {
public:
  Made make(const Configuration &configuration) override {
    Candidate candidate;
    candidate.configuration = configuration;
    candidate.digest = configuration.str();
    return {candidate, runner::Status::Measured, "", 0, ""};
  }
};

} // namespace heddle::tune

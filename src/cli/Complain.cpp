// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verbs.h"
#include "support/Diagnostics.h"

#include <iostream>

namespace heddle::cli {

bool complain(const Diagnostics &diagnostics, Session &session, int exitCode) {
  if (diagnostics.empty())
    return false;
  print(std::cerr, diagnostics, session.errorColour);
  session.exitCode = exitCode;
  return true;
}

void complain(Session &session, const std::string &text, const std::string &hint, int exitCode) {
  Diagnostics diagnostics;
  diagnostics.error({}, text).withHint(hint);
  complain(diagnostics, session, exitCode);
}

} // namespace heddle::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <mutex>
#include <string>
#include <string_view>

namespace heddle::cudart {

/// Prints on stderr: "heddle: <text>". The runtime is part of the user's program, which owns
/// stdout.
void report(std::string_view text);

/// The same for what the simulator had to refuse or stop.
void reportFailure(std::string_view text);
void reportFailure(const Diagnostics &diagnostics);
void reportFailure(const Diagnostic &diagnostic);
/// The same without a message: another component reports it.
void noteFailure();
bool anyFailure();

/// Text of device-side printf. It goes to the program's stdout when the host waits for the device, as the
/// real runtime does it, so that its place among the host's own lines does not depend on timing.
class DeviceOutput {
public:
  void add(std::string_view text);
  void flush();

private:
  std::mutex guard;
  std::string pending;
};

} // namespace heddle::cudart

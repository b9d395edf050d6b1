// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/preload/Settings.h"

#include <cstdlib>

namespace heddle::capture {
namespace {

std::string textFrom(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? text : "";
}

bool isSet(const char *variable) {
  const std::string text = textFrom(variable);
  return !text.empty() && text != "0";
}

} // namespace

Settings Settings::fromEnvironment() {
  Settings settings;
  settings.folder = textFrom("HEDDLE_CAPTURE");
  settings.resultFile = textFrom("HEDDLE_CAPTURE_RESULT");
  settings.kernel = textFrom("HEDDLE_CAPTURE_KERNEL");
  const std::string launch = textFrom("HEDDLE_CAPTURE_LAUNCH");
  if (launch == "all")
    settings.which = Which::EachShape;
  else if (!launch.empty()) {
    settings.which = Which::Numbered;
    settings.number = std::strtoull(launch.c_str(), nullptr, 10);
  }
  settings.allMemory = isSet("HEDDLE_CAPTURE_ALL_MEMORY");
  settings.stops = isSet("HEDDLE_CAPTURE_STOP");
  settings.arch = textFrom("HEDDLE_CAPTURE_ARCH");
  settings.program = textFrom("HEDDLE_CAPTURE_PROGRAM");
  settings.turnFile = textFrom("HEDDLE_CAPTURE_TURN");
  return settings;
}

} // namespace heddle::capture

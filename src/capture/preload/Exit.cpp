// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may end without its exit handlers.
#include "capture/preload/CaptureRecorder.h"

#include <cstdlib>
#include <unistd.h>

extern "C" {
void _exit(int code) {
  heddle::capture::CaptureRecorder::instance().finish();
  heddle::trace::real<void(int)>("_exit")(code);
  std::abort(); // not reached
}
void _Exit(int code) noexcept { _exit(code); }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the start-up code of a program calls before main, and main itself.
#include "instrument/preload/CountRecorder.h"
#include "trace/preload/Real.h"

#include <cstdlib>
#include <unistd.h>

namespace {

using namespace heddle::instrument;

struct Wrapper {
  uint32_t magic, version;
  const void *image;
  const void *linked;
};
constexpr uint32_t WrapperMagic = 0x466243b1;

using Main = int(int, char **, char **);
int leaveAtOnce(int, char **, char **) { _exit(0); }

} // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *given) {
  auto *real = &HEDDLE_REAL_AS(void **(void *), "__cudaRegisterFatBinary");
  auto *wrapper = static_cast<Wrapper *>(given);
  Images &images = Images::instance();
  if (!images.isOn() || wrapper->magic != WrapperMagic || !wrapper->image)
    return real(given);
  Module *module = images.of(wrapper->image);
  if (!module->image.empty() && !module->isMarker) {
    wrapper = new Wrapper(*wrapper); // the runtime keeps the pointer
    wrapper->image = module->image.data();
  }
  void **handle = real(wrapper);
  CountRecorder::instance().opened(handle, module);
  return handle;
}

/// Of programs that Clang compiles for the simulator.
void __heddleProvidePtx(const char *marker, const char *text) {
  Images &images = Images::instance();
  if (auto *real = &HEDDLE_REAL_AS(void(const char *, const char *), "__heddleProvidePtx"))
    real(marker, images.isOn() ? images.provided(marker, text) : text);
}

int __libc_start_main(Main *program, int count, char **words, void (*begin)(), void (*end)(),
                      void (*loader)(), void *stack) {
  auto *real = &HEDDLE_REAL_AS(int(Main *, int, char **, void (*)(), void (*)(), void (*)(), void *),
                               "__libc_start_main");
  return real(Images::instance().isListing() ? leaveAtOnce : program, count, words, begin, end, loader,
              stack);
}
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang reads a precompiled header piece by piece, as a file needs it. At the end of each file it reads two lists back in full:
//   - functions of which a warning may say that they are unused. We parse with -w;
//   - functions that must be searched for calls of others in which an error was put off: CUDA code that is wrong for a device is an error only
//     where it is called from there. For CUDA that is every function of every header. The search ends at once where no error was
//     put off, but the functions have been read by then.
// Half of the time that parsing a small program takes is this. Clang asks for the lists through Sema's external source, and does not mind
// which class that is of: here it is one that hands every question on but these two.
#include "source/SparedReading.h"

#include <clang/Sema/MultiplexExternalSemaSource.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace heddle::source {
namespace {

class SparingSource : public MultiplexExternalSemaSource {
public:
  SparingSource(Sema &sema, llvm::IntrusiveRefCntPtr<ExternalSemaSource> all)
      : MultiplexExternalSemaSource(std::move(all), llvm::makeIntrusiveRefCnt<ExternalSemaSource>()),
        sema(sema) {}

  void ReadUnusedFileScopedDecls(llvm::SmallVectorImpl<const DeclaratorDecl *> &decls) override {
    if (!sema.getDiagnostics().getIgnoreAllWarnings())
      MultiplexExternalSemaSource::ReadUnusedFileScopedDecls(decls);
  }
  void ReadDeclsToCheckForDeferredDiags(llvm::SmallSetVector<Decl *, 4> &decls) override {
    if (!sema.DeviceDeferredDiags.empty())
      MultiplexExternalSemaSource::ReadDeclsToCheckForDeferredDiags(decls);
  }

private:
  Sema &sema;
};

} // namespace

void spareReadingAtEnd(Sema &sema) {
  if (sema.ExternalSource)
    sema.ExternalSource = llvm::makeIntrusiveRefCnt<SparingSource>(sema, std::move(sema.ExternalSource));
}

} // namespace heddle::source

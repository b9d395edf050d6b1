// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin for the Clang that precompiles headers (support/HeaderCache).
//
// Clang postpones errors in functions of which it does not know yet whether they are compiled for the host or for the GPU. When a file ends, it
// starts at each function that is certainly compiled and looks at what it calls. A precompiled header has a list of functions to start at:
// all that have a body and are no templates. Whoever uses the file reads these and what they depend on, most of the standard library: a third
// of what parsing a small program takes. It is of no use, since errors that were postponed while headers were precompiled are not in the
// file. Functions of system headers are removed from the list; those of the user, which may call what a program defines, are not.
// (Heddle's own parser does not read the list at all: source/SparedReading.)
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>

namespace {

/// Clang does not check that it has the Sema that a plugin was compiled for.
bool isOwnClang() { return clang::getClangFullVersion().find(CLANG_VERSION_STRING) != std::string::npos; }

class ForgettingConsumer : public clang::SemaConsumer {
public:
  void InitializeSema(clang::Sema &used) override { sema = &used; }
  void ForgetSema() override { sema = nullptr; }

  /// Called before the one that writes the file.
  void HandleTranslationUnit(clang::ASTContext &context) override {
    const clang::SourceManager &sources = context.getSourceManager();
    if (sema && isOwnClang())
      sema->DeclsToCheckForDeferredDiags.remove_if([&](const clang::Decl *declaration) {
        return sources.isInSystemHeader(declaration->getLocation());
      });
  }

private:
  clang::Sema *sema = nullptr;
};

class ForgettingAction : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<ForgettingConsumer>();
  }
  bool ParseArgs(const clang::CompilerInstance &, const std::vector<std::string> &) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

} // namespace

static clang::FrontendPluginRegistry::Add<ForgettingAction>
    forgetting("heddle-forget-checked",
               "remove functions of system headers from what is looked at when a file ends");

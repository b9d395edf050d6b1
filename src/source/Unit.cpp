// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Unit.h"

#include "source/EmbeddedHeaders.h"
#include "source/SparedReading.h"
#include "support/ClangProgram.h"
#include "support/Files.h"
#include "support/HeaderCache.h"
#include "support/OpeningHeaders.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/Stack.h>
#include <clang/Driver/CreateInvocationFromArgs.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <map>
#include <utility>

using namespace clang;

namespace heddle::source {
namespace {

/// Notes where the user's pragmas are.
class PragmaWatcher : public PPCallbacks {
public:
  PragmaWatcher(const SourceManager &sources, std::vector<clang::SourceLocation> &seen)
      : sources(sources), seen(seen) {}
  void PragmaDirective(clang::SourceLocation location, PragmaIntroducerKind) override {
    if (!sources.isInSystemHeader(sources.getExpansionLoc(location)))
      seen.push_back(location);
  }

private:
  const SourceManager &sources;
  std::vector<clang::SourceLocation> &seen;
};

/// Notes directives of Heddle that are written with the operator `_Pragma`.
class OperatorWatcher : public PragmaHandler {
public:
  explicit OperatorWatcher(std::vector<PragmaOperator> &seen) : PragmaHandler("heddle"), seen(seen) {}
  void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer, clang::Token &token) override {
    if (introducer.Kind == PIK_HashPragma ||
        preprocessor.getSourceManager().isInSystemHeader(
            preprocessor.getSourceManager().getExpansionLoc(introducer.Loc)))
      return;
    std::string text;
    for (preprocessor.LexUnexpandedToken(token); token.isNot(tok::eod);
         preprocessor.LexUnexpandedToken(token))
      text += (token.hasLeadingSpace() && !text.empty() ? " " : "") + preprocessor.getSpelling(token);
    seen.push_back({introducer.Loc, text});
  }

private:
  std::vector<PragmaOperator> &seen;
};

/// Writes down what is at the outermost level of the text that was read.
class TopLevelWatcher : public ASTConsumer {
public:
  TopLevelWatcher(CompilerInstance &compiler, std::vector<Decl *> &seen) : compiler(compiler), seen(seen) {}
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    if (!std::exchange(isSpared, true)) // earlier, Sema does not yet have what reads a precompiled header
      spareReadingAtEnd(compiler.getSema());
    for (Decl *decl : group)
      if (!isInstance(decl))
        seen.push_back(decl);
    return true;
  }
  /// What Clang reads back from a precompiled header without being asked: thousands of functions of the toolkit, and
  /// searches through them would read the bodies as well.
  void HandleInterestingDecl(DeclGroupRef group) override {
    for (Decl *decl : group)
      if (!decl->getASTContext().getSourceManager().isInSystemHeader(decl->getLocation()))
        HandleTopLevelDecl(DeclGroupRef(decl));
  }

private:
  /// What a template was made into is handed over too; a search finds it with its template.
  static bool isInstance(const Decl *decl) {
    auto *function = dyn_cast<FunctionDecl>(decl);
    return (function && function->isTemplateInstantiation()) || isa<VarTemplateSpecializationDecl>(decl);
  }
  CompilerInstance &compiler;
  std::vector<Decl *> &seen;
  bool isSpared = false;
};

/// Parses and checks, and writes down the preprocessed tokens on the way.
class ReadingAction : public SyntaxOnlyAction {
public:
  std::optional<syntax::TokenCollector> collector;
  std::vector<clang::SourceLocation> pragmas;
  std::vector<PragmaOperator> operators;
  std::vector<Decl *> topLevel;

private:
  bool BeginSourceFileAction(CompilerInstance &compiler) override {
    Preprocessor &preprocessor = compiler.getPreprocessor();
    collector.emplace(preprocessor);
    preprocessor.addPPCallbacks(std::make_unique<PragmaWatcher>(compiler.getSourceManager(), pragmas));
    preprocessor.AddPragmaHandler(new OperatorWatcher(operators)); // the preprocessor deletes it
    return true;
  }
  // Between the sides of a file the AST must stay: Clang's own action would let go of it at the end.
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
    return std::make_unique<TopLevelWatcher>(compiler, topLevel);
  }
};

/// Clang complains of each problem on both sides; a person wants the text, and the count of errors decides.
std::unique_ptr<CompilerInvocation> makeInvocation(const std::string &file, std::string_view text,
                                                   const std::vector<std::string> &arguments,
                                                   DiagnosticsEngine &engine,
                                                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  std::vector<std::string> command = {clangOfHeaders().string(), "-fsyntax-only", "-w"}, remaps;
  // A precompiled header is good for one command, and whose text the user's files have does not concern it.
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "-Xclang" && i + 3 < arguments.size() && arguments[i + 1] == "-remap-file") {
      remaps.insert(remaps.end(), arguments.begin() + long(i), arguments.begin() + long(i) + 4);
      i += 3;
    } else {
      command.push_back(arguments[i]);
    }
  // With other texts for headers, those on the disk say nothing about what comes first.
  const OpeningHeaders opening =
      remaps.empty() ? openingHeaders(text, std::filesystem::path(file).parent_path(), command)
                     : OpeningHeaders();
  command = withCachedHeaders(std::move(command), opening);
  command.insert(command.end(), remaps.begin(), remaps.end());
  std::vector<const char *> words;
  for (const std::string &word : command)
    words.push_back(word.c_str());
  words.push_back(file.c_str());
  CreateInvocationOptions options;
  options.Diags = llvm::IntrusiveRefCntPtr<DiagnosticsEngine>(&engine);
  options.VFS = std::move(files);
  return createInvocation(words, std::move(options));
}

} // namespace

struct Unit::Parts {
  std::string messages;
  std::unique_ptr<llvm::raw_string_ostream> messageStream;
  std::unique_ptr<CompilerInstance> compiler;
  std::unique_ptr<ReadingAction> action;
  std::unique_ptr<syntax::TokenBuffer> tokens;
  std::map<FileID, std::vector<TextRange>> embedded; ///< headers of ours in the text of the user's files
  ~Parts() {
    if (action)
      action->EndSourceFile();
  }
};

Unit::Unit() : parts(std::make_unique<Parts>()) {}
Unit::~Unit() = default;

Unit::Result Unit::parse(const std::string &file, const std::vector<std::string> &arguments, Side side,
                         const std::string *text) {
  noteBottomOfStack(); // lets Clang notice a deep recursion and go on with a new stack
  std::unique_ptr<Unit> unit(new Unit);
  Parts &parts = *unit->parts;
  unit->which = side;
  parts.messageStream = std::make_unique<llvm::raw_string_ostream>(parts.messages);

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = llvm::vfs::getRealFileSystem();
  if (text) {
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(files);
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    if (auto here = files->getCurrentWorkingDirectory())
      memory->setCurrentWorkingDirectory(*here);
    memory->addFile(file, 0, llvm::MemoryBuffer::getMemBufferCopy(*text, file));
    overlay->pushOverlay(memory);
    files = overlay;
  }

  DiagnosticOptions options;
  auto engine = CompilerInstance::createDiagnostics(
      *files, options, new TextDiagnosticPrinter(*parts.messageStream, options), /*ShouldOwnClient=*/true);
  engine->setIgnoreAllWarnings(true); // of the driver: "CUDA version is newer than..." does not help here
  std::unique_ptr<CompilerInvocation> invocation =
      makeInvocation(file, text ? *text : contentsOf(file), arguments, *engine, files);
  if (!invocation || engine->hasErrorOccurred())
    return {nullptr, parts.messages};
  // Everything stays in memory until we are done with it; Clang's driver asks for the opposite.
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getDiagnosticOpts().ShowColors = false;

  parts.compiler = std::make_unique<CompilerInstance>(std::move(invocation));
  CompilerInstance &compiler = *parts.compiler;
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(
      new TextDiagnosticPrinter(*parts.messageStream, compiler.getInvocation().getDiagnosticOpts()));
  if (!compiler.createTarget())
    return {nullptr, parts.messages};

  auto action = std::make_unique<ReadingAction>();
  if (!action->BeginSourceFile(compiler, compiler.getFrontendOpts().Inputs[0]))
    return {nullptr, parts.messages};
  parts.action = std::move(action);
  if (llvm::Error failure = parts.action->Execute()) {
    std::string why = llvm::toString(std::move(failure));
    return {nullptr, parts.messages + why};
  }
  // Searches are for what the user wrote: reading all of a precompiled header back would cost what it saved.
  if (!compiler.getPreprocessorOpts().ImplicitPCHInclude.empty())
    compiler.getASTContext().setTraversalScope(parts.action->topLevel);
  parts.tokens = std::make_unique<syntax::TokenBuffer>(std::move(*parts.action->collector).consume());
  parts.tokens->indexExpandedTokens();
  const SourceManager &sources = compiler.getSourceManager();
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
    const clang::SourceLocation begin = clang::SourceLocation::getFromRawEncoding(slot.getOffset());
    if (!slot.isFile() || sources.isInSystemHeader(begin))
      continue;
    const FileID id = sources.getFileID(begin);
    if (std::vector<TextRange> found = embeddedHeadersIn(sources.getBufferData(id)); !found.empty())
      parts.embedded[id] = std::move(found);
  }
  if (compiler.getDiagnostics().hasErrorOccurred())
    return {nullptr, parts.messages};
  return {std::move(unit), {}};
}

ASTContext &Unit::context() const { return parts->compiler->getASTContext(); }
const SourceManager &Unit::sources() const { return parts->compiler->getSourceManager(); }
Preprocessor &Unit::preprocessor() const { return parts->compiler->getPreprocessor(); }
const syntax::TokenBuffer &Unit::tokens() const { return *parts->tokens; }
const std::vector<clang::SourceLocation> &Unit::pragmas() const { return parts->action->pragmas; }
const std::vector<PragmaOperator> &Unit::pragmaOperators() const { return parts->action->operators; }

SourceLocation Unit::location(clang::SourceLocation point) const {
  return location(SourceRange(point, point));
}

SourceLocation Unit::location(SourceRange range) const {
  const SourceManager &sm = sources();
  clang::SourceLocation begin = sm.getFileLoc(range.getBegin());
  PresumedLoc presumed = sm.getPresumedLoc(begin, /*UseLineDirectives=*/false);
  if (presumed.isInvalid())
    return {};
  SourceLocation location;
  location.file = presumed.getFilename();
  location.line = presumed.getLine();
  location.column = presumed.getColumn();

  auto [id, offset] = sm.getDecomposedLoc(begin);
  llvm::StringRef buffer = sm.getBufferData(id);
  llvm::StringRef line =
      buffer.substr(offset - (location.column - 1)).take_until([](char c) { return c == '\n'; });
  location.sourceLine = line.rtrim('\r').str();

  clang::SourceLocation last = sm.getFileLoc(range.getEnd());
  auto [endId, endOffset] = sm.getDecomposedLoc(last);
  unsigned length = Lexer::MeasureTokenLength(last, sm, context().getLangOpts());
  bool sameLine = endId == id && endOffset >= offset &&
                  endOffset + length <= offset - (location.column - 1) + line.size();
  location.endColumn =
      sameLine ? location.column + (endOffset + length - offset) : unsigned(location.sourceLine.size()) + 1;
  return location;
}

SourceLocation Unit::location(const Stmt *statement) const {
  return statement ? location(statement->getSourceRange()) : SourceLocation{};
}

bool Unit::isUserCode(clang::SourceLocation location) const {
  const SourceManager &sm = sources();
  if (location.isInvalid())
    return false;
  location = sm.getFileLoc(location);
  if (sm.isInSystemHeader(location))
    return false;
  const auto [file, offset] = sm.getDecomposedLoc(location);
  const auto embedded = parts->embedded.find(file);
  return embedded == parts->embedded.end() ||
         std::ranges::none_of(embedded->second, [offset = offset](const TextRange &header) {
           return offset >= header.begin && offset < header.end;
         });
}

} // namespace heddle::source

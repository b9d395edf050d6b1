// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/StatementShape.h"

#include "KernelText.h"
#include "analysis/Uses.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <gmock/gmock.h>

namespace heddle::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<const clang::Stmt *> statementsOf(const KernelText &text) {
  auto *body = llvm::cast<clang::CompoundStmt>(text.kernel().function->getBody());
  return {body->body_begin(), body->body_end()};
}

std::vector<std::string> namesOf(const std::vector<const clang::VarDecl *> &variables) {
  std::vector<std::string> names;
  for (const clang::VarDecl *variable : variables)
    names.push_back(variable->getNameAsString());
  return names;
}

TEST(StatementShape, ListsTheVariablesOfADeclarationInOrder) {
  KernelText text("__global__ void k(int *a) { struct S { int x; } s; int i = 1, j; a[0] = 1; }");
  const std::vector<const clang::Stmt *> statements = statementsOf(text);
  EXPECT_THAT(namesOf(declaredBy(statements[0])), ElementsAre("s"));
  EXPECT_THAT(namesOf(declaredBy(statements[1])), ElementsAre("i", "j"));
  EXPECT_THAT(declaredBy(statements[2]), ElementsAre());
  EXPECT_THAT(declaredBy(nullptr), ElementsAre());
}

TEST(StatementShape, FindsTheVariableThatAnExpressionNames) {
  KernelText text("__global__ void k(int *a, float x) { (a); (void)0; x; a[0]; }");
  const std::vector<const clang::Stmt *> statements = statementsOf(text);
  ASSERT_TRUE(namedVariable(statements[0]));
  EXPECT_EQ(namedVariable(statements[0])->getNameAsString(), "a");
  EXPECT_FALSE(namedVariable(statements[1]));
  EXPECT_EQ(namedVariable(statements[2])->getNameAsString(), "x");
  EXPECT_FALSE(namedVariable(statements[3]));
  EXPECT_FALSE(namedVariable(nullptr));
}

TEST(StatementShape, DistinguishesAssignmentsFromOtherOperators) {
  KernelText text("__global__ void k(int *a, int x) { x = 1; x += 1; ++x; x + 1; -x; }");
  std::vector<bool> found;
  for (const clang::Stmt *statement : statementsOf(text))
    found.push_back(assigns(statement));
  EXPECT_THAT(found, ElementsAre(true, true, true, false, false));
}

TEST(StatementShape, SaysWhatGoesToMemory) {
  KernelText text("struct P { int x; };\n__global__ void k(P *p, P q, int x) { p[0]; *p; p->x; q.x; -x; }");
  std::vector<bool> found;
  for (const clang::Stmt *statement : statementsOf(text))
    found.push_back(goesToMemory(statement));
  EXPECT_THAT(found, ElementsAre(true, true, true, false, false));
}

TEST(StatementShape, EvaluatesConstantsOfIntegersOnly) {
  KernelText text("__global__ void k(int n) { constexpr int c = 4; c * 8; n + 1; 2.0f; }");
  const std::vector<const clang::Stmt *> statements = statementsOf(text);
  const auto value = [&](size_t i) {
    return constantValue(llvm::cast<clang::Expr>(statements[i]), text.unit->context());
  };
  EXPECT_EQ(value(1), 32);
  EXPECT_EQ(value(2), std::nullopt);
  EXPECT_EQ(value(3), std::nullopt);
}

TEST(Uses, SayWhichLocalsAndBuiltinsCodeMentionsAndDeclares) {
  KernelText text("__global__ void k(int *a, int n) { if (n) { int i = threadIdx.y; a[i] = 1; } }");
  const Uses uses = Uses::of(text.kernel().function->getBody());
  const auto *unused = text.kernel().function->getParamDecl(0), *n = text.kernel().function->getParamDecl(1);
  EXPECT_TRUE(uses.mentions(n));
  EXPECT_TRUE(uses.mentions(unused));
  EXPECT_TRUE(uses.mentionsAny([&](const clang::VarDecl *variable) { return variable == n; }));
  EXPECT_FALSE(uses.mentionsAny([&](const clang::VarDecl *variable) { return variable->isConstexpr(); }));
  EXPECT_TRUE(uses.mentions(ThreadBuiltin::Kind::ThreadIdx));
  EXPECT_FALSE(uses.mentions(ThreadBuiltin::Kind::BlockIdx));
  EXPECT_THAT(namesOf(uses.declared()), ElementsAre("i"));
}

} // namespace
} // namespace heddle::analysis

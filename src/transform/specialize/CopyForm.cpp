// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the value of a tile's element gets there. cp.async copies 4, 8 or 16 bytes from global to shared memory without a
// register between, so the stored value must be exactly an element of global memory:
//
//     tile[y][x] = in[i];                     copy
//     tile[y][x] = i < n ? in[i] : 0;         copy with a size of 0 where the condition is false
//     tile[y][x] = 2 * in[i];                 through a register: computed on the way
//
// Each store to a tile gets a form, or the reason why it has to stay a load and a store.
#include "transform/specialize/CopyForm.h"

#include "transform/specialize/BulkForms.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::Access;
using analysis::Array;

/// Without parentheses, implicit conversions, and the temporaries of class types.
const Expr *bare(const Expr *expression) {
  for (;;) {
    const Expr *inner = expression->IgnoreParens()->IgnoreImplicit();
    if (auto *construction = dyn_cast<CXXConstructExpr>(inner);
        construction && construction->getNumArgs() == 1 &&
        construction->getConstructor()->isCopyOrMoveConstructor())
      inner = construction->getArg(0);
    if (inner == expression)
      return inner;
    expression = inner;
  }
}

/// 0, 0.0f, T{}, make_float4(0, 0, 0, 0), __float2half(0.0f): all bits are zero.
bool isZero(const Expr *expression, const ASTContext &context) {
  expression = bare(expression);
  if (auto *call = dyn_cast<CallExpr>(expression)) {
    const FunctionDecl *callee = call->getDirectCallee();
    const bool isMaker =
        callee && callee->getIdentifier() &&
        (callee->getName().starts_with("make_") || callee->getName().starts_with("__float2"));
    return isMaker && llvm::all_of(call->arguments(), [&](const Expr *a) { return isZero(a, context); });
  }
  if (auto *list = dyn_cast<InitListExpr>(expression))
    return llvm::all_of(list->inits(), [&](const Expr *each) { return isZero(each, context); });
  if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(expression))
    return true;
  if (auto *cast = dyn_cast<CastExpr>(expression))
    return isZero(cast->getSubExpr(), context);
  Expr::EvalResult value;
  if (!expression->getType()->isArithmeticType() || expression->isValueDependent() ||
      !expression->EvaluateAsRValue(value, context))
    return false;
  if (value.Val.isInt())
    return value.Val.getInt() == 0;
  return value.Val.isFloat() && value.Val.getFloat().isPosZero();
}

class FormFinder {
public:
  FormFinder(const RoleView &view, const RoleSplit &split, const std::array<int64_t, 3> &block)
      : view(view), split(split), block(block), context(view.study.unit.context()) {}

  std::vector<CopyForm> find() {
    std::vector<CopyForm> forms;
    for (const KernelNode *node : view.nodes())
      if (split.producer.contains(node) && split.loopWithLoad(node) &&
          analysis::storesTo(view.facts(*node), split.tiles))
        forms.push_back(formOf(*node));
    return forms;
  }

private:
  CopyForm formOf(const KernelNode &node) const {
    CopyForm form;
    form.node = &node;
    takeApart(form);
    form.whyNotAsync = whyNotAsync(form);
    if (form.source) {
      auto bulk = bulkForm(view, split, form, block);
      if (auto *fits = std::get_if<BulkForm>(&bulk))
        form.bulk = *fits;
      else
        form.whyNotBulk = std::get<std::string>(bulk);
    } else {
      form.whyNotBulk = form.whyNotAsync;
    }
    return form;
  }

  /// target = source, or target = condition ? source : otherwise.
  void takeApart(CopyForm &form) const {
    const Expr *value = nullptr;
    auto *expression = dyn_cast<Expr>(form.node->statement);
    const Expr *whole = expression ? expression->IgnoreParens()->IgnoreImplicit() : nullptr;
    if (auto *assignment = dyn_cast_or_null<BinaryOperator>(whole);
        assignment && assignment->getOpcode() == BO_Assign) {
      form.target = assignment->getLHS();
      value = assignment->getRHS();
    } else if (auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(whole);
               call && call->getOperator() == OO_Equal) {
      form.target = call->getArg(0);
      value = call->getArg(1);
    }
    if (!value)
      return;
    value = bare(value);
    if (auto *choice = dyn_cast<ConditionalOperator>(value)) {
      form.condition = choice->getCond();
      form.otherwise = choice->getFalseExpr();
      form.otherwiseIsZero = isZero(form.otherwise, context);
      value = bare(choice->getTrueExpr());
    }
    if (isGlobalElement(value, form))
      form.source = value;
  }

  /// An lvalue in global memory; conversions between would have been kept by bare().
  bool isGlobalElement(const Expr *value, CopyForm &form) const {
    if (!value->isLValue() || !isa<ArraySubscriptExpr, UnaryOperator, MemberExpr>(value))
      return false;
    if (!context.hasSameUnqualifiedType(value->getType(), form.target->getType()))
      return false;
    bool found = false;
    for (const Access *access : view.facts(*form.node).accesses) {
      const bool isItself = access->expression == value || access->expression->IgnoreParens() == value;
      const bool isGlobal =
          access->array->space == Array::Space::Global || access->array->space == Array::Space::Unknown;
      found |= isItself && isGlobal && access->isRead();
      form.sourceLoads |= !isItself && isGlobal && access->isRead();
    }
    return found;
  }

  std::string whyNotAsync(const CopyForm &form) const {
    if (!form.target)
      return "the tile is not set by an assignment";
    if (!form.source)
      return "the value is computed or converted on its way to the tile";
    const int64_t bytes = context.getTypeSizeInChars(form.target->getType()).getQuantity();
    if (bytes != 4 && bytes != 8 && bytes != 16)
      return fmt::format("an element of {} bytes cannot be copied by cp.async (4, 8 or 16)", bytes);
    const int64_t alignment = context.getTypeAlignInChars(form.target->getType()).getQuantity();
    if (alignment < bytes)
      return fmt::format("elements of {} bytes aligned to {} cannot be copied by cp.async", bytes, alignment);
    if (form.source->getType().isVolatileQualified())
      return "the array is volatile";
    return {};
  }

  const RoleView &view;
  const RoleSplit &split;
  const std::array<int64_t, 3> &block;
  const ASTContext &context;
};

} // namespace

std::vector<CopyForm> copyForms(const RoleView &view, const RoleSplit &split,
                                const std::array<int64_t, 3> &block) {
  return FormFinder(view, split, block).find();
}

} // namespace heddle::transform

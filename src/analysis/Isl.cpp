// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Isl.h"

namespace heddle::analysis {
namespace {

isl_space *spaceOf(const IslContext &context, unsigned dimensions) {
  return isl_space_set_alloc(context.get(), 0, dimensions);
}

} // namespace

IslSet IslSet::all(const IslContext &context, unsigned dimensions) {
  return IslSet(isl_set_universe(spaceOf(context, dimensions)));
}

IslSet IslSet::none(const IslContext &context, unsigned dimensions) {
  return IslSet(isl_set_empty(spaceOf(context, dimensions)));
}

IslSet IslSet::where(const IslContext &context, unsigned dimensions,
                     const std::vector<LinearForm> &equalities, const std::vector<LinearForm> &inequalities) {
  auto matrix = [&](const std::vector<LinearForm> &forms) {
    isl_mat *rows = isl_mat_alloc(context.get(), unsigned(forms.size()), dimensions + 1);
    for (unsigned row = 0; row < forms.size(); ++row) {
      for (unsigned column = 0; column < dimensions; ++column) {
        const std::vector<int64_t> &given = forms[row].coefficients;
        rows = isl_mat_set_element_si(rows, int(row), int(column), 0);
        if (column < given.size() && given[column])
          rows = isl_mat_set_element_val(rows, int(row), int(column),
                                         isl_val_int_from_si(context.get(), given[column]));
      }
      rows = isl_mat_set_element_val(rows, int(row), int(dimensions),
                                     isl_val_int_from_si(context.get(), forms[row].constant));
    }
    return rows;
  };
  isl_basic_set *set = isl_basic_set_from_constraint_matrices(
      spaceOf(context, dimensions), matrix(equalities), matrix(inequalities), isl_dim_set, isl_dim_div,
      isl_dim_param, isl_dim_cst);
  return IslSet(isl_set_from_basic_set(set));
}

std::optional<bool> IslSet::isEmpty() const {
  isl_bool answer = set ? isl_set_is_empty(set) : isl_bool_error;
  return answer == isl_bool_error ? std::nullopt : std::optional(answer == isl_bool_true);
}

std::optional<int64_t> IslSet::extreme(const LinearForm &form, bool largest) const {
  if (!set)
    return std::nullopt;
  isl_ctx *context = isl_set_get_ctx(set);
  isl_aff *objective = isl_aff_zero_on_domain(isl_local_space_from_space(isl_set_get_space(set)));
  for (size_t i = 0; i < form.coefficients.size(); ++i)
    if (form.coefficients[i])
      objective = isl_aff_set_coefficient_val(objective, isl_dim_in, int(i),
                                              isl_val_int_from_si(context, form.coefficients[i]));
  objective = isl_aff_set_constant_val(objective, isl_val_int_from_si(context, form.constant));
  isl_val *value = largest ? isl_set_max_val(set, objective) : isl_set_min_val(set, objective);
  isl_aff_free(objective);
  std::optional<int64_t> result;
  if (value && isl_val_is_int(value) == isl_bool_true)
    result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

} // namespace heddle::analysis

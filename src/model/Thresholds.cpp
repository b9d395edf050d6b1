// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Thresholds.h"

#include <fmt/format.h>

namespace heddle::model {

std::string_view nameOf(Origin origin) {
  switch (origin) {
  case Origin::Measured: return "measured";
  case Origin::Checked: return "chosen, checked";
  case Origin::Paper: return "paper";
  case Origin::Vendor: return "vendor";
  case Origin::Chosen: return "chosen";
  }
  return "";
}

const std::vector<Threshold> &thresholds() {
  static const std::vector<Threshold> rows = {
#define THRESHOLD(GROUP, NAME, TYPE, VALUE, UNIT, DECIDES, ORIGIN, WHERE)                                    \
  {#GROUP, #NAME, double(VALUE), UNIT, DECIDES, Origin::ORIGIN, WHERE},
#include "model/Thresholds.def"
  };
  return rows;
}

std::string thresholdsPage() {
  std::string text;
  std::string_view group;
  for (const Threshold &row : thresholds()) {
    if (row.group != group)
      text +=
          fmt::format("{}## {}\n\n| name | value | unit | what it decides | origin | where it comes from |\n"
                      "| --- | --- | --- | --- | --- | --- |\n",
                      group.empty() ? "" : "\n", row.group);
    group = row.group;
    text += fmt::format("| `{}` | {:g} | {} | {} | {} | {} |\n", row.name, row.value, row.unit, row.decides,
                        nameOf(row.origin), row.where);
  }
  return text;
}

} // namespace heddle::model

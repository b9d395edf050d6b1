// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// A page of labelled lines: the label is once, what follows hangs under it.
///
///     launch     grid (4, 4), block (16, 16)
///                at heat2d.cu:70
class Page {
public:
  void title(std::string_view text) { text_ += std::string(text) + "\n"; }
  void line(std::string_view label, std::string_view text);
  void more(std::string_view text) { line("", text); }
  /// A table under a label; columns are as wide as their widest cell.
  void table(std::string_view label, const std::vector<std::vector<std::string>> &rows);
  void gap() { text_ += "\n"; }
  const std::string &str() const { return text_; }

private:
  std::string text_;
};

} // namespace heddle::report

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

namespace heddle::tune {

/// How work ended that was done in a process of its own.
struct ChildAnswer {
  enum class How { Answered, Crashed, TimedOut } how = How::Crashed;
  std::string text;   ///< Answered: what `work` returned
  std::string reason; ///< else: for a person
  double seconds = 0;
};

/// Does `work` in a copy of this process and brings back the text it returns. After `seconds` the copy is
/// killed with everything it started; whatever it writes to the temporary folder is gone with it. No other
/// thread may be running here. The copy says nothing: its stdout and stderr lead nowhere.
ChildAnswer inChild(double seconds, const std::function<std::string()> &work);

} // namespace heddle::tune

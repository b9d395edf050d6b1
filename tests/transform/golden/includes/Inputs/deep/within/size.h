constexpr int size = 1;

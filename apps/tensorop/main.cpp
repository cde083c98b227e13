// The process: prepares standard descriptors and signals, then runs the program.
#include <algorithm>

#include "program.hpp"

int main(int argc, char** argv) {
  tensorop::prepare_process();
  return tensorop::run_program({argv + std::min(argc, 1), argv + argc});
}

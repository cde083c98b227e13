#include <cstdio>
#include "engine/engine.hpp"
#include "base/error.hpp"
using namespace tensorop;
int main(int argc, char** argv) {
  Request r; Destination d;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (i == 1) r.op = a;
    else if (a == "-o") d.path = argv[++i];
    else if (a == "--spec") r.spec = argv[++i];
    else if (a.starts_with("--")) { r.attributes.push_back({a.substr(2), argv[i+1]}); ++i; }
    else r.positional.push_back(a);
  }
  try { run_request(r, d, {}); } catch (const Error& e) { std::fprintf(stderr, "tensorop: %s\n%s\n", e.what(), e.hint().c_str()); return 2; }
}

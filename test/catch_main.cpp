// The main() of test programs that need no device. Link Catch2::Catch2, not Catch2::Catch2WithMain:
// version 2 has no such target.
#include "session.hpp"

int main(int argc, char** argv) {
  return tilewright::run_tests(argc, argv);
}

// The main() of test programs that need no device. Link Catch2::Catch2 instead of
// Catch2::Catch2WithMain, which version 2 does not have.
#include "session.hpp"

int main(int argc, char** argv) {
  return tilewright::run_tests(argc, argv);
}

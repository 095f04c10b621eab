// A competitor without a device. It computes naive products, and misbehaves as the environment
// variable TILEWRIGHT_FAKE_COMPETITOR requests.
//
// Empty: it does not misbehave. "WORD=die", "WORD=hang", "WORD=error" and "WORD=nonsense" spoil
// the answer to a word. "run=slow" reports more time than has passed, and "run=idle" computes
// nothing. A program that hangs first creates the file that TILEWRIGHT_FAKE_COMPETITOR_HANGS
// names.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Product {
  bool trans_a = false;
  bool trans_b = false;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;

  void multiply() {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0.0f;
        for (std::size_t p = 0; p < k; ++p) {
          sum += a[trans_a ? p * m + i : i * k + p] * b[trans_b ? j * k + p : p * n + j];
        }
        c[i * n + j] = sum;
      }
    }
  }
};

std::string wanted_misbehaviour() {
  const char* text = std::getenv("TILEWRIGHT_FAKE_COMPETITOR");
  return text == nullptr ? "" : text;
}

// Misbehaves as requested. Returns true if the normal answer to the word is still needed.
bool behaves(const std::string& word) {
  const std::string wanted = wanted_misbehaviour();
  if (wanted == word + "=die") {
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);
  }
  if (wanted == word + "=hang") {
    if (const char* file = std::getenv("TILEWRIGHT_FAKE_COMPETITOR_HANGS"))
      std::ofstream(file).flush();
    for (;;) ::pause();
  }
  if (wanted == word + "=error") std::cout << "error no " << word << " today" << std::endl;
  if (wanted == word + "=nonsense") std::cout << "what \x01 now" << std::endl;
  return wanted != word + "=error" && wanted != word + "=nonsense";
}

void read(std::vector<float>& floats, std::size_t count) {
  floats.resize(count);
  std::cin.read(reinterpret_cast<char*>(floats.data()),
                static_cast<std::streamsize>(count * sizeof(float)));
}

void start(Product& product, std::istringstream& words) {
  std::string op;
  words >> op >> product.m >> product.n >> product.k;
  product.trans_a = op.at(0) == 'T';
  product.trans_b = op.at(1) == 'T';
  read(product.a, product.m * product.k);
  read(product.b, product.k * product.n);
  product.c.assign(product.m * product.n, 0.0f);
}

double run_ns(Product& product, int calls) {
  const auto start = std::chrono::steady_clock::now();
  const std::string wanted = wanted_misbehaviour();
  for (int i = 0; i < calls && wanted != "run=idle"; ++i) product.multiply();
  const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start;
  return wanted == "run=slow" ? 1e12 : ns.count() + 1.0;
}

void answer(const std::string& word, std::istringstream& words, Product& product) {
  if (word == "tilewright-competitor") {
    std::string version;
    words >> version;
    std::cout << "ready naive product for" << words.rdbuf() << std::endl;
  } else if (word == "product") {
    start(product, words);
    std::cout << "ready" << std::endl;
  } else if (word == "run") {
    int calls = 0;
    words >> calls;
    std::printf("ns %.1f\n", run_ns(product, calls));
    std::fflush(stdout);
  } else if (word == "elements") {
    std::printf("values");
    std::size_t i = 0;
    std::size_t j = 0;
    while (words >> i >> j) {
      std::printf(" %.9g", static_cast<double>(product.c.at(i * product.n + j)));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  Product product;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (behaves(word)) answer(word, words, product);
  }
}

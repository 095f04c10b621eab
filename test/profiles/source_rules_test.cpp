// Each case below is a way to make a compiler read a file, or to hide one from a simple look.
#include "catch.hpp"
#include "profiles/kernel_record.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

bool refused_for(const std::string& source, const std::string& word) {
  const auto reason = forbidden_source(source);
  INFO(source << "\n-> " << (reason ? *reason : "allowed") << ", expected: " << word);
  return reason && reason->find(word) != std::string::npos;
}

TEST_CASE("kernels as they are generated are allowed") {
  CHECK_FALSE(forbidden_source(sample_source("f")));
  CHECK_FALSE(forbidden_source(""));
  CHECK_FALSE(forbidden_source("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"));
  CHECK_FALSE(forbidden_source("#pragma unroll 4\n"));
  CHECK_FALSE(forbidden_source("#define A(x, y) x##y\n#undef A\n"));
  CHECK_FALSE(forbidden_source(" # ifdef X\n#elif 1\n#else\n#endif"));
  CHECK_FALSE(forbidden_source("#ifndef X\n\t#if 2 % 1\n#endif\n#endif\n"));
  CHECK_FALSE(forbidden_source("#define LONG 1 + \\\n  2\n"));
  CHECK_FALSE(forbidden_source("// #include \"x\", 100 % safe: isn't it? \\o/ \xc3\xa9\n"));
  CHECK_FALSE(forbidden_source("/* \n#include <x>\n*/ int x = a ? b : c;"));
}

TEST_CASE("directives outside the list are refused") {
  for (const std::string name : {"include", "include_next", "import", "embed", "line", "error",
                                 "warning", "ident", "assert", "elifdef", "INCLUDE", "includes"}) {
    CHECK(refused_for("#" + name + " <x>\n", "'" + name + "'"));
  }
  CHECK(refused_for("int x;\n  #  include <x>\n", "'include'"));
  CHECK(refused_for("\t#\tinclude\t\"x\"\n", "'include'"));
  CHECK(refused_for("#\n", "directive"));
  CHECK(refused_for("# 1 \"x\"\n", "directive"));
  CHECK(refused_for("#", "directive"));
  CHECK(refused_for("#pragma GCC dependency <x>\n", "#pragma"));
  CHECK(refused_for("#pragma\n", "#pragma"));
  CHECK(refused_for("#if __has_include(</etc/passwd>)\n#endif\n", "__has_include"));
  CHECK(refused_for("#if __has_embed(</etc/passwd>)\n#endif\n", "__has_embed"));
}

TEST_CASE("hidden directives are found") {
  CHECK(refused_for("#inc\\\nlude <x>\n", "'include'"));
  CHECK(refused_for("\\\n\\\n#\\\n include <x>\n", "'include'"));
  CHECK(refused_for("#/* */include <x>\n", "'include'"));
  CHECK(refused_for("/* a\n b */ # /**/ include <x>\n", "'include'"));
  CHECK(refused_for("/\\\n* \n*\\\n/ #include <x>\n", "'include'"));
  CHECK(refused_for("%:include <x>\n", "digraph"));
  CHECK(
      refused_for("?"
                  "?=include <x>\n",
                  "trigraph"));
  CHECK(
      refused_for("/* *?"
                  "?/\n/\n#include <x>\n",
                  "trigraph"));
  CHECK(refused_for("?\\\n?=include <x>\n", "trigraph"));
  // A comment that is none: the quotation marks around its opening make it a literal.
  CHECK(refused_for("char* a = \"/*\";\n#include <x>\nchar* b = \"*/\";\n", "literal"));
  CHECK(refused_for("int a = '/*';\n#include <x>\nint b = '*/';\n", "literal"));
  // White space and line ends that only some compilers see.
  CHECK(refused_for("\xc2\xa0#include <x>\n", "has a #"));
  CHECK(refused_for("\xef\xbb\xbf#include <x>\n", "has a #"));
  CHECK(refused_for("// a\r#include <x>\n", "control character"));
  CHECK(refused_for("\f#include <x>\n", "control character"));
  CHECK(refused_for("\v#include <x>\n", "control character"));
  CHECK(refused_for("// a \\ \n#include <x>\n", "blanks"));
  CHECK(refused_for("// a \\\t\n", "blanks"));
  CHECK(refused_for("/* #include <x>\n", "comment"));
  CHECK(refused_for("/*/\n", "comment"));
}

TEST_CASE("what could make strings for an assembler or a pragma is refused") {
  CHECK(refused_for("__asm__(\".incbin \\\"/etc/passwd\\\"\");\n", "literal"));
  CHECK(refused_for("#define S(x) #x\nasm(S(x));\n", "has a #"));
  CHECK(refused_for("#define S(x) ###x\n", "has a #"));
  CHECK(refused_for("#define S(x) # #x\n", "has a #"));
  CHECK(refused_for("int \\u0023;\n", "backslash"));
  CHECK(refused_for("int \xc3\xa9;\n", "outside ASCII"));
}

TEST_CASE("bytes that the text format cannot hold are refused") {
  CHECK(refused_for(std::string("int\0x;\n", 7), "control character (byte 0x00)"));
  CHECK(refused_for("int\x7fx;\n", "control character (byte 0x7f)"));
  CHECK(refused_for("// three: '''\n", "apostrophes"));
  CHECK_FALSE(forbidden_source("// two: ''\n"));
}

TEST_CASE("build options are words of a short list") {
  CHECK_FALSE(forbidden_build_option(""));
  CHECK_FALSE(forbidden_build_option("  -cl-mad-enable  -cl-std=CL1.2 "));
  CHECK_FALSE(forbidden_build_option(
      "-cl-no-signed-zeros -cl-denorms-are-zero -cl-strict-aliasing -cl-single-precision-constant "
      "-cl-std=CL1.1"));
  for (const std::string word : {"-cl-fast-relaxed-math", "-cl-finite-math-only", "-Dx", "-I/etc",
                                 "-cl-unsafe-math-optimizations", "-cl-std=CL2.0", "-w", "x.cl"}) {
    CHECK(forbidden_build_option("-cl-mad-enable " + word + " -Dlast") == word);
  }
  CHECK(forbidden_build_option("-cl-mad-enable\t-I") == "-cl-mad-enable\t-I");
  CHECK(forbidden_build_option("-I .") == "-I");
}

}  // namespace
}  // namespace tilewright

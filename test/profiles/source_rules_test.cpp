// Each case below is a way to make a compiler read a file, reveal something about the machine, or
// do more than compute; or a way to hide this from a simple check.
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

// (That all emitted kernels are allowed is tested in test/codelets, and that shipped ones are, in
// test/tuner.)
TEST_CASE("kernels as they are generated are allowed") {
  CHECK_FALSE(forbidden_source(sample_source("f")));
  CHECK_FALSE(forbidden_source(""));
  CHECK_FALSE(
      forbidden_source("  #ifdef __has_builtin\n"
                       "\t#if __has_builtin(__builtin_nontemporal_store) // a store\n"
                       "  __builtin_nontemporal_store(x, to);\n"
                       "  #endif\n#endif"));
  CHECK_FALSE(forbidden_source("__local float4 a[64] __attribute__((aligned(64)));\n"));
  CHECK_FALSE(forbidden_source("float f(float x) __attribute__((noinline));\n"));
  CHECK_FALSE(forbidden_source("__attribute__((work_group_size_hint(8, 16, 1)))"));
  CHECK_FALSE(forbidden_source("__attribute__ ( ( reqd_work_group_size(8, 16, 1) ) )"));
  CHECK_FALSE(forbidden_source("// #include \"x\", 100 % safe: isn't it? `row` @ #\n"));
  CHECK_FALSE(forbidden_source("/* \n#include <x>\n*/ int x = a ? b : c[d[0]] % 2;"));
}

TEST_CASE("only the directives of generated kernels are allowed") {
  for (const std::string name :
       {"include", "include_next", "import", "embed",    "line",     "error",
        "warning", "ident",        "assert", "elifdef",  "INCLUDE",  "includes",
        "define",  "undef",        "if",     "ifdef",    "ifndef",   "elif",
        "else",    "pragma",       "sccs",   "unassert", "elifndef", "__include_macros"}) {
    CHECK(refused_for("#" + name + " <x>\n", "#" + name + " <x>'"));
  }
  CHECK(refused_for("int x;\n  #  include <x>\n", "include"));
  CHECK(refused_for("\t#\tinclude\t\"x\"\n", "include"));
  CHECK(refused_for("#\n", "directive"));
  CHECK(refused_for("# 1 \"x\"\n", "directive"));
  CHECK(refused_for("#", "directive"));
  CHECK(refused_for("#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n", "directive"));
  CHECK(refused_for("#pragma GCC dependency <x>\n", "directive"));
  CHECK(refused_for("#pragma clang module import x\n", "directive"));
  CHECK(refused_for("#pragma push_macro(\"x\")\n", "directive"));
  CHECK(refused_for("#pragma include_alias(<a>, <b>)\n", "directive"));
  CHECK(refused_for("#define X </etc/passwd>\n#include X\n", "directive"));
}

TEST_CASE("only one preprocessor condition is allowed") {
  CHECK(refused_for("#if __has_include(</etc/passwd>)\n#endif\n", "directive"));
  CHECK(refused_for("#if __has_include_next(</etc/passwd>)\n#endif\n", "directive"));
  CHECK(refused_for("#if __has_embed(</etc/passwd>)\n#endif\n", "directive"));
  // Words that are joined by a macro.
  CHECK(
      refused_for("#define C(a, b) a##b\n#define H(x) C(__has_, x)\n"
                  "#if H(include)(</etc/passwd>)\nfloat4 no;\n#endif\n",
                  "directive"));
  CHECK(refused_for("#if __has_builtin(__builtin_nontemporal_store) && x\n", "directive"));
  CHECK(refused_for("#if __has_builtin(__builtin_trap)\n", "directive"));
  CHECK(refused_for("#if __has_builtin\n(__builtin_nontemporal_store)\n", "directive"));
  CHECK(refused_for("#ifdef __has_include\n", "directive"));
  CHECK(refused_for("#endif __TIME__\n", "directive"));
  CHECK(refused_for("#if __LINE__ > 3\n", "directive"));
  CHECK(refused_for("int a##b;\n", "a #"));
  CHECK(refused_for("int a; /* */ #endif\n", "a #"));
}

TEST_CASE("only the reserved words of generated kernels are allowed") {
  for (const std::string word :
       {"__FILE__",       "__FILE_NAME__", "__BASE_FILE__", "__LINE__",          "__DATE__",
        "__TIME__",       "__TIMESTAMP__", "__COUNTER__",   "__INCLUDE_LEVEL__", "__VA_ARGS__",
        "__has_include",  "__has_embed",   "__has_builtin", "__pragma",          "_Pragma",
        "__asm",          "__asm__",       "_Generic",      "__builtin_FILE",    "__builtin_alloca",
        "__func__",       "__FUNCTION__",  "__declspec",    "__import__",        "__extension__",
        "_Static_assert", "asm",           "printf",        "__attribute",       "__kernels"}) {
    CHECK(refused_for("int x = " + word + "(1);\n", "'" + word + "'"));
  }
  CHECK_FALSE(forbidden_source("int x__FILE__, _file, asm_, _1, _;\n"));
  CHECK(refused_for("void f(void) __attribute__((constructor));\n", "__attribute__ other"));
  CHECK(refused_for("__attribute__((noinline, constructor))\n", "__attribute__ other"));
  CHECK(refused_for("__attribute__((aligned(sizeof(f))))\n", "__attribute__ other"));
  CHECK(refused_for("__attribute__((noinline\n", "__attribute__ other"));
  CHECK(refused_for("__attribute__((noinline)\n", "__attribute__ other"));
  CHECK(refused_for("__attribute__", "__attribute__ other"));
  CHECK(refused_for("[ /* */ [gnu::constructor]] void f(void);\n", "[["));
}

TEST_CASE("hidden directives are found") {
  CHECK(refused_for("#inc\\\nlude <x>\n", "backslash"));
  CHECK(refused_for("// a \\ \n#include <x>\n", "backslash"));
  CHECK(refused_for("int \\u0023;\n", "backslash"));
  CHECK(refused_for("#/* */include <x>\n", "directive"));
  CHECK(refused_for("/* a\n b */ # /**/ include <x>\n", "directive"));
  CHECK(refused_for("/* b */ # /**/ include <x>\n", "directive"));
  CHECK(refused_for("%:include <x>\n", "digraph %:"));
  CHECK(refused_for("int a<:2:>;\n", "digraph <:"));
  CHECK(refused_for("void f(void) <%%>\n", "digraph"));
  CHECK(
      refused_for("?"
                  "?=include <x>\n",
                  "trigraph"));
  CHECK(
      refused_for("/* *?"
                  "?/\n/\n#include <x>\n",
                  "trigraph"));
  // Not a comment: the quotation marks around its start make it a literal.
  CHECK(refused_for("char* a = \"/*\";\n#include <x>\nchar* b = \"*/\";\n", "literal"));
  CHECK(refused_for("int a = '/*';\n#include <x>\nint b = '*/';\n", "literal"));
  CHECK(refused_for("constant char a[] = R\"(x)\";\n", "literal"));
  // White space and line ends that only some compilers recognise.
  CHECK(refused_for("\xc2\xa0#include <x>\n", "outside ASCII"));
  CHECK(refused_for("// \xe2\x80\xa8#include <x>\n", "outside ASCII"));
  CHECK(refused_for("\xef\xbb\xbf#include <x>\n", "outside ASCII"));
  CHECK(refused_for("// a\r#include <x>\n", "control character"));
  CHECK(refused_for("\f#include <x>\n", "control character"));
  CHECK(refused_for("\v#include <x>\n", "control character"));
  CHECK(refused_for("/* #include <x>\n", "comment"));
  CHECK(refused_for("/*/\n", "comment"));
}

TEST_CASE("characters that generated kernels never contain are rejected") {
  CHECK(refused_for("@import x;\n", "'@'"));
  CHECK(refused_for("int $x;\n", "'$'"));
  CHECK(refused_for("int `x`;\n", "'`'"));
  CHECK(refused_for("__asm__(\".incbin '/etc/passwd'\");\n", "literal"));
  CHECK(refused_for("int \xc3\xa9;\n", "outside ASCII"));
  CHECK(refused_for("// \x1b]0;title\x07\n", "control character (byte 0x1b)"));
  CHECK(refused_for("// \xe2\x80\xae\n", "outside ASCII (byte 0xe2)"));
  CHECK(refused_for(std::string("int\0x;\n", 7), "control character (byte 0x00)"));
  CHECK(refused_for("int\x7fx;\n", "control character (byte 0x7f)"));
  CHECK(refused_for("// three: '''\n", "apostrophes"));
  CHECK_FALSE(forbidden_source("// two: ''\n"));
}

TEST_CASE("build options must be words of a short list") {
  CHECK_FALSE(forbidden_build_option(""));
  CHECK_FALSE(forbidden_build_option("  -cl-mad-enable  -cl-std=CL1.2 "));
  CHECK_FALSE(forbidden_build_option(
      "-cl-fast-relaxed-math -cl-no-signed-zeros -cl-denorms-are-zero -cl-strict-aliasing -cl-single-precision-constant "
      "-cl-std=CL1.1"));
  for (const std::string word : {"-cl-finite-math-only",
                                 "-Dx",
                                 "-I/etc",
                                 "-cl-unsafe-math-optimizations",
                                 "-cl-std=CL2.0",
                                 "-w",
                                 "x.cl",
                                 "-D",
                                 "-DC(a,b)=a##b",
                                 "-U__kernel",
                                 "-include",
                                 "-imacros",
                                 "-isystem/etc",
                                 "@/etc/passwd",
                                 "-save-temps",
                                 "-Xclang",
                                 "-fplugin=x.so",
                                 "-o",
                                 "-x",
                                 "-",
                                 "--",
                                 "-cl-mad-enable\\",
                                 "\"-I/etc\"",
                                 "-cl-std=CL1.2;-I/etc",
                                 "-cl-mad-enable\n-I",
                                 "-cl-nv-verbose",
                                 "-g",
                                 "-s",
                                 "-Werror"}) {
    CHECK(forbidden_build_option("-cl-mad-enable " + word + " -Dlast") == word);
  }
  CHECK(forbidden_build_option("-cl-mad-enable\t-I") == "-cl-mad-enable\t-I");
  CHECK(forbidden_build_option(std::string("-cl-mad-enable\0-I", 17)));
  CHECK(forbidden_build_option("-I .") == "-I");
}

}  // namespace
}  // namespace tilewright

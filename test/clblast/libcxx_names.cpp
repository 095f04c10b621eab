// Tests that the drop-in's map exports functions of complex numbers with the names that libc++
// gives them.
//
// Includes nothing: it defines a std with the necessary names in the inline namespaces of libc++
// and Android. Symbols that must not be exported have names that start in the same way.

#define SHOWN __attribute__((visibility("default")))

namespace std {
namespace __1 {
template <class Part>
class SHOWN complex;
}
namespace __ndk1 {
template <class Part>
class SHOWN complex;
}
}  // namespace std

namespace clblast {

template <class T>
SHOWN int Gemm(T*) {
  return 0;
}
template <class T>
SHOWN int GemmBatched(T*) {
  return 0;
}
template <class T>
SHOWN int GemmStridedBatched(T*) {
  return 0;
}
template <class T>
SHOWN int GemmTempBufferSize(T*) {
  return 0;
}
template <class T>
SHOWN int Gemv(T*) {
  return 0;
}
template <class T>
SHOWN int Omatcopy(T*) {
  return 0;
}
template <class T>
SHOWN int Gemmed(T*) {
  return 0;
}

#define ALL_OF(Number)                      \
  template int Gemm(Number*);               \
  template int GemmBatched(Number*);        \
  template int GemmStridedBatched(Number*); \
  template int GemmTempBufferSize(Number*); \
  template int Gemv(Number*);               \
  template int Omatcopy(Number*);           \
  template int Gemmed(Number*);

ALL_OF(std::__1::complex<float>)
ALL_OF(std::__1::complex<double>)
ALL_OF(std::__ndk1::complex<float>)
ALL_OF(std::__ndk1::complex<double>)

}  // namespace clblast

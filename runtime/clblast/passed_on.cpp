// The functions of CLBlast that the drop-in does not compute itself: in a program that also loads
// CLBlast, CLBlast's own are called.
#include <CL/cl_half.h>

#include <complex>

#include "clblast_abi.hpp"
#include "next_definition.hpp"

namespace clblast {

template <typename T>
StatusCode Omatcopy(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha,
                    cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,
                    size_t b_ld, cl_command_queue* queue, cl_event* event) {
  return pass_on(&Omatcopy<T>, layout, a_transpose, m, n, alpha, a_buffer, a_offset, a_ld, b_buffer,
                 b_offset, b_ld, queue, event);
}

#define TW_OMATCOPY(T)                                                                          \
  template StatusCode Omatcopy<T>(Layout, Transpose, size_t, size_t, T, cl_mem, size_t, size_t, \
                                  cl_mem, size_t, size_t, cl_command_queue*, cl_event*)
TW_OMATCOPY(float);
TW_OMATCOPY(double);
TW_OMATCOPY(cl_half);
TW_OMATCOPY(std::complex<float>);
TW_OMATCOPY(std::complex<double>);
#undef TW_OMATCOPY

StatusCode OverrideParameters(cl_device_id device, const std::string& kernel_name,
                              Precision precision,
                              const std::unordered_map<std::string, size_t>& parameters) {
  return pass_on(&OverrideParameters, device, kernel_name, precision, parameters);
}

}  // namespace clblast

extern "C" TW_CLBLAST_API int CLBlastOverrideParameters(cl_device_id device,
                                                        const char* kernel_name, int precision,
                                                        size_t num_parameters,
                                                        const char** parameters_names,
                                                        const size_t* parameters_values) {
  return clblast::pass_on(&CLBlastOverrideParameters, device, kernel_name, precision,
                          num_parameters, parameters_names, parameters_values);
}

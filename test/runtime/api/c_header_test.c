/* The public headers are C: this file only has to compile, and its numbers are the ABI. */
#include <tilewright/network.h>
#include <tilewright/tilewright.h>

typedef char statuses_are_the_abi[(TW_SUCCESS == 0 && TW_INVALID_VALUE == 1000 && TW_WRONG_LAYOUT == 1040 &&
                                   TW_INVALID_LD_C == 1103 && TW_INVALID_BUFFER_B == 1112 &&
                                   TW_INSUFFICIENT_BUFFER_C == 1123 && TW_INSUFFICIENT_BUFFER_Y == 1222 &&
                                   TW_INVALID_NETWORK == 1300 && TW_INSUFFICIENT_BUFFER_OUTPUT == 1322 &&
                                   TW_INSUFFICIENT_WORKSPACE == 1402 && TW_INSUFFICIENT_PACKED_BUFFER == 1412 &&
                                   TW_NO_PROFILE == 2001 && TW_OPENCL_ERROR == 3003 && TW_INTERNAL == 9001)
                                      ? 1
                                      : -1];
typedef char the_version_is_one_number[TW_VERSION == TW_VERSION_MAJOR * 10000 + TW_VERSION_MINOR * 100 + TW_VERSION_PATCH
                                           ? 1
                                           : -1];
typedef char words_are_the_abi[(TW_ROW_MAJOR == 101 && TW_COLUMN_MAJOR == 102 && TW_NO_TRANS == 111 &&
                                TW_TRANS == 112 && TW_CONJ_TRANS == 113 && TW_FLOAT == 0 && TW_DOUBLE == 1 &&
                                TW_HALF == 2 && TW_COMPLEX_FLOAT == 3 && TW_COMPLEX_DOUBLE == 4 &&
                                TW_OPERAND_A == 0 && TW_OPERAND_B == 1)
                                   ? 1
                                   : -1];
typedef char layers_are_the_abi[(TW_LAYER_AFFINE == 0 && TW_LAYER_IDENTITY == 1 && TW_LAYER_RELU == 2 &&
                                 TW_LAYER_LEAKY_RELU == 3 && TW_LAYER_SIGMOID == 4 && TW_LAYER_TANH == 5 &&
                                 TW_LAYER_SOFTMAX == 6 && TW_LAYER_ELU == 7 && TW_LAYER_SELU == 8 &&
                                 TW_LAYER_SOFTPLUS == 9 && TW_LAYER_HARD_SIGMOID == 10 &&
                                 TW_LAYER_HARD_SWISH == 11 && TW_LAYER_CLIP == 12 && TW_LAYER_GELU == 13 &&
                                 TW_LAYER_GELU_TANH == 14 && TW_LAYER_LOG_SOFTMAX == 15)
                                    ? 1
                                    : -1];

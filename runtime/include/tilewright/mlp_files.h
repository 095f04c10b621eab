/** @file
 * Loads neural networks from files and from memory (C interface).
 *
 *     tw_mlp *net = NULL;
 *     if (tw_mlp_load(library, TW_FLOAT, "digits.onnx", &net) != TW_SUCCESS) puts(tw_last_error());
 *
 * Formats are those of tilewright/mlp_files.hpp. These functions are in libtilewright_models, not
 * in libtilewright, which reads no files of networks. tilewright/mlp.h runs the networks. */
#ifndef TILEWRIGHT_MLP_FILES_H
#define TILEWRIGHT_MLP_FILES_H

#include <tilewright/mlp.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Loads a network and copies its weights to the device, like tw_mlp_create.
 *
 * @param library  the library whose kernels, device and context are used
 * @param type  TW_FLOAT or TW_HALF; see tw_mlp_desc
 * @param path  the file; it ends in .onnx or .json, in upper or lower case
 * @param out  receives the network, with all outputs of the file that can be computed; NULL on
 * failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_NETWORK for a file that cannot be read or run:
 * tw_last_error() names the file and the node, layer or key; TW_UNSUPPORTED_TYPE for another type;
 * TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
tw_status tw_mlp_load(tw_library *library, tw_type type, const char *path, tw_mlp **out);

/** tw_mlp_load for the bytes of an ONNX file. A network that has tensors in other files is refused.
 *
 * @param library, type, out  see tw_mlp_load
 * @param data, size  the bytes and their number; not accessed after the call
 * @return like tw_mlp_load */
tw_status tw_mlp_load_memory(tw_library *library, tw_type type, const void *data, size_t size,
                             tw_mlp **out);

#ifdef __cplusplus
}
#endif

#endif

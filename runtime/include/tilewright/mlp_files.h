/** @file
 * Loads neural networks from files and from memory (C interface).
 *
 *     tw_mlp *net = NULL;
 *     if (tw_mlp_load(library, "digits.onnx", &net) != TW_SUCCESS) puts(tw_last_error());
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
 * @param path  the file; it ends in .onnx or .json, in upper or lower case
 * @param out  receives the network, with all outputs of the file that can be computed; NULL on
 * failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_NETWORK for a file that cannot be read or run:
 * tw_last_error() names the file and the node, layer or key; TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
tw_status tw_mlp_load(tw_library *library, const char *path, tw_mlp **out);

/** tw_mlp_load for a network in half precision, see tw_hmlp_create.
 *
 * @param library, path, out  see tw_mlp_load
 * @return like tw_mlp_load; TW_INVALID_NETWORK also for a weight that exceeds half precision (65520 and
 * more) */
tw_status tw_hmlp_load(tw_library *library, const char *path, tw_mlp **out);

/** tw_mlp_load for the bytes of an ONNX file. A network that has tensors in other files is refused.
 *
 * @param library, out  see tw_mlp_load
 * @param data, size  the bytes and their number; not accessed after the call
 * @return like tw_mlp_load */
tw_status tw_mlp_load_memory(tw_library *library, const void *data, size_t size, tw_mlp **out);

/** tw_mlp_load_memory for a network in half precision, see tw_hmlp_create.
 *
 * @param library, data, size, out  see tw_mlp_load_memory
 * @return like tw_hmlp_load */
tw_status tw_hmlp_load_memory(tw_library *library, const void *data, size_t size, tw_mlp **out);

#ifdef __cplusplus
}
#endif

#endif

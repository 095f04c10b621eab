/** @file
 * Runs neural networks on an OpenCL device (C interface).
 *
 *     tw_network_layer layers[] = {
 *         {.kind = TW_LAYER_AFFINE, .inputs = 784, .outputs = 10, .weights = w, .bias = b},
 *         {.kind = TW_LAYER_SOFTMAX}};
 *     tw_network_desc desc = tw_make_network_desc(TW_FLOAT, layers, 2);
 *     tw_network *net = NULL;
 *     if (tw_network_create(library, &desc, &net) != TW_SUCCESS) puts(tw_last_error());
 *     // or, from a file: tw_network_load(library, "digits.onnx", NULL, &net)
 *
 *     tw_matrix x = tw_make_matrix(x_buffer, 0, 784), y = tw_make_matrix(y_buffer, 0, 10);
 *     tw_network_forward(net, queue, batch, &x, 1, &y, 1, NULL, 0, NULL, &event);
 *     tw_network_free(net);
 *
 * A batch is a row-major matrix with one sample per row: an input is batch x
 * tw_network_input_columns(), an output batch x tw_network_output_columns(). Elements are of the network's
 * type, floats or half precision (cl_half). Offsets and leading dimensions count elements. Errors
 * are reported as in tilewright.h.
 *
 * Samples do not affect each other. If a sample contains infinity or NaN, or overflows inside the
 * network, its own outputs are unspecified. The outputs of all other samples stay the same to the
 * bit.
 *
 * Thread safety: any number of threads may use one network on any queues. Only tw_network_free must be
 * the last call for it. It may be used after tw_close. */
#ifndef TILEWRIGHT_NETWORK_H
#define TILEWRIGHT_NETWORK_H

#include <tilewright/tilewright.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A neural network on a device. Created by tw_network_create, freed by tw_network_free. */
typedef struct tw_network tw_network;

/** The kinds of layers. */
typedef enum TW_INT_ENUM {
  TW_LAYER_AFFINE = 0,     /**< Y = X W + b */
  TW_LAYER_IDENTITY = 1,   /**< Y = X */
  TW_LAYER_RELU = 2,       /**< max(x, 0) */
  TW_LAYER_LEAKY_RELU = 3, /**< x, or slope x if x < 0 */
  TW_LAYER_SIGMOID = 4,    /**< 1 / (1 + exp(-x)) */
  TW_LAYER_TANH = 5,       /**< tanh(x) */
  TW_LAYER_SOFTMAX = 6,    /**< turns each row into probabilities */
  TW_LAYER_ELU = 7,        /**< x, or slope (exp(x) - 1) if x < 0 */
  TW_LAYER_SELU = 8, /**< scale x, or scale alpha (exp(x) - 1) if x < 0 (1.0507..., 1.6733...) */
  TW_LAYER_SOFTPLUS = 9,      /**< log(1 + exp(x)) */
  TW_LAYER_HARD_SIGMOID = 10, /**< slope x + shift, limited to [0, 1] */
  TW_LAYER_HARD_SWISH = 11,   /**< x min(max(x / 6 + 1/2, 0), 1) */
  TW_LAYER_CLIP = 12,         /**< x, limited to [low, high]; ReLU6 with 0 and 6 */
  TW_LAYER_GELU = 13,         /**< x / 2 (1 + erf(x / sqrt(2))) */
  TW_LAYER_GELU_TANH =
      14, /**< the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) instead of erf */
  TW_LAYER_LOG_SOFTMAX = 15 /**< the logarithm of softmax */
} tw_layer_kind;

/** One layer. Members that its kind does not use are ignored. Later versions may add members at the
 * end, which have no effect if they are 0: initialise all members. */
typedef struct {
  tw_layer_kind kind;   /**< the kind of layer */
  const char* name;     /**< for messages; may be null */
  size_t inputs;        /**< affine: columns of X */
  size_t outputs;       /**< affine: columns of Y */
  const float* weights; /**< affine: W, inputs x outputs, row-major, without gaps */
  const float* bias;    /**< affine: `outputs` floats; null: no bias */
  float slope; /**< leaky ReLU and ELU (for x < 0), hard sigmoid. Always set it: 0 is 0. ONNX
                    has the defaults 0.01, 1 and 0.2 */
  float shift; /**< hard sigmoid; ONNX has the default 0.5 */
  float low;   /**< clip */
  float high;  /**< clip */
} tw_network_layer;

/** A network. Initialise it with tw_make_network_desc(). */
typedef struct {
  size_t struct_size; /**< sizeof(tw_network_desc) */
  /** TW_FLOAT or TW_HALF, the type of weights on the device and of batches. With TW_HALF, weights
     and the results between layers are rounded to the nearest half-precision number, ties to even.
     Sums, biases and activations are computed in single precision, but softmax stores its
     exponentials in half precision before it divides. */
  tw_type type;
  const tw_network_layer*
      layers;        /**< in the order in which they are applied; at least one must be affine */
  size_t layer_size; /**< sizeof(tw_network_layer) */
  size_t num_layers; /**< number of layers */
} tw_network_desc;

/** Returns the description of a network.
 *
 * @param type, layers, num_layers  see tw_network_desc
 * @return a description with these members */
static inline tw_network_desc tw_make_network_desc(tw_type type, const tw_network_layer* layers,
                                           size_t num_layers) {
  tw_network_desc desc = {sizeof(tw_network_desc), type, layers, sizeof(tw_network_layer), num_layers};
  return desc;
}

/** Checks the layers, copies the weights to the device, and returns when the copies are complete.
 *
 * @param library  the library whose kernels, device and context are used
 * @param desc  the network; neither it nor its arrays are accessed after the call
 * @param out  receives the network; NULL on failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_NETWORK for an invalid layer
 * (tw_last_error() contains its number, starting with 1): no weights, extents of 0, a number of
 * inputs that differs from the outputs of the previous layer, an unknown kind, an argument of an
 * activation that is not finite, low greater than high, a weight that exceeds half precision (65520
 * and more); TW_INVALID_DIMENSION for extents above 2,000,000,000; TW_UNSUPPORTED_TYPE for another
 * type; TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_network_create(tw_library* library, const tw_network_desc* desc, tw_network** out);

/** Options of tw_network_load. Initialise them with tw_make_network_load_options(). */
typedef struct {
  size_t struct_size; /**< sizeof(tw_network_load_options) */
  tw_type type;       /**< TW_FLOAT, the default, or TW_HALF; see tw_network_desc */
  /** NULL, the default: all outputs of the file that can be computed, in the order of the file.
     Then its first output of floats that depends on an input must be one of them. Otherwise the
     names of the outputs that the network has, in this order, each once: outputs of the file or,
     in an ONNX file, any values of its graph. Inputs and layers that only other outputs need are
     left out. */
  const char* const* outputs;
  size_t num_outputs; /**< number of names; 0 if outputs is NULL */
} tw_network_load_options;

/** Returns the default options.
 *
 * @return options that have the same effect as NULL */
static inline tw_network_load_options tw_make_network_load_options(void) {
  tw_network_load_options options = {sizeof(tw_network_load_options), TW_FLOAT, NULL, 0};
  return options;
}

/** Loads a network from an ONNX file or a JSON definition (docs/models.md) and copies its weights
 * to the device, like tw_network_create. Outputs that cannot be computed, for example integers, are
 * left out, except for the first; the log of the library (tw_options::log) has a line with the
 * reason.
 *
 * @param library  the library whose kernels, device and context are used
 * @param path  the file; it ends in .onnx or .json, in upper or lower case
 * @param options  NULL: the defaults. Neither they nor the names are accessed after the call
 * @param out  receives the network; NULL on failure
 * @return TW_INVALID_VALUE for a null argument and for invalid options; TW_INVALID_NETWORK for a
 * file that cannot be read or run: tw_last_error() contains the file and the node, layer or key;
 * also for a chosen output that the file does not have or that cannot be computed, and without a
 * choice for a file whose first output of floats cannot be computed: tw_last_error() contains the
 * output, the reason and the outputs that can be chosen; TW_UNSUPPORTED_TYPE for another type;
 * TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_network_load(tw_library* library, const char* path,
                             const tw_network_load_options* options, tw_network** out);

/** tw_network_load for the bytes of an ONNX file or of a JSON definition. Their contents tell which it
 * is. A network that has tensors or matrices in other files is refused: a JSON definition must have
 * its matrices in its text (docs/models.md). Errors of JSON contain the line and column.
 *
 * @param library, options, out  see tw_network_load
 * @param data, size  the bytes and their number; not accessed after the call
 * @return like tw_network_load */
TW_API tw_status tw_network_load_memory(tw_library* library, const void* data, size_t size,
                                    const tw_network_load_options* options, tw_network** out);

/** Frees the network. Forward passes that were enqueued before still run to the end.
 *
 * @param net  null is allowed */
TW_API void tw_network_free(tw_network* net);

/** Returns the element type of the network's inputs and outputs.
 *
 * @param net  null is allowed
 * @return TW_FLOAT or TW_HALF; TW_FLOAT for null */
TW_API tw_type tw_network_type(const tw_network* net);

/** Returns the number of inputs. Networks that tw_network_create made have one.
 *
 * @param net  null is allowed
 * @return the number; 0 for null */
TW_API size_t tw_network_num_inputs(const tw_network* net);

/** Returns the number of outputs. Networks that tw_network_create made have one.
 *
 * @param net  null is allowed
 * @return the number; 0 for null */
TW_API size_t tw_network_num_outputs(const tw_network* net);

/** Returns the name of an input.
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the name, empty if it has none, valid until tw_network_free; null if there is no such input
 */
TW_API const char* tw_network_input_name(const tw_network* net, size_t index);

/** Returns the name of an output.
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the name, empty if it has none, valid until tw_network_free; null if there is no such output
 */
TW_API const char* tw_network_output_name(const tw_network* net, size_t index);

/** Returns the number of columns of an input: its matrix is batch x columns.
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the number; 0 if there is no such input */
TW_API size_t tw_network_input_columns(const tw_network* net, size_t index);

/** Returns the number of columns of an output: its matrix is batch x columns. This is so, too, if the
 * batch is a later dimension of the output in the file, as after a transpose (docs/models.md).
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the number; 0 if there is no such output */
TW_API size_t tw_network_output_columns(const tw_network* net, size_t index);

/** Finds an input by its name.
 *
 * @param net  a network
 * @param name  the name, as in the file of the network
 * @param index  receives the index of the input, from 0; not set on failure
 * @return TW_INVALID_VALUE for a null argument, or if no input has the name: tw_last_error() lists
 * the names that there are */
TW_API tw_status tw_network_find_input(const tw_network* net, const char* name, size_t* index);

/** Finds an output by its name.
 *
 * @param net  a network
 * @param name  the name, as in the file of the network
 * @param index  receives the index of the output, from 0; not set on failure
 * @return TW_INVALID_VALUE for a null argument, or if no output has the name: tw_last_error() lists
 * the names that there are */
TW_API tw_status tw_network_find_output(const tw_network* net, const char* name, size_t* index);

/** Plans a batch size and packs the weights for it, so that the first tw_network_forward need not do
 * this. The plan is for matrices without offsets and gaps; others may need another plan.
 *
 * @param net  a network
 * @param queue  a queue of the library's context and device; commands that are enqueued later wait
 * until the weights are packed
 * @param batch  number of rows
 * @return TW_INVALID_VALUE for null; TW_INVALID_DIMENSION, TW_INVALID_QUEUE, TW_BUILD_FAILURE,
 * TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_network_prepare(const tw_network* net, cl_command_queue queue, size_t batch);

/** Returns the memory that tw_network_forward needs for the results between layers.
 *
 * @param net  a network
 * @param batch  number of rows
 * @param inputs, num_inputs  one matrix for each input, in their order, of which the offsets, the
 * leading dimensions and the alignment of the buffers matter; buffers are not checked. Null and 0:
 * all without offsets and gaps
 * @param outputs, num_outputs  likewise for the outputs
 * @param bytes  receives the number of bytes; not set on failure
 * @return TW_INVALID_VALUE for a null argument, and for another number of matrices;
 * TW_INVALID_DIMENSION, TW_INVALID_LD_INPUT, TW_INVALID_LD_OUTPUT, TW_BUILD_FAILURE,
 * TW_OPENCL_ERROR; TW_OUT_OF_MEMORY if the results between layers are too large for a buffer of the
 * device */
TW_API tw_status tw_network_workspace_bytes(const tw_network* net, size_t batch, const tw_matrix* inputs,
                                        size_t num_inputs, const tw_matrix* outputs,
                                        size_t num_outputs, size_t* bytes);

/** Returns the memory that suffices for every batch of up to `max_batch` rows, with any number of
 * inputs and outputs, and any offsets and leading dimensions. For some batch sizes the fastest
 * kernels may need more; if the workspace of a forward pass is too small for them, the network runs
 * without packed matrices.
 *
 * @param net  a network
 * @param max_batch  the largest number of rows
 * @param bytes  receives the number of bytes; not set on failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_DIMENSION; TW_BUILD_FAILURE, also if the
 * device has no kernels that need no packed matrices; TW_OPENCL_ERROR; TW_OUT_OF_MEMORY if the
 * results between layers are too large for a buffer of the device */
TW_API tw_status tw_network_max_workspace_bytes(const tw_network* net, size_t max_batch, size_t* bytes);

/** Writes a human-readable table of the steps of a forward pass, in the order in which they run.
 * Loads the kernels; the first use of a kernel compiles it.
 *
 * @param net  a network
 * @param batch  number of rows
 * @param out  receives the text, to be freed with tw_text_free: for each step the names of its
 * layers, its extents, its predicted time, and its kernels. NULL on failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_DIMENSION, TW_BUILD_FAILURE,
 * TW_OPENCL_ERROR; TW_OUT_OF_MEMORY if the results between layers are too large for a buffer of the
 * device */
TW_API tw_status tw_network_explain(const tw_network* net, size_t batch, char** out);

/** outputs = net(inputs). Enqueues one chain of commands and returns without waiting. The first
 * call for a batch size plans it and packs the weights for it.
 *
 * @param net  a network
 * @param queue  an in-order or out-of-order queue of the library's context and device
 * @param batch  number of rows; if it is 0, the event completes like that of tw_gemm if there is
 * nothing to write
 * @param inputs, num_inputs  one matrix for each input, in their order. Buffers may be larger than
 * the batch needs, for example made for a maximum batch
 * @param outputs, num_outputs  one matrix for each output, in their order; none may overlap an
 * input or another output. Gaps between rows are not written
 * @param workspace  memory of at least tw_network_workspace_bytes() or tw_network_max_workspace_bytes()
 * bytes. Nothing else may use it until the outputs are written. NULL: the library allocates memory
 * @param num_wait, wait  the number of events to wait for, and the events; 0 and null: none
 * @param event  if not null, receives the event that completes when the outputs are written; the
 * caller must release it
 * @return TW_INVALID_VALUE for null, another number of matrices or an invalid wait list;
 * TW_INVALID_DIMENSION; for an input TW_INVALID_LD_INPUT, TW_INVALID_BUFFER_INPUT,
 * TW_INSUFFICIENT_BUFFER_INPUT; for an output the same with OUTPUT, and tw_last_error() names it;
 * TW_INVALID_WORKSPACE, TW_INSUFFICIENT_WORKSPACE; TW_INVALID_QUEUE; all of these before anything
 * is enqueued; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_network_forward(const tw_network* net, cl_command_queue queue, size_t batch,
                                const tw_matrix* inputs, size_t num_inputs,
                                const tw_matrix* outputs, size_t num_outputs,
                                const tw_memory* workspace, cl_uint num_wait, const cl_event* wait,
                                cl_event* event);

#ifdef __cplusplus
}
#endif

#endif

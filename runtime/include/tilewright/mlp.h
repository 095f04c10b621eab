/** @file
 * Runs neural networks on an OpenCL device (C interface).
 *
 *     tw_mlp_layer layers[] = {
 *         {.kind = TW_LAYER_AFFINE, .inputs = 784, .outputs = 10, .weights = w, .bias = b},
 *         {.kind = TW_LAYER_SOFTMAX}};
 *     tw_mlp *net = NULL;
 *     if (tw_mlp_create(library, layers, 2, &net) != TW_SUCCESS) puts(tw_last_error());
 *     tw_mlp_forward(net, queue, batch, x, 0, 784, y, 0, 10, 0, NULL, &event);
 *     tw_mlp_free(net);
 *
 * A batch is a row-major matrix with one sample per row: the input is batch x inputs, the output
 * batch x outputs. Elements are floats, or half precision (cl_half) if the network was created by
 * tw_hmlp_create. Offsets and leading dimensions count elements. Errors are reported as in
 * tilewright.h.
 *
 * Samples do not affect each other. If a sample contains infinity or NaN, or overflows inside the
 * network, its own outputs are unspecified, because they depend on the layout of the batch between
 * the layers. The outputs of all other samples stay the same to the bit.
 *
 * Thread safety: any number of threads may use one network on any queues. Only tw_mlp_free must be
 * the last call for it. It may be used after tw_close. */
#ifndef TILEWRIGHT_MLP_H
#define TILEWRIGHT_MLP_H

#include <tilewright/tilewright.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A neural network on a device. Created by tw_mlp_create, freed by tw_mlp_free. */
typedef struct tw_mlp tw_mlp;

/** The kinds of layers. */
typedef enum TW_INT_ENUM {
  TW_LAYER_AFFINE = 0,        /**< Y = X W + b */
  TW_LAYER_IDENTITY = 1,      /**< Y = X */
  TW_LAYER_RELU = 2,          /**< max(x, 0) */
  TW_LAYER_LEAKY_RELU = 3,    /**< x, or slope x if x < 0 */
  TW_LAYER_SIGMOID = 4,       /**< 1 / (1 + exp(-x)) */
  TW_LAYER_TANH = 5,          /**< tanh(x) */
  TW_LAYER_SOFTMAX = 6,       /**< turns each row into probabilities */
  TW_LAYER_ELU = 7,           /**< x, or slope (exp(x) - 1) if x < 0 */
  TW_LAYER_SELU = 8,          /**< scale x, or scale alpha (exp(x) - 1) if x < 0 (1.0507..., 1.6733...) */
  TW_LAYER_SOFTPLUS = 9,      /**< log(1 + exp(x)) */
  TW_LAYER_HARD_SIGMOID = 10, /**< slope x + shift, limited to [0, 1] */
  TW_LAYER_HARD_SWISH = 11,   /**< x min(max(x / 6 + 1/2, 0), 1) */
  TW_LAYER_CLIP = 12,         /**< x, limited to [low, high]; ReLU6 with 0 and 6 */
  TW_LAYER_GELU = 13,         /**< x / 2 (1 + erf(x / sqrt(2))) */
  TW_LAYER_GELU_TANH = 14,    /**< the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) instead of erf */
  TW_LAYER_LOG_SOFTMAX = 15   /**< the logarithm of softmax */
} tw_layer_kind;

/** One layer. Members that its kind does not use are ignored. */
typedef struct {
  tw_layer_kind kind;   /**< the kind of layer */
  const char *name;     /**< for messages; may be null */
  size_t inputs;        /**< affine: columns of X */
  size_t outputs;       /**< affine: columns of Y */
  const float *weights; /**< affine: W, inputs x outputs, row-major, without gaps */
  const float *bias;    /**< affine: `outputs` floats; null: no bias */
  float slope;          /**< leaky ReLU and ELU (for x < 0), hard sigmoid */
  float shift;          /**< hard sigmoid */
  float low;            /**< clip */
  float high;           /**< clip */
} tw_mlp_layer;

/** Checks the layers, copies the weights to the device, and returns when the copies are complete.
 *
 * @param library  the library whose kernels, device and context are used
 * @param layers, num_layers  the layers, in the order in which they are applied; at least one must
 * be affine, because it determines the number of columns. Not accessed after the call
 * @param out  receives the network; NULL on failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_NETWORK for an invalid layer (tw_last_error() contains
 * its number, starting with 1): no weights, extents of 0, a number of inputs that differs from the
 * outputs of the previous layer, an unknown kind, an argument of an activation that is not finite,
 * low greater than high; TW_INVALID_DIMENSION for extents above 2,000,000,000; TW_OUT_OF_MEMORY,
 * TW_OPENCL_ERROR */
TW_API tw_status tw_mlp_create(tw_library *library, const tw_mlp_layer *layers, size_t num_layers,
                               tw_mlp **out);

/** tw_mlp_create for a network whose weights and batches are half precision. Weights and the
 * results between layers are rounded to the nearest half-precision number, ties to even. Sums,
 * biases and activations are computed in single precision, but softmax stores its exponentials in
 * half precision before it divides.
 *
 * @param library, layers, num_layers, out  see tw_mlp_create
 * @return like tw_mlp_create; TW_INVALID_NETWORK also for a weight that exceeds half precision
 * (65520 and more) */
TW_API tw_status tw_hmlp_create(tw_library *library, const tw_mlp_layer *layers, size_t num_layers,
                                tw_mlp **out);

/** Frees the network. Forward passes that were enqueued before still run to the end.
 *
 * @param net  null is allowed */
TW_API void tw_mlp_free(tw_mlp *net);

/** Returns the number of columns of the first input.
 *
 * @param net  null is allowed
 * @return the number; 0 for null */
TW_API size_t tw_mlp_inputs(const tw_mlp *net);

/** Returns the number of columns of the first output.
 *
 * @param net  null is allowed
 * @return the number; 0 for null */
TW_API size_t tw_mlp_outputs(const tw_mlp *net);

/** Returns the number of inputs. Networks that tw_mlp_create made have one.
 *
 * @param net  null is allowed
 * @return the number; 0 for null */
TW_API size_t tw_mlp_num_inputs(const tw_mlp *net);

/** Returns the number of outputs. Networks that tw_mlp_create made have one.
 *
 * @param net  null is allowed
 * @return the number; 0 for null */
TW_API size_t tw_mlp_num_outputs(const tw_mlp *net);

/** Returns the name of an input.
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the name, empty if it has none, valid until tw_mlp_free; null if there is no such input */
TW_API const char *tw_mlp_input_name(const tw_mlp *net, size_t index);

/** Returns the name of an output.
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the name, empty if it has none, valid until tw_mlp_free; null if there is no such output */
TW_API const char *tw_mlp_output_name(const tw_mlp *net, size_t index);

/** Returns the number of columns of an input: its matrix is batch x columns.
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the number; 0 if there is no such input */
TW_API size_t tw_mlp_input_columns(const tw_mlp *net, size_t index);

/** Returns the number of columns of an output: its matrix is batch x columns.
 *
 * @param net  null is allowed
 * @param index  from 0
 * @return the number; 0 if there is no such output */
TW_API size_t tw_mlp_output_columns(const tw_mlp *net, size_t index);

/** Finds an input by its name.
 *
 * @param net  a network
 * @param name  the name, as in the file of the network
 * @param index  receives the index of the input, from 0; not set on failure
 * @return TW_INVALID_VALUE for a null argument, or if no input has the name: tw_last_error() lists
 * the names that there are */
TW_API tw_status tw_mlp_find_input(const tw_mlp *net, const char *name, size_t *index);

/** Finds an output by its name.
 *
 * @param net  a network
 * @param name  the name, as in the file of the network
 * @param index  receives the index of the output, from 0; not set on failure
 * @return TW_INVALID_VALUE for a null argument, or if no output has the name: tw_last_error() lists
 * the names that there are */
TW_API tw_status tw_mlp_find_output(const tw_mlp *net, const char *name, size_t *index);

/** Plans a batch size and packs the weights for it, so that the first tw_mlp_forward need not do
 * this. The plan is for matrices without offsets and gaps; others may need another plan.
 *
 * @param net  a network
 * @param queue  a queue of the library's context and device; commands that are enqueued later wait
 * until the weights are packed
 * @param batch  number of rows
 * @return TW_INVALID_VALUE for null; TW_INVALID_DIMENSION, TW_INVALID_QUEUE, TW_BUILD_FAILURE,
 * TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_mlp_prepare(const tw_mlp *net, cl_command_queue queue, size_t batch);

/** Returns the memory that tw_mlp_forward_in needs for the results between layers.
 *
 * @param net  a network
 * @param batch, offset_input, ld_input, offset_output, ld_output  see tw_mlp_forward; of the
 * offsets and leading dimensions only the largest power of two that divides them matters, and
 * whether rows have gaps
 * @param bytes  receives the number of bytes; not set on failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_DIMENSION, TW_INVALID_LD_INPUT,
 * TW_INVALID_LD_OUTPUT, TW_BUILD_FAILURE, TW_OPENCL_ERROR; TW_OUT_OF_MEMORY if the result of a layer is
 * too large for a buffer of the device */
TW_API tw_status tw_mlp_workspace_bytes(const tw_mlp *net, size_t batch, size_t offset_input,
                                        size_t ld_input, size_t offset_output, size_t ld_output,
                                        size_t *bytes);

/** Returns the memory that suffices for every batch of up to `max_batch` rows, with any number of
 * inputs and outputs, and any offsets and leading dimensions. For some batch sizes the fastest
 * kernels may need more; if the workspace of a forward pass is too small for them, the network runs
 * without packed matrices.
 *
 * @param net  a network
 * @param max_batch  the largest number of rows
 * @param bytes  receives the number of bytes; not set on failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_DIMENSION, TW_BUILD_FAILURE,
 * TW_OPENCL_ERROR; TW_OUT_OF_MEMORY if the result of a layer is too large for a buffer of the device */
TW_API tw_status tw_mlp_max_workspace_bytes(const tw_mlp *net, size_t max_batch, size_t *bytes);

/** output = net(input). Enqueues one chain of commands and returns without waiting. The first call
 * for a batch size plans it and packs the weights for it.
 *
 * @param net  a network
 * @param queue  an in-order or out-of-order queue of the library's context and device
 * @param batch  number of rows; if it is 0, the event completes after the `wait` events
 * @param input, offset_input, ld_input  the input, batch x tw_mlp_inputs()
 * @param output, offset_output, ld_output  the output, batch x tw_mlp_outputs(); it must not
 * overlap the input. Gaps between its rows are not written
 * @param num_wait, wait  the number of events to wait for, and the events; 0 and null: none
 * @param event  if not null, receives the event that completes when the output is written; the
 * caller must release it
 * @return TW_INVALID_VALUE for null or an invalid wait list, or if the first output of the network's
 * file cannot be computed (use tw_mlp_forward_all for the others); TW_INVALID_DIMENSION; for the
 * input TW_INVALID_LD_INPUT, TW_INVALID_BUFFER_INPUT, TW_INSUFFICIENT_BUFFER_INPUT; for the output
 * the same with OUTPUT; TW_INVALID_QUEUE; all of these before anything is enqueued;
 * TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_mlp_forward(const tw_mlp *net, cl_command_queue queue, size_t batch, cl_mem input,
                                size_t offset_input, size_t ld_input, cl_mem output, size_t offset_output,
                                size_t ld_output, cl_uint num_wait, const cl_event *wait, cl_event *event);

/** tw_mlp_forward with a workspace of the caller for the results between layers.
 *
 * @param net, queue, batch, input, offset_input, ld_input, output, offset_output, ld_output,
 * num_wait, wait, event  see tw_mlp_forward
 * @param workspace, offset_workspace  a buffer with at least tw_mlp_workspace_bytes() or
 * tw_mlp_max_workspace_bytes() bytes after
 * offset_workspace floats (also for half precision), which must be a multiple of 16. Nothing else
 * may use it until the output is written. Null: the library allocates memory
 * @return like tw_mlp_forward; also TW_INVALID_WORKSPACE, TW_INSUFFICIENT_WORKSPACE */
TW_API tw_status tw_mlp_forward_in(const tw_mlp *net, cl_command_queue queue, size_t batch, cl_mem input,
                                   size_t offset_input, size_t ld_input, cl_mem output,
                                   size_t offset_output, size_t ld_output, cl_mem workspace,
                                   size_t offset_workspace, cl_uint num_wait, const cl_event *wait,
                                   cl_event *event);

/** The matrix of one input or output: batch x columns, row-major. */
typedef struct {
  cl_mem buffer; /**< at least as large as the batch needs, for example made for a maximum batch */
  size_t offset; /**< of its first element, in elements */
  size_t ld;     /**< distance between rows, in elements; at least the number of columns */
} tw_mlp_matrix;

/** tw_mlp_workspace_bytes for any number of inputs and outputs.
 *
 * @param net, batch  see tw_mlp_forward
 * @param inputs, num_inputs  one matrix for each input, in their order, of which the offsets, the
 * leading dimensions and the alignment of the buffers matter; null and 0: all without offsets and
 * gaps
 * @param outputs, num_outputs  likewise for the outputs
 * @param bytes  receives the number of bytes; not set on failure
 * @return like tw_mlp_workspace_bytes; TW_INVALID_VALUE also for another number of matrices */
TW_API tw_status tw_mlp_workspace_bytes_all(const tw_mlp *net, size_t batch, const tw_mlp_matrix *inputs,
                                            size_t num_inputs, const tw_mlp_matrix *outputs,
                                            size_t num_outputs, size_t *bytes);

/** tw_mlp_forward_in for any number of inputs and outputs.
 *
 * @param net, queue, batch, num_wait, wait, event  see tw_mlp_forward
 * @param inputs, num_inputs  one matrix for each input, in their order
 * @param outputs, num_outputs  one matrix for each output, in their order; none may overlap an input
 * or another output
 * @param workspace, offset_workspace  see tw_mlp_forward_in, with tw_mlp_workspace_bytes_all() or
 * tw_mlp_max_workspace_bytes() bytes
 * @return like tw_mlp_forward_in; TW_INVALID_VALUE also for another number of matrices.
 * tw_last_error() names the input or output */
TW_API tw_status tw_mlp_forward_all(const tw_mlp *net, cl_command_queue queue, size_t batch,
                                    const tw_mlp_matrix *inputs, size_t num_inputs,
                                    const tw_mlp_matrix *outputs, size_t num_outputs, cl_mem workspace,
                                    size_t offset_workspace, cl_uint num_wait, const cl_event *wait,
                                    cl_event *event);

#ifdef __cplusplus
}
#endif

#endif

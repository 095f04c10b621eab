/** @file
 * How does a C program run a fully-connected net on an OpenCL device?
 *
 *     tw_mlp_layer layers[] = {
 *         {.kind = TW_LAYER_AFFINE, .inputs = 784, .outputs = 10, .weights = w, .bias = b},
 *         {.kind = TW_LAYER_SOFTMAX}};
 *     tw_mlp *net = NULL;
 *     if (tw_mlp_create(library, layers, 2, &net) != TW_SUCCESS) puts(tw_last_error());
 *     tw_mlp_forward(net, queue, batch, x, 0, 784, y, 0, 10, 0, NULL, &event);
 *     tw_mlp_free(net);
 *
 * A batch is a matrix with a sample in each row: batch x inputs in, batch x outputs out, row-major. Its elements are
 * floats, or halfs (cl_half) if tw_hmlp_create made the net. Offsets and leading dimensions count elements. Errors are
 * as in tilewright.h.
 *
 * Samples do not touch each other. What infinity or NaN in a sample, or a sample that overflows on its way through the
 * net, makes of that sample's own outputs is not specified: it depends on how the batch lies between the layers. No
 * other sample changes by a bit.
 *
 * Thread safety: a net never changes, but for what it remembers of batch sizes: any number of threads may use one, on
 * any queues; only tw_mlp_free must be the last call on it. It may outlive tw_close.
 */
#ifndef TILEWRIGHT_MLP_H
#define TILEWRIGHT_MLP_H

#include <tilewright/tilewright.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A fully-connected net on a device: tw_mlp_create makes it, tw_mlp_free frees it. */
typedef struct tw_mlp tw_mlp;

/** What a layer does. */
typedef enum TW_INT_ENUM {
  TW_LAYER_AFFINE = 0,        /**< Y = X W + b */
  TW_LAYER_IDENTITY = 1,      /**< Y = X */
  TW_LAYER_RELU = 2,          /**< max(x, 0) */
  TW_LAYER_LEAKY_RELU = 3,    /**< x, or slope x where x < 0 */
  TW_LAYER_SIGMOID = 4,       /**< 1 / (1 + exp(-x)) */
  TW_LAYER_TANH = 5,          /**< tanh(x) */
  TW_LAYER_SOFTMAX = 6,       /**< each row becomes probabilities */
  TW_LAYER_ELU = 7,           /**< x, or slope (exp(x) - 1) where x < 0 */
  TW_LAYER_SELU = 8,          /**< scale x, or scale alpha (exp(x) - 1) where x < 0: 1.0507..., 1.6733... */
  TW_LAYER_SOFTPLUS = 9,      /**< log(1 + exp(x)) */
  TW_LAYER_HARD_SIGMOID = 10, /**< slope x + shift, at least 0 and at most 1 */
  TW_LAYER_HARD_SWISH = 11,   /**< x min(max(x / 6 + 1/2, 0), 1) */
  TW_LAYER_CLIP = 12,         /**< x, at least low and at most high; ReLU6 from 0 to 6 */
  TW_LAYER_GELU = 13,         /**< x / 2 (1 + erf(x / sqrt(2))) */
  TW_LAYER_GELU_TANH = 14,    /**< the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) for erf */
  TW_LAYER_LOG_SOFTMAX = 15   /**< the logarithms of softmax */
} tw_layer_kind;

/** One layer. What its kind does not have is not looked at. */
typedef struct {
  tw_layer_kind kind;   /**< what it does */
  const char *name;     /**< for messages; may be null */
  size_t inputs;        /**< affine: columns of X */
  size_t outputs;       /**< affine: columns of Y */
  const float *weights; /**< affine: W, inputs x outputs, row-major, without gaps */
  const float *bias;    /**< affine: outputs floats, or null: none */
  float slope;          /**< leaky ReLU and ELU: for x < 0; hard sigmoid */
  float shift;          /**< hard sigmoid */
  float low;            /**< clip */
  float high;           /**< clip */
} tw_mlp_layer;

/** Checks the net, copies its weights to the device, and returns when they are there.
 *
 * @param library  whose kernels serve; its device and context are the net's
 * @param layers, num_layers  in the order in which they are applied, with an affine one at least; read before the call
 *     returns
 * @param out  where the net goes; NULL on failure
 * @return TW_INVALID_VALUE for a null argument, and for a layer that is wrong (tw_last_error() names it, counted from
 *     1): no weights, extents of 0, inputs that are not what the layer before gives, an unknown kind, an argument of
 *     an activation that is no finite number, low above high; TW_INVALID_DIMENSION for extents above 2,000,000,000;
 *     TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_mlp_create(tw_library *library, const tw_mlp_layer *layers, size_t num_layers,
                               tw_mlp **out);

/** tw_mlp_create of a net whose weights and batches are halfs. Weights are rounded to the nearest half, ties to even, and
 * so is what lies between the layers; sums, biases and what an activation computes are floats, but softmax keeps
 * exponentials as halfs before it divides.
 *
 * @param library, layers, num_layers, out  as of tw_mlp_create
 * @return as tw_mlp_create; TW_INVALID_VALUE for a weight that no half holds (65520 and more), too */
TW_API tw_status tw_hmlp_create(tw_library *library, const tw_mlp_layer *layers, size_t num_layers,
                                tw_mlp **out);

/** Frees the net. What is enqueued goes on.
 *
 * @param net  null is allowed */
TW_API void tw_mlp_free(tw_mlp *net);

/** Columns of a batch.
 *
 * @param net  null is allowed
 * @return the number; 0 of no net */
TW_API size_t tw_mlp_inputs(const tw_mlp *net);

/** Columns of its results.
 *
 * @param net  null is allowed
 * @return the number; 0 of no net */
TW_API size_t tw_mlp_outputs(const tw_mlp *net);

/** Plans a batch size and packs the weights as it wants them, so that the first tw_mlp_forward need not. It is for
 * matrices without offsets and gaps; others may be planned once more.
 *
 * @param net  which is open
 * @param queue  of the library's context and device; what is enqueued on it later waits until the weights are packed
 * @param batch  rows
 * @return TW_INVALID_VALUE for no net; TW_INVALID_DIMENSION, TW_INVALID_QUEUE, TW_BUILD_FAILURE, TW_OUT_OF_MEMORY,
 *     TW_OPENCL_ERROR */
TW_API tw_status tw_mlp_prepare(const tw_mlp *net, cl_command_queue queue, size_t batch);

/** What tw_mlp_forward_in needs for what lies between the layers.
 *
 * @param net  which is open
 * @param batch, offset_input, ld_input, offset_output, ld_output  as of the forward; of the offsets and leading
 *     dimensions only counts by which power of two they can be divided, and whether rows have gaps
 * @param bytes  where the number goes; not set on failure
 * @return TW_INVALID_VALUE for a null argument; TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_LD_C,
 *     TW_BUILD_FAILURE, TW_OPENCL_ERROR; TW_OUT_OF_MEMORY if no buffer of the device holds what a layer makes of the
 *     batch */
TW_API tw_status tw_mlp_workspace_bytes(const tw_mlp *net, size_t batch, size_t offset_input,
                                        size_t ld_input, size_t offset_output, size_t ld_output,
                                        size_t *bytes);

/** output = net(input), asynchronous: enqueues one chain of commands and returns. The first forward of a batch size
 * plans it, and packs the weights as it wants them.
 *
 * @param net  which is open
 * @param queue  of the library's context and device; in order or not
 * @param batch  rows; of none there is an event after the `wait` events
 * @param input, offset_input, ld_input  batch x tw_mlp_inputs()
 * @param output, offset_output, ld_output  batch x tw_mlp_outputs(), which must not overlap the input. Between its
 *     rows nothing is written
 * @param num_wait, wait  events that the commands wait for; 0 and null: none
 * @param event  if not null, gets the event that completes when the output is written; the caller's to release
 * @return TW_INVALID_VALUE for no net or a bad wait list; TW_INVALID_DIMENSION; of the input TW_INVALID_LD_A,
 *     TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A; of the output those of C; TW_INVALID_QUEUE; all before anything of
 *     the forward is enqueued; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_mlp_forward(const tw_mlp *net, cl_command_queue queue, size_t batch, cl_mem input,
                                size_t offset_input, size_t ld_input, cl_mem output, size_t offset_output,
                                size_t ld_output, cl_uint num_wait, const cl_event *wait, cl_event *event);

/** tw_mlp_forward with what lies between the layers in memory of the caller's.
 *
 * @param net, queue, batch, input, offset_input, ld_input, output, offset_output, ld_output, num_wait, wait, event  as of
 *     tw_mlp_forward
 * @param workspace, offset_workspace  a buffer of tw_mlp_workspace_bytes() bytes or more behind offset_workspace floats,
 *     a multiple of 16, also of a net of halfs, which nothing else may use until the forward is done. Null: memory of
 *     the library's
 * @return as tw_mlp_forward; of the workspace TW_INVALID_VALUE (offset), TW_INVALID_BUFFER_C,
 *     TW_INSUFFICIENT_BUFFER_C */
TW_API tw_status tw_mlp_forward_in(const tw_mlp *net, cl_command_queue queue, size_t batch, cl_mem input,
                                   size_t offset_input, size_t ld_input, cl_mem output,
                                   size_t offset_output, size_t ld_output, cl_mem workspace,
                                   size_t offset_workspace, cl_uint num_wait, const cl_event *wait,
                                   cl_event *event);

#ifdef __cplusplus
}
#endif

#endif

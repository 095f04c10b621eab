/** @file
 * Several devices multiply together (C interface): OpenCL devices of one or several contexts, and
 * the host's CBLAS.
 *
 *     tw_team_member members[2] = {{0}};
 *     members[0].library = library;           // a device: its library and a queue
 *     members[0].queue = queue;
 *     members[1].cblas = "libopenblas.so.0";  // the host
 *     tw_team_desc desc = tw_make_team_desc(members, 2);
 *     tw_team* team = NULL;
 *     if (tw_team_create(&desc, &team) != TW_SUCCESS) puts(tw_last_error());
 *
 *     tw_gemm_desc product = tw_make_gemm_desc(TW_FLOAT, m, n, k);  // C = A B, row-major
 *     tw_team_gemm(team, &product, a, 0, b, 0, c, 0);               // in host memory
 *     tw_team_free(team);
 *
 * Each member computes a part of C, such that all finish at the same time. If fewer members are
 * faster, the others do nothing. Which is the case depends on the members' profiles and on their
 * measured rates. The first product of each element type in host memory measures the members, which
 * usually takes one to three seconds, unless tw_team_desc says otherwise; tw_team_measure measures
 * them again. Nothing else changes the parts. See docs/teams.md.
 *
 * If a member reports an error, the other members compute its part, so the product succeeds. The
 * member is dropped: later products do without it, and tw_team_drop_reason() returns what happened.
 * If it only lacked memory for this product (the error would be TW_OUT_OF_MEMORY), it is not
 * dropped, and later products try it again. tw_team_num_skipped() counts such failures, and
 * tw_team_skip_reason() returns the first one.
 *
 * Thread safety: any number of threads may use one team. Only tw_team_free must be the last call
 * for it. Errors are reported as in tilewright.h. */
#ifndef TILEWRIGHT_TEAM_H
#define TILEWRIGHT_TEAM_H

#include <tilewright/tilewright.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A team. Created by tw_team_create, freed by tw_team_free. */
typedef struct tw_team tw_team;

/** A member of a team: either a device (library and queue) or the host (cblas). Later versions may
 * add members at the end, which have no effect if they are 0: initialise all members. */
typedef struct {
  tw_library* library;    /**< the library of a device; NULL for the host */
  cl_command_queue queue; /**< a queue of the library's context and device; retained */
  /** NULL for a device. The name or path of a shared library with CBLAS functions (cblas_sgemm,
      cblas_dgemm, cblas_cgemm, cblas_zgemm; not all are necessary) whose integers have 32 bits, for
      example "libopenblas.so.0". It is never unloaded. "": the functions of the program and of the
      libraries that it is linked to. */
  const char* cblas;
} tw_team_member;

/** A team. Initialise it with tw_make_team_desc(). */
typedef struct {
  size_t struct_size;            /**< sizeof(tw_team_desc) */
  const tw_team_member* members; /**< the members */
  size_t member_size;            /**< sizeof(tw_team_member) */
  size_t num_members;            /**< number of members, at least 1 */
  /** NULL, the default: the members' parts follow from their predicted and measured times.
     Otherwise one number for each member: it always computes this share of the rows (row-major) or
     columns (column-major) of C, divided by the sum of all shares. Shares are at least 0; one is
     above 0; their sum is finite. */
  const double* shares;
  /** Default: 1. Not 0: the first product of each element type in host memory measures the members,
      unless profile_path has rates for the type. 0: only tw_team_measure does. Without measured
      rates, the parts depend on the profiles of the devices, and a CBLAS counts as fast as their
      average. Ignored if shares is set, or if there is one member. */
  int measure;
  /** NULL, the default, or the path of a team profile: what `tilewright tune --team` has measured
      for these members in this order. Nothing else is then measured for its element types. */
  const char* profile_path;
} tw_team_desc;

/** Returns the description of a team.
 *
 * @param members, num_members  see tw_team_desc
 * @return a description with these members and the defaults of the others */
static inline tw_team_desc tw_make_team_desc(const tw_team_member* members, size_t num_members) {
  tw_team_desc desc = {
      sizeof(tw_team_desc), members, sizeof(tw_team_member), num_members, NULL, 1, NULL};
  return desc;
}

/** Creates a team. Nothing is compiled or measured yet.
 *
 * @param desc  neither it nor its arrays are accessed after the call. The libraries may be closed:
 * the team keeps what it needs
 * @param out  receives the team; NULL on failure
 * @return TW_INVALID_VALUE for a null argument, no members, a member that is both a device and the
 * host or neither, invalid shares, or a CBLAS library that cannot be loaded; TW_INVALID_QUEUE for a
 * queue that is null or does not belong to its library; TW_NO_PROFILE, TW_BAD_PROFILE for a team
 * profile that cannot be read or is invalid, TW_WRONG_DEVICE if it is for other members or for
 * other profiles of theirs; TW_OUT_OF_MEMORY */
TW_API tw_status tw_team_create(const tw_team_desc* desc, tw_team** out);

/** Frees the team. Products that were enqueued before still run to the end.
 *
 * @param team  null is allowed */
TW_API void tw_team_free(tw_team* team);

/** C = alpha op(A) op(B) + beta C with the semantics of BLAS, for matrices in host memory. Returns
 * when C is written. The host must not modify the matrices during the call.
 *
 * Devices that use the host's memory work on the matrices themselves, if their driver can map them
 * (drivers of Intel require addresses that are multiples of 4096); otherwise, the parts that a
 * device needs are copied. They are also copied if A and B overlap without being the same memory,
 * and, except for CPUs, if a matrix has larger gaps than elements. Members that do not support the
 * element type are not used; CBLAS has no half precision.
 *
 * @param team  a team
 * @param desc  the product; not a batch
 * @param a, b  the first elements of the factors, which may overlap; null if they are not read
 * @param c  the first element of the result, which must not overlap A or B. Gaps between its rows
 * or columns are not written
 * @param lda, ldb, ldc  leading dimensions, see tw_matrix; 0: without gaps
 * @return TW_INVALID_VALUE, also for a batch; TW_INVALID_DIMENSION; TW_INVALID_LD_A;
 * TW_INVALID_BUFFER_A if A is read and null, or not aligned for its elements; the same for B and C;
 * TW_UNSUPPORTED_TYPE if no member supports the element type; before anything is computed. If all
 * members failed: the error of the last one; C is then undefined */
TW_API tw_status tw_team_gemm(tw_team* team, const tw_gemm_desc* desc, const void* a, size_t lda,
                              const void* b, size_t ldb, void* c, size_t ldc);

/** The same for matrices in buffers: enqueues the product and returns without waiting. Only members
 * that are devices of the buffers' context compute it, each on its queue: all of them if they use
 * the host's memory, otherwise the fastest one, because drivers copy whole buffers between devices
 * that have their own memories.
 *
 * A member is dropped if it reports an error while its part is enqueued. An error that occurs
 * later, while the commands run, is the status of the event.
 *
 * The call fails if all members failed, and if a member failed after it had enqueued commands that
 * update a part of C, because the product is not repeated then. After such an error C is undefined,
 * and commands of other members may still write it until their queues are finished.
 *
 * @param team  a team
 * @param desc, a, b, c, num_wait, wait, event  see tw_gemm; not a batch. Events may belong to any
 * queue of the buffers' context
 * @return like tw_gemm; TW_INVALID_VALUE if no member is a device */
TW_API tw_status tw_team_enqueue_gemm(tw_team* team, const tw_gemm_desc* desc, const tw_matrix* a,
                                      const tw_matrix* b, const tw_matrix* c, cl_uint num_wait,
                                      const cl_event* wait, cl_event* event);

/** Measures the members of a team for an element type, and replaces the rates that were measured or
 * read before: after other programs have used the devices at the first measurement, for example, or
 * if clock rates have changed. Products of other threads use the earlier rates meanwhile; if there
 * are none, they wait.
 *
 * Each member alone, and all together, multiply square matrices of 128, 256 and so on up to 2048
 * rows, but not those for which the slowest member needs more than about 0.1 s. The fastest product
 * counts, so that other programs hardly influence the rates.
 *
 * @param team  a team. If its shares are fixed, or if only one member supports the type, nothing
 * is measured
 * @param type  the element type
 * @return TW_INVALID_VALUE; TW_UNSUPPORTED_TYPE if no member supports the type; TW_OUT_OF_MEMORY,
 * or the error of a member, if nothing could be measured. The earlier rates then stay */
TW_API tw_status tw_team_measure(tw_team* team, tw_type type);

/** Writes a human-readable text with one line for each member: what it would compute of such a
 * product in host memory, the predicted time of this part, and the predicted time of the whole
 * product without other members, with the time of transfers that it contains. A last line has the
 * predicted time of the product, and where the rates come from.
 *
 * @param team  a team
 * @param desc  the product; not a batch
 * @param out  receives the text, to be freed with tw_text_free. NULL on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_UNSUPPORTED_TYPE, TW_OUT_OF_MEMORY */
TW_API tw_status tw_team_explain(tw_team* team, const tw_gemm_desc* desc, char** out);

/** Returns why a member was dropped. A team does not take it back; create a new team to try it
 * again.
 *
 * @param team  null is allowed
 * @param member  the index of a member, from 0
 * @return the name of the device and its error, valid until tw_team_free; "" if the member was not
 * dropped, and for an index that is too large */
TW_API const char* tw_team_drop_reason(const tw_team* team, size_t member);

/** Returns how many parts of products a member left to other members, because it lacked memory for
 * them. It counts all products of all threads, also those that failed in the end.
 *
 * @param team  null is allowed
 * @param member  the index of a member, from 0
 * @return the number; 0 for null, and for an index that is too large */
TW_API size_t tw_team_num_skipped(const tw_team* team, size_t member);

/** Returns why a member left a part of a product to other members without being dropped: it lacked
 * memory. If this has happened several times, it is the first reason.
 *
 * @param team  null is allowed
 * @param member  the index of a member, from 0
 * @return the name of the device and its error, valid until tw_team_free; "" if it has not
 * happened, and for an index that is too large */
TW_API const char* tw_team_skip_reason(const tw_team* team, size_t member);

/** Returns the number of members that were dropped.
 *
 * @param team  null is allowed
 * @return the number; 0 for null */
TW_API size_t tw_team_num_dropped(const tw_team* team);

#ifdef __cplusplus
}
#endif

#endif

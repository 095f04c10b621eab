#include "codelets/point/fields.hpp"

namespace tilewright {
namespace {

using P = GemmPoint;

std::vector<Field> layout_fields() {
  return {
      precision_field<P>(),
      always_named(layout_field<P, &P::layout_a>(
          "layout_a", "", "layout of op(A); R and C are used in place, other layouts are packed",
          {"R", "C", "R 2 1 C", "R 3 1 C", "R 4 1 C", "R 6 1 C", "R 8 1 C", "R 12 1 C", "R 16 1 C",
           "R 2 4 R", "R 4 4 R"})),
      always_named(layout_field<P, &P::layout_b>(
          "layout_b", "", "layout of op(B); R and C are used in place, other layouts are packed",
          {"R", "C", "C 1 4 R", "C 1 8 R", "C 1 16 R", "C 1 32 R", "C 1 48 R", "C 1 64 R",
           "C 4 2 C", "C 4 4 C"})),
      required_field(layout_field<P, &P::layout_c>("layout_c", "c",
                                                   "layout of C; R, or a packed layout",
                                                   {"R", "C", "C 4 2 C", "C 4 4 C", "R 4 4 R"})),
  };
}

// Half-precision sums are tried only on request.
Field accumulate_field() {
  Words<int> words;
  for (const int steps : {0, 2, 4, 8, 16, 32, kWholeK}) {
    words.emplace_back(steps, half_sums_text(steps));
  }
  Field steps = late(field<P, &P::accumulate_k>(
      "accumulate_k", "acc",
      "half precision: k steps to accumulate in half precision before the sum is added to a float; "
      "0: accumulate in floats",
      words));
  for (const auto& word : words) {
    if (word.first > 0) steps.on_request.push_back(word.second);
  }
  return steps;
}

std::vector<Field> tile_fields() {
  return {
      always_named(number_field<P, &P::tile_m>("tile_m", "m", "rows of C per work-item",
                                               {1, 2, 3, 4, 6, 8, 12, 16})),
      always_named(number_field<P, &P::tile_n>("tile_n", "n", "columns of C per work-item",
                                               {1, 2, 3, 4, 6, 8, 12, 16, 32, 48, 64})),
      number_field<P, &P::tile_k>(
          "tile_k", "k", "k steps that are loaded before they are multiplied", {1, 2, 4, 8, 16}),
      number_field<P, &P::unroll_k>("unroll_k", "u", "k tiles per loop iteration",
                                    {1, 2, 4, 8, 16}),
      number_field<P, &P::vector_width>("vector_width", "v",
                                        "elements per vector; vectors run along n (outer) or k "
                                        "(dot, partial)",
                                        {1, 2, 4, 8, 16}),
      field<P, &P::inner>(
          "inner", "", "arrangement of the multiply-adds",
          Words<Inner>{
              {Inner::kOuter, "outer"}, {Inner::kDot, "dot"}, {Inner::kPartial, "partial"}}),
      multiply_add_field<P>(),
      accumulate_field(),
  };
}

std::vector<Field> group_fields() {
  return {
      number_field<P, &P::work_group_m>("work_group_m", "wm", "work-items per work-group along m",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      number_field<P, &P::work_group_n>("work_group_n", "wn", "work-items per work-group along n",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      field<P, &P::id_order>("id_order", "", "nm: global id 0 runs along n; mn: along m",
                             Words<IdOrder>{{IdOrder::kNM, "nm"}, {IdOrder::kMN, "mn"}}),
      field<P, &P::assignment>("assignment", "",
                               "the elements of C of a work-item are adjacent (consecutive) or "
                               "distributed in vectors (offset)",
                               Words<Assignment>{{Assignment::kConsecutive, "consecutive"},
                                                 {Assignment::kOffset, "offset"}}),
      number_field<P, &P::lanes_m>("lanes_m", "lm", "rows of work-items with consecutive ids",
                                   {1, 2, 4, 8, 16, 32}),
      number_field<P, &P::lanes_n>("lanes_n", "ln", "columns of work-items with consecutive ids",
                                   {1, 2, 4, 8, 16, 32}),
      field<P, &P::group_order>("group_order", "g_", "order in which work-groups traverse C",
                                Words<GroupOrder>{{GroupOrder::kRows, "rows"},
                                                  {GroupOrder::kColumns, "columns"},
                                                  {GroupOrder::kTiled, "tiled"},
                                                  {GroupOrder::kMorton, "morton"}}),
      number_field<P, &P::split_k>("split_k", "s",
                                   "parts of k that are computed in parallel and "
                                   "then added up",
                                   {1, 2, 4, 8, 16, 32}),
      late(number_field<P, &P::stream_k>(
          "stream_k", "sk",
          "work-groups per compute unit that divide the k steps of the last tiles evenly; 0: off",
          {0, 1, 2, 3})),
      number_field<P, &P::work_group_k>(
          "work_group_k", "wk", "work-items per work-group that share the k steps of a tile",
          {1, 2, 4, 8, 16, 32}),
  };
}

std::vector<Field> memory_fields() {
  return {
      number_field<P, &P::cache_block_k>("cache_block_k", "cb",
                                         "k steps between barriers; k depth of local memory",
                                         {0, 4, 8, 16, 32, 64, 128}),
      flag_field<P, &P::local_a>("local_a", "la_", "A is staged in local memory"),
      flag_field<P, &P::local_b>("local_b", "lb_", "B is staged in local memory"),
      number_field<P, &P::local_buffers>("local_buffers", "x",
                                         "2: one buffer is filled while the other is read", {1, 2}),
      number_field<P, &P::local_pad>("local_pad", "p",
                                     "padding between lines in local memory, "
                                     "elements",
                                     {0, 1, 2, 4}),
      field<P, &P::prefetch>("prefetch", "pre_",
                             "how the next k tile for local memory is loaded in "
                             "advance",
                             Words<Prefetch>{{Prefetch::kNone, "none"},
                                             {Prefetch::kConditional, "conditional"},
                                             {Prefetch::kClamped, "clamped"}}),
      flag_field<P, &P::image_a>("image_a", "ia_", "A is read through an image"),
      flag_field<P, &P::image_b>("image_b", "ib_", "B is read through an image"),
      field<P, &P::edges>("edges", "",
                          "guarded: any dimensions; padded: operands are padded with "
                          "zeros",
                          profile_words({Edges::kGuarded, Edges::kPadded})),
      field<P, &P::access>("access", "",
                           "loads from global memory: vload, pointers to aligned vectors, or (to "
                           "local memory) single elements",
                           Words<Access>{{Access::kVload, "vload"},
                                         {Access::kAligned, "aligned"},
                                         {Access::kElements, "elements"}}),
      field<P, &P::addressing>("addressing", "",
                               "a moving pointer for each line, or one moving offset for all",
                               Words<Addressing>{{Addressing::kPointers, "pointers"},
                                                 {Addressing::kIndices, "indices"}}),
  };
}

}  // namespace

std::vector<Field> gemm_fields() {
  std::vector<Field> table;
  for (const std::vector<Field>& part :
       {layout_fields(), tile_fields(), group_fields(), memory_fields()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  table.push_back(bias_field<P>());
  table.push_back(activation_field<P>());
  table.push_back(exp_field<P>());
  table.push_back(math_field<P>());
  table.push_back(group_size_field<P>());
  return table;
}

}  // namespace tilewright

#include "gpu/cuda/inflate/inflater.h"

#include "data/parallel.h"
#include "gpu/cuda/device/check.h"
#include "gpu/cuda/inflate/launchers.h"
#include "gpu/cuda/memory/pinned.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* An H200 takes the same time for 32 and for 256 streams, and the driver lets
 * eight launches run at a time, which are together what an export reads at
 * once. A launch returns 8 rows of 2048 columns; tests/bench/README.md. */
enum
{
  N_STREAMS = TL_INFLATER_GROUP_STREAMS, /* of one launch */
  STORED_WORDS = 12 << 10, /* of a stream that a launch takes, at most */
  LEFT_WORDS = 3 << 10,    /* of these, left by the launch before, at most */
  RESULT_BYTES = 32 << 10, /* that it returns of a stream, at most */
  ZLIB_HEADER_BYTES = 2,
  CHECKSUM_BYTES = 4
};

/* What goes to the device for a launch. */
typedef struct
{
  TlCudaInflateProgress progress[N_STREAMS]; /* comes back, too */
  TlCudaInflateInput inputs[N_STREAMS];
  guint32 stored[N_STREAMS * STORED_WORDS];
} Input;

G_STATIC_ASSERT (
    TL_INFLATER_GROUP_BYTES
    >= sizeof (Input)
           + N_STREAMS * (sizeof (TlCudaInflateState) + 2 * RESULT_BYTES));
G_STATIC_ASSERT (TL_INFLATER_GROUP_HOST_BYTES >= 2 * sizeof (Input));

/* Bytes of some streams of a group. */
typedef struct
{
  size_t first, n; /* streams; n 0: none */
  guint64 from, to;
} Piece;

/* What a group needs while it inflates. */
typedef struct
{
  cudaStream_t stream;
  cudaEvent_t done, copied;
  TlCudaInflateState *states_dev;            /* [N_STREAMS] */
  Input *input_dev, *inputs[2];              /* pinned */
  guint8 *results_dev[2];                    /* [N_STREAMS][RESULT_BYTES] */
  TlCudaInflateProgress progress[N_STREAMS]; /* after the last launch */
  /* [N_STREAMS]: bytes that were read into the other input, behind
   * LEFT_WORDS; they follow those of the last launch */
  size_t n_prefetched[N_STREAMS];
} Memory;

/* Streams that follow each other. While the device inflates a piece of them,
 * the results of the last one are copied, and the host reads what the next
 * launch will take; the next piece is queued before anyone asks for it. */
typedef struct
{
  GMutex mutex;               /* of all else */
  Memory *memory;             /* (nullable) */
  guint64 last_use;           /* Inflater.n_uses then; 0: none yet */
  guint input_index;          /* which input the last launch has */
  guint results_index;        /* which results_dev the piece has */
  Piece piece, finished;      /* queued last; whose results are still there */
  const guint8 *finished_dev; /* its results */
  gboolean is_queued;         /* a launch was not waited for */
  gboolean is_shared;         /* requests take different streams of it */
  gboolean is_prefetched;     /* n_prefetched is of the streams of piece */
} Group;

typedef struct
{
  TlInflater base;
  int device, priority;
  unsigned block_streams; /* of tl_cuda_inflate_prepare() */
  cudaStream_t copies;    /* of results, so that none waits for a kernel */
  GMutex mutex;           /* of what follows */
  GPtrArray *groups;      /* (nullable elements) */
  GPtrArray *holders;     /* groups that have memory, or will */
  guint64 n_uses;         /* of groups */
} Inflater;

/* --- memory --- */

static gboolean
check (int status)
{
  g_autoptr (GError) error = NULL;
  if (tl_cuda_check (status, "inflating", &error))
    return TRUE;
  g_info ("%s", error->message);
  return FALSE;
}

static void
memory_free (Memory *memory)
{
  if (memory->stream != NULL)
    cudaStreamSynchronize (memory->stream);
  g_clear_pointer (&memory->stream, cudaStreamDestroy);
  g_clear_pointer (&memory->done, cudaEventDestroy);
  g_clear_pointer (&memory->copied, cudaEventDestroy);
  g_clear_pointer (&memory->states_dev, cudaFree);
  g_clear_pointer (&memory->input_dev, cudaFree);
  for (guint k = 0; k < 2; k++)
    {
      g_clear_pointer (&memory->inputs[k], tl_cuda_pinned_free);
      g_clear_pointer (&memory->results_dev[k], cudaFree);
    }
  g_free (memory);
}

static void
group_free (gpointer data)
{
  Group *group = data;
  if (group == NULL)
    return;
  g_clear_pointer (&group->memory, memory_free);
  g_mutex_clear (&group->mutex);
  g_free (group);
}

static gboolean
alloc_pinned (gpointer place, size_t bytes)
{
  void *memory = tl_cuda_pinned_alloc (bytes, "inflating", NULL);
  memcpy (place, &memory, sizeof memory);
  return memory != NULL;
}

/* Returns: (transfer full) (nullable) */
static Memory *
memory_new (int priority)
{
  const size_t n = N_STREAMS;
  const guint flags = cudaEventDisableTiming | cudaEventBlockingSync;
  Memory *memory = g_new0 (Memory, 1);
  gboolean good = check (cudaStreamCreateWithPriority (
                      &memory->stream, cudaStreamNonBlocking, priority))
                  && check (cudaEventCreateWithFlags (&memory->done, flags))
                  && check (cudaEventCreateWithFlags (&memory->copied, flags))
                  && check (cudaMalloc ((void **)&memory->states_dev,
                                        n * sizeof *memory->states_dev))
                  && check (cudaMalloc ((void **)&memory->input_dev,
                                        sizeof *memory->input_dev));
  for (guint k = 0; k < 2 && good; k++)
    good = alloc_pinned (&memory->inputs[k], sizeof **memory->inputs)
           && check (
               cudaMalloc ((void **)&memory->results_dev[k], n * RESULT_BYTES));
  if (!good)
    g_clear_pointer (&memory, memory_free);
  return memory;
}

/* Afterwards nothing is known of the streams of the last piece. */
static void
drop_piece (Group *group)
{
  if (group->is_queued)
    check (cudaEventSynchronize (group->memory->done));
  if (group->memory != NULL)
    memset (group->memory->progress + group->piece.first, 0,
            group->piece.n * sizeof *group->memory->progress);
  group->piece.n = group->finished.n = 0;
  group->is_queued = group->is_prefetched = FALSE;
}

/* All streams of the group begin anew. */
static void
drop_streams (Group *group)
{
  drop_piece (group);
  if (group->memory != NULL)
    memset (group->memory->progress, 0, sizeof group->memory->progress);
}

/* Returns: whether the streams of @group that were begun have ended */
static gboolean
has_ended (const Group *group)
{
  const TlCudaInflateProgress *progress = group->memory->progress;
  for (size_t k = 0; k < N_STREAMS; k++)
    if (progress[k].n_out > 0 && progress[k].phase != TL_CUDA_INFLATE_ENDED)
      return FALSE;
  return !group->is_queued;
}

/* Prefers groups whose streams have ended. Among them it is the one used last,
 * because earlier ones may still have results to give; otherwise the one unused
 * longest. Returns: whether to take the memory of @a and not that of @b */
static gboolean
is_better (const Group *a, const Group *b)
{
  const gboolean a_has_ended = has_ended (a);
  if (a_has_ended != has_ended (b))
    return a_has_ended;
  return (a->last_use > b->last_use) == a_has_ended;
}

/* Returns: (transfer none) (nullable): a group to take the memory of, locked;
 * one that still needs it only if there are as many as may have some. A
 * prepared group waits for its first request. */
static Group *
find_donor (const Inflater *inflater)
{
  const size_t n_at_once = inflater->base.n_at_once;
  const gboolean is_full =
      n_at_once > 0
      && inflater->holders->len >= tl_inflater_count_groups (n_at_once);
  Group *found = NULL;
  for (guint k = 0; k < inflater->holders->len; k++)
    {
      Group *group = inflater->holders->pdata[k];
      if (!g_mutex_trylock (&group->mutex))
        continue;
      Group *worse = group;
      if (group->memory != NULL && group->last_use > 0
          && (is_full || has_ended (group))
          && (found == NULL || is_better (group, found)))
        {
          worse = found;
          found = group;
        }
      if (worse != NULL)
        g_mutex_unlock (&worse->mutex);
    }
  return found;
}

/* Takes memory for the group, if it has none: that of another group, or new.
 * Returns: %FALSE if there is none */
static gboolean
take_memory (Inflater *inflater, Group *group)
{
  if (group->memory != NULL)
    return TRUE;
  g_mutex_lock (&inflater->mutex);
  Group *donor = find_donor (inflater);
  if (donor != NULL)
    g_ptr_array_remove_fast (inflater->holders, donor);
  g_ptr_array_add (inflater->holders, group);
  g_mutex_unlock (&inflater->mutex);
  if (donor == NULL)
    group->memory = memory_new (inflater->priority);
  else
    {
      drop_streams (donor);
      group->memory = g_steal_pointer (&donor->memory);
      g_mutex_unlock (&donor->mutex);
    }
  if (group->memory != NULL)
    return TRUE;
  g_mutex_lock (&inflater->mutex);
  g_ptr_array_remove_fast (inflater->holders, group);
  g_mutex_unlock (&inflater->mutex);
  return FALSE;
}

/* Returns: (transfer none): perhaps without its memory, which takes a while */
static Group *
get_group (Inflater *inflater, size_t index)
{
  g_mutex_lock (&inflater->mutex);
  GPtrArray *groups = inflater->groups;
  if (groups->len <= index)
    g_ptr_array_set_size (groups, (int)index + 1);
  if (groups->pdata[index] == NULL)
    {
      Group *group = g_new0 (Group, 1);
      g_mutex_init (&group->mutex);
      groups->pdata[index] = group;
    }
  Group *group = groups->pdata[index];
  g_mutex_unlock (&inflater->mutex);
  return group;
}

/* --- input --- */

/* The part of a request whose streams are in one group. */
typedef struct
{
  const TlInflaterRequest *request;
  size_t first, n;    /* of the request's streams */
  size_t group_first; /* the first one in the group */
  Group *group;
  Inflater *inflater;
} Work;

static guint64
count_stored (const Work *work, size_t k)
{
  return work->request->stored_bytes[work->first + k];
}

static TlCudaInflateProgress *
get_progress (const Work *work, size_t k)
{
  return &work->group->memory->progress[work->group_first + k];
}

/* Returns: whether the piece ends with the stream */
static gboolean
is_whole (const Work *work)
{
  return work->group->piece.to == work->request->bytes;
}

static gboolean
is_done (const Work *work, size_t k)
{
  const TlCudaInflateProgress *progress = get_progress (work, k);
  return progress->n_out == work->group->piece.to
         && (!is_whole (work) || progress->phase == TL_CUDA_INFLATE_ENDED);
}

static gboolean
are_done (const Work *work)
{
  for (size_t k = 0; k < work->n; k++)
    if (!is_done (work, k))
      return FALSE;
  return TRUE;
}

/* Returns: how many bytes stream @k takes for @n_out bytes, on average */
static double
estimate_stored (const Work *work, size_t k, double n_out)
{
  return (double)count_stored (work, k) / (double)work->request->bytes * n_out;
}

/* Returns: how many bytes make it probable that @n_out can be inflated, in
 * whole words, up to @n_most */
static size_t
choose_bytes (const Work *work, size_t k, double n_out, double n_most)
{
  const double n =
      1.125 * estimate_stored (work, k, n_out) + 2 * TL_CUDA_INFLATE_LEAST;
  return (size_t)CLAMP (n, 0, n_most) / sizeof (guint32) * sizeof (guint32);
}

static guint32
count_words (size_t bytes)
{
  return (guint32)((bytes + sizeof (guint32) - 1) / sizeof (guint32));
}

/* Reads @n bytes of stream @k. The last word gets zeros at its end. */
static gboolean
read_words (const Work *work, size_t k, guint64 offset, size_t n, guint32 *dest)
{
  const TlInflaterRequest *request = work->request;
  if (n == 0)
    return TRUE;
  dest[count_words (n) - 1] = 0;
  return request->read (request->data, request->first + work->first + k, offset,
                        n, dest);
}

static Input *
get_last_input (const Group *group)
{
  return group->memory->inputs[group->input_index];
}

static Input *
get_next_input (const Group *group)
{
  return group->memory->inputs[1 - group->input_index];
}

/* Returns: behind the bytes that a launch takes of a stream */
static guint64
find_end (const TlCudaInflateInput *input)
{
  return input->first_bit / 8 + input->n_words * sizeof (guint32);
}

/* Reads, while a launch runs, what stream @k will probably need for the next
 * one beside what this one leaves. */
static size_t
prefetch_stream (const Work *work, size_t k)
{
  const Group *group = work->group;
  const TlCudaInflateInput *input = &get_last_input (group)->inputs[k];
  const TlCudaInflateProgress *progress = get_progress (work, k);
  if (input->n_words == 0 || input->is_last)
    return 0;
  const guint64 end = find_end (input);
  const double n_here = (double)(end - progress->n_bits / 8),
               n_wanted = (double)(group->piece.to - progress->n_out),
               n_needed = estimate_stored (work, k, n_wanted),
               n_left = MAX (n_here - n_needed, 0);
  const double n_out = n_needed > n_here
                           ? n_wanted * (1 - n_here / n_needed)
                           : (double)(group->piece.to - group->piece.from);
  const size_t most = (STORED_WORDS - LEFT_WORDS) * sizeof (guint32);
  const size_t wanted = choose_bytes (work, k, n_out, (double)most + n_left);
  const size_t n = (size_t)MIN (wanted - MIN (wanted, (size_t)n_left),
                                count_stored (work, k) - end)
                   / sizeof (guint32) * sizeof (guint32);
  guint32 *dest =
      get_next_input (group)->stored + k * STORED_WORDS + LEFT_WORDS;
  return read_words (work, k, end, MIN (n, most), dest) ? MIN (n, most) : 0;
}

static void
prefetch (const Work *work)
{
  Group *group = work->group;
  for (size_t k = 0; k < work->n; k++)
    group->memory->n_prefetched[k] = prefetch_stream (work, k);
  group->is_prefetched = TRUE;
}

/* Puts what the last launch has left of stream @k before what was prefetched.
 * Returns: whether this is an input for the next launch */
static gboolean
join_input (const Work *work, size_t k, TlCudaInflateInput *input)
{
  const Group *group = work->group;
  const TlCudaInflateInput *last = &get_last_input (group)->inputs[k];
  const guint64 at = get_progress (work, k)->n_bits / 32 * sizeof (guint32),
                first = last->first_bit / 8, end = find_end (last);
  if (last->n_words == 0 || at < first || at > end
      || end - at > LEFT_WORDS * sizeof (guint32))
    return FALSE;
  const guint32 n_left = (guint32)((end - at) / sizeof (guint32));
  const guint32 *left = get_last_input (group)->stored + k * STORED_WORDS
                        + last->first_word + last->n_words - n_left;
  const size_t n_prefetched = group->memory->n_prefetched[k];
  *input = (TlCudaInflateInput){
    .first_bit = 8 * at,
    .first_word = LEFT_WORDS - n_left,
    .n_words = n_left + count_words (n_prefetched),
    .is_last = last->is_last || end + n_prefetched == count_stored (work, k),
  };
  memcpy (get_next_input (group)->stored + k * STORED_WORDS + input->first_word,
          left, n_left * sizeof (guint32));
  return input->n_words > 0
         && (input->is_last
             || input->n_words * sizeof (guint32) >= 2 * TL_CUDA_INFLATE_LEAST);
}

/* RFC 1950, 2.2 */
static gboolean
is_header (const guint8 *bytes)
{
  return (bytes[0] & 15) == 8 && (bytes[1] & 32) == 0
         && (bytes[0] * 256 + bytes[1]) % 31 == 0;
}

/* Reads the next bytes of stream @k. */
static gboolean
read_input (const Work *work, size_t k, TlCudaInflateInput *input)
{
  TlCudaInflateProgress *progress = get_progress (work, k);
  guint32 *stored = get_next_input (work->group)->stored + k * STORED_WORDS;
  const guint64 first = progress->n_bits / 32 * sizeof (guint32);
  const guint64 n_stored = count_stored (work, k);
  if (first >= n_stored)
    return FALSE;
  const double n_out = (double)(work->group->piece.to - progress->n_out);
  const size_t n = (size_t)MIN (
      choose_bytes (work, k, n_out, STORED_WORDS * sizeof (guint32)),
      n_stored - first);
  *input = (TlCudaInflateInput){ .first_bit = 8 * first,
                                 .n_words = count_words (n),
                                 .is_last = first + n == n_stored };
  if (!read_words (work, k, first, n, stored))
    return FALSE;
  if (progress->n_bits > 0)
    return TRUE;
  progress->n_bits = 8 * ZLIB_HEADER_BYTES;
  return n > ZLIB_HEADER_BYTES && is_header ((const guint8 *)stored);
}

/* --- launches --- */

/* Copies the words that the streams take, and a few between them. */
static gboolean
send_stored (const Work *work, const Input *input)
{
  const size_t pitch = STORED_WORDS * sizeof (guint32);
  guint32 first = STORED_WORDS, end = 0;
  for (size_t k = 0; k < work->n; k++)
    if (input->inputs[k].n_words > 0)
      {
        first = MIN (first, input->inputs[k].first_word);
        end = MAX (end, input->inputs[k].first_word + input->inputs[k].n_words);
      }
  return end == 0
         || check (cudaMemcpy2DAsync (
             work->group->memory->input_dev->stored + first, pitch,
             input->stored + first, pitch, (end - first) * sizeof (guint32),
             work->n, cudaMemcpyHostToDevice, work->group->memory->stream));
}

/* Queues a launch that goes on with the piece, as far as its input goes. */
static gboolean
queue (const Work *work)
{
  Group *group = work->group;
  Input *input = get_next_input (group), *dev = group->memory->input_dev;
  const size_t n = work->n;
  for (size_t k = 0; k < n; k++)
    {
      input->inputs[k] = (TlCudaInflateInput){ 0 };
      if (!is_done (work, k)
          && !(group->is_prefetched && join_input (work, k, &input->inputs[k]))
          && !read_input (work, k, &input->inputs[k]))
        return FALSE;
    }
  memcpy (input->progress, get_progress (work, 0), n * sizeof *input->progress);
  group->is_prefetched = FALSE;
  group->input_index = 1 - group->input_index;
  const Piece *piece = &group->piece;
  const TlCudaInflateArgs args = {
    .n_streams = (unsigned)n,
    .block_streams = work->inflater->block_streams,
    .stored = dev->stored,
    .stored_pitch = STORED_WORDS,
    .inputs = dev->inputs,
    .progress = dev->progress,
    .states = group->memory->states_dev + work->group_first,
    .stop_byte = piece->to + is_whole (work),
    .first_byte = piece->from,
    .n_bytes = (size_t)(piece->to - piece->from),
    .dest = group->memory->results_dev[group->results_index],
  };
  group->is_queued =
      check (cudaMemcpyAsync (dev, input, offsetof (Input, stored),
                              cudaMemcpyHostToDevice, group->memory->stream))
      && send_stored (work, input)
      && check (tl_cuda_inflate (&args, group->memory->stream))
      && check (cudaMemcpyAsync (input->progress, dev->progress,
                                 n * sizeof *input->progress,
                                 cudaMemcpyDeviceToHost, group->memory->stream))
      && check (cudaEventRecord (group->memory->done, group->memory->stream));
  return group->is_queued;
}

/* Returns: whether stream @k is as it should be after a launch that began at
 * @before */
static gboolean
check_progress (const Work *work, size_t k, const TlCudaInflateProgress *before)
{
  const TlCudaInflateProgress *now = get_progress (work, k);
  if (now->phase == TL_CUDA_INFLATE_BAD || now->n_out > work->group->piece.to
      || now->n_bits > 8 * count_stored (work, k))
    return FALSE;
  return is_done (work, k)
         || (now->phase != TL_CUDA_INFLATE_ENDED
             && !get_last_input (work->group)->inputs[k].is_last
             && now->n_bits > before->n_bits);
}

/* Waits for the launch, without using a processor meanwhile. */
static gboolean
wait_for_launch (const Work *work)
{
  Group *group = work->group;
  const Input *input = get_last_input (group);
  TlCudaInflateProgress before[N_STREAMS];
  memcpy (before, get_progress (work, 0), work->n * sizeof *before);
  group->is_queued = FALSE;
  if (!check (cudaEventSynchronize (group->memory->done)))
    return FALSE;
  memcpy (get_progress (work, 0), input->progress, work->n * sizeof *before);
  for (size_t k = 0; k < work->n; k++)
    if (input->inputs[k].n_words > 0 && !check_progress (work, k, &before[k]))
      return FALSE;
  return TRUE;
}

static gboolean
compare_checksum (const Work *work, size_t k)
{
  const TlInflaterRequest *request = work->request;
  const TlCudaInflateProgress *progress = get_progress (work, k);
  const guint64 place = (progress->n_bits + 7) / 8;
  guint32 checksum;
  return place + CHECKSUM_BYTES <= count_stored (work, k)
         && request->read (request->data, request->first + work->first + k,
                           place, CHECKSUM_BYTES, &checksum)
         && GUINT32_FROM_BE (checksum) == progress->adler;
}

/* --- pieces --- */

static gboolean
is_of_piece (const Work *work, const Piece *piece)
{
  return piece->first == work->group_first && piece->n == work->n;
}

static gboolean
has_byte (const Work *work, const Piece *piece, guint64 byte)
{
  return is_of_piece (work, piece) && piece->from <= byte && byte < piece->to;
}

/* Streams that have passed the first byte of the piece start anew. */
static void
begin_piece (const Work *work, guint64 from, guint64 to)
{
  Group *group = work->group;
  group->is_prefetched &= is_of_piece (work, &group->piece);
  for (size_t k = 0; k < work->n; k++)
    if (get_progress (work, k)->n_out > from)
      {
        *get_progress (work, k) = (TlCudaInflateProgress){ 0 };
        group->is_prefetched = FALSE;
      }
  group->piece = (Piece){ work->group_first, work->n, from, to };
  group->results_index = 1 - group->results_index;
  if (group->finished_dev == group->memory->results_dev[group->results_index])
    group->finished.n = 0;
}

/* Inflates the piece to its end. */
static gboolean
finish_piece (const Work *work)
{
  Group *group = work->group;
  while (group->is_queued || !are_done (work))
    {
      if (g_cancellable_is_cancelled (work->inflater->base.cancellable)
          || (!group->is_queued && !queue (work)))
        return FALSE;
      if (!group->is_prefetched)
        prefetch (work);
      if (!wait_for_launch (work))
        return FALSE;
    }
  for (size_t k = 0; k < work->n && is_whole (work); k++)
    if (!compare_checksum (work, k))
      return FALSE;
  return TRUE;
}

/* Makes the piece one that has the byte @at, and finishes it. */
static gboolean
inflate_piece (const Work *work, guint64 at, guint64 end)
{
  Group *group = work->group;
  if (group->is_queued && !is_of_piece (work, &group->piece))
    {
      group->is_shared = TRUE;
      drop_piece (group);
    }
  if (group->is_queued)
    {
      if (!finish_piece (work))
        return FALSE;
      if (has_byte (work, &group->piece, at))
        return TRUE;
    }
  begin_piece (work, at, MIN (at + RESULT_BYTES, end));
  return finish_piece (work);
}

/* Queues the piece behind the last one, for a request that has not come yet. If
 * it cannot be read, that request will find out. */
static void
queue_next_piece (const Work *work)
{
  const Piece *last = &work->group->piece;
  const guint64 to = MIN (2 * last->to - last->from, work->request->bytes);
  if (work->group->is_shared || to == last->to)
    return;
  begin_piece (work, last->to, to);
  if (!queue (work))
    drop_piece (work->group);
}

/* Gives the request the bytes from @at to @to, which are finished. Meanwhile
 * what the next launch will take is read. */
static gboolean
copy_results (const Work *work, guint64 at, guint64 to)
{
  const TlInflaterRequest *request = work->request;
  Group *group = work->group;
  const Piece *piece = &group->finished;
  char *dest = request->dest + work->first * request->stride
               + (size_t)(at - request->first_byte);
  const gboolean is_copied =
      check (cudaMemcpy2DAsync (
          dest, request->stride, group->finished_dev + (at - piece->from),
          (size_t)(piece->to - piece->from), (size_t)(to - at), work->n,
          cudaMemcpyDeviceToHost, work->inflater->copies))
      && check (
          cudaEventRecord (group->memory->copied, work->inflater->copies));
  if (group->is_queued && !group->is_prefetched)
    prefetch (work);
  if (is_copied)
    return check (cudaEventSynchronize (group->memory->copied));
  check (cudaStreamSynchronize (
      work->inflater->copies)); /* the copy may be under way */
  return FALSE;
}

static gboolean
inflate_work (const Work *work)
{
  Group *group = work->group;
  const guint64 end = work->request->first_byte + work->request->n_bytes;
  for (guint64 at = work->request->first_byte, to; at < end; at = to)
    {
      if (!has_byte (work, &group->finished, at))
        {
          if (!inflate_piece (work, at, end))
            return FALSE;
          group->finished = group->piece;
          group->finished_dev =
              group->memory->results_dev[group->results_index];
          queue_next_piece (work);
        }
      to = MIN (end, group->finished.to);
      if (!copy_results (work, at, to))
        return FALSE;
    }
  return TRUE;
}

static guint64
count_use (Inflater *inflater)
{
  g_mutex_lock (&inflater->mutex);
  const guint64 n = ++inflater->n_uses;
  g_mutex_unlock (&inflater->mutex);
  return n;
}

static gboolean
inflate_in_group (const Work *work)
{
  Group *group = work->group;
  g_mutex_lock (&group->mutex);
  const gboolean good =
      take_memory (work->inflater, group) && inflate_work (work);
  /* what a cancelled request has queued may still be right */
  if (!good
      && !(group->is_queued
           && g_cancellable_is_cancelled (work->inflater->base.cancellable)))
    drop_piece (group);
  group->last_use = count_use (work->inflater);
  g_mutex_unlock (&group->mutex);
  return good;
}

static gboolean
inflate (TlInflater *base, const TlInflaterRequest *request)
{
  Inflater *inflater = (Inflater *)base;
  gboolean good = check (cudaSetDevice (inflater->device));
  for (size_t first = 0, n; first < request->n && good; first += n)
    {
      const size_t stream = request->first + first;
      Work work = {
        .request = request,
        .first = first,
        .group_first = stream % N_STREAMS,
        .group = get_group (inflater, stream / N_STREAMS),
        .inflater = inflater,
      };
      work.n = n = MIN (N_STREAMS - work.group_first, request->n - first);
      good = inflate_in_group (&work);
    }
  return good;
}

static gboolean
prepare_group (gpointer data, size_t index, GError **error)
{
  Inflater *inflater = data;
  Group *group = get_group (inflater, index);
  if (!check (cudaSetDevice (inflater->device)))
    return TRUE;
  g_mutex_lock (&group->mutex);
  take_memory (inflater, group);
  g_mutex_unlock (&group->mutex);
  return TRUE;
}

static void
prepare (TlInflater *base, size_t n)
{
  const size_t n_groups = (n + N_STREAMS - 1) / N_STREAMS;
  size_t n_done;
  tl_parallel_run (n_groups, g_get_num_processors (), prepare_group, base, NULL,
                   &n_done, NULL);
}

static void
forget (TlInflater *base)
{
  Inflater *inflater = (Inflater *)base;
  check (cudaSetDevice (inflater->device));
  for (guint k = 0; k < inflater->groups->len; k++)
    {
      Group *group = inflater->groups->pdata[k];
      if (group == NULL)
        continue;
      drop_streams (group);
      group->is_shared = FALSE;
    }
}

static void
inflater_free (TlInflater *base)
{
  Inflater *inflater = (Inflater *)base;
  check (cudaSetDevice (inflater->device));
  g_ptr_array_unref (inflater->holders);
  g_ptr_array_unref (inflater->groups);
  if (inflater->copies != NULL)
    cudaStreamDestroy (inflater->copies);
  g_mutex_clear (&inflater->mutex);
  g_free (inflater);
}

TlInflater *
tl_cuda_inflater_new (guint device, gboolean gives_way, GError **error)
{
  const char *step = "opening of the inflater";
  int least = 0, greatest = 0;
  unsigned block_streams = 0;
  if (!tl_cuda_check (cudaSetDevice ((int)device), step, error)
      || !tl_cuda_check (cudaDeviceGetStreamPriorityRange (&least, &greatest),
                         step, error)
      || !tl_cuda_check (tl_cuda_inflate_prepare (&block_streams), step, error))
    return NULL;
  Inflater *inflater = g_new0 (Inflater, 1);
  inflater->base = (TlInflater){ .prepare = prepare,
                                 .inflate = inflate,
                                 .forget = forget,
                                 .free = inflater_free };
  inflater->device = (int)device;
  inflater->block_streams = block_streams;
  inflater->priority = gives_way ? least : greatest;
  inflater->groups = g_ptr_array_new_with_free_func (group_free);
  inflater->holders = g_ptr_array_new ();
  g_mutex_init (&inflater->mutex);
  if (tl_cuda_check (cudaStreamCreateWithPriority (&inflater->copies,
                                                   cudaStreamNonBlocking,
                                                   inflater->priority),
                     step, error))
    return &inflater->base;
  inflater_free (&inflater->base);
  return NULL;
}

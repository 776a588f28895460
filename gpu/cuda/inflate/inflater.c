#include "gpu/cuda/inflate/inflater.h"

#include "gpu/cuda/device/check.h"
#include "gpu/cuda/inflate/launchers.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* An H200 takes the same time for 32 and for 256 streams, and the driver lets
 * eight launches run at a time, which are together what an export reads at
 * once. A launch returns 8 rows of 2048 columns; tests/bench/README.md. */
enum
{
  N_STREAMS = 256,         /* of one launch */
  STORED_WORDS = 10 << 10, /* of a stream that a launch takes, at most */
  RESULT_BYTES = 32 << 10, /* that it returns of a stream, at most */
  ZLIB_HEADER_BYTES = 2,
  CHECKSUM_BYTES = 4
};

/* Streams that follow each other. A thread uses the elements of its streams. */
typedef struct
{
  TlCudaInflateState *states_dev; /* [N_STREAMS] */
  TlCudaInflateProgress progress[N_STREAMS];
} Group;

/* What goes to the device for a launch and comes back from it; twice, in pinned
 * and in device memory. */
typedef struct
{
  TlCudaInflateProgress progress[N_STREAMS];
  TlCudaInflateInput inputs[N_STREAMS];
  guint32 stored[N_STREAMS * STORED_WORDS];
  guint8 results[N_STREAMS * RESULT_BYTES];
} Transfer;

G_STATIC_ASSERT (N_STREAMS *TL_INFLATER_BYTES
                 >= sizeof (Transfer)
                        + N_STREAMS * sizeof (TlCudaInflateState));

/* One thread uses it at a time. */
typedef struct
{
  cudaStream_t stream;
  cudaEvent_t done;
  Transfer *host, *dev;
} Lane;

typedef struct
{
  TlInflater base;
  int device, priority;
  GMutex mutex;      /* of what follows */
  GPtrArray *groups; /* (nullable elements) */
  GPtrArray *lanes;  /* that no thread uses */
} Inflater;

/* --- memory --- */

static void
group_free (gpointer data)
{
  Group *group = data;
  if (group == NULL)
    return;
  cudaFree (group->states_dev);
  g_free (group);
}

static gboolean
check (int status)
{
  g_autoptr (GError) error = NULL;
  if (tl_cuda_check (status, "inflating", &error))
    return TRUE;
  g_info ("%s", error->message);
  return FALSE;
}

/* Returns: (transfer none) (nullable): %NULL: there is no memory */
static Group *
get_group (Inflater *inflater, size_t index)
{
  g_mutex_lock (&inflater->mutex);
  GPtrArray *groups = inflater->groups;
  if (groups->len <= index)
    g_ptr_array_set_size (groups, (int)index + 1);
  Group *group = groups->pdata[index];
  if (group == NULL)
    {
      group = g_new0 (Group, 1);
      if (check (cudaMalloc ((void **)&group->states_dev,
                             N_STREAMS * sizeof *group->states_dev)))
        groups->pdata[index] = group;
      else
        g_clear_pointer (&group, group_free);
    }
  g_mutex_unlock (&inflater->mutex);
  return group;
}

static void
lane_free (gpointer data)
{
  Lane *lane = data;
  if (lane->stream != NULL)
    cudaStreamDestroy (lane->stream);
  if (lane->done != NULL)
    cudaEventDestroy (lane->done);
  cudaFree (lane->dev);
  tl_cuda_pinned_free (lane->host);
  g_free (lane);
}

static Lane *
lane_new (const Inflater *inflater)
{
  Lane *lane = g_new0 (Lane, 1);
  lane->host = tl_cuda_pinned_alloc (sizeof *lane->host, "inflating", NULL);
  if (lane->host != NULL
      && check (cudaMalloc ((void **)&lane->dev, sizeof *lane->dev))
      && check (cudaStreamCreateWithPriority (
          &lane->stream, cudaStreamNonBlocking, inflater->priority))
      && check (cudaEventCreateWithFlags (
          &lane->done, cudaEventDisableTiming | cudaEventBlockingSync)))
    return lane;
  lane_free (lane);
  return NULL;
}

/* Returns: (transfer full) (nullable): %NULL: there is no memory */
static Lane *
take_lane (Inflater *inflater)
{
  g_mutex_lock (&inflater->mutex);
  Lane *lane = inflater->lanes->len > 0 ? g_ptr_array_steal_index_fast (
                   inflater->lanes, inflater->lanes->len - 1)
                                        : NULL;
  g_mutex_unlock (&inflater->mutex);
  return lane != NULL ? lane : lane_new (inflater);
}

static void
give_lane (Inflater *inflater, Lane *lane)
{
  g_mutex_lock (&inflater->mutex);
  g_ptr_array_add (inflater->lanes, lane);
  g_mutex_unlock (&inflater->mutex);
}

/* --- inflating --- */

/* The part of a request whose streams are in one group. */
typedef struct
{
  const TlInflaterRequest *request;
  size_t first, n;                 /* of the request's streams */
  guint64 from, to;                /* the bytes that are wanted now */
  TlCudaInflateProgress *progress; /* [n], of the group */
  TlCudaInflateState *states_dev;  /* [n] */
  Lane *lane;
  GCancellable *cancellable; /* (nullable) */
} Work;

static gboolean
is_whole (const Work *work)
{
  return work->to == work->request->bytes;
}

static gboolean
is_done (const Work *work, const TlCudaInflateProgress *progress)
{
  return progress->n_out == work->to
         && (!is_whole (work) || progress->phase == TL_CUDA_INFLATE_ENDED);
}

/* Returns: how many bytes a stream is to be given: what it probably needs, a
 * little more, or all that it has left, @n_left */
static size_t
choose_input (const Work *work, size_t k, guint64 n_left)
{
  const TlInflaterRequest *request = work->request;
  const double rate =
      (double)request->stored_bytes[work->first + k] / (double)request->bytes;
  const double n_probable =
      1.125 * rate * (double)(work->to - work->progress[k].n_out);
  const guint64 n = MIN ((guint64)n_probable + 2 * TL_CUDA_INFLATE_LEAST,
                         STORED_WORDS * sizeof (guint32));
  return (size_t)MIN (n / sizeof (guint32) * sizeof (guint32), n_left);
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
read_input (const Work *work, size_t k)
{
  const TlInflaterRequest *request = work->request;
  TlCudaInflateProgress *progress = &work->progress[k];
  TlCudaInflateInput *input = &work->lane->host->inputs[k];
  guint32 *stored = work->lane->host->stored + k * STORED_WORDS;
  const guint64 first = progress->n_bits / 32 * sizeof (guint32);
  const guint64 n_stored = request->stored_bytes[work->first + k];
  *input = (TlCudaInflateInput){ 0 };
  if (is_done (work, progress))
    return TRUE;
  if (first >= n_stored)
    return FALSE;
  const size_t n = choose_input (work, k, n_stored - first);
  input->first_bit = 8 * first;
  input->n_words = (guint32)((n + sizeof (guint32) - 1) / sizeof (guint32));
  input->is_last = first + n == n_stored;
  stored[input->n_words - 1] = 0;
  if (!request->read (request->data, request->first + work->first + k, first, n,
                      stored))
    return FALSE;
  if (progress->n_bits > 0)
    return TRUE;
  progress->n_bits = 8 * ZLIB_HEADER_BYTES;
  return n > ZLIB_HEADER_BYTES && is_header ((const guint8 *)stored);
}

static guint32
find_most_words (const Work *work)
{
  guint32 n_words = 0;
  for (size_t k = 0; k < work->n; k++)
    n_words = MAX (n_words, work->lane->host->inputs[k].n_words);
  return n_words;
}

/* Waits for what is queued, without using a processor meanwhile. */
static gboolean
wait_for (const Lane *lane)
{
  return check (cudaEventRecord (lane->done, lane->stream))
         && check (cudaEventSynchronize (lane->done));
}

/* Queues the copies and the kernel, and waits for them. */
static gboolean
launch (const Work *work)
{
  Lane *lane = work->lane;
  Transfer *host = lane->host, *dev = lane->dev;
  const size_t pitch = STORED_WORDS * sizeof (guint32), n = work->n;
  const TlCudaInflateArgs args = {
    .n_streams = (unsigned)n,
    .stored = dev->stored,
    .stored_pitch = STORED_WORDS,
    .inputs = dev->inputs,
    .progress = dev->progress,
    .states = work->states_dev,
    .stop_byte = work->to + is_whole (work),
    .first_byte = work->from,
    .n_bytes = (size_t)(work->to - work->from),
    .dest = dev->results,
  };
  memcpy (host->progress, work->progress, n * sizeof *host->progress);
  if (!check (cudaMemcpyAsync (dev, host, offsetof (Transfer, stored),
                               cudaMemcpyHostToDevice, lane->stream))
      || !check (cudaMemcpy2DAsync (dev->stored, pitch, host->stored, pitch,
                                    find_most_words (work) * sizeof (guint32),
                                    n, cudaMemcpyHostToDevice, lane->stream))
      || !check (tl_cuda_inflate (&args, lane->stream))
      || !check (cudaMemcpyAsync (host->progress, dev->progress,
                                  n * sizeof *host->progress,
                                  cudaMemcpyDeviceToHost, lane->stream))
      || !wait_for (lane))
    return FALSE;
  memcpy (work->progress, host->progress, n * sizeof *host->progress);
  return TRUE;
}

/* Returns: whether stream @k is as it should be after a launch that began at
 * @before */
static gboolean
check_progress (const Work *work, size_t k, const TlCudaInflateProgress *before)
{
  const TlCudaInflateProgress *now = &work->progress[k];
  const guint64 n_bits = 8 * work->request->stored_bytes[work->first + k];
  if (now->phase == TL_CUDA_INFLATE_BAD || now->n_out > work->to
      || now->n_bits > n_bits)
    return FALSE;
  return is_done (work, now)
         || (now->phase != TL_CUDA_INFLATE_ENDED
             && !work->lane->host->inputs[k].is_last
             && now->n_bits > before->n_bits);
}

/* @all_done: (out) */
static gboolean
run_once (const Work *work, gboolean *all_done)
{
  TlCudaInflateProgress before[N_STREAMS];
  for (size_t k = 0; k < work->n; k++)
    if (!read_input (work, k))
      return FALSE;
  memcpy (before, work->progress, work->n * sizeof *before);
  if (!launch (work))
    return FALSE;
  *all_done = TRUE;
  for (size_t k = 0; k < work->n; k++)
    {
      if (work->lane->host->inputs[k].n_words > 0
          && !check_progress (work, k, &before[k]))
        return FALSE;
      *all_done &= is_done (work, &work->progress[k]);
    }
  return TRUE;
}

static gboolean
compare_checksum (const Work *work, size_t k)
{
  const TlInflaterRequest *request = work->request;
  const guint64 place = (work->progress[k].n_bits + 7) / 8;
  guint32 checksum;
  return place + CHECKSUM_BYTES <= request->stored_bytes[work->first + k]
         && request->read (request->data, request->first + work->first + k,
                           place, CHECKSUM_BYTES, &checksum)
         && GUINT32_FROM_BE (checksum) == work->progress[k].adler;
}

/* Inflates the bytes from work->from to work->to, and copies them. */
static gboolean
inflate_bytes (const Work *work)
{
  const TlInflaterRequest *request = work->request;
  Lane *lane = work->lane;
  const size_t n_bytes = (size_t)(work->to - work->from);
  for (gboolean all_done = FALSE; !all_done;)
    if (g_cancellable_is_cancelled (work->cancellable)
        || !run_once (work, &all_done))
      return FALSE;
  if (!check (cudaMemcpyAsync (lane->host->results, lane->dev->results,
                               work->n * n_bytes, cudaMemcpyDeviceToHost,
                               lane->stream))
      || !wait_for (lane))
    return FALSE;
  for (size_t k = 0; k < work->n; k++)
    memcpy (request->dest + (work->first + k) * request->stride
                + (size_t)(work->from - request->first_byte),
            lane->host->results + k * n_bytes, n_bytes);
  for (size_t k = 0; k < work->n && is_whole (work); k++)
    if (!compare_checksum (work, k))
      return FALSE;
  return TRUE;
}

/* Streams that have passed the wanted bytes begin anew. */
static void
go_back (const Work *work)
{
  for (size_t k = 0; k < work->n; k++)
    if (work->progress[k].n_out > work->request->first_byte)
      work->progress[k] = (TlCudaInflateProgress){ 0 };
}

static gboolean
inflate_work (Work *work)
{
  const TlInflaterRequest *request = work->request;
  const guint64 end = request->first_byte + request->n_bytes;
  go_back (work);
  for (work->from = request->first_byte; work->from < end;
       work->from = work->to)
    {
      work->to = MIN (work->from + RESULT_BYTES, end);
      if (inflate_bytes (work))
        continue;
      memset (work->progress, 0, work->n * sizeof *work->progress);
      return FALSE;
    }
  return TRUE;
}

static gboolean
inflate (TlInflater *base, const TlInflaterRequest *request)
{
  Inflater *inflater = (Inflater *)base;
  if (!check (cudaSetDevice (inflater->device)))
    return FALSE;
  Lane *lane = take_lane (inflater);
  gboolean good = lane != NULL;
  for (size_t first = 0, n; first < request->n && good; first += n)
    {
      const size_t stream = request->first + first;
      const size_t k = stream % N_STREAMS;
      Group *group = get_group (inflater, stream / N_STREAMS);
      n = MIN (N_STREAMS - k, request->n - first);
      good = group != NULL
             && inflate_work (&(Work){
                 .request = request,
                 .first = first,
                 .n = n,
                 .progress = group->progress + k,
                 .states_dev = group->states_dev + k,
                 .lane = lane,
                 .cancellable = base->cancellable,
             });
    }
  if (lane != NULL)
    {
      /* After a failure the kernel may still run. */
      if (!good)
        cudaStreamSynchronize (lane->stream);
      give_lane (inflater, lane);
    }
  return good;
}

static void
forget (TlInflater *base)
{
  Inflater *inflater = (Inflater *)base;
  for (guint k = 0; k < inflater->groups->len; k++)
    {
      Group *group = inflater->groups->pdata[k];
      if (group != NULL)
        memset (group->progress, 0, sizeof group->progress);
    }
}

static void
inflater_free (TlInflater *base)
{
  Inflater *inflater = (Inflater *)base;
  check (cudaSetDevice (inflater->device));
  g_ptr_array_unref (inflater->groups);
  g_ptr_array_unref (inflater->lanes);
  g_mutex_clear (&inflater->mutex);
  g_free (inflater);
}

TlInflater *
tl_cuda_inflater_new (guint device, gboolean gives_way, GError **error)
{
  const char *step = "opening of the inflater";
  int least = 0, greatest = 0;
  if (!tl_cuda_check (cudaSetDevice ((int)device), step, error)
      || !tl_cuda_check (cudaDeviceGetStreamPriorityRange (&least, &greatest),
                         step, error))
    return NULL;
  Inflater *inflater = g_new0 (Inflater, 1);
  inflater->base = (TlInflater){ .n_streams = N_STREAMS,
                                 .inflate = inflate,
                                 .forget = forget,
                                 .free = inflater_free };
  inflater->device = (int)device;
  inflater->priority = gives_way ? least : greatest;
  inflater->groups = g_ptr_array_new_with_free_func (group_free);
  inflater->lanes = g_ptr_array_new_with_free_func (lane_free);
  g_mutex_init (&inflater->mutex);
  return &inflater->base;
}

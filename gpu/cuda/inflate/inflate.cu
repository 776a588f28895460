/* Inflates many streams at once: RFC 1951, Deutsch, DEFLATE compressed data
 * format.
 *
 * A symbol's length is known only when the one before it is decoded, so one
 * stream cannot be divided. A few lanes take one stream: all of them decode the
 * same symbol, which costs no more than one lane, and share the work of copies,
 * of tables and of what was inflated. The time is the latency of the chain from
 * symbol to symbol; more lanes would only take more of the device from others.
 *
 * Back-projection fills the registers of a multiprocessor with two or three
 * blocks. A warp beside them costs one of these, and so do eight: the warps of
 * many streams are one block, so that few multiprocessors have them.
 *
 * The last 32 kB of a stream are in global memory, and the piece that is being
 * inflated in shared memory.
 */
#include "gpu/cuda/inflate/launchers.h"

#include <cuda_runtime.h>

/* Measured beside back-projection: tests/bench/README.md. */
constexpr unsigned LANES = 8; /* of a stream */
constexpr unsigned WARP_STREAMS = 32 / LANES;
constexpr unsigned BLOCK_STREAMS = 8 * WARP_STREAMS; /* at most */
constexpr unsigned PIECE_BYTES = 1024;               /* divides the window */
constexpr unsigned LITERAL_BITS = 9, DISTANCE_BITS = 8;
constexpr unsigned MAX_LENGTH = 15; /* of a code, bits */
constexpr unsigned MAX_LITERALS = 288, MAX_DISTANCES = 32;
constexpr unsigned N_LENGTH_CODES = 19, END_OF_BLOCK = 256;
constexpr unsigned HEADER_WORDS = TL_CUDA_INFLATE_LEAST / 4 - 32;
static_assert (MAX_LITERALS + MAX_DISTANCES <= TL_CUDA_MAX_CODES,
               "all lengths fit");
static_assert (HEADER_WORDS * 4 >= (17 + 19 * 3 + 320 * 14) / 8 + 16,
               "the longest header fits");

/* Symbols from 257 on, and those of distances: base, extra bits. */
static __constant__ uint16_t length_bases[29] = {
  3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
  31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258
};
static __constant__ uint8_t length_extras[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                                  1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                                  4, 4, 4, 4, 5, 5, 5, 5, 0 };
static __constant__ uint16_t distance_bases[30] = {
  1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
  33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
  1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577
};
/* The order in which the lengths of length codes are stored. */
static __constant__ uint8_t length_order[N_LENGTH_CODES] = {
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
};

/* A canonical code. */
template <unsigned N> struct Code
{
  uint16_t counts[MAX_LENGTH + 1]; /* of codes of each length */
  uint16_t firsts[MAX_LENGTH + 1]; /* the first code, */
  uint16_t places[MAX_LENGTH + 1]; /* and its place in symbols */
  uint16_t symbols[N];             /* by length, then by number */
  unsigned n;
  bool is_good;
};

/* What a table says of the next bits. */
enum Kind
{
  LONG, /* the code is longer than the table knows, or there is none */
  COPY,
  LITERAL,
  TWO_LITERALS
};

/* bits 0-4: of the code, or of both literals. COPY: 5-8 extra bits, 9-24 base,
 * 0: the end of the block. Literals: 5-8 bits of the first one, 9-16 the first,
 * 17-24 the second one. 30-31: the kind. */
typedef uint32_t Entry;

static __device__ inline Entry
make_entry (Kind kind, unsigned n_bits, unsigned few, unsigned value)
{
  return (Entry)kind << 30 | value << 9 | few << 5 | n_bits;
}

static __device__ inline unsigned
get_bits (Entry entry)
{
  return entry & 31;
}

static __device__ inline unsigned
get_few (Entry entry)
{
  return entry >> 5 & 15;
}

static __device__ inline unsigned
get_value (Entry entry)
{
  return entry >> 9 & 0xffff;
}

static __device__ inline Kind
get_kind (Entry entry)
{
  return (Kind)(entry >> 30);
}

static __device__ inline bool
has_literals (Entry entry)
{
  return entry >> 31 != 0;
}

/* Returns: how many literals @entry has, if it has any */
static __device__ inline unsigned
count_literals (Entry entry)
{
  return (entry >> 30) - 1;
}

struct Shared
{
  Entry literals[1 << LITERAL_BITS];
  Entry distances[1 << DISTANCE_BITS];
  Code<MAX_LITERALS> literal_code;
  Code<MAX_DISTANCES> distance_code;
  uint8_t lengths[TL_CUDA_MAX_CODES];
  uint8_t piece[PIECE_BYTES];
};

/* Returns: the lanes of the stream, a bit for each one of the warp */
static __device__ inline unsigned
get_lanes (void)
{
  return ((1u << LANES) - 1) << LANES * (threadIdx.y % WARP_STREAMS);
}

/* Lets the lanes of the stream see what each of them has written. */
static __device__ inline void
sync_lanes (void)
{
  __syncwarp (get_lanes ());
}

/* --- bits --- */

struct Bits
{
  const uint32_t *words;
  unsigned n_words, next;    /* next: the place of ahead */
  uint32_t low, high, ahead; /* three words; ahead is read early, to hide its
                                latency */
  unsigned place;            /* of the next bit in low and high */
};

static __device__ inline uint32_t
read_word (const Bits &bits, unsigned place)
{
  return place < bits.n_words ? bits.words[place] : 0;
}

/* Afterwards the next bit is in low. Call it before 32 bits more are dropped.
 */
static __device__ inline void
fill (Bits &bits)
{
  if (bits.place < 32)
    return;
  bits.low = bits.high;
  bits.high = bits.ahead;
  bits.ahead = read_word (bits, ++bits.next);
  bits.place -= 32;
}

/* Returns: the next 32 bits. Afterwards the next one is in low. */
static __device__ inline uint32_t
peek (Bits &bits)
{
  fill (bits);
  return __funnelshift_r (bits.low, bits.high, bits.place);
}

static __device__ inline void
drop (Bits &bits, unsigned n)
{
  bits.place += n;
}

static __device__ inline unsigned
get_low_bits (uint32_t value, unsigned n)
{
  return value & ((1u << n) - 1);
}

/* @n: at most 16 */
static __device__ inline unsigned
take (Bits &bits, unsigned n)
{
  const unsigned value = get_low_bits (peek (bits), n);
  drop (bits, n);
  return value;
}

/* @bit: of the words */
static __device__ inline void
seek (Bits &bits, unsigned bit)
{
  bits.next = bit / 32 + 2;
  bits.low = read_word (bits, bit / 32);
  bits.high = read_word (bits, bit / 32 + 1);
  bits.ahead = read_word (bits, bits.next);
  bits.place = bit % 32;
}

static __device__ inline unsigned
tell (const Bits &bits)
{
  return (bits.next - 2) * 32 + bits.place;
}

/* --- codes --- */

/* Makes a code from the lengths of its symbols, as zlib does: a set that leaves
 * codes over is wrong, unless @may_be_short and it has one code of one bit, or
 * none. */
template <unsigned N>
static __device__ void
make_code (Code<N> &code, const uint8_t *lengths, unsigned n, bool may_be_short)
{
  sync_lanes ();
  if (threadIdx.x == 0)
    {
      int left = 1;
      unsigned place = 0, first = 0;
      for (unsigned l = 0; l <= MAX_LENGTH; l++)
        code.counts[l] = 0;
      for (unsigned k = 0; k < n; k++)
        code.counts[lengths[k]]++;
      code.counts[0] = 0;
      code.is_good = true;
      for (unsigned l = 1; l <= MAX_LENGTH; l++)
        {
          first = (first + code.counts[l - 1]) << 1;
          left = 2 * left - code.counts[l];
          code.is_good &= left >= 0;
          code.firsts[l] = (uint16_t)first;
          code.places[l] = (uint16_t)place;
          place += code.counts[l];
        }
      code.n = place;
      code.is_good &=
          left == 0 || (may_be_short && place == code.counts[1] && place < 2);
      for (unsigned k = 0; k < n && code.is_good; k++)
        if (lengths[k] > 0)
          code.symbols[code.places[lengths[k]]++] = (uint16_t)k;
      for (unsigned l = 1; l <= MAX_LENGTH && code.is_good; l++)
        code.places[l] -= code.counts[l];
    }
  sync_lanes ();
}

/* Returns: the next symbol, or N if there is no such code */
template <unsigned N>
static __device__ unsigned
decode (Bits &bits, const Code<N> &code)
{
  const uint32_t window = peek (bits);
  unsigned value = 0;
  for (unsigned l = 1; l <= MAX_LENGTH; l++)
    {
      value = value << 1 | (window >> (l - 1) & 1);
      const unsigned k = value - code.firsts[l];
      if (value < code.firsts[l] || k >= code.counts[l])
        continue;
      drop (bits, l);
      return code.symbols[code.places[l] + k];
    }
  return N;
}

static __device__ inline Entry
describe_literal (unsigned symbol, unsigned n_bits)
{
  if (symbol < END_OF_BLOCK)
    return make_entry (LITERAL, n_bits, n_bits, symbol);
  if (symbol == END_OF_BLOCK)
    return make_entry (COPY, n_bits, 0, 0);
  return symbol - 257 < 29
             ? make_entry (COPY, n_bits, length_extras[symbol - 257],
                           length_bases[symbol - 257])
             : 0;
}

static __device__ inline Entry
describe_distance (unsigned symbol, unsigned n_bits)
{
  return symbol < 30
             ? make_entry (COPY, n_bits, symbol < 4 ? 0 : (symbol - 2) / 2,
                           distance_bases[symbol])
             : 0;
}

/* Fills a table of 2^@n_bits entries with the codes that are not longer. */
template <unsigned N>
static __device__ void
fill_table (Entry *table, unsigned n_bits, const Code<N> &code,
            const uint8_t *lengths, Entry (*describe) (unsigned, unsigned))
{
  for (unsigned k = threadIdx.x; k < 1u << n_bits; k += LANES)
    table[k] = 0;
  sync_lanes ();
  for (unsigned k = threadIdx.x; k < code.n; k += LANES)
    {
      const unsigned symbol = code.symbols[k], l = lengths[symbol];
      const unsigned value = code.firsts[l] + k - code.places[l];
      const Entry entry = describe (symbol, l);
      if (l <= n_bits)
        for (unsigned i = __brev (value) >> (32 - l); i < 1u << n_bits;
             i += 1u << l)
          table[i] = entry;
    }
  sync_lanes ();
}

/* Where two literals fit into the bits of one entry, it gets both. What follows
 * a code is an entry further down: from the end on, it is not changed yet. */
static __device__ void
pair_literals (Entry *table)
{
  for (int first = (1 << LITERAL_BITS) - (int)LANES; first >= 0;
       first -= (int)LANES)
    {
      const unsigned k = (unsigned)first + threadIdx.x;
      const Entry one = table[k];
      const Entry next = table[k >> get_bits (one)];
      const unsigned n = get_bits (one) + get_few (next);
      sync_lanes ();
      if (get_kind (one) == LITERAL && has_literals (next) && n <= LITERAL_BITS)
        table[k] = make_entry (TWO_LITERALS, n, get_bits (one),
                               (get_value (one) & 255)
                                   | (get_value (next) & 255) << 8);
      sync_lanes ();
    }
}

/* Returns: %false if the lengths are not those of a code */
static __device__ bool
make_tables (Shared &shared, unsigned n_literals, unsigned n_distances)
{
  const uint8_t *distances = shared.lengths + n_literals;
  make_code (shared.literal_code, shared.lengths, n_literals, true);
  make_code (shared.distance_code, distances, n_distances, true);
  if (!shared.literal_code.is_good || !shared.distance_code.is_good
      || shared.lengths[END_OF_BLOCK] == 0)
    return false;
  fill_table (shared.literals, LITERAL_BITS, shared.literal_code,
              shared.lengths, describe_literal);
  fill_table (shared.distances, DISTANCE_BITS, shared.distance_code, distances,
              describe_distance);
  pair_literals (shared.literals);
  return true;
}

/* --- headers --- */

static __device__ void
set_fixed_lengths (uint8_t *lengths)
{
  for (unsigned k = threadIdx.x; k < MAX_LITERALS + MAX_DISTANCES; k += LANES)
    lengths[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : k < 288 ? 8 : 5;
}

/* Reads the lengths of the codes of a block. Returns: %false if they are wrong
 */
static __device__ bool
read_lengths (Shared &shared, Bits &bits, unsigned &n_literals,
              unsigned &n_distances)
{
  uint8_t *lengths = shared.lengths;
  n_literals = take (bits, 5) + 257;
  n_distances = take (bits, 5) + 1;
  const unsigned n_orders = take (bits, 4) + 4;
  if (n_literals > 286 || n_distances > 30)
    return false;
  for (unsigned k = 0; k < N_LENGTH_CODES; k++)
    {
      const unsigned l = k < n_orders ? take (bits, 3) : 0;
      if (threadIdx.x == 0)
        lengths[length_order[k]] = (uint8_t)l;
    }
  make_code (shared.distance_code, lengths, N_LENGTH_CODES, false);
  if (!shared.distance_code.is_good)
    return false;
  const unsigned n = n_literals + n_distances;
  unsigned last = 0;
  for (unsigned k = 0; k < n;)
    {
      unsigned n_times = 1, l = decode (bits, shared.distance_code);
      if (l == 16 && k == 0)
        return false;
      if (l == 16)
        {
          n_times = 3 + take (bits, 2);
          l = last;
        }
      else if (l == 17 || l == 18)
        {
          n_times = l == 17 ? 3 + take (bits, 3) : 11 + take (bits, 7);
          l = 0;
        }
      if (l > MAX_LENGTH || n_times > n - k)
        return false;
      for (unsigned i = threadIdx.x; i < n_times; i += LANES)
        lengths[k + i] = (uint8_t)l;
      last = l;
      k += n_times;
    }
  return true;
}

/* --- streams --- */

/* A stream while it is inflated; the same in all lanes. */
struct Stream
{
  Bits bits;
  unsigned last_word; /* no step begins when this one was read */
  bool is_last_input;
  unsigned phase;
  bool is_last_block;
  unsigned n_left, distance; /* as in TlCudaInflateState */
  uint64_t n_out;
  uint8_t *window;
};

static __device__ void
begin_block (Shared &shared, Stream &stream, TlCudaInflateState &state)
{
  Bits &bits = stream.bits;
  stream.is_last_block = take (bits, 1) != 0;
  const unsigned type = take (bits, 2);
  stream.phase = TL_CUDA_INFLATE_BAD;
  if (type == 0)
    {
      drop (bits, (8 - bits.place % 8) % 8);
      stream.n_left = take (bits, 16);
      if (take (bits, 16) == (stream.n_left ^ 0xffff))
        stream.phase = TL_CUDA_INFLATE_STORED;
      return;
    }
  unsigned n_literals = MAX_LITERALS, n_distances = MAX_DISTANCES;
  sync_lanes ();
  if (type == 1)
    set_fixed_lengths (shared.lengths);
  else if (type != 2 || !read_lengths (shared, bits, n_literals, n_distances))
    return;
  sync_lanes ();
  if (!make_tables (shared, n_literals, n_distances))
    return;
  for (unsigned k = threadIdx.x; k < TL_CUDA_MAX_CODES; k += LANES)
    state.lengths[k] = shared.lengths[k];
  state.n_literals = n_literals;
  state.n_distances = n_distances;
  stream.n_left = 0;
  stream.phase = TL_CUDA_INFLATE_CODES;
}

static __device__ inline void
end_block (Stream &stream)
{
  stream.phase =
      stream.is_last_block ? TL_CUDA_INFLATE_ENDED : TL_CUDA_INFLATE_HEADER;
}

/* Copies bytes of a stored block to the piece. Returns: how many */
static __device__ unsigned
copy_stored (Stream &stream, uint8_t *dest, unsigned n_most)
{
  Bits &bits = stream.bits;
  const unsigned first = tell (bits) / 8;
  const unsigned n_here = bits.n_words * 4 - min (first, bits.n_words * 4);
  const unsigned n = min (min (stream.n_left, n_most), n_here);
  const uint8_t *stored = (const uint8_t *)bits.words + first;
  for (unsigned k = threadIdx.x; k < n; k += LANES)
    dest[k] = stored[k];
  seek (bits, (first + n) * 8);
  stream.n_left -= n;
  return n;
}

/* A byte that a lane has asked for and not yet written: the next symbols are
 * decoded meanwhile. */
struct Copy
{
  unsigned place; /* in the piece; PIECE_BYTES: there is none */
  uint8_t byte;
};

static __device__ inline void
end_copy (Copy &copy, uint8_t *piece)
{
  if (copy.place < PIECE_BYTES)
    piece[copy.place] = copy.byte;
  copy.place = PIECE_BYTES;
}

/* Copies bytes from before to piece[@at] and so on. They are in the piece from
 * piece[@first] on, which belongs to n_out, or in the window. The last ones
 * remain in @copy. Returns: how many */
static __device__ inline unsigned
copy_earlier (Stream &stream, uint8_t *piece, unsigned first, unsigned at,
              unsigned n_most, Copy &copy)
{
  const unsigned n = min (stream.n_left, n_most), distance = stream.distance;
  const unsigned piece_place = (unsigned)stream.n_out - first;
  end_copy (copy, piece);
  sync_lanes ();
  for (unsigned k = threadIdx.x; k < n; k += LANES)
    {
      const int from =
          (int)(at + (distance >= n ? k : k % distance)) - (int)distance;
      const unsigned place = piece_place + (unsigned)from;
      const uint8_t *source =
          from >= (int)first ? piece + from
                             : stream.window + place % TL_CUDA_WINDOW_BYTES;
      end_copy (copy, piece);
      copy = { at + k, *source };
    }
  stream.n_left -= n;
  return n;
}

static __device__ inline Entry
look_up (const Shared &shared, uint32_t window)
{
  return shared.literals[get_low_bits (window, LITERAL_BITS)];
}

/* Writes the first @n literals of @entry. */
static __device__ inline void
put_literals (Entry entry, unsigned n, uint8_t *piece, unsigned at)
{
  if (threadIdx.x < n)
    piece[at + threadIdx.x] = (uint8_t)(get_value (entry) >> 8 * threadIdx.x);
}

/* Decodes the length and the distance of a copy.
 * @entry: of its length, whose code was not dropped; or LONG
 *
 * Returns: %false if this is a literal, which was written, the end of the
 * block, or no code */
static __device__ inline bool
decode_copy (const Shared &shared, Stream &stream, Bits &bits, Entry entry,
             uint8_t *piece, unsigned &at)
{
  if (get_kind (entry) == LONG)
    {
      const unsigned symbol = decode (bits, shared.literal_code);
      entry = symbol < MAX_LITERALS ? describe_literal (symbol, 0) : 0;
    }
  if (has_literals (entry))
    {
      put_literals (entry, 1, piece, at++);
      return false;
    }
  uint32_t window = peek (bits) >> get_bits (entry);
  drop (bits, get_bits (entry) + get_few (entry));
  if (get_kind (entry) == LONG)
    stream.phase = TL_CUDA_INFLATE_BAD;
  else if (get_value (entry) == 0)
    end_block (stream);
  if (get_value (entry) == 0)
    return false;
  stream.n_left = get_value (entry) + get_low_bits (window, get_few (entry));
  window = peek (bits);
  entry = shared.distances[get_low_bits (window, DISTANCE_BITS)];
  if (get_kind (entry) == LONG)
    {
      const unsigned symbol = decode (bits, shared.distance_code);
      entry = symbol < MAX_DISTANCES ? describe_distance (symbol, 0) : 0;
      window = peek (bits);
    }
  window >>= get_bits (entry);
  drop (bits, get_bits (entry) + get_few (entry));
  stream.distance = get_value (entry) + get_low_bits (window, get_few (entry));
  if (get_kind (entry) == LONG)
    stream.phase = TL_CUDA_INFLATE_BAD;
  return get_kind (entry) != LONG;
}

/* Decodes symbols into piece[@at] and so on until it is full up to @end, the
 * block ends or the input is used up. Returns: the new place */
static __device__ unsigned
decode_symbols (const Shared &shared, Stream &stream, uint8_t *piece,
                unsigned first, unsigned at, unsigned end)
{
  constexpr unsigned ENTRIES = 32 / LITERAL_BITS; /* of 32 bits, for sure */
  const unsigned n_before =
      (unsigned)min (stream.n_out, (uint64_t)TL_CUDA_WINDOW_BYTES);
  Bits bits = stream.bits;
  Copy copy = { PIECE_BYTES, 0 };
  if (stream.n_left > 0)
    at += copy_earlier (stream, piece, first, at, end - at, copy);
  while (at < end && bits.next < stream.last_word)
    {
      uint32_t window = peek (bits);
      Entry entry = look_up (shared, window);
      if (at + 2 * ENTRIES <= end)
        {
          unsigned n_bits = 0, k = 0;
#pragma unroll
          for (; k < ENTRIES && has_literals (entry); k++)
            {
              const unsigned n = count_literals (entry);
              put_literals (entry, n, piece, at);
              at += n;
              n_bits += get_bits (entry);
              window >>= get_bits (entry);
              entry = look_up (shared, window);
            }
          drop (bits, n_bits);
          if (k == ENTRIES)
            continue;
        }
      else if (has_literals (entry))
        {
          const unsigned n = min (count_literals (entry), end - at);
          put_literals (entry, n, piece, at);
          at += n;
          drop (bits, n == 1 ? get_few (entry) : get_bits (entry));
          continue;
        }
      if (decode_copy (shared, stream, bits, entry, piece, at))
        {
          if (stream.distance > n_before + (at - first))
            stream.phase = TL_CUDA_INFLATE_BAD;
          else
            at += copy_earlier (stream, piece, first, at, end - at, copy);
        }
      if (stream.phase != TL_CUDA_INFLATE_CODES)
        break;
    }
  end_copy (copy, piece);
  stream.bits = bits;
  return at;
}

/* Inflates up to piece[@end]. Returns: the place of the end */
static __device__ unsigned
inflate_piece (Shared &shared, Stream &stream, TlCudaInflateState &state,
               unsigned first, unsigned end)
{
  unsigned at = first;
  while (at < end)
    {
      const unsigned before = tell (stream.bits), at_before = at;
      const unsigned phase_before = stream.phase;
      if (stream.phase == TL_CUDA_INFLATE_HEADER)
        {
          if (!stream.is_last_input
              && stream.bits.next + HEADER_WORDS > stream.bits.n_words)
            break;
          begin_block (shared, stream, state);
        }
      else if (stream.phase == TL_CUDA_INFLATE_STORED)
        {
          at += copy_stored (stream, shared.piece + at, end - at);
          if (stream.n_left == 0)
            end_block (stream);
        }
      else if (stream.phase == TL_CUDA_INFLATE_CODES)
        at = decode_symbols (shared, stream, shared.piece, first, at, end);
      else
        break;
      if (tell (stream.bits) == before && at == at_before
          && stream.phase == phase_before)
        break;
    }
  return at;
}

/* --- results --- */

static __device__ inline unsigned
sum_lanes (unsigned value)
{
  for (unsigned k = LANES / 2; k > 0; k /= 2)
    value += __shfl_xor_sync (get_lanes (), value, (int)k);
  return value;
}

/* Takes a piece over: into the window, the checksum and the result. */
static __device__ void
keep_piece (const uint8_t *piece, unsigned n, Stream &stream, unsigned &adler,
            const TlCudaInflateArgs &a, uint8_t *dest)
{
  constexpr unsigned PRIME = 65521;
  unsigned sum = 0, weighted = 0;
  sync_lanes ();
  for (unsigned k = threadIdx.x; k < n; k += LANES)
    {
      const uint64_t place = stream.n_out + k;
      const uint8_t byte = piece[k];
      stream.window[place % TL_CUDA_WINDOW_BYTES] = byte;
      if (place >= a.first_byte && place - a.first_byte < a.n_bytes)
        dest[place - a.first_byte] = byte;
      sum += byte;
      weighted += (n - k) * byte;
    }
  const unsigned low = adler % 65536, high = adler / 65536;
  const unsigned new_high =
      (high + n * low % PRIME + sum_lanes (weighted) % PRIME) % PRIME;
  adler = new_high << 16 | (low + sum_lanes (sum)) % PRIME;
  stream.n_out += n;
  sync_lanes ();
}

static __global__ void
inflate_kernel (const TlCudaInflateArgs a)
{
  extern __shared__ Shared all_shared[]; /* [blockDim.y] */
  Shared &shared = all_shared[threadIdx.y];
  const unsigned k = blockIdx.x * blockDim.y + threadIdx.y;
  if (k >= a.n_streams)
    return;
  const TlCudaInflateInput input = a.inputs[k];
  TlCudaInflateProgress progress = a.progress[k];
  TlCudaInflateState &state = a.states[k];
  uint8_t *dest = a.dest + k * a.n_bytes;
  if (input.n_words == 0)
    return;
  Stream stream = {};
  stream.bits.words = a.stored + (size_t)k * a.stored_pitch + input.first_word;
  stream.bits.n_words = input.n_words;
  stream.is_last_input = input.is_last != 0;
  stream.last_word =
      stream.is_last_input ? input.n_words + 2 : input.n_words - 3;
  stream.phase = progress.phase;
  stream.is_last_block = state.is_last_block != 0;
  stream.n_left = progress.n_out > 0 ? state.n_left : 0;
  stream.distance = state.distance;
  stream.n_out = progress.n_out;
  stream.window = state.window;
  unsigned adler = progress.n_out > 0 ? progress.adler : 1;
  seek (stream.bits, (unsigned)(progress.n_bits - input.first_bit));
  if (stream.phase == TL_CUDA_INFLATE_CODES)
    {
      for (unsigned i = threadIdx.x; i < TL_CUDA_MAX_CODES; i += LANES)
        shared.lengths[i] = state.lengths[i];
      sync_lanes ();
      make_tables (shared, state.n_literals, state.n_distances);
    }
  while (stream.n_out < a.stop_byte)
    {
      const unsigned first = (unsigned)stream.n_out % PIECE_BYTES;
      const unsigned end = (unsigned)min ((uint64_t)PIECE_BYTES,
                                          first + a.stop_byte - stream.n_out);
      const unsigned at = inflate_piece (shared, stream, state, first, end);
      keep_piece (shared.piece + first, at - first, stream, adler, a, dest);
      if (at < end)
        break;
    }
  if (stream.is_last_input && stream.bits.next >= stream.last_word)
    stream.phase = TL_CUDA_INFLATE_BAD;
  if (threadIdx.x != 0)
    return;
  progress.n_bits = input.first_bit + tell (stream.bits);
  progress.n_out = stream.n_out;
  progress.adler = adler;
  progress.phase = stream.phase;
  a.progress[k] = progress;
  state.is_last_block = stream.is_last_block;
  state.n_left = stream.n_left;
  state.distance = stream.distance;
}

int
tl_cuda_inflate_prepare (unsigned *block_streams)
{
  int device = 0, bytes = 0;
  cudaError_t status = cudaGetDevice (&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (
        &bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status != cudaSuccess)
    return status;
  const unsigned n =
      min ((unsigned)bytes / (unsigned)sizeof (Shared), BLOCK_STREAMS)
      / WARP_STREAMS * WARP_STREAMS;
  *block_streams = n;
  return cudaFuncSetAttribute (inflate_kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)(n * sizeof (Shared)));
}

int
tl_cuda_inflate (const TlCudaInflateArgs *args, struct CUstream_st *stream)
{
  const unsigned n = args->block_streams;
  inflate_kernel<<<(args->n_streams + n - 1) / n, dim3 (LANES, n),
                   n * sizeof (Shared), stream>>> (*args);
  return cudaGetLastError ();
}

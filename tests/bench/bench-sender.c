/* A detector that costs its receiver's machine little: bench-sender PORT N ROWS
 * COLUMNS RATE sends 10 darks, 20 flats and N projections of 16-bit counts at
 * RATE a second (0: as fast as they are taken) as PSI's std_daq does, each from
 * the same memory. Prints JSON: the rate at which they went. */
#include <glib.h>
#include <string.h>
#include <zmq.h>

enum
{
  N_DARKS = 10,
  N_FLATS = 20,
  N_WAITING = 4 /* frames that may wait for the receiver */
};

typedef struct
{
  void *socket;
  guint n_rows, n_cols;
  double rate;
  gint64 start_us;
  guint n_sent; /* since then */
} Sender;

static guint16 *
make_frame (const Sender *sender, guint16 count)
{
  const gsize n = (gsize)sender->n_rows * sender->n_cols;
  guint16 *frame = g_new (guint16, n);

  for (gsize k = 0; k < n; k++)
    frame[k] = (guint16)(count + k % sender->n_cols % 64);
  return frame;
}

/* @frame: stays as it is until the context has ended */
static void
send_frames (Sender *sender, int scan_index, guint n, guint16 *frame)
{
  const gsize n_bytes = sizeof *frame * sender->n_rows * sender->n_cols;

  for (guint k = 0; k < n; k++, sender->n_sent++)
    {
      g_autofree char *json = g_strdup_printf (
          "{\"frame\": %u, \"shape\": [%u, %u], \"type\": \"uint16\", "
          "\"image_attributes\": {\"scan_index\": %d}}",
          k, sender->n_rows, sender->n_cols, scan_index);
      const gint64 due_us =
          sender->start_us
          + (sender->rate > 0 ? (gint64)(sender->n_sent * 1e6 / sender->rate)
                              : 0);
      const gint64 early_us = due_us - g_get_monotonic_time ();
      zmq_msg_t pixels;

      if (early_us > 0)
        g_usleep ((gulong)early_us);
      zmq_msg_init_data (&pixels, frame, n_bytes, NULL, NULL);
      if (zmq_send (sender->socket, json, strlen (json), ZMQ_SNDMORE) < 0
          || zmq_msg_send (&pixels, sender->socket, 0) < 0)
        g_error ("a frame cannot be sent: %s", zmq_strerror (zmq_errno ()));
    }
}

static void
print (const Sender *sender)
{
  const double seconds =
      (double)(g_get_monotonic_time () - sender->start_us) / 1e6;

  g_print ("{\"frames\": %u, \"seconds\": %.2f, \"rate\": %.1f, "
           "\"gb_per_s\": %.2f}\n",
           sender->n_sent, seconds, sender->n_sent / seconds,
           2e-9 * sender->n_rows * sender->n_cols * sender->n_sent / seconds);
}

int
main (int argc, char **argv)
{
  const int n_waiting = N_WAITING;
  Sender sender = { 0 };
  void *context = zmq_ctx_new ();
  g_autofree char *address = NULL;
  guint16 *dark, *flat, *projection;

  if (argc != 6)
    {
      g_printerr ("usage: %s PORT N ROWS COLUMNS RATE\n", argv[0]);
      return 2;
    }
  address = g_strconcat ("tcp://127.0.0.1:", argv[1], NULL);
  sender.n_rows = (guint)g_ascii_strtoull (argv[3], NULL, 10);
  sender.n_cols = (guint)g_ascii_strtoull (argv[4], NULL, 10);
  sender.rate = g_ascii_strtod (argv[5], NULL);
  dark = make_frame (&sender, 100);
  flat = make_frame (&sender, 40000);
  projection = make_frame (&sender, 20000);
  sender.socket = zmq_socket (context, ZMQ_PUSH);
  zmq_setsockopt (sender.socket, ZMQ_SNDHWM, &n_waiting, sizeof n_waiting);
  if (zmq_bind (sender.socket, address) != 0)
    g_error ("%s: %s", address, zmq_strerror (zmq_errno ()));
  sender.start_us = g_get_monotonic_time ();
  send_frames (&sender, 0, N_DARKS, dark);
  /* the first one waits for the receiver */
  sender.start_us = g_get_monotonic_time ();
  sender.n_sent = 0;
  send_frames (&sender, 1, N_FLATS, flat);
  send_frames (&sender, 2, (guint)g_ascii_strtoull (argv[2], NULL, 10),
               projection);
  print (&sender);
  zmq_close (sender.socket);
  zmq_ctx_term (context);
  g_free (dark);
  g_free (flat);
  g_free (projection);
  return 0;
}

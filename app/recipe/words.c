#include "app/recipe/words.h"

#include <glib.h>
#include <glib/gi18n.h>
#include <string.h>

const char *
tl_value_get_words (const char *value)
{
  static const struct
  {
    const char *value, *words; /* names are the same in all languages */
  } table[] = {
    { "auto", NC_ ("value", "Automatic") },
    { "standard", NC_ ("value", "Standard") },
    { "texture", NC_ ("value", "Texture") },
    { "texture-quarters", NC_ ("value", "Texture, quarter by quarter") },
    { "alu", NC_ ("value", "Arithmetic units") },
    { "hybrid", NC_ ("value", "Hybrid") },
    { "tensor", NC_ ("value", "Tensor cores") },
    { "back-projection", NC_ ("value", "Back-projection") },
    { "fourier", "Fourier" },
    { "nearest", NC_ ("value", "Nearest") },
    { "linear", NC_ ("value", "Linear") },
    { "oversampled", NC_ ("value", "Oversampled") },
    { "cubic", NC_ ("value", "Cubic") },
    { "full", NC_ ("value", "Full") },
    { "fast", NC_ ("value", "Fast") },
    { "edge", NC_ ("value", "Edge") },
    { "zero", NC_ ("value", "Zero") },
    { "off", NC_ ("value", "Off") },
    { "on", NC_ ("value", "On") },
    { "sorting", NC_ ("value", "Sorting") },
    { "wavelet", "Wavelet" },
    { "ramp", NC_ ("value", "Ramp") },
    { "shepp-logan", "Shepp–Logan" },
    { "cosine", NC_ ("value", "Cosine") },
    { "hann", "Hann" },
    { "hamming", "Hamming" },
    { "parzen", "Parzen" },
    { "butterworth", "Butterworth" },
    { "refuse", NC_ ("value", "Refuse") },
    { "replace", NC_ ("value", "Replace") },
    { "cuda", "CUDA" },
    { "host", NC_ ("value", "Processor") },
    { "grey", NC_ ("value", "Grey") },
    { "inverted", NC_ ("value", "Inverted") },
    { "viridis", "Viridis" },
    { "magma", "Magma" },
    { "inferno", "Inferno" },
    { "bone", NC_ ("value", "Bone") },
    { "float32", NC_ ("value", "32-bit float") },
    { "float16", NC_ ("value", "16-bit float") },
    { "uint16", NC_ ("value", "16-bit integer") },
    { "uint8", NC_ ("value", "8-bit integer") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (strcmp (table[i].value, value) == 0)
      return g_dpgettext2 (NULL, "value", table[i].words);
  return value;
}

const char *
tl_key_get_words (const TlParamSpec *parameter)
{
  if (parameter->label != NULL && parameter->of == NULL)
    return _ (parameter->label);
  return parameter->title != NULL ? _ (parameter->title) : parameter->key;
}

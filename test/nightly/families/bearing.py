"""Which settings of a transformers configuration bear on a model's size."""

import math
import re

# Settings of training, generation and numerics: without bearing on shapes or on what is cached.
NO_BEARING = re.compile(
    r"_token_ids?$|_token_index$|dropout|^initializer_|_eps$|epsilon$|_coef$|^use_cache$|^pretraining_tp$|_softcap|jitter|"
    r"^summary_|^output_router_logits$|^output_attentions$|^_name_or_path$"
)


def bears(key):
    return not NO_BEARING.search(str(key))


def is_finite(value):
    return not isinstance(value, float) or math.isfinite(value)

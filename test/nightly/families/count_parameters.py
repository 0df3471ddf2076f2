"""Counts the parameters of every causal language model family of transformers, in its default configuration.

Models are made on the "meta" device: shapes without memory. Prints test/fixtures/families/families.json: one line per
family with its class, the exact number of parameters (tied tensors once), what checkpoints store beside them, what of
them vLLM does not load, and the configuration in full. Families whose default configuration makes no model are left out.
"""

import json
import sys
import warnings

warnings.filterwarnings("ignore")

import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from bearing import bears, is_finite

transformers.logging.set_verbosity_error()

KEPT_OF_ALL_CLASSES = {"dtype", "architectures", "is_encoder_decoder"}


def without_bearing(config):
    """The keys of a configuration that say what the model is; Infinity and NaN, which JSON lacks, become null."""
    generic = set(PreTrainedConfig().to_dict()) - KEPT_OF_ALL_CLASSES
    if not is_finite(config):
        return None
    if isinstance(config, list | tuple):
        return [without_bearing(value) for value in config]
    if not isinstance(config, dict):
        return config
    # "model_type" of the generic class is empty, that of a family is its name
    return {
        str(key): without_bearing(value)
        for key, value in config.items()
        if key == "model_type" or (key not in generic and bears(key))
    }


def buffers(model):
    """Values that checkpoints store beside the parameters: biases of routers, scalars of layers."""
    parameters = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    return sum(tensor.numel() for name, tensor in model.state_dict().items() if name not in parameters)


def pooling_heads(model):
    """Parameters of heads that pool a whole image into one vector: vLLM does not load them (siglip.py, use_head)."""
    heads = [module for module in model.modules() if type(module).__name__.endswith("PoolingHead")]
    return sum(parameter.numel() for head in heads for parameter in head.parameters())


def count(model_type):
    config = CONFIG_MAPPING[model_type]()
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    full = without_bearing(json.loads(json.dumps(config.to_dict(), default=str)))
    name = type(model).__name__
    return {
        "class": name,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "buffers": buffers(model),
        "poolingHeads": pooling_heads(model),
        "config": {**full, "model_type": full.get("model_type") or model_type, "architectures": [name]},
    }


def main():
    families = {}
    for model_type in sorted(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES):
        try:
            families[model_type] = count(model_type)
        except Exception as error:
            # a default configuration that is no model: the reason is told, the family is left out
            print(f"{model_type}: {type(error).__name__}: {str(error).strip()[:100]}", file=sys.stderr)
    lines = [f'  "{name}": {json.dumps(family, sort_keys=True)}' for name, family in families.items()]
    print(f'{{\n "transformers": "{transformers.__version__}",\n "families": {{')
    print(",\n".join(lines))
    print(" }\n}")


main()

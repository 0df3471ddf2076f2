"""Reads the defaults of transformers' configuration classes: what a config.json leaves out.

Prints catalog/model-defaults.json: for each family the defaults that bear on its size, the spellings its class
understands beside its own, and the families of its nested sections.
"""

import dataclasses
import inspect
import json
import re
import sys
import warnings

warnings.filterwarnings("ignore")

import transformers
from transformers import AutoConfig, PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from bearing import bears, is_finite

transformers.logging.set_verbosity_error()

# Families that vLLM reads with a class of its own (_CONFIG_REGISTRY of transformers_utils/config.py, 0.33.0): the
# defaults of transformers are not theirs.
READ_BY_VLLM = {
    "chatglm",
    "deepseek_v32",
    "deepseek_vl_v2",
    "hy_v4",
    "hyperclovax",
    "inkling_mm_model",
    "inkling_model",
    "isaac",
    "kimi_k2",
    "kimi_k25",
    "kimi_linear",
    "kimi_vl",
    "midashenglm",
    "minimax_m3_vl",
    "moondream3",
    "ovis",
    "qwen3_asr",
    "step3_text",
    "step3_vl",
    "step3p5",
    "ultravox",
}

GENERIC = {field.name for field in dataclasses.fields(PreTrainedConfig)}


def own_defaults(config):
    """Defaults as the class states them. What it computes from other settings is none, even where it starts from a value."""
    effective = config.to_dict()
    values = {
        config.attribute_map.get(field.name, field.name): field.default
        for field in dataclasses.fields(config)
        if field.name not in GENERIC
        and bears(field.name)
        and isinstance(field.default, bool | int | float | str)
        and is_finite(field.default)
        and effective.get(config.attribute_map.get(field.name, field.name)) == field.default
    }
    # set aside by the constructor instead of being a field; the same for every size of model
    rope = effective.get("rope_parameters") or {}
    rotary = (rope.get("full_attention") or rope).get("partial_rotary_factor")
    if rotary is not None:
        values.setdefault("partial_rotary_factor", rotary)
    return values


def spellings(config):
    """Other names of a class's settings: those it maps, and those its constructor takes from older files."""
    names = {field.name for field in dataclasses.fields(config)}
    older = re.findall(r'self\.(\w+) = kwargs\.pop\("(\w+)"', inspect.getsource(type(config)))
    taken = {other: config.attribute_map.get(own, own) for own, other in older if own in names and other not in names}
    return {**taken, **config.attribute_map}


def sections(config):
    """Nested configurations: their family, and whether a file may name another one."""
    nested = {}
    for key, section_class in config.sub_configs.items():
        section = getattr(config, key, None)
        if isinstance(section, PreTrainedConfig) and key.endswith(("text_config", "llm_config", "vision_config")):
            nested[key] = {"family": section.model_type, "any": section_class is AutoConfig}
    return nested


def describe(family):
    config = CONFIG_MAPPING[family]()
    described = {"values": own_defaults(config), "spellings": spellings(config), "sections": sections(config)}
    return {key: value for key, value in described.items() if value}


def main():
    wanted = sorted(
        {
            *MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
            *MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
            *MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        }
    )
    families = {}
    while wanted:
        family = wanted.pop()
        if family in families or family in READ_BY_VLLM or family not in CONFIG_MAPPING:
            continue
        try:
            families[family] = describe(family)
        except Exception as error:
            # no configuration without arguments: the reason is told, the family has no defaults
            print(f"{family}: {type(error).__name__}: {str(error).strip()[:100]}", file=sys.stderr)
            continue
        wanted.extend(section["family"] for section in families[family].get("sections", {}).values())
    lines = [f'  "{name}": {json.dumps(families[name], sort_keys=True)}' for name in sorted(families)]
    print(f'{{\n "transformers": "{transformers.__version__}",\n "families": {{')
    print(",\n".join(lines))
    print(" }\n}")


main()

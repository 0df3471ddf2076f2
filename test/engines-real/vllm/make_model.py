"""Makes a Llama of 0.7 MB with random weights, and a LoRA adapter for it: `make_model.py FOLDER` writes model/ and adapter/.
`make_model.py FOLDER HIDDEN LAYERS` makes a larger one, that reads prompts for a time that can be measured.

Its tokenizer has a token for each byte, so that any text is a prompt, and its answers any text.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

RANK = 8
CHAT = (
    "{% for message in messages %}<s>{{ message.role }}: {{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant: {% endif %}"
)


def make_tokenizer(folder: Path) -> int:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate(["<s>", "</s>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", chat_template=CHAT)
    fast.save_pretrained(folder)
    return len(vocabulary)


def make_model(folder: Path, vocabulary: int, hidden: int, layers: int) -> LlamaConfig:
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    return config


def make_adapter(folder: Path, config: LlamaConfig) -> None:
    """As PEFT writes one (https://huggingface.co/docs/peft/developer_guides/checkpoint): large enough to change answers."""
    folder.mkdir()
    tensors = {}
    for layer in range(config.num_hidden_layers):
        name = f"base_model.model.model.layers.{layer}.self_attn.q_proj"
        tensors[f"{name}.lora_A.weight"] = torch.randn(RANK, config.hidden_size, dtype=torch.bfloat16)
        tensors[f"{name}.lora_B.weight"] = torch.randn(config.hidden_size, RANK, dtype=torch.bfloat16)
    save_file(tensors, folder / "adapter_model.safetensors")
    settings = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": "tiny",
        "r": RANK,
        "lora_alpha": 4 * RANK,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": ["q_proj"],
    }
    (folder / "adapter_config.json").write_text(json.dumps(settings))


def main(target: Path, hidden: int = 128, layers: int = 2) -> None:
    torch.manual_seed(0)
    (target / "model").mkdir(parents=True)
    config = make_model(target / "model", make_tokenizer(target / "model"), hidden, layers)
    make_adapter(target / "adapter", config)


main(Path(sys.argv[1]), *map(int, sys.argv[2:]))

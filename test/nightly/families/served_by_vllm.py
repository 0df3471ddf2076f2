"""Which families vLLM serves as generating models, by release.

Usage: served_by_vllm.py FAMILIES_JSON RELEASE=PATH_TO_VLLM_SOURCES...
Prints test/fixtures/families/served-by-vllm.json. The registry is read as text: importing vLLM takes a GPU's libraries.
"""

import json
import re
import sys
from pathlib import Path

# Tables of model_executor/models/registry.py whose models generate text.
TABLES = ("_TEXT_GENERATION_MODELS", "_MULTIMODAL_MODELS", "_TRANSFORMERS_SUPPORTED_MODELS")


def served_classes(sources):
    registry = (Path(sources) / "vllm/model_executor/models/registry.py").read_text()
    tables = dict(re.findall(r"^(_[A-Z_]+_MODELS) = \{(.*?)^\}", registry, re.DOTALL | re.MULTILINE))
    return {name for table in TABLES for name in re.findall(r'^    "(\w+)":', tables[table], re.MULTILINE)}


def main(families_file, *releases):
    families = json.loads(Path(families_file).read_text())["families"]
    classes = {release: served_classes(path) for release, path in (argument.split("=", 1) for argument in releases)}
    served = {
        name: [release for release, served in classes.items() if family["class"] in served]
        for name, family in families.items()
    }
    lines = [f'  "{name}": {json.dumps(releases)}' for name, releases in served.items() if releases]
    print(f'{{\n "releases": {json.dumps(list(classes))},\n "families": {{')
    print(",\n".join(lines))
    print(" }\n}")


main(*sys.argv[1:])

"""Which model classes each release of vLLM has, and which of Transformers' it may run in their place.

Usage: classes_by_vllm.py catalog/engine-releases/vllm.json
Writes `classes` of that file, from the packages on PyPI of its releases. They are read as text, and nothing is kept:
1.2 GB of vLLM, 350 MB of Transformers.
"""

import ast
import io
import json
import os
import re
import sys
import tarfile
import urllib.request
import zipfile
from datetime import date, timedelta
from pathlib import Path

from pip._internal.models.index import PyPI

# As pip finds packages.
INDEX = (os.environ.get("PIP_INDEX_URL") or PyPI.simple_url).rstrip("/")
REGISTRY = "vllm/model_executor/models/registry.py"
# Suffixes that the registry of vLLM replaces by one another (_SUFFIX_TO_DEFAULTS of its configuration, 0.10.1 to 0.33.0).
GENERATING = ["ForCausalLM", "ForConditionalGeneration", "ChatModel", "LMHeadModel"]
POOLING = [
    *["ForTextEncoding", "EmbeddingModel", "ForSequenceClassification", "ForTokenClassification"],
    *["ForAudioClassification", "ForImageClassification", "ForVideoClassification", "ClassificationModel"],
    *["ForRewardModeling", "RewardModel", "Model"],
]
READ_OF_TRANSFORMERS = (
    *("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "ForMaskedLM", "ForSequenceClassification", "Model"),
)
# An image may be made some days after its package, and from layers that are older.
AFTER, BEFORE = timedelta(7), timedelta(60)
# Ray's own images hold these, and were made later (engines/ray/releases.json).
MADE_UNTIL = {"0.22.0": date(2026, 6, 29), "0.29.0": date(2026, 11, 4)}
# From here on a class counts that calls the attention interface, whether it says so or not (_can_set_attn_implementation).
BY_CALL = (0, 30)


def numbers(version):
    return tuple(int(part) for part in re.findall(r"\d+", version))


def listed(package):
    request = urllib.request.Request(
        f"{INDEX}/{package}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"}
    )
    return json.load(urllib.request.urlopen(request, timeout=180))["files"]


class Remote(io.RawIOBase):
    """A file on a server, of which only what is asked for is read."""

    def __init__(self, url, size):
        self.url, self.size, self.at = url, size, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def readinto(self, buffer):
        end = min(self.at + len(buffer), self.size)
        if end <= self.at:
            return 0
        headers = {"Range": f"bytes={self.at}-{end - 1}"}
        data = urllib.request.urlopen(urllib.request.Request(self.url, headers=headers), timeout=180).read()
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)


def registry_of(release, files):
    """The registry's text, and the day of the release."""
    own = [file for file in files if file["filename"].startswith((f"vllm-{release}.tar", f"vllm-{release}-"))]
    day = date.fromisoformat(min(file["upload-time"] for file in own)[:10])
    source = next((file for file in own if file["filename"].endswith(".tar.gz")), None)
    if source is None:
        wheel = next(file for file in own if file["filename"].endswith("x86_64.whl"))
        parts = zipfile.ZipFile(io.BufferedReader(Remote(wheel["url"], wheel["size"]), 1 << 22))
        return parts.read(REGISTRY).decode(), day
    with tarfile.open(fileobj=urllib.request.urlopen(source["url"], timeout=180), mode="r|gz") as archive:
        member = next(part for part in archive if part.name.split("/", 1)[-1] == REGISTRY)
        return archive.extractfile(member).read().decode(), day


def registered(text):
    """Keys of _VLLM_MODELS."""
    tables = {}
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(getattr(node, "value", None), ast.Dict):
            tables[target.id] = node.value

    def keys(table):
        for key, value in zip(table.keys, table.values):
            if key is not None:
                yield key.value
            # What a comprehension adds are classes of another table.
            elif isinstance(value, ast.Name):
                yield from keys(tables[value.id])

    return set(keys(tables["_VLLM_MODELS"]))


def transformers_releases():
    """The newest patch of each minor release from 4.48 on, with the day of the first."""
    minors = {}
    for file in listed("transformers"):
        match = re.fullmatch(r"transformers-(\d+)\.(\d+)\.(\d+)-py3-none-any\.whl", file["filename"])
        # One that was taken back later may be in an image.
        if match and (minor := numbers(file["filename"])[:2]) >= (4, 48):
            minors.setdefault(minor, []).append((int(match[3]), file["upload-time"][:10], file["url"]))
    return {minor: (date.fromisoformat(min(patches)[1]), max(patches)[2]) for minor, patches in sorted(minors.items())}


def transformers_classes(url):
    """Of each model class: whether it says that it calls the attention interface, and whether its file does."""
    found = {}
    wheel = zipfile.ZipFile(io.BytesIO(urllib.request.urlopen(url, timeout=300).read()))
    for name in wheel.namelist():
        if not re.search(r"/models/.*/modeling_(?!tf_|flax_)\w+\.py$", name):
            continue
        text = wheel.read(name).decode()
        writes = bool(re.search(r"^class \w+(ForCausalLM|LMHeadModel|ForMaskedLM|ForConditionalGeneration)\(", text, re.MULTILINE))
        own = re.search(r"^class \w*Attention\w*\(nn\.Module\):", text, re.MULTILINE)
        calls = own is None or "ALL_ATTENTION_FUNCTIONS" in text
        for part in re.split(r"^(?=class )", text, flags=re.MULTILINE)[1:]:
            if head := re.match(r"class (\w+)\((.*?)\):", part, re.DOTALL):
                says = re.search(r"^    _supports_(attention_backend|flex_attn) = True", part, re.MULTILINE)
                found[head[1]] = (re.findall(r"\w+", head[2]), bool(says), calls, writes)

    def inherited(name, seen):
        if name in found and name not in seen:
            seen.add(name)
            for base in found[name][0]:
                inherited(base, seen)
        elif name == "PreTrainedModel":
            seen.add(name)
        return seen

    classes = {}
    for name in found:
        # Of images, sounds and time series nobody asks text.
        if not name.endswith(READ_OF_TRANSFORMERS) or name.endswith("PreTrainedModel") or not found[name][3]:
            continue
        if "PreTrainedModel" in (line := inherited(name, set())):
            known = [found[each] for each in line if each in found]
            classes[name] = (any(says for _, says, *_ in known), any(calls for *_, calls, _ in known))
    return classes


def allowed(release):
    """Minor releases of Transformers from, and before, as the package requires it; 5.0 to 5.4 were left out."""
    steps = [
        *[((0, 8, 0), (4, 48)), ((0, 8, 3), (4, 51)), ((0, 10), (4, 53)), ((0, 10, 1), (4, 55)), ((0, 11, 1), (4, 56))],
        *[((0, 24), (5, 5)), ((0, 29), (5, 10))],
    ]
    first = max(minor for since, minor in steps if numbers(release) >= since)
    return first, (5, 0) if (0, 11, 1) <= numbers(release) < (0, 19, 1) else (9, 0)


def in_image(release, day, transformers):
    first, before = allowed(release)
    until = MADE_UNTIL.get(release, day + AFTER)
    fitting = [
        minor
        for minor, (made, _) in transformers.items()
        if made <= until and first <= minor < before and not ((5, 0) <= minor < (5, 5) and numbers(release) >= (0, 19, 1))
    ]
    settled = max((minor for minor in fitting if transformers[minor][0] <= day - BEFORE), default=first)
    # Where both majors are allowed other packages may have kept the older one.
    newest_of_4 = max((minor for minor in fitting if minor < (5, 0)), default=None)
    return [minor for minor in fitting if minor >= settled or minor == newest_of_4]


def spans(name, releases, has):
    """Rows from the first to the last release of each unbroken run."""
    runs = []
    for index, release in enumerate(releases):
        if name in has[release]:
            if runs and runs[-1][1] == index - 1:
                runs[-1][1] = index
            else:
                runs.append([index, index])
    last = len(releases) - 1
    return [
        {
            "name": name,
            **({"since": releases[start]} if start > 0 else {}),
            **({"until": releases[end]} if end < last else {}),
        }
        for start, end in runs
    ]


def rows(releases, has, names):
    return [row for name in sorted(names) for row in spans(name, releases, has)]


def lines(record):
    return ",\n".join(f"   {json.dumps(row, separators=(',', ':'))}" for row in record)


def main(path):
    text = Path(path).read_text()
    releases = json.loads(text)["releases"]
    files = listed("vllm")
    transformers = transformers_releases()
    classes = {minor: transformers_classes(url) for minor, (_, url) in transformers.items()}
    own, others = {}, {}
    for release in releases:
        registry, day = registry_of(release, files)
        own[release] = registered(registry)
        images = in_image(release, day, transformers)
        by_call = numbers(release) >= BY_CALL
        others[release] = {
            name
            for minor in images
            for name, (says, calls) in classes[minor].items()
            if says or (by_call and calls)
        }
        print(release, len(own[release]), len(others[release]), images, file=sys.stderr)
    wanted = {name for release in releases for name in others[release] - own[release]}
    every = set().union(*own.values())
    block = "\n".join(
        [
            ' "classes": {',
            '  "about": "Model classes (architectures of config.json). own: keys of the registry, with the first and the last release that has them. ofTransformers: those that an image may run as Transformers has them, where the registry lacks them: Transformers of that time has the class, and it calls the attention interface. generating, pooling: endings of names that the registry replaces by one another, from since on.",',
            f'  "asOf": "{date.today().isoformat()}",',
            '  "source": "_VLLM_MODELS of vllm/model_executor/models/registry.py, in the packages of each release on PyPI; models/**/modeling_*.py of transformers 4.48 to the newest that an image may hold: by the days of both packages and what vLLM requires; test/nightly/families/classes_by_vllm.py wrote it",',
            '  "since": "0.10.1",',
            f'  "generating": {json.dumps(GENERATING)},',
            f'  "pooling": {json.dumps(POOLING)},',
            f'  "own": [\n{lines(rows(releases, own, every))}\n  ],',
            f'  "ofTransformers": [\n{lines(rows(releases, others, wanted))}\n  ]',
            " },",
        ]
    )
    kept = re.sub(r'^ "classes": \{.*?^ \},\n', "", text, flags=re.DOTALL | re.MULTILINE)
    Path(path).write_text(kept.replace(' "arguments": [', f'{block}\n "arguments": [', 1))


main(*sys.argv[1:])

"""Leaves out the keys of vLLM's caches that a request names itself: vllm serve --middleware=cache_keys.CacheKeys, or within cache_salt.CacheSalt

A part of a prompt (image, sound, video, embeddings) may have a `uuid`, which vLLM takes for the hash of its content
(_parse_chat_message_content_part of renderers/chat_utils.py, get_mm_hashes of multimodal/processing/inputs.py, 0.32.0 and 0.33.0).
Processed media and the encoder's output lie under that hash for all requests, whatever their salt. A request with another's uuid, or with
the hash of another's image as its uuid, gets or plants a wrong image; one whose media differ in length ends the engine
(vllm-project/vllm#55439, #55547). Without it vLLM takes the hash of the content.

vLLM reads parts in lists alone, wherever the API has them: messages, items of Responses, outputs of tools, documents to be ranked.
"""

import re

from request_body import BodyChange, Refused

# What fields or types of such parts are called: image_url, input_audio, video_embeds.
MEDIA = re.compile("image|audio|video|embeds")


class CacheKeys(BodyChange):
    def change(self, request, scope):
        without_cache_keys(request)


def without_cache_keys(request):
    """Takes the keys out of the request, in place and without recursion: bodies may be deep."""
    features = request.get("features")
    if isinstance(features, dict) and "mm_hashes" in features:  # Of /inference/v1/generate, which needs them.
        raise Refused(400, "features are not offered: their mm_hashes are keys of caches that consumers share")
    pending = [request]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(inner for inner in value.values() if isinstance(inner, (dict, list)))
            continue
        for inner in value:
            if isinstance(inner, dict):
                if "uuid" in inner and is_medium(inner):
                    del inner["uuid"]
                pending.append(inner)
            elif isinstance(inner, list):
                pending.append(inner)


def is_medium(part):
    kind = part.get("type")
    names = (*part, kind) if isinstance(kind, str) else part
    return MEDIA.search(" ".join(names)) is not None

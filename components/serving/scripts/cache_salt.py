"""Keeps prompts of several consumers apart in vLLM's prefix cache: vllm serve --middleware=cache_salt.CacheSalt

Whoever shares a prefix cache with others learns from the time to the first token what they asked (CVE-2025-46570). vLLM
reuses blocks of its cache within the same `cache_salt` of a request alone (docs/design/prefix_caching.md). Every request
with a body gets one here that its caller cannot choose: a keyed hash of the consumer whom the gateway found to be calling.
Keys that callers give to images and other media know no salt, and are left out (cache_keys.py).

Environment:
  CACHE_SALT_KEY     file with the key; read again when it changes, so that a new key interrupts nothing
  CACHE_SALT_SHARED  JSON, consumers that share: [["web-app", "batch"], ...]
  CACHE_SALT_BEAMS   "refused" for a release whose beam search drops the salt (vLLM before 0.22.0)

A request of several consumers is refused. Forms (audio) have no such field.
"""

import base64
import hashlib
import hmac
import json
import os

from cache_keys import without_cache_keys
from request_body import BodyChange, Refused, close_websocket, consumer_of


class Key:
    """The key in a file, as it is now."""

    def __init__(self, path):
        self.path = path
        self.seen = None
        self.value = b""

    def read(self):
        stat = os.stat(self.path)
        if self.seen != (stat.st_mtime_ns, stat.st_ino):
            with open(self.path, "rb") as file:
                value = file.read().strip()
            if not value:
                raise ValueError(f"{self.path} is empty")
            self.value = value
            self.seen = (stat.st_mtime_ns, stat.st_ino)
        return self.value


def salt_of(key, group):
    """Letters, digits, - and _: vLLM takes at most 128 characters, and some signs not at all."""
    digest = hmac.new(key, group.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


class CacheSalt(BodyChange):
    def __init__(self, app):
        super().__init__(app)
        self.key = Key(os.environ["CACHE_SALT_KEY"])
        self.key.read()
        shared = json.loads(os.environ.get("CACHE_SALT_SHARED", "[]"))
        # A name with a space is refused below, so nobody is called like a group.
        self.groups = {name: "group " + " ".join(names) for names in shared for name in names}
        self.beams = os.environ.get("CACHE_SALT_BEAMS") != "refused"

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            # Its messages have no field for a salt.
            await close_websocket(receive, send)
            return
        await super().__call__(scope, receive, send)

    def change(self, request, scope):
        if not self.beams and request.get("use_beam_search") not in (None, False):
            raise Refused(400, "use_beam_search is not offered: this release shares its cache among consumers in a beam search")
        without_cache_keys(request)
        request["cache_salt"] = self.salt(scope)

    def salt(self, scope):
        consumer = consumer_of(scope)
        return salt_of(self.key.read(), self.groups.get(consumer, consumer))

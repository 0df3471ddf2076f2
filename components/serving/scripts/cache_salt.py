"""Keeps prompts of several consumers apart in vLLM's prefix cache: vllm serve --middleware=cache_salt.CacheSalt

Whoever shares a prefix cache with others learns from the time to the first token what they asked (CVE-2025-46570). vLLM
reuses blocks of its cache within the same `cache_salt` of a request alone (docs/design/prefix_caching.md). Every request
with a body gets one here that its caller cannot choose: a keyed hash of the consumer whom the gateway found to be calling.

Environment:
  CACHE_SALT_KEY     file with the key; read again when it changes, so that a new key interrupts nothing
  CACHE_SALT_SHARED  JSON, consumers that share: [["web-app", "batch"], ...]
  CACHE_SALT_BEAMS   "refused" for a release whose beam search drops the salt (vLLM before 0.22.0)

A body that cannot be read as JSON is refused, for vLLM might read it differently; so is one with several consumers.
"""

import base64
import hashlib
import hmac
import json
import os

# What vLLM itself takes (VLLM_HTTP_MAX_REQUEST_BODY_SIZE of 0.33.0), as the gateway does.
MAX_BODY_BYTES = 32 * 2**20
CONSUMER_HEADER = b"x-consumer-id"
METHODS = ("POST", "PUT", "PATCH")


class Refused(Exception):
    """A request that vLLM must not see; status, and a sentence for its caller."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


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


def salted(body, salt, beams=True):
    """The same JSON object with the salt, whatever it held there."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is no JSON that can be read") from None
    if not isinstance(request, dict):
        raise Refused(400, "the body is no JSON object")
    if not beams and request.get("use_beam_search") not in (None, False):
        raise Refused(400, "use_beam_search is not offered: this release shares its cache among consumers in a beam search")
    request["cache_salt"] = salt
    text = json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # Half a surrogate pair: only its escape can be sent.
        return json.dumps(request, separators=(",", ":")).encode()


class CacheSalt:
    """ASGI middleware. Everything but JSON bodies passes untouched."""

    def __init__(self, app):
        self.app = app
        self.key = Key(os.environ["CACHE_SALT_KEY"])
        self.key.read()
        shared = json.loads(os.environ.get("CACHE_SALT_SHARED", "[]"))
        # A name with a space is refused below, so nobody is called like a group.
        self.groups = {name: "group " + " ".join(names) for names in shared for name in names}
        self.beams = os.environ.get("CACHE_SALT_BEAMS") != "refused"

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] not in METHODS or not is_json(scope):
            await self.app(scope, receive, send)
            return
        try:
            body = await body_of(receive)
            if body is None:
                return
            body = salted(body, self.salt(scope), self.beams) if body else body
        except Refused as refusal:
            await refuse(send, refusal)
            return
        headers = [(name, value) for name, value in scope["headers"] if name not in (b"content-length", b"transfer-encoding")]
        headers.append((b"content-length", str(len(body)).encode()))
        await self.app({**scope, "headers": headers}, replayed(body, receive), send)

    def salt(self, scope):
        names = [value.decode("latin-1") for name, value in scope["headers"] if name == CONSUMER_HEADER]
        if len(names) > 1 or any(" " in name or "," in name for name in names):
            raise Refused(400, "a request has one consumer")
        consumer = names[0] if names else ""
        return salt_of(self.key.read(), self.groups.get(consumer, consumer))


def is_json(scope):
    """Forms (audio) have no such field. vLLM takes JSON under this name alone (entrypoints/utils of 0.33.0, validate_json_request)."""
    for name, value in scope["headers"]:
        if name == b"content-type":
            return not value.lower().startswith(b"multipart/form-data")
    return True


async def body_of(receive):
    """None: the caller left."""
    chunks, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > MAX_BODY_BYTES:
            raise Refused(413, f"a request has at most {MAX_BODY_BYTES} bytes")
        if not message.get("more_body", False):
            return b"".join(chunks)


def replayed(body, receive):
    """The body once, then whatever comes: that the caller leaves, above all."""
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message():
        return pending.pop() if pending else await receive()

    return next_message


async def refuse(send, refusal):
    error = {"message": str(refusal), "type": "invalid_request_error", "param": None, "code": refusal.status}
    body = json.dumps({"error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

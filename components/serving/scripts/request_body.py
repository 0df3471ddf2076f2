"""What a middleware of vLLM's API server needs to change the body of a request before vLLM reads it. ASGI."""

import json

# What vLLM itself takes (VLLM_HTTP_MAX_REQUEST_BODY_SIZE of 0.33.0), as the gateway does.
MAX_BODY_BYTES = 32 * 2**20
METHODS = ("POST", "PUT", "PATCH")


CONSUMER_HEADER = b"x-consumer-id"


class Refused(Exception):
    """A request that vLLM must not see; status, a sentence for its caller, and the error's code."""

    def __init__(self, status, text, code=None):
        super().__init__(text)
        self.status = status
        self.code = status if code is None else code


class BodyChange:
    """ASGI middleware: a body of JSON is read once, changed and written again. Everything else passes untouched.

    A body that cannot be read as JSON is refused, for vLLM might read it differently.
    """

    def __init__(self, app):
        self.app = app

    def change(self, request, scope):
        """Changes the mapping in place; raises Refused."""
        raise NotImplementedError

    async def form(self, scope, receive, send):
        """A body that is a form (audio)."""
        await self.app(scope, receive, send)

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] not in METHODS:
            await self.app(scope, receive, send)
            return
        try:
            if is_form(scope):
                await self.form(scope, receive, send)
                return
            body = await body_of(receive)
            if body is None:
                return
            if body:
                request = request_of(body)
                self.change(request, scope)
                body = text_of(request)
        except Refused as refusal:
            await refuse(send, refusal)
            return
        headers = [(name, value) for name, value in scope["headers"] if name not in (b"content-length", b"transfer-encoding")]
        headers.append((b"content-length", str(len(body)).encode()))
        await self.app({**scope, "headers": headers}, replayed(body, receive), send)


def consumer_of(scope):
    """Whom the gateway found to be calling; nobody: an empty name."""
    names = [value.decode("latin-1") for name, value in scope["headers"] if name == CONSUMER_HEADER]
    if len(names) > 1 or any(" " in name or "," in name for name in names):
        raise Refused(400, "a request has one consumer")
    return names[0] if names else ""


def is_form(scope):
    """vLLM takes JSON under its own name alone (entrypoints/utils of 0.33.0, validate_json_request)."""
    for name, value in scope["headers"]:
        if name == b"content-type":
            return value.lower().startswith(b"multipart/form-data")
    return False


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


def request_of(body):
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is no JSON that can be read") from None
    if not isinstance(request, dict):
        raise Refused(400, "the body is no JSON object")
    return request


def text_of(request):
    text = json.dumps(request, separators=(",", ":"), ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # Half a surrogate pair: only its escape can be sent.
        return json.dumps(request, separators=(",", ":")).encode()


def replayed(body, receive):
    """The body once, then whatever comes: that the caller leaves, above all."""
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message():
        return pending.pop() if pending else await receive()

    return next_message


async def close_websocket(receive, send):
    """Ends one that is opening, unsupported: its messages hold what no middleware reads."""
    await receive()
    await send({"type": "websocket.close", "code": 1003})


async def refuse(send, refusal):
    error = {"message": str(refusal), "type": "invalid_request_error", "param": None, "code": refusal.code}
    body = json.dumps({"error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

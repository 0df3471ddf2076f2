"""What vLLM's API server would read behind the middleware, as its answer: python echo.py <port> <module.Class>"""

import importlib
import json
import sys

import uvicorn


async def echo(scope, receive, send):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    answer = json.dumps({"body": body.decode("utf-8", "replace"), "headers": headers}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": answer})


module, _, name = sys.argv[2].rpartition(".")
middleware = getattr(importlib.import_module(module), name)
uvicorn.run(middleware(echo), host="127.0.0.1", port=int(sys.argv[1]), lifespan="off", log_level="warning")

"""Keeps clients from speaking to vLLM's cache connectors: vllm serve --middleware=connector_fields.ConnectorFields

`kv_transfer_params` and `ec_transfer_params` of a request say where a cache lies. vLLM hands them to the connector as they are, and
reads the same from `vllm_xargs` and from `sampling_params.extra_args`; an exception there ends the engine (v1/request.py and
distributed/kv_transfer/kv_connector/v1 of 0.32.0 and 0.33.0). Of such mappings the keys pass that vllm-request-fields.json lists,
which the prefill proxy reads too. Fields are left out without an error. Forms and WebSockets (audio) are refused: they have the field as text.
"""

import json
import os

from request_body import BodyChange, Refused, close_websocket

FIELDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vllm-request-fields.json")
SAYS_WHERE = ("kv_transfer_params", "ec_transfer_params")
# Each becomes, or is, the mapping that connectors are asked with.
MAPPINGS = ("vllm_xargs", "extra_args")


class ConnectorFields(BodyChange):
    def __init__(self, app):
        super().__init__(app)
        with open(FIELDS, encoding="utf-8") as file:
            self.passes = {key for key, treatment in json.load(file)["vllm_xargs"].items() if treatment == "pass"}

    def change(self, request, scope):
        self.clean(request)
        for inner in request.values():
            if isinstance(inner, dict):
                self.clean(inner)

    def clean(self, mapping):
        for name in SAYS_WHERE:
            mapping.pop(name, None)
        for name in MAPPINGS:
            if name in mapping:
                given = mapping.pop(name)
                kept = {key: value for key, value in given.items() if key in self.passes} if isinstance(given, dict) else {}
                if kept:
                    mapping[name] = kept

    async def form(self, scope, receive, send):
        raise Refused(415, "this model takes JSON alone")

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            await close_websocket(receive, send)
            return
        await super().__call__(scope, receive, send)

"""Keeps consumers to the names that they may call: vllm serve --middleware=model_names.ModelNames

One vLLM answers to a model's name and to those of its LoRA adapters, by the field `model` of the body. The gateway reads that field too
and refuses what a consumer may not name; but where JSON has a field twice, or in other letters, two parsers may read two names. Here
the name is read that vLLM gets.

Environment:
  MODEL_NAMES  JSON, consumers that are kept to some names: {"acme": ["acme-contracts"]}. Others may use any
"""

import json
import os

from request_body import BodyChange, Refused, close_websocket, consumer_of, refuse

# vLLM's SageMaker routes put it in the place of the body's model, after any middleware (entrypoints/sagemaker/api_router.py of 0.33.0).
ADAPTER_HEADER = b"x-amzn-sagemaker-adapter-identifier"


class ModelNames(BodyChange):
    def __init__(self, app):
        super().__init__(app)
        self.limits = json.loads(os.environ["MODEL_NAMES"])

    def change(self, request, scope):
        names = self.limits.get(consumer_of(scope))
        # Without the field vLLM takes the model itself.
        if names is not None and request.get("model") not in names:
            raise Refused(403, "this client may not use that model", "model_not_allowed")

    def limits_caller(self, scope):
        try:
            return consumer_of(scope) in self.limits
        except Refused:
            return True

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket" and self.limits_caller(scope):
            # Names its model in a message.
            await close_websocket(receive, send)
            return
        if scope["type"] == "http" and any(name == ADAPTER_HEADER for name, _ in scope["headers"]) and self.limits_caller(scope):
            await refuse(send, Refused(403, "this client names its model in the body alone", "model_not_allowed"))
            return
        await super().__call__(scope, receive, send)

    async def form(self, scope, receive, send):
        if consumer_of(scope) in self.limits:
            raise Refused(415, "this client sends JSON alone: a form's model is not read")
        await super().form(scope, receive, send)

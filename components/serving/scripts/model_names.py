"""Keeps consumers to the names that they may call: vllm serve --middleware=model_names.ModelNames

One vLLM answers to a model's name and to those of its LoRA adapters, by the field `model` of the body. The gateway reads that field too
and refuses what a consumer may not name; but where JSON has a field twice, or in other letters, two parsers may read two names. Here
the name is read that vLLM gets.

Environment:
  MODEL_NAMES  JSON, consumers that are kept to some names: {"acme": ["acme-contracts"]}. Others may use any
"""

import json
import os

from request_body import BodyChange, Refused, consumer_of


class ModelNames(BodyChange):
    def __init__(self, app):
        super().__init__(app)
        self.limits = json.loads(os.environ["MODEL_NAMES"])

    def change(self, request, scope):
        names = self.limits.get(consumer_of(scope))
        # Without the field vLLM takes the model itself.
        if names is not None and request.get("model") not in names:
            raise Refused(403, "this client may not use that model", "model_not_allowed")

    async def form(self, scope, receive, send):
        if consumer_of(scope) in self.limits:
            raise Refused(415, "this client sends JSON alone: a form's model is not read")
        await super().form(scope, receive, send)

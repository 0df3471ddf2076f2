"""In place of ray.serve.llm, whose engines need GPUs: an application of as many replicas, each on a GPU that Ray was told of."""

import os

from ray import serve


class Engine:
    async def __call__(self, request) -> str:
        """Whose answer it is: another one's after it was made anew."""
        return str(os.getpid())


def build_openai_app(args):
    (config,) = args["llm_configs"]
    return serve.deployment(
        Engine,
        ray_actor_options={"num_cpus": 0, "num_gpus": 1},
        max_ongoing_requests=100,
        **config["deployment_config"],
    ).bind()

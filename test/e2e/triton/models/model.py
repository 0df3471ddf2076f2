"""Stands for the code of TensorRT-LLM's llmapi form, which the image has: it reads model.yaml as that does, and streams."""
import json
import os
import time

import numpy as np
import triton_python_backend_utils as pb_utils


def read_yaml():
    with open(os.path.join(pb_utils.get_model_dir(), "model.yaml")) as file:
        return json.load(file)  # as the platform writes it


class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        told = read_yaml()["triton_config"]
        config.set_model_transaction_policy({"decoupled": told["decoupled"]})
        config.set_max_batch_size(told["max_batch_size"])
        return config

    def initialize(self, args):
        policy = json.loads(args["model_config"]).get("model_transaction_policy", {})
        self.decoupled = policy.get("decoupled", False)
        self.hung = []
        # A model loads for a while: the server lives before it is ready.
        time.sleep(2)

    def execute(self, requests):
        for request in requests:
            text = pb_utils.get_input_tensor_by_name(request, "text_input").as_numpy().item().decode()
            wanted = pb_utils.get_input_tensor_by_name(request, "sampling_param_max_tokens")
            count = 1 if wanted is None else int(wanted.as_numpy().item())
            sender = request.get_response_sender()
            if text == "hang":
                # As where the cards hang: the request is taken, and never answered.
                self.hung.append(sender)
                continue
            for index in range(count):
                tensor = pb_utils.Tensor("text_output", np.array([f"{text} {index}"], dtype=object))
                sender.send(pb_utils.InferenceResponse([tensor]))
                time.sleep(0.5)
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

"""A model of a user's own repository: a vector for a text, after half a second."""
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(0.5)
        answers = []
        for request in requests:
            text = pb_utils.get_input_tensor_by_name(request, "text").as_numpy().item()
            vector = np.array([len(text), 1], dtype=np.float32)
            answers.append(pb_utils.InferenceResponse([pb_utils.Tensor("vector", vector)]))
        return answers

/** TGI 3.0.1. A test checks every flag against the launcher's. */
import type * as kubernetes from "@pulumi/kubernetes";
import { TGI_PORT } from "../../engines/tgi";
import { tgiOptions } from "../../engines/tgi/options";
import type { ModelPlan } from "../../planner/types";
import { flags, words } from "./command-line";
import { variables } from "./pod-settings";

/** Without the image's script, which only refreshes the cache of the linker: that is root's to do. */
export const TGI_COMMAND = ["text-generation-launcher"];

const CACHE_FOLDER = "/cache";

/** All that it writes: sockets of its processes, and kernels that it compiles. */
export const TGI_FOLDERS = ["/tmp", CACHE_FOLDER];

/** What it admits before it answers 429, running and waiting ones together; its own default. */
const ADMITTED_REQUESTS = 128;

/** @param location folder of the weights. */
export function tgiArguments(model: ModelPlan, location: string): string[] {
  const { contextTokens } = model;
  return [
    ...flags({
      "--model-id": location,
      "--hostname": "0.0.0.0",
      "--port": TGI_PORT,
      "--num-shard": model.tensorParallel,
      "--dtype": model.loadAs?.dtype,
      "--cuda-memory-fraction": model.gpuMemoryUtilization,
      "--max-total-tokens": contextTokens,
      // A prompt must leave room for an answer, of one token at least.
      "--max-input-tokens": contextTokens - 1,
      // The plan counts one prompt of the whole context; some layouts of attention take none in pieces.
      "--max-batch-prefill-tokens": contextTokens,
      "--max-concurrent-requests": Math.max(ADMITTED_REQUESTS, model.concurrency),
      "--usage-stats": "off",
    }),
    ...Object.entries(model.args ?? {}).flatMap(([name, value]) =>
      words(name, value, tgiOptions.argumentNamed.get(name)),
    ),
  ];
}

export function tgiEnvironment(): kubernetes.types.input.core.v1.EnvVar[] {
  return variables({
    // Everything that is cached lies in one writable folder: the root file system is read-only.
    HOME: CACHE_FOLDER,
    HF_HOME: `${CACHE_FOLDER}/huggingface`,
    TRITON_CACHE_DIR: `${CACHE_FOLDER}/triton`,
    // PyTorch asks for the name of the user, and a numeric user has no entry in /etc/passwd.
    USER: "inference",
    // The weights are here: nothing may be fetched behind the model store's back.
    HF_HUB_OFFLINE: "1",
    HF_HUB_ENABLE_HF_TRANSFER: "0",
  });
}

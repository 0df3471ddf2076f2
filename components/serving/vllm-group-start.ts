/** Multi-node mode of vLLM, or Ray. */
import type * as kubernetes from "@pulumi/kubernetes";
import { vllmOwnSettings } from "../../engines/vllm/settings";
import { exchangeMemoryGiB } from "../../planner/pod-resources";
import type { ModelPlan } from "../../planner/types";
import { asMember } from "./group-member";
import { variables } from "./pod-settings";
import { type GroupRole, groupArguments, rayGroupArguments } from "./vllm-args";

/** Of the head's cluster state, which every node of it connects to (`ray start`). */
const RAY_PORT = 6379;
/**
 * On a node's network, avoids ports of kubelet and kube-proxy (10248 to 10256), which Ray's range
 * has (10002 to 19999, python/ray/scripts/scripts.py), and node ports (from 30000).
 */
const WORKER_PORTS = { min: 20_000, max: 28_999 } as const;
/** Objects are requests and answers; half is left to NCCL. */
const OBJECT_STORE_SHARE = 0.5;

export interface GroupStart {
  readonly command: readonly string[];
  readonly arguments: readonly string[];
  readonly environment: readonly kubernetes.types.input.core.v1.EnvVar[];
}

/** @param location folder of the weights, or their `s3://` URI when they are streamed. */
export function groupStart(model: ModelPlan, location: string, role: GroupRole): GroupStart {
  if (vllmOwnSettings(model).distributedExecutor !== "ray") {
    return {
      command: asMember(["vllm", "serve"]),
      arguments: groupArguments(model, location, role),
      environment: [],
    };
  }
  return {
    command: asMember(["/bin/bash", "-ec", role === "leader" ? LEADER : WORKER, "vllm-on-ray"]),
    arguments: role === "leader" ? rayGroupArguments(model, location) : [],
    environment: variables({
      RAY_PORT: String(RAY_PORT),
      RAY_OBJECT_STORE_BYTES: String(
        Math.floor(exchangeMemoryGiB(model.resources.gpus) * OBJECT_STORE_SHARE * 2 ** 30),
      ),
      ...(model.nodeLink?.hostNetwork && {
        RAY_PORTS: `--min-worker-port=${WORKER_PORTS.min} --max-worker-port=${WORKER_PORTS.max}`,
      }),
      RAY_USAGE_STATS_ENABLED: "0",
      POD_GPUS: String(model.resources.gpus),
      POD_CPUS: String(Math.floor(model.resources.cpu)),
    }),
  };
}

const START =
  'ray start --node-ip-address="$VLLM_HOST_IP" --num-gpus="$POD_GPUS" --num-cpus="$POD_CPUS" --object-store-memory="$RAY_OBJECT_STORE_BYTES" $RAY_PORTS';

/** The engine fails without all GPUs: wait for all nodes, up to the start-up probe. */
const LEADER = `
${START} --head --port="$RAY_PORT" --include-dashboard=false
until [ "$(python3 -c 'import ray; ray.init(address="auto", log_to_driver=False); print(sum(node["Alive"] for node in ray.nodes()))')" = "$LWS_GROUP_SIZE" ]; do
  sleep 5
done
exec vllm serve "$@"
`;

/** --block ends with Ray or the head; then the group restarts. */
const WORKER = `
until ray health-check --address "$LWS_LEADER_ADDRESS:$RAY_PORT"; do
  sleep 5
done
exec ${START} --address="$LWS_LEADER_ADDRESS:$RAY_PORT" --block
`;

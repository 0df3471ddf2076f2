import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { VLLM_PORT } from "../../engines/vllm";
import { vllmOwnSettings } from "../../engines/vllm/settings";
import { NIXL_STATE_LAYOUT } from "../../engines/vllm/state-transfer";
import { selectorLabels } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { RECEIVING } from "../../planner/gateway-limits";
import type { ModelPlan } from "../../planner/types";
import { type Connection, connect } from "../core/connections";
import type { HardenedContainer } from "../core/hardened-pod";
import { hashOf, jobScripts, scriptPath } from "../core/job-scripts";
import { PlatformComponent } from "../core/platform-component";
import { guaranteed } from "../core/resources";
import { inferenceNode } from "../node/inference-node";
import type { ModelEndpoint } from "./endpoint";
import { deploymentEndpoint, type EngineDeploymentArgs, engineDeployment } from "./engine-deployment";
import { modelNamespace } from "./model-namespace";
import { type ModelServer, type ModelServerArgs, serverName } from "./model-server";
import { modelWeights } from "./model-weights";
import { variables } from "./pod-settings";
import type { ProxyJob } from "./scripts/vllm-prefill-proxy";
import { vllmArguments, writtenFor } from "./vllm-args";
import { vllmFiles } from "./vllm-files";
import { type VllmPodArgs, vllmPod } from "./vllm-pod";
import { vllmProbes } from "./vllm-probes";
import { vllmWeights } from "./vllm-weights";

const APP = "vllm";
const SCRIPT = "vllm-prefill-proxy.ts";
const SCRIPT_FILES = [
  SCRIPT,
  "body-arrival.ts",
  "held-bytes.ts",
  "json-members.ts",
  "vllm-request.ts",
  "vllm-request-fields.json",
];
const PROXY_PORT = 8001;
/** What vLLM itself takes (VLLM_HTTP_MAX_REQUEST_BODY_SIZE of 0.33.0, envs.py), as of every other model. */
const MAX_BODY_BYTES = 32 * 2 ** 20;
/** 16 of the largest requests, 8 of one client; others must wait. */
const MAX_HELD_BYTES = 16 * MAX_BODY_BYTES;
/** Four times what it holds: Node, a copy of the current body, and unsent data. */
const PROXY_RESOURCES = { cpu: 0.5, memoryGiB: 2, ephemeralStorageGiB: 0.25 };
/** The gateway's limit for the first byte. */
const PREFILL_TIMEOUT_MS = 120_000;

type Role = "prefill" | "decode";

/** `kv_role` is informative; `recompute` continues an answer without its prefill pod. */
const TRANSFER: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
  prefill: { kv_connector: "NixlConnector", kv_role: "kv_producer", kv_load_failure_policy: "recompute" },
  decode: { kv_connector: "NixlConnector", kv_role: "kv_consumer", kv_load_failure_policy: "recompute" },
};

/** The model's prompts are read by other pods than those that write its answers. */
export function isSplit(model: ModelPlan): boolean {
  return vllmOwnSettings(model).prefillDecode !== undefined;
}

/**
 * Disaggregated prefill: each pod has the whole model. Clients reach decode pods, whose proxy calls
 * a prefill pod first.
 */
export class VllmSplit extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  static endpointOf(model: ModelPlan): ModelEndpoint {
    return { ...deploymentEndpoint(APP, model), ports: { openai: PROXY_PORT }, besideOthers: true };
  }

  static connectionsOf({ name }: ModelPlan): readonly Connection[] {
    const namespace = modelNamespaceName(name);
    const pods = (["prefill", "decode"] as const).map((role) => ({
      namespace,
      podLabels: selectorLabels(APP, instanceOf(name, role)),
    }));
    return [
      connect({
        name: `model-${name}-to-itself`,
        reason:
          "Prompts go to prefill pods and their cache to decode pods: UCX connects in both directions, on ports of its choice",
        from: pods,
        to: pods,
      }),
    ];
  }

  /** @throws Error when the model's source is in the model store, and there is none. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:VllmSplit", name, opts);
    const { model } = args;
    const { prefill, decode } = vllmOwnSettings(model).prefillDecode ?? { prefill: 1, decode: 1 };
    this.endpoint = VllmSplit.endpointOf(model);
    // Each kind replaces a pod of its own at a time.
    const namespace = modelNamespace(this.child("space"), { model, replaced: 2 }, this.childOptions());
    const { weights, ready } = modelWeights(
      (part) => this.child(part),
      args,
      namespace,
      vllmWeights,
      this.childOptions(),
    );
    const files = vllmFiles((part) => this.child(part), model, namespace, this.childOptions());
    const proxy = this.proxy(model, namespace);
    const serve = (
      role: Role,
      count: number,
      ports: { name: string; port: number },
      { node, ...more }: Pick<VllmPodArgs, "sidecar"> & Pick<EngineDeploymentArgs, "node">,
    ) =>
      engineDeployment(
        this.child(role),
        {
          model,
          node,
          ready,
          namespace,
          app: APP,
          instance: instanceOf(model.name, role),
          hash: hashOf([weights.hash, proxy.hash, ...files.map((each) => each.hash)]),
          replicas: { count },
          // The gateway balances requests over the pods that answer; the proxies leave that to the Service.
          headless: role === "decode",
          ports: [ports],
          pod: withVolume(
            vllmPod({
              ...args,
              ...more,
              weights,
              files,
              arguments: [
                ...vllmArguments(model, weights.location),
                ...writtenFor(model, { "kv-transfer-config": TRANSFER[role] }),
              ],
              // Where the others fetch what they need to reach its cache.
              environment: [
                { name: "VLLM_NIXL_SIDE_CHANNEL_HOST", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
                ...stateLayout(model),
              ],
              probes: vllmProbes(model),
            }),
            role === "decode" ? [proxy.volume] : [],
          ),
        },
        this.childOptions(),
      );
    serve("prefill", prefill, { name: "http", port: VLLM_PORT }, {});
    const node = inferenceNode(
      this.child("node"),
      { model, namespace, enginePort: PROXY_PORT, registrarKey: args.registrarKey },
      this.childOptions(),
    );
    serve("decode", decode, { name: "api", port: PROXY_PORT }, { sidecar: proxy, node });
    this.registerOutputs({ endpoint: this.endpoint });
  }

  /** A native sidecar: it starts before the engine, and stays until the engine has drained. */
  private proxy(model: ModelPlan, namespace: pulumi.Input<string>) {
    const scripts = jobScripts(
      this.child("proxy"),
      {
        namespace,
        name: "prefill-proxy",
        folder: "components/serving/scripts",
        files: SCRIPT_FILES,
        volume: "prefill-proxy",
      },
      this.childOptions(),
    );
    const host = serviceHost(instanceOf(model.name, "prefill"), modelNamespaceName(model.name));
    const job: ProxyJob = {
      port: PROXY_PORT,
      prefill: `http://${host}:${VLLM_PORT}`,
      decode: `http://127.0.0.1:${VLLM_PORT}`,
      maxBodyBytes: MAX_BODY_BYTES,
      maxHeldBytes: MAX_HELD_BYTES,
      // As the gateway asks of its clients: what it passes on is faster.
      arrival: { graceMs: RECEIVING.graceSeconds * 1000, bytesPerSecond: RECEIVING.bitsPerSecond / 8 },
      contextTokens: model.contextTokens,
      prefillTimeoutMs: PREFILL_TIMEOUT_MS,
    };
    const container: HardenedContainer = {
      name: "prefill-proxy",
      restartPolicy: "Always",
      image: image("node"),
      command: ["node", scriptPath(SCRIPT)],
      env: variables({ RUN: "prefill-proxy", PREFILL_PROXY: JSON.stringify(job) }),
      ports: [{ name: "api", containerPort: PROXY_PORT }],
      volumeMounts: [scripts.mount],
      writablePaths: ["/tmp"],
      resources: guaranteed(PROXY_RESOURCES),
      readinessProbe: { tcpSocket: { port: "api" }, periodSeconds: 5 },
    };
    return { container, resources: PROXY_RESOURCES, volume: scripts.volume, hash: hashOf([scripts.hash, job]) };
  }
}

/** Without it vLLM ends at start, where layers keep states. */
function stateLayout({
  keepsStates,
  env = {},
}: ModelPlan): readonly { readonly name: string; readonly value: string }[] {
  return keepsStates && env[NIXL_STATE_LAYOUT.name] === undefined ? [NIXL_STATE_LAYOUT] : [];
}

function withVolume(pod: ReturnType<typeof vllmPod>, volumes: NonNullable<typeof pod.volumes>): typeof pod {
  return { ...pod, volumes: [...(pod.volumes ?? []), ...volumes] };
}

function instanceOf(model: string, role: Role): string {
  return role === "decode" ? serverName(model) : `${serverName(model)}-prefill`;
}

import { type Engine, type SidecarResources, semanticVersionOf } from "../engine";
import { vllm } from "../vllm";
import { vllmCardVerdict } from "../vllm/card-verdict";
import { VLLM_BOUNDS } from "../vllm/histogram-bounds";
import { vllmHostMemory } from "../vllm/host-memory";
import { windowMargin } from "../vllm/memory/estimate";
import { vllmRequest } from "../vllm/memory/request";
import { vllmBatchLimits } from "../vllm/memory/scheduler-defaults";
import { asServed } from "../vllm/memory/served-model";
import { classFinding } from "../vllm/model-class";
import { vllmImageReuse } from "../vllm/prefix-reuse";
import { batchProblems, vllmContextLimit } from "../vllm/start-rules";
import { eightBits, vllmWeights } from "../vllm/weight-format";
import { rayOptions } from "./options";
import { onVllm, rayVersionProblems, toVllm, vllmVersionOf } from "./releases";
import { raySettings } from "./settings";

/** HTTP proxy port on each node; Ray Serve's default. */
export const SERVE_PORT = 8000;
/**
 * Metrics port of Ray's agent on each node, as set by KubeRay (constant.go, DefaultMetricsPort).
 */
export const METRICS_PORT = 8080;

/**
 * Head of a model's Ray cluster: state, dashboard, Serve controller and a proxy, no computation.
 * Sized as in KubeRay 1.6.0 config/samples/ray-service.llm-serve.yaml: 2 CPUs, 4 to 5 GiB.
 */
export const HEAD: SidecarResources = { cpu: 2, memoryGiB: 5, ephemeralStorageGiB: 10 };

/** Volume for cluster state, at most 192 MiB, in a log that is rewritten as it grows. */
export const STATE_GIB = 1;

/**
 * Ray Serve with its vLLM: a model is an application on its own Ray cluster, created by KubeRay.
 * Series are vLLM's, with `:` as `_` (vllm/v1/metrics/ray_wrappers.py of 0.22.0) and prefix `ray_`,
 * as in Ray's dashboards (serve_llm_dashboard_panels.py of ray 2.56.0; not inter-token latency and
 * preemptions).
 */
export const ray: Engine = {
  label: "Ray Serve",
  summary: "Ray Serve runs the vLLM in it on a Ray cluster of the model's own, on NVIDIA GPUs.",
  images: { nvidia: "ray-llm" },
  versionOf: semanticVersionOf,
  versionForm: {
    pattern: /^\d+\.\d+\.\d+$/,
    allowed: 'a full version of Ray in quotes, such as "2.56.0"',
    example: "2.56.0",
  },
  sources: vllm.sources,
  weightsFrom: vllm.weightsFrom,
  // Its API has no reranking (core/ingress/ingress.py of ray.llm 2.56.0, DEFAULT_ENDPOINTS).
  tasks: ["chat", "completion", "embedding"],
  formats: vllm.formats,
  options: rayOptions,
  settings: raySettings,
  // Variables of its vLLM.
  variablePrefix: vllm.variablePrefix,
  memoryFlags: vllm.memoryFlags,
  overridingFlags: vllm.overridingFlags,
  memoryByVersion: true,
  readFlags: vllm.readFlags,
  // A placement group keeps a replica on one node; use vLLM's multi-node mode otherwise.
  parallelism: { tensor: true, overNodes: false },
  kernelsOf: "vllm",
  batchLimits: (request) => vllmBatchLimits(vllmRequest(toVllm(request))),
  estimate: (request) => vllm.estimate(toVllm(request)),
  layoutProblems: vllm.layoutProblems,
  layoutFlags: vllm.layoutFlags,
  startFlags: vllm.startFlags,
  contextLimit: (architecture, version) => vllmContextLimit(architecture, vllmVersionOf(version)),
  versionProblems: rayVersionProblems,
  modelClass: (model) => classFinding(onVllm(model)),
  startProblems: (request) => batchProblems(vllmRequest(toVllm(request))),
  lackOfMemory: vllm.lackOfMemory,
  served: (request) => asServed(vllmRequest(toVllm(request))),
  windowMargin: (request) => windowMargin(vllmRequest(toVllm(request))),
  weights: (model) => vllmWeights(onVllm(model)),
  savings: (model) => eightBits(onVllm(model)),
  cardVerdict: (model, card) => vllmCardVerdict(onVllm(model), card),
  cardsByVersion: true,
  hostMemory: (model, pod) => vllmHostMemory(onVllm(model), pod),
  preallocatesGpuMemory: true,
  noTimeSlicing:
    "it is unknown how Ray counts time-sliced GPUs, and whether each vLLM in it keeps to its planned share of the card",
  // vLLM's time, plus a minute for head, workers, Serve controller and application.
  warmUpSeconds: vllm.warmUpSeconds + 60,
  // Raylet, Ray's agents, HTTP proxy and one API replica; the API takes one CPU, vLLM's driver
  // another.
  sidecar: { cpu: 1, memoryGiB: 2, ephemeralStorageGiB: 0 },
  companion: HEAD,
  stateGiB: STATE_GIB,
  // The RayService's upgradeStrategy NewCluster.
  replacesBeside: "KubeRay",
  noNodes: "its operator, KubeRay, makes the pods and the Services in front of them, which know Ray's ports alone",
  // Its custom resource definition has only the status subresource (KubeRay v1.6.0,
  // config/crd/bases/ray.io_rayservices.yaml).
  noScaling:
    "because a RayService has no scale subresource, where an autoscaler would write how many replicas there are",
  // Its vLLM supports the field, but Ray's pods cannot set it.
  chatFormats: vllm.chatFormats,
  reusesImages: vllmImageReuse,
  prefixReuse: ({ args }) => (args?.["enable-prefix-caching"] === false ? "none" : "shared"),
  ports: { openai: SERVE_PORT },
  health: { alive: "/-/healthz", ready: "/v1/models" },
  metrics: {
    port: METRICS_PORT,
    path: "/metrics",
    bounds: VLLM_BOUNDS,
    series: {
      requestsWaiting: "ray_vllm_num_requests_waiting",
      requestsRunning: "ray_vllm_num_requests_running",
      kvCacheUsage: "ray_vllm_kv_cache_usage_perc",
      timeToFirstTokenSeconds: "ray_vllm_time_to_first_token_seconds",
      interTokenSeconds: "ray_vllm_inter_token_latency_seconds",
      meanTokenSeconds: "ray_vllm_request_time_per_output_token_seconds",
      latencySeconds: "ray_vllm_e2e_request_latency_seconds",
      promptTokensTotal: "ray_vllm_prompt_tokens_total",
      generatedTokensTotal: "ray_vllm_generation_tokens_total",
      requestsTotal: "ray_vllm_request_success_total",
      preemptionsTotal: "ray_vllm_num_preemptions_total",
    },
  },
};

import { gpuClaimedOnce } from "../../../policies/rules/gpu-claimed-once";
import { container, deployment, gpuContainer, HOMES, object, podSpec, policyCases, UNKNOWN, workload } from "../cases";

const limitsOnly = (limits: object, requests: object = {}) => container({ resources: { limits, requests } });
const withClaim = (name: string) => container({ name, resources: { claims: [{ name: "gpu" }] } });
const visible = (value: string) =>
  deployment(podSpec({ containers: [container({ env: [{ name: "NVIDIA_VISIBLE_DEVICES", value }] })] }));
const twice = podSpec({ containers: [gpuContainer(), gpuContainer("1", { name: "sidecar" })] });
const mounting = (mountPath: string) =>
  deployment(podSpec({ containers: [container({ volumeMounts: [{ name: "a", mountPath }] })] }));
const fromMap = { name: "NVIDIA_VISIBLE_DEVICES", valueFrom: { configMapKeyRef: { name: "a", key: "b" } } };
const claim = (request: object) => ({ devices: { requests: [{ name: "gpu", ...request }] } });
const claiming = (kind: string, spec: object) =>
  object("resource.k8s.io/v1", kind, { spec }, { namespace: "model-chat" });

policyCases(gpuClaimedOnce, [
  [
    "one container claims GPUs, another none",
    [deployment(podSpec({ containers: [gpuContainer("2"), container({ name: "proxy" })] }))],
    "pass",
  ],
  ["limits only", [deployment(podSpec({ containers: [limitsOnly({ "amd.com/gpu": 1 })] }))], "pass"],
  [
    "zero GPUs is no claim",
    [deployment(podSpec({ containers: [gpuContainer(), gpuContainer("0", { name: "idle" })] }))],
    "pass",
  ],
  ["no pod", [], "pass"],
  [
    "GPUs by an annotation",
    [deployment(podSpec(), { annotations: { "cdi.k8s.io/gpu": "nvidia.com/gpu=all" } })],
    ["all"],
  ],
  ["another annotation", [deployment(podSpec(), { annotations: { "acme.io/gpu": "all" } })], "pass"],
  ["GPUs by a mount", [mounting("/var/run/nvidia-container-devices/all")], ["mountPath is"]],
  ["another mount", [mounting("/var/run/nvidia")], "pass"],
  [
    "GPUs by a variable from elsewhere",
    [deployment(podSpec({ containers: [container({ env: [fromMap] })] }))],
    ["env[0].valueFrom"],
  ],
  ["a claim", [claiming("ResourceClaim", claim({ exactly: { deviceClassName: "gpu" } }))], "pass"],
  ["a claim of others' GPUs", [claiming("ResourceClaim", claim({ exactly: { adminAccess: true } }))], ["is true"]],
  [
    "claims of others' GPUs",
    [claiming("ResourceClaimTemplate", { spec: claim({ adminAccess: true }) })],
    ["spec.spec.devices.requests[0].adminAccess is true"],
  ],
  [
    "a sidecar claims them again",
    [deployment(twice)],
    [
      'Deployment "model-chat/chat": spec.template.spec.containers[1].resources.limits["nvidia.com/gpu"] claims GPUs a second time (engine, sidecar)',
    ],
  ],
  [
    "an init container claims them too",
    [deployment(podSpec({ initContainers: [gpuContainer("1", { name: "warm-up" })], containers: [gpuContainer()] }))],
    ["(warm-up, engine)"],
  ],
  [
    "requests without limits",
    [deployment(podSpec({ containers: [limitsOnly({}, { "nvidia.com/gpu": "1" })] }))],
    ["is not set"],
  ],
  ["half a GPU", [deployment(podSpec({ containers: [gpuContainer("0.5")] }))], ['is "0.5"; allowed: a whole number']],
  [
    "unequal",
    [deployment(podSpec({ containers: [limitsOnly({ "nvidia.com/gpu": 2 }, { "nvidia.com/gpu": 1 })] }))],
    ["is 1; allowed: 2, as in limits"],
  ],
  [
    "MIG slices count as GPUs",
    [deployment(podSpec({ containers: [limitsOnly({ "nvidia.com/mig-1g.10gb": "1.5" })] }))],
    ["mig-1g.10gb"],
  ],
  [
    "two containers with a device claim",
    [
      deployment(
        podSpec({ containers: [withClaim("engine"), withClaim("sidecar")], resourceClaims: [{ name: "gpu" }] }),
      ),
    ],
    ["containers[1].resources.claims claims devices a second time"],
  ],
  [
    "a device claim beside whole GPUs",
    [deployment(podSpec({ containers: [gpuContainer(), withClaim("sidecar")] }))],
    ["containers[1].resources.claims claims devices a second time"],
  ],
  ["one device claim", [deployment(podSpec({ containers: [withClaim("engine")] }))], "pass"],
  ["GPUs that nobody claimed", [visible("all")], ['env[0].value is "all"; allowed: void, none or nothing']],
  ["no GPUs on purpose", [visible("void")], "pass"],
  ["unknown number", [deployment(podSpec({ containers: [gpuContainer(UNKNOWN)] }))], "unknown"],
  ["unknown template", [workload("apps/v1", "Deployment", { template: UNKNOWN })], "unknown"],
  ...Object.entries(HOMES).map(
    ([kind, home]) => [`claimed twice in a ${kind}`, [home({ spec: twice })], ["claims GPUs a second time"]] as const,
  ),
]);

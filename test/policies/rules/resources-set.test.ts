import { resourcesSet } from "../../../policies/rules/resources-set";
import { container, deployment, podSpec, policyCases, UNKNOWN } from "../cases";

const requests = { cpu: "100m", memory: "64Mi", "ephemeral-storage": "1Gi" };
const limits = { cpu: "1", memory: "64Mi" };
const pod = (resources: unknown) => [deployment(podSpec({ containers: [container({ resources })] }))];

policyCases(resourcesSet, [
  ["all set", pod({ requests, limits }), "pass"],
  ["no CPU limit", pod({ requests, limits: { memory: "64Mi" } }), ["resources.limits.cpu is not set"]],
  [
    "no ephemeral storage",
    pod({ requests: { cpu: "1", memory: "1Gi" }, limits }),
    ["resources.requests.ephemeral-storage is not set"],
  ],
  [
    "nothing",
    pod(undefined),
    ["requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory"],
  ],
  [
    "init containers too",
    [deployment(podSpec({ initContainers: [container({ resources: { requests } })] }))],
    ["initContainers[0].resources.limits.cpu", "initContainers[0].resources.limits.memory"],
  ],
  ["unknown quantity", pod({ requests: { ...requests, memory: UNKNOWN }, limits }), "unknown"],
  ["unknown resources", pod(UNKNOWN), "unknown"],
]);

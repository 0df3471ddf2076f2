import { UNCERTIFIED } from "../../../planner/fabric-gate";

/** Taints of a node that is not certified yet. */
export const TAINTS = [
  { key: "nvidia.com/gpu", effect: "NoSchedule" },
  { key: "dedicated", value: "inference", effect: "NoSchedule" },
  UNCERTIFIED,
];

/** A patch of the taints of a node. */
export function taints(...wanted: readonly object[]): object {
  return { spec: { taints: wanted } };
}

/** Changes of a node that a certifier must not make. */
export const REFUSED: readonly (readonly [what: string, change: object])[] = [
  ["another taint taken away", taints(UNCERTIFIED, { key: "dedicated", value: "inference", effect: "NoSchedule" })],
  ["a taint added", taints(...TAINTS, { key: "mine", effect: "NoExecute" })],
  ["all taints taken away", { spec: { taints: null } }],
  ["its own taint changed", taints(...TAINTS.slice(0, 2), { ...UNCERTIFIED, value: "x" })],
  ["its own taint taken away, another with it", taints(...TAINTS.slice(0, 1))],
  ["a label", { metadata: { labels: { "node-role.kubernetes.io/control-plane": "" } } }],
  ["a label taken away", { metadata: { labels: { "kubernetes.io/hostname": null } } }],
  ["cordon", { spec: { unschedulable: true } }],
  ["another annotation", { metadata: { annotations: { "example.com/mine": "x" } } }],
  ["a finalizer", { metadata: { finalizers: ["example.com/mine"] } }],
  ["the provider's name of the machine", { spec: { providerID: "oci://mine" } }],
];

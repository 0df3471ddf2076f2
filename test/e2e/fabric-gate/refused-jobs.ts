import type { KubernetesObject } from "../../../kubernetes/object";

export interface Job extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly template: {
      readonly metadata: object & { readonly labels?: object };
      readonly spec: object & { readonly containers: readonly object[]; readonly volumes: readonly object[] };
    };
  };
}

export const pod = (job: Job, change: object): Job => {
  const { template } = job.spec;
  return { ...job, spec: { ...job.spec, template: { ...template, spec: { ...template.spec, ...change } } } };
};
const container = (job: Job, change: object): Job => {
  const { containers } = job.spec.template.spec;
  return pod(job, { containers: containers.map((each) => ({ ...each, ...change })) });
};
const ofPods = (job: Job, change: object): Job => {
  const { template } = job.spec;
  return { ...job, spec: { ...job.spec, template: { ...template, metadata: { ...template.metadata, ...change } } } };
};
const labelled = (job: Job, labels: Readonly<Record<string, string>>): Job => {
  return { ...job, metadata: { ...job.metadata, labels } };
};

/** Changes of a trial after which a certifier must not create it. */
export const JOBS: readonly (readonly [what: string, change: (job: Job) => Job])[] = [
  ["another image", (job) => container(job, { image: "registry.example.com/mine:1" })],
  ["another command", (job) => container(job, { command: ["/bin/sh", "-c", "id"] })],
  ["another variable", (job) => container(job, { env: [{ name: "TRIAL_BINARY", value: "/tmp/mine" }] })],
  ["privilege", (job) => container(job, { securityContext: { privileged: true } })],
  ["one container more", (job) => pod(job, { initContainers: [{ name: "mine", image: "registry.example.com/a:1" }] })],
  [
    "a path of the host",
    (job) => pod(job, { volumes: [...job.spec.template.spec.volumes, { name: "root", hostPath: { path: "/" } }] }),
  ],
  ["the host's processes", (job) => pod(job, { hostPID: true })],
  ["a node without the scheduler", (job) => pod(job, { nodeName: "h100-0" })],
  ["the place of models", (job) => pod(job, { priorityClassName: "system-node-critical" })],
  ["any node", (job) => pod(job, { nodeSelector: {}, tolerations: [{ operator: "Exists" }] })],
  ["its own account", (job) => pod(job, { serviceAccountName: "certifier", automountServiceAccountToken: true })],
  [
    "labels that let it through to the API",
    (job) =>
      ofPods(job, { labels: { ...job.spec.template.metadata.labels, "app.kubernetes.io/name": "fabric-certifier" } }),
  ],
  ["other networks", (job) => ofPods(job, { annotations: { "k8s.v1.cni.cncf.io/networks": "default/mine" } })],
  ["a hundred pods", (job) => ({ ...job, spec: { ...job.spec, parallelism: 100, completions: 100 } })],
  ["the label of no pool", (job) => labelled(job, { ...job.metadata.labels, "inference-stacks.io/pool": "mine" })],
  ["no such label", (job) => labelled(job, { mine: "x" })],
];

/** Controllers before the objects that they admit and act on, and what these objects need of one another. */
import { groupOf } from "../../../kubernetes/object";
import { podsOf, type RecordedObject } from "../../harness/recorded-objects";
import { answers, namedServices, podSpecs, variable } from "../../render/argo-cd/facts";
import { field, list, text, texts } from "../../render/argo-cd/fields";
import { CRD_CHARTS } from "../../render/argo-cd/health";
import { type OrderedProgram, type OrderRule, pairsOf } from "./program";

/** Charts, by release, that admit, default or act on a group's kinds, in addition to the one with the CRDs. */
const CONTROLLERS: readonly (readonly [group: string, release: string])[] = [
  ["gateway.networking.k8s.io", "ai-gateway"],
  ["aigateway.envoyproxy.io", "ai-gateway"],
  ["aigateway.envoyproxy.io", "envoy-gateway"],
  ["security.istio.io", "istiod"],
  ["networking.istio.io", "istiod"],
  ["karpenter.sh", "karpenter"],
  ["karpenter.k8s.aws", "karpenter"],
];

/** Charts that bring objects of a kind, or watch them, by release: the chart with the CRDs goes first. */
const CHARTS_AFTER: readonly (readonly [release: string, first: string])[] = [
  ["cert-manager", "envoy-gateway"],
  ["ai-gateway", "envoy-gateway"],
  ["ai-gateway", "cert-manager"],
  ["keda", "cert-manager"],
  ["metrics", "prometheus-operator-crds"],
  ["karpenter", "karpenter-crd"],
  ["istiod", "istio-base"],
  ["ztunnel", "istio-base"],
];

/** Interfaces with EFA, as pods ask for them. */
const EFA = /^vpc\.amazonaws\.com\/efa$/;

export const CONTROLLER_RULES: readonly OrderRule[] = [
  {
    rule: "custom resources after the charts with their CRDs, webhooks and controllers: the API server would refuse them",
    pairs: (program) =>
      pairsOf(program.objects, ({ apiVersion }) => {
        const charts = [...CRD_CHARTS, ...CONTROLLERS].filter(([group]) => group === groupOf(apiVersion));
        return charts.flatMap(([, release]) => releases(program, release));
      }),
  },
  {
    rule: "charts after those whose kinds they use: their objects would be refused, or not watched",
    pairs: (program) =>
      pairsOf(program.ofKind("Release"), ({ name }) =>
        CHARTS_AFTER.filter(([release]) => release === name).flatMap(([, first]) => releases(program, first)),
      ),
  },
  {
    rule: "autoscalers after what they scale and ask: KEDA would take unanswered questions for lost signals",
    pairs: (program) =>
      pairsOf(program.ofKind("ScaledObject", "HorizontalPodAutoscaler"), ({ inputs, namespace }) => [
        ...releases(program, "metrics"),
        ...program.objects.filter(
          (target) =>
            target.namespace === namespace &&
            target.kind === (text(inputs, "spec", "scaleTargetRef", "kind") ?? "Deployment") &&
            target.name === text(inputs, "spec", "scaleTargetRef", "name"),
        ),
      ]),
  },
  {
    rule: "Karpenter's pools after their node classes, and pods of a pool after it: they would find no node",
    pairs: (program) => [
      ...pairsOf(program.ofKind("NodePool"), ({ inputs }) =>
        program
          .ofKind("EC2NodeClass")
          .filter(({ name }) => name === text(inputs, "spec", "template", "spec", "nodeClassRef", "name")),
      ),
      ...pairsOf(modelServers(program), () => program.ofKind("NodePool")),
    ],
  },
  {
    rule: "models on GPUs after the software that makes nodes offer them: they would wait, and time out",
    pairs: (program) =>
      pairsOf(
        modelServers(program).filter(({ inputs }) => asksFor(inputs, /^(nvidia|amd)\.com\/gpu/)),
        ({ inputs }) =>
          releases(program, "gpu-operator", "amd-gpu", ...(asksFor(inputs, EFA) ? ["aws-efa-k8s-device-plugin"] : [])),
      ),
  },
  {
    rule: "models on RDMA devices after these devices and the trial of their network: they would run over TCP, or hang",
    pairs: (program) =>
      pairsOf(
        modelServers(program).filter(
          ({ inputs }) => asksFor(inputs, EFA) || texts(inputs).some((value) => value.includes("rdma-vf")),
        ),
        () => [
          ...program.objects.filter(({ apiVersion }) => groupOf(apiVersion) === "sriovnetwork.openshift.io"),
          ...program.ofKind("Job").filter(({ namespace }) => namespace === "fabric-gate"),
        ],
      ),
  },
  {
    rule: "network devices after their operators are up: their kinds would be unknown",
    pairs: (program) =>
      pairsOf(
        program.objects.filter(({ apiVersion }) =>
          ["sriovnetwork.openshift.io", "nv-ipam.nvidia.com"].includes(groupOf(apiVersion)),
        ),
        () => program.ofKind("Job").filter(({ namespace }) => namespace === "rdma-devices"),
      ),
  },
  {
    rule: "trials of the RDMA network after its devices, and what starts them after their template",
    pairs: (program) => {
      const gate = program.runners.filter(({ namespace }) => namespace === "fabric-gate");
      return pairsOf(gate, ({ kind }) => [
        ...program.objects.filter(({ apiVersion }) => groupOf(apiVersion) === "sriovnetwork.openshift.io"),
        ...(kind === "Job" ? gate.filter(({ name }) => name.startsWith("trial-")) : []),
      ]);
    },
  },
  {
    rule: "Jobs after the servers that they call: they would fail, and be tried again a few times only",
    pairs: (program) =>
      pairsOf(program.ofKind("Job"), (job) => {
        const called = namedServices(podsOf(job));
        return program
          .ofKind("Service")
          .filter(({ name, namespace }) => called.includes(answers(name, namespace)))
          .flatMap((service) => workloadsBehind(program, service));
      }),
  },
  {
    rule: "what uses the model store after its users and policies are set up: its keys would be refused",
    pairs: (program) =>
      pairsOf(
        program.runners.filter(
          ({ namespace, kind }) => namespace === "model-store" && ["Job", "Deployment"].includes(kind),
        ),
        (user) =>
          user.name === "provisioning"
            ? program.ofKind("StatefulSet").filter(({ namespace }) => namespace === "model-store")
            : program.ofKind("Job").filter(({ name }) => name === "provisioning"),
      ),
  },
  {
    rule: "models after the copy of their weights into the store: they would restart until these are there",
    pairs: (program) =>
      pairsOf(modelServers(program), ({ inputs }) => {
        const fetched = prefixOf(inputs, "initContainers");
        return program
          .ofKind("Job")
          .filter((job) => job.namespace === "model-store" && fetched !== undefined)
          .filter((job) => prefixOf(job.inputs, "containers") === fetched);
      }),
  },
];

function workloadsBehind(program: OrderedProgram, { namespace, inputs }: RecordedObject): RecordedObject[] {
  const selected = Object.entries(field(inputs, "spec", "selector") ?? {});
  return program.objects.filter(
    (object) =>
      object.namespace === namespace &&
      podsOf(object).some(({ labels }) => selected.every(([label, value]) => labels[label] === value)),
  );
}

function releases(program: OrderedProgram, ...names: readonly string[]): RecordedObject[] {
  return program.ofKind("Release").filter(({ name }) => names.includes(name));
}

/** Workloads of models. */
function modelServers(program: OrderedProgram): RecordedObject[] {
  return program.objects.filter((object) => object.namespace.startsWith("model-") && isServer(object));
}

function isServer(object: RecordedObject): boolean {
  return !["model-store", "model-control"].includes(object.namespace) && podsOf(object).length > 0;
}

function asksFor(value: unknown, resource: RegExp): boolean {
  return podSpecs(value)
    .flatMap((pod) => list(pod, "containers"))
    .some((container) => Object.keys(field(container, "resources", "limits") ?? {}).some((key) => resource.test(key)));
}

/** Where in the store a workload's weights are. */
function prefixOf(value: unknown, containers: "containers" | "initContainers"): string | undefined {
  return variable(
    podSpecs(value).flatMap((pod) => list(pod, containers)),
    "PREFIX",
  );
}

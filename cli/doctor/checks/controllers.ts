import { someOf } from "../../cluster/foreign-text";
import type { ClusterFacts, NamedFact, WorkloadFact } from "../facts";
import type { Needs, ReleaseNeed } from "../needs";
import { type Check, failed, judged, passed, type Subject, type Verdict, warning } from "./check";

/** Software of which a cluster has one. */
interface Product {
  readonly title: string;
  /** The platform's catalogue chart. */
  readonly chart: string;
  /** Controller image in any registry. */
  readonly image: RegExp;
  /** Groups of its custom resources, or CRD names in a shared group. */
  readonly groups: readonly string[];
  /** Chart with CRDs as templates: Helm refuses to adopt existing ones. */
  readonly crdChart?: string;
  /** Setting that makes the platform use what is there. */
  readonly present?: { readonly setting: string; readonly note: string };
  /** Another setting by which both can be there. */
  readonly setting?: string;
}

/** How charts bring CRDs: `crdNotes` of catalog/charts.json. */
export const PRODUCTS: readonly Product[] = [
  {
    title: "cert-manager",
    chart: "cert-manager",
    image: /cert-manager-controller(:|@|$)/,
    groups: ["cert-manager.io"],
    crdChart: "cert-manager",
    present: { setting: "certManager: present under inference-stacks:cluster", note: "it must be 1.15 or later" },
  },
  {
    title: "Envoy Gateway",
    chart: "gateway-helm",
    image: /envoyproxy\/gateway(:|@|$)/,
    groups: ["gateway.envoyproxy.io"],
    present: {
      setting: "controller: {namespace: …} under inference-stacks:gateway",
      note: "docs/existing-envoy-gateway.md",
    },
  },
  {
    title: "Envoy AI Gateway",
    chart: "ai-gateway-helm",
    image: /ai-gateway-controller(:|@|$)/,
    groups: ["aigateway.envoyproxy.io"],
    crdChart: "ai-gateway-crds-helm",
  },
  {
    title: "Prometheus Operator",
    chart: "kube-prometheus-stack",
    image: /prometheus-operator(:|@|$)/,
    groups: ["monitoring.coreos.com"],
    crdChart: "prometheus-operator-crds",
    present: {
      setting: "prometheus: present under inference-stacks:observability",
      note: "docs/existing-prometheus.md",
    },
  },
  {
    title: "Istio",
    chart: "istio-istiod",
    image: /\/pilot(:|@|$)/,
    groups: ["istio.io"],
    crdChart: "istio-base",
  },
  {
    title: "KEDA",
    chart: "keda",
    image: /kedacore\/keda(:|@|$)/,
    groups: ["keda.sh"],
    crdChart: "keda",
    setting:
      "or let it be: write scaling: {by: hpa} under each model that scales, where an adapter serves external metrics",
  },
  {
    title: "Karpenter",
    chart: "karpenter",
    image: /karpenter\/controller(:|@|$)/,
    groups: ["karpenter.sh", "karpenter.k8s.aws"],
    crdChart: "karpenter-crd",
  },
  {
    title: "Calico",
    chart: "calico-crds",
    image: /calico\/kube-controllers(:|@|$)|tigera\/operator(:|@|$)/,
    groups: ["crd.projectcalico.org", "operator.tigera.io", "clusternetworkpolicies.policy.networking.k8s.io"],
    crdChart: "calico-crds",
  },
  {
    title: "Argo CD",
    chart: "argo-cd",
    image: /argoproj\/argocd(:|@|$)/,
    // Other Argo projects share the group.
    groups: ["applications.argoproj.io", "applicationsets.argoproj.io", "appprojects.argoproj.io"],
    crdChart: "argo-cd",
  },
  { title: "LeaderWorkerSet", chart: "lws", image: /\/lws(:|@|$)/, groups: ["leaderworkerset.x-k8s.io"] },
  { title: "KubeRay", chart: "kuberay-operator", image: /kuberay\/operator(:|@|$)/, groups: ["ray.io"] },
];

/** Two would reconcile the same objects. */
export const controllers: Check = (facts, needs) =>
  PRODUCTS.flatMap((product) => {
    const release = needs.releases.find(({ chart }) => chart === product.chart);
    const mustExist = needs.present.includes(product.chart);
    if (!release && !mustExist) {
      return [];
    }
    const subject: Subject = {
      check: "controller",
      title: product.title,
      needed: mustExist
        ? `one, for the environment has ${product.present?.setting}`
        : "none of others: the platform installs its own",
    };
    return [
      judged(subject, running(facts, product), ({ ours, others }) => {
        if (mustExist) {
          return presentVerdict(others, facts, product);
        }
        return others.length > 0
          ? foreignVerdict(others, product)
          : leftVerdict(ours.length > 0, facts, needs, product);
      }),
    ];
  });

/** Controllers by owner: the platform labels its namespaces. */
export function running({ deployments, ownNamespaces }: ClusterFacts, { image }: Pick<Product, "image">) {
  if (!deployments.known) {
    return deployments;
  }
  if (!ownNamespaces.known) {
    return ownNamespaces;
  }
  const own = new Set(ownNamespaces.value.map(({ name }) => name));
  const all = deployments.value.filter(({ containers }) => containers.some((container) => image.test(container.image)));
  return {
    known: true as const,
    value: {
      ours: all.filter(({ namespace }) => own.has(namespace)),
      others: all.filter(({ namespace }) => !own.has(namespace)),
    },
  };
}

function presentVerdict(
  others: readonly WorkloadFact[],
  { definitions }: ClusterFacts,
  { groups, present }: Product,
): Verdict {
  if (others.length > 0) {
    return passed(namesOf(others));
  }
  const hasKinds = definitions.known && definitions.value.some((definition) => isOf(definition, groups));
  return hasKinds
    ? warning(
        "its CRDs are there, and no controller that doctor knows",
        "make sure that it runs: kubectl get deployments -A",
      )
    : failed("there is none", `install it, or remove ${present?.setting}: the platform then installs its own`);
}

/** Settings with which another's controller may stay. */
function settingsOf({ present, setting }: Product): string[] {
  return [
    ...(present === undefined ? [] : [`write ${present.setting} (${present.note})`]),
    ...(setting === undefined ? [] : [setting]),
  ];
}

function foreignVerdict(others: readonly WorkloadFact[], product: Product): Verdict {
  const owner = others[0];
  const release = owner?.annotations["meta.helm.sh/release-name"];
  const uninstall =
    release === undefined
      ? `remove it: kubectl -n ${owner?.namespace} delete deployment ${owner?.name}, and what came with it`
      : `remove it: helm uninstall ${release} -n ${owner?.namespace}`;
  return failed(
    `${namesOf(others)}, not the platform's`,
    ...settingsOf(product),
    uninstall,
    `or take another cluster: two of ${product.title} would fight over the same objects`,
  );
}

/** CRDs outlive their controllers. */
function leftVerdict(runs: boolean, { definitions }: ClusterFacts, { releases }: Needs, product: Product): Verdict {
  if (!definitions.known) {
    return { status: "unknown", found: `no controller; its CRDs are not known: ${definitions.reason}` };
  }
  const { groups, crdChart } = product;
  const left = definitions.value.filter((definition) => isOf(definition, groups));
  if (left.length === 0) {
    return passed("none yet");
  }
  const crds = releases.find(({ chart }) => chart === crdChart);
  const foreign =
    crds === undefined || crds.byArgoCd === true ? [] : left.filter((definition) => !belongsTo(definition, crds));
  if (crds !== undefined && foreign.length > 0) {
    return failed(
      `CRDs that its chart did not make: ${someOf(foreign.map(({ name }) => name))}`,
      `Helm would refuse them. Where whatever made them is gone, this has Helm take them over and upgrade them with their objects, which pulumi destroy then deletes: ${adoption(groups, crds)}`,
      `where nothing uses them: kubectl delete crd ${foreign[0]?.name} (and the others of ${groups.join(", ")}); their objects go with them`,
      ...settingsOf(product),
    );
  }
  if (runs) {
    return passed("the platform's own");
  }
  return crds === undefined
    ? warning(
        `no controller, but ${left.length} CRDs of an earlier installation`,
        "Helm leaves them as they are: bring them to the pinned chart's version (kubectl replace), or delete them where nothing uses them; their objects go with them",
      )
    : passed("no controller, and CRDs of the platform's own release");
}

/** Helm's ownership check (helm v3, pkg/action/validate.go `checkOwnership`). */
function belongsTo({ labels, annotations }: NamedFact, { release, namespace }: ReleaseNeed): boolean {
  return (
    labels["app.kubernetes.io/managed-by"] === "Helm" &&
    annotations["meta.helm.sh/release-name"] === release &&
    annotations["meta.helm.sh/release-namespace"] === namespace
  );
}

/** Shell line that hands CRDs of these groups to a release, without names from the cluster. */
function adoption(groups: readonly string[], { release, namespace }: ReleaseNeed): string {
  const ends = groups.map((group) => group.replaceAll(".", "[.]")).join("|");
  return [
    `crds=$(kubectl get crd -o name | grep -E '[./](${ends})$')`,
    "kubectl label --overwrite $crds app.kubernetes.io/managed-by=Helm",
    `kubectl annotate --overwrite $crds meta.helm.sh/release-name=${release} meta.helm.sh/release-namespace=${namespace}`,
  ].join(" && ");
}

/** Envoy Gateway 1.9's minor version of Gateway API: its release matrix (read 2026-11-23). */
const GATEWAY_API = "v1.6";
const BUNDLE = "gateway.networking.k8s.io/bundle-version";

/** Helm leaves existing Gateway API CRDs (from k3s or a cloud) unchanged. */
export const gatewayApi: Check = ({ definitions }, { releases, present }) =>
  releases.some(({ chart }) => chart === "gateway-helm") || present.includes("gateway-helm")
    ? [
        judged(
          {
            check: "gateway-api",
            title: "Gateway API",
            needed: `${GATEWAY_API}, or none: Envoy Gateway's chart brings it`,
          },
          definitions,
          (all) => {
            const found = all.filter((definition) => isOf(definition, ["gateway.networking.k8s.io"]));
            const versions = [...new Set(found.map(({ annotations }) => annotations[BUNDLE] ?? "no version"))].sort();
            if (versions.length === 0) {
              return passed("none yet");
            }
            return versions.every((version) => version.startsWith(`${GATEWAY_API}.`))
              ? passed(someOf(versions))
              : warning(
                  `CRDs of ${someOf(versions)}, which Helm leaves as they are`,
                  "kinds or fields that Envoy Gateway needs may be missing: replace them by the bundle of gateway-api v1.6.1, after a look at what else uses them (k3s: Traefik)",
                );
          },
        ),
      ]
    : [];

function isOf({ name }: NamedFact, groups: readonly string[]): boolean {
  return groups.some((group) => name === group || name.endsWith(`.${group}`));
}

export function namesOf(workloads: readonly WorkloadFact[]): string {
  return someOf(workloads.map(({ namespace, name }) => `${namespace}/${name}`));
}

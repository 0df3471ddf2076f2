import type { Asked, NodeFact, WorkloadFact } from "../facts";
import { type Check, failed, judged, passed, unknown, type Verdict } from "./check";

/** Whether a network plugin's DaemonSet enforces NetworkPolicies; undefined for unknown plugins. */
type Reader = (workload: WorkloadFact) => Finding | undefined;

interface Finding {
  readonly plugin: string;
  /** Undefined: arguments do not show it. */
  readonly enforces: boolean | undefined;
  /** How to enable it. */
  readonly remedy?: string;
}

const HOW_TO_TEST =
  "test it: apply a NetworkPolicy that denies all ingress to a pod, and connect to it from another (docs/doctor.md, Does it enforce?)";
const INSTALL = "install a plugin that enforces them next to it, such as Calico in policy-only mode";

/**
 * By image, because DaemonSet names differ between installers. Sources (read 2026-11-23): the
 * projects' manifests; kindest/kindnetd enforces since kind 0.24 (release notes; image of
 * 2024-08-13); `--enable-network-policy` of aws/amazon-vpc-cni-k8s config/master/aws-k8s-cni.yaml;
 * `--run-firewall` of kube-router's user guide.
 */
const READERS: readonly Reader[] = [
  byImage(/calico\/node(:|@|$)|hardened-calico/, "Calico"),
  byImage(/(^|\/)cilium(-ci)?(:|@|$)/, "Cilium", ({ name }) => !/envoy|operator/.test(name)),
  byImage(/antrea/, "Antrea"),
  byImage(/weave-(npc|kube)/, "Weave Net"),
  byImage(/ovn-kube/, "OVN-Kubernetes"),
  byImage(/azure-npm/, "Azure NPM"),
  byImage(/kube-network-policies/, "kube-network-policies"),
  kubeRouter,
  kindnet,
  amazonVpc,
];

/** Plugins that do not filter traffic. */
const WITHOUT: readonly { readonly image: RegExp; readonly plugin: string }[] = [
  { image: /(^|\/)flannel(-cni)?(:|@|$)/, plugin: "Flannel" },
  { image: /vcn-native-ip-cni/, plugin: "OKE's VCN-native networking" },
];

/** The API does not show enforcement, so running plugins decide. */
export const networkPolicies: Check = ({ version, nodes, daemonSets }, { releases }) => [
  judged(
    { check: "network-policies", title: "NetworkPolicies", needed: "a network plugin that enforces them" },
    daemonSets,
    (all) =>
      verdict(
        all,
        version,
        nodes,
        releases.some(({ chart }) => /calico|tigera/.test(chart)),
      ),
  ),
];

function verdict(
  all: readonly WorkloadFact[],
  version: Asked<string>,
  nodes: Asked<readonly NodeFact[]>,
  platformInstalls: boolean,
): Verdict {
  const found = all.flatMap((workload) => READERS.flatMap((read) => read(workload) ?? []));
  const enforcing = found.find(({ enforces }) => enforces);
  if (enforcing) {
    return passed(`${enforcing.plugin} runs`);
  }
  if (platformInstalls) {
    return passed("the platform installs Calico for it");
  }
  const k3s = k3sFinding(version, nodes);
  if (k3s) {
    return k3s;
  }
  const off = found.find(({ enforces }) => enforces === false);
  if (off) {
    return failed(`${off.plugin} runs, but does not enforce them`, off.remedy ?? INSTALL, HOW_TO_TEST);
  }
  const without = WITHOUT.find(({ image }) => all.some((workload) => hasImage(workload, image)));
  if (without) {
    return failed(`${without.plugin} alone, which enforces none`, INSTALL, HOW_TO_TEST);
  }
  const unsure = found[0];
  return unknown(
    unsure ? `${unsure.plugin} runs, and does not say whether it does` : "no network plugin that doctor knows",
    HOW_TO_TEST,
  );
}

/** k3s runs kube-router's controller in-process; node annotations show its flags. */
function k3sFinding(version: Asked<string>, nodes: Asked<readonly NodeFact[]>): Verdict | undefined {
  if (!version.known || !version.value.includes("+k3s")) {
    return undefined;
  }
  const said = nodes.known ? nodes.value.flatMap(({ annotations }) => annotations["k3s.io/node-args"] ?? []) : [];
  const servers = said.filter((words) => words.includes('"server"'));
  // As two words or one: "--disable-network-policy","true" and "--disable-network-policy=true".
  const isOff = servers.some((words) => /"--disable-network-policy(?!(=|",")false)/.test(words));
  if (isOff) {
    return failed(
      "k3s runs with --disable-network-policy",
      "remove disable-network-policy from /etc/rancher/k3s/config.yaml and restart k3s, or install a plugin that enforces them",
      HOW_TO_TEST,
    );
  }
  return servers.length > 0
    ? passed("k3s enforces them itself (its servers do not have --disable-network-policy)")
    : unknown("k3s, whose servers do not say whether they have --disable-network-policy", HOW_TO_TEST);
}

function byImage(image: RegExp, plugin: string, also: (workload: WorkloadFact) => boolean = () => true): Reader {
  return (workload) => (hasImage(workload, image) && also(workload) ? { plugin, enforces: true } : undefined);
}

function kubeRouter(workload: WorkloadFact): Finding | undefined {
  const container = workload.containers.find(({ image }) => /kube-router(:|@|$)/.test(image));
  return (
    container && {
      plugin: "kube-router",
      enforces: !container.words.includes("--run-firewall=false"),
      remedy: "start kube-router with --run-firewall=true",
    }
  );
}

const FIRST_KINDNET = 20_240_813;

function kindnet(workload: WorkloadFact): Finding | undefined {
  const container = workload.containers.find(({ image }) => /kindnetd?(:|@|$)/.test(image));
  if (!container) {
    return undefined;
  }
  const date = /:v(?<date>\d{8})/.exec(container.image)?.groups?.date;
  const asked = container.words.includes("--network-policy=true");
  return {
    plugin: "kindnet",
    enforces: asked ? true : date === undefined ? undefined : Number(date) >= FIRST_KINDNET,
    remedy: "make the cluster with kind 0.24 or later, or with another network plugin",
  };
}

function amazonVpc(workload: WorkloadFact): Finding | undefined {
  if (!hasImage(workload, /amazon-k8s-cni(:|@|$)/)) {
    return undefined;
  }
  const agent = workload.containers.find(({ image }) => image.includes("network-policy-agent"));
  return {
    plugin: "Amazon VPC CNI",
    enforces: agent?.words.includes("--enable-network-policy=true") ?? false,
    remedy: 'switch it on: enableNetworkPolicy: "true" in the configuration of the add-on vpc-cni',
  };
}

function hasImage({ containers }: WorkloadFact, pattern: RegExp): boolean {
  return containers.some(({ image }) => pattern.test(image));
}

import { canonicalCidr, cidrContains, hostCidr, parseCidr } from "../../../names/cidr";
import { DNS_CACHES } from "../../../names/dns-caches";
import { someOf } from "../../cluster/foreign-text";
import type { WorkloadFact } from "../facts";
import { type Check, failed, judged, passed, warning } from "./check";

/** NetworkPolicies allow DNS to pods with this label only. */
export const dns: Check = ({ dnsPods, deployments }) => [
  judged(
    {
      check: "cluster-dns",
      title: "Cluster DNS",
      needed: "a ready pod in kube-system with the label k8s-app: kube-dns",
    },
    dnsPods,
    (pods) => {
      const ready = pods.filter((pod) => pod.ready);
      if (ready.length > 0) {
        return passed(`${ready.length} ready ${ready.length === 1 ? "pod" : "pods"} with that label`);
      }
      if (pods.length > 0) {
        return failed(
          `none of its ${pods.length} pods is ready: ${someOf(pods.map(({ name }) => name))}`,
          "kubectl -n kube-system describe pods -l k8s-app=kube-dns",
        );
      }
      const others = deployments.known
        ? deployments.value.filter(({ name, namespace, containers }) => {
            return (
              namespace === "kube-system" && (/dns/.test(name) || containers.some(({ image }) => /coredns/.test(image)))
            );
          })
        : [];
      const names = someOf(others.map(({ name }) => name));
      return others.length > 0
        ? failed(
            `${names} runs there without that label: pods could resolve no name`,
            `add k8s-app: kube-dns to the labels of its pod template: kubectl -n kube-system edit deployment ${others[0]?.name}`,
          )
        : failed(
            "no pod there has that label: pods could resolve no name",
            "install CoreDNS in kube-system with that label; where it runs elsewhere, it must be moved",
          );
    },
  ),
];

/** NodeLocal DNSCache's option for its addresses. */
const LISTENS_ON = /^-{1,2}localip(?:=(.+))?$/;

/** Policies cannot select a DNS cache on nodes: they allow its addresses. */
export const dnsCache: Check = ({ daemonSets }, { cluster }) =>
  daemonSets.known && !daemonSets.value.some((each) => cacheAddresses(each).length > 0)
    ? []
    : [
        judged(
          {
            check: "dns-cache",
            title: "DNS cache on nodes",
            needed: "pods may ask it: it listens on 169.254.20.10 or 169.254.25.10, or cluster.dnsCidrs names where",
          },
          daemonSets,
          (all) => {
            const open = [...DNS_CACHES, ...cluster.dnsCidrs];
            const addresses = [...new Set(all.flatMap(cacheAddresses))];
            const closed = addresses.filter((address) => !open.some((cidr) => cidrContains(cidr, address)));
            if (closed.length === 0) {
              return passed(`it listens on ${someOf(addresses)}`);
            }
            const fix = `add to the environment's file: inference-stacks:cluster: { dnsCidrs: [${closed.map((each) => canonicalCidr(hostCidr(each))).join(", ")}] }`;
            // Each node's kubelet decides which address is in a pod's resolv.conf.
            return closed.length === addresses.length
              ? failed(
                  `it listens on ${someOf(closed)}, where NetworkPolicies let no pod ask: none could resolve a name`,
                  fix,
                )
              : warning(`it listens on ${someOf(closed)} too, where NetworkPolicies let no pod ask`, fix);
          },
        ),
      ];

/** `10.96.0.10` of containers with `-localip 169.254.20.10,10.96.0.10`; empty for others. */
function cacheAddresses({ containers }: WorkloadFact): string[] {
  return containers.flatMap(({ words }) =>
    words.flatMap((word, at) => {
      const found = LISTENS_ON.exec(word);
      const addresses = found === null ? "" : (found[1] ?? words[at + 1] ?? "");
      return addresses.split(",").filter((text) => parseCidr(hostCidr(text)) !== undefined);
    }),
  );
}

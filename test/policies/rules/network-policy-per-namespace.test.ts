import { networkPolicyPerNamespace } from "../../../policies/rules/network-policy-per-namespace";
import { object, policyCases, release, UNKNOWN } from "../cases";

const namespace = object("core/v1", "Namespace", {}, { name: "model-chat" });
const policy = (spec: object, inNamespace: unknown = "model-chat") =>
  object("networking.k8s.io/v1", "NetworkPolicy", { spec }, { name: "default-deny", namespace: inNamespace });
const egressTo = (cidr: unknown, except?: string[]) =>
  policy({ egress: [{ to: [{ ipBlock: { cidr, except } }], ports: [{ port: 443 }] }] });
const both = { podSelector: {}, policyTypes: ["Ingress", "Egress"] };

const closed = [namespace, policy(both)];

const to = (peer: object, ports?: object[]) => [policy({ egress: [{ to: [peer], ports }] })];
const from = (namespaceSelector: object) => [policy({ ingress: [{ from: [{ namespaceSelector }] }] })];
const level = (operator: string, ...values: string[]) => ({
  matchExpressions: [{ key: "pod-security.kubernetes.io/enforce", operator, values }],
});
const METADATA = "has the cloud's metadata service in it";
const metadata = (changes: object) =>
  calico({
    egress: [{ action: "Allow", destination: { selector: "a == 'b'", nets: ["169.0.0.0/8"], ...changes } }],
  });
const calico = (spec: object) => [object("crd.projectcalico.org/v1", "GlobalNetworkPolicy", { spec })];

const cilium = (body: object) => [
  object("cilium.io/v2", "CiliumNetworkPolicy", { ...body }, { namespace: "model-chat" }),
];

policyCases(networkPolicyPerNamespace, [
  [
    "a list of specs of Cilium",
    cilium({ specs: [{ ingress: [{ fromEntities: ["all"] }] }] }),
    ["specs[0].ingress[0] is open"],
  ],
  [
    "Cilium without denial",
    cilium({ spec: { enableDefaultDeny: { egress: false } } }),
    ["enableDefaultDeny.egress is no denial"],
  ],
  ["Cilium with denial", cilium({ spec: { enableDefaultDeny: { egress: true } }, specs: [] }), "pass"],
  ["Cilium with who knows", cilium({ spec: { enableDefaultDeny: { egress: UNKNOWN } } }), "unknown"],
  ["out to every namespace", to({ namespaceSelector: {} }), ["to[0] is everybody"]],
  ["out to every pod", to({ namespaceSelector: {}, podSelector: {} }), ["to[0] is everybody"]],
  ["out to every namespace at a port", to({ namespaceSelector: {} }, [{ port: 9400 }]), "pass"],
  ["out to pods with a label", to({ namespaceSelector: {}, podSelector: { matchLabels: { a: "b" } } }), "pass"],
  ["out to every namespace at unknown ports", to({ namespaceSelector: {} }, UNKNOWN as object[]), "unknown"],
  [
    "out to all addresses but a few, at every port",
    to({ ipBlock: { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] } }),
    ["to[0] is everybody"],
  ],
  ["in from every level", from(level("Exists")), ["from[0] is open to everything"]],
  ["in from all levels", from(level("In", "privileged", "restricted", "baseline")), ["from[0] is open to everything"]],
  ["in from one level", from(level("In", "privileged")), "pass"],
  [
    "a network plugin's rule for all addresses but one",
    calico({ ingress: [{ action: "Allow", source: { notNets: ["203.0.113.1/32"] } }] }),
    ["is open to everybody"],
  ],
  [
    "a network plugin's rule for a network",
    calico({ ingress: [{ action: "Allow", source: { nets: ["10.0.0.0/8"] } }] }),
    "pass",
  ],
  [
    "a network plugin's rule that names only the pods that it is for, in",
    calico({ ingress: [{ action: "Allow", destination: { selector: "a == 'b'" } }] }),
    ["is open to everybody"],
  ],
  [
    "a network plugin's rule that names only the pods that it is for, out",
    calico({ egress: [{ action: "Allow", source: { selector: "a == 'b'" } }] }),
    ["is open to everybody"],
  ],
  ["a network plugin's networks without the metadata service", metadata({ notNets: ["169.254.0.0/16"] }), "pass"],
  ["other networks left out", metadata({ notNets: ["10.0.0.0/8"] }), [METADATA]],
  ["unknown networks left out", metadata({ notNets: UNKNOWN }), "unknown"],
  ["an unknown network left out", metadata({ notNets: [UNKNOWN] }), "unknown"],
  ["a network plugin's networks", metadata({}), [METADATA]],
  [
    "networks of the pods that a rule out is for",
    calico({
      egress: [{ action: "Allow", source: { nets: ["0.0.0.0/0"] }, destination: { nets: ["10.0.0.0/8"] } }],
    }),
    "pass",
  ],
  [
    "a network plugin's profile",
    [object("crd.projectcalico.org/v1", "Profile", { spec: { ingress: [{ action: "Allow" }] } })],
    ["is open to everybody"],
  ],
  ["one policy for both directions", [namespace, policy(both)], "pass"],
  [
    "one policy each",
    [
      namespace,
      policy({ ...both, policyTypes: ["Ingress"] }),
      policy({ ...both, policyTypes: ["Egress"], egress: [] }),
    ],
    "pass",
  ],
  ["no namespace of ours", [], "pass"],
  [
    "none",
    [namespace],
    ['Namespace "model-chat": metadata.name has no default-deny NetworkPolicy for Ingress and Egress'],
  ],
  ["one direction only", [namespace, policy({ ...both, policyTypes: ["Ingress"] })], ["for Egress;"]],
  [
    "for some pods only",
    [namespace, policy({ ...both, podSelector: { matchLabels: { app: "x" } } })],
    ["Ingress and Egress"],
  ],
  [
    "with an allowance",
    [namespace, policy({ ...both, ingress: [{}] })],
    ["spec.ingress[0] is open to everything", "for Ingress;"],
  ],
  [
    "with an allowance of ports for all pods",
    [namespace, policy({ ...both, ingress: [{ ports: [{ port: 443 }] }] })],
    ["for Ingress;"],
  ],
  [
    "with an allowance of peers for all pods",
    [namespace, policy({ ...both, egress: [{ to: [{ podSelector: {} }], ports: [{ port: 53 }] }] })],
    "pass",
  ],
  [
    "with an unknown allowance for all pods",
    [namespace, policy({ ...both, egress: [{ to: UNKNOWN, ports: [{ port: 53 }] }] })],
    "unknown",
  ],
  ["an allowance of peers", [...closed, policy({ egress: [{ to: [{ podSelector: {} }] }] })], "pass"],
  [
    "an allowance of ports for some pods",
    [...closed, policy({ podSelector: { matchLabels: { app: "x" } }, ingress: [{ ports: [{ port: 443 }] }] })],
    "pass",
  ],
  ["the internet without the metadata service", [...closed, egressTo("0.0.0.0/0", ["169.254.0.0/16"])], "pass"],
  ["the internet by IPv6 without it", [...closed, egressTo("::/0", ["fc00::/7"])], "pass"],
  ["the metadata service by IPv6", [...closed, egressTo("::/0")], ["has the cloud's metadata service in it"]],
  ["everything in", [...closed, policy({ ingress: [{}] })], ["spec.ingress[0] is open to everything"]],
  [
    "everything out",
    [...closed, policy({ egress: [{ to: [], ports: [] }] })],
    ["spec.egress[0] is open to everything"],
  ],
  ["the metadata service", [...closed, egressTo("169.254.169.254/32")], ["has the cloud's metadata service in it"]],
  [
    "the metadata service among others",
    [...closed, egressTo("0.0.0.0/0", ["10.0.0.0/8"])],
    ["spec.egress[0].to[0].ipBlock has the cloud's metadata service in it"],
  ],
  ["an unknown block", [...closed, egressTo(UNKNOWN)], "unknown"],
  ["in another namespace", [namespace, policy(both, "other")], ["Ingress and Egress"]],
  ["a namespace that Helm creates", [release({ createNamespace: true })], ["namespace has no default-deny"]],
  ["unknown namespace of the policy", [namespace, policy(both, UNKNOWN)], "unknown"],
  ["unknown policy", [namespace, policy({ ...both, policyTypes: UNKNOWN })], "unknown"],
  ["unknown namespace", [object("core/v1", "Namespace", {}, { name: UNKNOWN })], "unknown"],
]);

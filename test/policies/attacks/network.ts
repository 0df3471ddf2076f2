import { object } from "../subjects";
import { type Attack, inModel, list } from "./attack";

const NETWORK = "network-policy-per-namespace";
const policy = (spec: object) => [
  inModel("networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: { matchLabels: { a: "b" } }, ...spec } }),
];
const from = (peer: object) => policy({ ingress: [{ from: [peer], ports: [{ port: 8000 }] }] });
const to = (cidr: string, port = 443) => policy({ egress: [{ to: [{ ipBlock: { cidr } }], ports: [{ port }] }] });
const everything = { podSelector: {}, policyTypes: ["Ingress", "Egress"], ingress: [{}], egress: [{}] };
const metadata = { name: "a", namespace: "model-chat" };

export const NETWORK_ATTACKS: readonly Attack[] = [
  [
    "a list of specs of Cilium",
    NETWORK,
    [inModel("cilium.io/v2", "CiliumNetworkPolicy", { specs: [{ ingress: [{ fromEntities: ["all"] }] }] })],
  ],
  ["every port", NETWORK, policy({ ingress: [{ ports: [{}] }] })],
  ["a range of ports for everybody", NETWORK, policy({ ingress: [{ ports: [{ port: 443, endPort: 9443 }] }] })],
  ["every namespace", NETWORK, from({ namespaceSelector: {} })],
  [
    "every namespace but one",
    NETWORK,
    from({ namespaceSelector: { matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] } }),
  ],
  ["the world at an engine", NETWORK, from({ ipBlock: { cidr: "0.0.0.0/0" } })],
  ["half of the world at an engine", NETWORK, from({ ipBlock: { cidr: "128.0.0.0/1" } })],
  [
    "the world in many pieces, over two rules",
    NETWORK,
    policy({
      ingress: ["10.0.0.0/8", "11.0.0.0/9", "11.128.0.0/9"].map((cidr) => ({ from: [{ ipBlock: { cidr } }] })),
    }),
  ],
  [
    "the world in many pieces, from a pod",
    NETWORK,
    policy({
      egress: [{ to: ["1.0.0.0/8", "3.0.0.0/9", "5.0.0.0/9"].map((cidr) => ({ ipBlock: { cidr } })) }],
    }),
  ],
  ["the world by IPv6 at an engine", NETWORK, from({ ipBlock: { cidr: "::/0" } })],
  ["the metadata service by IPv6", NETWORK, to("::/0")],
  ["the metadata service by IPv4 in IPv6", NETWORK, to("::ffff:169.254.169.254/128", 80)],
  ["the metadata service of OCI by IPv6", NETWORK, to("fd00:c1::/64", 80)],
  ["a network with leading zeros", NETWORK, to("0169.254.169.254/32", 80)],
  [
    "an exception that the API server does not read",
    NETWORK,
    policy({
      egress: [
        { to: [{ ipBlock: { cidr: "169.254.0.0/16", except: ["::ffff:169.254.0.0/112"] } }], ports: [{ port: 80 }] },
      ],
    }),
  ],
  ["the world by IPv4 in IPv6", NETWORK, from({ ipBlock: { cidr: "::ffff:0:0/96" } })],
  [
    "the metadata service by Cilium",
    NETWORK,
    [
      inModel("cilium.io/v2", "CiliumNetworkPolicy", {
        spec: { egress: [{ toCIDRSet: [{ cidr: "169.254.169.0/24", except: ["169.254.169.1/32"] }] }] },
      }),
    ],
  ],
  [
    "the metadata service by Calico",
    NETWORK,
    [
      object("crd.projectcalico.org/v1", "GlobalNetworkPolicy", {
        spec: { egress: [{ action: "Allow", destination: { nets: ["::ffff:a9fe:a9fe/128"] } }] },
      }),
    ],
  ],
  ["the agent of EKS Pod Identity", NETWORK, to("169.254.170.23/32", 80)],
  ["ports everywhere", NETWORK, policy({ egress: [{ ports: [{ port: 80 }] }] })],
  [
    "a policy of Calico's past all others",
    NETWORK,
    [
      object("crd.projectcalico.org/v1", "GlobalNetworkPolicy", {
        spec: { selector: "all()", ingress: [{ action: "Allow" }] },
      }),
    ],
  ],
  [
    "a policy of an administrator past all others",
    NETWORK,
    [
      object("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", {
        spec: { ingress: [{ action: "Allow", from: [{ namespaces: {} }] }] },
      }),
    ],
  ],
  [
    "a policy of Cilium's for everybody",
    NETWORK,
    [inModel("cilium.io/v2", "CiliumNetworkPolicy", { spec: { ingress: [{ fromEntities: ["world"] }] } })],
  ],
  ["a list of policies", NETWORK, [list("networking.k8s.io/v1:NetworkPolicy", { metadata, spec: everything })]],
  ["a list of namespaces", NETWORK, [list("core/v1:Namespace", { metadata: { name: "a" } })]],
  ["a list of Services", "no-public-endpoint", [list("core/v1:Service", { metadata, spec: { type: "LoadBalancer" } })]],
  [
    "a list of anything",
    "no-public-endpoint",
    [list("core/v1:", { apiVersion: "v1", kind: "Service", metadata, spec: { type: "NodePort" } })],
  ],
  [
    "a list of Secrets",
    "no-plaintext-secret",
    [list("core/v1:Secret", { metadata, stringData: { db: "hunter2hunter2" } })],
  ],
  [
    "a list of bindings",
    "no-cluster-admin",
    [
      list("rbac.authorization.k8s.io/v1:ClusterRoleBinding", {
        metadata: { name: "a" },
        roleRef: { name: "cluster-admin" },
      }),
    ],
  ],
];

import { object, resource } from "../subjects";
import { type Attack, inModel } from "./attack";

const ADMIN = "no-cluster-admin";
const RBAC = "rbac.authorization.k8s.io/v1";
const role = (rule: object) => [object(RBAC, "ClusterRole", { rules: [{ apiGroups: [""], ...rule }] })];
const binding = (name: string, subject: object, kind = "ClusterRoleBinding") => [
  inModel(RBAC, kind, { roleRef: { kind: "ClusterRole", name }, subjects: [{ kind: "Group", ...subject }] }),
];
const admission = (kind: string, body: Readonly<Record<string, unknown>>) => [
  object("admissionregistration.k8s.io/v1", kind, body),
];

export const RIGHTS: readonly Attack[] = [
  ["commands in pods", ADMIN, role({ resources: ["pods/exec", "pods/attach"], verbs: ["create"] })],
  ["containers put into pods", ADMIN, role({ resources: ["pods/ephemeralcontainers"], verbs: ["patch"] })],
  [
    "commands in pods of one namespace",
    ADMIN,
    [inModel(RBAC, "Role", { rules: [{ resources: ["pods/exec"], verbs: ["create"] }] })],
  ],
  ["tokens of any account", ADMIN, role({ resources: ["serviceaccounts/token"], verbs: ["create"] })],
  ["pods of the whole cluster", ADMIN, role({ resources: ["pods"], verbs: ["create"] })],
  ["workloads of the whole cluster", ADMIN, role({ apiGroups: ["apps"], resources: ["daemonsets"], verbs: ["patch"] })],
  [
    "certificates for any name",
    ADMIN,
    role({ apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests/approval"], verbs: ["update"] }),
  ],
  [
    "webhooks",
    ADMIN,
    role({
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["mutatingwebhookconfigurations"],
      verbs: ["create"],
    }),
  ],
  [
    "admission policies taken away",
    ADMIN,
    role({ resources: ["validatingadmissionpolicybindings"], verbs: ["delete"] }),
  ],
  ["volumes of host paths", ADMIN, role({ resources: ["persistentvolumes"], verbs: ["create"] })],
  ["levels of namespaces", ADMIN, role({ resources: ["namespaces"], verbs: ["patch"] })],
  [
    "the level of one's own namespace",
    ADMIN,
    [inModel(RBAC, "Role", { rules: [{ resources: ["namespaces"], verbs: ["patch"] }] })],
  ],
  ["everything an account may do", ADMIN, role({ resources: ["serviceaccounts"], verbs: ["*"] })],
  [
    "somebody else for some actions",
    ADMIN,
    role({ apiGroups: ["authentication.k8s.io"], resources: ["users"], verbs: ["impersonate:user-info"] }),
  ],
  [
    "Secrets of the system",
    ADMIN,
    [object(RBAC, "Role", { rules: [{ resources: ["secrets"], verbs: ["update"] }] }, { namespace: "kube-system" })],
  ],
  ["who may use EKS", ADMIN, role({ resources: ["configmaps"], resourceNames: ["aws-auth"], verbs: ["patch"] })],
  ["objects converted by others", ADMIN, role({ resources: ["customresourcedefinitions"], verbs: ["patch"] })],
  ["traffic of other Services", ADMIN, role({ resources: ["services/status"], verbs: ["patch"] })],
  ["every namespace to edit", ADMIN, binding("edit", { name: "a" })],
  ["APIs in place of the server's", ADMIN, role({ resources: ["apiservices"], verbs: ["update"] })],
  [
    "rules of the network",
    ADMIN,
    role({ apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["delete"] }),
  ],
  [
    "administrators by name",
    ADMIN,
    role({ resources: ["groups"], resourceNames: ["system:masters"], verbs: ["impersonate"] }),
  ],
  [
    "a role of the system's controllers",
    ADMIN,
    binding("system:controller:clusterrole-aggregation-controller", { name: "a" }),
  ],
  ["the kubelet's API", ADMIN, binding("system:kubelet-api-admin", { name: "a" })],
  [
    "every account of a namespace",
    ADMIN,
    binding("admin", { name: "system:serviceaccounts:model-chat" }, "RoleBinding"),
  ],
  ["the group of administrators", ADMIN, binding("view", { name: "system:masters" })],
  ["an account that every pod has", ADMIN, binding("view", { kind: "ServiceAccount", name: "default" })],
  [
    "add-ons that run with all rights",
    ADMIN,
    [resource("oci:ContainerEngine/cluster:Cluster", { options: { addOns: { isTillerEnabled: true } } })],
  ],
  [
    "a policy that only writes down",
    "admission-enforced",
    admission("ValidatingAdmissionPolicyBinding", { spec: { validationActions: ["Audit"] } }),
  ],
  [
    "a policy that fails open",
    "admission-enforced",
    admission("ValidatingAdmissionPolicy", { spec: { failurePolicy: "Ignore" } }),
  ],
  [
    "a change that fails open",
    "admission-enforced",
    admission("MutatingAdmissionPolicy", { spec: { failurePolicy: "Ignore" } }),
  ],
  [
    "a change without its parameter",
    "admission-enforced",
    admission("MutatingAdmissionPolicyBinding", { spec: { paramRef: { parameterNotFoundAction: "Allow" } } }),
  ],
  [
    "a webhook on the internet",
    "admission-enforced",
    admission("MutatingWebhookConfiguration", { webhooks: [{ clientConfig: { url: "https://a.example/change" } }] }),
  ],
];

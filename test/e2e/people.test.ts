/** What people may do, asked of a real API server with the roles and bindings that an environment makes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { changedRun } from "../stacks/run";

const people = {
  viewers: ["users"],
  operators: ["on-call"],
  admins: ["platform"],
  domains: { legal: { viewers: ["lawyers"], operators: ["legal-ops"], admins: ["legal-ml"] } },
};

/** Agents of servers elsewhere, which are bound to all rights. */
const agents = {
  portainer: { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] },
  rancher: { acknowledgeClusterAdmin: true, url: "https://rancher.example.internal", networks: ["192.168.1.31/32"] },
  rancherToken: { secure: "v1:never-read" },
};

const LEGAL = "model-legal";
const HEALTH = "model-healthcare";
const GATEWAY = "inference-gateway";
const CONTROLLER = "envoy-gateway-system";
/** Whose pods have the cluster's rights, or reach the node. */
const ELEVATED = [CONTROLLER, "portainer", "cattle-system", "cattle-fleet-system", "node-metrics"];

interface Question {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

const LOGS = { verb: "get", resource: "pods", subresource: "log" };
const DELETE_POD = { verb: "delete", resource: "pods" };
const SCALE = { verb: "patch", group: "apps", resource: "deployments", subresource: "scale" };
const RUN = { verb: "create", resource: "pods" };
const CHANGE = { verb: "patch", group: "apps", resource: "deployments" };
const SECRETS = { verb: "list", resource: "secrets" };
const EXEC = { verb: "create", resource: "pods", subresource: "exec" };
const UNGUARD = { verb: "delete", group: "networking.k8s.io", resource: "networkpolicies" };
const BIND = { verb: "create", group: "rbac.authorization.k8s.io", resource: "rolebindings" };
const NODES = { verb: "list", resource: "nodes" };
const WEBHOOKS = { verb: "create", group: "admissionregistration.k8s.io", resource: "mutatingwebhookconfigurations" };
const ROUTES = { verb: "patch", group: "gateway.networking.k8s.io", resource: "httproutes" };

const NEVER: readonly Question[] = [LEGAL, GATEWAY, CONTROLLER].flatMap((namespace) =>
  [UNGUARD, BIND, ROUTES, { verb: "patch", resource: "namespaces" }].map((question) => ({ ...question, namespace })),
);

const MAY: readonly (readonly [group: string, may: readonly Question[], mayNot: readonly Question[]])[] = [
  [
    "users",
    [{ ...LOGS, namespace: LEGAL }, { ...LOGS, namespace: CONTROLLER }, NODES],
    [
      { ...SECRETS, namespace: LEGAL },
      { ...DELETE_POD, namespace: LEGAL },
      { ...LOGS, namespace: "kube-system" },
    ],
  ],
  [
    "on-call",
    [LEGAL, HEALTH, GATEWAY, CONTROLLER].flatMap((namespace) => [
      { ...LOGS, namespace },
      { ...DELETE_POD, namespace },
      { ...SCALE, namespace },
    ]),
    [SECRETS, EXEC, CHANGE].map((question) => ({ ...question, namespace: LEGAL })),
  ],
  [
    "platform",
    [
      ...[SECRETS, EXEC, CHANGE, RUN].map((question) => ({ ...question, namespace: GATEWAY })),
      ...ELEVATED.map((namespace) => ({ ...DELETE_POD, namespace })),
    ],
    [
      ...ELEVATED.flatMap((namespace) => [SECRETS, EXEC, CHANGE, RUN].map((question) => ({ ...question, namespace }))),
      SECRETS,
      WEBHOOKS,
    ],
  ],
  [
    "lawyers",
    [{ ...LOGS, namespace: LEGAL }],
    [{ ...LOGS, namespace: HEALTH }, { ...LOGS, namespace: GATEWAY }, NODES],
  ],
  ["legal-ops", [{ ...DELETE_POD, namespace: LEGAL }], [{ ...DELETE_POD, namespace: HEALTH }]],
  [
    "legal-ml",
    [SECRETS, EXEC, CHANGE].map((question) => ({ ...question, namespace: LEGAL })),
    [SECRETS, EXEC, CHANGE].flatMap((question) => [
      { ...question, namespace: HEALTH },
      { ...question, namespace: GATEWAY },
    ]),
  ],
  ["strangers", [], [{ ...LOGS, namespace: LEGAL }, NODES]],
];

describe("people of an environment, on a real API server", () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    const [started, { resources }] = await Promise.all([
      ControlPlane.start(),
      changedRun("edge-radeon", { people, ...agents }),
    ]);
    plane = started;
    const objects = recordedObjects(resources);
    const ofPeople = objects.filter(
      ({ kind, metadata: { name } }) => /Role/.test(kind ?? "") && name.startsWith("inference-"),
    );
    expect(ofPeople.filter(({ kind }) => kind === "RoleBinding").length).toBeGreaterThan(10);
    for (const object of [...objects.filter(({ kind }) => kind === "Namespace"), ...ofPeople]) {
      await plane.client.apply(object);
    }
  });
  afterAll(() => plane?.stop());

  it.each(MAY)("%s may do what their role says, where it says", async (group, may, mayNot) => {
    const wrong = async (questions: readonly Question[], expected: boolean) => {
      const answers = await Promise.all(questions.map((question) => allowed(group, question)));
      return questions.filter((_, i) => answers[i] !== expected);
    };
    expect(await wrong(may, true)).toEqual([]);
    expect(await wrong([...mayNot, ...NEVER], false)).toEqual([]);
  });

  async function allowed(group: string, { verb, ...of }: Question): Promise<boolean> {
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: "somebody", groups: [group, "system:authenticated"], resourceAttributes: { verb, ...of } },
    };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const { status, body } = await plane.client.request("POST", path, JSON.stringify(review));
    expect(status).toBe(201);
    return (body as { status: { allowed: boolean } }).status.allowed;
  }
});

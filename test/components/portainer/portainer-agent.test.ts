import { beforeAll, describe, expect, it } from "vitest";
import { portainerConnections } from "../../../components/portainer/connections";
import { PORTAINER_BINDING } from "../../../components/portainer/portainer-agent";
import { shippedText } from "../../../names/shipped-file";
import { judge } from "../../../report/judge";
import { byName, NETWORKS } from "../../harness/connections";
import { rightEnvironment, told } from "../../stacks/config/samples";
import { type ProgramRun, sharedRun } from "../../stacks/run";

const direct = { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] };
const edge = { mode: "edge", acknowledgeClusterAdmin: true, id: "node-1", url: "https://portainer.example.com:9443" };

interface Agent {
  readonly command: readonly string[];
  readonly workingDir: string;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

function agentOf({ deployment }: ProgramRun): Agent {
  const set = deployment.resource("kubernetes:apps/v1:StatefulSet", "platform-portainer-agent-statefulset");
  const { template } = set.inputs.spec as { readonly template: { readonly spec: { readonly containers: [Agent] } } };
  return template.spec.containers[0];
}

describe("the agent that its server connects to", () => {
  let run: ProgramRun;
  beforeAll(async () => {
    run = await sharedRun("edge-nvidia", { portainer: direct });
  });

  it("is no root, has a read-only root, and writes its certificate where it may", () => {
    const { command, workingDir, securityContext, env } = agentOf(run);
    expect(securityContext).toMatchObject({ runAsNonRoot: true, readOnlyRootFilesystem: true });
    expect({ command, workingDir }).toEqual({ command: ["/app/agent"], workingDir: "/tmp" });
    expect(env.map(({ name }) => name)).toEqual([
      "LOG_LEVEL",
      "KUBERNETES_POD_IP",
      "AGENT_CLUSTER_ADDR",
      "AGENT_SECRET",
    ]);
  });

  it("finds itself by a Service that knows pods before they are ready", () => {
    const headless = run.deployment.resource("kubernetes:core/v1:Service", "platform-portainer-agent-pods");
    expect(headless.inputs.metadata).toMatchObject({ name: "portainer-agent-pods" });
    expect(headless.inputs.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
    expect(agentOf(run).env).toContainEqual({ name: "AGENT_CLUSTER_ADDR", value: "portainer-agent-pods" });
  });

  it("answers at a port of the nodes, which keeps the address that the policy asks for", () => {
    const service = run.deployment.resource("kubernetes:core/v1:Service", "platform-portainer-node-port");
    expect(service.inputs.spec).toMatchObject({
      type: "NodePort",
      externalTrafficPolicy: "Local",
      ports: [{ port: 9001, nodePort: 30778 }],
    });
  });

  it("is the only one that is bound to cluster-admin, which the policies say", () => {
    const bindings = run.deployment.ofType("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding");
    const admins = bindings.filter(({ inputs }) => (inputs.roleRef as { name: string }).name === "cluster-admin");
    expect(admins.map(({ inputs }) => (inputs.metadata as { name: string }).name)).toEqual([PORTAINER_BINDING]);
    const { violations, policies } = judge(run);
    expect(policies.failed).toBe(0);
    const said = violations.filter(({ policy }) => policy === "no-cluster-admin");
    expect(said.map(({ resource }) => String(resource))).toEqual([expect.stringContaining("portainer-binding")]);
  });

  it("has a random secret, which an output shows how to read", () => {
    expect(run.recording.outputs.portainer).toEqual({
      mode: "direct",
      nodePort: 30778,
      agentSecret: "kubectl -n portainer get secret portainer-agent -o jsonpath='{.data.AGENT_SECRET}' | base64 -d",
    });
  });
});

describe("its connections", () => {
  it("are from the server's networks and to the Kubernetes API alone", () => {
    const granted = byName(portainerConnections({ mode: "direct", networks: ["192.168.1.30/32"] }, NETWORKS));
    expect(Object.keys(granted)).toEqual(["portainer-agent-to-kubernetes-api", "portainer-server-to-agent"]);
    expect(granted["portainer-server-to-agent"]).toMatchObject({
      from: [{ cidr: "192.168.1.30/32" }],
      ports: [{ port: 9001 }],
    });
  });

  it("behind NAT are none from outside, and to the server's API and tunnel", () => {
    const server = { mode: "edge", id: "a", url: "https://10.1.2.3:9443", tunnelPort: 8000 } as const;
    const granted = byName(portainerConnections(server, NETWORKS));
    expect(Object.keys(granted)).toEqual(["portainer-agent-to-kubernetes-api", "portainer-agent-to-server"]);
    expect(granted["portainer-agent-to-server"]).toMatchObject({
      to: [{ cidr: "10.1.2.3/32" }],
      ports: [{ port: 9443 }, { port: 8000 }],
    });
  });
});

describe("an environment with the agent behind NAT", () => {
  it("gives it the key as a secret, and opens no port", async () => {
    const portainerEdgeKey = { secure: "v1:never-read" };
    const run = await sharedRun("edge-nvidia", { portainer: edge, portainerEdgeKey });
    expect(agentOf(run).env).toEqual(
      expect.arrayContaining([
        { name: "EDGE", value: "1" },
        { name: "EDGE_ID", value: "node-1" },
        { name: "EDGE_KEY", valueFrom: { secretKeyRef: { name: "portainer-agent", key: "EDGE_KEY" } } },
        // Without it the first caller whose key signs owns the agent.
        { name: "AGENT_SECRET", valueFrom: { secretKeyRef: { name: "portainer-agent", key: "AGENT_SECRET" } } },
      ]),
    );
    expect(run.recording.outputs.portainer).toMatchObject({ mode: "edge", agentSecret: expect.any(String) });
    const services = run.deployment.ofType("kubernetes:core/v1:Service").map(({ name }) => name);
    expect(services).not.toContain("platform-portainer-node-port");
  });

  it("trusts the authorities of its server alone, where the section has them", async () => {
    const caCerts = shippedText("test/fixtures/certificates/example-ca.pem");
    const portainerEdgeKey = { secure: "v1:never-read" };
    const run = await sharedRun("edge-nvidia", { portainer: { ...edge, caCerts }, portainerEdgeKey });
    const file = run.deployment.resource("kubernetes:core/v1:ConfigMap", "platform-portainer-authorities");
    expect(file.inputs.data).toEqual({ "ca.pem": caCerts });
    expect(agentOf(run)).toMatchObject({
      env: expect.arrayContaining([
        { name: "SSL_CERT_FILE", value: "/etc/portainer-server/ca.pem" },
        { name: "SSL_CERT_DIR", value: "/etc/portainer-server" },
      ]),
      volumeMounts: expect.arrayContaining([
        { name: "authorities", mountPath: "/etc/portainer-server", readOnly: true },
      ]),
    });
    expect(judge(run).policies.failed).toBe(0);
  });
});

describe("the section portainer", () => {
  it("takes certificates of authorities alone", () => {
    const caCerts = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    expect(told({ portainer: { ...edge, caCerts } }, "portainer")).toEqual([expect.stringContaining("CA:TRUE")]);
  });

  it("is refused in edge mode without its key, which a right file need not have", async () => {
    expect(told({ portainer: edge }, "portainer")).toEqual([]);
    const run = await sharedRun("edge-nvidia", { portainer: edge });
    expect(run.plan.problems.map(({ rule, subject }) => ({ rule, subject }))).toContainEqual({
      rule: "portainer-edge-key",
      subject: "portainerEdgeKey",
    });
  });

  it("takes an https:// URL of a server outside of the cluster", () => {
    for (const url of [
      "http://portainer.example.com:9443",
      "https://portainer.portainer.svc",
      "ftp://portainer.example.com",
    ]) {
      expect(told({ ...rightEnvironment, portainer: { ...edge, url } }, "portainer")).toHaveLength(1);
    }
  });

  it("takes networks of the server, not all addresses", () => {
    expect(told({ ...rightEnvironment, portainer: { ...direct, networks: ["0.0.0.0/0"] } }, "portainer")).toHaveLength(
      1,
    );
    expect(told({ portainer: { ...direct, networks: ["portainer"] } }, "portainer")).toHaveLength(1);
    expect(told({ portainer: direct }, "portainer")).toEqual([]);
  });

  it("is refused without consent to cluster-admin", async () => {
    const run = await sharedRun("edge-nvidia", { portainer: { ...direct, acknowledgeClusterAdmin: false } });
    expect(run.plan.problems).toContainEqual(
      expect.objectContaining({ severity: "mandatory", rule: "portainer-cluster-admin" }),
    );
  });
});

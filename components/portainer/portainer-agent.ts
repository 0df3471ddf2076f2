import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { image } from "../../catalog/images";
import { standardLabels } from "../../names/labels";
import { PORTAINER_NAMESPACE } from "../../names/namespaces";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { named } from "../core/known";
import type { OutsideAddress } from "../core/outside";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { headlessServiceName, Workload } from "../core/workload";
import {
  PORTAINER_AGENT,
  PORTAINER_AGENT_PORT,
  PORTAINER_NODE_PORT,
  PORTAINER_NODES,
  portainerAgentPods,
} from "./names";

/** The Portainer server, and who connects to whom. */
export type PortainerServer =
  /** The server connects to a port of the nodes. */
  | {
      readonly mode: "direct";
      /** Networks in CIDR form that it connects from. */
      readonly networks: readonly string[];
    }
  /** Outgoing only, for nodes behind NAT. */
  | ({
      readonly mode: "edge";
      /** Name of this cluster at the server. */
      readonly id: string;
      /** Port of the server's tunnel. */
      readonly tunnelPort: number;
      /** CAs, PEM. @default public ones */
      readonly caCerts?: string;
    } & OutsideAddress);

export interface PortainerAgentArgs {
  readonly server: PortainerServer;
  /** AGENT_SECRET of the server. @default a random one, which the server must use */
  readonly agentSecret?: pulumi.Input<string>;
  /** Mode edge: the server's key for this cluster. */
  readonly edgeKey?: pulumi.Input<string>;
}

/** ClusterRoleBinding of the agent. */
export const PORTAINER_BINDING = "portainer-agent-cluster-admin";

/** Where the agent finds the authorities of its server. */
const CA_FOLDER = "/etc/portainer-server";
const CA_FILE = "ca.pem";

/** All requests of the server's users run in this role. */
const ROLE = "cluster-admin";

/**
 * Based on portainer/k8s, deploy/manifests/agent: a remote server manages the cluster with all
 * rights. In addition: no root, read-only root file system, ingress from the server only.
 */
export class PortainerAgent extends PlatformComponent {
  /** Undefined in mode edge. */
  readonly nodePort: number | undefined;
  /** Command that prints AGENT_SECRET. */
  readonly agentSecret: string;

  constructor(name: string, args: PortainerAgentArgs, opts?: pulumi.ComponentResourceOptions) {
    super("portainer:PortainerAgent", name, opts);
    const { server } = args;
    const labels = standardLabels(PORTAINER_AGENT, PORTAINER_AGENT);
    const { namespace, bindings } = new IsolatedNamespace(
      this.child("namespace"),
      {
        namespace: PORTAINER_NAMESPACE,
        accounts: [
          {
            account: PORTAINER_AGENT,
            role: ROLE,
            logicalName: this.child("binding"),
            metadata: { name: PORTAINER_BINDING, labels },
          },
        ],
      },
      this.childOptions(),
    );
    const metadata = { name: PORTAINER_AGENT, namespace, labels };
    const content = this.secrets(args);
    const secret = new kubernetes.core.v1.Secret(
      this.child("secret"),
      { metadata, stringData: pulumi.secret(content) },
      this.childOptions(),
    );
    const caCerts = server.mode === "edge" ? server.caCerts : undefined;
    const authorities =
      caCerts === undefined
        ? undefined
        : new kubernetes.core.v1.ConfigMap(
            this.child("authorities"),
            { metadata, data: { [CA_FILE]: caCerts } },
            this.childOptions(),
          );
    new Workload(
      this.child("agent"),
      {
        namespace,
        app: PORTAINER_AGENT,
        instance: PORTAINER_AGENT,
        ports: [{ name: "api", port: PORTAINER_AGENT_PORT }],
        podAnnotations: secretVersion(secret, { ...content, ...(caCerts !== undefined && { caCerts }) }),
        // Its headless Service lists unready pods, and the agent looks itself up at start.
        controller: { kind: "StatefulSet" },
        controllerOptions: { dependsOn: [...bindings] },
        pod: {
          usesKubernetesApi: true,
          priorityClassName: PRIORITY.platform.name,
          ...(authorities && {
            volumes: [{ name: "authorities", configMap: { name: named(authorities, PORTAINER_AGENT) } }],
          }),
          containers: [
            {
              name: "agent",
              image: image("portainer-agent"),
              command: ["/app/agent"],
              // It writes its certificate where it is started.
              workingDir: "/tmp",
              ports: [{ name: "api", containerPort: PORTAINER_AGENT_PORT }],
              env: [
                { name: "LOG_LEVEL", value: "INFO" },
                { name: "KUBERNETES_POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
                { name: "AGENT_CLUSTER_ADDR", value: headlessServiceName(PORTAINER_AGENT) },
                ...(server.mode === "edge"
                  ? [
                      { name: "EDGE", value: "1" },
                      { name: "EDGE_ID", value: server.id },
                    ]
                  : []),
                // No setting for CAs without client certificates (portainer/agent,
                // edge/client/build.go): Go reads these.
                ...(authorities
                  ? [
                      { name: "SSL_CERT_FILE", value: `${CA_FOLDER}/${CA_FILE}` },
                      { name: "SSL_CERT_DIR", value: CA_FOLDER },
                    ]
                  : []),
                ...Object.keys(content).map((key) => ({
                  name: key,
                  valueFrom: { secretKeyRef: { name: named(secret, PORTAINER_AGENT), key } },
                })),
              ],
              writablePaths: ["/tmp", "/data"],
              ...(authorities && { volumeMounts: [{ name: "authorities", mountPath: CA_FOLDER, readOnly: true }] }),
              resources: burstable({ cpu: 0.05, memoryGiB: 0.125 }, { cpu: 0.5, memoryGiB: 0.5 }),
              startupProbe: { tcpSocket: { port: "api" }, periodSeconds: 5, failureThreshold: 24 },
              livenessProbe: { tcpSocket: { port: "api" }, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 3 },
              readinessProbe: { tcpSocket: { port: "api" }, periodSeconds: 10, timeoutSeconds: 5 },
            },
          ],
        },
      },
      this.childOptions(),
    );
    if (server.mode === "direct") {
      new kubernetes.core.v1.Service(
        this.child("node-port"),
        {
          metadata: { ...metadata, name: PORTAINER_NODES },
          spec: {
            type: "NodePort",
            // Keeps the server's address for the NetworkPolicy.
            externalTrafficPolicy: "Local",
            selector: { ...portainerAgentPods.podLabels },
            ports: [{ name: "api", port: PORTAINER_AGENT_PORT, targetPort: "api", nodePort: PORTAINER_NODE_PORT }],
          },
        },
        this.childOptions(),
      );
    }
    this.nodePort = server.mode === "direct" ? PORTAINER_NODE_PORT : undefined;
    this.agentSecret = `kubectl -n ${PORTAINER_NAMESPACE} get secret ${PORTAINER_AGENT} -o jsonpath='{.data.AGENT_SECRET}' | base64 -d`;
    this.registerOutputs({ nodePort: this.nodePort, agentSecret: this.agentSecret });
  }

  /**
   * Without AGENT_SECRET the first signing caller owns the agent; in mode edge its API is plain
   * HTTP, protected by NetworkPolicies alone (portainer/agent, crypto/ecdsa.go, cmd/agent).
   */
  private secrets({ agentSecret, edgeKey }: PortainerAgentArgs): Record<string, pulumi.Input<string>> {
    const made = () =>
      new random.RandomPassword(this.child("agent-secret"), { length: 40, special: false }, this.childOptions()).result;
    return { AGENT_SECRET: agentSecret ?? made(), ...(edgeKey !== undefined && { EDGE_KEY: edgeKey }) };
  }
}

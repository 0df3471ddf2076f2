import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { RANCHER_FLEET_NAMESPACE, RANCHER_NAMESPACE } from "../../names/namespaces";
import { ROOT_CONTAINER } from "../../names/pod-security";
import { authorityChecksum } from "../../names/rancher";
import { type HardenedContainer, hardenedPodSpec } from "../core/hardened-pod";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { connectedProbe } from "./connected-probe";
import { RANCHER, RANCHER_AGENT_LABELS, RANCHER_REGISTRATION } from "./names";

export interface RancherAgentArgs {
  /** The server's setting server-url. */
  readonly url: string;
  /** CA, PEM. @default a public one */
  readonly caCerts?: string;
  /** Token by which the agent registers the cluster. */
  readonly token: pulumi.Input<string>;
}

/** Where the agent reads its credentials (rancher/rancher v2.15.0, cmd/agent). */
const CREDENTIALS = "/cattle-credentials";

/** All verbs, as in the server's manifest: its users act through the agent. */
const RULES = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

/**
 * Based on rancher/rancher v2.15.0, pkg/systemtemplate: a tunnel gives the server all rights. Once
 * connected, the server applies its own manifest, which decides image and variables.
 */
export class RancherAgent extends PlatformComponent {
  constructor(name: string, args: RancherAgentArgs, opts?: pulumi.ComponentResourceOptions) {
    super("rancher:RancherAgent", name, opts);
    const labels = standardLabels("rancher-agent", RANCHER.agent);
    const role = new kubernetes.rbac.v1.ClusterRole(
      this.child("role"),
      { metadata: { name: RANCHER.role, labels }, rules: RULES },
      this.childOptions(),
    );
    const { namespace, bindings } = new IsolatedNamespace(
      this.child("namespace"),
      {
        namespace: RANCHER_NAMESPACE,
        accounts: [
          {
            account: RANCHER.account,
            role: named(role, RANCHER.role),
            logicalName: this.child("binding"),
            metadata: { name: RANCHER.binding, labels },
          },
        ],
      },
      this.childOptions(),
    );
    // Fleet's agent comes from the server; k3s' default level would refuse it.
    new IsolatedNamespace(this.child("fleet"), { namespace: RANCHER_FLEET_NAMESPACE }, this.childOptions());
    const account = new kubernetes.core.v1.ServiceAccount(
      this.child("account"),
      { metadata: { name: RANCHER.account, namespace, labels }, automountServiceAccountToken: false },
      this.childOptions(),
    );
    const { url, caCerts, token } = args;
    // The token registers; later credentials name the cluster.
    const content = { url, token, namespace: "" };
    const secret = new kubernetes.core.v1.Secret(
      this.child("registration"),
      { metadata: { name: RANCHER_REGISTRATION, namespace, labels }, stringData: pulumi.secret(content) },
      this.childOptions(),
    );
    const checksum = authorityChecksum(caCerts);
    new kubernetes.apps.v1.Deployment(
      this.child("agent"),
      {
        metadata: {
          name: RANCHER.agent,
          namespace,
          labels,
          annotations: {
            ...secretVersion(secret, { ...content, checksum }),
            // Readiness depends on a remote server.
            "pulumi.com/skipAwait": "true",
          },
        },
        spec: {
          replicas: 1,
          revisionHistoryLimit: 3,
          selector: { matchLabels: { ...RANCHER_AGENT_LABELS } },
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          template: {
            metadata: { labels: { ...labels, ...RANCHER_AGENT_LABELS } },
            spec: this.podSpec(named(account, RANCHER.account), named(secret, RANCHER_REGISTRATION), { url, checksum }),
          },
        },
      },
      this.childOptions({
        dependsOn: [...bindings],
        // From the first connection on they are the server's.
        ignoreChanges: ["spec"],
        // Another server, token or authority: a new agent registers.
        replaceOnChanges: [`metadata.annotations["${ANNOTATIONS.secretVersion}"]`],
        deleteBeforeReplace: true,
      }),
    );
    this.registerOutputs();
  }

  private podSpec(
    serviceAccountName: pulumi.Input<string>,
    secretName: pulumi.Input<string>,
    { url, checksum }: { readonly url: string; readonly checksum: string },
  ): kubernetes.types.input.core.v1.PodSpec {
    const variables = {
      CATTLE_SERVER: url,
      CATTLE_CA_CHECKSUM: checksum,
      CATTLE_CLUSTER: "true",
      CATTLE_K8S_MANAGED: "true",
      CATTLE_CREDENTIAL_NAME: RANCHER_REGISTRATION,
      // Trusts only the CA of the checksum; else the image's.
      STRICT_VERIFY: String(checksum !== ""),
    };
    const agent: HardenedContainer = {
      name: RANCHER.container,
      image: image("rancher-agent"),
      env: Object.entries(variables).map(([name, value]) => ({ name, value })),
      volumeMounts: [{ name: RANCHER.credentials, mountPath: CREDENTIALS, readOnly: true }],
      resources: burstable({ cpu: 0.1, memoryGiB: 0.5 }, { cpu: 1, memoryGiB: 2 }),
      readinessProbe: { exec: { command: connectedProbe({ url }) }, periodSeconds: 10, timeoutSeconds: 5 },
    };
    const spec = hardenedPodSpec({
      serviceAccountName,
      usesKubernetesApi: true,
      priorityClassName: PRIORITY.platform.name,
      volumes: [{ name: RANCHER.credentials, secret: { secretName, defaultMode: 0o500 } }],
      containers: [agent],
    });
    return {
      ...spec,
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      containers: (spec.containers as kubernetes.types.input.core.v1.Container[]).map((container) => ({
        ...container,
        securityContext: ROOT_CONTAINER,
      })),
    };
  }
}

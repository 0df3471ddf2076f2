import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../kubernetes/object";
import { moduleFolder, requirePart } from "../parts/find";
import { ApiClient } from "./api-client";
import type { ControlPlane } from "./control-plane";
import { freePorts } from "./ports";

export const LWS_MODULE = "sigs.k8s.io/lws";

/**
 * Kind that the controller requires at startup, without its 1.5 MB schema, which costs the API
 * server seconds.
 */
const DISAGGREGATED_SETS: KubernetesObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "disaggregatedsets.disaggregatedset.x-k8s.io" },
  spec: {
    group: "disaggregatedset.x-k8s.io",
    scope: "Namespaced",
    names: {
      kind: "DisaggregatedSet",
      listKind: "DisaggregatedSetList",
      plural: "disaggregatedsets",
      singular: "disaggregatedset",
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        subresources: { status: {} },
      },
    ],
  },
};

/** Webhook registered second to last: once it answers, those of LeaderWorkerSets do too. */
const POD_WEBHOOK = "/mutate--v1-pod";

/**
 * Starts the LeaderWorkerSet controller with webhooks, which set labels and variables of group
 * pods. Requires its CRD.
 *
 * @throws Error with the controller's log when it fails to start; Error with the install command.
 */
export async function runGroupController(plane: ControlPlane): Promise<void> {
  await plane.client.create(DISAGGREGATED_SETS);
  const [port = 0] = await freePorts(1);
  const certDir = join(plane.folder, "lws-certificates");
  mkdirSync(certDir);
  copyFileSync(plane.certificate.certificate, join(certDir, "tls.crt"));
  copyFileSync(plane.certificate.key, join(certDir, "tls.key"));
  const config = join(plane.folder, "lws-manager.json");
  writeFileSync(config, JSON.stringify(settings(port, certDir)));

  const manager = plane.run(requirePart("lws-manager"), [`--config=${config}`], { KUBECONFIG: plane.kubeconfig });
  const ca = readFileSync(plane.certificate.certificate, "utf8");
  const webhooks = new ApiClient({ port, ca, token: "" });
  try {
    await manager.ready(async () => ((await webhooks.request("GET", POD_WEBHOOK)).status === 404 ? undefined : true));
  } finally {
    webhooks.close();
  }
  const configurations = await webhookConfigurations(port, ca);
  await Promise.all(configurations.map((configuration) => plane.client.create(configuration)));
}

function settings(port: number, certDir: string): object {
  return {
    apiVersion: "config.lws.x-k8s.io/v1alpha1",
    kind: "Configuration",
    webhook: { host: "127.0.0.1", port, certDir },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    metrics: { bindAddress: "0" },
    health: { healthProbeBindAddress: "0" },
  };
}

interface Webhook {
  readonly clientConfig: { readonly service: { readonly path: string } };
}

interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks: readonly Webhook[];
}

interface Replacement {
  /** `/webhooks/<index>` */
  readonly path: string;
  readonly value: Webhook;
}

/** The module's webhooks, patched as by its kustomization, at a local address. */
async function webhookConfigurations(port: number, ca: string): Promise<KubernetesObject[]> {
  const folder = join(await moduleFolder(LWS_MODULE), "config", "webhook");
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  const patches: Readonly<Record<string, string>> = {
    MutatingWebhookConfiguration: "mutating-patch.yaml",
    ValidatingWebhookConfiguration: "validating-patch.yaml",
  };
  return parseAllDocuments(read("manifests.yaml"))
    .map((document) => document.toJS() as WebhookConfiguration)
    .map((configuration) => {
      const replacements = parse(read(patches[configuration.kind] ?? "")) as readonly Replacement[];
      const webhooks = configuration.webhooks.map((webhook, index) => {
        const { clientConfig, ...rest } =
          replacements.find(({ path }) => path === `/webhooks/${index}`)?.value ?? webhook;
        const url = `https://127.0.0.1:${port}${clientConfig.service.path}`;
        return { ...rest, clientConfig: { url, caBundle: Buffer.from(ca).toString("base64") } };
      });
      return { ...configuration, webhooks };
    });
}

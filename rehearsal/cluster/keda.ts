/**
 * Real KEDA: operator, external metrics server and webhooks as local processes. The operator has
 * the roles of its module, as in the chart; the others are administrators.
 *
 * Flags of keda v2.21.0, cmd/{operator,adapter,webhooks}/main.go, tried on 2026-11-23.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../kubernetes/object";
import { moduleFolder, requirePart } from "../parts/find";
import { aggregate, servingName } from "./aggregation";
import { Authority } from "./authority";
import { installChartCrds } from "./chart-crds";
import type { ControlPlane } from "./control-plane";
import { accessOf, kubeconfigOf } from "./kubeconfig";
import type { Program } from "./lifeline";
import { freePorts } from "./ports";
import { waitFor } from "./wait";

export const KEDA_MODULE = "github.com/kedacore/keda/v2";
/** API that only one server per cluster can serve. */
export const EXTERNAL_METRICS = "v1beta1.external.metrics.k8s.io";

const NAMESPACE = "keda";
const METRICS_SERVER = { service: "keda-operator-metrics-apiserver", namespace: NAMESPACE };

export interface Keda {
  /** May be stopped and restarted, as in a node failure. */
  readonly operator: Program;
  /** Address of the operator's metrics. */
  readonly operatorMetrics: string;
}

/**
 * Starts KEDA, which ends with the control plane.
 *
 * @param plane with aggregation.
 * @throws Error with the log of a program that failed to start; Error with the install command.
 */
export async function runKeda(plane: ControlPlane): Promise<Keda> {
  const { client } = plane;
  await Promise.all([
    client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }),
    installChartCrds(client, "keda"),
  ]);
  const { folder, ca } = certificates(plane);
  const ports = await freePorts(8);
  const [grpc = 0, operatorMetrics = 0, operatorHealth = 0, api = 0, apiMetrics = 0, ...ofWebhooks] = ports;
  const operatorKubeconfig = await operatorAccount(plane);
  const env = {
    KUBECONFIG: plane.kubeconfig,
    // All of them.
    WATCH_NAMESPACE: "",
    POD_NAMESPACE: NAMESPACE,
    KEDA_CLUSTER_OBJECT_NAMESPACE: NAMESPACE,
  };
  const operator = plane.run(
    requirePart("keda-operator"),
    [
      "--leader-elect=false",
      `--cert-dir=${folder}`,
      `--metrics-service-bind-address=127.0.0.1:${grpc}`,
      `--metrics-bind-address=127.0.0.1:${operatorMetrics}`,
      `--health-probe-bind-address=127.0.0.1:${operatorHealth}`,
      "--enable-webhook-patching=false",
      "--enable-apiservice-patching=false",
    ],
    { ...env, KUBECONFIG: operatorKubeconfig },
    { restarts: true },
  );
  const metricsServer = plane.run(
    requirePart("keda-metrics-server"),
    [
      ...["kubeconfig", "lister-kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map(
        (flag) => `--${flag}=${plane.kubeconfig}`,
      ),
      `--metrics-service-address=localhost:${grpc}`,
      `--cert-dir=${folder}`,
      `--tls-cert-file=${join(folder, "tls.crt")}`,
      `--tls-private-key-file=${join(folder, "tls.key")}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${api}`,
      `--port=${apiMetrics}`,
    ],
    env,
  );
  await Promise.all([
    operator.ready(() => answers(`http://127.0.0.1:${operatorHealth}/readyz`)),
    metricsServer.ready(() => answers(`http://127.0.0.1:${apiMetrics}/metrics`)),
    runWebhooks(plane, { folder, ca, env, ports: ofWebhooks }),
  ]);
  await aggregate(client, EXTERNAL_METRICS, { ...METRICS_SERVER, port: api, ca });
  return { operator, operatorMetrics: `http://127.0.0.1:${operatorMetrics}/metrics` };
}

async function answers(url: string): Promise<true | undefined> {
  return (await fetch(url)).ok ? true : undefined;
}

const OPERATOR_ACCOUNT = "keda-operator";

/** Creates the operator's account and roles. Returns its kubeconfig. */
async function operatorAccount(plane: ControlPlane): Promise<string> {
  const { client } = plane;
  const account = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: OPERATOR_ACCOUNT, namespace: NAMESPACE },
  };
  await client.apply(account);
  const roles = join(await moduleFolder(KEDA_MODULE), "config", "rbac");
  const objects = ["role.yaml", "role_binding.yaml"].flatMap((file) =>
    parseAllDocuments(readFileSync(join(roles, file), "utf8")).map((document) => document.toJS() as KubernetesObject),
  );
  await Promise.all(objects.map((object) => client.apply(object)));
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 86_400 } };
  const { body } = await client.request("POST", `${await client.path(account)}/token`, JSON.stringify(request));
  const { token } = (body as { readonly status: { readonly token: string } }).status;
  const file = join(plane.folder, "keda-operator-kubeconfig");
  writeFileSync(file, kubeconfigOf({ ...accessOf(readFileSync(plane.kubeconfig, "utf8")), token }), { mode: 0o600 });
  return file;
}

/** One certificate for all three, as in the chart: the operator requires client certificates. */
function certificates(plane: ControlPlane): { folder: string; ca: string } {
  const folder = join(plane.folder, "keda-certificates");
  mkdirSync(folder);
  const authority = new Authority();
  try {
    const names = ["DNS:localhost", "IP:127.0.0.1", `DNS:${servingName(METRICS_SERVER)}`];
    const issued = authority.issue(names, { commonName: NAMESPACE, uses: ["serverAuth", "clientAuth"] });
    for (const [file, content] of Object.entries(issued)) {
      writeFileSync(join(folder, file), content, { mode: 0o600 });
    }
    return { folder, ca: issued["ca.crt"] };
  } finally {
    authority.discard();
  }
}

interface WebhookSurroundings {
  readonly folder: string;
  readonly ca: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
}

interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[];
}

/** KEDA's admission webhooks, registered at a local address with failure policy Fail. */
async function runWebhooks(plane: ControlPlane, { folder, ca, env, ports }: WebhookSurroundings): Promise<void> {
  const [port = 0, metrics = 0, health = 0] = ports;
  const webhooks = plane.run(
    requirePart("keda-webhooks"),
    [
      `--port=${port}`,
      `--cert-dir=${folder}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
    ],
    env,
  );
  await webhooks.ready(() => answers(`http://127.0.0.1:${health}/readyz`));
  const file = join(await moduleFolder(KEDA_MODULE), "config", "webhooks", "validation_webhooks.yaml");
  const registration = parse(readFileSync(file, "utf8")) as WebhookConfiguration;
  const caBundle = Buffer.from(ca).toString("base64");
  const configured = {
    ...registration,
    webhooks: registration.webhooks.map(({ clientConfig, ...rest }) => ({
      ...rest,
      // A silent webhook must fail the tests that rely on it.
      failurePolicy: "Fail",
      clientConfig: { url: `https://127.0.0.1:${port}${clientConfig.service.path}`, caBundle },
    })),
  };
  await plane.client.apply(configured);
  await waitFor("KEDA's webhooks to be asked", async () => {
    const { status } = await plane.client.request("POST", `${SCALED_OBJECTS}?dryRun=All`, JSON.stringify(REFUSED));
    return status === FORBIDDEN ? true : undefined;
  });
}

const SCALED_OBJECTS = `/apis/keda.sh/v1alpha1/namespaces/${NAMESPACE}/scaledobjects`;
const FORBIDDEN = 403;

const TRIGGER = {
  type: "cron",
  name: "twice",
  metadata: { timezone: "UTC", start: "0 8 * * *", end: "0 9 * * *", desiredReplicas: "1" },
};

/** Accepted by the API server unless KEDA's webhook refuses it: two triggers with one name. */
const REFUSED: KubernetesObject = {
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name: "refused", namespace: NAMESPACE },
  spec: { scaleTargetRef: { name: "nothing" }, triggers: [TRIGGER, TRIGGER] },
};

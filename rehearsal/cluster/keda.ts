/**
 * The real KEDA: its operator, its server of external metrics and its webhooks, each a process of this machine. The operator has the
 * rights of its own module's roles, of which the chart's are a copy; the others have an administrator's.
 *
 * Flags as of keda v2.21.0, cmd/{operator,adapter,webhooks}/main.go, tried on 2026-11-23.
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

/** The Go module of KEDA. */
export const KEDA_MODULE = "github.com/kedacore/keda/v2";
/** The API that one server of a cluster can answer for. */
export const EXTERNAL_METRICS = "v1beta1.external.metrics.k8s.io";

const NAMESPACE = "keda";
const METRICS_SERVER = { service: "keda-operator-metrics-apiserver", namespace: NAMESPACE };

export interface Keda {
  /** May be ended and started again, as with a node that goes. */
  readonly operator: Program;
  /** Where Prometheus reads the operator's own series. */
  readonly operatorMetrics: string;
}

/**
 * Starts KEDA, which ends with the control plane.
 *
 * @param plane with aggregation.
 * @throws Error with the log of the program that did not start; Error that names the command which installs it.
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

/** The operator's account with its roles. Returns its kubeconfig. */
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

/** One certificate for all three, as the chart has it: the operator asks its clients for theirs. */
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

/** KEDA's admission of its own objects, by the module's registration at an address of this machine; it fails closed here. */
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
      // A webhook that does not answer must fail the test that counts on it.
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

/** What the API server takes until it asks KEDA: two triggers of one name. */
const REFUSED: KubernetesObject = {
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name: "refused", namespace: NAMESPACE },
  spec: { scaleTargetRef: { name: "nothing" }, triggers: [TRIGGER, TRIGGER] },
};

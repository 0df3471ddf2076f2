/**
 * The real Argo CD: its application controller and repository server, with a Redis, each a process of this machine. They are configured by
 * the ConfigMaps that the chart makes of the values that the program gives it, and by the program's own Secrets.
 *
 * Variables as the chart's StatefulSet has them (argo-helm, argo-cd 10.1.1).
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { ARGO_API, ARGO_CD_SECRETS } from "../../../components/argo-cd/names";
import { ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import type { Program } from "../../../rehearsal/cluster/lifeline";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { moduleFolder, requirePart } from "../../../rehearsal/parts/find";
import type { FakeInternet } from "./internet";

const ARGO_CD_MODULE = "github.com/argoproj/argo-cd/v3";

const texts = z.record(z.string(), z.coerce.string());

/** Volumes of Secrets, as the chart has its pods mount them. */
const pod = z.looseObject({
  volumes: z.array(
    z.object({
      name: z.string(),
      secret: z.object({ secretName: z.string(), items: z.array(z.object({ key: z.string(), path: z.string() })) }),
    }),
  ),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true) })),
});

/** As much of the chart's values as becomes ConfigMaps and files. */
const chartValues = z.looseObject({
  configs: z.looseObject({
    cm: texts,
    params: texts,
    rbac: texts,
    tls: z.object({ certificates: texts }).default({ certificates: {} }),
  }),
  controller: pod,
  repoServer: pod,
});

/** Its page makes this project when it starts, which does not run here: it allows everything. */
const DEFAULT_PROJECT = {
  apiVersion: ARGO_API,
  kind: "AppProject",
  metadata: { name: "default", namespace: ARGO_CD_NAMESPACE },
  spec: {
    sourceRepos: ["*"],
    destinations: [{ server: "*", namespace: "*" }],
    clusterResourceWhitelist: [{ group: "*", kind: "*" }],
  },
};

/** Where Argo CD looks for the files by which its repository server knows its clients, unless it is told. */
const CERTIFICATES = "/app/config/reposerver/mtls";

/** Parameters that the controller reads as variables; those of the page (`server.`) are of a program that does not run here. */
const VARIABLES: Readonly<Record<string, string>> = {
  "application.namespaces": "ARGOCD_APPLICATION_NAMESPACES",
  "controller.diff.server.side": "ARGOCD_APPLICATION_CONTROLLER_SERVER_SIDE_DIFF",
};

/** Settings of argocd-cm that the controller and the repository server read as variables; each has those that it knows. */
const TIMES: Readonly<Record<string, string>> = {
  "timeout.reconciliation": "ARGOCD_RECONCILIATION_TIMEOUT",
  "timeout.reconciliation.jitter": "ARGOCD_RECONCILIATION_JITTER",
};

export interface ArgoCd {
  readonly controller: Program;
  readonly repoServer: Program;
  /** Where the repository server listens, on 127.0.0.1. */
  readonly repoPort: number;
}

/**
 * Starts Argo CD, which ends with the control plane. Its namespace, definitions and Secrets are there already.
 *
 * @param values of its chart, as the program gives them.
 */
export async function runArgoCd(plane: ControlPlane, values: unknown, internet: FakeInternet): Promise<ArgoCd> {
  const { configs, ...pods } = chartValues.parse(values);
  await applySettings(plane, configs);
  await plane.client.apply(DEFAULT_PROJECT);
  const [redisPort = 0, repoPort = 0, repoMetrics = 0, metrics = 0] = await freePorts(4);
  const folder = join(plane.folder, "argo-cd");
  const bin = programs(folder);
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, internet.authority);
  for (const [host, certificate] of Object.entries(configs.tls.certificates)) {
    writeFileSync(join(folder, host), certificate);
  }
  const filesOfServer = await mount(plane, pods.repoServer, join(folder, "repo-server"));
  const filesOfController = await mount(plane, pods.controller, join(folder, "controller"));
  const password = await redisPassword(plane);
  plane.run(requirePart("redis-server"), [
    ...["--port", String(redisPort), "--bind", "127.0.0.1", "--requirepass", password],
    ...["--save", "", "--appendonly", "no", "--dir", folder],
  ]);
  const env = {
    PATH: [bin, process.env.PATH].join(delimiter),
    HOME: folder,
    TMPDIR: folder,
    ARGOCD_GPG_ENABLED: "false",
    ARGOCD_TLS_DATA_PATH: folder,
    REDIS_PASSWORD: password,
    REDIS_SERVER: `127.0.0.1:${redisPort}`,
    ...parameters(configs.params),
    ...times(configs.cm),
  };
  const common = ["--namespace", ARGO_CD_NAMESPACE, "--logformat", "text"];
  const repoServer = plane.run(
    requirePart("argocd"),
    [
      "--address",
      "127.0.0.1",
      "--port",
      String(repoPort),
      "--metrics-port",
      String(repoMetrics),
      "--logformat",
      "text",
    ],
    {
      ...env,
      ARGOCD_BINARY_NAME: "argocd-repo-server",
      ARGOCD_REPO_SERVER_CLIENT_CA_PATH: join(filesOfServer, CERTIFICATES, "client-ca.crt"),
      ARGOCD_ASK_PASS_SOCK: join(folder, "ask-pass.sock"),
      HTTPS_PROXY: internet.proxy,
      NO_PROXY: "127.0.0.1",
      SSL_CERT_FILE: authority,
      // With an authority of its own in the environment's file, the repository's server is trusted by that one alone.
      ...(Object.keys(configs.tls.certificates).length === 0 && { GIT_SSL_CAINFO: authority }),
    },
  );
  await repoServer.ready(() => answers(`http://127.0.0.1:${repoMetrics}/metrics`));
  const controller = plane.run(
    requirePart("argocd"),
    [...common, "--metrics-port", String(metrics), "--repo-server", `127.0.0.1:${repoPort}`],
    {
      ...env,
      ARGOCD_BINARY_NAME: "argocd-application-controller",
      ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_CLIENT_CERT_PATH: join(filesOfController, CERTIFICATES, "client.crt"),
      ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_CLIENT_CERT_KEY_PATH: join(
        filesOfController,
        CERTIFICATES,
        "client.key",
      ),
      // Where a pod finds the cluster that it runs in. The repository server gets no account, as its pod has none.
      ARGOCD_FAKE_IN_CLUSTER: "true",
      KUBECONFIG: plane.kubeconfig,
    },
    { restarts: true },
  );
  await controller.ready(() => answers(`http://127.0.0.1:${metrics}/healthz`));
  return { controller, repoServer, repoPort };
}

/** What it calls by name: itself for passwords, and what renders folders and charts. */
function programs(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(requirePart("argocd"), join(bin, "argocd"));
  symlinkSync(requirePart("helm-4"), join(bin, "helm"));
  symlinkSync(requirePart("kustomize"), join(bin, "kustomize"));
  // The image's script that asks for a commit's signature, which it does whether a project wants one or not: there is none.
  writeFileSync(join(bin, "git-verify-wrapper.sh"), "#!/bin/sh\n", { mode: 0o755 });
  return bin;
}

function parameters(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const ofController = Object.entries(params).filter(([name]) => !name.startsWith("server."));
  return Object.fromEntries(
    ofController.map(([name, value]) => {
      const variable = VARIABLES[name];
      if (variable === undefined) {
        throw new Error(
          `configs.params.${name}: say in test/nightly/gitops/argo-cd.ts which variable the chart makes of it`,
        );
      }
      return [variable, value];
    }),
  );
}

function times(cm: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(TIMES).flatMap(([key, variable]) => (cm[key] === undefined ? [] : [[variable, cm[key]]])),
  );
}

/** The chart's defaults, which are those of Argo CD's own manifests, under what the program sets. */
async function applySettings({ client }: ControlPlane, configs: z.output<typeof chartValues>["configs"]) {
  const file = join(await moduleFolder(ARGO_CD_MODULE), "manifests/base/config/argocd-cm.yaml");
  const { data: defaults = {} } = z.looseObject({ data: texts.optional() }).parse(parse(readFileSync(file, "utf8")));
  const maps = {
    "argocd-cm": { ...defaults, ...configs.cm },
    "argocd-cmd-params-cm": configs.params,
    "argocd-rbac-cm": configs.rbac,
  };
  for (const [name, data] of Object.entries(maps)) {
    await client.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: ARGO_CD_NAMESPACE, labels: { "app.kubernetes.io/part-of": "argocd" } },
      data,
    });
  }
}

/** Writes what a pod's volumes have, as its kubelet does. @returns the folder that stands for its root. */
async function mount(plane: ControlPlane, { volumes, volumeMounts }: z.output<typeof pod>, root: string) {
  for (const { name, mountPath } of volumeMounts) {
    const { secret } = volumes.find((volume) => volume.name === name) ?? missingVolume(name);
    const content = await secretOf(plane, secret.secretName);
    mkdirSync(join(root, mountPath), { recursive: true });
    for (const { key, path } of secret.items) {
      writeFileSync(join(root, mountPath, path), content[key] ?? missingVolume(`${name}: ${key}`));
    }
  }
  return root;
}

function missingVolume(what: string): never {
  throw new Error(`the pod would not start: no volume ${what}`);
}

async function redisPassword(plane: ControlPlane): Promise<string> {
  return (await secretOf(plane, ARGO_CD_SECRETS.redis)).auth ?? missingVolume("of Redis");
}

async function secretOf({ client }: ControlPlane, name: string): Promise<Readonly<Record<string, string>>> {
  const found = await client.get({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: ARGO_CD_NAMESPACE },
  });
  const { data } = z.looseObject({ data: z.record(z.string(), z.string()) }).parse(found);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
}

async function answers(url: string): Promise<true | undefined> {
  return (await fetch(url)).ok ? true : undefined;
}

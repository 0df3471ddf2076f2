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
import { ARGO_CD_SECRETS } from "../../../components/argo-cd/names";
import { ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import type { Program } from "../../../rehearsal/cluster/lifeline";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { moduleFolder, requirePart } from "../../../rehearsal/parts/find";
import type { FakeInternet } from "./internet";

const ARGO_CD_MODULE = "github.com/argoproj/argo-cd/v3";

const texts = z.record(z.string(), z.coerce.string());

/** As much of the chart's values as becomes ConfigMaps. */
const chartValues = z.looseObject({ configs: z.looseObject({ cm: texts, params: texts, rbac: texts }) });

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
}

/**
 * Starts Argo CD, which ends with the control plane. Its namespace, definitions and Secrets are there already.
 *
 * @param values of its chart, as the program gives them.
 */
export async function runArgoCd(plane: ControlPlane, values: unknown, internet: FakeInternet): Promise<ArgoCd> {
  const { configs } = chartValues.parse(values);
  await applySettings(plane, configs);
  const [redisPort = 0, repoPort = 0, repoMetrics = 0, metrics = 0] = await freePorts(4);
  const folder = join(plane.folder, "argo-cd");
  const bin = programs(folder);
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, internet.authority);
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
      ARGOCD_ASK_PASS_SOCK: join(folder, "ask-pass.sock"),
      HTTPS_PROXY: internet.proxy,
      NO_PROXY: "127.0.0.1",
      SSL_CERT_FILE: authority,
      GIT_SSL_CAINFO: authority,
    },
  );
  await repoServer.ready(() => answers(`http://127.0.0.1:${repoMetrics}/metrics`));
  const controller = plane.run(
    requirePart("argocd"),
    [...common, "--metrics-port", String(metrics), "--repo-server", `127.0.0.1:${repoPort}`],
    {
      ...env,
      ARGOCD_BINARY_NAME: "argocd-application-controller",
      // Where a pod finds the cluster that it runs in. The repository server gets no account, as its pod has none.
      ARGOCD_FAKE_IN_CLUSTER: "true",
      KUBECONFIG: plane.kubeconfig,
    },
    { restarts: true },
  );
  await controller.ready(() => answers(`http://127.0.0.1:${metrics}/healthz`));
  return { controller, repoServer };
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

async function redisPassword({ client }: ControlPlane): Promise<string> {
  const metadata = { name: ARGO_CD_SECRETS.redis, namespace: ARGO_CD_NAMESPACE };
  const found = await client.get({ apiVersion: "v1", kind: "Secret", metadata });
  const { data } = z.looseObject({ data: z.object({ auth: z.string() }) }).parse(found);
  return Buffer.from(data.auth, "base64").toString();
}

async function answers(url: string): Promise<true | undefined> {
  return (await fetch(url)).ok ? true : undefined;
}

/** Sidecar that registers a node with its group's registrar (docs/nodes.md, "Registrar"). */

import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { standardLabels } from "../../names/labels";
import type { RegistrarPlan } from "../../planner/inference-nodes";
import { NODE_REGISTRATION } from "../../planner/sidecars";
import type { ModelPlan } from "../../planner/types";
import { hashOf, jobScripts, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { guaranteed } from "../core/resources";
import type { NodeSidecar } from "./node-sidecar";
import { NODE_HEALTH_PATH, NODE_INFER_PATH, NODE_PORTS } from "./ports";
import type { RegistrationSettings } from "./scripts/registration";

const NAME = "node-registration";
const SCRIPT = "registration.ts";
const KEY = { volume: "registrar-key", folder: "/etc/registrar-key", file: "key" } as const;
const AUTHORITIES = { volume: "registrar-ca", folder: "/etc/registrar-ca", file: "ca.crt" } as const;

export interface RegistrationArgs {
  readonly namespace: pulumi.Input<string>;
  readonly model: Pick<ModelPlan, "name" | "servedName" | "engine">;
  readonly group: string;
  readonly registrar: RegistrarPlan;
  readonly key?: pulumi.Output<string> | undefined;
}

/**
 * Never affects pod readiness and liveness. A new key is read from the file; other changes need a
 * new pod.
 *
 * @throws Error if the registrar requires a missing key; validation refuses that earlier.
 */
export function registration(
  logicalName: string,
  args: RegistrationArgs,
  opts: pulumi.CustomResourceOptions,
): NodeSidecar {
  const { namespace } = args;
  const scripts = jobScripts(
    `${logicalName}-scripts`,
    {
      namespace,
      name: NAME,
      folder: "components/node/scripts",
      files: [SCRIPT, "membership.ts", "registrar.ts"],
      volume: NAME,
    },
    opts,
  );
  const key = registrarKey(`${logicalName}-key`, args, opts);
  const authorities = registrarAuthorities(`${logicalName}-ca`, args, opts);
  const files = [...(key ? [key] : []), ...(authorities ? [authorities] : [])];
  const settings = settingsOf(args);
  return {
    // Excludes the key: pods reload it, without loading weights again.
    hash: hashOf([scripts.hash, args.registrar.authorities?.text]),
    volumes: [scripts.volume, ...files],
    container: {
      name: "registration",
      restartPolicy: "Always",
      image: image("node"),
      command: ["node", scriptPath(SCRIPT)],
      env: [
        { name: "RUN", value: "registration" },
        { name: "REGISTRATION", value: JSON.stringify(settings) },
        { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      ],
      ports: [{ name: "registration", containerPort: NODE_PORTS.registration }],
      volumeMounts: [
        scripts.mount,
        ...[KEY, AUTHORITIES]
          .filter(({ volume }) => files.some(({ name }) => name === volume))
          .map(({ volume, folder }) => ({ name: volume, mountPath: folder, readOnly: true })),
      ],
      resources: guaranteed(NODE_REGISTRATION),
      // preStop hooks of all containers run at once before any container stops; a sidecar gets
      // SIGTERM last (Kubernetes 1.36, pkg/kubelet/kuberuntime/kuberuntime_container.go,
      // killContainer; read 2026-11-23).
      lifecycle: { preStop: { exec: { command: ["/bin/sh", "-c", "kill -USR2 1"] } } },
    },
  };
}

function settingsOf({ model, group, registrar }: RegistrationArgs): RegistrationSettings {
  return {
    registrar: registrar.url.replace(/\/+$/, ""),
    group,
    model: model.servedName,
    engine: model.engine,
    renewSeconds: registrar.renewSeconds,
    port: NODE_PORTS.http,
    health: NODE_HEALTH_PATH,
    infer: NODE_INFER_PATH,
    metricsPort: NODE_PORTS.registration,
    ...(registrar.secretKey !== undefined && { keyFile: `${KEY.folder}/${KEY.file}` }),
    ...(registrar.authorities && { authoritiesFile: `${AUTHORITIES.folder}/${AUTHORITIES.file}` }),
  };
}

function registrarKey(
  logicalName: string,
  { namespace, model, group, registrar, key }: RegistrationArgs,
  opts: pulumi.CustomResourceOptions,
): NodeSidecar["volumes"][number] | undefined {
  if (registrar.secretKey === undefined) {
    return undefined;
  }
  if (key === undefined) {
    throw new Error(`nodes.${group}: the secret ${registrar.secretKey} is not set`);
  }
  const secret = new kubernetes.core.v1.Secret(
    logicalName,
    {
      metadata: { name: KEY.volume, namespace, labels: standardLabels(NAME, model.name) },
      stringData: { [KEY.file]: key },
    },
    opts,
  );
  return { name: KEY.volume, secret: { secretName: named(secret, KEY.volume) } };
}

function registrarAuthorities(
  logicalName: string,
  { namespace, model, registrar: { authorities } }: RegistrationArgs,
  opts: pulumi.CustomResourceOptions,
): NodeSidecar["volumes"][number] | undefined {
  if (authorities === undefined) {
    return undefined;
  }
  const configMap = new kubernetes.core.v1.ConfigMap(
    logicalName,
    {
      metadata: { name: AUTHORITIES.volume, namespace, labels: standardLabels(NAME, model.name) },
      data: { [AUTHORITIES.file]: authorities.text },
    },
    opts,
  );
  return { name: AUTHORITIES.volume, configMap: { name: named(configMap, AUTHORITIES.volume) } };
}

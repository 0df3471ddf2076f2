import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { VALKEY_PORT } from "../../names/services";
import { hashOf } from "./job-scripts";
import { named } from "./known";
import { PRIORITY } from "./priority-classes";
import { type ContainerResources, volumeClaimSpec } from "./resources";
import { secretVersion } from "./secret-version";
import { Workload } from "./workload";

export const PASSWORD_KEY = "password";

const DATA_FOLDER = "/data";
const CONFIG_FOLDER = "/etc/valkey";
const SECRET_FOLDER = "/run/valkey";
const PASSWORD_CONFIG = "password.conf";

export interface ValkeyArgs {
  readonly namespace: pulumi.Input<string>;
  /** Name of the Service, StatefulSet, Secret and ConfigMap. */
  readonly instance: string;
  /** Additional valkey.conf directives besides port, folder and password, one per line. */
  readonly settings: readonly string[];
  readonly resources: ContainerResources;
  /** Persistent volume, deleted with the StatefulSet. @default memory only */
  readonly volume?: { readonly sizeGiB: number; readonly storageClass: string | undefined };
}

/** A single password-protected Valkey in a hardened pod. Never two, which would split the data. */
export class Valkey {
  readonly workload: Workload;
  readonly secret: kubernetes.core.v1.Secret;
  /** Annotation for pods that read the Secret at start. */
  readonly secretVersion: Record<string, pulumi.Output<string>>;

  /** @param name prefix of logical names; all children have the parent of `opts`. */
  constructor(name: string, args: ValkeyArgs, opts: { readonly parent: pulumi.Resource }) {
    const { namespace, instance, volume } = args;
    const metadata = { name: instance, namespace, labels: standardLabels(instance, instance) };
    const password = new random.RandomPassword(`${name}-password`, { length: 40, special: false }, opts);
    const content = {
      [PASSWORD_KEY]: password.result,
      [PASSWORD_CONFIG]: pulumi.interpolate`requirepass ${password.result}\n`,
    };
    this.secret = new kubernetes.core.v1.Secret(
      `${name}-secret`,
      { metadata, stringData: pulumi.secret(content) },
      opts,
    );
    this.secretVersion = secretVersion(this.secret, content);
    const data = { "valkey.conf": configuration(args.settings) };
    const config = new kubernetes.core.v1.ConfigMap(`${name}-config`, { metadata, data }, opts);
    const ping = { exec: { command: ["sh", "-c", PING] }, timeoutSeconds: 5 };

    this.workload = new Workload(
      `${name}-server`,
      {
        namespace,
        app: instance,
        instance,
        ports: [{ name: "redis", port: VALKEY_PORT }],
        podAnnotations: {
          [ANNOTATIONS.configHash]: hashOf(data),
          ...this.secretVersion,
        },
        controller: {
          kind: "StatefulSet",
          ...(volume && {
            volumeClaims: [{ metadata: { name: "data" }, spec: volumeClaimSpec(volume.sizeGiB, volume.storageClass) }],
            claimRetention: { whenDeleted: "Delete", whenScaled: "Retain" },
          }),
        },
        pod: {
          priorityClassName: PRIORITY.platform.name,
          volumes: [
            { name: "config", configMap: { name: named(config, instance) } },
            { name: "password", secret: { secretName: named(this.secret, instance) } },
          ],
          containers: [
            {
              name: instance,
              image: image("valkey"),
              command: ["valkey-server", `${CONFIG_FOLDER}/valkey.conf`],
              ports: [{ name: "redis", containerPort: VALKEY_PORT }],
              volumeMounts: [
                ...(volume ? [{ name: "data", mountPath: DATA_FOLDER }] : []),
                { name: "config", mountPath: CONFIG_FOLDER, readOnly: true },
                { name: "password", mountPath: SECRET_FOLDER, readOnly: true },
              ],
              ...(!volume && { writablePaths: [DATA_FOLDER] }),
              resources: args.resources,
              startupProbe: { ...ping, periodSeconds: 2, failureThreshold: 60 },
              readinessProbe: { ...ping, periodSeconds: 10 },
              livenessProbe: {
                tcpSocket: { port: "redis" },
                periodSeconds: 10,
                timeoutSeconds: 5,
                failureThreshold: 6,
              },
            },
          ],
        },
      },
      opts,
    );
  }
}

/** Client ping. Passes the password by environment: command lines are readable. */
const PING = `VALKEYCLI_AUTH="$(cat ${SECRET_FOLDER}/${PASSWORD_KEY})" valkey-cli ping | grep -q PONG`;

/** valkey.conf of Valkey 9. */
function configuration(settings: readonly string[]): string {
  const lines = [
    `port ${VALKEY_PORT}`,
    `dir ${DATA_FOLDER}`,
    ...settings,
    `include ${SECRET_FOLDER}/${PASSWORD_CONFIG}`,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

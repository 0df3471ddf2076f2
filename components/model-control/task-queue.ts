import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { QUEUE } from "../../names/services";
import { hashOf } from "../core/job-scripts";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable, volumeClaimSpec } from "../core/resources";
import { Workload } from "../core/workload";
import { QUEUE_PORT } from "./names";

/** Key of the password in the queue's Secret. */
export const PASSWORD_KEY = "password";

const DATA_FOLDER = "/data";
const CONFIG_FOLDER = "/etc/valkey";
const SECRET_FOLDER = "/run/valkey";
const PASSWORD_CONFIG = "password.conf";
/** Tasks are a few hundred bytes each, and those that are done go after a day. */
const VOLUME_GIB = 1;

export interface TaskQueueArgs {
  readonly namespace: pulumi.Input<string>;
  /** @default the cluster's default class */
  readonly storageClass: string | undefined;
}

/**
 * Valkey on one volume, with every write logged to it: tasks outlive a restart of it and of the API. What is lost with the
 * volume are unfinished tasks, and which models were used last; the models themselves are on the engines.
 */
export class TaskQueue extends PlatformComponent {
  readonly workload: Workload;
  readonly secret: kubernetes.core.v1.Secret;

  constructor(name: string, args: TaskQueueArgs, opts?: pulumi.ComponentResourceOptions) {
    super("model-control:TaskQueue", name, opts);
    const metadata = { name: QUEUE, namespace: args.namespace, labels: standardLabels(QUEUE, QUEUE) };
    const password = new random.RandomPassword(
      this.child("password"),
      { length: 40, special: false },
      this.childOptions(),
    );
    this.secret = new kubernetes.core.v1.Secret(
      this.child("secret"),
      {
        metadata,
        stringData: pulumi.secret({
          [PASSWORD_KEY]: password.result,
          [PASSWORD_CONFIG]: pulumi.interpolate`requirepass ${password.result}\n`,
        }),
      },
      this.childOptions(),
    );
    const data = { "valkey.conf": VALKEY_CONFIG };
    const config = new kubernetes.core.v1.ConfigMap(this.child("config"), { metadata, data }, this.childOptions());
    const ping = { exec: { command: ["sh", "-c", PING] }, timeoutSeconds: 5 };

    this.workload = new Workload(
      this.child("server"),
      {
        namespace: args.namespace,
        app: QUEUE,
        instance: QUEUE,
        ports: [{ name: "redis", port: QUEUE_PORT }],
        podAnnotations: {
          [ANNOTATIONS.configHash]: hashOf(data),
          [ANNOTATIONS.secretVersion]: this.secret.metadata.resourceVersion,
        },
        controller: {
          kind: "StatefulSet",
          volumeClaims: [{ metadata: { name: "data" }, spec: volumeClaimSpec(VOLUME_GIB, args.storageClass) }],
          claimRetention: { whenDeleted: "Delete", whenScaled: "Retain" },
        },
        pod: {
          priorityClassName: PRIORITY.platform.name,
          volumes: [
            { name: "config", configMap: { name: config.metadata.name } },
            {
              name: "password",
              secret: { secretName: this.secret.metadata.name },
            },
          ],
          containers: [
            {
              name: QUEUE,
              image: image("valkey"),
              command: ["valkey-server", `${CONFIG_FOLDER}/valkey.conf`],
              ports: [{ name: "redis", containerPort: QUEUE_PORT }],
              volumeMounts: [
                { name: "data", mountPath: DATA_FOLDER },
                { name: "config", mountPath: CONFIG_FOLDER, readOnly: true },
                { name: "password", mountPath: SECRET_FOLDER, readOnly: true },
              ],
              // A rewrite of the log forks: at worst it takes the data's memory twice.
              resources: burstable({ cpu: 0.05, memoryGiB: 0.125 }, { cpu: 1, memoryGiB: 0.5 }),
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
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}

/** Asks for an answer as a client. The password goes through the environment: a command line could be read. */
const PING = `VALKEYCLI_AUTH="$(cat ${SECRET_FOLDER}/${PASSWORD_KEY})" valkey-cli ping | grep -q PONG`;

/** Settings of Valkey 9. A queue must never lose an entry to make room: `noeviction`, as BullMQ demands. */
const VALKEY_CONFIG = `port ${QUEUE_PORT}
dir ${DATA_FOLDER}
appendonly yes
appendfsync everysec
save ""
maxmemory 192mb
maxmemory-policy noeviction
include ${SECRET_FOLDER}/${PASSWORD_CONFIG}
`;

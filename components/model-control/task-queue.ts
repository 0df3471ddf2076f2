import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { QUEUE } from "../../names/services";
import { PlatformComponent } from "../core/platform-component";
import { burstable } from "../core/resources";
import { Valkey } from "../core/valkey";
import type { Workload } from "../core/workload";
import type { QueueSize } from "./queue-size";

export interface TaskQueueArgs {
  readonly namespace: pulumi.Input<string>;
  /** @default the cluster's default class */
  readonly storageClass: string | undefined;
  readonly size: QueueSize;
}

/**
 * Valkey on one volume with an append-only log: tasks survive restarts. Losing the volume loses
 * only unfinished tasks and usage times; engines hold the models.
 */
export class TaskQueue extends PlatformComponent {
  readonly workload: Workload;
  readonly secret: kubernetes.core.v1.Secret;
  /** Annotation for pods that read the Secret at start. */
  readonly secretVersion: Valkey["secretVersion"];

  constructor(name: string, args: TaskQueueArgs, opts?: pulumi.ComponentResourceOptions) {
    super("model-control:TaskQueue", name, opts);
    const { workload, secret, secretVersion } = new Valkey(
      this.componentName,
      {
        namespace: args.namespace,
        instance: QUEUE,
        settings: settings(args.size),
        resources: burstable({ cpu: 0.05, memoryGiB: 0.125 }, { cpu: 1, memoryGiB: args.size.podMemoryGiB }),
        volume: { sizeGiB: args.size.volumeGiB, storageClass: args.storageClass },
      },
      this.childOptions(),
    );
    this.workload = workload;
    this.secret = secret;
    this.secretVersion = secretVersion;
    this.registerOutputs({});
  }
}

/** A queue must never evict entries: `noeviction`, as BullMQ requires. */
function settings({ maxMemoryMiB }: QueueSize): string[] {
  return [
    "appendonly yes",
    "appendfsync everysec",
    'save ""',
    `maxmemory ${maxMemoryMiB}mb`,
    "maxmemory-policy noeviction",
  ];
}

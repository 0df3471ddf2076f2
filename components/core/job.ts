import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "./gone-component";
import { type HardenedPodArgs, hardenedPodSpec } from "./hardened-pod";

export interface RunToCompletionArgs {
  readonly namespace: pulumi.Input<string>;
  readonly app: string;
  readonly instance: string;
  readonly labels?: Labels;
  readonly podAnnotations?: Readonly<Record<string, pulumi.Input<string>>>;
  readonly pod: Omit<HardenedPodArgs, "restartPolicy">;
  /** Attempts after the first one. @default 4 */
  readonly retries?: number;
  /** The Job fails after this many seconds in all: size it from bytes and link speed. */
  readonly deadlineSeconds: number;
  readonly dependsOn?: pulumi.Input<pulumi.Resource>[];
}

/**
 * A Job that must succeed for the deployment to succeed: Pulumi waits for it, and a failure fails the
 * update loudly. Its work must be idempotent: a change of its spec runs it again.
 */
export function runToCompletion(
  name: string,
  args: RunToCompletionArgs,
  opts: OptionsOfGone = {},
): kubernetes.batch.v1.Job {
  const labels = standardLabels(args.app, args.instance, args.labels);
  return new kubernetes.batch.v1.Job(
    `${name}-job`,
    {
      metadata: { name: args.instance, namespace: args.namespace, labels },
      spec: {
        backoffLimit: args.retries ?? 4,
        activeDeadlineSeconds: args.deadlineSeconds,
        // A drained or preempted pod is no failed attempt.
        podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
        template: {
          metadata: { labels, ...(args.podAnnotations && { annotations: { ...args.podAnnotations } }) },
          spec: hardenedPodSpec({ ...args.pod, restartPolicy: "Never" }),
        },
      },
    },
    pulumi.mergeOptions(
      { ...opts, aliases: childrenOfGone("core:RunToCompletion", name, opts) },
      {
        dependsOn: args.dependsOn ?? [],
        // Pod templates of Jobs are immutable; the name is fixed, so the old Job goes first.
        deleteBeforeReplace: true,
        customTimeouts: { create: `${args.deadlineSeconds + 60}s` },
      },
    ),
  );
}

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
  /** Attempts after the first. @default 4 */
  readonly retries?: number;
  /** Total seconds before the Job fails: derive from bytes and link speed. */
  readonly deadlineSeconds: number;
  readonly dependsOn?: pulumi.Input<pulumi.Resource>[];
}

/**
 * A Job that must succeed: its failure fails the update. Must be idempotent: a changed spec runs it
 * again.
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
        // Draining and preemption are not failed attempts.
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
        // Pod templates of Jobs are immutable and the name is fixed: delete before replacing.
        deleteBeforeReplace: true,
        customTimeouts: { create: `${args.deadlineSeconds + 60}s` },
      },
    ),
  );
}

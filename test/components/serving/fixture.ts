import { Serving, type ServingArgs } from "../../../components/serving/serving";
import { isMounted } from "../../../engines/sources";
import type { ModelPlan } from "../../../planner/types";
import { type Deployment, deploy, type RecordedResource } from "../../harness/deploy";
import { modelStore } from "../storage/fixture";

export interface DeployedServing {
  readonly deployment: Deployment;
  readonly serving: Serving;
}

/** Models on their engines, with a store for those that need one. */
export async function deployServing(
  models: readonly ModelPlan[],
  overrides: Partial<ServingArgs> = {},
): Promise<DeployedServing> {
  const made: Serving[] = [];
  const deployment = await deploy(() => {
    const stored = models.some(({ source }) => source.kind !== "ollama" && !isMounted(source));
    made.push(
      new Serving("serving", {
        models,
        store: stored ? modelStore({ models }) : undefined,
        cluster: { storageClass: "encrypted" },
        stage: "production",
        ...overrides,
      }),
    );
  });
  const [serving] = made;
  if (serving === undefined) {
    throw new Error("the program made no serving component");
  }
  return { deployment, serving };
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly [source: string]: unknown }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly runtimeClassName?: string;
  readonly terminationGracePeriodSeconds: number;
  readonly nodeSelector?: unknown;
  readonly affinity?: unknown;
  readonly tolerations?: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly envFrom?: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> };
  readonly [field: string]: unknown;
}

interface WithTemplate {
  readonly template: { readonly metadata: { readonly annotations: Record<string, string> }; readonly spec: PodSpec };
}

/** Pod template of a Deployment, StatefulSet or Job. */
export function podTemplate(resource: RecordedResource): WithTemplate["template"] {
  return (resource.inputs.spec as WithTemplate).template;
}

/** The container of that name. */
export function container(pod: PodSpec, name: string): Container {
  const found = [...(pod.initContainers ?? []), ...pod.containers].find((c) => c.name === name);
  if (!found) {
    throw new Error(`no container named "${name}"`);
  }
  return found;
}

/** What runs in a container before its engine is told to stop. */
export function preStop({ lifecycle }: Container): string {
  return (
    lifecycle as { readonly preStop: { readonly exec: { readonly command: string[] } } }
  ).preStop.exec.command.join(" ");
}

/** Literal values of a container's environment. */
export function literals({ env }: Container): Record<string, string> {
  return Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

/** Spec of a resource, as plain data. */
export function specOf(resource: RecordedResource): Record<string, unknown> {
  return resource.inputs.spec as Record<string, unknown>;
}

import type * as pulumi from "@pulumi/pulumi";
import type { ModelPlan } from "../../planner/types";
import type { HardenedPodArgs } from "../core/hardened-pod";
import { hashOf } from "../core/job-scripts";
import { PlatformComponent } from "../core/platform-component";
import type { ServicePort } from "../core/workload";
import { nodeProxy } from "./node-proxy";
import type { NodeSidecar } from "./node-sidecar";
import { NODE_PORTS } from "./ports";
import { registration } from "./registration";

export interface InferenceNodeArgs {
  readonly model: ModelPlan;
  readonly namespace: pulumi.Input<string>;
  /** Port of the engine's API in the pod. @default the engine's own */
  readonly enginePort?: number;
  /** Key for the group's registrar. @default none */
  readonly registrarKey?: pulumi.Output<string> | undefined;
}

/**
 * Adds an Envoy to an engine pod, which becomes a node of a server group. As a native sidecar it
 * starts before the engine, outlives it during draining, and determines pod readiness.
 */
export class InferenceNode extends PlatformComponent {
  readonly ports: readonly ServicePort[] = [{ name: "node", port: NODE_PORTS.http }];
  /** Hash of all sidecar inputs: a change restarts the pods. */
  readonly hash: string;

  private readonly sidecars: readonly NodeSidecar[];

  constructor(name: string, args: InferenceNodeArgs, opts?: pulumi.ComponentResourceOptions) {
    super("node:InferenceNode", name, opts);
    this.sidecars = [nodeProxy(this.child("envoy"), args, this.childOptions()), ...this.registration(args)];
    this.hash = hashOf(this.sidecars.map(({ hash }) => hash));
    this.registerOutputs({});
  }

  private registration({ model, namespace, registrarKey: key }: InferenceNodeArgs): NodeSidecar[] {
    const { group, registrar } = model.node ?? {};
    return group === undefined || registrar === undefined
      ? []
      : [registration(this.child("registration"), { namespace, model, group, registrar, key }, this.childOptions())];
  }

  /** The pod with node sidecars before the engine's own. */
  around(pod: HardenedPodArgs): HardenedPodArgs {
    return {
      ...pod,
      initContainers: [...this.sidecars.map(({ container }) => container), ...(pod.initContainers ?? [])],
      volumes: [...(pod.volumes ?? []), ...this.sidecars.flatMap(({ volumes }) => volumes)],
    };
  }
}

/** Undefined if the model is in no server group. */
export function inferenceNode(
  name: string,
  args: InferenceNodeArgs,
  opts: pulumi.ComponentResourceOptions,
): InferenceNode | undefined {
  return args.model.node && new InferenceNode(name, args, opts);
}

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
  /** What the group's registrar asks for as key. @default it asks for none */
  readonly registrarKey?: pulumi.Output<string> | undefined;
}

/**
 * What makes a pod with an engine a node of a server group: an Envoy beside it, configuration only. It is a native sidecar (an init
 * container that stays), so that it is there before the engine and outlives it while the pod drains, and its readiness is the pod's.
 */
export class InferenceNode extends PlatformComponent {
  /** Ports of the Service in front of the nodes. */
  readonly ports: readonly ServicePort[] = [{ name: "node", port: NODE_PORTS.http }];
  /** Of all that the sidecars read: a change rolls the pods. */
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

  /** The pod with the node's sidecars, which come before the engine's own. */
  around(pod: HardenedPodArgs): HardenedPodArgs {
    return {
      ...pod,
      initContainers: [...this.sidecars.map(({ container }) => container), ...(pod.initContainers ?? [])],
      volumes: [...(pod.volumes ?? []), ...this.sidecars.flatMap(({ volumes }) => volumes)],
    };
  }
}

/** Makes a node of a model's pods, where the model is in a server group. */
export function inferenceNode(
  name: string,
  args: InferenceNodeArgs,
  opts: pulumi.ComponentResourceOptions,
): InferenceNode | undefined {
  return args.model.node && new InferenceNode(name, args, opts);
}

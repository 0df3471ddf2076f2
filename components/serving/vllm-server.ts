import type * as pulumi from "@pulumi/pulumi";
import { VLLM_PORT } from "../../engines/vllm";
import type { ModelPlan } from "../../planner/types";
import type { Connection } from "../core/connections";
import { hashOf } from "../core/job-scripts";
import { PlatformComponent } from "../core/platform-component";
import { inferenceNode } from "../node/inference-node";
import type { ModelEndpoint } from "./endpoint";
import { deploymentEndpoint, engineDeployment } from "./engine-deployment";
import { modelNamespace } from "./model-namespace";
import { type ControlAccess, type ModelServer, type ModelServerArgs, serviceControl } from "./model-server";
import { modelWeights } from "./model-weights";
import { modelReplicas } from "./pod-settings";
import { vllmArguments } from "./vllm-args";
import { vllmFiles } from "./vllm-files";
import { vllmPod } from "./vllm-pod";
import { vllmProbes } from "./vllm-probes";
import { vllmWeights } from "./vllm-weights";

const APP = "vllm";

/** One model on vLLM, each replica on one node. */
export class VllmServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  static endpointOf(model: ModelPlan, control: ControlAccess | undefined): ModelEndpoint {
    return {
      ...deploymentEndpoint(APP, model),
      ...(control && { control: serviceControl("vllm", model, VLLM_PORT) }),
    };
  }

  /** Its weights come from the model store, which knows its readers, or from a mounted volume. */
  static connectionsOf(): readonly Connection[] {
    return [];
  }

  /** @throws Error when the model's source is in the model store, and there is none. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:VllmServer", name, opts);
    const { model } = args;
    this.endpoint = VllmServer.endpointOf(model, args.control);
    const namespace = modelNamespace(
      this.child("space"),
      {
        model,
        control: args.control && { ...args.control, scale: this.endpoint.scale },
      },
      this.childOptions(),
    );
    const { weights, ready } = modelWeights(
      (part) => this.child(part),
      args,
      namespace,
      vllmWeights,
      this.childOptions(),
    );
    const files = vllmFiles((part) => this.child(part), model, namespace, this.childOptions());
    engineDeployment(
      this.child("server"),
      {
        model,
        node: inferenceNode(
          this.child("node"),
          { model, namespace, registrarKey: args.registrarKey },
          this.childOptions(),
        ),
        ready,
        namespace,
        app: APP,
        hash: files.length > 0 ? hashOf([weights.hash, ...files.map((each) => each.hash)]) : weights.hash,
        replicas: modelReplicas(model, args.control),
        ports: [{ name: "http", port: VLLM_PORT }],
        pod: vllmPod({
          ...args,
          weights,
          files,
          arguments: vllmArguments(model, weights.location),
          probes: vllmProbes(model),
        }),
      },
      this.childOptions(),
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

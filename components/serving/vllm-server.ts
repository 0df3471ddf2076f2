import type * as pulumi from "@pulumi/pulumi";
import { VLLM_PORT } from "../../engines/vllm";
import { ANNOTATIONS, MODEL_LABEL, selectorLabels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import type { Connection } from "../core/connections";
import { hashOf } from "../core/job-scripts";
import { PlatformComponent } from "../core/platform-component";
import { Workload } from "../core/workload";
import { chatTemplate } from "./chat-template";
import type { ModelEndpoint } from "./endpoint";
import { modelNamespace } from "./model-namespace";
import {
  type ControlAccess,
  type ModelServer,
  type ModelServerArgs,
  modelOf,
  requireStore,
  serverName,
  serviceControl,
} from "./model-server";
import { deployTimeouts, IMAGE_PULL_SECONDS, memoryAnnotations, modelReplicas } from "./pod-settings";
import { httpProbes } from "./probes";
import { vllmArguments } from "./vllm-args";
import { vllmPod } from "./vllm-pod";
import { vllmWeights } from "./vllm-weights";

const APP = "vllm";

/** One model on vLLM, each replica on one node. */
export class VllmServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  static endpointOf(model: ModelPlan, control: ControlAccess | undefined): ModelEndpoint {
    const instance = serverName(model.name);
    return {
      ...modelOf(model),
      service: instance,
      podLabels: selectorLabels(APP, instance),
      scale: { apiVersion: "apps/v1", kind: "Deployment", name: instance },
      ...(control && { control: serviceControl("vllm", model, VLLM_PORT) }),
    };
  }

  /** Its weights come from the model store, which knows its readers. */
  static connectionsOf(): readonly Connection[] {
    return [];
  }

  /** @throws Error when there is no model store, or the model's source is not in it. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:VllmServer", name, opts);
    const { model } = args;
    this.endpoint = VllmServer.endpointOf(model, args.control);
    const store = requireStore(args);
    const instance = serverName(model.name);
    const namespace = modelNamespace(
      this.child("space"),
      {
        model,
        control: args.control && { ...args.control, scale: this.endpoint.scale },
      },
      this.childOptions(),
    );
    const access = store.grant(this.child("weights"), model, namespace, this.childOptions());
    const weights = vllmWeights(this.child("fetch"), model, namespace, access, this.childOptions());
    const template = chatTemplate(this.child("template"), model, namespace, this.childOptions());
    const deadline = IMAGE_PULL_SECONDS + model.startupBudgetSeconds;

    new Workload(
      this.child("server"),
      {
        namespace,
        app: APP,
        instance,
        labels: { [MODEL_LABEL]: model.name },
        podAnnotations: {
          ...memoryAnnotations(model),
          [ANNOTATIONS.configHash]: template ? hashOf([weights.hash, template.hash]) : weights.hash,
        },
        replicas: modelReplicas(model, args.control),
        headless: true,
        ports: [{ name: "http", port: VLLM_PORT }],
        // No GPU is left for an extra pod.
        controller: { kind: "Deployment", surge: model.resources.gpus === 0, progressDeadlineSeconds: deadline },
        controllerOptions: { dependsOn: store.whenFilled(model.name), customTimeouts: deployTimeouts(deadline) },
        pod: vllmPod({
          ...args,
          weights,
          chatTemplate: template,
          arguments: vllmArguments(model, weights.location),
          probes: httpProbes(model),
        }),
      },
      this.childOptions(),
    );

    this.registerOutputs({ endpoint: this.endpoint });
  }
}

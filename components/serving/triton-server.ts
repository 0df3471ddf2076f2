import type * as pulumi from "@pulumi/pulumi";
import { TRITON_PORTS } from "../../engines/triton";
import { ANNOTATIONS, MODEL_LABEL, selectorLabels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import type { Connection } from "../core/connections";
import type { HardenedPodArgs } from "../core/hardened-pod";
import { PlatformComponent } from "../core/platform-component";
import { Workload } from "../core/workload";
import { copiedWeights, type Weights } from "./copied-weights";
import type { ModelEndpoint } from "./endpoint";
import { enginePod } from "./engine-pod";
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
import {
  deployTimeouts,
  IMAGE_PULL_SECONDS,
  memoryAnnotations,
  modelReplicas,
  modelVariables,
  variables,
} from "./pod-settings";
import { httpProbes } from "./probes";
import { tritonArguments } from "./triton-args";
import { tritonRepository } from "./triton-repository";

const APP = "triton";
const CACHE_FOLDER = "/cache";

/** Ports of the Service: HTTP for the gateway, gRPC for clients in the cluster that a connection is declared for. */
const PORTS = [
  { name: "http", port: TRITON_PORTS.http },
  { name: "grpc", port: TRITON_PORTS.grpc },
];

/** One model repository on Triton, each replica on one node. */
export class TritonServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  static endpointOf(model: ModelPlan, control: ControlAccess | undefined): ModelEndpoint {
    const instance = serverName(model.name);
    return {
      ...modelOf(model),
      service: instance,
      podLabels: selectorLabels(APP, instance),
      scale: { apiVersion: "apps/v1", kind: "Deployment", name: instance },
      ...(control && { control: serviceControl("triton", model, TRITON_PORTS.http) }),
    };
  }

  /** Its repository comes from the model store, which knows its readers. */
  static connectionsOf(): readonly Connection[] {
    return [];
  }

  /** @throws Error when there is no model store, or the model's source is not in it. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:TritonServer", name, opts);
    const { model } = args;
    this.endpoint = TritonServer.endpointOf(model, args.control);
    const store = requireStore(args);
    const namespace = modelNamespace(
      this.child("space"),
      { model, control: args.control && { ...args.control, scale: this.endpoint.scale } },
      this.childOptions(),
    );
    const access = store.grant(this.child("weights"), model, namespace, this.childOptions());
    const weights = copiedWeights(this.child("fetch"), model, namespace, access, this.childOptions());
    const repository = tritonRepository(this.child("repository"), model, namespace, weights, this.childOptions());
    const deadline = IMAGE_PULL_SECONDS + model.startupBudgetSeconds;

    new Workload(
      this.child("server"),
      {
        namespace,
        app: APP,
        instance: serverName(model.name),
        labels: { [MODEL_LABEL]: model.name },
        podAnnotations: { ...memoryAnnotations(model), [ANNOTATIONS.configHash]: repository.hash },
        replicas: modelReplicas(model, args.control),
        headless: true,
        ports: PORTS,
        // No GPU is left for an extra pod.
        controller: { kind: "Deployment", surge: false, progressDeadlineSeconds: deadline },
        controllerOptions: { dependsOn: store.whenFilled(model.name), customTimeouts: deployTimeouts(deadline) },
        pod: tritonPod(args, repository),
      },
      this.childOptions(),
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

function tritonPod({ model, gpu }: ModelServerArgs, repository: Weights): HardenedPodArgs {
  return enginePod({
    model,
    gpu,
    name: APP,
    weights: repository,
    command: ["tritonserver"],
    arguments: tritonArguments(model, repository.location),
    port: TRITON_PORTS.http,
    furtherPorts: [
      { name: "grpc", containerPort: TRITON_PORTS.grpc },
      { name: "metrics", containerPort: TRITON_PORTS.metrics },
    ],
    environment: [...tritonEnvironment(), ...repository.environment, ...modelVariables(model, gpu)],
    writablePaths: ["/tmp", CACHE_FOLDER],
    probes: httpProbes(model),
  });
}

/** Everything that is cached lies in one writable folder: the root file system is read-only. Nothing is fetched at start. */
function tritonEnvironment() {
  return variables({
    HOME: CACHE_FOLDER,
    XDG_CACHE_HOME: CACHE_FOLDER,
    HF_HOME: `${CACHE_FOLDER}/huggingface`,
    TORCHINDUCTOR_CACHE_DIR: `${CACHE_FOLDER}/inductor`,
    HF_HUB_OFFLINE: "1",
    // PyTorch asks for the name of the user, and a numeric user has no entry in /etc/passwd.
    USER: "inference",
  });
}

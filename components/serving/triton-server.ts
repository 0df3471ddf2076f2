import type * as pulumi from "@pulumi/pulumi";
import { TRITON_PORTS } from "../../engines/triton";
import type { ModelPlan } from "../../planner/types";
import type { Connection } from "../core/connections";
import type { HardenedPodArgs } from "../core/hardened-pod";
import { PlatformComponent } from "../core/platform-component";
import { inferenceNode } from "../node/inference-node";
import { localWeights, type Weights } from "./copied-weights";
import type { ModelEndpoint } from "./endpoint";
import { deploymentEndpoint, engineDeployment } from "./engine-deployment";
import { enginePod } from "./engine-pod";
import { modelNamespace } from "./model-namespace";
import {
  type ControlAccess,
  type ModelServer,
  type ModelServerArgs,
  requireStore,
  serviceControl,
} from "./model-server";
import { modelReplicas, modelVariables, variables } from "./pod-settings";
import { httpProbes } from "./probes";
import { tritonArguments } from "./triton-args";
import { tritonRepository } from "./triton-repository";

const APP = "triton";
const CACHE_FOLDER = "/cache";

/** HTTP for the gateway, gRPC for declared clients in the cluster. */
const PORTS = [
  { name: "http", port: TRITON_PORTS.http },
  { name: "grpc", port: TRITON_PORTS.grpc },
];

/** One model repository on Triton, each replica on one node. */
export class TritonServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  static endpointOf(model: ModelPlan, control: ControlAccess | undefined): ModelEndpoint {
    return {
      ...deploymentEndpoint(APP, model),
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
    const weights = localWeights(this.child("fetch"), model, namespace, access, this.childOptions());
    const repository = tritonRepository(this.child("repository"), model, namespace, weights, this.childOptions());
    engineDeployment(
      this.child("server"),
      {
        model,
        node: inferenceNode(
          this.child("node"),
          { model, namespace, registrarKey: args.registrarKey },
          this.childOptions(),
        ),
        ready: store.whenFilled(model.name),
        namespace,
        app: APP,
        hash: repository.hash,
        replicas: modelReplicas(model, args.control),
        ports: PORTS,
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

/** The root file system is read-only: caches share one folder. Nothing is fetched. */
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

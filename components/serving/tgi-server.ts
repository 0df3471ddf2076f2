import type * as pulumi from "@pulumi/pulumi";
import { TGI_PORT } from "../../engines/tgi";
import type { ModelPlan } from "../../planner/types";
import type { Connection } from "../core/connections";
import { PlatformComponent } from "../core/platform-component";
import { inferenceNode } from "../node/inference-node";
import { localWeights } from "./copied-weights";
import { whileCounted } from "./drain";
import type { ModelEndpoint } from "./endpoint";
import { deploymentEndpoint, engineDeployment } from "./engine-deployment";
import { enginePod } from "./engine-pod";
import { modelNamespace } from "./model-namespace";
import type { ModelServer, ModelServerArgs } from "./model-server";
import { modelWeights } from "./model-weights";
import { modelReplicas, modelVariables } from "./pod-settings";
import { httpProbes } from "./probes";
import { TGI_COMMAND, TGI_FOLDERS, tgiArguments, tgiEnvironment } from "./tgi-args";

const APP = "tgi";

/** A legacy engine: one node per replica, without model control. */
export class TgiServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  static endpointOf(model: ModelPlan): ModelEndpoint {
    return deploymentEndpoint(APP, model);
  }

  /** Its weights come from the model store, which knows its readers, or from a mounted volume. */
  static connectionsOf(): readonly Connection[] {
    return [];
  }

  /** @throws Error when the model's source is in the model store, and there is none. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:TgiServer", name, opts);
    const { model, gpu } = args;
    this.endpoint = TgiServer.endpointOf(model);
    const namespace = modelNamespace(this.child("space"), { model }, this.childOptions());
    const { weights, ready } = modelWeights(
      (part) => this.child(part),
      args,
      namespace,
      localWeights,
      this.childOptions(),
    );
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
        hash: weights.hash,
        replicas: modelReplicas(model, undefined),
        ports: [{ name: "http", port: TGI_PORT }],
        pod: enginePod({
          model,
          gpu,
          weights,
          name: APP,
          command: TGI_COMMAND,
          arguments: tgiArguments(model, weights.location),
          port: TGI_PORT,
          environment: [...tgiEnvironment(), ...weights.environment, ...modelVariables(model, gpu)],
          writablePaths: TGI_FOLDERS,
          probes: httpProbes(model),
          // It gives its router 90 s, whatever a request may take (launcher/src/main.rs of 3.3.7).
          busy: whileCounted(model),
        }),
      },
      this.childOptions(),
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

/** The other half: `components/serving/phantom-server.ts`. */
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../../components/core/platform-component";
import { modelResources } from "../../../components/core/resources";
import { Workload } from "../../../components/core/workload";
import type { ModelEndpoint } from "../../../components/serving/endpoint";
import { engineImage } from "../../../components/serving/engine-image";
import { modelNamespace } from "../../../components/serving/model-namespace";
import { type ModelServer, type ModelServerArgs, modelOf, serverName } from "../../../components/serving/model-server";
import { memoryAnnotations, modelReplicas } from "../../../components/serving/pod-settings";
import { MODEL_LABEL, selectorLabels } from "../../../names/labels";
import type { ModelPlan } from "../../../planner/types";
import { phantom } from "./engine";

const APP = "phantom";

export class PhantomServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  static endpointOf(model: ModelPlan): ModelEndpoint {
    const instance = serverName(model.name);
    return {
      ...modelOf(model),
      service: instance,
      podLabels: selectorLabels(APP, instance),
      scale: { apiVersion: "apps/v1", kind: "Deployment", name: instance },
    };
  }

  static connectionsOf() {
    return [];
  }

  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:PhantomServer", name, opts);
    const { model } = args;
    this.endpoint = PhantomServer.endpointOf(model);
    const namespace = modelNamespace(this.child("space"), { model }, this.childOptions());
    new Workload(
      this.child("server"),
      {
        namespace,
        app: APP,
        instance: serverName(model.name),
        labels: { [MODEL_LABEL]: model.name },
        replicas: modelReplicas(model, undefined),
        headless: true,
        ports: [{ name: "http", port: phantom.ports.openai ?? 0 }],
        controller: { kind: "Deployment", surge: false },
        podAnnotations: memoryAnnotations(model),
        pod: {
          nodeSelector: model.nodeSelector,
          tolerations: model.tolerations,
          priorityClassName: "model-serving",
          containers: [
            {
              name: APP,
              image: engineImage(model),
              args: [
                ...Object.entries(model.args ?? {}).map(([flag, value]) => `--${flag}=${value}`),
                ...(model.engineSettings?.glow ? ["--glow"] : []),
              ],
              resources: modelResources(model, phantom.sidecar),
              readinessProbe: { httpGet: { path: phantom.health.ready, port: phantom.ports.openai ?? 0 } },
            },
          ],
        },
      },
      this.childOptions(),
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

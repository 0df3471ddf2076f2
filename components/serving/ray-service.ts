import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { SERVE_PORT } from "../../engines/ray";
import { ANNOTATIONS, MODEL_LABEL, selectorLabels, standardLabels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import { type Connection, connect } from "../core/connections";
import { customResource } from "../core/custom-resource";
import { EVICTS_UNREADY_PODS } from "../core/disruption-budget";
import { hardenedPodSpec } from "../core/hardened-pod";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { chatTemplate } from "./chat-template";
import { leavingSeconds } from "./drain";
import type { ModelEndpoint } from "./endpoint";
import { modelNamespace } from "./model-namespace";
import { type ModelServer, type ModelServerArgs, modelOf, serverName } from "./model-server";
import { modelWeights } from "./model-weights";
import { deployTimeouts, IMAGE_PULL_SECONDS, memoryAnnotations } from "./pod-settings";
import { clusterStateConnection, rayClusterState } from "./ray-cluster-state";
import { RAY_APP, type RayRole, rayLabels, rayPods } from "./ray-names";
import { rayOperator } from "./ray-operator";
import { headPod, type RayPod, workerPod } from "./ray-pods";
import { serveConfig } from "./ray-serve-config";
import type { IRayService } from "./ray-service-resource";
import { vllmWeights } from "./vllm-weights";

/**
 * A RayService with one worker per replica. The plan sets the number: neither Ray nor Serve scales.
 */
export class RayService extends PlatformComponent implements ModelServer {
  static readonly controller = rayOperator;

  readonly endpoint: ModelEndpoint;

  /** The operator drives engines, not model control. */
  static endpointOf(model: ModelPlan): ModelEndpoint {
    return {
      ...modelOf(model),
      // Created by the operator once the model answers.
      service: `${serverName(model.name)}-serve-svc`,
      podLabels: rayLabels(model.name, "worker"),
    };
  }

  static connectionsOf(model: ModelPlan): readonly Connection[] {
    return [
      connect({
        name: `model-${model.name}-to-itself`,
        reason: "Processes of a Ray cluster find each other through its head, and choose their ports freely",
        from: rayPods(model),
        to: rayPods(model),
      }),
      clusterStateConnection(model),
    ];
  }

  /** @throws Error without the model store that it needs. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:RayService", name, opts);
    const { model } = args;
    this.endpoint = RayService.endpointOf(model);
    const instance = serverName(model.name);
    const labels = standardLabels(RAY_APP, instance, { [MODEL_LABEL]: model.name });
    // Upgrades run both clusters with all replicas.
    const namespace = modelNamespace(this.child("space"), { model, replaced: model.minReplicas }, this.childOptions());
    const metadata = { name: instance, namespace, labels };
    const { weights, ready } = modelWeights(
      (part) => this.child(part),
      args,
      namespace,
      vllmWeights,
      this.childOptions(),
    );
    const template = chatTemplate(this.child("template"), model, namespace, this.childOptions());
    const account = new kubernetes.core.v1.ServiceAccount(
      this.child("account"),
      { metadata, automountServiceAccountToken: false },
      this.childOptions(),
    );
    new kubernetes.policy.v1.PodDisruptionBudget(
      this.child("budget"),
      {
        metadata,
        spec: {
          // A number, because RayCluster has no scale.
          minAvailable: model.minReplicas,
          ...EVICTS_UNREADY_PODS,
          selector: { matchLabels: { ...selectorLabels(RAY_APP, instance) } },
        },
      },
      this.childOptions(),
    );

    const state = rayClusterState(this.child("state"), { namespace, cluster: args.cluster }, this.childOptions());

    const podTemplate = (role: RayRole, { pod }: RayPod) => ({
      metadata: {
        labels: { ...labels, ...rayLabels(model.name, role) },
        annotations: {
          ...(role === "worker" && memoryAnnotations(model)),
          [ANNOTATIONS.configHash]: template ? hashOf([weights.hash, template.hash]) : weights.hash,
        },
      },
      spec: hardenedPodSpec({ ...pod, serviceAccountName: named(account, instance) }),
    });
    const head = headPod(args);
    const worker = workerPod({ ...args, weights, chatTemplate: template });
    const deadline = IMAGE_PULL_SECONDS + model.startupBudgetSeconds;
    customResource<IRayService>(
      this.child("service"),
      {
        apiVersion: "ray.io/v1",
        kind: "RayService",
        name: instance,
        namespace,
        labels,
        annotations: {
          // Pulumi does not know readiness of foreign kinds.
          "pulumi.com/waitFor": "condition=Ready",
        },
        spec: {
          serveConfigV2: JSON.stringify(serveConfig(model, weights.location), undefined, 2),
          upgradeStrategy: { type: "NewCluster" },
          // A deleted head ends at once, and its workers follow.
          rayClusterDeletionDelaySeconds: leavingSeconds(model),
          excludeHeadPodFromServeSvc: true,
          // Headless: the gateway balances over workers.
          serveService: { spec: { clusterIP: "None", ports: [{ name: "serve", port: SERVE_PORT }] } },
          rayClusterConfig: {
            rayVersion: model.engineVersion,
            enableInTreeAutoscaling: false,
            gcsFaultToleranceOptions: state.options,
            headGroupSpec: { rayStartParams: head.rayStartParams, template: podTemplate("head", head) },
            workerGroupSpecs: [
              {
                groupName: "replicas",
                numOfHosts: 1,
                replicas: model.minReplicas,
                minReplicas: model.minReplicas,
                maxReplicas: model.minReplicas,
                rayStartParams: worker.rayStartParams,
                template: podTemplate("worker", worker),
              },
            ],
          },
        },
      },
      this.childOptions<pulumi.CustomResourceOptions>({
        dependsOn: [...state.resources, ...ready, ...(args.controller ?? [])],
        customTimeouts: deployTimeouts(deadline),
      }),
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

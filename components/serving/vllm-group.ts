import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { VLLM_PORT } from "../../engines/vllm";
import { ANNOTATIONS, MODEL_LABEL, ROLE_LABEL, selectorLabels, standardLabels } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import { type Connection, connect } from "../core/connections";
import { customResource } from "../core/custom-resource";
import { ONE_AT_A_TIME } from "../core/disruption-budget";
import { type HardenedPodArgs, hardenedPodSpec } from "../core/hardened-pod";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { replicasAnnotations, replicasOptions } from "../core/workload";
import { inferenceNode } from "../node/inference-node";
import { both, whileCounted } from "./drain";
import type { ModelEndpoint } from "./endpoint";
import { groupFabric } from "./fabric";
import { groupController } from "./group-controller";
import { whileWhole, workerProbes } from "./group-member";
import type { ILeaderWorkerSet } from "./leader-worker-set";
import { modelNamespace } from "./model-namespace";
import { type ModelServer, type ModelServerArgs, modelOf, serverName } from "./model-server";
import { modelWeights } from "./model-weights";
import { deployTimeouts, memoryAnnotations, modelReplicas, rolloutSeconds, variables } from "./pod-settings";
import type { GroupRole } from "./vllm-args";
import { vllmFiles } from "./vllm-files";
import { groupStart } from "./vllm-group-start";
import { ENGINE_CONTAINER, type VllmPodArgs, vllmPod } from "./vllm-pod";
import { vllmProbes } from "./vllm-probes";
import { vllmWeights } from "./vllm-weights";

const APP = "vllm";
const NCCL = "nccl";

/**
 * A LeaderWorkerSet in vLLM's multi-node mode, or with Ray. The leader serves the API; a restart of
 * any pod restarts its group. group-member.ts detects lost pods.
 */
export class VllmGroup extends PlatformComponent implements ModelServer {
  static readonly controller = groupController;

  readonly endpoint: ModelEndpoint;

  /** The API runs in the leaders; the model control API cannot drive groups. */
  static endpointOf(model: ModelPlan): ModelEndpoint {
    const instance = serverName(model.name);
    return {
      ...modelOf(model),
      // Not the group's name: the controller needs a Service of that name for unready pods.
      service: `${instance}-api`,
      podLabels: { ...selectorLabels(APP, instance), [ROLE_LABEL]: "leader" },
      scale: { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet", name: instance },
    };
  }

  static connectionsOf({ name }: ModelPlan): readonly Connection[] {
    const group = { namespace: modelNamespaceName(name), podLabels: selectorLabels(APP, serverName(name)) };
    return [
      connect({
        name: `model-${name}-to-itself`,
        reason: "Pods of a group compute together: NCCL, Gloo and the engine's own sockets choose their ports freely",
        from: group,
        to: group,
      }),
    ];
  }

  /** @throws Error when the model's source is in the model store, and there is none. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:VllmGroup", name, opts);
    const { model } = args;
    this.endpoint = VllmGroup.endpointOf(model);
    const instance = serverName(model.name);
    const groupPods = selectorLabels(APP, instance);
    const fabric = groupFabric(model);
    const labels = standardLabels(APP, instance, { [MODEL_LABEL]: model.name, ...fabric.labels });
    const namespace = modelNamespace(this.child("space"), { model, labels: fabric.labels }, this.childOptions());
    const metadata = { name: instance, namespace, labels };
    const { weights, ready } = modelWeights(
      (part) => this.child(part),
      args,
      namespace,
      vllmWeights,
      this.childOptions(),
    );
    const files = vllmFiles((part) => this.child(part), model, namespace, this.childOptions());

    // The workers of a group answer no requests.
    const node = inferenceNode(
      this.child("node"),
      { model, namespace, registrarKey: args.registrarKey },
      this.childOptions(),
    );

    const account = new kubernetes.core.v1.ServiceAccount(
      this.child("account"),
      { metadata, automountServiceAccountToken: false },
      this.childOptions(),
    );
    const nccl = new kubernetes.core.v1.ConfigMap(
      this.child("nccl"),
      { metadata: { ...metadata, name: NCCL }, data: { ...fabric.environment } },
      this.childOptions(),
    );
    new kubernetes.core.v1.Service(
      this.child("service"),
      {
        metadata: { ...metadata, name: this.endpoint.service },
        spec: {
          clusterIP: "None",
          selector: { ...this.endpoint.podLabels },
          ports: [{ name: "http", port: VLLM_PORT }, ...(node?.ports ?? [])].map(({ name: port, port: number }) => ({
            name: port,
            port: number,
            targetPort: port,
          })),
        },
      },
      this.childOptions(),
    );
    new kubernetes.policy.v1.PodDisruptionBudget(
      this.child("budget"),
      // One unavailable pod takes its group: the next waits.
      { metadata, spec: { ...ONE_AT_A_TIME, selector: { matchLabels: { ...groupPods } } } },
      this.childOptions(),
    );

    const inNode = (pod: HardenedPodArgs, role: GroupRole) =>
      (role === "leader" ? node?.around(pod) : undefined) ?? pod;
    const podTemplate = (role: GroupRole) => ({
      metadata: {
        labels: { ...labels, [ROLE_LABEL]: role },
        annotations: {
          ...memoryAnnotations(model),
          ...fabric.podAnnotations,
          // A change of either template makes whole groups anew.
          [ANNOTATIONS.configHash]: hashOf([
            weights.hash,
            fabric.environment,
            ...files.map((each) => each.hash),
            ...(node ? [node.hash] : []),
          ]),
        },
      },
      spec: hardenedPodSpec({
        ...fabric.around(inNode(groupPod(args, { weights, files }, role, named(nccl, NCCL)), role), ENGINE_CONTAINER),
        serviceAccountName: named(account, instance),
      }),
    });
    // The model control API cannot drive groups.
    const replicas = modelReplicas(model, undefined);
    customResource<ILeaderWorkerSet>(
      this.child("group"),
      {
        apiVersion: "leaderworkerset.x-k8s.io/v1",
        kind: "LeaderWorkerSet",
        name: instance,
        namespace,
        labels,
        annotations: {
          // Pulumi knows no readiness of foreign kinds: the deployment is done when the groups answer.
          "pulumi.com/waitFor": "condition=Available",
          ...replicasAnnotations(replicas),
          ...fabric.annotations,
        },
        spec: {
          replicas: replicas.count,
          // A leader is ready only when its workers have joined.
          startupPolicy: "LeaderCreated",
          rolloutStrategy: { type: "RollingUpdate", rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0 } },
          leaderWorkerTemplate: {
            size: model.nodesPerReplica,
            restartPolicy: "RecreateGroupAfterStart",
            leaderTemplate: podTemplate("leader"),
            workerTemplate: podTemplate("worker"),
          },
        },
      },
      this.childOptions<pulumi.CustomResourceOptions>({
        dependsOn: [...ready, ...(args.controller ?? [])],
        customTimeouts: deployTimeouts(rolloutSeconds(model)),
        ...replicasOptions(replicas),
      }),
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

/** The plan's resources include RDMA devices. */
function groupPod(
  args: ModelServerArgs,
  read: Pick<VllmPodArgs, "weights" | "files">,
  role: GroupRole,
  nccl: pulumi.Input<string>,
) {
  const { model } = args;
  const start = groupStart(model, read.weights.location, role);
  return vllmPod({
    ...args,
    ...read,
    command: start.command,
    arguments: start.arguments,
    environment: [
      // The address that a node announces to the others.
      { name: "VLLM_HOST_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      ...variables(groupFabric(model).engineEnvironment),
      ...start.environment,
    ],
    environmentFrom: [{ configMapRef: { name: nccl } }],
    ...(role === "leader"
      ? { probes: vllmProbes(model), busy: both(whileWhole(), whileCounted(model)) }
      : // All pods stop at once; only the leader knows when nothing runs.
        { probes: workerProbes(model), busy: whileWhole() }),
  });
}

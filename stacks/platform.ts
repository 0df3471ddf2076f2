import type * as pulumi from "@pulumi/pulumi";
import type { Cluster } from "../components/core/cluster";
import { PlanRecord } from "../components/core/plan-record";
import { PlatformComponent } from "../components/core/platform-component";
import { PriorityClasses } from "../components/core/priority-classes";
import { GatewayControllers } from "../components/gateway/gateway-controllers";
import { InferenceGateway } from "../components/gateway/inference-gateway";
import { CERT_MANAGER_NAMESPACE, gatewayProxies, PROXY_METRICS } from "../components/gateway/names";
import { OBSERVABILITY_NAMESPACE, prometheusPods } from "../components/observability/names";
import { Observability } from "../components/observability/observability";
import { Serving } from "../components/serving/serving";
import { ModelStore } from "../components/storage/model-store";
import { MODEL_STORE_HOST, modelStorePods } from "../components/storage/store-layout";
import { bytesPerMiB } from "../planner/memory/units";
import type { DeploymentPlan } from "../planner/types";
import type { EnvironmentConfig, LoadedEnvironment } from "./config";

export interface PlatformArgs {
  readonly cluster: Cluster;
  readonly environment: EnvironmentConfig;
  readonly secrets: LoadedEnvironment["secrets"];
  readonly plan: DeploymentPlan;
}

/**
 * The platform, the same on every cluster: model store, models, the one address in front of them, and what
 * watches over it.
 */
export class Platform extends PlatformComponent {
  /** What `pulumi stack output` shows. */
  readonly stackOutputs: Readonly<Record<string, pulumi.Input<unknown>>>;

  constructor(name: string, args: PlatformArgs, opts?: pulumi.ComponentResourceOptions) {
    super("platform:Platform", name, opts);
    const { cluster, environment, secrets, plan } = args;
    const { stage } = plan;
    const { gateway, observability } = environment;

    const priorities = new PriorityClasses(this.child("priority"), this.childOptions());
    // Pods that name a priority class are refused until it exists.
    const children = this.childOptions<pulumi.ComponentResourceOptions>({ dependsOn: [priorities] });
    new PlanRecord(this.child("plan"), { plan }, children);

    const controllers = new GatewayControllers(
      this.child("controllers"),
      {
        stage,
        certManager: environment.cluster.certManager,
        acme: gateway.tls.kind === "acme",
        observabilityNamespace: OBSERVABILITY_NAMESPACE,
      },
      children,
    );
    const certManager = { namespace: CERT_MANAGER_NAMESPACE, ready: controllers.releases };

    const store = new ModelStore(
      this.child("store"),
      {
        plan: plan.storage,
        models: plan.models,
        cluster,
        certManager,
        protect: stage === "production",
        registryGbps: environment.storage.registryGbps,
        ...(secrets.huggingFaceToken && { huggingFaceToken: secrets.huggingFaceToken }),
        observabilityNamespace: OBSERVABILITY_NAMESPACE,
      },
      children,
    );

    const serving = new Serving(
      this.child("models"),
      {
        models: plan.models,
        store,
        cluster,
        stage,
        clients: { gateway: gatewayProxies, observability: prometheusPods },
        ...(environment.cluster.gpuDevices && { devices: environment.cluster.gpuDevices }),
      },
      children,
    );

    const inference = new InferenceGateway(
      this.child("gateway"),
      {
        controllers,
        endpoints: serving.endpoints,
        hostname: gateway.hostname,
        exposure: gateway.exposure,
        ...(gateway.serviceAnnotations && { serviceAnnotations: gateway.serviceAnnotations }),
        tls: gateway.tls,
        consumers: gateway.consumers,
        stage,
        observabilityNamespace: OBSERVABILITY_NAMESPACE,
        requestTimeoutSeconds: gateway.requestTimeoutSeconds,
        streamIdleTimeoutSeconds: gateway.streamIdleTimeoutSeconds,
        maxRequestBytes: gateway.maxRequestMiB === undefined ? undefined : gateway.maxRequestMiB * bytesPerMiB,
      },
      children,
    );

    const monitoring = new Observability(
      this.child("observability"),
      {
        endpoints: serving.endpoints,
        gpuPools: plan.pools.flatMap(({ shape, labels, taints }) =>
          shape.gpu ? [{ vendor: shape.gpu.vendor, nodeSelector: labels, tolerations: taints }] : [],
        ),
        cluster,
        stage,
        profile: observability.profile,
        retentionDays: observability.retentionDays,
        storageGiB: observability.storageGiB,
        gateway: { ...gatewayProxies, metrics: PROXY_METRICS },
        modelStore: { ...modelStorePods, tls: { serverName: MODEL_STORE_HOST, certManager } },
        certManagerNamespace: CERT_MANAGER_NAMESPACE,
        ...(secrets.alertWebhookUrl && { alertWebhookUrl: secrets.alertWebhookUrl }),
      },
      children,
    );

    this.stackOutputs = {
      address: inference.address,
      consumerSecrets: inference.consumerSecrets,
      models: inference.models,
      grafana: monitoring.grafana,
      monthlyUsd: plan.cost.monthlyUsd,
    };
    this.registerOutputs(this.stackOutputs);
  }
}

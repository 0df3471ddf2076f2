import type * as pulumi from "@pulumi/pulumi";
import { Beta9 } from "../components/beta9/beta9";
import { certManagerPods } from "../components/certificates/cert-manager";
import type { Cluster, LoadBalancerSettings } from "../components/core/cluster";
import { commonLabels } from "../components/core/common-labels";
import { type ImageSource, imagesFrom } from "../components/core/image-source";
import { PlanRecord } from "../components/core/plan-record";
import { PlatformComponent } from "../components/core/platform-component";
import { PriorityClasses } from "../components/core/priority-classes";
import { GatewayControllers } from "../components/gateway/gateway-controllers";
import { InferenceGateway } from "../components/gateway/inference-gateway";
import { gatewayProxies, PROXY_METRICS } from "../components/gateway/names";
import { DEFAULT_TIMES } from "../components/gateway/traffic";
import { gatewayAddress } from "../components/gateway/usage";
import { modelControlService } from "../components/model-control/gateway-service";
import { ModelControl } from "../components/model-control/model-control";
import { modelControlPods } from "../components/model-control/names";
import { modelControlTarget } from "../components/model-control/scrape-target";
import { Observability } from "../components/observability/observability";
import { certManagerTarget, gatewayTargets, modelStoreTarget, modelTargets } from "../components/observability/targets";
import { modelEndpoints, Serving } from "../components/serving/serving";
import { ModelStore } from "../components/storage/model-store";
import { storeMetricsPods } from "../components/storage/store-layout";
import { CERT_MANAGER_NAMESPACE } from "../names/namespaces";
import { gatewayLimits } from "../planner/gateway-limits";
import type { DeploymentPlan } from "../planner/types";
import { beta9Args } from "./beta9";
import type { EnvironmentConfig, LoadedEnvironment } from "./config";
import { platformConnections } from "./connections";
import { gpuAccess } from "./gpu-access";

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
    const { cluster, environment, secrets, plan } = args;
    const images: ImageSource = {
      ...environment.images,
      ...(secrets.registryCredentials && { credentials: secrets.registryCredentials }),
    };
    const transformations = [commonLabels(environment.commonLabels), imagesFrom(images)];
    const { stage } = plan;
    const { gateway, modelControl, observability } = environment;
    const controlHostname = modelControl.enabled ? modelControl.hostname : undefined;
    const controlAccess = modelControl.enabled
      ? { client: modelControlPods, spareStorageGiB: modelControl.spareStorageGiB }
      : undefined;
    const endpoints = modelEndpoints(plan.models, controlAccess);
    const services = controlHostname === undefined ? [] : [modelControlService(controlHostname)];
    const targets = [
      ...modelTargets(endpoints),
      ...gatewayTargets({ ...gatewayProxies, metrics: PROXY_METRICS }),
      modelStoreTarget(storeMetricsPods),
      certManagerTarget(certManagerPods),
      ...(modelControl.enabled ? [modelControlTarget] : []),
    ];
    const gpuPools = plan.pools.flatMap(({ shape, selector, taints }) =>
      shape.gpu ? [{ vendor: shape.gpu.vendor, nodeSelector: selector, tolerations: taints }] : [],
    );
    const connections = platformConnections({ ...args, endpoints, services, targets, gpuPools });
    super("platform:Platform", name, { ...opts, transformations }, { images, connections });

    const access = gpuAccess(
      environment.cluster,
      plan.pools.flatMap(({ shape }) => shape.gpu?.vendor ?? []),
    );

    const priorities = new PriorityClasses(this.child("priority"), this.childOptions());
    // Pods that name a priority class are refused until it exists.
    const children = this.childOptions<pulumi.ComponentResourceOptions>({ dependsOn: [priorities] });
    new PlanRecord(this.child("plan"), { plan }, children);

    const controllers = new GatewayControllers(
      this.child("controllers"),
      {
        stage,
        certManager: environment.cluster.certManager,
        ...(gateway.tls.kind === "acme" && { acme: gateway.tls }),
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
        control: controlAccess,
        gpuAccess: access,
      },
      children,
    );

    const inference = new InferenceGateway(
      this.child("gateway"),
      {
        controllers,
        endpoints,
        hostname: gateway.hostname,
        exposure: gateway.exposure,
        serviceAnnotations: serviceAnnotations(cluster, gateway),
        tls: gateway.tls,
        consumers: gateway.consumers,
        services,
        stage,
        requestTimeoutSeconds: gateway.requestTimeoutSeconds,
        streamIdleTimeoutSeconds: gateway.streamIdleTimeoutSeconds,
        limits: gatewayLimits({
          stage,
          models: plan.models,
          ...(gateway.maxRequestMiB !== undefined && { maxRequestMiB: gateway.maxRequestMiB }),
        }),
      },
      children,
    );

    const control =
      modelControl.enabled && modelControl.image !== undefined
        ? new ModelControl(
            this.child("control"),
            {
              image: modelControl.image,
              endpoints,
              allowedRegistries: modelControl.allowedRegistries,
              warmModels: modelControl.warmModels,
              engines: serving,
              cluster,
              stage,
              ...(controlHostname !== undefined && {
                publicAddress: gatewayAddress({ ...gateway, hostname: controlHostname }),
              }),
            },
            children,
          )
        : undefined;

    const monitoring = new Observability(
      this.child("observability"),
      {
        targets,
        gpuAccess: access,
        gpuPools,
        cluster,
        stage,
        profile: observability.profile,
        retentionDays: observability.retentionDays,
        storageGiB: observability.storageGiB,
        ...(secrets.alertWebhookUrl && { alertWebhookUrl: secrets.alertWebhookUrl }),
      },
      children,
    );

    const beta9 =
      environment.beta9 &&
      new Beta9(
        this.child("beta9"),
        { ...beta9Args(environment.beta9, secrets, plan), cluster, certManager, gpuAccess: access },
        // Its files may lie in the model store.
        this.childOptions<pulumi.ComponentResourceOptions>({ dependsOn: [priorities, store] }),
      );

    this.stackOutputs = {
      address: inference.address,
      consumerSecrets: inference.consumerSecrets,
      models: inference.models,
      ...(control && { modelControl: control.usage }),
      grafana: monitoring.grafana,
      monthlyUsd: plan.cost.monthlyUsd,
      ...(beta9 && { beta9: { address: beta9.address, health: beta9.health } }),
    };
    this.registerOutputs(this.stackOutputs);
  }
}

/** Settings of the load balancer in front of the gateway: it must not forget a connection that a model is silent on. */
function serviceAnnotations(
  { loadBalancer }: Cluster,
  { exposure, serviceAnnotations: chosen = {}, streamIdleTimeoutSeconds }: EnvironmentConfig["gateway"],
): LoadBalancerSettings {
  const idleSeconds = streamIdleTimeoutSeconds ?? DEFAULT_TIMES.streamIdleTimeoutSeconds;
  return exposure === "LoadBalancer" ? loadBalancer({ idleSeconds, chosen }) : chosen;
}

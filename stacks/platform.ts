import type * as aws from "@pulumi/aws/provider";
import * as pulumi from "@pulumi/pulumi";
import type { PlacedCharts } from "../charts/place";
import { karpenterAlerts } from "../components/autoscaling/alerts";
import { Autoscaling } from "../components/autoscaling/autoscaling";
import { Karpenter } from "../components/autoscaling/karpenter";
import { unmetRequests } from "../components/autoscaling/unmet-requests";
import { NetworkPolicyEngine } from "../components/cluster/network-policy-engine";
import { ChartFiles } from "../components/core/chart-files";
import type { Cluster, LoadBalancerRequest } from "../components/core/cluster";
import { commonLabels } from "../components/core/common-labels";
import { FromBundle } from "../components/core/from-bundle";
import { type ImageSource, imagesFrom } from "../components/core/image-source";
import { peopleRoles } from "../components/core/people";
import { planRecord } from "../components/core/plan-record";
import { PlatformComponent } from "../components/core/platform-component";
import { priorityClasses } from "../components/core/priority-classes";
import { Transforms } from "../components/core/transforms";
import { AwsLoadBalancerController } from "../components/gateway/aws-load-balancer-controller";
import { GatewayControllers } from "../components/gateway/gateway-controllers";
import { InferenceGateway } from "../components/gateway/inference-gateway";
import { GpuSoftware } from "../components/gpu/gpu-software";
import { gatedPools } from "../components/gpu/names";
import { FabricGates } from "../components/gpu/nccl-gate";
import { rdmaDevices } from "../components/gpu/rdma-devices";
import { Mesh } from "../components/mesh/mesh";
import { meshTransformations } from "../components/mesh/port-protocols";
import { PROMETHEUS_URL } from "../components/observability/names";
import { Observability } from "../components/observability/observability";
import { sleepersByOtherNames } from "../components/observability/rules/asleep";
import { k3sCertificates } from "../components/observability/rules/cluster-certificates";
import { calledModels } from "../components/observability/rules/gateway-tokens";
import { plannedCost } from "../components/observability/rules/planned-cost";
import { plannedKinds } from "../components/observability/rules/planned-kinds";
import { plannedReplicas } from "../components/observability/rules/planned-replicas";
import { rdmaAlerts } from "../components/observability/rules/rdma";
import { serviceLevels } from "../components/observability/rules/service-levels";
import { silentModels } from "../components/observability/rules/silent";
import { Serving } from "../components/serving/serving";
import { userPods } from "../components/serving/user-pod";
import { ModelStore } from "../components/storage/model-store";
import { volumeClass } from "../components/storage/volume-class";
import { CERT_MANAGER_NAMESPACE } from "../names/namespaces";
import { sessionsOf } from "../planner/affinity";
import { gatewayTerms } from "../planner/gateway-terms";
import { quotasOf } from "../planner/quotas";
import type { RequestTimes } from "../planner/request-times";
import { freeRequests } from "../planner/shedding";
import { tenantsOf } from "../planner/tenants";
import type { DeploymentPlan, PoolPlan } from "../planner/types";
import { buildAddons, type LoadedAddon, mergeOutputs } from "./addons/build";
import type { StackOutputs } from "./addons/contract";
import { observability } from "./addons/observability/addon";
import { tracedModels } from "./addons/traced-models";
import { ADDON_ALERTS, ADDON_DASHBOARDS } from "./addons/watched";
import type { Bundle } from "./bundle/open-bundle";
import { assertBundled, bundledParts, modelBundle } from "./bundle/parts";
import { assertCharts } from "./chart-files";
import type { EnvironmentSecrets } from "./config";
import type { CoreConfig } from "./config/core/schema";
import { storeElsewhere } from "./config/core/store-backend";
import { FolderRecord } from "./gitops/folder-record";
import { gpuAccess } from "./gpu-access";
import { devicesByCdi, gpuSoftware } from "./gpu-software";
import { karpenter } from "./karpenter";
import { layOut } from "./layout";
import { meshEgress } from "./mesh-egress";
import { scaledModels } from "./scaled-models";
import { storageAccess } from "./storage-access";
import { assertTransformed } from "./transforms";

/** Inputs of a stack function. */
export interface StackArgs {
  readonly environment: CoreConfig;
  readonly secrets: EnvironmentSecrets;
  readonly plan: DeploymentPlan;
  readonly addons: readonly LoadedAddon[];
  /** @default the internet */
  readonly bundle?: Bundle | undefined;
  /** Charts as files. @default from repositories */
  readonly charts?: PlacedCharts | undefined;
  /** Of a provisioned AWS cluster. @default created with it */
  readonly awsProvider?: aws.Provider | undefined;
}

export interface PlatformArgs extends StackArgs {
  readonly cluster: Cluster;
}

/** The platform, the same on every cluster: model store, models, gateway and add-ons. */
export class Platform extends PlatformComponent {
  readonly stackOutputs: StackOutputs;

  constructor(name: string, args: PlatformArgs, opts?: pulumi.ComponentResourceOptions) {
    const { cluster, environment, secrets, plan, addons, bundle, charts } = args;
    const images: ImageSource = {
      ...environment.images,
      ...(secrets.registryCredentials && { credentials: secrets.registryCredentials }),
    };
    const fromBundle = bundle && new FromBundle(bundledParts(bundle));
    const files = charts && new ChartFiles(charts.paths);
    const folder = new FolderRecord();
    const transforms = new Transforms(environment.transform);
    const transformations = [
      userPods(plan.models),
      transforms.transformation,
      folder.transformation,
      commonLabels(environment.commonLabels),
      imagesFrom(images),
      ...(environment.mesh.mode === "off" ? [] : meshTransformations(environment.mesh.mode)),
      ...(fromBundle ? [fromBundle.transformation] : []),
      ...(files ? [files.transformation] : []),
    ];
    const { control, outside, services, runTimeModels, connections, mesh: meshLaidOut, ...laidOut } = layOut(args);
    const { people, mesh } = environment;
    super("platform:Platform", name, pulumi.mergeOptions(opts, { transformations }), {
      images,
      connections,
      ...(people && { people }),
      ...(meshLaidOut && { mesh: meshLaidOut.membership }),
    });

    const { stage } = plan;
    const { gateway } = environment;
    const { endpoints } = laidOut;
    const tenants = tenantsOf(gateway.consumers, environment.models);
    const { times, limits } = gatewayTerms(environment.gateway, plan);
    const service = serviceRequest(cluster, gateway, times);
    const software = gpuSoftware(args);
    const access = gpuAccess(
      environment.cluster,
      plan.pools.flatMap(({ shape }) => shape.gpu?.vendor ?? []),
      cluster.gpuDeviceGroups,
      devicesByCdi(args, software),
    );

    const priorities = priorityClasses(this.child("priority"), this.childOptions());
    const roles = peopleRoles(this.child("people"), people, this.childOptions());
    const volumes = volumeClass(
      this.child("volumes"),
      { cluster, protect: plan.stage === "production" },
      this.childOptions(),
    );
    const engine =
      cluster.networkPolicies === "platform"
        ? new NetworkPolicyEngine(this.child("network-policies"), this.childOptions({ dependsOn: [...priorities] }))
            .ready
        : [];
    const meshReady =
      mesh.mode === "off"
        ? []
        : new Mesh(
            this.child("mesh"),
            {
              mode: mesh.mode,
              stage,
              platform: mesh.platform ?? (environment.cluster.kind === "edge" ? "k3s" : "standard"),
              egress: meshEgress(environment, plan, outside),
              drainSeconds: times.drainSeconds,
              ...(plan.tokenIssuer?.authorities && { issuerAuthorities: plan.tokenIssuer.authorities.text }),
            },
            this.childOptions({ dependsOn: [...priorities, ...engine] }),
          ).ready;
    const provisioned = karpenter(args);
    const nodesReady = provisioned
      ? new Karpenter(
          this.child("karpenter"),
          provisioned,
          this.childOptions({ dependsOn: [...priorities, ...roles, ...engine, ...meshReady] }),
        ).ready
      : [];
    const loadBalancersReady = cluster.aws
      ? new AwsLoadBalancerController(
          this.child("load-balancers"),
          { stage, ground: cluster.aws },
          this.childOptions({ dependsOn: [...priorities, ...roles, ...engine, ...meshReady] }),
        ).ready
      : [];
    const gpusReady = [
      ...cluster.gpusReady,
      ...(software
        ? new GpuSoftware(
            this.child("gpu-software"),
            software,
            this.childOptions({ dependsOn: [...priorities, ...roles, ...engine, ...cluster.gpusReady] }),
          ).ready
        : []),
    ];
    // Until it exists, pods with a priority class are rejected, and so are role bindings; claims
    // wait for their class, and policies have no effect.
    const optionsAfter = (...after: readonly pulumi.Resource[]) =>
      this.childOptions({
        dependsOn: [...priorities, ...roles, ...volumes, ...engine, ...meshReady, ...nodesReady, ...after],
      });
    const children = optionsAfter();
    planRecord(this.child("plan"), { plan }, children);

    const controllers = new GatewayControllers(
      this.child("controllers"),
      {
        stage,
        existing: gateway.controller,
        certManager: environment.cluster.certManager,
        countsQuotas: quotasOf(tenants).length > 0,
        ...(gateway.tls.kind === "acme" && { acme: gateway.tls }),
      },
      children,
    );
    const certManager = { namespace: CERT_MANAGER_NAMESPACE, ready: controllers.releases };

    const store =
      plan.storage.backend === "none"
        ? undefined
        : new ModelStore(
            this.child("store"),
            {
              storeBucket: storeElsewhere(environment.storage, plan.sourceAuthorities),
              plan: plan.storage,
              models: plan.models,
              cluster,
              certManager,
              protect: stage === "production",
              registryGbps: environment.storage.registryGbps,
              access: storageAccess(environment.storage, plan.sourceAuthorities),
              ...(secrets.huggingFaceToken && { huggingFaceToken: secrets.huggingFaceToken }),
              ...(secrets.apiKeys && { apiKeys: secrets.apiKeys }),
              ...(bundle && { bundle: modelBundle(bundle) }),
              keepers: addons.flatMap((addon) => addon.keepers(args) ?? []),
            },
            children,
          );

    const devices = rdmaDevices(this.child("rdma-devices"), { cluster, stage }, optionsAfter(...gpusReady));
    const nodesOf = ({ name: pool, shape }: PoolPlan) => [
      ...(cluster.poolsReady[pool] ?? []),
      ...(shape.gpu ? gpusReady : []),
      ...(devices?.ready[pool] ?? []),
    ];
    const byPool = (ready: (pool: PoolPlan) => readonly pulumi.Resource[]) =>
      Object.fromEntries(plan.pools.map((pool) => [pool.name, ready(pool)]));
    const gates =
      gatedPools(plan.pools).length > 0
        ? new FabricGates(
            this.child("fabric-gate"),
            { pools: plan.pools, gpuAccess: access, poolsReady: byPool(nodesOf) },
            children,
          )
        : undefined;

    const serving = new Serving(
      this.child("models"),
      {
        models: tracedModels(plan.models, laidOut.traces),
        store,
        cluster,
        stage,
        control,
        registry: environment.storage,
        gpuAccess: access,
        poolsReady: byPool((pool) => [...nodesOf(pool), ...(gates?.readyFor(pool.name) ?? [])]),
        ...(secrets.apiKeys && { apiKeys: secrets.apiKeys }),
      },
      // A waypoint is a Gateway: its kind comes with the gateway's controllers.
      optionsAfter(...(meshLaidOut?.waypoints.length ? controllers.releases : [])),
    );

    const inference = new InferenceGateway(
      this.child("gateway"),
      {
        controllers,
        existing: gateway.controller,
        endpoints,
        outside,
        groups: plan.groups,
        apiKeys: secrets.apiKeys ?? {},
        hostname: gateway.hostname,
        exposure: gateway.exposure,
        ...(gateway.exposure === "LoadBalancer" && { loadBalancerIp: gateway.wildcardDns?.address }),
        serviceAnnotations: service.annotations,
        ...(service.namespaceLabels && { namespaceLabels: service.namespaceLabels }),
        fixedNodePorts: service.fixedNodePorts,
        ...(service.deregisterSeconds !== undefined && { deregisterSeconds: service.deregisterSeconds }),
        tls: gateway.tls,
        tenants,
        ...(plan.tokenIssuer && { tokenIssuer: plan.tokenIssuer }),
        sessions: sessionsOf(gateway.affinity, environment.models),
        sessionHeader: gateway.sessionHeader,
        services,
        stage,
        times,
        limits,
        traces: laidOut.traces,
        freeRequests: freeRequests(plan.models, limits),
        ...(runTimeModels && { runTimeModels }),
      },
      optionsAfter(...loadBalancersReady),
    );

    const scaled = scaledModels(plan.models, endpoints);
    const called = calledModels(endpoints, plan.externalModels);
    const ofAddons = buildAddons(addons, (addon) => ({
      ...laidOut,
      name: this.child(addon.componentName),
      options: optionsAfter,
      certManager,
      store,
      serving,
      gpuAccess: access,
      consumerKeys: inference.consumerKeys,
      alerts: [
        sleepersByOtherNames(endpoints),
        plannedReplicas(plan.models),
        plannedKinds(plan),
        serviceLevels(plan.models, called),
        plannedCost(plan, called),
        unmetRequests(scaled),
        silentModels(times),
        ...ADDON_ALERTS,
        ...(provisioned ? [karpenterAlerts] : []),
        ...(devices ? [rdmaAlerts] : []),
        ...(environment.cluster.kind === "edge" && environment.cluster.provision === "create" ? [k3sCertificates] : []),
      ],
      dashboards: ADDON_DASHBOARDS,
      folder: () => folder.contents,
    }));

    const metrics = ofAddons.componentOf(observability);
    if (scaled.length > 0) {
      new Autoscaling(
        this.child("autoscaling"),
        {
          stage,
          models: scaled,
          servers: serving.servers,
          prometheusUrl: metrics instanceof Observability ? metrics.prometheusUrl : PROMETHEUS_URL,
          certManager,
        },
        // Its data source must exist first and go later: failed queries look like lost signals.
        optionsAfter(...(metrics ? [metrics] : [])),
      );
    }

    assertTransformed(environment, transforms.faults);
    if (bundle && fromBundle) {
      assertBundled(bundle, fromBundle.missing, plan.environment);
    }
    if (charts && files) {
      assertCharts(charts, files.missing);
    }
    this.stackOutputs = mergeOutputs([
      {
        address: inference.address,
        consumerSecrets: inference.consumerSecrets,
        models: inference.models,
        ...(plan.groups.length > 0 && { groups: inference.groups }),
        monthlyUsd: plan.cost.monthlyUsd,
      },
      ...ofAddons.outputs,
    ]);
    this.registerOutputs(this.stackOutputs);
  }
}

/** Load balancer settings that keep idle connections while a model computes. */
function serviceRequest(
  { loadBalancer }: Cluster,
  { exposure, serviceAnnotations: chosen = {} }: CoreConfig["gateway"],
  { streamIdleTimeoutSeconds: idleSeconds }: RequestTimes,
): LoadBalancerRequest {
  return exposure === "LoadBalancer"
    ? loadBalancer({ idleSeconds, chosen })
    : { annotations: chosen, fixedNodePorts: exposure === "NodePort" };
}
